"""Elementary functions, each written once against a builder of operations on SIMD values.

A builder `b` has `width`, 64 or 32, and these methods on values of its lanes:

- `const(x)`, `iconst(i)`; `fadd`, `fsub`, `fmul`, `fdiv`, `fma`, `sqrt`, `fneg`, `fabs`, `copysign(size, sign)`,
  `floor`, `rint`, `trunc`, each rounded once;
- `fcmp(op, a, b)` with `==`, `!=`, `<`, `<=`, `>`, `>=`, which are false for NaN, except `!=`; `isnan`;
  `select(mask, a, b)` of numbers or integers; `and_`, `or_`, `not_` of masks;
- `bits(x)`, `from_bits(i)`, `iadd`, `isub`, `imul`, `iand`, `ior`, `ixor`, `shl`, `lshr`, `ashr`, all modulo
  `2 ** width`; `icmp(op, a, b)`, signed; `to_int`, `to_float`;
- of 32 bits: `widen(x)` to a value of the builder `b.wide`, of 64 bits in as many lanes, and `narrow(x)` back.

Additions and products must be left as they are written: none may be contracted, reassociated or assumed to be finite.
`FUNCTIONS` holds the functions by the names of NumPy and SciPy; `NEAR` has faster ones for arguments below a bound, and
`QUICK` those of float32 that are as exact as NumPy's, but no more, by their own names. `FEW` are those of one to
four numbers, which wait for each other: they use `looked_up(name, place)`, numbers of `TABLES[name]`.
"""

from .error_function import erf, erfc, erfinv, gelu, ndtr, ndtri
from .exponentials import cosh, exp, exp2, exp_quick, expm1, sigmoid, silu, sinh, tanh
from .logarithms import (
    arccosh,
    arcsinh,
    arctanh,
    entr,
    log,
    log1p,
    log2,
    log10,
    log_expit,
    logaddexp,
    logaddexp2,
    logit,
    softplus,
    xlog1py,
    xlogy,
)
from .powers import cbrt, hypot, power
from .reduction import LARGE
from .special_functions import digamma, gammaln, i0, i0e, i1, i1e
from .tables import TABLES, exp_few, tanh_few
from .trigonometry import arccos, arcsin, arctan, arctan2, cos, cos_near, sin, sin_near, tan, tan_near

__all__ = ["FEW", "FUNCTIONS", "NEAR", "QUICK", "TABLES"]

FUNCTIONS = {
    f.__name__: f
    for f in (
        *(exp, exp2, expm1, sigmoid, sinh, cosh, tanh, log, log2, log10, log1p, sin, cos, tan),
        *(arcsin, arccos, arctan, arctan2, arcsinh, arccosh, arctanh, power, cbrt, hypot, logaddexp, logaddexp2),
        *(erf, erfc, erfinv, gammaln, digamma, ndtr, ndtri, gelu, silu, softplus, log_expit),
        *(logit, xlogy, xlog1py, entr, i0, i1, i0e, i1e),
    )
}
# name -> (function, bound of `|x|` for each width): without the reduction of large arguments, which costs the most
NEAR = {"sin": (sin_near, LARGE), "cos": (cos_near, LARGE), "tan": (tan_near, LARGE)}
QUICK = {"exp_quick": exp_quick}
FEW = {"exp_few": (exp_few, {64: 708.0}), "tanh_few": (tanh_few, None)}  # as in NEAR
