"""What messages advise works: each is raised, and its remedy followed."""

import copy
import json
import math
import re
import statistics

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
import scipy.special
import scipy.stats
from scipy.special import softmax

import covector as cv

A = np.array([[2.0, 1.0], [0.5, 3.0], [1.0, -1.0]])
SPARSE = scipy.sparse.csr_array(np.array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]]))
X = np.array([1.0, -2.0, 3.0])


def doubled(x):
    while x < 10.0:
        x = x * 2.0
    return x


# name -> what raises, the remedy in the message, and the same program with it; what that gives
CASES = {
    "if under vmap": (lambda: cv.vmap(lambda x: x if x > 0 else -x)(X), "use np.where or covector.cond instead of `if`",
                      lambda: cv.vmap(lambda x: cv.cond(x > 0, lambda x: x, lambda x: -x, x))(X), np.abs(X)),
    "while under vmap": (lambda: cv.vmap(doubled)(np.abs(X)), "covector.while_loop instead of `while`",
                         lambda: cv.vmap(lambda x: cv.while_loop(lambda x: x < 10.0, lambda x: x * 2.0, x))(np.abs(X)),
                         np.array([16.0, 16.0, 12.0])),
    "while under jit": (lambda: cv.jit(doubled)(1.0), "covector.while_loop instead of `while`",
                        lambda: cv.jit(lambda x: cv.while_loop(lambda x: x < 10.0, lambda x: x * 2.0, x))(1.0), 16.0),
    "where of one argument": (lambda: cv.vmap(lambda x: np.sum(x[np.where(x > 0)]))(X[None]),
                              "np.sum(np.where(mask, x, 0.0))",
                              lambda: cv.vmap(lambda x: np.sum(np.where(x > 0, x, 0.0)))(X[None]), np.array([4.0])),
    "sparse matrix": (lambda: cv.grad(lambda x: np.sum((SPARSE / x).toarray()))(X), "A.toarray() for other operations",
                      lambda: cv.grad(lambda x: np.sum(SPARSE.toarray() / x))(X), -np.array([2.0, 3.0, 1.0]) / X**2),
    "product of a sparse matrix": (
        lambda: cv.grad(lambda x: np.sum(SPARSE.multiply(x)))(X), "covector.scipy.sparse.csr_array(A)",
        lambda: cv.grad(lambda x: cv.scipy.sparse.csr_array(SPARSE).multiply(x).sum())(X), np.array([2.0, 3.0, 1.0])),
    "solve that is not square": (lambda: cv.grad(lambda a: np.sum(np.linalg.solve(a, X)))(A),
                                 "np.linalg.lstsq(a, b)[0]",
                                 lambda: cv.value_and_grad(lambda a: np.sum(np.linalg.lstsq(a, X)[0]))(A)[0],
                                 np.sum(np.linalg.lstsq(A, X, rcond=None)[0])),
    "the same": (lambda: cv.grad(lambda a: np.sum(np.linalg.solve(a, X)))(A), "np.linalg.pinv(a) @ b",
                 lambda: cv.value_and_grad(lambda a: np.sum(np.linalg.pinv(a) @ X))(A)[0],
                 np.sum(np.linalg.pinv(A) @ X)),
    "inverse that is not square": (lambda: cv.grad(lambda a: np.sum(np.linalg.inv(a)))(A), "np.linalg.pinv(a)",
                                   lambda: cv.value_and_grad(lambda a: np.sum(np.linalg.pinv(a)))(A)[0],
                                   np.sum(np.linalg.pinv(A))),
    "array of traced numbers": (lambda: cv.grad(lambda x: np.sum(np.array([x, 2.0 * x])))(1.0), "np.stack([...])",
                                lambda: cv.grad(lambda x: np.sum(np.stack([x, 2.0 * x])))(1.0), 3.0),
    "asarray": (lambda: cv.grad(lambda x: np.sum(np.asarray(x) ** 2))(X), "covector.numpy.asarray(t) for np.asarray(t)",
                lambda: cv.grad(lambda x: np.sum(cv.numpy.asarray(x) ** 2))(X), 2.0 * X),
    "function of a list": (lambda: cv.grad(lambda x: np.sum([x, 2.0 * x]))(1.0), "covector.numpy.sum for np.sum",
                           lambda: cv.grad(lambda x: cv.numpy.sum([x, 2.0 * x]))(1.0), 3.0),
    "full": (lambda: cv.grad(lambda x: np.sum(np.full(3, x)))(1.0), "covector.numpy.full for np.full",
             lambda: cv.grad(lambda x: np.sum(cv.numpy.full(3, x)))(1.0), 3.0),
    "number of a dtype": (lambda: cv.grad(lambda x: np.float64(x) * 2.0)(1.0), "t.astype(float) for np.float64(t)",
                          lambda: cv.grad(lambda x: x.astype(float) * 2.0)(1.0), 2.0),
    "item": (lambda: cv.grad(lambda x: np.sum(x).item() * 2.0)(X), "leave .item() out, since a 0-d array serves",
             lambda: cv.grad(lambda x: np.sum(x) * 2.0)(X), np.full(3, 2.0)),
    "float": (lambda: cv.grad(lambda x: float(x) ** 2)(1.5), "t itself for float(t)",
              lambda: cv.grad(lambda x: x**2)(1.5), 3.0),
    "int": (lambda: cv.jit(lambda x: [x for _ in range(int(x))])(3.0), "covector.fori_loop for range(int(t))",
            lambda: cv.jit(lambda x: cv.fori_loop(0, x.astype(int), lambda i, c: c + x, 0.0))(3.0), 9.0),
    "range under jit": (lambda: cv.jit(lambda x, n: sum(x for _ in range(n)))(2.0, 3),
                        "covector.fori_loop for range(t)",
                        lambda: cv.jit(lambda x, n: cv.fori_loop(0, n, lambda i, c: c + x, 0.0))(2.0, 3), 6.0),
    "the same, static": (lambda: cv.jit(lambda x, n: sum(x for _ in range(n)))(2.0, 3), "mark the argument static",
                         lambda: cv.jit(lambda x, n: sum(x for _ in range(n)), static_argnums=1)(2.0, 3), 6.0),
    "shape under jit": (lambda: cv.jit(lambda n: np.zeros(n))(3), "mark the argument static in jit (static_argnums)",
                        lambda: cv.jit(lambda n: np.zeros(n), static_argnums=0)(3), np.zeros(3)),
    "shape of two lengths": (lambda: cv.jit(lambda n: np.full(n, 2.0))(3), "take it from x.shape",
                             lambda: cv.jit(lambda x: np.full(x.shape, 2.0))(X), np.full(3, 2.0)),
    "reshape under jit": (lambda: cv.jit(lambda x, n: x.reshape(n, 1))(X, 3), "mark the argument static in jit (static",
                          lambda: cv.jit(lambda x, n: x.reshape(n, 1), static_argnums=1)(X, 3), X[:, None]),
    "unique under jit": (lambda: cv.jit(lambda x: np.unique(x))(X), "call it outside of the transformed",
                         lambda: cv.jit(lambda x: 2.0 * x)(np.unique(X)), 2.0 * np.sort(X)),
    "integer output": (lambda: cv.grad(lambda x: np.sum(x.astype(int)))(X),
                       "compute it in floats, without .astype(int)",
                       lambda: cv.grad(lambda x: np.sum(x))(X), np.ones(3)),
    "no return": (lambda: cv.grad(lambda x: None)(1.0), "end it with `return loss`",
                  lambda: cv.grad(lambda x: x)(1.0), 1.0),
    "condition of several elements": (lambda: cv.while_loop(lambda c: c < 2.0, lambda c: c * 2.0, np.ones(3)),
                                      "reduce it with .any() or .all()",
                                      lambda: cv.while_loop(lambda c: (c < 2.0).any(), lambda c: c * 2.0, np.ones(3)),
                                      np.full(3, 2.0)),
    "cond of values": (lambda: cv.cond(True, 1.0, 2.0), "np.where(pred, a, b) to choose between values",
                       lambda: np.where(True, 1.0, 2.0), 1.0),
    "axes of a dict": (lambda: cv.vmap(lambda p: p["a"] * 2.0, in_axes={"a": 0})({"a": X}), "put it in a tuple",
                       lambda: cv.vmap(lambda p: p["a"] * 2.0, in_axes=({"a": 0},))({"a": X}), 2.0 * X),
    "learning rate": (lambda: cv.optimizers.sgd("0.1"), "give a number, as 0.1",
                      lambda: cv.optimizers.sgd(0.1).update(X, cv.optimizers.sgd(0.1).init(X), X)[0], -0.1 * X),
    "method of a tensor": (lambda: cv.grad(lambda x: x.norm())(X), "use numpy.linalg.norm(x)",
                           lambda: cv.grad(lambda x: np.linalg.norm(x))(X), X / np.sqrt(14.0)),
    "detached": (lambda: cv.grad(lambda x: np.sum(x * x.detach()))(X), "use covector.stop_gradient(x)",
                 lambda: cv.grad(lambda x: np.sum(x * cv.stop_gradient(x)))(X), X),
    "backward": (lambda: cv.grad(lambda x: x.sum().backward())(X), "covector.grad(f)(x)",
                 lambda: cv.grad(lambda x: x.sum())(X), np.ones(3)),
    "no such attribute": (lambda: cv.grad(lambda x: x.summ())(X), "it has those of numpy.ndarray: check the name",
                          lambda: cv.grad(lambda x: x.sum())(X), np.ones(3)),
    "memory": (lambda: cv.grad(lambda x: x.strides[0] * x.sum())(X), "read it from the array outside the transformed",
               lambda: cv.grad(lambda x: X.strides[0] * x.sum())(X), np.full(3, 8.0)),
    "arguments of jvp": (lambda: cv.jvp(1.0, (X,), (X,)), "write jvp(f, (x,), (dx,))",
                         lambda: cv.jvp(np.sum, (X,), (X,))[1], 2.0),
    "arguments of scan": (lambda: cv.scan(0.0, X, X), "write scan(f, init, xs)",
                          lambda: cv.scan(lambda c, x: (c + x, None), 0.0, X)[0], 2.0),
}


@pytest.mark.parametrize("name", CASES)
def test_remedy_works(name):
    refused, remedy, followed, wanted = CASES[name]
    with pytest.raises((TypeError, ValueError, AttributeError), match=re.escape(remedy)) as caught:
        refused()
    assert "(at test_remedies.py:" in str(caught.value)
    np.testing.assert_allclose(followed(), wanted)


@pytest.mark.parametrize(("fun", "words"), [
    (lambda x: math.exp(x[0]), r"Python float by math\.exp, .*; use np\.exp and friends for math\.\*, or"),
    (lambda x: math.trunc(x[0]), r"Python float by math\.trunc, .*; use np\.exp and friends for math\.\*, or"),
    (lambda x: float(x[0]), r"Python float, .*; use t itself for float\(t\), or"),
    (lambda x: np.array([x[0]]), r"numpy array by np\.array, .*; use covector\.numpy\.array\([^;,]*\) or np\.stack"
     r"\([^;,]*\) for np\.array\([^;,]*\), or"),
    (lambda x: np.ones((2, 3)).dot(x), r"numpy array, .*; use x @ t for x\.dot\(t\), or"),
    (lambda x: np.sum([x, x]), r"numpy array by np\.sum, .*; use covector\.numpy\.sum for np\.sum, or"),
    (lambda x: np.linalg.norm([x, x]), r"; use covector\.numpy\.linalg\.norm for np\.linalg\.norm, or"),
    (lambda x: np.full(3, x[0]), r"numpy array by np\.full, .*; use covector\.numpy\.full for np\.full, or"),
    (lambda x: np.float64(x[0]), r"; use t\.astype\(float\) for np\.float64\(t\), or"),
    (lambda x: np.testing.assert_allclose(x, X), r"by np\.testing\.assert_allclose, .*; use covector.custom_vjp ar"),
    (lambda x: scipy.linalg.norm(x), r"scipy\.linalg\.norm, .*; use covector\.scipy\.linalg\.norm for scipy\.linalg"),
    (lambda x: scipy.special.softmax(x), r"use covector\.scipy\.special\.softmax for scipy\.special\.softmax, or"),
    (lambda x: softmax(x), r"use covector\.scipy\.special\.softmax for softmax, or"),
    (lambda x: scipy.stats.norm.pdf(x), r"use covector\.scipy\.stats\.norm\.pdf for scipy\.stats\.norm\.pdf, or"),
    (lambda x: np.vectorize(lambda v: v)(x), r"; use covector\.numpy\.vectorize, or covector\.vmap, for np\.vec"),
    (lambda x: np.r_[x, 1.0], r"; use np\.concatenate\([^;]*\) for np\.r_\["),
    (lambda x: np.c_[x, x], r"; use .*np\.column_stack\([^;]*\) for np\.c_\["),
    (lambda x: np.ma.masked_array(x, X > 0), r"; use np\.where\(mask, 0\.0, t\)[^;]* for masked arrays, or"),
    (lambda x: np.polynomial.Polynomial(x)(1.0), r"; use np\.polyval\([^;]*\) for Polynomial\(c\)\(x\), or"),
    (lambda x: np.polynomial.Polynomial([1.0, 2.0])(x), r"; use np\.polyval\([^;]*\) for Polynomial\(c\)\(x\), or"),
    (lambda x: sum(x.tolist()), r"; leave \.tolist\(\) out, [^;]*, or covector\.stop_gradient"),
    (lambda x: statistics.mean(x), r"; use np\.mean, np\.std and the like for the functions of statistics, or"),
    (lambda x: np.from_dlpack(x), r"; use covector\.compat\.torch for PyTorch, covector\.custom_vjp around[^;]*, or"),
    (lambda x: math.fsum(x), r"; use np\.sum\(np\.stack\([^;]*\)\) for math\.fsum\("),
])
def test_remedy_is_that_of_the_call_that_the_line_makes(fun, words):
    with pytest.raises(TypeError, match=words):
        cv.grad(fun)(X)


@pytest.mark.parametrize(("fun", "given", "words"), [
    (lambda i: X[i], [0, 1], "covector.numpy.asarray(a)[t] for a[t] of a plain array a, or in_axes=None"),
    (lambda i: X.take(i), [0, 1], "covector.numpy.take(a, t, axis) for a.take(t), or"),
    (lambda i: [1.0, 2.0][i], [0, 1], "covector.numpy.take(np.array(a), t, axis) for a[t] of a list a, make it an"),
    (lambda i: X[i : i + 2], [0, 1], "covector.lax.dynamic_slice_in_dim(a, t, size, axis) for a[t:t + size], or"),
    (lambda m: X[m], [[True, False, True]], "np.where(t, a, 0.0) for a[t] of a mask t, or")])
def test_an_index_has_the_remedy_of_what_is_indexed(fun, given, words):
    with pytest.raises(TypeError, match=re.escape(f"; use {words}")):
        cv.vmap(fun)(np.array(given))


def test_what_is_written_for_an_index_works():
    places = np.array([0, 2])
    for pick in (lambda i: cv.numpy.take(X, i, 0), lambda i: cv.numpy.asarray(X)[i]):
        np.testing.assert_array_equal(cv.vmap(pick)(places), X[places])
        np.testing.assert_array_equal(cv.jit(pick)(2), X[2])
    np.testing.assert_array_equal(cv.vmap(lambda i: cv.numpy.take(np.array([1.0, 2.0, 3.0]), i, 0))(places), [1.0, 3.0])
    np.testing.assert_array_equal(cv.vmap(lambda i: cv.lax.dynamic_slice_in_dim(X, i, 2, 0))(np.array([0, 1])),
                                  [X[:2], X[1:]])


def test_a_line_without_source_gets_all_remedies():
    names = {"math": math, "np": np}
    for text, some in (("lambda x: math.exp(x[0])", "t itself for float(t)"), ("lambda x: np.array([x])", "x @ t")):
        with pytest.raises(TypeError, match=r"converted to a (Python float|numpy array), ") as caught:
            cv.grad(eval(text, names))(X)
        assert some in str(caught.value)


def test_a_function_that_a_transform_calls_is_not_taken_for_the_line_s():
    for call in (lambda: cv.vmap(math.exp)(X), lambda: cv.grad(math.exp)(1.0)):
        with pytest.raises(TypeError, match=r"a Python float, .*; use np\.exp and friends for math\.\*, t"):
            call()


def test_a_list_that_was_meant_as_an_array_is_explained():
    for fun, given in ((lambda x: np.sum(x**2), [1.0, 2.0]), (lambda x: -x, (1.0, 2.0)), (lambda x: x * 2.5, [1.0])):
        with pytest.raises(TypeError) as caught:
            cv.grad(cv.grad(fun))(given)
        (note,) = caught.value.__notes__
        assert "give np.array(...)" in note and "(at test_remedies.py:" in note
    assert cv.grad(lambda x: np.sum(x**2))(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]


def test_errors_of_the_user_s_own_stay_as_they_are():
    for fun, words in ((lambda x: range(2.5), "'float' object cannot be interpreted as an integer"),
                       (lambda x: {}["b"], "b")):
        with pytest.raises((TypeError, KeyError), match=words) as caught:
            cv.grad(fun)(1.0)
        assert not getattr(caught.value, "__notes__", ())


@pytest.mark.parametrize(("module", "make", "call"), [
    ("pandas", lambda pandas: pandas.Series([1.0, 2.0]), "x.to_numpy()"),
    ("torch", lambda torch: torch.ones(2), "x.detach().numpy()"),
    ("scipy.sparse", lambda sparse: sparse.csr_array(np.eye(2)), "x.toarray()"),
])
def test_arrays_of_other_libraries_are_converted_as_it_says(module, make, call):
    x = make(pytest.importorskip(module, reason=f"needs {module}"))
    for transform, at in ((cv.grad, "argument 0 is"), (cv.jit, "a leaf is")):
        words = rf"{at} [^\n]* convert it with {re.escape(call)} \(at test_remedies"
        with pytest.raises(TypeError, match=words) as caught:
            transform(lambda x: np.sum(x * x))(x)
        assert "\n" not in str(caught.value)
    np.testing.assert_array_equal(cv.grad(lambda x: np.sum(x * x))(eval(call)), 2.0 * eval(call))


def test_the_class_of_a_traced_value_is_explained():
    for transform, given in ((cv.grad, 2.0), (cv.vmap, X), (cv.jit, 2.0)):
        with pytest.raises(TypeError, match="is not JSON serializable") as caught:
            transform(lambda x: (json.dumps({"loss": x}), x)[1])(given)
        (note,) = caught.value.__notes__
        assert "a traced value" in note and "has_aux=True" in note and "(at test_remedies.py:" in note
    seen = []
    cv.grad(lambda x: (cv.debug.callback(lambda v: seen.append(json.dumps(float(v))), x), x * x)[1])(2.0)
    assert seen == ["2.0"]


def test_the_line_is_the_user_s_where_python_s_own_modules_stand_between():
    with pytest.raises(TypeError, match=r"cannot be pickled or deep-copied; .*\(at test_remedies.py:"):
        cv.grad(lambda x: copy.deepcopy(x))(2.0)
