"""covector: composable function transforms for plain NumPy and CuPy arrays."""

from .backends import cupy_ as _cupy
from .backends import numpy_ as _numpy
from .core import protocol as _protocol
from .transforms.forward import jvp as jvp
from .transforms.gradient import grad as grad
from .transforms.gradient import value_and_grad as value_and_grad
from .transforms.gradient import vjp as vjp
