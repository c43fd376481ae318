"""The elementwise functions, reductions, shapes and products: the calls by which they are compared with NumPy."""

import numpy as np


def _known(xp, name):
    """The function `name`; NumPy's `row_stack`, which 2.5 has no more, was `vstack`."""
    return getattr(xp, name, xp.vstack if name == "row_stack" else None)


def fill(t):
    """Add the cases of the everyday names to the table `t`."""
    over, pairs, calls, facts, draw, ALL = t.over, t.pairs, t.calls, t.facts, t.draw, t.ALL
    V, W, M, N, C = t.V, t.W, t.M, t.N, t.C

    # Elementwise.
    over(
        "negative positive square reciprocal sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh "
        "arcsinh asinh arctan atan absolute abs sinc sign isnan isfinite isinf logical_not iscomplex isreal"
    )
    over("conjugate conj real imag angle", kinds=ALL)
    over("arcsin asin arccos acos arctanh atanh", low=0.1, high=0.8)
    over("arccosh acosh", low=1.2, high=2.0)
    over(
        "fabs cbrt deg2rad rad2deg radians degrees floor ceil trunc rint fix signbit modf",
        kinds="dfi?",
        low=0.6,
        high=0.9,
    )
    over("round around", kinds="dfDi", low=0.6, high=0.9, options=({}, {"decimals": 1}), smooth=False)
    over("isrealobj iscomplexobj shape ndim size")
    over("invert bitwise_not bitwise_invert", kinds="i?d")
    over("nan_to_num")
    calls(
        "nan_to_num",
        lambda xp, x: xp.nan_to_num(x / np.array([0, 1, -np.inf, np.nan]), nan=2.0, posinf=3.0),
        args=(V,),
        smooth=False,
    )
    over("astype", kinds="df", options=(), shapes=())
    calls(
        "astype",
        lambda xp, x: xp.astype(x, np.complex128),
        lambda xp, x: xp.astype(x, np.float32),
        lambda xp, x: xp.astype(x, int),
        args=(M,),
    )
    over("clip", options=({"a_min": 0.6, "a_max": 1.1}, {"a_min": 1}, {"max": 1}), kinds="dfi")
    calls("clip", lambda xp, x, a, b: xp.clip(x, a, a + b), args=(M, V, W))
    pairs(
        "add subtract multiply divide true_divide power pow float_power equal not_equal less less_equal greater "
        "greater_equal logical_and logical_or logical_xor maximum minimum isclose allclose array_equal"
    )
    pairs(
        "arctan2 atan2 hypot fmax fmin logaddexp logaddexp2 copysign heaviside fmod remainder mod floor_divide divmod",
        kinds=("dd", "ff", "fd", "id", "ii"),
    )
    pairs(
        "bitwise_and bitwise_or bitwise_xor left_shift right_shift bitwise_left_shift bitwise_right_shift",
        kinds=("ii", "li", "??", "dd"),
    )
    calls("logaddexp", lambda xp, x: xp.logaddexp(x, 0.5), lambda xp, x: xp.logaddexp(2, x), args=(t.F,))
    for scalar in (2, 2.0, 0.5, -1, True, 1 + 1j):
        for name in "add subtract multiply divide power maximum arctan2 equal".split():
            for kind in "dfDi":
                calls(
                    name,
                    lambda xp, x, n=name, s=scalar: getattr(xp, n)(x, s),
                    lambda xp, x, n=name, s=scalar: getattr(xp, n)(s, x),
                    args=(draw(kind, (3,)),),
                    smooth=False,
                )
    over("result_type")
    calls("result_type", lambda xp, x, y: xp.result_type(x, y), lambda xp, x, y: xp.result_type(x, 1.0), args=(V, C))

    # Reductions.
    over("sum prod max min amax amin mean var std ptp all any count_nonzero average", options=t.REDUCE)
    over("sum prod mean var std", kinds="dfi", shapes=((2, 3),), options=({"dtype": np.float32}, {"dtype": complex}))
    over("var std", kinds="dfD", shapes=((3,), (2, 3)), options=({"ddof": 1}, {"axis": 0, "correction": 1}))
    over("sum prod max min", kinds="df", shapes=t.SHAPES, options=({"initial": 2}, {"initial": 0.5, "axis": 0}))
    over("argmax argmin", kinds="dfi?", options=t.PLACES)
    calls(
        "average",
        lambda xp, x, w: xp.average(x, weights=w),
        lambda xp, x, w: xp.average(x, axis=1, weights=w[0]),
        lambda xp, x, w: xp.average(x, axis=0, weights=w, returned=True),
        args=(M, M * M),
    )
    over(
        "diff",
        options=({}, {"n": 2}, {"axis": 0}, {"prepend": 1}, {"append": 0.5, "axis": 0}),
        shapes=((3,), (2, 3), (0,)),
    )
    over("median", options=t.REDUCE, shapes=((), (3,), (2, 3), (4,), (0,)))
    for name, q in (("quantile", 1.0), ("percentile", 100.0)):
        over(
            name,
            kinds="dfi",
            shapes=((), (3,), (2, 3)),
            options=(
                {"q": 0.3 * q},
                {"q": np.array([0.1, 0.8]) * q, "axis": 0},
                {"q": 0.5 * q, "axis": -1, "keepdims": True},
                {"q": np.array([[0.2], [1.0]]) * q},
                {"q": 0},
                {"q": 1},
            ),
        )
        for method in (
            "inverted_cdf",
            "averaged_inverted_cdf",
            "closest_observation",
            "interpolated_inverted_cdf",
            "hazen",
            "weibull",
            "median_unbiased",
            "normal_unbiased",
            "lower",
            "higher",
            "midpoint",
            "nearest",
        ):
            over(
                f"{name} nan{name}",
                kinds="di",
                shapes=((5,), (2, 4)),
                options=({"q": np.array([0.0, 0.25, 0.61]) * q, "method": method, "axis": -1},),
            )
    calls("quantile", lambda xp, x, q: xp.quantile(x, q / 2), lambda xp, x, q: xp.quantile(x[0], q[0] / 3), args=(M, V))

    # Shapes.
    over(
        "ravel transpose permute_dims flip fliplr flipud matrix_transpose atleast_1d atleast_2d atleast_3d squeeze "
        "copy unstack asarray array"
    )
    over("expand_dims", options=({"axis": 0}, {"axis": (0, -1)}))
    over("roll", options=({"shift": 1}, {"shift": -2, "axis": -1}, {"shift": (1, 1), "axis": (0, 1)}))
    over("repeat", options=({"repeats": 2}, {"repeats": 3, "axis": 0}))
    over("tile", options=({"reps": 2}, {"reps": (2, 1, 2)}))
    over("swapaxes", options=({"axis1": 0, "axis2": -1},))
    over("moveaxis", options=({"source": 0, "destination": -1}, {"source": (0, 1), "destination": (1, 0)}))
    over("rollaxis", options=({"axis": 1}, {"axis": 1, "start": 2}))
    over("rot90", options=({}, {"k": 2}, {"k": 3}, {"axes": (1, 0)}))
    over("broadcast_to", options=({"shape": (2, 3)}, {"shape": (2, 2, 3)}))
    over(
        "pad",
        kinds="dfDi?",
        options=(
            {"pad_width": 1},
            {"pad_width": (1, 2), "mode": "edge"},
            {"pad_width": ((1, 2),), "constant_values": 2},
            {"pad_width": 1, "mode": "wrap"},
            {"pad_width": 2, "mode": "symmetric"},
            {"pad_width": 2, "mode": "reflect"},
            {"pad_width": 1, "constant_values": (1, 2)},
            {"pad_width": 2, "mode": "linear_ramp", "end_values": 0.5},
            {"pad_width": 2, "mode": "mean"},
            {"pad_width": 2, "mode": "maximum", "stat_length": 1},
            {"pad_width": {-1: (0, 2)}},
            {"pad_width": 1, "mode": "reflect", "reflect_type": "odd"},
        ),
    )
    calls("pad", lambda xp, x: xp.pad(x, 2, mode="empty").shape, args=(M,))
    over("reshape", options=({"shape": -1}, {"shape": (3, -1)}, {"shape": (-1, 2), "order": "F"}))
    over("diag diagflat tril triu", options=({}, {"k": 1}, {"k": -1}))
    over("diagonal trace", options=({}, {"offset": 1}), shapes=((2, 3), (3, 2), (2, 3, 2), (3,)))
    over("tril triu diagonal trace", shapes=((2, 3, 2),), kinds="di")
    over("zeros_like ones_like full_like empty_like", shapes=())
    for kind in ALL:
        for shape in t.SHAPES:
            x = draw(kind, shape)
            calls(
                "zeros_like",
                lambda xp, x: xp.zeros_like(x),
                lambda xp, x: xp.zeros_like(x, dtype=np.float32, shape=(2,)),
                args=(x,),
            )
            calls("ones_like", lambda xp, x: xp.ones_like(x), lambda xp, x: xp.ones_like(x, dtype=int), args=(x,))
            calls("empty_like", lambda xp, x: 0 * xp.empty_like(x).astype(int), args=(x,), smooth=False)
            calls(
                "full_like", lambda xp, x: xp.full_like(x, 2), lambda xp, x: xp.full_like(x, 3, shape=(2, 2)), args=(x,)
            )
    calls("full_like", lambda xp, x, y: xp.full_like(x, y[0]), args=(M, V))

    # Joining and splitting.
    for kinds in ("dd", "ff", "fd", "DD", "id", "i?"):
        a, b = draw(kinds[0], (2, 3)), draw(kinds[1], (2, 3))
        for name in "concatenate concat stack vstack row_stack hstack dstack column_stack".split():
            calls(
                name,
                lambda xp, x, y, n=name: _known(xp, n)((x, y)),
                lambda xp, x, y, n=name: _known(xp, n)([x[0], y[1]]),
                lambda xp, x, y, n=name: (
                    _known(xp, n)([x, y], dtype=np.complex128) if n not in ("dstack", "column_stack") else x
                ),
                args=(a, b),
            )
        calls(
            "concatenate",
            lambda xp, x, y: xp.concatenate([x, y], axis=-1),
            lambda xp, x, y: xp.concatenate([x, y], axis=None),
            lambda xp, x, y: xp.concatenate(x),
            lambda xp, x, y: xp.concatenate([x, np.ones((1, 3), "f4")]),
            args=(a, b),
        )
        calls("stack", lambda xp, x, y: xp.stack([x, y], axis=-1), lambda xp, x, y: xp.stack(x), args=(a, b))
        calls(
            "append",
            lambda xp, x, y: xp.append(x, y),
            lambda xp, x, y: xp.append(x, y, axis=1),
            lambda xp, x, y: xp.append(x, 1),
            lambda xp, x, y: xp.append([1.0], x),
            args=(a, b),
        )
    calls(
        "split",
        lambda xp, x: xp.split(x, 2, axis=1),
        lambda xp, x: xp.split(x, [1, 2]),
        lambda xp, x: xp.split(x, 5),
        args=(M,),
    )
    calls("array_split", lambda xp, x: xp.array_split(x, 2), lambda xp, x: xp.array_split(x, [1], axis=-1), args=(M,))
    calls("vsplit", lambda xp, x: xp.vsplit(x, 3), args=(M,))
    calls("hsplit", lambda xp, x: xp.hsplit(x, 2), lambda xp, x: xp.hsplit(x[0], 2), args=(M,))
    calls("dsplit", lambda xp, x: xp.dsplit(x, 2), args=(N,))

    # Choosing.
    calls(
        "where",
        lambda xp, x, y: xp.where(x > 1, x, y),
        lambda xp, x, y: xp.where(x > 1, x, 0),
        lambda xp, x, y: xp.where([[True], [False], [1]], 2, x),
        lambda xp, x, y: xp.where(x - x, x, 1.5),
        args=(M, V),
    )
    for kind in "dfDi?":
        calls(
            "where",
            lambda xp, x: xp.where([True, False, True], x, 1),
            lambda xp, x: xp.where([True, False, True], x, 1.5),
            lambda xp, x: xp.where(x, 1.0, 2),
            args=(draw(kind, (3,)),),
        )
    known = "the shape of the output depends on the data, which must be concrete: neither batched nor staged"
    for name in "nonzero flatnonzero argwhere".split():
        calls(name, lambda xp, x, n=name: getattr(xp, n)(x > 1), args=(M,), note=known)
    calls(
        "extract", lambda xp, x: xp.extract(x > 1, x), lambda xp, x: xp.extract([1, 0, 1, 0], x), args=(M,), note=known
    )
    calls(
        "compress",
        lambda xp, x: xp.compress([True, False, True], x, axis=0),
        lambda xp, x: xp.compress([0, 1], x),
        args=(M,),
    )
    calls(
        "choose",
        lambda xp, x, y: xp.choose([0, 1, 1, 0], [x, y]),
        lambda xp, x, y: xp.choose([5, -1, 1, 0], [x, y, 1.0], mode="clip"),
        lambda xp, x, y: xp.choose([5, -1, 1, 0], [x, y], mode="wrap"),
        args=(V, W),
    )
    calls("choose", lambda xp, k, x: xp.choose(k, [x, 2 * x, 1]), args=(np.array([0, 2, 1, 1]), V))
    calls(
        "select",
        lambda xp, x, y: xp.select([x > 1.2, x > 0.8], [x, y], 3),
        lambda xp, x, y: xp.select([x > 1.2], [x]),
        args=(V, W),
    )
    calls(
        "take",
        lambda xp, x: xp.take(x, [0, 2, 2], axis=1),
        lambda xp, x: xp.take(x, [[0, -1]]),
        lambda xp, x: xp.take(x, 2, axis=0),
        lambda xp, x: xp.take(x, [7, -9], axis=0, mode="wrap"),
        lambda xp, x: xp.take(x, [7, -9], axis=0, mode="clip"),
        lambda xp, x: xp.take(x, 9, axis=0),
        args=(M,),
    )
    calls("take", lambda xp, x, k: xp.take(x, k), lambda xp, x, k: xp.take(x, k, axis=1), args=(M, np.array([3, 0])))
    calls(
        "take_along_axis",
        lambda xp, x: xp.take_along_axis(x, np.array([[0, 1, 0, 2]]), axis=0),
        lambda xp, x: xp.take_along_axis(x, xp.argsort(x, axis=1), axis=1),
        lambda xp, x: xp.take_along_axis(x, np.array([3, 1]), None),
        args=(M,),
    )
    calls(
        "delete",
        lambda xp, x: xp.delete(x, 1),
        lambda xp, x: xp.delete(x, [0, -1], axis=1),
        lambda xp, x: xp.delete(x, slice(0, 2), axis=0),
        lambda xp, x: xp.delete(x, [True, False, True], axis=0),
        lambda xp, x: xp.delete(x, 9, axis=0),
        args=(M,),
    )
    over("sort argsort", options=({}, {"axis": 0}, {"axis": None}, {"kind": "stable"}), shapes=((3,), (2, 3), (0,)))

    # Products.
    for kinds in ("dd", "ff", "fd", "DD", "id", "ii", "??"):
        for name, shapes in {
            "dot": (((3, 4), (4, 2)), ((3, 4), (4,)), ((4,), (4,)), ((), (2, 3)), ((2, 3, 4), (2, 4, 2))),
            "matmul": (((3, 4), (4, 2)), ((4,), (4, 2)), ((2, 3, 4), (4, 2)), ((3, 4), (3, 2)), ((0, 2), (2, 3))),
            "inner": (((3, 4), (2, 4)), ((4,), (4,)), ((), (3,))),
            "outer": (((2, 2), (3,)), ((), (0,))),
            "vdot": (((3, 4), (3, 4)), ((4,), (4,))),
            "vecdot": (((3, 4), (4,)), ((2, 3), (2, 3)), ((4,), (3,))),
            "tensordot": (((2, 3, 4), (3, 4, 2)), ((3, 4), (4, 3))),
            "kron": (((2, 3), (3, 2)), ((3,), (2, 2)), ((), (2,))),
            "cross": (((2, 3), (3,)), ((3,), (3,))),
        }.items():
            for s, u in shapes:
                calls(name, lambda xp, x, y, n=name: getattr(xp, n)(x, y), args=(draw(kinds[0], s), draw(kinds[1], u)))
    calls(
        "tensordot",
        lambda xp, x, y: xp.tensordot(x, y, 1),
        lambda xp, x, y: xp.tensordot(x, y, ([0], [1])),
        lambda xp, x, y: xp.tensordot(x, y, 0),
        args=(M, draw("d", (4, 3))),
    )
    calls(
        "cross",
        lambda xp, x, y: xp.cross(x, y, axisa=0, axisb=0),
        lambda xp, x, y: xp.cross(x, y, axis=0),
        args=(M, M * M),
    )
    calls(
        "einsum",
        lambda xp, x, y: xp.einsum("ij,kj->ik", x, y),
        lambda xp, x, y: xp.einsum("ij,ij->", x, y),
        lambda xp, x, y: xp.einsum("...j,...j", x, y),
        lambda xp, x, y: xp.einsum("ij->ji", x),
        lambda xp, x, y: xp.einsum(x, [0, 1], y, [2, 1]),
        lambda xp, x, y: xp.einsum("ij,kj,ij", x, y, x),
        args=(M, M * M),
    )
    calls("einsum", lambda xp, x, y: xp.einsum("ij,j", x, y), args=(draw("i", (2, 3)), draw("i", (3,))))

    # Making arrays.
    facts("arange", lambda xp: xp.arange(3), lambda xp: xp.arange(0.5, 2.0, 0.5))
    facts(
        "zeros ones empty identity eye tri",
        lambda xp: [getattr(xp, n)((2, 3)) for n in ("zeros", "ones")],
        lambda xp: [getattr(xp, n)(3) for n in ("eye", "identity", "tri")],
    )
    calls("full", lambda xp, x: xp.full((2, 2), x), lambda xp, x: xp.full(3, x, np.float32), args=(draw("d", ()),))
    calls(
        "array",
        lambda xp, x: xp.array([x, x]),
        lambda xp, x: xp.array([[x[0], 1], [2.0, x[1]]]),
        lambda xp, x: xp.array(x, ndmin=3),
        lambda xp, x: xp.array(x, dtype=np.complex64),
        args=(V,),
    )
    calls("asarray", lambda xp, x: xp.asarray(x, np.float32), lambda xp, x: xp.asarray([x[0], 2]), args=(V,))
    calls(
        "linspace",
        lambda xp, x, y: xp.linspace(x, y, 4),
        lambda xp, x, y: xp.linspace(x, 3, 4, endpoint=False),
        lambda xp, x, y: xp.linspace(x, y, 3, axis=-1),
        lambda xp, x, y: xp.linspace(0, y[0], 3, retstep=True),
        lambda xp, x, y: xp.linspace(x, y, 4, dtype=np.float32),
        args=(V, W),
    )
    for kind in "fDi":
        calls(
            "linspace",
            lambda xp, x: xp.linspace(x, 5, 4),
            lambda xp, x: xp.linspace(x[0], x, 1),
            lambda xp, x: xp.linspace(x, 7, 4, dtype=int),
            args=(draw(kind, (3,)),),
        )
    calls(
        "meshgrid",
        lambda xp, x, y: xp.meshgrid(x, y),
        lambda xp, x, y: xp.meshgrid(x, y, indexing="ij"),
        lambda xp, x, y: xp.meshgrid(x, y, sparse=True),
        lambda xp, x, y: xp.meshgrid(x, y, y[:1]),
        args=(V, W[:3]),
    )
    calls("broadcast_arrays", lambda xp, x, y: xp.broadcast_arrays(x, y), args=(M, V))
    facts("broadcast_shapes", lambda xp: xp.broadcast_shapes((2, 1), (3,)))
    facts(
        "can_cast issubdtype promote_types isscalar",
        lambda xp: xp.can_cast("f4", "f8"),
        lambda xp: xp.isscalar(1.0),
        lambda xp: xp.issubdtype(np.float32, np.floating),
        lambda xp: xp.promote_types("f4", "i4"),
    )
