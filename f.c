/* Written by covector from `<lambda>`; f.h says what it takes. */
#include "f.h"
#include <math.h>
#include <string.h>

/* Sums and products here mean one rounding each. */
#if defined(__FAST_MATH__)
#error "compile this file without -ffast-math: it counts on infinities, NaN and the order of additions"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize ("fp-contract=off")
#elif defined(_MSC_VER)
#pragma fp_contract (off)
#endif
#ifdef __cplusplus
#define restrict __restrict
#endif

void f(const double *restrict x_INT32_MAX_, double *restrict out, void *restrict scratch)
{
    (void)scratch;
    const double v1 = x_INT32_MAX_[0];
    const double v2 = x_INT32_MAX_[1];
    const double v3 = x_INT32_MAX_[2];
    const double v4 = v1 * 2.0;
    const double v5 = v2 * 2.0;
    const double v6 = v3 * 2.0;
    out[0] = v4;
    out[1] = v5;
    out[2] = v6;
}
