"""Products that a Hessian-vector product does not need: left out where nobody asks, computed where somebody does."""

import numpy as np
import pytest

import covector
from covector.transforms.interpreters import forward

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 20))
W, V = 0.1 * RNG.normal(size=20), RNG.normal(size=20)
U = 0.1 * RNG.normal(size=(20, 30))


@pytest.fixture
def late(monkeypatch):
    """The products that were put off, the smallest too."""
    found = []
    later = forward.DualTrace.later

    def noted(self, *args):
        out = later(self, *args)
        if out is not None:
            found.append(out)
        return out

    monkeypatch.setattr(forward, "_LATE_SIZE", 0)
    monkeypatch.setattr(forward.DualTrace, "later", noted)
    return found


def _reference(fun, primals, tangents):
    gradient = covector.grad(fun, tuple(range(len(primals))))
    return covector.jvp(lambda *args: gradient(*args), primals, tangents)[1]


FUNCTIONS = {
    "one product": (lambda w: np.sum(np.tanh(X @ w) ** 2), (W,), (V,)),
    "two arguments": (lambda w, u: np.mean(np.sin(np.tanh(X * w) @ u)), (W, U), (V, U**2)),
    "used again": (lambda w: np.sum(np.exp(X @ w)) + np.sum(np.cos(X @ w) * w[0]), (W,), (V,)),
    "a chain": (lambda u: np.sum(np.tanh(np.tanh(np.tanh(X @ u) @ u.T) @ u) @ u.T), (U,), (U**2,)),
    "two of one": (lambda u: np.sum((u.T @ u @ u.T) ** 2), (U,), (U + 1.0,)),
    "matrix and vectors": (lambda u, w: w @ u @ (u.T @ w) * (w @ w), (U, W), (U**2, V)),
    "convolutions": (lambda w: np.sum(np.convolve(w, W, "same") ** 3), (W,), (V,)),
    "a factor": (lambda u: np.log(np.linalg.det(u @ u.T + np.eye(20))), (U,), (np.sin(U),)),
    "nothing": (lambda w, u: np.sum(w**2), (W, U), (V, U)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_products_put_off_change_no_bit(late, name):
    fun, primals, tangents = FUNCTIONS[name]
    found = covector.hvp(fun, primals, tangents)
    for a, b in zip(found, _reference(fun, primals, tangents), strict=True):
        np.testing.assert_array_equal(a, b)
        assert type(a) is np.ndarray


def test_the_product_that_arrives_at_a_leaf_is_never_computed(late):
    covector.hvp(*FUNCTIONS["one product"])
    (product,) = late
    assert product.node is not None and product.shape == (20,)


def test_small_products_and_forward_runs_wait_for_nothing(monkeypatch):
    def never(*args):
        raise AssertionError

    monkeypatch.setattr(forward.DualTrace, "later", never)
    fun, primals, tangents = FUNCTIONS["one product"]
    covector.jvp(lambda w: X @ w, primals, tangents)
    _reference(fun, primals, tangents)


@pytest.mark.parametrize("wrap", [
    lambda f: covector.vmap(f), lambda f: lambda w: covector.jacrev(lambda w: f(w[0]))(w),
    lambda f: lambda w: covector.jvp(f, (w[0],), (w[1],))[1], lambda f: lambda w: covector.jit(f)(w[0])
    if hasattr(covector, "jit") else f(w[0]), lambda f: lambda w: covector.grad(lambda w: np.sum(f(w[0]) ** 2))(w)])
def test_inside_of_every_transform(late, wrap):
    fun = FUNCTIONS["one product"][0]
    batch = np.stack([W, V])
    found = wrap(lambda w: covector.hvp(fun, (w,), (np.cos(w),))[0])(batch)
    wanted = wrap(lambda w: _reference(fun, (w,), (np.cos(w),))[0])(batch)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_a_watched_run_looks_at_every_product(late):
    with covector.debug_nans():
        np.testing.assert_array_equal(covector.hvp(*FUNCTIONS["one product"])[0],
                                      _reference(*FUNCTIONS["one product"])[0])


def test_complex_arguments_and_containers(late):
    z = W[:8] + 1j * V[:8]

    def fun(tree):
        y = (X[:, :8] @ tree["z"]) * tree["s"]
        return np.sum((y * y.conj()).real ** 2)

    tree, tangent = {"z": z, "s": np.float64(2.0)}, {"z": 1j * z, "s": np.float64(0.5)}
    found, = covector.hvp(fun, (tree,), (tangent,))
    wanted, = _reference(fun, (tree,), (tangent,))
    for name in tree:
        np.testing.assert_array_equal(found[name], wanted[name])


def test_a_traced_value_that_escaped_is_refused(late):
    kept = []

    def fun(w):
        kept.append(w)
        return np.sum((X @ w) ** 2)

    covector.hvp(fun, (W,), (V,))
    with pytest.raises(RuntimeError, match="finished"):
        covector.grad(lambda w: np.sum(w * kept[0]))(W)
