"""Reading and writing at index arrays, also where a vmap maps them, and positions in order."""

from math import prod

import numpy as np

from ....._engine import all_within
from ....._primitives import At
from .....extend import REGISTRY, Tracer, constant, make_batched
from ..dispatch.host_ops import insist
from ..state.levels import BatchTrace
from ..types.arrays import ARRAYS
from ..types.devices import moved
from ..types.size import CPU
from .array_functions import cnp
from .operands import unread


class MappedAt(At):
    """`x.at[index]`, where a vmap may map index arrays of the leading axes: one write on the whole batch then."""

    __slots__ = ()

    def __getitem__(self, key):
        return MappedAt(self.x, key)

    def set(self, value):
        """`x` with `value` at the index; of duplicates the last one stays."""
        key = self.key if type(self.key) is tuple else (self.key,)
        owners = {k.owner for k in key if isinstance(k, Tracer)}
        if len(owners) != 1 or not all(hasattr(k, "dtype") and k.dtype.kind in "iu" or type(k) is int for k in key):
            return after(self.x, At.set(self, value), value)
        (owner,) = owners
        if type(owner) is not BatchTrace or any(isinstance(v, Tracer) and v.owner is not owner
                                                and v.owner.level > owner.level for v in (self.x, value)):
            return At.set(self, value)
        whole = [one_level_down(k, owner) for k in key]
        depth = max(k.ndim - mine for k, mine in whole)
        index = [k.reshape((owner.size, *(1,) * (depth - k.ndim + 1), *k.shape[1:])) if mine else k
                 for k, mine in whole]
        x, mine = one_level_down(self.x, owner)
        x = x if mine else cnp.broadcast_to(x, (owner.size, *x.shape))
        value, mine = one_level_down(value, owner)
        if mine:
            room = depth + x.ndim - 1 - len(index)
            value = value.reshape((owner.size, *(1,) * (room - value.ndim + 1), *value.shape[1:]))
        examples = constant(np.arange(owner.size).reshape((owner.size, *(1,) * depth)), x)
        return make_batched(owner, MappedAt(x, (examples, *index)).set(value))

    def add(self, value):
        """`x` with `value` added at the index; duplicates add up."""
        return after(self.x, At.add(self, value), value)


def after(x, out, value):
    """The result of a write; where it wrote no element, still in the history of the value."""
    return unread(out, value) if out is x else out


def one_level_down(v, owner):
    """A value one level down, and whether it has the batch axis in front."""
    mine = isinstance(v, Tracer) and v.owner is owner
    return v.value if mine else v if hasattr(v, "dtype") else np.asarray(v), mine


def AT(x):  # noqa: N802
    """`x.at` of a traced value, or of an array."""
    return MappedAt(x)


def grid(index, d):
    """Index arrays of all axes, with `index` for one."""
    places = np.ogrid[tuple([slice(0, n) for n in index.shape])]
    return tuple([index if a == d else places[a] for a in range(index.ndim)])


def in_flat(index, shape, d, lengths=None):
    """Places in the flat array of a shape, where `index` has those along one axis, which lie on it.

    With `lengths` the other axes of both are broadcast to these.
    """
    steps = [prod(shape[a + 1 :]) for a in range(len(shape))]
    flat = index if steps[d] == 1 else index * steps[d]
    beside = None
    for a, n in enumerate(lengths or index.shape):
        if a == d or n == 1 or shape[a] == 1:
            continue
        here = (np.arange(n) * steps[a]).reshape([-1 if b == a else 1 for b in range(len(shape))])
        if beside is not None and beside.size * n > _KEPT:
            flat, beside = flat + constant(beside, index), None
        beside = here if beside is None else beside + here
    return flat if beside is None else flat + constant(beside, index)


_KEPT = 1 << 12  # elements of places that a program may keep


def check_long(name, index):
    """torch's error for an index tensor of another dtype."""
    if index.dtype not in (np.int64, np.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def ordered(input, d, descending):
    """Stable positions in order; NaN counts as the largest."""
    if not descending:
        return cnp.argsort(input, axis=d, kind="stable")
    turned = (slice(None),) * d + (slice(None, None, -1),)
    return input.shape[d] - 1 - cnp.argsort(input[turned], axis=d, kind="stable")[turned]


def along(input, index, axis):
    """The elements at places of an axis, which lie on it; the other axes of both are broadcast."""
    lengths = tuple([m if n == 1 else n for n, m in zip(index.shape, input.shape, strict=True)])
    return REGISTRY["take"].fun(cnp.reshape(input, (-1,)), in_flat(index, input.shape, axis, lengths), 0)


def within(index, d, size, negative=False):
    """torch's refusal of an index that an axis has not; `negative` ones may count from the end."""
    least = -size if negative else 0

    def check(index):
        if not all_within(index, least, size):
            bad = index[(index < least) | (index >= size)]
            raise RuntimeError(f"index {int(bad[0])} is out of bounds for dimension {d} with size {size}")

    insist(check, index)


def of_places(k):
    """The index that a tensor stands for, of bytes a mask; torch's refusal of dtypes that index nothing."""
    if k.dtype == np.uint8:
        return cnp.not_equal(k, 0)
    if k.dtype.kind != "b" and (k.dtype.kind != "i" or k.dtype.itemsize < 4):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return k


def check_arrays(index):
    """torch's refusal of index arrays whose shapes do not go together."""
    shapes = [k.shape for k in index if hasattr(k, "dtype") and k.dtype.kind in "iu"]
    if len(shapes) > 1 and any(s != shapes[0] for s in shapes):
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                             f"{', '.join(str(list(s)) for s in shapes)}") from None


def refused_write(index, shape, given, counted=False):
    """torch's error for a write of a value of a shape to places that are not there, or that it does not fill; None
    where both is in order. `counted`: index_put_ says how many indices there are too many.
    """
    if any(isinstance(k, Tracer) for k in index):
        return None
    room, index = np.broadcast_to(0, shape), on_host(index)
    try:
        check_arrays(index)
        places = room[tuple([np.zeros_like(k) if hasattr(k, "dtype") and k.dtype.kind in "iu" else k for k in index])]
        if not fills(given, places.shape):
            return RuntimeError(f"shape mismatch: value tensor of shape {list(given)} cannot be broadcast to indexing "
                                f"result of shape {list(places.shape)}")
        room[index]
    except IndexError as error:
        words = str(error)
        if "could not be broadcast" not in words:
            words = message(error, index, shape)
        return IndexError(words + f" (got {len(index)})" * (counted and words.startswith("too many")))
    return None


def fills(given, wanted):
    """Tell whether a shape broadcasts to another one."""
    try:
        return np.broadcast_shapes(given, wanted) == wanted
    except ValueError:
        return False


WHOLE = slice(None)


def on_host(index):
    """An index with its arrays on the CPU; itself where they lie there."""
    if all(type(k) is np.ndarray or type(k) not in ARRAYS for k in index):
        return index
    return tuple([moved(k, CPU) if type(k) in ARRAYS else k for k in index])


def message(error, index, shape):
    """torch's sense of an IndexError of NumPy, or of one that core gives where NumPy does not look."""
    here = on_host(index)
    if not any(isinstance(k, Tracer) for k in here):
        try:
            np.broadcast_to(0, shape)[here]
        except IndexError as found:
            error = found
    axis, masks, basic = 0, [], []
    for k in index if Ellipsis not in [k for k in index if not hasattr(k, "dtype")] else ():
        mask = k.shape if getattr(k, "dtype", None) == np.bool_ else None
        if mask is not None:
            masks.append((axis, mask))
        basic += [WHOLE] * len(mask) if mask is not None else [k if k is None or type(k) in (int, slice) else WHOLE]
        axis += len(mask) if mask is not None else type(k) is not int
    if masks and len(basic) - basic.count(None) <= len(shape):
        shape = np.broadcast_to(0, shape)[tuple(basic)].shape  # PyTorch takes masks of what the basic part leaves
        for axis, mask in masks:
            for i, n in enumerate(mask):
                if n != shape[axis + i]:
                    return (f"The shape of the mask {list(mask)} at index {i} does not match the shape of the indexed "
                            f"tensor {list(shape)} at index {axis + i}")
    if "too many indices" in str(error):
        return f"too many indices for tensor of dimension {len(shape)}"
    return str(error).replace("is out of bounds for axis", "is out of bounds for dimension")
