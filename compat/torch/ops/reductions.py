"""Reductions: sums, means, extrema, norms."""

import numpy as np

from .... import numpy as cnp
from ....extend import REGISTRY
from .. import dtypes
from ..call import ROWS, attach, operation
from ..product_lanes import total
from .shaping import wrap_dim


def axes_of(dim, ndim):
    """The axes of `dim`: None or () for all."""
    if dim is None or dim == () or dim == []:
        return None
    dims = (dim,) if isinstance(dim, int | np.integer) else tuple(dim)
    axes = tuple([wrap_dim(d, ndim) for d in dims])
    if len(set(axes)) != len(axes):
        twice = next(a for a in axes if axes.count(a) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return tuple([a for a in axes if a < ndim]) if ndim else ()


@operation("sum", node="SumBackward0")
def sum(input, dim=None, keepdim=False, *, dtype=None):  # noqa: A001 (torch's name)
    """Sum over axes; see PyTorch's documentation of `torch.sum`."""
    if dtype is None and input.dtype.kind in "biu":
        dtype = np.dtype(np.int64)
    x = input if dtype is None or input.dtype == dtype else input.astype(dtype)
    axes = axes_of(dim, x.ndim)
    return cnp.sum(x, axis=axes, keepdims=keepdim)


@operation("mean", node="MeanBackward0")
def mean(input, dim=None, keepdim=False, *, dtype=None):
    """Mean over axes; see PyTorch's documentation of `torch.mean`."""
    x = input if dtype is None else input.astype(dtype)
    if x.dtype.kind not in "fcV":
        name = dtypes.OF_NUMPY[x.dtype].name
        word = {"int64": "Long", "int32": "Int", "bool": "Bool"}.get(name, name)
        raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
                           f"dtype. Got: {word}")
    axes = axes_of(dim, x.ndim)
    return REGISTRY["reduce_mean"].fun(x, tuple(range(x.ndim)) if axes is None else axes, keepdim)


for _name, _prim in {"sum": "reduce_sum", "mean": "reduce_mean"}.items():
    _row = ROWS[_name]
    _fun = total(_row, REGISTRY[_prim], _row.node)
    _fun.__name__ = _fun.__qualname__ = _name
    _fun.__doc__ = _row.body.__doc__
    _fun.row = _row
    _row.fun = _fun
    attach(_name, _fun)
