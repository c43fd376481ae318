"""Traced Python numbers take the dtype of the arrays they meet: in writes, selections, control flow, custom rules."""

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp

ROW = np.array([0.5, 1.0, 2.0], np.float32)
ROWS = np.ones((2, 3), np.float32)
PLACES = np.array([0, 2])


@cv.custom_jvp
def doubled(x):
    return x * 2.0


doubled.defjvp(lambda primals, tangents: (doubled(*primals), 2.0 * tangents[0]))


@cv.custom_vjp
def scaled(x, y):
    return x * y


scaled.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, ct: ((ct * kept[1]).sum(), ct * kept[0]))


def written(y, key, value):
    if isinstance(value, cv.extend.Tracer) and not isinstance(y, cv.extend.Tracer):
        return cnp.at(y)[key].set(value)
    out = cnp.array(y)
    out[key] = value
    return out


# Functions of a Python number, an array in float32 and an integer that is 1.
PROGRAMS = {
    "set": lambda x, y, i: cnp.at(y)[0].set(x),
    "set at a traced place": lambda x, y, i: cnp.at(y)[i].set(x),
    "add at a traced place": lambda x, y, i: cnp.at(y)[i].add(x),
    "set a slice": lambda x, y, i: cnp.at(y)[1:].set(x),
    "set places": lambda x, y, i: cnp.at(y)[PLACES].set(x),
    "add to places": lambda x, y, i: cnp.at(y)[PLACES].add(x),
    "set a mask": lambda x, y, i: cnp.at(y)[y > 1].set(x),
    "buffer": lambda x, y, i: written(y, 0, x),
    "buffer, places": lambda x, y, i: written(y, PLACES, x),
    "select, default": lambda x, y, i: cnp.select([y > 0], [y], x),
    "select, choice": lambda x, y, i: cnp.select([y > 0], [x], y),
    "where": lambda x, y, i: cnp.where(y > 1, x, y),
    "clip": lambda x, y, i: cnp.clip(y, 0, x),
    "linspace": lambda x, y, i: cnp.linspace(x, y, 3),
    "quantile": lambda x, y, i: cnp.quantile(y, x * 0.1),
    "floor_divide": lambda x, y, i: y // x,
    "stop_gradient": lambda x, y, i: cv.stop_gradient(x) * y,
    "cond, operand": lambda x, y, i: cv.cond(y[0] > 0, lambda z: z * y, lambda z: y, x),
    "cond, result": lambda x, y, i: cv.cond(y[0] > 0, lambda z: z * 2.0, lambda z: z, x) * y,
    "cond, number and scalar": lambda x, y, i: cv.cond(y[0] > 0, lambda z: y[0], lambda z: z, x) * y,
    "switch": lambda x, y, i: cv.switch(i, [lambda z: z * y, lambda z: y, lambda z: z + y], x),
    "while, state": lambda x, y, i: cv.while_loop(lambda s: s[0] < 20, lambda s: (s[0] * 2.0, s[1] * s[0]), (x, y))[1],
    "while, result": lambda x, y, i: cv.while_loop(lambda s: s < 20, lambda s: s * 2.0, x) * y,
    "fori, result": lambda x, y, i: cv.fori_loop(0, 3, lambda k, s: s * 2.0, x) * y,
    "fori, index": lambda x, y, i: cv.fori_loop(0, 3, lambda k, s: s * k + x, y),
    "fori, bound": lambda x, y, i: cv.fori_loop(0, i + 2, lambda k, s: s * k + x, y),
    "fori from 0.0": lambda x, y, i: cv.fori_loop(0, 3, lambda k, s: s + x * y.sum(), 0.0),
    "scan, constant": lambda x, y, i: cv.scan(lambda c, r: (c * x, r * x), y, ROWS)[1],
    "scan, carry": lambda x, y, i: cv.scan(lambda c, r: (c * 2.0, r * c), x, ROWS)[1],
    "scan, result": lambda x, y, i: cv.scan(lambda c, r: (c * 2.0, r), x, ROWS)[0] * y,
    "map": lambda x, y, i: cv.map(lambda r: r * x, y),
    "checkpoint": lambda x, y, i: cv.checkpoint(lambda z: z * 2.0)(x) * y,
    "jit": lambda x, y, i: cv.jit(lambda z, y: z * y)(x, y),
    "custom_jvp": lambda x, y, i: doubled(x) * y,
    "custom_vjp": lambda x, y, i: scaled(x, y),
    # NumPy makes arrays of the numbers here, whose dtype counts.
    "dot": lambda x, y, i: cnp.dot(y, x),
    "inner": lambda x, y, i: cnp.inner(x, y),
    "outer": lambda x, y, i: np.multiply.outer(y, x),
    "einsum": lambda x, y, i: cnp.einsum(",i->i", x, y),
    "asarray": lambda x, y, i: cnp.asarray(x) * y,
    "stack": lambda x, y, i: cnp.stack([x, y[0]]),
}
MODES = {
    "jit": lambda f: cv.jit(f)(3.0, ROW, 1),
    "jit of a product": lambda f: cv.jit(lambda x, y, i: f(x * 1.0, y, i))(3.0, ROW, 1),
    "graph": lambda f: cv.make_graph(lambda x, y: f(x * 1.0, y, 1))(3.0, ROW)(3.0, ROW),
    "jvp by the number": lambda f: cv.jvp(lambda x: f(x, ROW, 1), (3.0,), (1.0,))[0],
    "jvp by the array": lambda f: cv.jvp(lambda y: f(3.0, y, 1), (ROW,), (ROW,))[0],
    "vjp by the number": lambda f: cv.vjp(lambda x: f(x * 1.0, ROW, 1), 3.0)[0],
    "vjp by both": lambda f: cv.vjp(lambda x, y: f(x * 1.0, y, 1), 3.0, ROW)[0],
    "jit of vjp": lambda f: cv.jit(lambda x, y: cv.vjp(lambda x, y: f(x * 1.0, y, 1), x, y)[0])(3.0, ROW),
    "vmap of jvp": lambda f: cv.vmap(lambda y: cv.jvp(lambda x: f(x * 1.0, y, 1), (3.0,), (1.0,))[0])(ROW[None])[0],
}
UNBOUNDED = ("while, state", "while, result", "fori, bound")  # whose number of steps reverse mode does not know
BATCHED = ("cond, result", "cond, number and scalar")  # of a batched condition: a batch of numbers is an array


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_have_the_dtypes_of_plain_ones(name):
    fun = PROGRAMS[name]
    wanted = np.asarray(fun(3.0, ROW, 1))
    for mode, run in MODES.items():
        if mode == "vmap of jvp" and name in BATCHED:
            continue
        found = np.asarray(run(fun))
        assert found.dtype == wanted.dtype, mode
        np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=mode)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in UNBOUNDED])
def test_gradients_have_the_dtypes_of_arguments(name):
    def loss(x, y):
        return PROGRAMS[name](x * 1.0, y, 1).sum()

    for gradient in (cv.grad(loss, (0, 1)), cv.jit(cv.grad(loss, (0, 1)))):
        assert [np.asarray(g).dtype for g in gradient(3.0, ROW)] == [np.float64, np.float32]


def test_an_integer_and_a_number_branch_to_a_number():
    f = cv.jit(lambda p, n, y: cv.cond(p, lambda n: n * 2, lambda n: n * 0.5, n) * y)
    assert f(True, 3, ROW).dtype == f(False, 3, ROW).dtype == np.float32
    np.testing.assert_array_equal(f(False, 3, ROW), 1.5 * ROW)


def test_the_method_dot_makes_an_array_of_a_number():
    assert cv.jit(lambda x, y: y.dot(x * 1.0))(3.0, ROW).dtype == ROW.dot(3.0).dtype == np.float64
