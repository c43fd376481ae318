"""autograd.util: tuples with elements replaced, and a topological order."""

from ._impl.missing import refusing as _refusing
from ._impl.test_util import quick_grad_check as quick_grad_check
from ._impl.wrap_util import func as func, subval as subval, subvals as subvals, toposort as toposort

_refusing("util")
