"""The comparison of a function of arrays with itself: plain, traced, by finite differences, batched."""

import numpy as np
import pytest

import covector

STEP = 6e-6


def flat(out):
    return list(out) if isinstance(out, tuple | list) else [out]


def inexact(x):
    return isinstance(x, np.ndarray) and x.dtype.kind in "fc"


def draw(rng, like):
    v = rng.normal(size=like.shape)
    return v + 1j * rng.normal(size=like.shape) if like.dtype.kind == "c" else v


def dot(xs, ys):
    return sum(float(np.real(np.vdot(x, y))) for x, y in zip(xs, ys))


@pytest.fixture
def agrees():
    """`agrees(fun, *arrays, batch=True)`: values, dtypes, jvp, vjp and vmap of `fun` against plain NumPy."""

    def check(fun, *args, batch=True, tol=2e-6):
        rng = np.random.default_rng(7)

        def several(*xs):
            return tuple(flat(fun(*xs)))

        want = [np.asarray(v) for v in several(*args)]
        live = [k for k, v in enumerate(want) if v.dtype.kind in "fc"]
        dxs = tuple(draw(rng, x) for x in args)
        outs, tangents = covector.jvp(several, args, dxs)
        for got, v in zip(outs, want, strict=True):
            assert np.shape(got) == v.shape
            assert np.asarray(got).dtype == v.dtype
            np.testing.assert_allclose(got, v, rtol=1e-12, atol=1e-12)
        up = several(*[x + STEP * d for x, d in zip(args, dxs)])
        down = several(*[x - STEP * d for x, d in zip(args, dxs)])
        for k in live:
            slope = (np.asarray(up[k]) - np.asarray(down[k])) / (2 * STEP)
            np.testing.assert_allclose(tangents[k], slope, rtol=tol, atol=tol)
        outs, pullback = covector.vjp(lambda *xs: tuple(several(*xs)[k] for k in live), *args)
        for got, k in zip(outs, live, strict=True):
            np.testing.assert_allclose(got, want[k], rtol=1e-12, atol=1e-12)
        ws = [draw(rng, want[k]) for k in live]
        cts = [np.conj(c) for c in pullback(tuple(np.conj(w) for w in ws))]
        for c, x in zip(cts, args):
            assert (c.shape, c.dtype) == (x.shape, x.dtype)
        np.testing.assert_allclose(dot(ws, [tangents[k] for k in live]), dot(cts, dxs), rtol=1e-9, atol=1e-9)
        if batch:
            stacks = [np.stack([x, x + 0.01 * draw(rng, x)]) for x in args]
            together = covector.vmap(several)(*stacks)
            for i in range(2):
                alone = several(*[s[i] for s in stacks])
                for got, v in zip(together, alone, strict=True):
                    np.testing.assert_allclose(got[i], v, rtol=1e-10, atol=1e-10)

    return check
