/* Written by covector from `<lambda>`

   x_INT32_MAX_  double[3]  argument INT32_MAX
   out           double[3]  result out

   Arrays lie in order (C order, the last index moves fastest), without gaps; a number is an array of one element, and
   a bool is a byte, 0 or 1. `scratch` is not used, and may be NULL. Results and `scratch` must not overlap
   anything else. The function keeps nothing, allocates nothing, and may run in several threads at a time.
*/
#ifndef COVECTOR_f_H
#define COVECTOR_f_H

#include <stdint.h>

#define F_SCRATCH 0

#ifdef __cplusplus
extern "C" {
#endif

void f(const double *x_INT32_MAX_, double *out, void *scratch);

#ifdef __cplusplus
}
#endif

#endif
