"""autograd.numpy: NumPy's namespace on traced values."""

import numpy as _np

from .._impl import builtins as builtins
from .._impl.missing import refusing as _refusing
from . import fft, linalg, numpy_boxes, numpy_jvps, numpy_vjps, numpy_vspaces, numpy_wrapper, random
from .numpy_wrapper import *  # noqa: F403 - NumPy's names
from .numpy_wrapper import numpy_version as __version__

__all__ = [name for name in dir(numpy_wrapper) if name[:1] != "_"] + ["fft", "linalg", "random"]

_refusing("numpy", otherwise=lambda name: getattr(numpy_wrapper, name))
