"""Plans for advanced indexing: rewrite `x[key]` as basic indexing, transpose, reshape and one take along one axis."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.axes import all_within
from ...arrays.backend import find_backend
from ...errors import ConversionError, at_user_line
from ...primitive.families import ZERO, primitive
from ...trace.device import array_of_list, constant
from ...trace.tracer import Batched, Tracer, is_concrete
from ..samples import Sample

_BASIC = (int, slice, type(None), type(Ellipsis), np.integer)


def is_basic(key):
    """Tell whether `key` has no index arrays: NumPy then gives a view."""
    if type(key) is tuple:
        for k in key:
            if not isinstance(k, _BASIC) or isinstance(k, bool):
                return False
        return True
    return isinstance(key, _BASIC) and not isinstance(key, bool)


def names_part(key):
    """Tell whether `key` would be basic if the integers in it were known: NumPy then gives a view, too."""
    return all(isinstance(k, Tracer) and not k.ndim and k.dtype.kind in "iu" or is_basic(k)
               for k in (key if type(key) is tuple else (key,)))


def any_place(key):
    """A basic index of a part that lies in memory as the one that `key` names: the first one."""
    first = [0 if isinstance(k, Tracer) else k for k in (key if type(key) is tuple else (key,))]
    return tuple(first)


class NewAxis:
    """An index array into a new axis of length 1."""

    def __init__(self, array):
        self.array = array


class Plan:
    """The steps of an index with arrays: basic index, transpose, reshape, one take."""

    __slots__ = ("basic", "axes", "merged", "index", "axis", "answer", "inner")


def plan_index(aval, key):
    """Plan `x[key]`; NumPy's rules for masks, ellipsis, new axes and the place of the index axes."""
    entries, apart = _expand(aval, key if type(key) is tuple else (key,))
    basic, arrays_, places = [], [], []
    out_axis = 0
    for entry in entries:
        if entry is None or isinstance(entry, slice):
            basic.append(entry)
        else:
            new = isinstance(entry, NewAxis)
            basic.append(None if new else slice(None))
            arrays_.append(entry.array if new else entry)
            places.append(out_axis)
        out_axis += 1
    plan = Plan()
    trivial = all(isinstance(b, slice) and b == slice(None) for b in basic)
    plan.basic = None if trivial else tuple(basic)
    inner = aval.shape if trivial else indexed_shape(aval, plan.basic).shape
    plan.inner = inner
    sizes = [inner[p] for p in places]
    adjacent = not apart and all(b == a + 1 for a, b in zip(places, places[1:]))
    plan.axis = places[0] if adjacent else 0
    plan.axes = None if adjacent else (*places, *[i for i in range(len(inner)) if i not in places])
    moved = inner if adjacent else tuple(inner[a] for a in plan.axes)
    plan.merged = None
    if len(places) > 1:
        merged = int(np.prod(sizes))
        plan.merged = (*moved[: plan.axis], merged, *moved[plan.axis + len(places) :])
        moved = plan.merged
    plan.index = _flat_index(arrays_, sizes)
    plan.answer = (*moved[: plan.axis], *plan.index.shape, *moved[plan.axis + 1 :])
    return plan


def _expand(aval, key):
    """The key as one entry an axis, slices, None, integer arrays (masks become their nonzero positions), and whether an
    ellipsis stands between arrays, which keeps them apart even where it passes over no axis."""
    entries = []
    used = passed = 0  # axes indexed so far, and those that an ellipsis passes over
    for k in key:
        if k is None or k is Ellipsis or isinstance(k, slice):
            used += isinstance(k, slice)
            passed = max(aval.ndim - sum(map(_width, key)), 0) if k is Ellipsis else passed
            entries.append(k)
            continue
        if not isinstance(k, Tracer):
            k = _on_host(k)
            if k.size == 0 and k.dtype == float:
                k = k.astype(np.intp)
        kind = k.dtype.kind
        if kind == "b":
            if isinstance(k, Tracer):
                k = _known_mask(k)
            first = used + passed
            if k.shape != aval.shape[first : first + k.ndim]:
                raise IndexError(f"a boolean index of shape {k.shape} does not match the indexed axes "
                                 f"{aval.shape[first:first + k.ndim]} of an array of shape {aval.shape}"
                                 f"; compute the mask from the array it indexes{at_user_line()}")
            if k.ndim == 0:
                # A 0-d mask adds an axis of length 0 or 1: a new axis, indexed by an array.
                entries.append(NewAxis(np.flatnonzero(k)))
                continue
            entries += list(np.nonzero(k))
            used += k.ndim
        elif kind in "iu":
            entries.append(k)
            used += 1
        else:
            raise IndexError(f"arrays used as indices must be integer or boolean, but one has dtype {k.dtype} "
                             f"and shape {k.shape}; cast it with .astype(int){at_user_line()}")
    if sum(e is Ellipsis for e in entries) > 1:
        raise IndexError(f"an index can have only one ellipsis ('...'); write the other axes as ':'{at_user_line()}")
    if used > aval.ndim:
        raise IndexError(f"too many indices: the array has {aval.ndim} axes (shape {aval.shape}), "
                         f"but {used} were indexed; drop indices, or add axes with None{at_user_line()}")
    rest = [slice(None)] * (aval.ndim - used)
    for i, e in enumerate(entries):
        if e is Ellipsis:
            before, after = entries[:i], entries[i + 1 :]
            return before + rest + after, any(map(_is_array, before)) and any(map(_is_array, after))
    return entries + rest, False


def _is_array(entry):
    return entry is not None and not isinstance(entry, slice)


def _width(k):
    """The number of axes that an entry of a key indexes; a mask as many as it has."""
    if k is None or k is Ellipsis:
        return 0
    if isinstance(k, slice):
        return 1
    k = k if isinstance(k, Tracer) else _on_host(k)
    return k.ndim if k.dtype.kind == "b" else 1


def _on_host(k):
    """An index as a NumPy array; one of another library is copied, since the plan needs its values."""
    found = find_backend(type(k))
    return array_of_list(k) if found is None else np.asarray(found[0].to_numpy(k))


def _known_mask(mask):
    if not is_concrete(mask):
        kind = "batched by vmap" if isinstance(mask, Batched) else "staged"
        raise ConversionError(f"a boolean index that is {kind} gives a shape that depends on data; "
                              f"use np.where(mask, x, 0) instead of x[mask], np.where(mask, v, x) for x[mask] = v"
                              f"{at_user_line()}")
    while isinstance(mask, Tracer):
        mask = mask.value
    return _on_host(mask)


_PLACE = np.dtype(np.intp)


def _counted(xp, k, n):
    k = k.astype(_PLACE, copy=False)  # n may be beyond the dtype of k
    if all_within(k, 0, n):
        return k
    high, low = k.max(), k.min()
    if low >= 0 and high < n:
        return k
    if low < -n or high >= n:
        bad = int(float(high if high >= n else low))
        raise IndexError(f"index {bad} is out of bounds for an axis of size {n}; it takes "
                         f"{f'{-n} to {n - 1}' if n else 'none'}{at_user_line()}")
    return xp.where(k < 0, k + n, k)


counted = primitive(
    "counted",  # places on an axis of length n, negative ones counted from its end; those out of bounds raise
    impl=lambda xp, k, *, n: _counted(xp, xp.asarray(k), n),
    shape=lambda k, n: make_aval(k.shape, np.dtype(np.intp)),  # asked without places: there are none that fit n = 0
    jvp=ZERO,
    batch=lambda k, n: counted(k, n=n),
    shares=True,
    samples=lambda rng: [Sample(np.array(v), params={"n": 3}, smooth=False)
                         for v in (1, [0, 2, -3], [[-1, 0]], np.zeros(0, int))],
    absent={"float32": "places are integers", "complex": "places are integers"},
)


def _flat_index(arrays_, sizes):
    """One index array into the merged axes; bounds are checked here, where the axes are still known."""
    wrapped = []
    for k, n in zip(arrays_, sizes):
        if isinstance(k, Tracer):
            if len(arrays_) > 1:
                k = counted(k, n=n)
        else:
            known = len(arrays_) > 1 and all_within(k, 0, n)  # then none counts from the end
            if not known and not all_within(k, -n, n):
                bad = int(k.max()) if k.max() >= n else int(k.min())
                raise IndexError(f"index {bad} is out of bounds for an axis of size {n}; "
                                 f"valid indices are below the length; negative ones count from the "
                                 f"end{at_user_line()}")
            if len(arrays_) > 1:
                k = constant(k if known else np.where(k < 0, k + n, k), *arrays_)
        wrapped.append(k)
    flat = wrapped[0]
    for k, n in zip(wrapped[1:], sizes[1:]):
        flat = flat * n + k
    return flat


def indexed_shape(x, index):
    """The aval of `x[index]` for a basic index."""
    try:
        probe = np.broadcast_to(np.empty((), x.dtype), x.shape)[index]
    except IndexError as error:
        axes = ", ".join(f"{-n} to {n - 1}" if n else "none" for n in x.shape) or "no axis"
        raise IndexError(f"{error}, in an index of an array of shape {x.shape}; it takes {axes}"
                         f"{at_user_line()}") from None
    return make_aval(probe.shape, x.dtype)
