"""Copies, and tensors overwritten as a whole: `clone`, `contiguous`, `fill_`, `zero_`, `copy_`."""

from numbers import Number

import numpy as np

from .....extend import REGISTRY
from ..dispatch.call import attach, moving
from ..dispatch.layouts import laid_out, layout
from ..dispatch.telling import by_mode
from ..graph import versions
from ..inplace.fast import COPY, FILL, ZERO
from ..inplace.inplace import check_result, inplace
from ..inplace.rows import assigning, unrecorded_array
from ..modes.modes import MODES
from ..modes.warnings import error_state, restore_fp_warnings, suppress_fp_warnings
from ..state.meta import is_meta
from ..state.python_data import filling, warn_imaginary
from ..tensor.conversion import placed
from ..types.arrays import ARRAYS
from ..types.memory_formats import arranged, lies_in, preserves
from ..types.size import contiguous_format
from ..types.tensor_type import TensorBase, bottom, shape_dtype, wrap
from ..views.fast import copied
from ..views.memory import example_of
from ..views.overlap import check_own
from .array_functions import cnp

LIKE_INPUT = layout(lambda array, tensors, args, named: array if not preserves(named.get("memory_format")) else
                    laid_out(array, bottom(tensors[0])))


@moving("clone", blind=True, out=False, layout=LIKE_INPUT)
def clone(input, *, memory_format=None):
    """Copy a tensor; the copy is recorded."""
    out = REGISTRY["duplicate"].fun(input)
    return out if preserves(memory_format) else arranged(out, memory_format, input.ndim)


@moving("contiguous", method=False, register=False, node="CloneBackward0")
def _contiguous(input, memory_format=contiguous_format):
    return arranged(REGISTRY["duplicate"].fun(input), memory_format, input.ndim)


def contiguous(self, memory_format=contiguous_format):
    """Itself if its elements lie in the order of a memory format, else a copy that does."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(contiguous, (self,), {} if memory_format is contiguous_format else {
            "memory_format": memory_format})
    array = example_of(self)
    if preserves(memory_format):
        if array.flags.c_contiguous:
            return self
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    if lies_in(array, memory_format):
        return self
    quick = copied(self) if memory_format is contiguous_format else None
    return _contiguous(self, memory_format) if quick is None else quick


attach("contiguous", contiguous)


def fill_(self, value):
    """Every element becomes `value`."""
    name = "FillBackward3" if isinstance(value, TensorBase) else "FillBackward2"
    if not isinstance(value, TensorBase):
        if not isinstance(value, Number | np.bool_):
            raise TypeError(f"fill_(): argument 'value' must be Number or Tensor, not {type(value).__name__}")
    elif not shape_dtype(value)[0] and type(memory := bottom(self)) in ARRAYS:
        check_own(memory)  # PyTorch copies it there, while numbers may fill what is expanded
    return inplace(self, "fill_", filled, (value,), node_name=name, covers=True)


def filled(x, value):
    """`x` with one value everywhere."""
    if not hasattr(value, "dtype"):
        value = filling(value, x.dtype)
    elif value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return replaced(x, value)


def zero_(self):
    """Every element becomes zero."""
    return inplace(self, "zero_", lambda x: replaced(x, 0), node_name="ZeroBackward0", covers=True)


def copy_(self, src, non_blocking=False):
    """Every element becomes that of `src`, cast and broadcast."""
    if isinstance(src, Number):
        src = wrap(np.asarray(src))
    if not isinstance(src, TensorBase):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
    if cast_into(self, src):
        return self
    if src.is_cuda is not self.is_cuda and not (is_meta(src) or is_meta(self)):
        src = placed(src, self.device)
    return inplace(self, "copy_", lambda x, v: replaced(x, v), (src,), node_name="torch::autograd::CopyBackwards")


def cast_into(t, src):
    """Tell whether a tensor of which nothing is recorded now holds the elements of another one of its shape, cast."""
    array = unrecorded_array(t, src)
    if array is None:
        return False
    v = src.value
    if v.shape != array.shape or v.dtype.kind == "c" and array.dtype.kind != "c":
        return False
    token = error_state()
    try:
        suppress_fp_warnings()
        array[...] = v
    finally:
        restore_fp_warnings(token)
    versions.note(array)
    return True


def replaced(x, value):
    """`value` in the shape and dtype of `x`, with the history of `x` cut at zero."""
    value = cnp.asarray(value) if not hasattr(value, "dtype") else value
    if tuple(value.shape) != tuple(x.shape):
        for i in range(1, min(value.ndim, x.ndim) + 1):
            a, b = x.shape[-i], value.shape[-i]
            if a != b and b != 1 and a != 1:
                raise RuntimeError(f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton "
                                   f"dimension {max(value.ndim, x.ndim) - i}")
        check_result(tuple(x.shape), x.dtype, tuple(value.shape), x.dtype)
    if value.dtype != x.dtype:
        if value.dtype.kind == "c" and x.dtype.kind not in "cb":
            warn_imaginary()
            value = value.real
        value = value.astype(x.dtype)
    return UPDATE_ALL(x, value)


def UPDATE_ALL(x, value):  # noqa: N802
    """`x[...] = value` as a new value."""
    return REGISTRY["index_update"].fun(x, value, Ellipsis, False, False)


fill_, zero_, copy_ = assigning(FILL, fill_), assigning(ZERO, zero_), assigning(COPY, copy_)
for _f in (fill_, zero_, copy_):
    attach(_f.__name__, _f)
