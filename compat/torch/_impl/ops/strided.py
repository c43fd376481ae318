"""Views beyond basic indexing: diagonals, windows, real and imaginary parts, strides of one's own."""

from math import prod
from numbers import Number

import numpy as np

from ....._primitives import Places
from .....extend import REGISTRY
from ..dispatch.call import method, moving
from ..dispatch.layouts import IN_ORDER
from ..graph import versions
from ..types.arrays import address, laid_out, namespace
from ..types.dtypes import type_word
from ..types.tensor_type import Tensor, TensorBase, bottom, infer, needs_grad, shape_dtype, wrap
from ..values.tangents import set_tangent, tangent_of
from ..views.fast import by_maker
from ..views.memory import memory_of
from ..views.views import PICK, view
from .array_functions import cnp
from .assigned import assigned, class_word, type_name
from .axes import check_strides, shape_of, wrap_dim
from .copying import copy_

ndarray = np.ndarray


def index_view(t, maker, name):
    """The view of a tensor that `maker` makes of an array, with its elements' places found by the same maker."""
    return view(t, PICK, (places(shape_of(t), maker),), name, maker=lambda a: writable(maker(a), a))


def places(shape, maker):
    """The places of what `maker` makes of an array of a shape."""
    return Places(maker(np.arange(prod(shape)).reshape(shape)))


def places_plan(shape, maker, title, layout, shared=False):
    """The plan of `index_view` of a small tensor; elements of the view may be `shared`. None for others."""
    if prod(shape) > _SMALL:
        return None
    found = places(shape, maker)
    return by_maker(lambda x: writable(maker(x), x), found, title, shared, (shape, found.index.shape, *layout))


_SMALL = 1 << 12  # elements


def writable(view_, array):
    """A view that may be written to if its memory may (NumPy makes diagonals read-only)."""
    if type(array) is not np.ndarray or view_.flags.writeable or not array.flags.writeable:
        return view_
    view_.flags.writeable = True
    return view_


def diagonal_axes(shape, dim1, dim2):
    """The axes of a diagonal, counted from behind."""
    n = len(shape)
    a, b = wrap_dim(dim1, n) - n, wrap_dim(dim2, n) - n
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return a, b


def diagonal_plan(shape, offset=0, dim1=0, dim2=1):
    """The plan of `diagonal`."""
    a, b = diagonal_axes(shape, dim1, dim2)
    first, second = a + len(shape), b + len(shape)
    steps = [{axis: 1} for axis in range(len(shape)) if axis not in (first, second)]
    return places_plan(shape, lambda x: x.diagonal(offset, a, b), "DiagonalBackward0", (
        {first: max(-offset, 0), second: max(offset, 0)}, [*steps, {first: 1, second: 1}]))


@method("diagonal", plans=diagonal_plan)
def diagonal(input, offset=0, dim1=0, dim2=1):
    """Return a diagonal of two axes as a view."""
    a, b = diagonal_axes(shape_of(input), dim1, dim2)
    return index_view(input, lambda x: x.diagonal(offset, a, b), "DiagonalBackward0")


def window_axis(shape, dimension, size, step):
    """The axis that windows go along, counted from behind."""
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    d = wrap_dim(dimension, len(shape)) - max(len(shape), 1)
    if size > (shape[d] if shape else 1):
        raise RuntimeError(f"maximum size for tensor at dimension {d + len(shape)} is {shape[d]} but size is {size}")
    return d


def window_plan(shape, dimension, size, step):
    """The plan of `unfold`; None for a tensor without axes."""
    d = window_axis(shape, dimension, size, step)
    along = d + len(shape)
    steps = [{axis: step if axis == along else 1} for axis in range(len(shape))]
    return places_plan(shape, _windows(d, size, step), "UnfoldBackward0", ({}, [*steps, {along: 1}]),
                       size > step) if shape else None


@method("unfold", plans=window_plan)
def unfold(input, dimension, size, step):
    """Return sliding windows of an axis as a view."""
    shape = shape_of(input)
    d = window_axis(shape, dimension, size, step)
    if not shape:
        return unfold(input.reshape(1), 0, size, step)[0]
    return index_view(input, _windows(d, size, step), "UnfoldBackward0")


def _windows(d, size, step):
    def windows(x):
        lengths, strides = list(x.shape), list(x.strides)
        lengths[d], strides[d] = (lengths[d] - size) // step + 1, strides[d] * step
        shape = (*lengths, size)
        if not x.size:
            return namespace(x).empty(shape, x.dtype)
        root = versions.root_of(x)  # the base of what is seen, as versions need it: NumPy's stride tricks hide it
        start = 0 if root is x else address(x) - address(root)
        return laid_out(shape, x.dtype, versions.flat(root), start, (*strides, x.strides[d]))

    return windows


@method("as_strided")
def as_strided(input, size, stride, storage_offset=None):
    """Return a view of the memory with the given shape, strides and offset; under vmap, of that of each example."""
    hidden, whole = memory_of(input)
    if whole is not bottom(input):
        raise NotImplementedError("as_strided of a value traced by covector's own transforms is not supported: it "
                                  "has no "
                                  "memory; use narrow, select, unfold or diagonal")
    size, stride = tuple(size), tuple(stride)
    check_strides(size, stride, storage_offset)
    root = versions.root_of(whole)
    item = whole.itemsize
    # The first example; the others lie as it does.
    b = whole[(0,) * hidden + (Ellipsis,)] if whole.size else whole.reshape((0,))
    own_offset = (address(b) - address(root)) // item
    offset = own_offset if storage_offset is None else storage_offset
    last = offset + sum((n - 1) * s for n, s in zip(size, stride)) if all(size) else offset
    if root.dtype != b.dtype:
        raise NotImplementedError("as_strided of memory read as another dtype is not supported; clone() it first")
    if last >= root.size and all(size) and not hidden:
        raise RuntimeError(f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and "
                           "itemsize "
                           f"{item} requiring a storage size of {(last + 1) * item} are out of bounds for storage of "
                           "size "
                           f"{root.size * item}")
    if not all(size):
        empty = versions.flat(root)[:0].reshape(size)
        return view(input, PICK, (Places(np.zeros(size, np.int64)),), "AsStridedBackward0", maker=lambda a: empty)
    where = np.full(max(root.size, last + 1), -1)
    places = np.ndarray(b.shape, np.int64, where, own_offset * 8, tuple(s // item * 8 for s in b.strides))
    places[...] = np.arange(b.size).reshape(b.shape)
    index = np.ndarray(size, np.int64, where, offset * 8, tuple(s * 8 for s in stride)).copy()
    if (index < 0).any():
        if hidden:
            raise RuntimeError(f"as_strided(size={list(size)}, stride={list(stride)}, storage_offset={offset}) reaches "
                               "beyond the elements of an example. This is not supported inside of vmap; use narrow, "
                               "select, unfold or diagonal")
        return beyond(input, size, stride, offset)

    def strided(a):
        return laid_out((*a.shape[:hidden], *size), a.dtype, versions.flat(versions.root_of(a)), offset * item,
                        (*a.strides[:hidden], *[s * item for s in stride]))

    return view(input, PICK, (Places(index),), "AsStridedBackward0", maker=strided)


def beyond(t, size, stride, offset):
    """`as_strided` of elements that a view does not show: of its base, where there is one that has them."""
    base = None if t.autograd_meta is None or t.level_trace is not None else t.autograd_meta.base
    if t.level_trace is not None or base is None and needs_grad(t):
        raise NotImplementedError("as_strided beyond the elements of a tensor is built for tensors outside of "
                                  "transforms, and of those with a history for views; take it of the base")
    if base is not None:
        out = as_strided(base, size, stride, offset)
    else:
        root = versions.root_of(t.value)
        item = t.value.itemsize
        out = wrap(laid_out(size, t.value.dtype, versions.flat(root), offset * item, [s * item for s in stride]))
        if t.is_inference():
            infer(out)
    tangent = tangent_of(t)
    if tangent is not None and tangent_of(out) is None:  # its own: the memory of both lies alike
        set_tangent(out, as_strided(tangent, size, stride, offset))
    return out


def part(name, prim):
    """`real` and `imag`: views of complex tensors."""

    def of(input):
        if shape_dtype(input)[1].kind != "c":
            if name == "real":
                return input
            raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
        return view(input, prim, (), "SelectBackward0", maker=lambda a: getattr(a, name))

    def put(self, value):
        given = isinstance(value, TensorBase)
        part = of(self)
        if not given and not isinstance(value, Number):
            raise TypeError(f"can't assign a {class_word(value)} to a torch.{type_name(part)}")
        copy_(part, value if given else wrap(assigned(value, shape_dtype(part)[1])))

    method(name, doc=f"The {name} part, a view")(of)
    setattr(Tensor, name, property(of, put))


part("real", REGISTRY["real"])
part("imag", REGISTRY["imag"])


@method("view_as_real", attached=False)
def view_as_real(input):
    """View complex numbers as pairs of real numbers."""
    if shape_dtype(input)[1].kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return view(input, REGISTRY["as_real"], (), "ViewAsRealBackward0",
                maker=lambda a: reread(a, f"f{a.itemsize // 2}", "split"))


@method("view_as_complex", attached=False)
def view_as_complex(input):
    """View pairs of real numbers as complex numbers."""
    shape, dtype = shape_dtype(input)
    if dtype not in (np.float32, np.float64):
        raise RuntimeError("view_as_complex is only supported for half, float and double tensors, but got a tensor "
                           f"of scalar type: {type_word(dtype)}")
    if not shape:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if input.stride(-1) != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % 2 for s in input.stride()[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if input.storage_offset() % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    return view(input, REGISTRY["as_complex"], (), "ViewAsComplexBackward0",
                maker=lambda a: reread(a, f"c{a.itemsize * 2}", "join"))


def reread(array, dtype, how):
    """An array over the same memory in another dtype: `split` adds an axis, `join` drops the last one."""
    dtype = np.dtype(dtype)
    if not array.size:
        return namespace(array).empty((*array.shape, 2) if how == "split" else array.shape[:-1], dtype)
    shape, strides = (((*array.shape, 2), (*array.strides, dtype.itemsize)) if how == "split" else
                      (array.shape[:-1], array.strides[:-1]))
    root = versions.root_of(array)
    return laid_out(shape, dtype, versions.flat(root), address(array) - address(root), strides)




@moving("diag_embed", layout=IN_ORDER)
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Build matrices with the given diagonals."""
    a, b = wrap_dim(dim1, input.ndim + 1), wrap_dim(dim2, input.ndim + 1)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    *batch, count = input.shape
    n = count + abs(offset)
    first = n * max(-offset, 0) + max(offset, 0)
    apart = cnp.pad(cnp.expand_dims(input, -1), [(0, 0)] * input.ndim + [(0, n)])  # n zeros behind each element
    apart = cnp.reshape(apart, (*batch, count * (n + 1)))[..., :n * n - first]  # by rows, n + 1 is a step down
    out = cnp.pad(apart, [(0, 0)] * len(batch) + [(first, n * n - first - apart.shape[-1])])
    out = cnp.reshape(out, (*batch, n, n))
    return cnp.moveaxis(out, (-2, -1), (a, b))
