"""Integers and booleans that are known while a function is traced; choices of one structure; rolls by traced shifts."""

from importlib.util import find_spec

import numpy as np
import pytest

import covector as cv
from covector.core.errors import ConversionError, TreeError

PRINTERS = ("graph", "numpy", *(("llvm",) if find_spec("llvmlite") else ()))
X = np.arange(6.0)
ASKED = {
    "int": lambda x, n: x[: int(n)].sum(),
    "an index": lambda x, n: x[:n].sum(),
    "range": lambda x, n: sum(x[k] for k in range(n)),
    "item": lambda x, n: x[: n.item()].sum(),
    "tolist": lambda x, n: x[: n.tolist()].sum(),
    "switch": lambda x, n: cv.switch(n, [lambda x: x.sum(), lambda x: -x.sum(), lambda x: x[:2].sum()], x),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_checkpoint_knows_integers(name):
    fun = ASKED[name]
    n = np.array(2)
    np.testing.assert_array_equal(cv.grad(cv.checkpoint(fun))(X, n), [1, 1, 0, 0, 0, 0])
    if name != "switch":
        with pytest.raises(ConversionError):
            cv.jit(fun)(X, n)
        with pytest.raises(ConversionError):
            cv.vmap(fun, (None, 0))(X, np.array([1, 2]))


def test_floats_stay_refused():
    with pytest.raises(ConversionError, match="drop its derivative"):
        cv.grad(lambda x: x * int(x))(2.0)
    with pytest.raises(ConversionError, match=r"\.item\(\)"):
        cv.grad(cv.checkpoint(lambda x: x * x.item()))(2.0)


@pytest.mark.parametrize("shift", [0, 1, -2, 4, 7, -13])
def test_rolls_by_traced_shifts(shift):
    m = X.reshape(2, 3)
    np.testing.assert_array_equal(cv.jit(lambda s: np.roll(X + s * 0, s))(shift), np.roll(X, shift))
    np.testing.assert_array_equal(cv.vmap(lambda s: cv.numpy.roll(X, s))(np.array([shift, 1])),
                                  [np.roll(X, shift), np.roll(X, 1)])
    f = cv.jit(lambda s: cv.numpy.roll(m, s, 1))
    np.testing.assert_array_equal(f(shift), np.roll(m, shift, 1))
    f = cv.jit(lambda s: cv.numpy.roll(m, (s, 1), (0, 1)))
    np.testing.assert_array_equal(f(shift), np.roll(m, (shift, 1), (0, 1)))
    f = cv.jit(lambda s: cv.numpy.roll(m, s, (0, 1)))
    np.testing.assert_array_equal(f(shift), np.roll(m, shift, (0, 1)))
    f = cv.jit(lambda s: cv.numpy.roll(m, s))
    np.testing.assert_array_equal(f(np.array(shift)), np.roll(m, shift))
    slope = cv.grad(lambda x: cv.vmap(lambda s: cv.numpy.roll(x, s)[0])(np.array([shift, shift])).sum())(X)
    np.testing.assert_array_equal(slope, 2.0 * (np.arange(6) == -shift % 6))


def test_rolls_need_a_shift_for_each_axis():
    with pytest.raises(ValueError, match="3 shifts and 2 axes; give as many of both, or one"):
        cv.jit(lambda s: cv.numpy.roll(X.reshape(2, 3), s, (0, 1)))(np.arange(3))


def test_choices_of_one_structure_that_was_written_in_other_ways():
    def chosen(p, x, d):
        return (cv.cond(p, lambda x: {"a": x, "b": (x, x)}, lambda x: {"b": (x, x), "a": x}, x),
                cv.cond(p, lambda x: (x, x * 2, x), lambda x: (x, x, x), x),
                cv.cond(p, lambda x: d, lambda x: {"a": x, "b": x}, x))

    for p in (True, False):
        found, wanted = (f(np.array(p), 2.0, {"a": 1.0, "b": 3.0}) for f in (cv.jit(chosen), chosen))
        assert cv.tree.structure(found) == cv.tree.structure(wanted)
        assert cv.tree.leaves(found) == cv.tree.leaves(wanted)
    with pytest.raises(TreeError, match="return one structure"):
        cv.jit(lambda p, x: cv.cond(p, lambda x: (x, x), lambda x: [x, x], x))(np.array(True), 1.0)


@pytest.mark.parametrize("printer", PRINTERS)
def test_a_loop_that_carries_its_own_test(printer):
    def turns(x):
        return cv.while_loop(lambda s: s[0], lambda s: (s[1] < 8.0, s[1] * 1.5), (np.array(True), x))

    def sums(x):
        return cv.while_loop(lambda s: s[1].sum() < 50, lambda s: (s[1].sum() < 30, s[1] * 1.5), (np.array(True), x))

    for fun, x in ((turns, 1.0), (sums, np.ones(20)), (sums, np.ones(3))):
        found, wanted = cv.jit(fun, compiler_options={"printer": printer})(x), fun(x)
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-14)


@pytest.mark.parametrize("printer", PRINTERS)
def test_booleans_add_and_multiply_as_booleans(printer):
    compiled = lambda f: cv.jit(f, compiler_options={"printer": printer})  # noqa: E731
    x = np.array([1.0, 3.0])
    np.testing.assert_array_equal(compiled(lambda x: ((x > 0) + (x < 2)) * x)(x), x)
    assert compiled(lambda x: (((x > 0) * (x < 2)) + (x < 5)) * x)(np.float64(1.0)) == 1.0


@pytest.mark.parametrize("printer", (*PRINTERS, "auto"))
def test_constants_of_any_dtype_are_outputs(printer):
    f = cv.jit(lambda x: (x + 1.0, np.int32(3), np.float32(2.5), np.int8(4), np.bool_(True)),
               compiler_options={"printer": printer})
    found = f(np.float64(2.0))
    assert [v.dtype for v in found] == [np.float64, np.int32, np.float32, np.int8, np.bool_]
    assert [v.item() for v in found] == [3.0, 3, 2.5, 4, True]
