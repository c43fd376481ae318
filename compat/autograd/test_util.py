"""autograd.test_util: derivatives compared with differences."""

from ._impl.core import make_jvp as make_jvp, make_vjp as make_vjp, vspace as vspace
from ._impl.missing import refusing as _refusing
from ._impl.test_util import (
    EPS as EPS,
    RTOL as RTOL,
    TOL as TOL,
    check_equivalent as check_equivalent,
    check_grads as check_grads,
    check_jvp as check_jvp,
    check_vjp as check_vjp,
    combo_check as combo_check,
    make_numerical_jvp as make_numerical_jvp,
    scalar_close as scalar_close,
)
from ._impl.wrap_util import get_name as get_name, unary_to_nary as unary_to_nary

_refusing("test_util")
