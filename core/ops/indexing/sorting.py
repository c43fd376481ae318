"""Sorting along an axis: the permutation is a constant to derivatives."""

import numpy as np

from ...arrays.avals import make_aval
from ...primitive.families import ZERO, primitive
from ..dependence import lines
from ..samples import Sample, arrays, together
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
