"""Elementwise functions whose rules save the output, as PyTorch's do: its programs may write to the operand.

The slope by a rounded output has few digits where that is close to its limit; rules of the functions themselves
(arithmetic.py, elementary.py) save the operand, and have them all.
"""

import numpy as np

from ..arrays.sums import small
from ..primitive.families import elementwise
from .elementary import _kernel_sigmoid, _sigmoid, _stable_sigmoid
from .samples import unary

ndarray = np.ndarray
_times, _minus, _squared = small(np.multiply), small(np.subtract), small(np.square)
_ONE = {np.dtype(t): np.ones((), t) for t in (np.float64, np.float32)}  # half the time of a Python scalar


def _less_square(x):
    """1 - x²."""
    one = _ONE.get(x.dtype) if type(x) is ndarray else None
    return 1.0 - x * x if one is None else _minus(one, _squared(x))


def _times_less_square(ct, ans):
    one = _ONE.get(ans.dtype) if type(ans) is ndarray else None
    return ct * less_square(ans) if one is None else _times(ct, _minus(one, _squared(ans)))


# Primitives, for the reason that tanh_slope is one.
less_square = elementwise("less_square", impl=lambda xp, x: _less_square(x), d={"x": lambda x: -2.0 * x},
                          samples=unary())
times_rest = elementwise("times_rest", impl=lambda xp, x: x * (1.0 - x), d={"x": lambda x: 1.0 - 2.0 * x},
                         samples=unary())


def _times_rest(ct, ans):
    """ct ans (1 - ans), in the memory of one array."""
    if type(ans) is not ndarray or type(ct) is not ndarray or ct.shape != ans.shape or not ct.ndim:
        return ct * times_rest(ans)
    out = 1.0 - ans
    out *= ans
    out *= ct
    return out


tanh = elementwise(
    "tanh_by_output",
    d={"x": lambda ans: less_square(ans)},
    real_vjp={"x": _times_less_square},
    real_jvp={"x": _times_less_square},
    op=np.tanh,
    samples=unary(),
)
expm1 = elementwise("expm1_by_output", d={"x": lambda ans: ans + 1.0}, op=np.expm1, singular=True, samples=unary())
sigmoid = elementwise(
    "sigmoid_by_output",
    impl=_sigmoid,
    lower=lambda x: _stable_sigmoid(np, x),
    d={"x": lambda ans: times_rest(ans)},
    real_vjp={"x": _times_rest},
    kernel={"impl": _kernel_sigmoid, "vjp": None, "jvp": None},  # these are one pass by NumPy
    samples=unary(-3.0, 3.0),
)
