"""Axes, shapes and numbers a dimension, as arguments give them."""

from ..dispatch.signatures import integers, whole
from ..types.dtypes import type_word
from ..types.tensor_type import TensorBase, shape_dtype


def wrap_dim(dim, ndim, extra=0):
    """A non-negative axis, or torch's IndexError."""
    n = max(ndim + extra, 1)
    if type(dim) is not int:
        dim = integers(dim)
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim + n if dim < 0 else dim


def shape_of(t):
    """The shape as a plain tuple."""
    return shape_dtype(t)[0]


def ndim_of(t):
    """The number of axes."""
    return len(shape_dtype(t)[0])


def distinct(axes):
    """Axes, or torch's refusal of one that is named twice."""
    if len(set(axes)) != len(axes):
        twice = next(a for a in axes if axes.count(a) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return axes


def shape_argument(sizes):
    """`(2, 3)` of `f(2, 3)` or `f((2, 3))`."""
    if not sizes:
        raise TypeError("missing 1 required positional argument: a tuple of ints, or ints; an empty tuple is given "
                        "as ()")
    for n in sizes:
        if type(n) is not int:
            break
    else:
        return sizes
    if len(sizes) == 1 and isinstance(sizes[0], tuple | list):
        sizes = tuple(sizes[0])
    for place, n in enumerate(sizes):
        if not whole(n):
            raise TypeError(f"sizes must be a tuple of ints, but got {type(n).__name__} at position {place}")
    return tuple([int(n) for n in sizes])


def same_kind(name, other):
    """torch's refusal of what is no tensor."""
    if not isinstance(other, TensorBase):
        raise TypeError(f"{name}(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")


def without_order(kernel, array):
    """PyTorch's refusal to look for equal complex numbers."""
    if array.dtype.kind == "c":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{type_word(array.dtype)}'")


def check_unique(array, dim):
    """PyTorch's refusals of an axis for `unique`."""
    if not array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = wrap_dim(dim, array.ndim)
    if any(not n for i, n in enumerate(array.shape) if i != dim):
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")


def tuples(value, n):
    """A number or a sequence as n numbers."""
    value = integers(value)
    if isinstance(value, int):
        return (int(value),) * n
    if isinstance(value, str):
        raise TypeError(f"argument must be tuple of ints, but found element of type str in {value!r}")
    value = tuple(map(int, value))
    return value * n if len(value) == 1 else value


def check_strides(size, stride, offset):
    """Raise for what `as_strided` takes no view of."""
    if len(size) != len(stride):
        raise RuntimeError(f"as_strided: size and stride must have the same length! Got size {list(size)} and stride "
                           f"{list(stride)}")
    if any(s < 0 for s in stride):
        raise RuntimeError("as_strided: Negative strides are not supported at the moment, got strides: "
                           f"{list(stride)}")
    if offset is not None and offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
