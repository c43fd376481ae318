"""Tensors given as `out=`: their dtype is checked, they are resized if they are empty, and written to."""

import warnings
from numbers import Number
from typing import NamedTuple

import numpy as np

from ..inplace.write import write
from ..modes.inference import check_write
from ..modes.modes import MODES
from ..state.meta import check_devices, check_written, is_meta
from ..types.arrays import ARRAYS, namespace
from ..types.devices import moved
from ..types.dtypes import c_type, type_word
from ..types.tensor_type import needs_grad, shape_dtype, wrap
from ..values.core_values import bare, lift
from ..values.tangents import tangent_of
from ..views.overlap import check_overlap, check_own


class Target(NamedTuple):
    """Properties of an operation's `out=`.

    Args:
        dtype: the operation computes in the dtype of `out=`.
        columns: fresh memory lies by columns, as LAPACK's matrices do.
        floating: real outputs want a floating dtype.
        any_dtype: the dtype is not looked at.
        error: the kind of the refusal of a dtype.
        truth: the output is of booleans, which bytes hold as well.
    """

    dtype: bool = False
    columns: bool = False
    floating: bool = False
    any_dtype: bool = False
    error: type = RuntimeError
    truth: bool = False


PLAIN = Target()
BY_COLUMNS = Target(columns=True)


def write_out(name, target, v, tensors, facts=PLAIN, way=None):
    """`out=`: resize if empty, refuse derivatives, write; the signature says whether they may be, and which dtypes."""
    if isinstance(target, tuple | list):
        if not isinstance(v, tuple):
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(target).__name__}")
        for t, x in zip(target, v):
            write_out(name, t, x, tensors, facts, way)
        return type(v)(*target) if hasattr(v, "_fields") else tuple(target)
    if not hasattr(v, "dtype"):
        v = np.asarray(v)
    v = bare(v)
    if isinstance(target, Number):
        target = wrap(np.asarray(target))  # nobody sees what is written to it
    if type(target.value) is not type(v) and not is_meta(target):
        if tensors:
            check_written(target, tensors)
            check_devices([target, *[t for t in tensors if t.dim()]])
        elif type(v) in ARRAYS and type(target.value) in ARRAYS:  # a factory's, which were made where others are
            v = moved(v, target.device)
    m = MODES.get()
    wanted = (m is None or m.grad) and (
        needs_grad(target) or v.dtype.kind in "fcV" and any(needs_grad(t) for t in tensors))
    if wanted and (way is None or not way.recorded):
        raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic differentiation, but "
                           "one of the arguments requires grad.")
    if any(tangent_of(t) is not None for t in (target, *tensors)):
        raise NotImplementedError(f"Trying to use forward AD with {name}_out that does not support it because it is an "
                                  "out= function; write the output with copy_ instead")
    check_write(target)
    if is_meta(target) and not any(is_meta(t) for t in tensors):
        raise RuntimeError(f"Attempting to copy from device {tensors[0].device if tensors else 'cpu'} to device meta, "
                           "but cross-device copies are not allowed!")
    shape, dtype = shape_dtype(target)
    if facts.floating and v.dtype.kind == "f" != dtype.kind:
        raise RuntimeError(f"{name.rpartition('.')[2]} expects a floating point output tensor, but got "
                           f"{type_word(dtype)}")
    if v.dtype != dtype and not facts.any_dtype:
        check_out_dtype(dtype, v.dtype, facts.error)
        if facts.truth:
            if dtype != np.uint8:
                raise RuntimeError(f"{name} only supports bool tensor for result, got: {type_word(dtype)}")
        elif way is not None and way.exact and not (  # the size of a complex number is cast
                v.dtype.kind == "f" and any(shape_dtype(t)[1].kind == "c" for t in tensors)):
            raise RuntimeError(f"Expected out tensor to have dtype {c_type(v.dtype)}, but got {c_type(dtype)} instead")
    if target.level_trace is None and type(target.value) in ARRAYS:
        check_own(target.value)
    if tuple(v.shape) != shape:
        if any(t is target for t in tensors) and whole(v.shape, tensors):
            raise RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape {list(v.shape)}")
        resize(target, tuple(v.shape))
        if facts.columns and type(v) in ARRAYS:
            target.value = np.empty_like(v, dtype)
    elif type(v) in ARRAYS and target.level_trace is None:
        check_overlap(target.value, tensors)
    if wanted:
        return target.copy_(lift(v))
    write(target, v.astype(dtype) if v.dtype != dtype else v)
    return target


def whole(shape, tensors):
    """Tell whether an output has the common shape of the operands, as an elementwise operation's has."""
    try:
        return np.broadcast_shapes(*[shape_dtype(t)[0] for t in tensors]) == tuple(shape)
    except ValueError:
        return False


def resize(target, shape):
    """Give an `out=` tensor another shape: fresh memory, with a warning if it held anything."""
    if target.level_trace is not None or target.autograd_meta is not None and target.autograd_meta.base is not None:
        raise RuntimeError(f"out= of shape {list(target.shape)} cannot hold an output of shape {list(shape)}: it is "
                           "a view, or a value of a running transform; give an empty tensor")
    if target.value.size:
        warnings.warn(f"An output with one or more elements was resized since it had shape {list(target.shape)}, which "
                      f"does not match the required output shape {list(shape)}. This behavior is deprecated, and in a "
                      "future PyTorch release outputs will not be resized unless they have zero elements. You can "
                      "explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
                      UserWarning, stacklevel=5)
    target.value = namespace(target.value).empty(shape, target.value.dtype)


def check_out_dtype(dtype, new, error):
    """torch's refusal of an `out=` of a lower kind."""
    rank = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2, "c": 3}
    if rank[new.kind] > rank[dtype.kind]:
        raise error(f"result type {type_word(new)} can't be cast to the desired output type {type_word(dtype)}")
