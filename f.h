/* Written by covector from `<lambda>`

   W    double[4][4]  argument W
   out  double[4][4]  result out

   Arrays lie in order (C order, the last index moves fastest), without gaps; a number is an array of one element, and
   a bool is a byte, 0 or 1. `scratch` is not used, and may be NULL. Results and `scratch` must not overlap
   anything else. The function keeps nothing, allocates nothing, and may run in several threads at a time.
*/
#ifndef F_H
#define F_H

#include <stdint.h>

#define F_SCRATCH 0

#ifdef __cplusplus
extern "C" {
#endif

void f(const double *W, double *out, void *scratch);

#ifdef __cplusplus
}
#endif

#endif
