"""Axes of length 1: inserted, removed, and broadcast as views."""

from ..dispatch.call import method
from ..dispatch.signatures import integers
from ..dispatch.telling import by_mode, given
from ..modes.modes import MODES
from ..views.fast import by_index, planned_view, spread
from .axes import distinct, same_kind, shape_argument, shape_of, wrap_dim


def inserted(shape, dim):
    """The plan of `unsqueeze`."""
    return by_index((*WHOLE[: wrap_dim(dim, len(shape), extra=1)], None), "UnsqueezeBackward0")


@method(plans=inserted)
def unsqueeze(input, dim=None, *, axis=None):
    """Insert an axis of length 1; the output is a view."""
    dim = dim if axis is None else axis
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(unsqueeze, (input, dim), {})
    return planned_view(input, inserted(shape_of(input), dim))


EVERY = object()  # where no axis is named: None is no axis
WHOLE = (slice(None),) * 64


def squeezed(shape, dim=EVERY):
    """The plan of `squeeze`."""
    one = isinstance(dim, int)
    if dim is EVERY:
        drop = [i for i, n in enumerate(shape) if n == 1]
    else:
        drop = distinct([wrap_dim(d, len(shape)) for d in ((dim,) if one else dim)])
        drop = [d for d in drop if shape and shape[d] == 1]
    index = tuple([0 if i in drop else slice(None) for i in range(len(shape))])
    return by_index(index, f"SqueezeBackward{0 if dim is EVERY else 1 if one else 2}")


@method(plans=squeezed)
def squeeze(input, dim=EVERY, *, axis=EVERY):
    """Remove axes of length 1; the output is a view."""
    dim = dim if axis is EVERY else axis
    dim = dim if type(dim) is int or dim is EVERY else integers(dim)
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(squeeze, (input,) if dim is EVERY else (input, dim), {})
    return planned_view(input, squeezed(shape_of(input), dim))


def broadened(shape, *sizes, kind=str):
    """The plan of `expand`; `kind` tells the type of the tensor, for messages."""
    sizes = shape_argument(sizes)
    lead = len(sizes) - len(shape)
    if lead < 0:
        raise RuntimeError(f"expand({kind()}{{{list(shape)}}}, size={list(sizes)}): the number of sizes provided "
                           f"({len(sizes)}) must be greater or equal to the number of dimensions in the tensor "
                           f"({len(shape)})")
    target = list(sizes)
    for i in range(len(sizes) - 1, -1, -1):
        n = sizes[i]
        old = shape[i - lead] if i >= lead else None
        if n == -1:
            if old is None:
                raise RuntimeError("The expanded size of the tensor (-1) isn't allowed in a leading, non-existing "
                                   f"dimension {i}")
            target[i] = old
        elif old is not None and old != 1 and old != n:
            raise RuntimeError(f"The expanded size of the tensor ({n}) must match the existing size ({old}) at "
                               f"non-singleton dimension {i}.  Target sizes: {list(sizes)}.  Tensor sizes: "
                               f"{list(shape)}")
        elif n < 0:
            raise RuntimeError("numel: integer multiplication overflow")
    return spread(tuple(target))


@method(plans=broadened)
def expand(input, *sizes, implicit=False, size=None):
    """Broadcast axes of length 1 without copying; the output is a view."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(expand, (input, *sizes), given(size=size))
    return planned_view(input, broadened(shape_of(input), *(sizes if size is None else (*sizes, size)),
                                         kind=input.type))


@method(asks=True, plans=broadened, alike=True)
def expand_as(self, other):
    """`self.expand(other.shape)`."""
    same_kind("expand_as", other)
    return expand(self, shape_of(other))


@method()
def broadcast_to(input, *sizes, size=None):
    """`input.expand(size)`."""
    return expand(input, *sizes if size is None else (*sizes, size))
