"""Axes of length 1: inserted, removed, and broadcast as views."""

from functools import lru_cache

from ..dispatch.kinds import integers
from ..dispatch.telling import by_mode, given
from ..modes.modes import MODES
from ..views.fast import expanded
from ..views.views import EXPAND, view
from .axes import distinct, ndim_of, same_kind, shape_argument, shape_of, wrap_dim
from .basic_keys import index_view
from .publishing import method


@method()
def unsqueeze(input, dim=None, *, axis=None):
    """Insert an axis of length 1; the output is a view."""
    dim = dim if axis is None else axis
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(unsqueeze, (input, dim), {})
    n = ndim_of(input)
    index = inserted(dim, n) if type(dim) is int else inserted.__wrapped__(dim, n)
    return index_view(input, index, "UnsqueezeBackward0")


@lru_cache(256)
def inserted(dim, ndim):
    """The index that inserts an axis."""
    return (slice(None),) * wrap_dim(dim, ndim, extra=1) + (None,)


EVERY = object()  # where no axis is named: None is no axis


@method()
def squeeze(input, dim=EVERY, *, axis=EVERY):
    """Remove axes of length 1; the output is a view."""
    dim = dim if axis is EVERY else axis
    dim = dim if type(dim) is int or dim is EVERY else integers(dim)
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(squeeze, (input,) if dim is EVERY else (input, dim), {})
    known = squeezed if dim is EVERY or type(dim) is int else squeezed.__wrapped__
    return index_view(input, *known(shape_of(input), dim))


@lru_cache(256)
def squeezed(shape, dim):
    """The index that removes axes of length 1, and the name of the node."""
    one = isinstance(dim, int)
    if dim is EVERY:
        drop = [i for i, n in enumerate(shape) if n == 1]
    else:
        drop = distinct([wrap_dim(d, len(shape)) for d in ((dim,) if one else dim)])
        drop = [d for d in drop if shape and shape[d] == 1]
    index = tuple([0 if i in drop else slice(None) for i in range(len(shape))])
    return index, "SqueezeBackward0" if dim is EVERY else "SqueezeBackward1" if one else "SqueezeBackward2"


@method()
def expand(input, *sizes, implicit=False, size=None):
    """Broadcast axes of length 1 without copying; the output is a view."""
    if sizes and size is None and (quick := expanded(input, sizes)) is not None:
        return quick
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(expand, (input, *sizes), given(size=size))
    sizes = shape_argument(sizes if size is None else (*sizes, size))
    shape = shape_of(input)
    lead = len(sizes) - len(shape)
    if lead < 0:
        raise RuntimeError(f"expand({input.type()}{{{list(shape)}}}, size={list(sizes)}): the number of sizes provided "
                           f"({len(sizes)}) must be greater or equal to the number of dimensions in the tensor "
                           f"({len(shape)})")
    target = []
    for i, n in enumerate(sizes):
        old = shape[i - lead] if i >= lead else None
        if n == -1:
            if old is None:
                raise RuntimeError(f"expand({input.type()}{{{list(shape)}}}, size={list(sizes)}): the expanded size of "
                                   f"the tensor (-1) isn't allowed in a leading, non-existing dimension {i}")
            n = old
        if old is not None and old != 1 and old != n:
            raise RuntimeError(f"The expanded size of the tensor ({n}) must match the existing size ({old}) at "
                               f"non-singleton dimension {i}.  Target sizes: {list(sizes)}.  Tensor sizes: "
                               f"{list(shape)}")
        if n < 0:
            raise RuntimeError("numel: integer multiplication overflow")
        target.append(n)
    return view(input, EXPAND, (tuple(target),), "ExpandBackward0")


@method(asks=True)
def expand_as(self, other):
    """`self.expand(other.shape)`."""
    same_kind("expand_as", other)
    return expand(self, shape_of(other))


@method()
def broadcast_to(input, *sizes, size=None):
    """`input.expand(size)`."""
    return expand(input, *sizes, size=size)
