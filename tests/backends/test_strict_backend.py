"""A second array library that refuses silent conversion: every primitive and the transforms compute with it."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import covector as cv
from covector.extend import REGISTRY

_spec = importlib.util.spec_from_file_location("strict_stand_in", Path(__file__).with_name("strict.py"))
stand_in = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(stand_in)
Array = stand_in.Array



@pytest.fixture(autouse=True, scope="module")
def _imported():
    """The library is there for these tests alone: the generic checker looks at every loaded backend."""
    sys.modules["strict_arrays"] = stand_in.strict
    yield
    del sys.modules["strict_arrays"]


PRIMITIVES = [n for n, p in REGISTRY.items() if p.handlers is None and p.across is None and n.islower()]


def strict(value):
    return Array(np.asarray(value))


def host(tree):
    return cv.tree.map(lambda a: a.get(), tree)


def same(ours, theirs):
    """Values, dtypes and shapes agree, and the strict side never left its library."""
    for a, b in zip(cv.tree.leaves(theirs), cv.tree.leaves(ours), strict=True):
        assert isinstance(b, Array), type(b)
        a = np.asarray(a)
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        loose = a.dtype in (np.float32, np.complex64)
        np.testing.assert_allclose(b.get(), a, rtol=1e-4 if loose else 1e-9, atol=1e-5 if loose else 1e-11)


def ones_like(tree):
    def one(v):
        return v * 0 + 1 if v.dtype.kind in "fc" else v

    return tuple(one(v) for v in tree) if isinstance(tree, tuple) else one(tree)


def run(prim, sample, convert, mode):
    """The value, pullback or pushforward of one sample with operands of one library."""
    operands = [convert(np.asarray(x)) for x in sample.operands]
    params = [sample.params.get(name, prim.defaults.get(name)) for name in prim.params]
    live = [i for i, x in enumerate(operands) if i not in prim.nondiff and x.dtype.kind in "fc"]

    def fun(*xs):
        full = list(operands)
        for i, x in zip(live, xs):
            full[i] = x
        return prim.again((*full, *params))

    xs = tuple(operands[i] for i in live)
    if mode == "value" or prim.flat or not live:
        return fun(*xs)
    if mode == "vjp":
        out, pullback = cv.vjp(fun, *xs)
        return pullback(ones_like(out))
    return cv.jvp(fun, xs, tuple(x * 0.5 for x in xs))


@pytest.mark.parametrize("mode", ["value", "vjp", "jvp"])
@pytest.mark.parametrize("name", PRIMITIVES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_primitive_computes_with_strict_arrays(name, mode):
    prim = REGISTRY[name]
    for sample in prim.samples(np.random.default_rng(0)):
        same(run(prim, sample, strict, mode), run(prim, sample, np.asarray, mode))


X = np.linspace(0.5, 2.0, 6).reshape(2, 3)
W = np.linspace(-1.0, 1.0, 12).reshape(3, 4)


def program(x, w):
    h = (x @ w) ** 2 / (1.0 + x.sum(axis=1, keepdims=True))
    return (h[:, 1:] * h[:, :-1]).sum() + h.T.reshape(-1)[2] + abs(w).max()


PROGRAMS = {
    "grad": lambda x, w: cv.grad(program, (0, 1))(x, w),
    "value_and_grad": lambda x, w: cv.value_and_grad(program)(x, w)[1],
    "jvp": lambda x, w: cv.jvp(program, (x, w), (x, w)),
    "vmap": lambda x, w: cv.vmap(lambda row, w: program(row.reshape((1, 3)), w), (0, None))(x, w),
    "vmap of grad": lambda x, w: cv.vmap(cv.grad(lambda row, w: program(row.reshape((1, 3)), w)), (0, None))(x, w),
    "grad of grad": lambda x, w: cv.grad(lambda x: (cv.grad(program)(x, w) * x).sum())(x),
    "checkpoint": lambda x, w: cv.grad(cv.checkpoint(program))(x, w),
    "scan": lambda x, w: cv.grad(lambda x: cv.scan(lambda c, r: (c * r, c), x[0], x)[0].sum())(x),
    "cond": lambda x, w: cv.grad(lambda x: cv.cond(x.sum() > 0, lambda v: v * v, lambda v: v, x).sum())(x),
    "unused": lambda x, w: cv.grad(lambda x, w: x.sum(), (0, 1))(x, w),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_transform_computes_with_strict_arrays(name):
    same(PROGRAMS[name](strict(X), strict(W)), PROGRAMS[name](X, W))


def test_arrays_of_two_libraries_in_one_operation_are_refused():
    with pytest.raises(TypeError, match="numpy and strict|strict and numpy|strict array"):
        cv.grad(lambda x: (x * W[:2, :3]).sum())(strict(X))


def test_importing_covector_loads_no_other_array_library():
    code = "import covector, sys; sys.exit(any(m in sys.modules for m in ('cupy', 'torch', 'jax', 'scipy')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
