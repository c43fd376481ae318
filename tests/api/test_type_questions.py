"""Questions after the type of a value: traced code takes the branch that the plain function takes."""

import collections.abc
import functools
import numbers
import operator

import numpy as np
import pytest

import covector as cv

QUESTIONS = {
    "np.isscalar": np.isscalar, "Number": lambda x: isinstance(x, numbers.Number),
    "Real": lambda x: isinstance(x, numbers.Real), "Integral": lambda x: isinstance(x, numbers.Integral),
    "Complex": lambda x: isinstance(x, numbers.Complex), "np.ndim": lambda x: np.ndim(x) == 0,
    "np.shape": lambda x: np.shape(x) == (), "np.size": lambda x: np.size(x) == 1, "np.iterable": np.iterable,
    "np.isrealobj": np.isrealobj, "np.iscomplexobj": np.iscomplexobj, "callable": callable,
    "__len__": lambda x: hasattr(x, "__len__"), "Sequence": lambda x: isinstance(x, collections.abc.Sequence),
    "np.result_type": lambda x: np.result_type(x, np.float32) == np.float32,
    "operator.index": operator.index,
}
ARGUMENTS = {"float": 3.0, "float64": np.float64(3.0), "float32": np.float32(3.0), "0-d": np.array(3.0),
             "vector": np.array([3.0, 4.0]), "matrix": np.ones((2, 2))}
WAYS = {
    "grad": lambda f, x: cv.grad(f)(x), "value_and_grad": lambda f, x: cv.value_and_grad(f)(x),
    "dict": lambda f, x: cv.grad(lambda tree: f(tree["x"]))({"x": x, "y": 1.0}),
    "second": lambda f, x: cv.grad(lambda x: np.sum(cv.grad(f)(x)))(x), "jvp": lambda f, x: cv.jvp(f, (x,), (x,)),
    "jacfwd": lambda f, x: cv.jacfwd(f)(x), "vjp": lambda f, x: cv.vjp(f, x),
    "linearize": lambda f, x: cv.linearize(f, x),
    "jit": lambda f, x: cv.jit(f)(x), "jit of grad": lambda f, x: cv.jit(cv.grad(f))(x),
    "grad of jit": lambda f, x: cv.grad(cv.jit(f))(x), "checkpoint": lambda f, x: cv.grad(cv.checkpoint(f))(x),
    "make_graph": lambda f, x: cv.make_graph(f)(x),
}


def branch(question, x):
    """What is asked, of an argument, of what operators make of it, and of an element."""
    found = []
    for part in (x, x * 2, np.sum(x * 2), x[0] if np.ndim(x) else x):
        try:
            found.append(bool(question(part)))
        except TypeError:
            found.append(TypeError)
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_traced_value_answers_as_the_value_itself(question, way):
    for x in ARGUMENTS.values():
        asked = []

        def f(t):
            asked.append(branch(QUESTIONS[question], t))
            return np.sum(t**2)

        WAYS[way](f, x)
        assert asked and all(found == branch(QUESTIONS[question], x) for found in asked), x


def test_complex_and_integer_arguments_answer_as_themselves():
    asked = []
    for x in (3.0 + 1j, np.complex128(3.0 + 1j), np.array(3.0 + 1j), 3, True, np.int32(3), np.array(3)):
        asks = [QUESTIONS[name] for name in ("Complex", "Real", "Integral", "__len__")]
        cv.jit(lambda t: asked.append([ask(t) for ask in asks]))(x)
        assert asked.pop() == [ask(x) for ask in asks], x


def test_each_example_of_vmap_is_a_number_as_in_a_loop():
    asked = []
    cv.vmap(lambda t: asked.append([branch(ask, t) for ask in QUESTIONS.values()]))(np.arange(3.0))
    assert asked == [[branch(ask, x) for ask in QUESTIONS.values()] for x in np.arange(1.0)]


def test_value_and_gradient_are_those_of_one_branch():
    def f(t):
        return t**3 if np.isscalar(t) else np.sum(t)

    def g(t):
        match t:
            case numbers.Real():
                return t**3
            case _:
                return np.sum(t)

    for fun in (f, g):
        for x, value, slope in ((3.0, 27.0, 27.0), (np.array(3.0), 3.0, 1.0), (np.ones(2), 2.0, np.ones(2))):
            for found in (cv.value_and_grad(fun)(x), cv.jit(cv.value_and_grad(fun))(x),
                          cv.value_and_grad(cv.jit(fun))(x)):
                np.testing.assert_array_equal(found[0], value)
                np.testing.assert_array_equal(found[1], slope)
        np.testing.assert_array_equal(cv.vmap(fun)(np.array([2.0, 3.0])), [8.0, 27.0])


def test_jit_tells_numbers_from_arrays_in_either_order():
    for first, second in ((np.float64(3.0), np.array(3.0)), (np.array(3.0), np.float64(3.0))):
        f = cv.jit(lambda t: t**3 if np.isscalar(t) else t + 0.0)
        for x in (first, second, first):
            assert f(x) == (27.0 if np.isscalar(x) else 3.0)


def test_singledispatch_takes_the_functions_for_numbers_and_for_traced_arrays():
    @functools.singledispatch
    def f(x):
        raise TypeError(type(x))

    @f.register(numbers.Real)
    def _(x):
        return x**3

    @f.register(np.ndarray)
    @f.register(cv.extend.Tracer)
    def _(x):
        return np.sum(x)

    for x, slope in ((3.0, 27.0), (np.ones(2), np.ones(2))):
        for g in (cv.grad(f), cv.jit(cv.grad(f)), cv.grad(cv.jit(f))):
            np.testing.assert_array_equal(g(x), slope)
    np.testing.assert_array_equal(cv.vmap(cv.grad(f))(np.array([2.0, 3.0])), [12.0, 27.0])


@pytest.mark.parametrize(("kind", "x", "name"), [
    (float, 3.0, "Real"), (np.float64, np.float64(3.0), "Real"), (np.floating, np.float32(3.0), "Real"),
    (int, 3, "Integral"), (complex, 3j, "Complex")])
def test_singledispatch_on_a_class_of_numbers_alone_is_refused(kind, x, name):
    @functools.singledispatch
    def f(x):
        return x

    f.register(kind, lambda x: x * 2)
    for _ in range(2):
        with pytest.raises(TypeError, match=rf"register it for numbers\.{name}"):
            cv.jit(f)(x)
    assert f(x) == x * 2 and cv.jit(f)(np.ones(2)).tolist() == [1.0, 1.0]
    f.register(getattr(numbers, name), lambda x: x * 2)
    assert cv.jit(f)(x) == x * 2
