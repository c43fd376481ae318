"""Shapes seen anew: select, narrow, view, reshape, transpose."""

import math

from ..dispatch.call import ROWS, Row, invoke, method
from ..dispatch.signatures import integers, whole
from ..dispatch.telling import by_mode, given
from ..modes.modes import MODES
from ..types import dtypes
from ..types.arrays import ARRAYS
from ..types.tensor_type import Tensor, TensorBase, bottom
from ..views.fast import by_axes, by_index, copied, detaching, in_shape, planned_view
from ..views.views import RESHAPE, retyped, view
from .array_functions import cnp
from .axes import same_kind, shape_argument, shape_of, wrap_dim


def inferred(shape, count):
    """A shape with -1 replaced."""
    if -1 in shape:
        if shape.count(-1) > 1:
            raise RuntimeError("only one dimension can be inferred")
        known = 1
        for n in shape:
            known *= n if n != -1 else 1
        if known == 0:
            raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                               "dimension size -1 can be any value and is ambiguous")
        if count % known:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
        return tuple([count // known if n == -1 else n for n in shape])
    for n in shape:
        if n < 0:
            raise RuntimeError(f"invalid shape dimension {n}")
    if math.prod(shape) != count:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
    return shape


def hidden_shape(t, shape):
    """The shape in memory: vmap levels put their axes in front."""
    while isinstance(t.value, TensorBase):
        size = getattr(t.level_trace, "size", None)
        if size is not None:
            shape = (size, *shape)
        t = t.value
    return shape


def reshapes_as_view(t, shape):
    """Tell whether the memory can be seen with another shape."""
    b = bottom(t)
    if type(b) not in ARRAYS:
        return True
    try:
        b.reshape(hidden_shape(t, shape), copy=False)
    except ValueError:
        return False
    return True


def shaped(shape, *sizes, title="ViewBackward0"):
    """The plan of a view in another shape, as the arguments of `view` and `reshape` give it."""
    return in_shape(inferred(shape_argument(sizes), math.prod(shape)), title)


@method("view", plans=shaped)
def view_(self, *sizes, dtype=None, size=None):
    """Return a view with another shape, or with its memory read as another dtype."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(view_, (self, *sizes), given(dtype=dtype, size=size))
    if size is not None:
        sizes = (*sizes, size)
    if sizes and type(sizes[0]) is not int and (isinstance(sizes[0], dtypes.dtype) or type(sizes[0]) is type):
        dtype, sizes = sizes[0], ()
    if dtype is not None:
        dtype = dtypes.torch_dtype(dtype)
        if dtype is self.dtype:
            return view(self, RESHAPE, (shape_of(self),), "AliasBackward0")
        return retyped(self, dtype)
    shape = shape_argument(sizes)
    shape = inferred(shape, math.prod(shape_of(self)))
    if not reshapes_as_view(self, shape):
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one dimension "
                           "spans "
                           "across two contiguous subspaces). Use .reshape(...) instead.")
    return view(self, RESHAPE, (shape,), "ViewBackward0")


del ROWS["view"]


def reshaped(shape, *sizes):
    """The plan of `reshape`, where it is a view."""
    return shaped(shape, *sizes, title="ReshapeAliasBackward0")


@method(plans=reshaped)
def reshape(input, *sizes, shape=None):
    """Return the elements in another shape: a view if the strides allow it, else a copy."""
    if shape is not None:
        sizes = (*sizes, shape)
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(reshape, (input, *sizes), {})
    shape = shape_argument(sizes)
    shape = inferred(shape, math.prod(shape_of(input)))
    if reshapes_as_view(input, shape):
        ordered = input.is_contiguous()
        return view(input, RESHAPE, (shape,), "ViewBackward0" if ordered else "ReshapeAliasBackward0")
    quick = copied(input, shape)
    return invoke(RESHAPED, reshape, (input, shape), {}) if quick is None else quick


RESHAPED = Row("reshape", lambda x, shape: cnp.reshape(x, shape), "UnsafeViewBackward0", exact=True)


@method(asks=True, plans=shaped, alike=True)
def view_as(self, other):
    """`self.view(other.shape)`."""
    same_kind("view_as", other)
    return view_(self, shape_of(other))


@method(asks=True, plans=reshaped, alike=True)
def reshape_as(self, other):
    """`self.reshape(other.shape)`."""
    same_kind("reshape_as", other)
    return reshape(self, shape_of(other))


def merged(shape, start_dim=0, end_dim=-1):
    """The plan of `flatten`; None where it changes nothing."""
    a, b = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
    if a > b:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    return None if a == b and shape else in_shape((*shape[:a], math.prod(shape[a : b + 1]), *shape[b + 1 :]),
                                                  "ReshapeAliasBackward0")


@method(plans=merged)
def flatten(input, start_dim=0, end_dim=-1):
    """Merge consecutive axes into one."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(flatten, (input,) if (start_dim, end_dim) == (0, -1) else (input, start_dim, end_dim), {})
    plan = merged(shape_of(input), start_dim, end_dim)
    return input if plan is None else reshape(input, plan.param)


@method()
def ravel(input):
    """Return all elements along one axis, as a view where they lie in order."""
    return reshape(input.contiguous(), (-1,))


@method()
def unflatten(input, dim, sizes):
    """Split an axis into several."""
    shape = shape_of(input)
    d = wrap_dim(dim, len(shape))
    sizes = inferred(tuple(sizes), shape[d])
    return reshape(input, (*shape[:d], *sizes, *shape[d + 1 :]))


def permuted(shape, *dims):
    """The plan of `permute`."""
    n = len(shape)
    dims = tuple(dims[0]) if len(dims) == 1 and isinstance(dims[0], tuple | list) else shape_argument(dims)
    if len(dims) != n:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length "
                           f"of the desired ordering of dimensions i.e. input.dim() = {n} is not equal to len(dims) = "
                           f"{len(dims)}")
    axes = tuple([wrap_dim(d, n) for d in dims])
    if len(set(axes)) != n:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return by_axes(axes, "PermuteBackward0")


@method(aliases=("permute_dims",), plans=permuted)
def permute(input, *sizes, dims=None):
    """Permute the axes; the output is a view."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(permute, (input, *sizes), given(dims=dims))
    if dims is None and not sizes:
        raise TypeError('permute() missing 1 required positional arguments: "dims"')
    return planned_view(input, permuted(shape_of(input), *(sizes if dims is None else (tuple(dims),))))


def swapped(shape, dim0, dim1, title="TransposeBackward0"):
    """The plan of `transpose`."""
    n = len(shape)
    a, b = wrap_dim(dim0, n), wrap_dim(dim1, n)
    axes = list(range(n))
    if n:
        axes[a], axes[b] = axes[b], axes[a]
    return by_axes(tuple(axes), title)


@method(aliases=("swapaxes", "swapdims"), plans=swapped)
def transpose(input, dim0, dim1):
    """Swap two axes; the output is a view."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(transpose, (input, dim0, dim1), {})
    return planned_view(input, swapped(shape_of(input), dim0, dim1))


def turned(shape):
    """The plan of `t`."""
    n = len(shape)
    if n > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {n}D")
    return by_axes(tuple(range(n))[::-1], "TBackward0")


@method(plans=turned)
def t(input):
    """Transpose a matrix; the output is a view."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(t, (input,), {})
    return planned_view(input, turned(shape_of(input)))


def moved(shape, source, destination):
    """The plan of `movedim`."""
    n = len(shape)
    given = [[d] if isinstance(d, int) else list(d) for d in (integers(source), integers(destination))]
    if len(given[0]) != len(given[1]):
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({given[0]} dims) should contain the "
                           f"same number of dims as destination ({given[1]} dims)")
    source, destination = ([wrap_dim(d, n) for d in dims] for dims in given)
    for word, dims, found in (("source", given[0], source), ("destination", given[1], destination)):
        if len(set(found)) != len(found):
            raise RuntimeError(f"movedim: repeated dim in `{word}` ({dims})")
    order = [a for a in range(n) if a not in source]
    for d, s in sorted(zip(destination, source)):
        order.insert(d, s)
    return by_axes(tuple(order[:n]), "PermuteBackward0")


@method(aliases=("moveaxis",), plans=moved)
def movedim(input, source, destination):
    """Move axes to other positions; the output is a view."""
    return permute(input, moved(shape_of(input), source, destination).param)


def selected(shape, dim, index):
    """The plan of `select`."""
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, len(shape))
    if type(index) is not int:
        if not isinstance(index, int) and not whole(index):
            raise TypeError(f"select(): argument 'index' must be int, not {type(index).__name__}")
        index = int(index)
    if not -shape[d] <= index < shape[d]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {d}")
    return by_index((*EVERY[:d], index), "SelectBackward0")


EVERY = (slice(None),) * 64


@method(plans=selected)
def select(input, dim=None, index=None, *, axis=None):
    """Select one index of an axis; the output is a view."""
    return planned_view(input, selected(shape_of(input), dim if axis is None else axis, index))


def narrowed(shape, dim, start, length):
    """The plan of `narrow`."""
    length = integers(length)
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, len(shape))
    if isinstance(start, TensorBase) and (start.ndim or start.dtype.category != 1):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    if not isinstance(start, int) and not whole(start):
        raise TypeError(f"narrow(): argument 'start' must be int, not {type(start).__name__}")
    start = int(start)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -shape[d] <= start <= shape[d]:
        raise IndexError(f"start out of range (expected to be in range of [{-shape[d]}, {shape[d]}], but got {start})")
    start += shape[d] if start < 0 else 0
    if start + length > shape[d]:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({shape[d]}).")
    return by_index((*EVERY[:d], slice(start, start + length)), "SliceBackward0")


@method(plans=narrowed)
def narrow(input, dim=None, start=None, length=None, *, axis=None):
    """Select a range of an axis; the output is a view."""
    return planned_view(input, narrowed(shape_of(input), dim if axis is None else axis, start, length))


method("detach")(detaching(Tensor.detach))


# The functions that contraction libraries (opt_einsum) call for tensors of this package.


class Contractions:
    """NumPy's signatures of torch's functions; `covector.einsum`, `tensordot` and `transpose` find them here."""

    @staticmethod
    def einsum(equation, *operands):
        """`torch.einsum`."""
        return ROWS["einsum"].fun(equation, *operands)

    @staticmethod
    def tensordot(a, b, axes=2):
        """`torch.tensordot`."""
        return ROWS["tensordot"].fun(a, b, axes)

    @staticmethod
    def transpose(a, axes=None):
        """`Tensor.permute`; without axes they are reversed."""
        return permute(a, tuple(range(a.dim()))[::-1] if axes is None else tuple(axes))


Tensor.contractions = Contractions
