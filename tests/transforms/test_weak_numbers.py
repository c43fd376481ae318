"""What operators make of Python numbers alone is a number again: compiled functions keep the dtypes of arrays."""

from importlib.util import find_spec

import numpy as np
import pytest

import covector as cv

PRINTERS = ("auto", "graph", "numpy", *(("llvm",) if find_spec("llvmlite") else ()))
ROW = np.ones(3, np.float32)
PROGRAMS = {
    "a product": lambda x, y: (x * 2.0) * y,
    "a quotient": lambda x, y: (1.0 / x) * y,
    "a power": lambda x, y: (x**2) * y,
    "a root": lambda x, y: x**0.5 * y,
    "a negative": lambda x, y: -x * y,
    "a remainder": lambda x, y: (x % 2 + x // 2) * y,
    "a chain": lambda x, y: y - (x * 0.5 + 1.0) * (x - 3.0) * y,
    "NumPy's function": lambda x, y: np.exp(x) * y,
    "NumPy's sum": lambda x, y: np.add(x, 1.0) * y,
    "NumPy's square": lambda x, y: np.square(x) * y - np.negative(x) * y,
    "NumPy's product": lambda x, y: np.multiply(2.0, x) * np.divide(x, 2.0) * y,
    "NumPy's power": lambda x, y: np.power(x, 2) * y,
    "NumPy's remainder": lambda x, y: np.divmod(x, 2)[1] * np.floor_divide(x, 2) * y,
    "NumPy's sum with an array": lambda x, y: np.add(x, y),
    "a comparison": lambda x, y: np.where((x * 2.0) > y, x * 0.5, y),
    "beside a number of NumPy's": lambda x, y: (x * 2.0) * np.float32(3.0) * y,
    "in a loop": lambda x, y: cv.fori_loop(0, 3, lambda k, s: s * (x * 0.5), y),
    "around a loop": lambda x, y: cv.scan(lambda s, r: (s + r * (2.0 * x), s), y, np.stack([y, y]))[1],
    "in a branch": lambda x, y: cv.cond(y[0] > 0, lambda y: y * (x + 1.0), lambda y: y, y),
    "complex": lambda x, y: (x * 2j) * y,
}


def dtypes(tree):
    return [(v.dtype, v.shape) for v in map(np.asarray, cv.tree.leaves(tree))]


@pytest.mark.parametrize("printer", PRINTERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_functions_have_the_dtypes_of_plain_ones(name, printer):
    fun = PROGRAMS[name]
    for x in (3.0, 3):
        found, wanted = cv.jit(fun, compiler_options={"printer": printer})(x, ROW), fun(x, ROW)
        assert dtypes(found) == dtypes(wanted)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("printer", PRINTERS)
def test_gradients_have_the_dtypes_of_arrays(printer):
    def loss(w, rate):
        return np.sum((w - rate * 0.5 * w) ** 2) * (rate + 1.0)

    f = cv.jit(cv.value_and_grad(loss), compiler_options={"printer": printer})
    found, wanted = f(ROW, 0.1), cv.value_and_grad(loss)(ROW, 0.1)
    assert dtypes(found) == dtypes(wanted) == [(np.float32, ()), (np.float32, (3,))]
    for a, b in zip(found, wanted):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    found = cv.jit(cv.grad(lambda x: np.sum((x * 2.0) * ROW)), compiler_options={"printer": printer})(1.0)
    assert np.asarray(found).dtype == np.float64 and found == 6.0


def test_integers():
    y = np.array([2, 3], np.int32)
    for fun in (lambda n: (n + 1) * y, lambda n: (n + 2**40) > y, lambda n: (n * 2 + 1) * ROW):
        for printer in PRINTERS:
            found = cv.jit(fun, compiler_options={"printer": printer})(5)
            assert found.dtype == fun(5).dtype
            np.testing.assert_array_equal(found, fun(5))


def test_graphs_show_where_a_number_takes_a_dtype():
    assert "cast[dtype=float32]" in str(cv.make_graph(lambda x: (x * 2.0) * ROW)(1.0))
    assert "cast" not in str(cv.make_graph(lambda x: (x * 2.0) * np.ones(3))(1.0))


def test_a_number_is_one_of_numpys_at_the_end():
    for printer in PRINTERS[2:]:
        assert type(cv.jit(lambda x: x * 2.0, compiler_options={"printer": printer})(1.0)) is np.float64


@pytest.mark.parametrize("printer", PRINTERS)
def test_functions_of_numpy_divide_numbers_as_numpy_does(printer):
    for fun, x, y in ((np.divide, 1.0, 0.0), (np.power, 0.0, -1.0), (np.divide, 1, 0), (np.remainder, 1.0, 0.0),
                      (cv.numpy.divide, 1.0, 0.0), (cv.numpy.power, 0.0, -1.0)):
        with np.errstate(all="ignore"):
            np.testing.assert_equal(cv.jit(fun, compiler_options={"printer": printer})(x, y), fun(x, y))
        with pytest.warns(RuntimeWarning, match="zero|invalid"):
            cv.jit(fun, compiler_options={"printer": printer})(x, y)
    with pytest.raises(ZeroDivisionError):  # an operator is Python's
        cv.jit(lambda x, y: x / y)(1.0, 0.0)


def test_functions_of_numpy_make_arrays_of_numbers_under_every_transform():
    seen = []

    def f(x):
        seen.append((np.add(x, 1.0) * ROW).dtype)
        return np.divide(x, 2.0)

    for run in (cv.grad(f), cv.jit(f), cv.grad(cv.checkpoint(f)), lambda x: cv.jvp(f, (x,), (1.0,)), f):
        run(2.0)
    assert set(seen) == {np.dtype(float)}
    with np.errstate(divide="ignore"):
        assert cv.value_and_grad(lambda x: np.divide(1.0, x))(0.0) == (np.inf, -np.inf)


@pytest.mark.parametrize("printer", PRINTERS)
@pytest.mark.parametrize(("fun", "x"), [
    (np.arctanh, 0.5), (np.arctanh, 1.0), (np.log2, 0.0), (np.log10, 0.0), (np.log, 0.0), (np.sqrt, 0.0),
    (cv.nn.softplus, 0.5), (lambda x: np.divide(1.0, x), 0.0), (lambda x: np.exp(np.divide(-1.0, x)), 0.0)])
def test_rules_take_a_number_as_the_array_it_is(fun, x, printer):
    for transform in (cv.grad, lambda f: cv.grad(cv.grad(f)), lambda f: cv.jacfwd(cv.jacfwd(f))):
        with np.errstate(all="ignore"):
            found = cv.jit(transform(fun), compiler_options={"printer": printer})(x)
            np.testing.assert_allclose(found, transform(fun)(np.float64(x)), rtol=1e-12)
