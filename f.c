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

void f(const double *restrict d_a_int_evil, double *restrict out, void *restrict scratch)
{
    (void)scratch;
    const double v1 = d_a_int_evil[0];
    const double v2 = d_a_int_evil[1];
    const double v3 = v1 * 2.0;
    const double v4 = v2 * 2.0;
    out[0] = v3;
    out[1] = v4;
}
