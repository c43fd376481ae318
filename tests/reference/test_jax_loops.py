"""Staged loops beside JAX's: the same loops are one equation in both, with the same values and derivatives."""

from types import SimpleNamespace

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp
from covector.transforms.graph.equations import walk

jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
jax.config.update("jax_enable_x64", True)
pytestmark = pytest.mark.reference
JAX = SimpleNamespace(np=jax.numpy, vmap=jax.vmap, jacfwd=jax.jacfwd, grad=jax.grad, jvp=jax.jvp, scan=jax.lax.scan,
                      while_loop=jax.lax.while_loop, fori_loop=jax.lax.fori_loop)
OURS = SimpleNamespace(np=cnp, vmap=cv.vmap, jacfwd=cv.jacfwd, grad=cv.grad, jvp=cv.jvp, scan=cv.scan,
                       while_loop=cv.while_loop, fori_loop=cv.fori_loop)
X = np.array([0.5, 1.5, 2.0])
N = np.array([0, 3, 7])


def newton(L):  # noqa: N803 - the library
    return lambda a: L.while_loop(lambda c: abs(c * c - a) > 1e-9, lambda c: 0.5 * (c + a / c), a + 1.0)


def power(L):  # noqa: N803
    return lambda x, n: L.fori_loop(0, n, lambda i, c: c * x + i, 1.0)


def fixed(L):  # noqa: N803
    return lambda x: L.fori_loop(2, 40, lambda i, c: L.np.sin(c) * x + i, x)


def closing(L):  # noqa: N803
    return lambda w: L.scan(lambda c, x: (L.np.tanh(c * w + x), c), 0.0, X)[0]


def recurrent(L):  # noqa: N803
    def loss(w, u, x):
        h, ys = L.scan(lambda h, r: ((h := L.np.tanh(r @ w + h @ u)), h * h), L.np.zeros((4, 8)), x)
        return (h * h).sum() + ys[0].sum()

    return loss


RNG = np.random.default_rng(0)
WEIGHTS = RNG.normal(size=(6, 8)), 0.3 * RNG.normal(size=(8, 8)), RNG.normal(size=(5, 4, 6))

PROGRAMS = {
    "recurrent": (recurrent, WEIGHTS), "recurrent in reverse": (lambda L: L.grad(recurrent(L), (0, 1, 2)), WEIGHTS),
    "recurrent in reverse twice": (
        lambda L: L.grad(lambda *a: sum((g * g).sum() for g in L.grad(recurrent(L), (0, 1))(*a)), (0, 1)), WEIGHTS),
    "recurrent forward over reverse": (
        lambda L: lambda *a: L.jvp(L.grad(recurrent(L), (0, 1)), a, a)[1], WEIGHTS),
    "recurrent mapped in reverse": (
        lambda L: L.vmap(L.grad(recurrent(L), (0, 1)), (None, None, 0)), (*WEIGHTS[:2], np.stack([WEIGHTS[2]] * 2))),
    "newton": (newton, (2.0,)), "newton forward": (lambda L: L.jacfwd(newton(L)), (2.0,)),
    "newton twice forward": (lambda L: L.jacfwd(L.jacfwd(newton(L))), (2.0,)),
    "newton mapped": (lambda L: L.vmap(newton(L)), (X,)),
    "newton mapped forward": (lambda L: L.vmap(L.jacfwd(newton(L))), (X,)),
    "newton forward over mapped": (lambda L: lambda x: L.jvp(L.vmap(newton(L)), (x,), (x,))[1], (X,)),
    "power": (power, (1.5, 3)), "power mapped": (lambda L: L.vmap(power(L)), (X, N)),
    "power mapped over bases": (lambda L: L.vmap(power(L), (0, None)), (X, 4)),
    "power mapped over exponents": (lambda L: L.vmap(power(L), (None, 0)), (1.5, N)),
    "power forward": (lambda L: L.jacfwd(power(L)), (1.5, 3)),
    "fixed": (fixed, (0.5,)), "fixed in reverse": (lambda L: L.grad(fixed(L)), (0.5,)),
    "fixed mapped": (lambda L: L.vmap(fixed(L)), (X,)),
    "fixed in reverse twice": (lambda L: L.grad(L.grad(fixed(L))), (0.5,)),
    "closing": (closing, (0.5,)), "closing mapped": (lambda L: L.vmap(closing(L)), (X,)),
    "closing mapped in reverse": (lambda L: L.vmap(L.grad(closing(L))), (X,)),
}


def loops_of(jaxpr):
    for eq in jaxpr.eqns:
        for name in ("jaxpr", "cond_jaxpr", "body_jaxpr"):
            if name in eq.params:
                inner = eq.params[name]
                yield from loops_of(getattr(inner, "jaxpr", inner))
        if eq.primitive.name in ("scan", "while"):
            yield eq.primitive.name


@pytest.mark.parametrize("name", PROGRAMS)
def test_staged_loops_are_those_of_jax(name):
    make, args = PROGRAMS[name]
    graph = cv.make_graph(make(OURS))(*args)
    want = make(JAX)(*args)
    for _ in range(2):
        for a, b in zip(cv.tree.leaves(graph(*args)), cv.tree.leaves(want), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
    ours = [eq.prim.name for eq in walk(graph.equations) if eq.prim.name in ("scan", "while")]
    assert len(ours) == len(list(loops_of(jax.make_jaxpr(make(JAX))(*args).jaxpr)))
