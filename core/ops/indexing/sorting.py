"""Sort, search and order along an axis: permutations, integers and booleans are constants to derivatives."""

import math

import numpy as np

from ...arrays.avals import make_aval
from ...primitive.families import ZERO, primitive
from ..dependence import lines
from ..reductions import reduced_shape
from ..samples import Sample, arrays, together
from ..shaping import broadcast_to
from .indexing import index


def along(x, order, axis):
    """`take_along_axis`: at each place along `axis` the element that `order` names there."""
    key = [np.arange(n).reshape(tuple(-1 if i == k else 1 for i in range(x.ndim))) for k, n in enumerate(x.shape)]
    key[axis] = order
    return index(x, tuple(key))


argsort = primitive(
    "argsort",
    impl=lambda xp, x, *, axis, kind: xp.argsort(x, axis=axis, kind=kind),
    shape=lambda x: make_aval(x.shape, np.dtype(np.intp)),
    jvp=ZERO,
    batch=lambda x, axis, kind: argsort(x, axis + 1, kind),
    samples=lambda rng: [Sample(rng.normal(size=s).astype(t), params={"axis": a, "kind": "stable"})
                         for s, a, t in (((2, 3), 1, "f8"), ((2, 3), 0, "f4"), ((0,), 0, "f8"), ((3,), 0, "c16"))],
    absent={"()": "it runs along an axis"},
)
# Ties: the stable order decides which of two equal elements a place belongs to.
sort = primitive(
    "sort",
    impl=lambda xp, x, *, axis: xp.sort(x, axis=axis),
    shape=lambda x: x,
    jvp={"x": lambda dx, x, axis: along(dx, argsort(x, axis, "stable"), axis)},
    # A permutation has no ties, and NumPy's own order is found five times as fast as the stable one.
    vjp={"x": lambda ct, x, axis: along(ct, argsort(argsort(x, axis, "stable"), axis, None), axis)},
    batch=lambda x, axis: sort(x, axis + 1),
    depends=lambda x, axis: lines(x, (axis,)),
    samples=together(arrays((3, 4), axis=0), arrays((3, 4), axis=1), arrays((2, 3, 2), axis=1), arrays((0,), axis=0),
                     arrays((2, 0), axis=0),
                     lambda rng: [Sample(np.array([2.0, 1.0, 2.0, 1.0]), params={"axis": 0}, smooth=False)]),
)


# Search and order: integer and boolean results, constants to derivatives.

INDEX = np.dtype(np.intp)


def _by_rows(xp, kernel, x, v, dtype):
    """`kernel(x, v)` for one list `x`; for lists with leading axes one by one."""
    if x.ndim == 1:
        return kernel(x, v)
    lead = x.ndim - 1
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    parts = v.reshape((rows.shape[0], *v.shape[lead:]))
    found = [kernel(row, part) for row, part in zip(rows, parts)]
    return xp.stack(found).reshape(v.shape) if found else xp.zeros(v.shape, dtype)


def _finder(name, kernel, dtype, draw):
    """A primitive that looks up each element of `v` in the list `x`."""

    def batch(x, v, option, batched, size):
        if not batched[0] and x.ndim == 1:
            return finder(x, v, option)
        x, v = (a if b else broadcast_to(a, shape=(size, *a.shape)) for a, b in zip((x, v), batched))
        return finder(x, v, option)

    def samples(rng):
        return [Sample(100 * np.arange(s[-1]) + draw(rng, s), draw(rng, t), params={"option": o})
                for s, t in (((4,), (2, 3)), ((3,), ()), ((2, 3), (2, 2)), ((3,), (0,)))
                for o in ((False, True) if name != "searchsorted" else ("left", "right"))]

    finder = primitive(
        name,  # x: (*b, n), v: (*b, *any) -> the shape of v
        impl=lambda xp, x, v, *, option: _by_rows(xp, lambda row, part: kernel(xp, row, part, option), x, v, dtype),
        shape=lambda x, v, option: make_aval(v.shape, dtype),
        jvp=ZERO,
        batch=batch,
        samples=samples,
        absent={"complex": "it orders real numbers", "float32": "its output is not floating point",
                "broadcast": "both operands have the same leading axes"},
    )
    return finder


searchsorted = _finder(
    "searchsorted", lambda xp, x, v, side: xp.searchsorted(x, v, side=side), INDEX,
    lambda rng, s: np.round(rng.normal(size=s), 1))
digitize = _finder(
    "digitize", lambda xp, x, v, right: xp.digitize(v, x, right=right), INDEX,
    lambda rng, s: np.round(rng.normal(size=s), 1))
isin = _finder(
    "isin", lambda xp, x, v, invert: xp.isin(v, x, invert=invert), np.dtype(bool),
    lambda rng, s: rng.integers(0, 5, s))
argpartition = primitive(
    "argpartition",
    impl=lambda xp, x, *, axis, kth: xp.argpartition(x, kth, axis=axis),
    shape=lambda x: make_aval(x.shape, INDEX),
    jvp=ZERO,
    batch=lambda x, axis, kth: argpartition(x, axis + 1, kth),
    samples=together(arrays((5,), axis=0, kth=2), arrays((2, 4), axis=1, kth=(0, 3))),
    absent={"()": "it runs along an axis", "(0,)": "there is no kth element"},
)
lexsort = primitive(
    "lexsort",  # the last key is the first to decide
    impl=lambda xp, *keys, axis: xp.lexsort(keys, axis=axis),
    shape=lambda keys: make_aval(keys[0].shape, INDEX),
    jvp=ZERO,
    batch=lambda keys, axis, batched, size: lexsort(
        *[k if b else broadcast_to(k, shape=(size, *k.shape)) for k, b in zip(keys, batched)], axis=axis + 1),
    samples=lambda rng: [Sample(rng.integers(0, 3, s), rng.integers(0, 3, s), params={"axis": a})
                         for s, a in (((5,), 0), ((3, 4), 1), ((3, 4), 0), ((0,), 0))],
    absent={"()": "it runs along an axis", "float32": "its output is not floating point",
            "complex": "as for real keys", "broadcast": "the keys have one shape"},
)


def _nan_argument(name):
    found = primitive(
        name,
        impl=lambda xp, x, *, axis, keepdims: getattr(xp, name)(x, axis=axis, keepdims=keepdims),
        shape=lambda x, axis, keepdims: make_aval(reduced_shape(x, (axis,), keepdims).shape, INDEX),
        jvp=ZERO,
        batch=lambda x, axis, keepdims: found(x, axis + 1, keepdims),
        samples=together(arrays((2, 3), axis=1, keepdims=False), arrays((0, 3), axis=1, keepdims=True),
                         lambda rng: [Sample(np.array([np.nan, 1.0, 2.0]), params={"axis": 0, "keepdims": True})]),
        absent={"()": "it runs along an axis"},
    )
    return found


nanargmax = _nan_argument("nanargmax")
nanargmin = _nan_argument("nanargmin")
unravel_index = primitive(
    "unravel_index",
    impl=lambda xp, x, *, shape, order: tuple(xp.unravel_index(x, shape, order)),
    outputs=lambda shape, order: len(shape),
    shape=lambda x, shape: tuple(make_aval(x.shape, INDEX) for _ in shape),
    jvp=ZERO,
    batch=lambda x, shape, order: unravel_index(x, shape, order),
    shares=True,
    samples=lambda rng: [Sample(rng.integers(0, 24, s), params={"shape": (2, 3, 4), "order": o})
                         for s in ((), (3,), (2, 2), (0,)) for o in "CF"],
    absent={"float32": "it takes integers", "complex": "it takes integers"},
)
ravel_multi_index = primitive(
    "ravel_multi_index",  # indices of one shape
    impl=lambda xp, *indices, dims, mode, order: xp.ravel_multi_index(indices, dims, mode, order),
    shape=lambda indices: make_aval(indices[0].shape, INDEX),
    jvp=ZERO,
    batch=lambda indices, dims, mode, order, batched, size: ravel_multi_index(
        *[k if b else broadcast_to(k, shape=(size, *k.shape)) for k, b in zip(indices, batched)],
        dims=dims, mode=mode, order=order),
    samples=lambda rng: [Sample(rng.integers(0, 2, s), rng.integers(0, 3, s),
                                params={"dims": (2, 3), "mode": "raise", "order": o})
                         for s in ((), (3,), (2, 2), (0,)) for o in "CF"],
    absent={"float32": "it takes integers", "complex": "it takes integers", "broadcast": "the indices have one shape"},
)
