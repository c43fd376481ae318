"""A value kept beyond its transform is refused, at the latest where it would leave to the user."""

import numpy as np
import pytest

import covector as cv
from covector.core.errors import EscapedTracerError

X = np.array([0.5, 1.5, 2.5])


class Stop(Exception):
    pass


def leak(transform, after=lambda x: x, fail=False):
    """A value kept from the run of a function under `transform`; with `fail` the function raises in the end."""
    kept = []

    def fun(x):
        y = after(x * x)
        kept.append(y)
        if fail:
            raise Stop
        return (x * x).sum()

    try:
        transform(fun)
    except Stop:
        pass
    return kept[0]


LEAKS = {
    "grad": lambda f: cv.grad(f)(X),
    "value_and_grad": lambda f: cv.value_and_grad(f)(X),
    "vjp": lambda f: cv.vjp(f, X),
    "jvp": lambda f: cv.jvp(f, (X,), (X,)),
    "vmap": lambda f: cv.vmap(f)(np.stack([X, X])),
    "make_graph": lambda f: cv.make_graph(f)(X),
    "checkpoint": lambda f: cv.grad(cv.checkpoint(f))(X),
    "linearize": lambda f: cv.linearize(f, X),
    "hessian": lambda f: cv.hessian(f)(X),
    "jacfwd": lambda f: cv.jacfwd(f)(X),
    "grad of grad": lambda f: cv.grad(lambda x: cv.grad(f)(x).sum())(X),
    "vmap of grad": lambda f: cv.vmap(cv.grad(f))(np.stack([X, X])),
}
USES = {  # each computes with the kept value in lanes that look at no trace, then lets the result leave
    "value of grad": lambda k: cv.value_and_grad(lambda x: (x * k).sum())(X),
    "grad": lambda k: cv.grad(lambda x: (np.sin(k) * 2.0 + x).sum())(X),
    "result alone": lambda k: cv.grad(lambda x: np.sum(np.exp(k)))(X),
    "aux": lambda k: cv.grad(lambda x: (x.sum(), {"a": [k + 1.0]}), has_aux=True)(X),
    "aux of vjp": lambda k: cv.vjp(lambda x: (x, k * 2.0), X, has_aux=True),
    "aux of jvp": lambda k: cv.jvp(lambda x: (x, k * 2.0), (X,), (X,), has_aux=True),
    "vjp": lambda k: cv.vjp(lambda x: x * k, X),
    "cotangent": lambda k: cv.vjp(lambda x: x * 2.0, X)[1](np.sin(k)),
    "jvp": lambda k: cv.jvp(lambda x: x * k, (X,), (X,)),
    "tangent": lambda k: cv.jvp(lambda x: x * 2.0, (X,), (np.sin(k),)),
    "vmap": lambda k: cv.vmap(lambda x: x * np.tanh(k).sum())(X),
    "vmap, a constant": lambda k: cv.vmap(lambda x: np.sqrt(k), out_axes=None)(X),
    "jacobian": lambda k: cv.jacobian(lambda x: x * k)(X),
    "hessian": lambda k: cv.hessian(lambda x: (x * x * k).sum())(X),
    "hvp": lambda k: cv.hvp(lambda x: (x * x * k).sum(), (X,), (X,)),
    "linearize": lambda k: cv.linearize(lambda x: x * k, X),
    "tangent of linearize": lambda k: cv.linearize(lambda x: x * 2.0, X)[1](np.sin(k)),
    "make_graph": lambda k: cv.make_graph(lambda x: x * k)(X),
    "eval_shape": lambda k: cv.eval_shape(lambda x: x * k, X),
    "checkpoint": lambda k: cv.grad(cv.checkpoint(lambda x: (x * k).sum()))(X),
    "an outer transform": lambda k: cv.grad(lambda x: cv.grad(lambda y: (x * y * k).sum())(x).sum())(X),
    "float": lambda k: float(np.sin(k).sum()),
    "int": lambda k: int(np.sin(k).sum()),
    "item": lambda k: np.sin(k)[0].item(),
    "tolist": lambda k: np.sin(k).tolist(),
    "asarray": lambda k: np.asarray(np.sin(k)),
    "bool": lambda k: bool(np.sin(k).sum()),
    "item assignment under grad": lambda k: cv.grad(lambda x: (np.zeros(3).__setitem__(0, k[0]), x.sum())[1])(X),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("source", LEAKS)
def test_kept_value_is_refused(source, use):
    kept = leak(LEAKS[source])
    with pytest.raises(EscapedTracerError, match="finished"):
        USES[use](kept)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("source", ["grad", "vjp", "jvp", "make_graph"])
def test_value_kept_from_a_function_that_raised_is_refused(source, use):
    kept = leak(LEAKS[source], fail=True)
    with pytest.raises(EscapedTracerError, match="finished"):
        USES[use](kept)


def buffer(x):
    y = np.zeros_like(x)
    y[...] = x
    return y


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("source", ["grad", "vjp", "jvp"])
def test_kept_buffer_is_refused(source, use):
    kept = leak(LEAKS[source], after=buffer)
    with pytest.raises(EscapedTracerError, match="finished"):
        USES[use](kept)


def test_value_of_an_inner_transform_that_raised_is_refused_in_the_outer_one():
    def outer(x):
        kept = leak(lambda f: cv.grad(lambda y: f(y * x))(X), fail=True)
        return kept.sum()

    with pytest.raises(EscapedTracerError):  # it was a constant: a gradient of zero
        cv.grad(outer)(X)


def test_value_of_a_body_is_refused_after_its_sweep():
    kept = []

    @cv.custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda x: (x * x, x), lambda x, ct: (cv.grad(lambda y: (kept.append(y), y * y)[1].sum())(x) * ct,))
    cv.grad(lambda x: f(x).sum())(X)
    with pytest.raises(EscapedTracerError):
        cv.grad(lambda x: (x * kept[0]).sum())(X)


def test_live_values_of_outer_transforms_pass():
    def outer(x):
        inner = cv.grad(lambda y: (y * y * x).sum())
        try:
            cv.grad(lambda y: (_ for _ in ()).throw(Stop()))(x)
        except Stop:
            pass
        out, pullback = cv.vjp(lambda y: y * x, x)
        return (inner(x) * pullback(x)[0] * out).sum()

    np.testing.assert_allclose(cv.grad(outer)(X), 12 * X**5, rtol=1e-12)


def test_a_pullback_kept_within_a_live_transform_may_be_used_later():
    def outer(x):
        pullbacks = [cv.vjp(lambda y, k=k: y * x * k, x)[1] for k in range(1, 4)]
        return sum(p(x)[0].sum() for p in pullbacks)

    np.testing.assert_allclose(cv.grad(outer)(X), 12 * X, rtol=1e-12)


FIRST_USES = {
    "+": lambda x: x + 1.0, "number first": lambda x: 2.0 - x, "array": lambda x: x * np.ones(3),
    "twice": lambda x: x * x,
    "other shape": lambda x: x * x[:, None], "sin": np.sin, "negative": lambda x: -x, "sum": lambda x: x.sum(),
    "np.sum": np.sum, "max": lambda x: x.max(), "read": lambda x: x[0], "slice": lambda x: x[1:], "T": lambda x: x.T,
    "reshape": lambda x: x.reshape(3, 1), "matmul": lambda x: x @ x, "matrix": lambda x: np.ones((2, 3)) @ x,
    "power": lambda x: x**2, "stack": lambda x: np.stack([x, x]), "where": lambda x: np.where(True, x, 0.0),
    "write": lambda x: x.__setitem__(0, 1.0), "added": lambda x: x.__iadd__(1.0),
    "astype": lambda x: x.astype(np.float32),
    "array first": lambda x: np.ones(3) * x, "gone through": list,
}
WAYS_OUT = {
    "grad": lambda f: cv.grad(f)(np.ones(3)), "vjp": lambda f: cv.vjp(f, np.ones(3)),
    "jvp": lambda f: cv.jvp(f, (np.ones(3),), (np.ones(3),)), "vmap": lambda f: cv.vmap(f)(np.ones((2, 3))),
    "jit": lambda f: cv.jit(f)(np.ones(3)), "checkpoint": lambda f: cv.grad(cv.checkpoint(f))(np.ones(3)),
}


@pytest.mark.parametrize("use", FIRST_USES)
@pytest.mark.parametrize("way", WAYS_OUT)
def test_a_value_that_was_kept_raises_at_its_first_use(way, use):
    kept = []

    def f(x):
        kept.extend([x, x * 2.0])
        return np.sum(x * x)

    WAYS_OUT[way](f)
    for x in kept:
        with pytest.raises(EscapedTracerError, match="traced value of a .* that has finished; return"):
            FIRST_USES[use](x)
