"""Gather elements at fixed flat positions of an array: the tape form of strided views."""

import math

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import result_dtype
from ...facts import REGISTRY
from ...primitive.families import linear, primitive
from ...trace.device import constant
from ..dependence import ELEMENTS, MOVED, numbered
from ..samples import Sample, unary
from ..shaping import broadcast_to


class Places:
    """Flat positions in an array in the order of its axes, as a parameter: compared by identity.

    Args:
        index: integers of any shape, which the picked values get.

    >>> import math

import numpy as np
    >>> from covector._primitives import Places
    >>> from covector.extend import REGISTRY
    >>> REGISTRY["pick"].fun(np.eye(3), Places(np.array([0, 4])))
    array([1., 1.])
    """

    __slots__ = ("index",)

    def __init__(self, index):
        self.index = np.asarray(index, np.int64, order="C")

    def batched(self, size, count):
        """The same places in each of `size` arrays of `count` elements."""
        start = (np.arange(size) * count).reshape((size,) + (1,) * self.index.ndim)
        return Places(self.index[None] + start)

    def __repr__(self):
        return f"Places{self.index.shape}"


def _spread(xp, x, places, shape):
    out = xp.zeros(shape, x.dtype).reshape(-1)
    index = constant(places.index.reshape(-1), x)
    xp.add.at(out, index, x.reshape(-1))  # 1 us for 128 places; to find out first whether one occurs twice takes 8
    return out.reshape(shape)


def _spread_batch(x, places, shape):
    return spread(x, places.batched(x.shape[0], math.prod(shape)), (x.shape[0], *shape))


def _samples(prim_shape):
    def samples(rng):
        out = []
        for shape, index in (((3, 3), [0, 4, 8]), ((4,), [[0, 1], [1, 2]]), ((), 0), ((2, 3), [5]),
                             ((3,), np.zeros(0, int))):
            places = Places(np.asarray(index))
            for c in (0.0, 1j):
                x = rng.normal(size=shape if prim_shape else places.index.shape) + c
                params = {"places": places} if prim_shape else {"places": places, "shape": shape}
                out.append(Sample(x, params=params))
        x = rng.normal(size=(2, 2) if prim_shape else (2,)).astype(np.float32)
        params = {"places": Places(np.array([0, 3]))} | ({} if prim_shape else {"shape": (2, 2)})
        return [*out, Sample(x, params=params)]

    return samples


def _duplicate(x):
    """A copy with the strides of `x` where these are dense, else in the order of the axes."""
    if not isinstance(x, np.ndarray):
        return x.copy() if hasattr(x, "copy") else x
    if type(x) is np.ndarray and x.flags.c_contiguous:
        return x.copy()
    step = x.itemsize
    for stride, n in sorted((s, n) for s, n in zip(x.strides, x.shape) if n != 1):
        if stride != step:
            return np.array(x, order="C")
        step *= n
    return np.array(x, order="K")


duplicate = linear(
    "duplicate",
    impl=lambda xp, x: _duplicate(x),
    transpose=lambda ct: ct,
    shape=lambda x: x,
    batch=lambda x: duplicate(x),
    identity=True,
    moves=True,
    depends=ELEMENTS,
    samples=unary(),
)
pick = linear(
    "pick",  # x.reshape(-1)[places]
    lies="fresh",
    impl=lambda xp, x, *, places: x.reshape(-1)[constant(places.index, x)],
    lower=lambda x, places: REGISTRY["take"].fun(x.reshape((-1,)), places.index, 0),  # declared in indexing.py
    transpose=lambda ct, x_aval, places: spread(ct, places, x_aval.shape),
    shape=lambda x, places: make_aval(places.index.shape, x.dtype),
    batch_params=lambda places, size, x_shape: (places.batched(size, math.prod(x_shape)),),
    unview=lambda x, part, places: implant(x, part, places),
    zeros="back",
    moves=True,
    depends=MOVED,
    samples=_samples(True),
)
spread = linear(
    "spread",  # the transpose of pick: zeros of `shape` with x added at places
    lies="fresh",
    impl=lambda xp, x, *, places, shape: _spread(xp, x, places, shape),
    transpose=lambda ct, places: pick(ct, places),
    shape=lambda x, places, shape: make_aval(shape, x.dtype),
    batch=_spread_batch,
    zeros=True,
    moves=True,
    depends=lambda x, places, shape: {0: (places.index, numbered(shape))},
    samples=_samples(False),
)


def _implant(xp, x, v, places):
    out = xp.array(x, dtype=xp.result_type(x, v)).reshape(-1)
    out[constant(places.index, x)] = v
    return out.reshape(x.shape)


def _cleared(ct, places):
    """`ct` with zeros at places."""
    return implant(ct, constant(np.zeros(places.index.shape, ct.dtype), ct), places)


def _implant_jvp(tangents, x, v, places):
    dx, dv = tangents
    dx = constant(np.zeros(x.shape, x.dtype), dv) if dx is None else dx
    return implant(dx, constant(np.zeros(places.index.shape, x.dtype), dx) if dv is None else dv, places)


def _implant_batch(x, v, places, batched, size):
    count = math.prod(x.shape[1:] if batched[0] else x.shape)
    if not batched[0]:
        x = broadcast_to(x, shape=(size, *x.shape))
    if not batched[1]:
        v = broadcast_to(v, shape=(size, *v.shape))
    return implant(x, v, places.batched(size, count))


def _implant_samples(rng):
    out = []
    for shape, index in (((3, 3), [0, 4, 8]), ((2, 3), [[0, 1], [4, 5]]), ((), 0), ((3,), np.zeros(0, int)),
                         ((0,), np.zeros(0, int))):
        places = Places(np.asarray(index))
        for c in (0.0, 1j):
            out.append(Sample(rng.normal(size=shape) + c, rng.normal(size=places.index.shape) + c,
                              params={"places": places}))
    places = Places(np.array([0, 3]))
    out.append(Sample(rng.normal(size=(2, 2)).astype(np.float32), rng.normal(size=2).astype(np.float32),
                      params={"places": places}))
    return out


implant = primitive(
    "implant",  # x with v at distinct places
    lies="fresh",
    impl=lambda xp, x, v, *, places: _implant(xp, x, v, places),
    shape=lambda x, v: make_aval(x.shape, result_dtype(x, v)),
    jvp={"x, v": _implant_jvp},
    vjp={"x": lambda ct, places: _cleared(ct, places), "v": lambda ct, places: pick(ct, places)},
    batch=_implant_batch,
    zeros=True,
    linear=("x, v",),
    absent={"broadcast": "v has the shape of its indices"},
    depends=MOVED,
    samples=_implant_samples,
)
