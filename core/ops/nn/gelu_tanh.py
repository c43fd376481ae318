"""The tanh approximation of GELU, which saves its operand only."""

import math

import numpy as np

from ...primitive.families import elementwise
from ..elementary import _kernel_sigmoid, _sigmoid, _stable_sigmoid, sigmoid, sigmoid_slope
from ..samples import Sample, together, unary
from ..selection import minimum

_TWICE, _CUBE = math.sqrt(8.0 / math.pi), 0.044715
_FAR = 1e4  # of squares: there is no slope left, and cubes do not overflow


def _inner(x, square):
    return _TWICE * x * (1.0 + _CUBE * square)


def _gelu_tanh(xp, x):
    """(1 + tanh(u)) / 2 = sigmoid(2 u), whose left tail has all its digits."""
    return x * _sigmoid(xp, _inner(x, xp.minimum(x * x, _FAR)))


def _gelu_tanh_slope(x, of=sigmoid):
    square = minimum(x * x, _FAR)
    u = _inner(x, square)
    return of(u) + _TWICE * x * (1.0 + (3.0 * _CUBE) * square) * sigmoid_slope(u)


gelu_tanh = elementwise(
    "gelu_tanh",  # x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2: Hendrycks and Gimpel (2016), Gaussian error linear units
    impl=_gelu_tanh,
    lower=lambda x: x * _stable_sigmoid(np, _inner(x, minimum(x * x, _FAR))),
    d={"x": lambda x: _gelu_tanh_slope(x)},
    kernel={"impl": lambda x: x * _kernel_sigmoid(_inner(x, minimum(x * x, _FAR))),
            **dict.fromkeys(("vjp", "jvp"), lambda c, x: c * _gelu_tanh_slope(x, _kernel_sigmoid))},
    quiet=True,
    samples=together(unary(-3.0, 3.0, complex_too=False), lambda rng: [Sample(np.array([-9.0, 0.0, 30.0]), tol=1e-5)]),
    absent={"complex": "the activation is one of real networks"},
)
