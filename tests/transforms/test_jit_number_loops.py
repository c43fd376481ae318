"""Loops, branches and computed places on Python floats: what NumPy source gives, and errors and wraps that it has."""

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp

X = np.linspace(-1.0, 2.0, 7)
TABLE = np.arange(12.0).reshape(4, 3)


def collatz(n):
    return cv.while_loop(lambda c: c[0] != 1, lambda c: (np.where(c[0] % 2 == 0, c[0] // 2, 3 * c[0] + 1), c[1] + 1),
                         (n, 0))[1]


def root(a):
    return cv.while_loop(lambda c: np.abs(c * c - a) > 1e-9, lambda c: 0.5 * (c + a / c), a + 1.0)


def moved(x, n):
    return cv.fori_loop(0, n, lambda i, c: (c[0] * 0.5 + i, c[1] + x[i] * c[0]), (x[0], np.zeros(2)))


def rows(i, table):
    return table[i] * 2.0 + cnp.take(TABLE, i, 0)


def chosen(x):
    return cv.cond(x[0] > 0.0, lambda x: np.stack([x[0] * x[1], x[2]]), lambda x: np.stack([np.sin(x[1]), x[0]]), x)


def both(x, n):
    """A loop with a branch in a loop, and what nobody reads."""
    def step(i, c):
        c, unused = c
        c = cv.cond(c > 1.0, lambda c: c * 0.5, lambda c: cv.while_loop(lambda d: d < 1.0, lambda d: d * 0.5 + 0.75, c),
                    c + x[i % 3])
        return c, unused + c

    return cv.fori_loop(0, n, step, (0.25, 0.0))[0]


def wrapped(n):
    """A product that leaves 64 bits, of which a remainder is small again."""
    return cv.fori_loop(0, n, lambda i, c: (c * 6364136223846793005 + 1442695040888963407) % 1000, n)


def tripled(n):
    return cv.while_loop(lambda c: c > 0, lambda c: c * 3, n)


CASES = {
    "collatz": (collatz, [(1,), (6,), (27,)]), "root": (root, [(2.0,), (100.0,), (1e-3,)]),
    "root, all tangents": (cv.jacfwd(root), [(2.0,), (9.0,)]),
    "roots of two": (cv.vmap(root), [(np.array([2.0, 9.0]),)]),
    "all and any": (lambda x: (np.all(x > 0, axis=1), np.any(x > 0), np.all(x[:0] > 0), np.any(x[:0] > 0)), [
        (TABLE,), (TABLE - 5.0,), (-TABLE,)]),
    "root forward": (lambda a: cv.jvp(root, (a,), (1.0,)), [(2.0,), (9.0,)]),
    "moved": (moved, [(X, 0), (X, 1), (X, 7)]), "rows": (rows, [(0, TABLE), (3, TABLE), (-1, TABLE), (-4, TABLE)]),
    "chosen": (chosen, [(np.array([1.0, 2.0, 3.0]),), (np.array([-1.0, 2.0, 3.0]),), (np.array([np.nan, 2.0, 3.0]),)]),
    "both": (both, [(X, 0), (X, 3), (X, 20)]), "wrapped": (wrapped, [(0,), (1,), (5,)]),
    "tripled": (tripled, [(1,), (-2,), (2,)]),
    "gradient of a branch": (cv.grad(lambda x: (chosen(x) ** 2).sum()), [(X[:3],), (X[4:],)]),
    "integers": (lambda a, b: (a // b, a % b), [(7, 2), (-7, 2), (7, -2), (-7, -2), (-(2**63), -1), (5, 0)]),
}


def agree(fun, args):
    given = [np.asarray(a) for a in args]
    with np.errstate(all="ignore"):
        want = cv.jit(fun, compiler_options={"printer": "numpy"})(*given)
        for printer in ("scalar", "auto"):
            found = cv.jit(fun, compiler_options={"printer": printer})(*given)
            for a, b in zip(cv.tree.leaves(found), cv.tree.leaves(want), strict=True):
                assert a.dtype == b.dtype and np.shape(a) == np.shape(b)
                np.testing.assert_allclose(a, b, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_loops_and_branches_on_floats(name):
    fun, calls = CASES[name]
    for args in calls:
        agree(fun, args)


@pytest.mark.parametrize("printer", ["scalar", "numpy"])
@pytest.mark.parametrize("i", [4, -5])
def test_a_place_outside_is_an_error(i, printer):
    f = cv.jit(rows, compiler_options={"printer": printer})
    with pytest.raises(IndexError):
        f(np.array(i), TABLE)


def test_loops_over_few_numbers_run_on_floats(without_native):
    lowered = cv.jit(lambda n, a: (collatz(n), a @ a)).lower(27, np.ones((60, 60)))
    assert "loop(" in lowered.source and "while" not in lowered.source
    assert "float(a1)" in cv.jit(cv.jacfwd(root)).lower(2.0).source
