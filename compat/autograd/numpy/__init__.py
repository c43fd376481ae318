"""autograd.numpy: NumPy's namespace on traced values."""

import numpy as _np

from . import fft, linalg, numpy_boxes, numpy_jvps, numpy_vjps, numpy_vspaces, numpy_wrapper, random
from .numpy_wrapper import *  # noqa: F403 - NumPy's names
from .numpy_wrapper import numpy_version as __version__

__all__ = [name for name in dir(numpy_wrapper) if name[:1] != "_"] + ["fft", "linalg", "random"]


def __getattr__(name):
    """What autograd.numpy leaves out of NumPy, as NumPy has it."""
    return getattr(_np, name)
