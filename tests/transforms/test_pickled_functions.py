"""Functions that transforms return: pickled and sent to other processes, bound as methods, shown."""

import copy
import inspect
import pickle
import subprocess
import sys
import weakref
from functools import partial

import numpy as np
import pytest

import covector as cv

X = np.array([0.5, 1.5, -2.0])


def loss(x, scale=2.0):
    """The loss."""
    return np.sum(np.sin(x) * scale)


def squares(x):
    return x * x


@cv.jit
def compiled(x):
    return x * x + 1.0


@cv.vmap
def mapped(x):
    return x.sum()


@cv.checkpoint
def saved(x):
    return np.sum(x**3)


@cv.custom_jvp
def ruled(x):
    return x * x


@ruled.defjvp
def ruled_jvp(primals, tangents):
    return ruled(primals[0]), 10.0 * tangents[0]


class Model:
    def __init__(self, scale):
        self.scale = scale

    def energy(self, x):
        return np.sum(x**2) * self.scale

    force = cv.grad(energy, 1)
    both = cv.value_and_grad(energy, argnums=1)
    fast = cv.jit(energy, static_argnums=0)
    each = cv.vmap(energy, in_axes=(None, 0))


MADE = {
    "grad of a ufunc": (cv.grad(np.sin), 0.3),
    "grad": (cv.grad(loss), X),
    "value_and_grad": (cv.value_and_grad(loss, 0), X),
    "jacobian": (cv.jacobian(squares, mode="rev"), X),
    "jacfwd": (cv.jacfwd(squares, chunk_size=2), X),
    "jacrev": (cv.jacrev(squares), X),
    "hessian": (cv.hessian(loss), X),
    "elementwise_grad": (cv.elementwise_grad(np.sin), X),
    "vmap": (cv.vmap(np.sin, 0, 0), X),
    "jit": (cv.jit(squares), X),
    "jit static": (cv.jit(loss, static_argnums=1, compiler_options={"printer": "numpy"}), X),
    "checkpoint": (cv.checkpoint(loss), X),
    "composition": (cv.jit(cv.vmap(cv.grad(np.sin))), X),
    "grad of grad": (cv.grad(cv.grad(np.sin)), 0.3),
    "partial": (cv.grad(partial(loss, scale=3.0)), X),
    "bound": (cv.grad(Model(2.0).energy), X),
    "compiled": (compiled, X),
    "mapped": (mapped, X[None]),
    "saved": (saved, X),
    "grad of compiled": (cv.grad(saved), X),
    "ruled": (ruled, 2.0),
    "grad of ruled": (cv.grad(ruled), 2.0),
    "conjugate": (cv.grad(loss, conjugate=True, has_aux=False), X),
    "partial of grad": (partial(cv.grad(loss), scale=2.0), X),
}


def same(found, wanted):
    for a, b in zip(cv.tree.leaves(found), cv.tree.leaves(wanted), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", MADE)
def test_round_trip(name, protocol):
    f, x = MADE[name]
    back = pickle.loads(pickle.dumps(f, protocol))
    same(back(x), f(x))
    assert type(back) is type(f)
    if name in ("compiled", "mapped", "saved", "ruled"):
        assert back is f  # by name, as Python's functions


def test_another_process_runs_it(tmp_path):
    path = tmp_path / "f.pickle"
    path.write_bytes(pickle.dumps(cv.jit(cv.grad(cv.grad(np.sin)))))
    code = f"import pickle; print(float(pickle.load(open({str(path)!r}, 'rb'))(0.5)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert float(out) == pytest.approx(-np.sin(0.5))


def test_what_cannot_be_pickled_is_the_users():
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(cv.grad(lambda x: x * x))


def test_methods():
    model = Model(3.0)
    np.testing.assert_allclose(model.force(X), 6 * X)
    np.testing.assert_allclose(Model.force(model, X), 6 * X)
    np.testing.assert_allclose(model.both(X)[1], 6 * X)
    np.testing.assert_allclose(model.fast(X), model.energy(X))
    np.testing.assert_allclose(model.each(np.stack([X, X])), [model.energy(X)] * 2)
    assert inspect.ismethod(model.force)
    assert Model.force is Model.__dict__["force"]
    np.testing.assert_allclose(pickle.loads(pickle.dumps(model)).force(X), 6 * X)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(Model.force))(model, X), 6 * X)


def test_names_signature_and_attributes():
    f = cv.grad(loss)
    assert (f.__name__, f.__qualname__, f.__module__, f.__wrapped__) == ("loss", "loss", __name__, loss)
    assert f.__doc__ == "grad of loss: The loss."
    assert cv.jit(loss).__doc__ == cv.checkpoint(loss).__doc__ == "The loss."
    assert inspect.signature(f) == inspect.signature(loss)
    assert repr(f) == "<grad of loss>"
    assert repr(cv.jit(cv.vmap(np.sin))) == "<jit of sin>"
    f.note = 1
    assert f.note == 1
    assert weakref.ref(f)() is f
    assert f == f != cv.grad(loss)
    assert len({f, cv.grad(loss)}) == 2
    assert copy.copy(f) is copy.deepcopy(f) is f
    assert callable(f)


def test_keywords_and_partial():
    f = cv.grad(loss)
    np.testing.assert_allclose(f(X, scale=3.0), 3 * np.cos(X))
    np.testing.assert_allclose(partial(f, scale=3.0)(X), 3 * np.cos(X))
    with pytest.raises(TypeError, match="missing|argument 0"):
        f()


def test_a_traced_value_in_a_closure_is_found():
    def outer(w):
        inner = cv.grad(lambda x: x * x * w)
        return cv.jit(inner)(2.0) + cv.custom_gradient(lambda y: (inner(y), lambda ct: (2.0 * w * ct,)))(3.0)

    np.testing.assert_allclose(cv.grad(outer)(5.0), 10.0)
