"""The names of `covector.numpy` and the calls by which each is compared with NumPy."""

import importlib.util
from pathlib import Path

import numpy as np


def _load(name):
    spec = importlib.util.spec_from_file_location(f"api_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


measure = _load("measure")
Case, draw, SHAPES = measure.Case, measure.draw, measure.SHAPES
ALL, REAL, FLOAT, INEXACT, WHOLE = "dfDFi?", "dfi?", "df", "dfDF", "i?"
NAMES = {}  # name -> cases
NOTES = {}  # name -> what the table cannot say


def add(name, *cases, note=None):
    NAMES.setdefault(name, []).extend(cases)
    if note is not None:
        NOTES[name] = note


def over(
    names, kinds=ALL, shapes=SHAPES, options=({},), low=0.3, high=1.7, smooth=True, batch=True, note=None, call=None
):
    """Each name called with one array of each kind and shape, and each set of options."""
    for name in names.split():
        for shape in shapes:
            for kind in kinds:
                for option in options:
                    fun = _call(name, option) if call is None else call
                    add(name, Case(fun, (draw(kind, shape, low, high),), smooth, batch, str(option or "")), note=note)


def _call(name, option):
    return lambda xp, *args: getattr(xp, name)(*args, **option)


def pairs(names, kinds=("dd", "ff", "fd", "DD", "id", "ii", "??"), low=0.3, high=1.7, smooth=True, note=None):
    """Each name called with two arrays: of equal shapes, broadcasting, 0-d, empty."""
    for name in names.split():
        for a, b in kinds:
            for s, t in (((3,), (3,)), ((2, 3), (3,)), ((), (2,)), ((0,), (0,)), ((), ())):
                x, y = draw(a, s, low, high), draw(b, t, low + 0.05, high + 0.1)
                add(name, Case(_call(name, {}), (x, y), smooth))


def calls(name, *funs, args=(), smooth=True, batch=True, note=None):
    """One name called by each function of `(xp, *arrays)`, on the same arrays."""
    for k, fun in enumerate(funs):
        add(name, Case(fun, tuple(args), smooth, batch, f"call {k}"), note=note)


def facts(names, *funs):
    """Names without array operands: NumPy's own."""
    for name in names.split():
        add(name, *[Case(fun, (), label=f"call {k}") for k, fun in enumerate(funs)])


V, W, M, N = draw("d", (4,)), draw("d", (4,), 0.5, 2.0), draw("d", (3, 4)), draw("d", (2, 3, 2))
F, C = draw("f", (4,)), draw("D", (4,))
HOLES = np.array([[1.0, np.nan, 0.3, 2.5], [np.nan, 0.7, 1.9, 0.2], [0.4, 1.1, np.nan, 3.0]])
FEW = np.array([1.5, 0.5, 1.5, 2.0, 0.5])
REDUCE = ({}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 1)})
PLACES = ({}, {"axis": 0}, {"axis": -1, "keepdims": True})
RUN = ({}, {"axis": 0}, {"axis": -1}, {"dtype": np.float32})
ROWS = ((3,), (2, 3), (0,))
MASK = np.array([[True, False, True, True], [False, True, True, False], [True, True, False, True]])

# Running sums and products.
over("cumsum cumprod nancumsum nancumprod", options=RUN)
over(
    "cumulative_sum cumulative_prod",
    options=({}, {"axis": 0}, {"axis": -1, "include_initial": True}, {"axis": 0, "dtype": np.float32}),
)
calls("cumprod", lambda xp, x: xp.cumprod(x * np.array([1.0, 0.0, 2.0, 0.0])), args=(V,))
calls("nancumsum", lambda xp, x: xp.nancumsum(x, axis=1), args=(HOLES,), smooth=False)
calls("nancumprod", lambda xp, x: xp.nancumprod(x, axis=1), args=(HOLES,), smooth=False)
over("ediff1d", options=({}, {"to_end": 1}, {"to_begin": np.array([1, 2], np.int8), "to_end": [3]}))
calls("ediff1d", lambda xp, x, y: xp.ediff1d(x, y, y[:2]), args=(V, W))

# Reductions that pass over NaN.
over("nansum nanprod nanmean nanvar nanstd nanmax nanmin nanmedian", options=REDUCE, shapes=((), (3,), (2, 3)))
over("nansum nanprod", shapes=((0,),))
for _name in "nansum nanprod nanmean nanvar nanstd nanmax nanmin nanmedian".split():
    add(_name, *[Case(_call(_name, o), (HOLES,), False, label=str(o)) for o in REDUCE])
    add(_name, Case(_call(_name, {"axis": 1}), (np.array([[np.nan, np.nan], [1.0, 2.0]]),), False))


def _holed(xp, x):
    return xp.where(np.isnan(HOLES), np.nan, x)


for _name in "nansum nanprod nanmean nanvar nanstd nanmax nanmin nanmedian nancumsum nancumprod".split():
    calls(
        _name,
        lambda xp, x, n=_name: getattr(xp, n)(_holed(xp, x)),
        lambda xp, x, n=_name: getattr(xp, n)(_holed(xp, x), axis=0),
        args=(M,),
    )
calls("nanquantile", lambda xp, x: xp.nanquantile(_holed(xp, x), [0.2, 0.7], axis=1), args=(M,))
calls("nanquantile", lambda xp, x, q: xp.nanquantile(_holed(xp, x), q / 2, axis=1), args=(M, V))
calls("nanpercentile", lambda xp, x: xp.nanpercentile(_holed(xp, x), 30, axis=0, keepdims=True), args=(M,))
calls(
    "nanvar",
    lambda xp, x: xp.nanvar(x, ddof=1, axis=1),
    lambda xp, x: xp.nanvar(x, dtype=np.float32),
    args=(HOLES,),
    smooth=False,
)
calls("nanstd", lambda xp, x: xp.nanstd(x, axis=0, correction=1), args=(HOLES,), smooth=False)
for _name in "nanargmax nanargmin".split():
    over(_name, kinds="dfi?", options=PLACES, shapes=((3,), (2, 3)))
    add(_name, *[Case(_call(_name, o), (HOLES,), False, label=str(o)) for o in PLACES])
    over(_name, kinds="di", options=({"axis": 0}, {"axis": -1}), shapes=((),))
for _name, _q in (("nanquantile", 1.0), ("nanpercentile", 100.0)):
    for _options in (
        {"q": 0.3 * _q},
        {"q": np.array([0.1, 0.8]) * _q, "axis": 0},
        {"q": 0.5 * _q, "axis": -1, "keepdims": True},
        {"q": np.array([[0.2], [1.0]]) * _q},
    ):
        over(_name, kinds="dfi", shapes=((), (3,), (2, 3)), options=(_options,))
        add(_name, Case(_call(_name, _options), (HOLES,), False, label=str(_options)))

# where= of the reductions.
for _name in "sum prod mean var std all any nansum nanprod nanmean nanvar nanstd".split():
    for _options in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}):
        for _kind in "dfD?":
            add(
                _name,
                Case(_call(_name, {**_options, "where": MASK}), (draw(_kind, (3, 4)),), label=f"where {_options}"),
            )
            add(
                _name,
                Case(
                    lambda xp, x, m, name=_name, o=_options: getattr(xp, name)(x, where=m, **o),
                    (draw(_kind, (3, 4)), MASK),
                    label=f"where, traced {_options}",
                ),
            )
for _name in "max min amax amin nanmax nanmin".split():
    calls(
        _name,
        lambda xp, x, name=_name: getattr(xp, name)(x, axis=1, where=MASK, initial=1.0),
        lambda xp, x, name=_name: getattr(xp, name)(x, where=MASK),
        args=(M,),
    )
calls("var", lambda xp, x: xp.var(x, axis=1, mean=xp.mean(x, axis=1, keepdims=True) * 0.5), args=(M,))
calls("std", lambda xp, x: xp.std(x, axis=1, mean=xp.mean(x, axis=1, keepdims=True) * 0.5), args=(M,))

# Sampled functions.
over("trapezoid", kinds=ALL, shapes=((3,), (2, 3), (0,)), options=({}, {"dx": 0.5}, {"axis": 0}))
calls(
    "trapezoid", lambda xp, y, x: xp.trapezoid(y, x), lambda xp, y, x: xp.trapezoid(y, xp.sort(x), axis=-1), args=(M, V)
)
calls("trapezoid", lambda xp, y, x: xp.trapezoid(y, x, axis=0), args=(M, M * M))
over(
    "gradient",
    kinds=ALL,
    shapes=((3,), (3, 4), (4, 3), (0,)),
    options=({}, {"axis": 0}, {"edge_order": 2}, {"axis": (1, 0)}),
)
calls(
    "gradient",
    lambda xp, f: xp.gradient(f, 0.5),
    lambda xp, f: xp.gradient(f, 0.5, 2.0),
    lambda xp, f: xp.gradient(f, [0.0, 1.0, 3.0], [0, 1, 3, 4]),
    lambda xp, f: xp.gradient(f, [0.0, 1.0, 2.0], axis=0),
    lambda xp, f: xp.gradient(f, [0.0, 1.0, 3.0], 0.5, edge_order=2),
    args=(M,),
)
calls(
    "gradient",
    lambda xp, f, x: xp.gradient(f, np.arange(4) + 0.1 * x),
    lambda xp, f, x: xp.gradient(f, x[0]),
    lambda xp, f, x: xp.gradient(f, np.arange(4) + 0.1 * x, edge_order=2),
    args=(V, W),
)
for _a in (1, 3, 4, 5):
    for _b in (1, 2, 3, 4):
        for _kind in ("dd", "df", "DD", "Dd", "ii", "??"):
            _args = (draw(_kind[0], (_a,)), draw(_kind[1], (_b,)))
            for _name in ("convolve", "correlate"):
                for _mode in ("full", "same", "valid"):
                    add(
                        _name, Case(lambda xp, x, y, n=_name, m=_mode: getattr(xp, n)(x, y, mode=m), _args, label=_mode)
                    )
calls("convolve", lambda xp, x: xp.convolve(x, [1.0, 2.0]), lambda xp, x: xp.convolve([1.0, 2.0], x), args=(V,))
KNOTS = np.array([0.0, 0.5, 1.5, 2.0])
for _kind in "dfi":
    for _shape in SHAPES:
        add(
            "interp",
            Case(lambda xp, x, k, f: xp.interp(x, k, f), (draw(_kind, _shape, -0.2, 2.2), KNOTS, V), _kind != "i"),
            Case(
                lambda xp, x, k, f: xp.interp(x, k, f, left=-1.0, right=0.5),
                (draw(_kind, _shape, -0.2, 2.2), KNOTS, V),
                _kind != "i",
            ),
        )
calls(
    "interp",
    lambda xp, x, k, f: xp.interp(x, k, f, period=1.3),
    args=(draw("d", (2, 3), -3, 3), draw("d", (4,), -1, 1), C),
)
calls("interp", lambda xp, x, k, f: xp.interp(x, k, f), args=(KNOTS, KNOTS, V), smooth=False)
calls("interp", lambda xp, x: xp.interp(x, [1.0], [2.0]), lambda xp, x: xp.interp(0.7, np.arange(4.0), x), args=(V,))
over(
    "unwrap",
    kinds="dfi?",
    shapes=ROWS,
    options=({}, {"axis": 0}, {"period": 1.0}, {"period": 4}, {"discont": 4.0}),
    low=-9,
    high=9,
)
calls("unwrap", lambda xp, x: xp.unwrap(np.array([0.0, np.pi, 0.0, 3 * np.pi]) + 0 * x), args=(V,), smooth=False)

# Polynomials.
over("vander", shapes=ROWS, options=({}, {"N": 2}, {"N": 0}, {"increasing": True}))
for _kind in ("dd", "ff", "DD", "id", "ii", "??"):
    for _shape in SHAPES:
        add("polyval", Case(lambda xp, p, x: xp.polyval(p, x), (draw(_kind[0], (3,)), draw(_kind[1], _shape))))
over("polyder", kinds="dfDi", shapes=((0,), (1,), (4,)), options=({}, {"m": 2}, {"m": 0}))
over("polyint", kinds="dfDi", shapes=((0,), (1,), (4,)), options=({}, {"m": 2}, {"m": 2, "k": [1.0, 2.0]}))
over("poly", kinds="dfi", shapes=((0,), (1,), (3,)))

_ROOTS = "the number of roots and whether they are real depend on the data, which must be concrete"
for _p in ([1.0, -3.0, 2.0], [2.0, 1.0], [0.0, 1.0, 2.0, 5.0], [3.0], [0.0, 0.0], [1.0, 2.0, 0.0, 0.0], [1, -3, 2]):
    add("roots", Case(lambda xp, p: xp.roots(p), (np.array(_p),), 0 not in _p[-2:] and _p[0] != 0), note=_ROOTS)
for _name in ("polyadd", "polysub"):
    pairs(_name, kinds=("dd", "fd", "DD", "id", "ii"))
    calls(_name, lambda xp, x, y, n=_name: getattr(xp, n)(x, y[:2]), args=(V, W))
calls("roots", lambda xp, p: xp.roots(p), lambda xp, p: xp.roots(p.real), args=(C,))
for _name in ("polyadd", "polysub"):
    pairs(_name, kinds=("dd", "fd", "DD", "id", "ii"))
    calls(_name, lambda xp, x, y, n=_name: getattr(xp, n)(x, y[:2]), args=(V, W))
calls("roots", lambda xp, p: xp.roots(p), args=(F,))
_ZEROS = "the leading zeros, which NumPy strips, must be concrete"
for _name in ("polymul", "polydiv"):
    for _kinds in ("dd", "fd", "DD", "dD", "id", "ii"):
        _pair = (draw(_kinds[0], (4,)) + np.ones((), _kinds[0]), draw(_kinds[1], (2,)) + np.ones((), _kinds[1]))
        add(_name, Case(_call(_name, {}), _pair), Case(_call(_name, {}), _pair[::-1]), note=_ZEROS)
    calls(
        _name,
        lambda xp, x, n=_name: getattr(xp, n)(x, [2.0, 1.0]),
        lambda xp, x, n=_name: getattr(xp, n)(3, x),
        args=(np.array([0.0, 0.0, 1.5, 2.0]),),
        smooth=False,
    )
calls("poly", lambda xp, z: xp.poly(z), lambda xp, z: xp.poly(xp.concatenate([z, xp.conj(z)])), args=(C[:2],))
NOTES["poly"] = "whether the coefficients are real depends on complex roots, which must be concrete"
calls("poly", lambda xp, a: xp.poly(a), args=(draw("d", (3, 3)) - np.diag([0.0, 2.0, 5.0]),))
_POINTS = np.array([0.1, 0.5, 0.9, 1.4, 2.0])
calls(
    "polyfit",
    lambda xp, x, y: xp.polyfit(x, y, 2),
    lambda xp, x, y: xp.polyfit(x, y, 1, w=y),
    lambda xp, x, y: xp.polyfit(x, xp.stack([y, x * y], 1), 1),
    lambda xp, x, y: xp.polyfit(x, y, 1, cov=True),
    lambda xp, x, y: xp.polyfit(x, y, 2, cov="unscaled"),
    lambda xp, x, y: xp.polyfit(x, y * (1 + 2j), 2),
    lambda xp, x, y: xp.polyfit(x, xp.stack([y, x * y], 1), 1, cov=True),
    args=(_POINTS, np.array([0.3, 1.2, 0.8, 1.9, 1.1])),
)
calls("polyfit", lambda xp, x, y: xp.polyfit(x, y, 1, full=True), args=(_POINTS, _POINTS**2))
calls(
    "polyfit",
    lambda xp, x: xp.polyfit(np.arange(5), x, 2),
    lambda xp, x: xp.polyfit(x, np.arange(5), 1),
    args=(_POINTS.astype(np.float32),),
)
over("i0", kinds="dfi?")
calls("i0", lambda xp, x: xp.i0(40 * x - 30), lambda xp, x: xp.i0(x - x[0]), args=(V,))
calls(
    "kaiser",
    lambda xp, b: xp.kaiser(5, b),
    lambda xp, b: xp.kaiser(1, b),
    lambda xp, b: xp.kaiser(0, b),
    args=(np.array(2.5),),
)
facts("kaiser", lambda xp: xp.kaiser(4, 2))
facts("from_dlpack", lambda xp: xp.from_dlpack(V))

# Statistics.
for _kind in ("d", "f", "D", "i", "?"):
    for _options in (
        {},
        {"rowvar": False},
        {"bias": True},
        {"ddof": 2},
        {"dtype": np.float32},
        {"fweights": [1, 2, 1, 3]},
        {"aweights": [0.5, 1.0, 2.0, 1.0]},
        {"fweights": [1, 2, 1, 3], "aweights": [0.5, 1.0, 2.0, 1.0], "ddof": 0},
    ):
        for _shape in ((4,), (3, 4)):
            add("cov", Case(_call("cov", _options), (draw(_kind, _shape),), label=str(_options)))
    for _options in ({}, {"rowvar": False}):
        for _shape in ((4,), (3, 4)):
            add("corrcoef", Case(_call("corrcoef", _options), (draw(_kind, _shape),), label=str(_options)))
calls(
    "cov",
    lambda xp, x, y: xp.cov(x, y),
    lambda xp, x, y: xp.cov(x, aweights=y),
    lambda xp, x, y: xp.cov(x[0], y, rowvar=False),
    args=(M, V),
)
calls("corrcoef", lambda xp, x, y: xp.corrcoef(x, y), args=(M, V))
add(
    "bincount",
    Case(lambda xp, x: xp.bincount(x), (np.array([0, 2, 2, 5]),)),
    Case(lambda xp, x: xp.bincount(x, minlength=9), (np.array([0, 2, 2, 5]),)),
    Case(lambda xp, w: xp.bincount([0, 2, 2, 5], w), (V,)),
    Case(lambda xp, w: xp.bincount([0, 2, 2, 5], w, 9), (F,)),
    note="the length of the output depends on `x`, which must be concrete: neither batched nor staged",
)
DATA, INSIDE = draw("d", (9,), -0.2, 2.2), np.array([0.13, 0.4, 1.2, 1.7, 1.9, 0.9])
_STAGED = 'bins given by a method (`"auto"`) depend on the data, which must be concrete'
for _options in (
    {},
    {"bins": 4},
    {"bins": 3, "range": (0.0, 2.0)},
    {"bins": KNOTS},
    {"bins": 3, "density": True},
    {"bins": 3, "weights": [1, 2, 3, 4, 5, 6, 7, 8, 9]},
):
    for _kind in "dfi":
        add(
            "histogram",
            Case(_call("histogram", _options), (draw(_kind, (9,), -0.2, 2.2),), label=str(_options)),
            note=_STAGED,
        )
        if "density" not in _options:
            add(
                "histogram_bin_edges",
                Case(_call("histogram_bin_edges", _options), (draw(_kind, (9,), -0.2, 2.2),), label=str(_options)),
                note=_STAGED,
            )
for _shape in ((0,), (2, 3)):
    add("histogram", Case(_call("histogram", {"bins": 2}), (draw("d", _shape),)))
calls(
    "histogram",
    lambda xp, x, w: xp.histogram(x, 3, weights=w),
    lambda xp, x, w: xp.histogram(x, KNOTS, weights=w, density=True),
    args=(DATA, draw("d", (9,))),
)
calls("histogram", lambda xp, x: xp.histogram(x, 3), args=(np.ones(4),), smooth=False)
add("histogram", Case(_call("histogram", {"bins": "sqrt"}), (DATA,), batch=False))
add("histogram_bin_edges", Case(_call("histogram_bin_edges", {"bins": "fd"}), (DATA,), batch=False))
calls(
    "histogram2d",
    lambda xp, x, y: xp.histogram2d(x, y),
    lambda xp, x, y: xp.histogram2d(x, y, [2, 3]),
    lambda xp, x, y: xp.histogram2d(x, y, [KNOTS, 3], weights=np.arange(9.0)),
    lambda xp, x, y: xp.histogram2d(x, y, KNOTS, density=True),
    lambda xp, x, y: xp.histogram2d(x, y, 3, range=[[0, 2], [0.0, 2.0]], weights=y),
    args=(DATA, draw("d", (9,))),
)
calls(
    "histogramdd",
    lambda xp, x: xp.histogramdd(x, 3),
    lambda xp, x: xp.histogramdd(x, [2, 3], density=True),
    lambda xp, x: xp.histogramdd(x, (KNOTS, 2), weights=x[:, 0]),
    args=(draw("d", (9, 2)),),
)
calls("histogramdd", lambda xp, x: xp.histogramdd(x, 3), args=(draw("i", (9, 2)),))

# Order.
for _shape in SHAPES:
    for _side in ("left", "right"):
        add("searchsorted", Case(_call("searchsorted", {"side": _side}), (KNOTS, draw("d", _shape, -0.2, 2.2))))
    for _right in (False, True):
        add(
            "digitize",
            Case(lambda xp, x, b, r=_right: xp.digitize(x, b, r), (draw("d", _shape, -0.2, 2.2), KNOTS)),
            Case(lambda xp, x, b, r=_right: xp.digitize(x, b[::-1], r), (draw("d", _shape, -0.2, 2.2), KNOTS)),
        )
calls("searchsorted", lambda xp, a, v: xp.searchsorted(a, v, sorter=[3, 2, 1, 0]), args=(KNOTS[::-1].copy(), V))
over(
    "partition argpartition",
    shapes=((5,), (3, 4)),
    options=({"kth": 2}, {"kth": (0, 2)}, {"kth": 1, "axis": 0}, {"kth": 3, "axis": None}),
)
over("sort_complex", shapes=ROWS, kinds="dfDFih")
add(
    "lexsort",
    *[
        Case(f, (draw("i", (2, 5)), V[:1].repeat(5)), label=str(k))
        for k, f in enumerate(
            (
                lambda xp, x, y: xp.lexsort((x[0], x[1])),
                lambda xp, x, y: xp.lexsort(x),
                lambda xp, x, y: xp.lexsort((y, x[0])),
                lambda xp, x, y: xp.lexsort((x, x), axis=0),
            )
        )
    ],
)

# Sets: the data decides how many elements an answer has.
_KNOWN = "the shape of the output depends on the data, which must be concrete: neither batched nor staged"
over("unique unique_values unique_all unique_counts unique_inverse", shapes=SHAPES, kinds="dfi", note=_KNOWN)
for _name in "unique_values unique_all unique_counts unique_inverse".split():
    calls(_name, lambda xp, x, n=_name: getattr(xp, n)(x), args=(FEW,), smooth=False)
calls(
    "unique",
    lambda xp, x: xp.unique(x, return_index=True, return_inverse=True, return_counts=True),
    lambda xp, x: xp.unique(xp.stack([x, x, 2 * x]), axis=0),
    args=(FEW,),
    smooth=False,
)
calls("unique", lambda xp, x: xp.unique(x), args=(HOLES,), smooth=False)
for _name in "union1d intersect1d setdiff1d setxor1d".split():
    calls(
        _name,
        lambda xp, x, y, n=_name: getattr(xp, n)(x, y),
        args=(FEW, np.array([0.5, 3.0, 2.0])),
        smooth=False,
        note=_KNOWN,
    )
    calls(_name, lambda xp, x, y, n=_name: getattr(xp, n)(x, y), args=(draw("i", (6,)), draw("i", (4,)) + 1))
    calls(_name, lambda xp, x, y, n=_name: getattr(xp, n)(x, y), args=(V, W))
calls("intersect1d", lambda xp, x, y: xp.intersect1d(x, y, return_indices=True), args=(FEW, FEW[:3]), smooth=False)
calls(
    "isin",
    lambda xp, x, y: xp.isin(x, y),
    lambda xp, x, y: xp.isin(x, y, invert=True),
    lambda xp, x, y: xp.isin(x, [0.5, 2.0]),
    args=(FEW, FEW[1:3]),
)
calls("isin", lambda xp, x, y: xp.isin(x, y), args=(draw("i", (2, 3)), draw("i", (2,))))
add(
    "trim_zeros",
    *[
        Case(f, (np.array([0.0, 0.0, 1.5, 0.0, 2.0, 0.0]),), False, label=str(k))
        for k, f in enumerate(
            (
                lambda xp, x: xp.trim_zeros(x),
                lambda xp, x: xp.trim_zeros(x, "f"),
                lambda xp, x: xp.trim_zeros(x, "b"),
                lambda xp, x: xp.trim_zeros(0 * x),
            )
        )
    ],
    note=_KNOWN,
)

calls("trim_zeros", lambda xp, x: xp.trim_zeros(x), args=(V,))

# Index arrays.
facts("bartlett blackman hamming hanning", lambda xp: xp.hanning(5))
facts("diag_indices", lambda xp: xp.diag_indices(3))
facts("tril_indices triu_indices", lambda xp: xp.tril_indices(3, 1, 4))
facts("indices", lambda xp: xp.indices((2, 3)))
facts("mask_indices", lambda xp: xp.mask_indices(3, np.triu, 1))
facts("mgrid ogrid", lambda xp: xp.mgrid[0:2, 1:2:3j], lambda xp: xp.ogrid[0:2, 1:3])
calls("diag_indices_from", lambda xp, x: xp.diag_indices_from(x @ x.T), args=(M,))
calls("tril_indices_from", lambda xp, x: xp.tril_indices_from(x, 1), args=(M,))
calls("triu_indices_from", lambda xp, x: xp.triu_indices_from(x, 1), args=(M,))
calls("ix_", lambda xp, x, y: xp.ix_(x, y), args=(np.array([0, 2]), np.array([1, 3, 0])))
for _shape in SHAPES:
    for _order in "CF":
        add(
            "unravel_index",
            Case(lambda xp, x, o=_order: xp.unravel_index(x, (4, 5), order=o), (draw("i", _shape, 0, 15),)),
        )
        for _mode in ("raise", "wrap", "clip"):
            add(
                "ravel_multi_index",
                Case(
                    lambda xp, x, y, o=_order, m=_mode: xp.ravel_multi_index((x, y), (5, 6), m, o),
                    (draw("i", _shape, 1, 1), draw("i", _shape, 1, 2)),
                ),
            )
for _kind in "dfDi":
    for _key in (
        lambda x: (x,),
        lambda x: (1, 2, x, 0.5),
        lambda x: (x, slice(0, 3), x[0]),
        lambda x: ("-1", x, x),
        lambda x: ("0,2", x, x),
        lambda x: ("1,2,0", x, x),
        lambda x: (slice(0, 1, 3j), x),
    ):
        calls("r_", lambda xp, x, key=_key: xp.r_[key(x)], args=(draw(_kind, (4,)),))
    calls("c_", lambda xp, x: xp.c_[x, x], lambda xp, x: xp.c_[x, 0:4], args=(draw(_kind, (4,)),))

# Joining, choosing, writing.
for _kind in ALL:
    for _options in (
        {"obj": 1},
        {"obj": [0, 2]},
        {"obj": slice(0, 3, 2)},
        {"obj": -1, "axis": 0},
        {"obj": [1], "axis": 1},
        {"obj": np.array([True, False, True])},
    ):
        add(
            "insert",
            Case(lambda xp, x, o=_options: xp.insert(x, values=1, **o), (draw(_kind, (3, 4)),), label=str(_options)),
        )
calls(
    "insert",
    lambda xp, x, y: xp.insert(x, 1, y, axis=0),
    lambda xp, x, y: xp.insert(x, [0, 2, 2], xp.stack([y, 2 * y, -y]), axis=0),
    lambda xp, x, y: xp.insert(x, 2, y[:3], axis=1),
    lambda xp, x, y: xp.insert(x, [2], y[:3, None], axis=1),
    lambda xp, x, y: xp.insert(y, [1, 1], x[0, :2]),
    lambda xp, x, y: xp.insert(x, 1, xp.stack([y[:3], -y[:3]]), axis=1),
    args=(M, V),
)
over("resize", options=({"new_shape": 5}, {"new_shape": (2, 4)}, {"new_shape": (0,)}, {"new_shape": ()}))
calls(
    "block",
    lambda xp, x, y: xp.block([[x, x], [y, y]]),
    lambda xp, x, y: xp.block([x, 1.0]),
    lambda xp, x, y: xp.block(x),
    lambda xp, x, y: xp.block([[x, y[:, :1]], [1, y[:2, :4]]]) if y.shape[0] == 1 else xp.block([[x], [y]]),
    args=(M, M[:1]),
)
calls("resize", lambda xp, x: xp.resize(x, (2, 3)), args=(C,))


def writes(name, *writers, args=(V, W)):
    """A writer called on a copy of the first array, which is then the answer."""

    def call(writer):
        def fun(xp, x, *rest):
            x = xp.copy(x)
            writer(xp, x, *rest)
            return x * 1

        return fun

    calls(name, *map(call, writers), args=args)


writes(
    "put",
    lambda xp, x, y: xp.put(x, [0, -1], y[:2]),
    lambda xp, x, y: xp.put(x, [3, 1, 0], y[1]),
    lambda xp, x, y: xp.put(x, [5, -7], y, mode="wrap"),
    lambda xp, x, y: xp.put(x, [5, -7], y, mode="clip"),
)
writes("place", lambda xp, x, y: xp.place(x, x > 1.0, y), lambda xp, x, y: xp.place(x, [1, 0, 1, 1], y[:2]))
writes(
    "putmask",
    lambda xp, x, y: xp.putmask(x, x > 1.0, y),
    lambda xp, x, y: xp.putmask(x, [1, 0, 1, 1], y[:3]),
    lambda xp, x, y: xp.putmask(x, x > 1.0, y[:0]),
)
writes("copyto", lambda xp, x, y: xp.copyto(x, y), lambda xp, x, y: xp.copyto(x, y[0], where=[True, False, True, True]))
writes(
    "fill_diagonal",
    lambda xp, x, y: xp.fill_diagonal(x, y[0]),
    lambda xp, x, y: xp.fill_diagonal(x, y[:2]),
    args=(M, V),
)
writes("fill_diagonal", lambda xp, x, y: xp.fill_diagonal(x, y, wrap=True), args=(draw("d", (7, 2)), V))
writes("fill_diagonal", lambda xp, x, y: xp.fill_diagonal(x, y), args=(draw("d", (2, 2, 2)), V))
writes("put_along_axis", lambda xp, x, y: xp.put_along_axis(x, np.array([[0, 2, 1, 1]]), y, 0), args=(M, V))
writes("put_along_axis", lambda xp, x, y: xp.put_along_axis(x, np.array([0, 2]), y[:2], None), args=(M, V))

# Functions that call the user's.
for _axis in (0, 1, -1):
    calls(
        "apply_along_axis",
        lambda xp, x, k=_axis: xp.apply_along_axis(lambda v: v.sum() * v, k, x),
        lambda xp, x, k=_axis: xp.apply_along_axis(lambda v: v.max(), k, x),
        lambda xp, x, k=_axis: xp.apply_along_axis(lambda v: v[:, None] * v, k, x),
        args=(N,),
    )
calls(
    "apply_over_axes",
    lambda xp, x: xp.apply_over_axes(xp.sum, x, [0, -1]),
    lambda xp, x: xp.apply_over_axes(xp.max, x, 1),
    args=(N,),
)
for _kind in "dfDi":
    for _shape in SHAPES:
        add(
            "piecewise",
            Case(
                lambda xp, x: xp.piecewise(x, [x.real < 0.8, x.real > 1.2], [lambda v: v * v, lambda v: -v, 1]),
                (draw(_kind, _shape),),
            ),
            Case(
                lambda xp, x: xp.piecewise(x, [x.real < 0.8], [lambda v: v * v, lambda v: -v]), (draw(_kind, _shape),)
            ),
            note="when batched or staged, the functions are called on all of `x` and must be elementwise",
        )
calls(
    "piecewise",
    lambda xp, x: xp.piecewise(x, x > 1, [lambda v, s: v * s, 0.0], 3.0),
    lambda xp, x: xp.piecewise(x, [[True, False, True, False]], [lambda v: v * 2]),
    lambda xp, x: xp.piecewise(x, [True, False, True, False], [lambda v: v * 2]),
    args=(V,),
)
calls(
    "vectorize",
    lambda xp, x: xp.vectorize(lambda v: v * v)(x),
    lambda xp, x: xp.vectorize(lambda v, w: (v * w, v + w))(x, x[0]),
    lambda xp, x: xp.vectorize(lambda v, w: v @ w, signature="(n),(n)->()")(x, x[0]),
    lambda xp, x: xp.vectorize(lambda v, p: v * p[0], excluded={1})(x, [2.0]),
    args=(M,),
)
calls("fromfunction", lambda xp, x: xp.fromfunction(lambda i, j: x[0, 0] * i + j, (2, 3)), args=(M,))

# Dtypes and layouts.
over("asanyarray ascontiguousarray asfortranarray asarray_chkfinite", options=({}, {"dtype": np.complex64}))
calls("isfortran", lambda xp, x: xp.isfortran(x), args=(M,))
calls("common_type", lambda xp, x, y: xp.common_type(x, y), args=(V, F))
over("common_type", kinds="dfDFi")
calls("min_scalar_type", lambda xp, x: xp.min_scalar_type(x), args=(V,))
calls(
    "real_if_close",
    lambda xp, x: xp.real_if_close(x),
    lambda xp, x: xp.real_if_close(x.real + 0j),
    args=(C,),
    note="the dtype of the output depends on complex data, which must be concrete",
)
calls("real_if_close", lambda xp, x: xp.real_if_close(x), args=(V,))
over("isposinf isneginf", kinds="dfi?")
calls("isposinf", lambda xp, x: xp.isposinf(x / np.array([0, 1, 0, -1])), args=(V,), smooth=False)
calls("isneginf", lambda xp, x: xp.isneginf(-x / np.array([0, 1, 0, -1])), args=(V,), smooth=False)
facts("isdtype", lambda xp: xp.isdtype(np.dtype("f4"), "real floating"))
facts("iterable", lambda xp: xp.iterable([1]))
calls("einsum_path", lambda xp, x, y: xp.einsum_path("ij,j->i", x, y), args=(M, V))
calls(
    "array_equiv",
    lambda xp, x, y: xp.array_equiv(x, y),
    lambda xp, x, y: xp.array_equiv(x, x[0]),
    lambda xp, x, y: xp.array_equiv(x, y[:3]),
    args=(M, V),
)

# Digits of numbers, products, spaces.
pairs("gcd lcm", kinds=("ii", "hi", "dd"))
over("bitwise_count", kinds="ihd?")
over("spacing", kinds="dfi?")
pairs("nextafter", kinds=("dd", "ff", "fd", "id"))
pairs("ldexp", kinds=("di", "fi", "fh", "ii"))
over("frexp", kinds="dfi", low=0.6, high=0.9)
over("frexp", kinds="df", low=0.0, high=9)
calls("matvec", lambda xp, x, y: xp.matvec(x, y), args=(M, V))
calls("matvec", lambda xp, x, y: xp.matvec(x, y), args=(draw("D", (2, 3, 4)), C))
calls("vecmat", lambda xp, x, y: xp.vecmat(x, y), args=(V, M.T.copy()))
calls("vecmat", lambda xp, x, y: xp.vecmat(x, y), args=(C, draw("D", (2, 4, 3))))
for _name in ("logspace", "geomspace"):
    for _kind in ("dd", "ff", "DD", "ii", "df"):
        for _options in (
            {"num": 4},
            {"num": 4, "endpoint": False},
            {"num": 3, "dtype": np.float32},
            {"num": 1},
            {"num": 0},
            {"num": 3, "axis": -1},
        ):
            for _s, _t in (((), ()), ((3,), (3,)), ((2, 3), (3,))):
                add(
                    _name,
                    Case(
                        _call(_name, _options),
                        (draw(_kind[0], _s, 1, 2), draw(_kind[1], _t, 3, 4)),
                        label=str(_options),
                    ),
                )
calls(
    "logspace",
    lambda xp, x, y: xp.logspace(x, 2.0, 3, base=y),
    lambda xp, x, y: xp.logspace(x[0], 2.0, 3, base=y[0]),
    args=(V, W),
)
calls("geomspace", lambda xp, x: xp.geomspace(-x, -8.0, 4), args=(V,))


class Table:
    """The functions and arrays above, for the files that hold more names."""

    over, pairs, calls, facts, draw = map(staticmethod, (over, pairs, calls, facts, draw))
    NOTES = NOTES
    V, W, M, N, C, F, ALL, SHAPES, REDUCE, PLACES = V, W, M, N, C, F, ALL, SHAPES, REDUCE, PLACES


_load("names_common").fill(Table)
_load("names_linear").fill(Table)
