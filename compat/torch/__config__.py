"""torch.__config__: what this module computes with."""

import sys

import numpy

from ._impl.tensor.tensor_queries import get_num_threads
from .version import __version__


def show():
    """The libraries below, in lines.

    >>> import covector.compat.torch as torch
    >>> torch.__config__.show().splitlines()[0]
    'covector.compat.torch stands for PyTorch'
    """
    return (f"covector.compat.torch stands for PyTorch\n  - {__version__}\n  - NumPy {numpy.__version__}\n"
            f"  - Python {sys.version.split()[0]}\n  - Build settings: USE_CUDA=OFF, USE_MKL=OFF, USE_MKLDNN=OFF\n")


def parallel_info():
    """The number of threads of operations."""
    return f"ATen/Parallel:\n\tat::get_num_threads() : {get_num_threads()}\n"
