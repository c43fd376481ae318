"""autograd.wrap_util: operators of functions of one argument made operators of any argument."""

from ._impl.missing import refusing as _refusing
from ._impl.wrap_util import (
    get_doc as get_doc,
    get_name as get_name,
    unary_to_nary as unary_to_nary,
    wrap_nary_f as wrap_nary_f,
    wraps as wraps,
)

_refusing("wrap_util")
