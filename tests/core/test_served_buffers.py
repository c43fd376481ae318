"""Buffers that `covector.numpy` makes inside of transforms: plain and traced calls of one function alike."""

import array
import copy
import pickle
import threading

import numpy as np
import pytest
import scipy.interpolate

import covector as cv
import covector.numpy as cnp
from covector.extend import Tracer

X = np.array([0.5, 1.5, -2.0])
MAKERS = {
    "zeros": lambda: cnp.zeros(3), "ones": lambda: cnp.ones(3), "full": lambda: cnp.full(3, 2.0),
    "zeros_like": lambda: cnp.zeros_like(X), "ones_like": lambda: cnp.ones_like(X),
    "full_like": lambda: cnp.full_like(X, 2.0), "copy": lambda: cnp.copy(X), "of a shape": lambda: cnp.zeros(shape=3),
    "of a list": lambda: cnp.zeros_like([1.0, 2.0, 3.0]), "like a plain array": lambda: cnp.zeros(3, like=X),
}


def filled(x, make=lambda: cnp.zeros(3)):
    buf = make()
    buf[0] = x[0] ** 2
    buf[1:] += x[1:] * x[0]
    return buf


def functional(x, start):
    return np.stack([x[0] ** 2, start[1] + x[1] * x[0], start[2] + x[2] * x[0]])


@pytest.mark.parametrize("name", MAKERS)
def test_plain_and_traced_calls_agree(name):
    make = MAKERS[name]
    start = make()
    assert type(start) is np.ndarray

    def f(x):
        return filled(x, make)

    assert type(f(X)) is np.ndarray
    np.testing.assert_array_equal(f(X), functional(X, start))
    wanted = cv.jacobian(lambda x: functional(x, start))(X)
    compiled = (lambda f: cv.jit(cv.jacrev(f)), lambda f: cv.jacfwd(cv.jit(f)))
    for transform in (cv.jacobian, cv.jacrev, cv.jacfwd, *compiled):
        np.testing.assert_allclose(transform(f)(X), wanted)
    np.testing.assert_allclose(cv.jit(f)(X), f(X))
    np.testing.assert_allclose(cv.vmap(f)(np.stack([X, 2 * X])), np.stack([f(X), f(2 * X)]))


def test_empty_is_filled():
    def squares(x):
        out = cnp.empty(3)
        for i in range(3):
            out[i] = x[i] ** 2
        return out.sum()

    np.testing.assert_allclose(cv.grad(squares)(X), 2 * X)
    np.testing.assert_allclose(cv.hessian(squares)(X), 2 * np.eye(3))


def test_transforms_nest():
    def f(x):
        return filled(x).sum()

    np.testing.assert_allclose(cv.hessian(f)(X), [[2, 1, 1], [1, 0, 0], [1, 0, 0]])
    many = np.stack([X, -X])
    np.testing.assert_allclose(cv.grad(lambda m: cv.vmap(f)(m).sum())(many), np.stack([cv.grad(f)(v) for v in many]))
    np.testing.assert_allclose(cv.vmap(cv.grad(f))(many), np.stack([cv.grad(f)(v) for v in many]))
    np.testing.assert_allclose(cv.grad(cv.checkpoint(f))(X), cv.grad(f)(X))
    _, tangent = cv.jvp(cv.grad(f), (X,), (np.ones(3),))
    np.testing.assert_allclose(tangent, cv.hessian(f)(X) @ np.ones(3))


def test_an_inner_transform_uses_a_buffer_of_the_outer_function():
    def f(x):
        buf = cnp.zeros(2)
        buf[0] = x * x
        inner = cv.grad(lambda y: (y * buf).sum() * y[0])(buf)
        return inner[0]

    np.testing.assert_allclose(f(2.0), 32.0)  # 2 x⁴
    np.testing.assert_allclose(cv.grad(f)(2.0), 64.0)


@pytest.mark.parametrize("outside", [lambda f: f, cv.grad, cv.jit, lambda f: cv.jit(cv.grad(f))])
def test_bodies_of_control_flow(outside):
    def scanned(x):
        def body(carry, k):
            row = cnp.zeros(2)
            row[0] = carry[1] * x
            row[1] = carry[0] + k
            return row, row.sum()

        last, sums = cv.scan(body, cnp.ones(2), np.arange(3.0))
        return last.sum() + sums.sum()

    def by_hand(x):
        a, b, total = 1.0, 1.0, 0.0
        for k in range(3):
            a, b = b * x, a + k
            total = total + a + b
        return a + b + total

    np.testing.assert_allclose(outside(scanned)(1.5), outside(by_hand)(1.5))


def test_loops_and_conditions():
    def f(x):
        def step(i, c):
            out = cnp.zeros(2)
            out[0] = c[0] * x
            out[1] = cv.cond(x > 0, lambda: c[1] + x, lambda: c[1])
            return out

        return cv.fori_loop(0, 3, step, cnp.ones(2)).sum()

    np.testing.assert_allclose(f(2.0), 8.0 + 7.0)
    np.testing.assert_allclose(cv.grad(f)(2.0), 12.0 + 3.0)
    np.testing.assert_allclose(cv.jit(f)(2.0), 15.0)


def test_rules_of_the_users():
    @cv.custom_vjp
    def f(x):
        return np.sum(x**2)

    def backward(x, ct):
        out = cnp.zeros(3)
        for i in range(3):
            out[i] = 2.0 * x[i] * ct
        return (out,)

    f.defvjp(lambda x: (f(x), x), backward)
    found = cv.grad(f)(X)
    assert type(found) is np.ndarray
    np.testing.assert_allclose(found, 2 * X)
    np.testing.assert_allclose(cv.hessian(f)(X), 2 * np.eye(3))
    _, pullback = cv.vjp(f, X)
    assert type(pullback(1.0)[0]) is np.ndarray


def test_a_callback_gets_and_makes_plain_arrays():
    def host(x):
        out = cnp.zeros(2)
        assert type(out) is np.ndarray
        out[:] = x
        return out

    def f(x):
        return cv.host_callback(host, cv.ShapeDtype((2,)), cv.stop_gradient(x)).sum() * x

    np.testing.assert_allclose(cv.grad(f)(3.0), 6.0)


def test_outside_again_after_a_transform_and_after_an_error():
    cv.grad(lambda x: cnp.zeros(2).sum() + x)(1.0)
    assert type(cnp.zeros(2)) is np.ndarray
    with pytest.raises(ZeroDivisionError):
        cv.grad(lambda x: (cnp.zeros(2), 1 / 0)[0])(1.0)
    assert type(cnp.zeros(2)) is np.ndarray


def test_threads_do_not_see_each_others_transforms():
    inside, done = threading.Event(), threading.Event()
    kinds = []

    def other():
        inside.wait(10)
        kinds.extend(type(cnp.zeros(1)) for _ in range(2))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()

    def f(x):
        inside.set()
        done.wait(10)
        buf = cnp.zeros(1)
        buf[0] = x
        return buf.sum()

    assert cv.grad(f)(1.0) == 1.0
    thread.join()
    assert kinds == [np.ndarray, np.ndarray]


def test_results_are_plain_arrays():
    assert type(cv.jit(lambda x: cnp.zeros(3))(1.0)) is np.ndarray
    assert type(cv.vmap(lambda x: cnp.zeros(3))(X)) is np.ndarray
    gradient, aux = cv.grad(lambda x: (x, {"a": cnp.zeros(3)}), has_aux=True)(1.0)
    assert type(aux["a"]) is np.ndarray
    assert [type(v) for v in cv.jvp(lambda x: cnp.zeros(3), (1.0,), (1.0,))] == [np.ndarray] * 2
    assert type(cv.vjp(lambda x: cnp.zeros(3), 1.0)[0]) is np.ndarray


def test_a_buffer_without_traced_values_is_its_array():
    def f(x):
        a = cnp.ones(4)
        a[1] = 5.0
        assert isinstance(a, Tracer)
        assert (float(a.sum()), int(a[1]), complex(a[0]), a.tolist()) == (8.0, 5, 1.0, [1.0, 5.0, 1.0, 1.0])
        places = cnp.zeros(2, dtype=int)
        places[0] = 2
        assert [10, 20, 30][places[0]] == 30
        assert np.arange(4.0)[places].tolist() == [2.0, 0.0]
        plain = np.zeros(4)
        plain += a
        plain[:2] = 2 * a[:2]
        np.copyto(plain[2:], a[2:])
        np.add.at(plain, [0], a[:1])
        assert plain.tolist() == [3.0, 10.0, 1.0, 1.0]
        assert float(scipy.interpolate.CubicSpline(np.arange(4.0), a)(1.0)) == 5.0
        assert np.gcd(cnp.full(2, 4), 6).tolist() == [2, 2]
        assert np.lcm.reduce(cnp.full(2, 4)) == 4
        assert np.asarray(a).flags.writeable is False
        assert np.array(a).flags.writeable
        for made in (copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
            assert made.tolist() == a.tolist()
        return x * a @ a

    assert cv.grad(f)(2.0) == 28.0


def test_a_buffer_with_traced_values_is_refused_as_they_are():
    def of(use):
        def f(x):
            buf = cnp.zeros(2)
            buf[0] = x
            use(buf)
            return x

        return f

    uses = {"float": lambda b: float(b[0]), "numpy array": np.asarray, "tolist": lambda b: b.tolist(),
            "item": lambda b: b[0].item(), "pickled": pickle.dumps, "int": lambda b: int(b[0]),
            "integer index": lambda b: [1, 2][b[0]], "complex": lambda b: complex(b[0])}
    for words, use in uses.items():
        with pytest.raises(TypeError, match=words):
            cv.grad(of(use))(1.0)


def test_a_buffer_that_outlives_its_transform():
    kept = {}

    def f(x):
        kept["plain"] = cnp.ones(2)
        kept["traced"] = buf = cnp.zeros(2)
        buf[0] = x
        return x

    cv.grad(f)(1.0)
    total = kept["plain"] + 1.0
    assert type(total) is np.ndarray and total.tolist() == [2.0, 2.0]
    kept["plain"][0] = 7.0
    assert np.asarray(kept["plain"]).tolist() == [7.0, 1.0]

    def later(x):
        kept["plain"][0] = x
        return x

    with pytest.raises(TypeError, match="written into a buffer created outside"):
        cv.grad(later)(1.0)
    with pytest.raises(RuntimeError, match="has finished"):
        cv.grad(lambda x: x * kept["traced"].sum())(1.0)


def test_integers_and_truth_values():
    def f(x):
        where = cnp.zeros(3, dtype=bool)
        where[x > 0] = True
        best = cnp.zeros(1, dtype=np.intp)
        best[0] = np.argmax(x)
        return where, best

    assert f(X)[0].tolist() == cv.vjp(lambda x: f(x)[0], X)[0].tolist() == [True, True, False]
    batched = cv.vmap(lambda x: f(x)[1])(np.stack([X, -X]))
    assert batched.tolist() == [[1], [2]]


def test_one_value_is_written_by_a_mask_that_is_not_known():
    def f(x, v):
        out = cnp.copy(x)
        out[x > 0.0] = v
        rows = cnp.ones((3, 2))
        rows[x > 1.0] = v * x[0]
        return np.sum(out**2) + np.sum(cnp.at(rows)[x < 0.0].add(v) ** 2)

    many = np.stack([X, -X])
    wanted = [f(x, 3.0) for x in many]
    np.testing.assert_allclose([cv.jit(f)(x, 3.0) for x in many], wanted)
    np.testing.assert_allclose(cv.vmap(f, in_axes=(0, None))(many, 3.0), wanted)
    for k in (0, 1):
        each = [cv.grad(f, k)(x, 3.0) for x in many]
        np.testing.assert_allclose(cv.vmap(cv.grad(f, k), in_axes=(0, None))(many, 3.0), each)
        np.testing.assert_allclose([cv.jit(cv.grad(f, k))(x, 3.0) for x in many], each)
    with pytest.raises(IndexError, match="does not fit an array of shape"):
        cv.jit(lambda x: cnp.at(x)[x[:2] > 0].set(0.0))(X)
    with pytest.raises(TypeError, match=r"np.where\(mask, v, x\) for x\[mask\] = v"):
        cv.jit(lambda x: cnp.at(x)[x > 0].set(x[:2]))(X)


def test_the_function_form_of_at():
    def f(x, v):
        return np.sum(cnp.at(x)[1].multiply(v) ** 2 + cnp.at(x)[[0, 0]].add(v))

    assert type(cnp.at(X)[0].set(9.0)) is np.ndarray
    assert X[0] == 0.5
    for k in (0, 1):
        found = cv.grad(f, k)(X, 2.0)
        step = 1e-6 * (np.eye(3)[0] if k == 0 else 1.0)
        above, below = (f(X + s * step, 2.0) if k == 0 else f(X, 2.0 + s * step) for s in (1, -1))
        np.testing.assert_allclose(found[0] if k == 0 else found, (above - below) / 2e-6, rtol=1e-6)
    assert cnp.at([1.0, 2.0])[0].get() == 1.0


MADE_INSIDE = {
    "eye": lambda: cnp.eye(3), "identity": lambda: cnp.identity(3), "tri": lambda: cnp.tri(3),
    "arange": lambda: cnp.arange(3.0), "linspace": lambda: cnp.linspace(0.0, 1.0, 3),
    "geomspace": lambda: cnp.geomspace(1.0, 4.0, 3), "logspace": lambda: cnp.logspace(0.0, 1.0, 3),
    "array": lambda: cnp.array([1.0, 2.0, 3.0]),
    "array of an array": lambda: cnp.array(np.arange(3.0)), "diag": lambda: cnp.diag(np.ones(3)),
    "full": lambda: cnp.full(3, 2.0), "copy": lambda: cnp.copy(np.ones(3)),
    "a result": lambda: cnp.array(np.ones(3) * 2.0 + 1.0),
}


@pytest.mark.parametrize("way", ["grad", "jit", "vmap", "jvp"])
@pytest.mark.parametrize("name", MADE_INSIDE)
def test_what_is_made_inside_may_be_written_to(name, way):
    def f(x):
        made = MADE_INSIDE[name]()
        made[0] = x * x
        return np.sum(made)

    plain = f(3.0)
    found = {"grad": lambda: cv.value_and_grad(f)(3.0)[0], "jit": lambda: cv.jit(f)(3.0),
             "vmap": lambda: cv.vmap(f)(np.array([3.0, 3.0]))[0], "jvp": lambda: cv.jvp(f, (3.0,), (1.0,))[0]}[way]()
    np.testing.assert_allclose(found, plain, rtol=1e-14)
    if way == "grad":
        assert cv.grad(f)(3.0) == 6.0 * (3 if np.ndim(MADE_INSIDE[name]()) == 2 else 1)


def test_an_array_of_the_user_s_is_read_and_not_written_to():
    held = np.arange(3.0)

    def f(x, written):
        assert type(cnp.diag(np.ones((3, 3)))) is np.ndarray
        shown = cnp.asarray(held)
        assert np.shares_memory(np.asarray(shown), held) and float(shown[1]) == 1.0
        shown[1:][0] = written if written is not None else x
        return x

    with pytest.raises(TypeError, match=r"; write to covector\.numpy\.array\(a\), a copy"):
        cv.grad(lambda x: (np.add.at(cnp.asarray(held), [1], 2.0), x)[1])(1.0)  # NumPy's writes to read-only arrays
    for written in (5.0, None):
        with pytest.raises(TypeError, match=r"; write to covector\.numpy\.array\(a\), a copy"):
            cv.grad(f)(1.0, written)
    assert held[1] == 1.0


class Kept(np.ndarray):
    """A plain subclass, as `np.memmap` is."""


class Holder:
    """What gives its own array, as a Series does."""

    def __init__(self):
        self.held = np.arange(3.0)

    def __array__(self, dtype=None, copy=None):
        return self.held


@pytest.mark.parametrize("holder", [Holder(), array.array("d", [0.0, 1.0, 2.0]), np.arange(3.0).view(Kept)])
def test_memory_of_others_is_not_written_to(holder):
    def f(x, written):
        shown = cnp.asarray(holder)
        shown[..., 0] = x if written is None else written
        return np.sum(shown) * x

    for written in (5.0, None):
        with pytest.raises(TypeError, match="asarray gave the memory"):
            cv.grad(f)(1.0, written)
    assert np.asarray(holder).reshape(-1)[0] == 0.0


def test_what_asarray_makes_anew_is_written_to():
    def f(x, given):
        made = cnp.asarray(given, np.float64)
        made[...] = x
        return np.sum(made)

    for given in ([1.0, 2.0], 3, np.float64(3), np.arange(2)):
        assert cv.grad(f)(1.0, given) == np.size(given)


def test_solvers_take_functions_that_give_buffers():
    def solved(t):
        return cv.scipy.optimize.fixed_point(lambda x: cnp.asarray([2.0, 3.0]), np.zeros(2)) * t

    np.testing.assert_array_equal(cv.jacobian(solved)(1.0), [2.0, 3.0])
