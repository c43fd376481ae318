"""Lazy import of SciPy modules, and kernels applied over stacks of matrices."""

import warnings
from contextlib import contextmanager

import numpy as np

from ...arrays.dtypes import float_dtype, result_dtype
from ...errors import BackendError, MissingLibraryError, at_user_line
from ...lazy import LazyModule
from ..linalg.products import lift


class Library(LazyModule):
    """A module of SciPy; where SciPy is not installed, its use says how to install it."""

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except ImportError as error:
            raise MissingLibraryError(
                f"{self._name}.{name} computes this, but importing it failed ({error}); install SciPy: "
                f"pip install 'covector[scipy]'{at_user_line()}"
            ) from error


linalg = Library("scipy.linalg")
signal = Library("scipy.signal")
fft = Library("scipy.fft")
ndimage = Library("scipy.ndimage")


def on_host(xp, name):
    """Raise unless the arrays are NumPy's, for which SciPy has the kernel `name`."""
    if xp is not np:
        raise BackendError(f"{name} is computed by SciPy, on arrays of NumPy, but got arrays of {xp.__name__}; convert "
                           f"them first, for example with .get(){at_user_line()}")


@contextmanager
def without_warnings(quiet):
    """Run SciPy without its warnings about the operands, if `quiet`: those of derivatives say it themselves."""
    if not quiet:
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def stacked(xp, name, run, shapes, *operands, dtype=None):
    """`run(*matrices)` for each set of matrices of `operands`, whose leading axes broadcast; the results stacked.

    `shapes` are those of the results for one set, and `dtype` theirs; by default the one of the operands, floating.
    """
    on_host(xp, name)
    wide = float_dtype(result_dtype(*operands))
    dtype = dtype or wide
    lead = np.broadcast_shapes(*[x.shape[:-2] for x in operands])
    operands = [np.asarray(x, wide) for x in operands]
    if not lead and all(x.size for x in operands):
        found = run(*operands)
        if type(shapes) is not list:
            return np.asarray(found, dtype)
        return tuple(np.asarray(v, dtype) for v in found)
    several = type(shapes) is list
    outs = [np.zeros((*lead, *shape), dtype) for shape in (shapes if several else [shapes])]
    if all(x.size for x in operands):
        operands = [np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in operands]
        for place in np.ndindex(*lead):
            found = run(*[x[place] for x in operands])
            for out, value in zip(outs, found if several else (found,)):
                out[place] = value
    return tuple(outs) if several else outs[0]


def aligned(operands, batched):
    """Operands of matrices with their batch axes in front of all other leading axes."""
    rank = max(x.ndim + (not b) for x, b in zip(operands, batched))
    return [lift(x, rank) if b else x for x, b in zip(operands, batched)]
