"""Native code looks at its arguments itself: calls of other signatures are staged again."""

import numpy as np
import pytest

import covector as cv

pytest.importorskip("llvmlite", reason="needs llvmlite, of the `llvm` extra: pip install -e '.[llvm]'")
X = np.arange(3.0)


def compiled(fun, **options):
    return cv.jit(fun, compiler_options={"printer": "llvm"}, **options)


OTHERS = [np.arange(4.0), np.arange(6.0).reshape(2, 3), X.astype(np.float32), np.arange(3), X > 1, np.float64(2.0),
          np.array(2.0), 2.0, 2, True, np.float32(2.0), X.astype(">f8"), X[::-1], np.arange(6.0)[::2], X * 1j,
          np.zeros((0,)), X.view(type("Kind", (np.ndarray,), {}))]


@pytest.mark.parametrize("first", range(len(OTHERS)))
def test_each_signature_has_its_own_results(first):
    f = compiled(lambda x: x * 2 + 1)
    for k in range(len(OTHERS)):
        x = OTHERS[(first + k) % len(OTHERS)]
        for _ in range(3):
            found, wanted = f(x), np.asarray(x) * 2 + 1 if isinstance(x, np.ndarray) else x * 2 + 1
            np.testing.assert_array_equal(found, wanted)
            assert np.shape(found) == np.shape(wanted)
            assert np.asarray(found).dtype == np.asarray(wanted).dtype.newbyteorder("=")


def test_arguments_are_counted_and_named():
    f = compiled(lambda x, y=1.0, *rest: x + y + sum(rest))
    for _ in range(3):
        np.testing.assert_array_equal(f(X), X + 1.0)
        np.testing.assert_array_equal(f(X, X), X + X)
        np.testing.assert_array_equal(f(X, y=X), X + X)
        np.testing.assert_array_equal(f(X, X, 1.0), X + X + 1.0)
    with pytest.raises(TypeError):
        f()


def test_pytrees_of_other_structure():
    f = compiled(lambda tree: cv.tree.map(lambda x: x + 1.0, tree))
    for tree in ({"a": X}, {"a": X, "b": X}, {"b": X, "a": X[:2]}, [X, X], (X, X), {"a": [X]}, {"a": 1.0}):
        for _ in range(3):
            found = f(tree)
            assert cv.tree.structure(found) == cv.tree.structure(tree)
            for x, y in zip(cv.tree.leaves(found), cv.tree.leaves(tree)):
                np.testing.assert_array_equal(x, y + 1.0)


def test_static_arguments_and_debug_modes():
    f = compiled(lambda x, n: x**n, static_argnums=1)
    for _ in range(3):
        for n in (2, 3):
            np.testing.assert_array_equal(f(X, n), X**n)
    with cv.debug_nans():
        np.testing.assert_array_equal(f(X, 2), X**2)


def test_traced_values_take_the_general_way():
    f = compiled(lambda x: np.sum(np.sin(x) * x))
    for _ in range(3):
        f(X)
        np.testing.assert_allclose(cv.grad(f)(X), np.cos(X) * X + np.sin(X))
        np.testing.assert_allclose(cv.vmap(f)(np.stack([X, X])), [f(X)] * 2)
