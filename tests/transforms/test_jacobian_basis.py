"""Jacobians and Hessians, whose basis stays a diagonal while it can, are what single pullbacks give."""

import numpy as np
import pytest

import covector
from covector import debug_nans, jacrev, vjp, vmap
from covector.core.primitive.primitive import REGISTRY
from covector.core.tape import lazy_cotangents
from covector.testing.cases import cases
from covector.transforms.interpreters import basis

RNG = np.random.default_rng(0)
W, V, M = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 4)), RNG.normal(size=(3, 3))
X, Y = RNG.normal(size=3), RNG.normal(size=(2, 3))


@pytest.fixture(autouse=True, params=("units", "arrays"))
def how(request, monkeypatch):
    """Small bases are arrays from the start, and their sums arrays, unless told otherwise."""
    if request.param == "units":
        monkeypatch.setattr(basis, "FEW", 0)
        monkeypatch.setattr(lazy_cotangents, "SMALL", 0)


def by_rows(f, x):
    """The Jacobian, one pullback a row; `f` returns an array."""
    out, pullback = vjp(f, x)
    eye = np.eye(out.size).reshape(-1, *out.shape)
    return np.stack([pullback(e)[0] for e in eye]).reshape((*out.shape, *x.shape))


def _written(x):
    buffer = np.copy(np.stack([x * x, x]))
    buffer[:, 1:] = x[0]
    return buffer


FUNCTIONS = {
    "nothing": (lambda x: x, X),
    "elementwise": (lambda x: np.tanh(x) * x, X),
    "one operand twice": (lambda x: x * x + np.sin(x), X),
    "a flat operation": (lambda x: np.floor(x) * x, X),
    "a product with a matrix": (lambda x: W @ x, X),
    "a product with a matrix, from the left": (lambda x: x @ V, X),
    "a scaled product": (lambda x: np.tanh(W @ np.sin(x)), X),
    "vectors": (lambda x: x @ X, X),
    "scaled vectors": (lambda x: np.exp(x @ x), X),
    "matrices": (lambda x: x @ V, Y),
    "matrices, from the left": (lambda x: W @ x, Y.T),
    "scaled matrices": (lambda x: np.tanh(x @ M) * 2.0, Y),
    "a square": (lambda x: x @ x, M),
    "an outer product": (lambda x: np.outer(x, x), X),
    "a matrix times a vector of it": (lambda x: x @ x[0], M),
    "a bias": (lambda x: np.tanh(Y @ x + x[0]), M),
    "broadcasting": (lambda x: x * Y, X),
    "two roads": (lambda x: np.tanh(x) + M @ x, X),
    "three roads": (lambda x: np.tanh(x) + M @ x + x[::-1] + x.sum(), X),
    "reading": (lambda x: np.sin(x)[1:], X),
    "writing": (lambda x: np.stack([x[0], x[1] * x[2], x[0]]), X),
    "reading some twice": (lambda x: np.sin(x)[np.array([0, 2, 0, 1, 2, 0])] * np.arange(1.0, 7.0), X),
    "reading some twice, by a tuple": (lambda x: np.sin(x)[(np.array([0, 2, 0, 1, 2, 0]),)] * np.arange(1.0, 7.0), X),
    "taking some twice": (lambda x: np.take(x, np.array([[0, 2, 1], [0, 1, 1]])) * Y, X),
    "a row written over an array": (lambda x: _written(x) * Y, X),
    "a shape": (lambda x: np.tanh(x).reshape(3, 2), Y),
    "a kink": (lambda x: np.maximum(x, 0.0) * np.where(x > 0, np.sqrt(np.abs(x)), x), X),
    "a mask": (lambda x: np.where(x > 0, np.sqrt(x), 1.0), np.array([0.0, 4.0, -1.0])),
    "no elements": (lambda x: np.tanh(M[:0] @ x), X),
    "a number": (lambda x: np.tanh(x), np.array(0.5)),
    "sums of rows, which units pull back to": (lambda x: np.concatenate([np.sin(x).sum(0), np.cos(x).sum(1)]), Y),
    "sums and elements": (lambda x: np.concatenate([(x * x).sum(0), np.tanh(x[0]), x.sum(keepdims=True)[0]]), Y),
    "sums that go into products": (lambda x: (np.sin(x).sum(0) @ M) * x.sum(0), Y),
    "parts of a layer": (lambda x: np.tanh(Y @ x[:3] + x[3]).reshape(-1), RNG.normal(size=(4, 3))),
    "float32": (lambda x: np.tanh(W.astype("f4") @ x), X.astype("f4")),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("chunk_size", (None, 1, 2))
def test_jacrev_is_what_single_pullbacks_give(name, chunk_size):
    f, x = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        found, expected = jacrev(f, chunk_size=chunk_size)(x), by_rows(f, x) if f(x).size else np.zeros((0, 3))
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype == x.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5 if x.dtype == np.float32 else 1e-12, atol=1e-14)


INFINITE = W.copy()
INFINITE[1, 2] = np.inf
MASKING = {
    "the operand": lambda x: INFINITE @ np.maximum(x, 0.0),
    "both sides": lambda x: np.maximum(INFINITE @ np.maximum(x, 0.0), 0.0),
    "a part of the operand": lambda x: INFINITE @ np.where(x > 0.0, np.exp(x), 0.0),
    "a part of a sum": lambda x: INFINITE @ np.maximum(x, 0.0) + np.tanh(x).sum(),
}


@pytest.mark.parametrize("name", MASKING)
def test_a_mask_takes_the_infinities_of_rows(name):
    """As in single pullbacks, where it is no factor 0."""
    f, x = MASKING[name], np.array([0.5, 1.0, -2.0])
    with np.errstate(all="ignore"):
        found, expected = jacrev(f)(x), by_rows(f, x)
    assert not np.isnan(expected[:, 2]).any()
    np.testing.assert_allclose(found[:, 2], expected[:, 2], rtol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_answers_are_arrays_of_their_own(name):
    f, x = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        found = jacrev(f)(x)
    assert found.flags.writeable
    for other in (x, W, V, M, X, Y):
        assert not np.shares_memory(found, other)


def test_large_arrays_that_become_rows_are_copied():
    w = RNG.normal(size=(100, 80))
    found = jacrev(lambda x: w @ x)(np.ones(80))
    assert not np.shares_memory(found, w)
    np.testing.assert_array_equal(found, w)
    two = jacrev(lambda x: (w @ x, w @ x))(np.ones(80))
    assert not np.shares_memory(two[0], two[1])
    mapped = vmap(lambda v: jacrev(lambda x: v @ x)(np.ones(80)))(w[None])
    assert not np.shares_memory(mapped, w)


def test_a_batch_of_matrices_that_becomes_rows_is_copied():
    w = RNG.normal(size=(2, 4, 3))
    found = vmap(lambda m: jacrev(lambda x: m @ x)(np.ones(3)))(w)
    np.testing.assert_array_equal(found, w)
    assert not np.shares_memory(found, w)


@pytest.mark.parametrize("chunk_size", (None, 1, 2, 3, 5))
def test_several_outputs_share_the_batch(chunk_size):
    def f(x):
        h = np.tanh(x)
        return {"a": h, "b": W @ h, "c": h.sum(), "d": (h @ x, np.outer(h, x))}

    found = jacrev(f, chunk_size=chunk_size)(X)
    for got, part in ((found["a"], lambda x: f(x)["a"]), (found["b"], lambda x: f(x)["b"]),
                      (found["c"], lambda x: f(x)["c"]), (found["d"][0], lambda x: f(x)["d"][0]),
                      (found["d"][1], lambda x: f(x)["d"][1])):
        np.testing.assert_allclose(got, by_rows(part, X), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", ("elementwise", "scaled matrices", "a scaled product", "two roads", "a square"))
def test_jacobians_nest_in_jacobians_and_under_vmap(name):
    f, x = FUNCTIONS[name]
    inner = jacrev(f)
    np.testing.assert_allclose(jacrev(inner)(x), by_rows(inner, x), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(covector.jacfwd(inner)(x), by_rows(inner, x), rtol=1e-12, atol=1e-14)
    batch = np.stack([x, 2.0 * x])
    np.testing.assert_allclose(vmap(inner)(batch), np.stack([inner(v) for v in batch]), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(covector.grad(lambda v: (inner(v) ** 2).sum())(x),
                               covector.grad(lambda v: (by_rows(f, v) ** 2).sum())(x), rtol=1e-12, atol=1e-14)


def test_jacobians_of_several_outputs_nest():
    def f(x):
        h = np.tanh(x)
        return np.sin(h), W @ (h * x)

    for k in (0, 1):
        part = jacrev(lambda x, k=k: f(x)[k])
        np.testing.assert_allclose(jacrev(jacrev(f))(X)[k], by_rows(part, X), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(jacrev(jacrev(f), chunk_size=2)(X)[k], by_rows(part, X), rtol=1e-12, atol=1e-14)


def test_the_matrix_itself_is_differentiated():
    found = covector.grad(lambda w: (jacrev(lambda x: np.tanh(w @ x))(X) ** 2).sum())(W)
    expected = covector.grad(lambda w: (by_rows(lambda x: np.tanh(w @ x), X) ** 2).sum())(W)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(covector.grad(lambda w: jacrev(lambda x: w @ x)(X).sum())(W), np.ones((4, 3)))


def test_a_jacobian_is_staged():
    f, x = FUNCTIONS["a scaled product"]
    graph = covector.make_graph(jacrev(f))(x)
    np.testing.assert_allclose(graph(x), by_rows(f, x), rtol=1e-12)


@pytest.mark.parametrize("chunk_size", (None, 2))
@pytest.mark.filterwarnings("error")
def test_units_of_complex_outputs_move(chunk_size):
    def f(x):
        return np.stack([x[::-1] * 1j, x * x]).reshape(-1)[1:4]

    z = np.array([1.0 + 1.0j, 2.0, 3.0 - 1.0j])
    expected = np.array([[0, 1j, 0], [1j, 0, 0], [2.0 * z[0], 0, 0]])
    np.testing.assert_allclose(jacrev(f, holomorphic=True, chunk_size=chunk_size)(z), expected)
    real = jacrev(lambda x: f(x).real, chunk_size=chunk_size)(X)
    np.testing.assert_allclose(real, [[0, 0, 0], [0, 0, 0], [2.0 * X[0], 0, 0]])


def test_debug_nans_looks_at_the_pullbacks_of_a_jacobian():
    with debug_nans(), pytest.raises(FloatingPointError, match="in the backward pass"):
        jacrev(lambda x: covector.jvp(np.abs, (x,), (np.ones(2),))[1])(np.array([0.0, 4.0]))


@pytest.mark.parametrize("name", sorted(name for name, prim in REGISTRY.items() if prim.moves or prim.basis))
def test_every_rule_that_keeps_units_apart_is_that_of_the_primitive(name):
    """Each operand alone and all at once; scaled before, so that units are not all 1, and moved before."""
    for case in cases(REGISTRY[name]):
        xs = [np.array(x) for x in case.operands]
        if not case.live or any(xs[i].dtype.kind == "c" for i in case.live):
            continue
        for active in {case.live, *[(i,) for i in case.live]}:
            def f(*moving, active=active, xs=xs, case=case):
                full = list(xs)
                for i, x in zip(active, moving):
                    full[i] = x * x
                return np.sin(REGISTRY[name].fun(*full, **case.named)).reshape(-1)[::-1]

            arguments = tuple(xs[i] for i in active)
            out, pullback = vjp(f, *arguments)
            whole, cut = (jacrev(f, argnums=tuple(range(len(active))), chunk_size=c)(*arguments) for c in (None, 5))
            for k, e in enumerate(np.eye(out.size, dtype=out.dtype)):
                for got, want in zip((*whole, *cut), 2 * pullback(e)):
                    np.testing.assert_allclose(got[k], want, rtol=1e-5 if out.dtype == np.float32 else 1e-12,
                                               atol=1e-14, err_msg=f"{case}")


PARTS = {"w": (0, 12, (3, 4)), "b": (12, 16, (4,)), "v": (16, 20, (4,)), "c": (20, 21, ())}


def _network(p, order, activation):
    """A perceptron whose parameters lie in `order` in one vector."""
    got, at = {}, 0
    for name in order:
        low, high, shape = PARTS[name]
        got[name] = p[at : at + high - low].reshape(shape)
        at += high - low
    hidden = activation(Y @ got["w"] + got["b"])
    return ((hidden @ got["v"] + got["c"]) ** 2).mean() + (hidden * got["b"]).sum()


@pytest.mark.parametrize("order", ("wbvc", "cvbw", "bwcv", "vcwb"))
@pytest.mark.parametrize("activation", (np.tanh, np.exp, lambda z: np.maximum(z, 0) ** 2, lambda z: z * np.sqrt(z * z)))
@pytest.mark.parametrize("chunk_size", (None, 4, 13))
def test_parts_of_a_hessian_add_up_while_they_stay_apart(order, activation, chunk_size):
    """Units of one parameter, rows of another and a batch meet in one node, in each order."""
    p = np.random.default_rng(1).normal(size=21)
    gradient = covector.grad(lambda p: _network(p, order, activation))
    expected = by_rows(gradient, p)
    np.testing.assert_allclose(jacrev(gradient, chunk_size=chunk_size)(p), expected, rtol=1e-11, atol=1e-12)
    hessian = covector.hessian(lambda p: _network(p, order, activation))
    np.testing.assert_allclose(hessian(p), expected, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(vmap(hessian)(np.stack([p, 2 * p]))[0], expected, rtol=1e-11, atol=1e-12)


def test_a_lazy_batch_that_two_nodes_share_is_not_written_to():
    """`a + b` hands one cotangent to both, and each of them meets another one behind."""
    x = RNG.normal(size=6)

    def f(x):
        a, b = np.sin(x[:3]), np.cos(x[3:])
        both = a + b
        return np.concatenate([both * a, both @ M, both])

    np.testing.assert_allclose(jacrev(f)(x), by_rows(f, x), rtol=1e-12, atol=1e-14)
