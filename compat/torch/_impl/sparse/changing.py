"""Copies of sparse tensors, other dtypes, and writes in place."""

import numpy as np

from ..dispatch.call import ROWS
from ..factories.creation import on_meta
from ..types import dtypes
from ..types.devices import checked
from ..types.size import contiguous_format, device as Device, preserve_format
from ..types.tensor_type import TensorBase, ndarray
from .entries import ON_GPU, entrywise, recorded, shown, to_dense, write_entries
from .operations import add_to, check_sizes, div, is_number, mul, power
from .sparse_tensor import Coo, SparseTensor, sparse_operation, unsupported


@sparse_operation("clone")
def clone(t, *, memory_format=None):
    """A copy of the entries."""
    if memory_format not in (None, preserve_format):
        raise RuntimeError(f"unsupported memory format option {memory_format}")
    if not recorded(t):
        return t.value.copy().tensor()
    return shown(entrywise(t, lambda v: ROWS["clone"].fun(v), lambda i: i.copy(), t.value.shape, True),
                 "CloneBackward0", [t])


@sparse_operation("to")
def to(t, *args, **kwargs):
    """The same tensor in another dtype; `copy=True` for a copy."""
    dtype, device, copy = kwargs.pop("dtype", None), kwargs.pop("device", None), kwargs.pop("copy", False)
    kwargs.pop("non_blocking", None)
    if kwargs.pop("memory_format", None) not in (None, preserve_format, contiguous_format) or kwargs:
        raise unsupported("to")
    for a in args:
        if isinstance(a, TensorBase):
            if a.layout is not t.layout:
                raise RuntimeError("to(options) doesn't support converting to a different layout, but got self.layout "
                                   "being Sparse and options.layout set as Strided")
            dtype = a.dtype
        elif isinstance(a, str | Device):
            device = a
        elif isinstance(a, bool):
            copy = a
        elif a is not None:
            dtype = a
    if on_meta(device):
        raise NotImplementedError("to('meta') of a sparse tensor is not supported: sparse tensors have entries")
    if device is not None and checked(device).type == "cuda":
        raise NotImplementedError(ON_GPU)
    dtype = dtypes.torch_dtype(dtype)
    if dtype is None or dtype is t.dtype:
        return clone(t) if copy else t
    return shown(entrywise(t, lambda v: v.to(dtype)), "ToCopyBackward0", [t])


def cast(name):
    """A method that casts."""
    dtype = dtypes.NAMED.get(_CASTS[name])

    def fun(t, memory_format=None):
        if dtype is None:
            raise unsupported(name)
        return to(t, dtype)

    return fun


_CASTS = {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32",
          "long": "int64", "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64",
          "cdouble": "complex128"}
for _name in _CASTS:
    sparse_operation(_name)(cast(_name))


@sparse_operation("type_as")
def type_as(t, other):
    """The same tensor in the dtype of another one."""
    return to(t, other)


@sparse_operation("cpu")
def cpu(t, memory_format=None):
    """The tensor itself."""
    return t


@sparse_operation("cuda")
def cuda(t, *args, **kwargs):
    """Refused: tensors live on the CPU."""
    raise AssertionError("Torch not compiled with CUDA enabled: tensors of covector.compat.torch live on the CPU")


@sparse_operation("new")
def new(t, *args):
    """A sparse tensor of the same dtype, of places and values or of a size."""
    if len(args) == 3:
        indices, entries, size = args
        return Coo(indices.detach().value, entries.detach().value.astype(t.value.dtype, copy=False), size).tensor()
    raise NotImplementedError("Tensor.new of a sparse tensor takes indices, values and size; use sparse_coo_tensor")


@sparse_operation("is_same_size")
def is_same_size(a, b):
    """Tell whether two shapes are the same."""
    return a.shape == b.shape


@sparse_operation("zero_")
def zero(t):
    """Take all entries away, in place."""
    c = t.value
    return write_entries(t, Coo(c.indices[:, :0], c.values[:0], c.shape, True))


@sparse_operation("copy_")
def copy(t, other, non_blocking=False):
    """Take over the entries of another sparse tensor, in place."""
    if not isinstance(t, SparseTensor):
        return t.copy_(to_dense(other))
    if not isinstance(other, SparseTensor):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Found self type = "
                           f"{t.type()} and src type = {other.type()}")
    check_sizes(t, other)
    c = other.detach().value
    return write_entries(t, Coo(c.indices.copy(), c.values.astype(t.value.dtype), c.shape, c.coalesced))


def in_place(fun):
    """The in-place form of an operation whose output has the same entries, or others."""

    def written(t, *args, **kwargs):
        if not isinstance(t, SparseTensor):
            raise unsupported(fun.__name__ + "_")
        if recorded(t, *[a for a in args if isinstance(a, TensorBase)]):
            write_entries(t, t.value) if recorded(t) else refuse_recorded()
        out = fun(t, *args, **kwargs).value
        if not np.can_cast(out.dtype, t.value.dtype, "same_kind"):
            raise RuntimeError(f"result type {dtypes.OF_NUMPY[out.dtype]} can't be cast to the desired output type "
                               f"{t.dtype}")
        array = t.value.values
        if out.indices is t.value.indices and array.flags.writeable and type(out.values) is ndarray:
            array[...] = out.values
            return write_entries(t, Coo(t.value.indices, array, t.value.shape, out.coalesced))
        return write_entries(t, Coo(out.indices, out.values.astype(array.dtype, copy=False), out.shape, out.coalesced))

    return written


def refuse_recorded():
    """The refusal of writes that a history would have to know of."""
    raise RuntimeError("in-place operations that write values with a history into a sparse tensor are not supported; "
                       "use the operation that returns a new tensor")


for _name, _fun in {"mul_": mul, "multiply_": mul, "div_": div, "divide_": div, "true_divide_": div,
                    "pow_": power}.items():
    sparse_operation(_name)(in_place(_fun))
for _name in "neg negative abs sqrt sin tanh relu square floor ceil round trunc sign log1p expm1".split():
    sparse_operation(_name + "_")(in_place(lambda t, name=_name: getattr(t, name)()))


@sparse_operation("add_")
def add_(t, other, *, alpha=1):
    """Add a sparse tensor, in place."""
    alpha = alpha.item() if isinstance(alpha, TensorBase) else alpha
    if not isinstance(t, SparseTensor):
        return add_to(t, other, alpha)
    if not isinstance(other, SparseTensor):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    check_sizes(t, other)
    if recorded(t, other):
        write_entries(t, t.value) if recorded(t) else refuse_recorded()
    found = t.value.plus(other.value, alpha)
    return write_entries(t, Coo(found.indices, found.values.astype(t.value.dtype, copy=found is other.value),
                                found.shape, found.coalesced))


@sparse_operation("sub_", "subtract_")
def sub_(t, other, *, alpha=1):
    """Take a sparse tensor off, in place."""
    return add_(t, other, alpha=-alpha)


@sparse_operation("__iadd__")
def iadd(t, other):
    """`t += other`."""
    return add_(t, other)


@sparse_operation("__isub__")
def isub(t, other):
    """`t -= other`."""
    return sub_(t, other)


@sparse_operation("__imul__")
def imul(t, other):
    """`t *= other`."""
    if not isinstance(t, SparseTensor):
        raise unsupported("mul_")
    return in_place(mul)(t, other)


@sparse_operation("__itruediv__", "__idiv__")
def idiv(t, other):
    """`t /= other`."""
    if not is_number(other):
        raise unsupported("div_")
    return in_place(div)(t, other)


@sparse_operation("detach_")
def detach_(t):
    """Drop the history, in place."""
    t.node = None
    t.wants_grad = False
    return t
