"""The approximation of gelu by tanh, which keeps its operand alone."""

import math

from ...primitive.families import elementwise
from ..arithmetic import tanh, tanh_slope
from ..samples import unary

_INNER, _CUBE = math.sqrt(2.0 / math.pi), 0.044715


def _gelu_tanh(xp, x):
    return 0.5 * x * (1.0 + xp.tanh(_INNER * (x + _CUBE * (x * x * x))))


def _gelu_tanh_slope(x):
    square = x * x
    t = tanh(_INNER * (x + _CUBE * (square * x)))
    return 0.5 * (1.0 + t) + (0.5 * _INNER) * x * tanh_slope(t) * (1.0 + (3.0 * _CUBE) * square)


gelu_tanh = elementwise(
    "gelu_tanh",  # x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2: Hendrycks and Gimpel (2016), Gaussian error linear units
    impl=_gelu_tanh,
    d={"x": lambda x: _gelu_tanh_slope(x)},
    kernel={"impl": lambda x: 0.5 * x * (1.0 + tanh(_INNER * (x + _CUBE * (x * x * x)))),
            **dict.fromkeys(("vjp", "jvp"), lambda c, x: c * _gelu_tanh_slope(x))},
    quiet=True,
    samples=unary(-3.0, 3.0, complex_too=False),
    absent={"complex": "the activation is one of real networks"},
)
