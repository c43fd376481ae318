"""Rules that users define: shapes and dtypes that differ from the argument's, opaque code, what is missing."""

import functools
import gc
import math
import weakref

import numpy as onp
import pytest

import covector
import covector.compat.autograd.numpy as np
from covector.compat.autograd import grad, hessian, jacobian, make_jvp
from covector.compat.autograd.core import primitive_vjps
from covector.compat.autograd.extend import SparseObject, defjvp, defvjp, defvjp_argnums, primitive, vspace

X = onp.array([0.3, 1.2, 2.5])


def ruled(fun, *rules, **options):
    wrapped = primitive(fun)
    defvjp(wrapped, *rules, **options)
    return wrapped


def test_a_rule_may_give_another_shape():
    row = ruled(lambda x: 2.0 * x, lambda ans, x: lambda g: 2.0 * g.reshape(1, 3))
    wide = ruled(lambda a, x: a * x, lambda ans, a, x: lambda g: g * x, None)
    narrow = ruled(onp.sum, lambda ans, x: lambda g: g)
    onp.testing.assert_array_equal(grad(lambda x: np.sum(row(x)))(X), [2.0, 2.0, 2.0])
    assert grad(lambda a: np.sum(wide(a, X)))(2.0) == pytest.approx(4.0)
    onp.testing.assert_array_equal(grad(narrow)(X), [1.0, 1.0, 1.0])


def test_a_shape_that_cannot_be_meant_is_refused():
    wrong = ruled(lambda x: 2.0 * x, lambda ans, x: lambda g: onp.ones(2))
    with pytest.raises(ValueError, match=r"gave a cotangent of shape \(2,\) for a value of shape \(3,\)"):
        grad(lambda x: np.sum(wrong(x)))(X)


def test_a_complex_cotangent_of_a_real_argument_gives_its_real_part():
    turned = ruled(lambda x: x * (1 + 2j), lambda ans, x: lambda g: g * (1 + 2j))
    found = grad(lambda x: np.real(np.sum(turned(x))))(X)
    assert found.dtype == float
    onp.testing.assert_array_equal(found, [1.0, 1.0, 1.0])


def test_sparse_cotangents():
    @primitive
    def second(x):
        return x[1]

    def pulled(ans, x):
        def vjp(g):
            def mut_add(out):
                out[1] += g
                return out

            return SparseObject(vspace(x), mut_add)

        return vjp

    defvjp(second, pulled)
    onp.testing.assert_array_equal(grad(lambda x: second(x) * 3.0)(X), [0.0, 3.0, 0.0])


def opaque():
    """A solution and a rule that want plain arrays."""
    a = onp.array([[2.0, 0.3, 0.0], [0.1, 1.5, 0.2], [0.0, 0.4, 3.0]])

    def plain(x):
        return onp.linalg.solve(onp.asarray(a), onp.ascontiguousarray(onp.asarray(x)))

    return a, ruled(plain, lambda ans, x: lambda g: onp.linalg.solve(a.T, onp.ascontiguousarray(onp.asarray(g))))


def test_an_opaque_rule_under_jacobian():
    a, solved = opaque()
    onp.testing.assert_allclose(jacobian(solved)(X), onp.linalg.inv(a))
    onp.testing.assert_allclose(jacobian(lambda x: solved(x**2))(X), onp.linalg.inv(a) * (2 * X))


def test_a_rule_that_chooses_by_its_cotangent_is_run_for_each_row():
    chosen = ruled(lambda x: 2.0 * x, lambda ans, x: lambda g: 2.0 * g if onp.any(g) else onp.zeros(3))
    onp.testing.assert_array_equal(jacobian(chosen)(X), 2.0 * onp.eye(3))


def test_hessian_of_an_opaque_rule_is_refused_by_words_that_name_stop_gradient():
    _, solved = opaque()
    with pytest.raises(TypeError, match="stop_gradient"):
        hessian(lambda x: np.sum(solved(x) ** 2))(X)


def test_hessian_of_an_opaque_function_whose_rule_is_made_of_others():
    a, solved = opaque()
    inverse = onp.linalg.inv(a)
    again = ruled(solved.fun, lambda ans, x: lambda g: np.dot(inverse.T, g))
    onp.testing.assert_allclose(hessian(lambda x: np.sum(again(x) ** 2))(X), 2 * inverse.T @ inverse)


def test_without_a_rule_it_is_an_error_that_names_the_argument():
    bare = primitive(lambda x: x)
    with pytest.raises(NotImplementedError, match=r"VJP of <lambda> wrt argnums \(0,\) not defined.*stop_gradient"):
        grad(lambda x: np.sum(bare(x)))(X)
    partly = ruled(lambda x, y: x * y, lambda ans, x, y: lambda g: g * y)
    onp.testing.assert_array_equal(grad(lambda x: np.sum(partly(x, 2.0)))(X), [2.0, 2.0, 2.0])
    with pytest.raises(NotImplementedError, match="wrt argnum 1 not defined"):
        grad(lambda x: np.sum(partly(2.0, x)))(X)


def test_a_reverse_rule_serves_forward_mode_and_a_forward_rule_reverse_mode():
    cubed = ruled(lambda x: x**3, lambda ans, x: lambda g: 3 * x**2 * g)
    onp.testing.assert_allclose(make_jvp(cubed)(X)(X)[1], 3 * X**3)
    pushed = primitive(lambda x: x**3)
    defjvp(pushed, lambda g, ans, x: 3 * x**2 * g)
    onp.testing.assert_allclose(grad(lambda x: np.sum(pushed(x)))(X), 3 * X**2)


def test_both_rules_each_in_its_mode():
    odd = ruled(lambda x: x, lambda ans, x: lambda g: 5.0 * g)
    defjvp(odd, lambda g, ans, x: 7.0 * g)
    onp.testing.assert_array_equal(grad(lambda x: np.sum(odd(x)))(X), [5.0] * 3)
    onp.testing.assert_array_equal(make_jvp(odd)(X)(X)[1], 7.0 * X)


def test_a_rule_for_a_function_of_numpy_comes_before_its_own():
    before = grad(np.cbrt)(8.0)
    defvjp(np.cbrt, lambda ans, x: lambda g: 100.0 * g)
    try:
        assert grad(np.cbrt)(8.0) == 100.0 != before
    finally:
        del covector.compat.autograd._impl.tables.VJPS[np.cbrt]


def test_rules_of_all_arguments_at_once():
    both = primitive(lambda x, y: x * y)
    defvjp_argnums(both, lambda argnums, ans, args, kwargs: lambda g: [g * args[1 - k] for k in argnums])
    gx, gy = grad(lambda x, y: np.sum(both(x, y)), (0, 1))(X, 2 * X)
    onp.testing.assert_array_equal(gx, 2 * X)
    onp.testing.assert_array_equal(gy, X)


def test_other_transforms_take_primitives():
    cubed = ruled(lambda x: x**3, lambda ans, x: lambda g: 3 * x**2 * g)
    onp.testing.assert_allclose(covector.vmap(covector.grad(cubed))(X), 3 * X**2)
    onp.testing.assert_allclose(covector.jit(covector.grad(lambda x: cubed(x).sum()))(X), 3 * X**2)
    onp.testing.assert_allclose(covector.hessian(lambda x: cubed(x).sum())(X), onp.diag(6 * X))


def test_rules_go_with_their_function_though_they_refer_to_it():
    def made():
        twice = primitive(lambda x: 2.0 * x)
        defvjp(twice, lambda ans, x: lambda g: twice(g))
        defjvp(twice, lambda g, ans, x: twice(g))
        assert twice in primitive_vjps
        assert grad(lambda x: np.sum(twice(x)))(X).tolist() == [2.0] * 3
        return weakref.ref(twice)

    alive = made()
    gc.collect()
    assert alive() is None


def test_tables_of_rules_are_mappings():
    twice = ruled(lambda x: 2.0 * x, lambda ans, x: lambda g: 2.0 * g)

    @functools.wraps(twice)
    def other(x):
        return twice(x)

    assert twice in list(primitive_vjps)
    assert other not in primitive_vjps
    with pytest.raises(KeyError):
        primitive_vjps[other]
    primitive_vjps[math.sin] = primitive_vjps[twice]
    assert primitive_vjps.pop(math.sin) is primitive_vjps[twice]
    del primitive_vjps[twice]
    assert twice not in primitive_vjps


class Held:
    """An object that holds a value, which no transform looks into."""

    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize("pulled", [lambda g: onp.array([2.0, 3.0]) * g, lambda g: (2.0 * g, 3.0 * g),
                                    lambda g: [2.0 * g, 3.0 * g]], ids=["array", "tuple", "list"])
def test_a_cotangent_of_a_tuple_is_taken_element_by_element(pulled):
    weighed = ruled(lambda pair: pair[0] * 2.0 + pair[1] * 3.0, lambda ans, pair: pulled)
    assert grad(lambda x: weighed((x, 1.0)))(1.0) == 2.0
    assert grad(lambda x: weighed([1.0, x]))(1.0) == 3.0
    assert grad(lambda x: weighed((x, x)))(1.0) == 5.0


def test_none_in_the_cotangent_of_a_container_is_zero():
    listed = ruled(lambda pair: pair[1] * 3.0, lambda ans, pair: lambda g: (None, 3.0 * g))
    named = ruled(lambda d: d["b"] * 3.0, lambda ans, d: lambda g: {"b": 3.0 * g})
    assert grad(lambda x: listed((x, x)))(1.0) == 3.0
    assert grad(lambda x: named({"a": x, "b": x}))(1.0) == 3.0


def test_a_cotangent_of_an_empty_list_may_have_any_shape():
    empty = ruled(lambda pair: pair[0] * 2.0, lambda ans, pair: lambda g: (2.0 * g, onp.ones((1, 0))))
    assert grad(lambda x: empty((x, [])))(1.0) == 2.0


def test_a_cotangent_with_another_number_of_elements_is_refused():
    wrong = ruled(lambda pair: pair[0] * 2.0, lambda ans, pair: lambda g: onp.ones(3) * g)
    with pytest.raises(ValueError, match=r"an array of shape \(3,\) as the cotangent of a tuple of 2 values"):
        grad(lambda x: wrong((x, 1.0)))(1.0)


def test_an_array_that_a_rule_gives_for_a_list_may_be_computed_with_what_an_object_holds():
    def square(x, held):
        return x[0] ** 2

    def f(x):
        return ruled(square, lambda ans, x, held: lambda g: np.array([2.0 * g * held.value]))([x], Held(x))

    assert grad(grad(f))(0.7) == 2.0
    assert hessian(lambda x: f(x[0]) * f(x[1]))(X[:2]) == pytest.approx(
        hessian(lambda x: x[0] ** 2 * x[1] ** 2)(X[:2]))


def _sine(container, value):
    """The sine of what an object holds, as a primitive of the argument itself or of a list with it."""
    fun = primitive(lambda x, held: value(np.sin(held.value)))
    if container:
        defvjp(fun, lambda ans, x, held: lambda g: [g * np.cos(held.value)])
        return lambda x: fun([x], Held(x))
    defvjp(fun, lambda ans, x, held: lambda g: g * np.cos(held.value))
    return lambda x: fun(x, Held(x))


@pytest.mark.parametrize("value", [lambda v: v, covector.compat.autograd.tracer.getval, np.array],
                         ids=["traced", "plain", "copied"])
@pytest.mark.parametrize("container", [False, True])
def test_a_traced_value_that_an_object_holds_is_differentiated_by_the_rule_alone(container, value):
    f = _sine(container, value)
    assert grad(f)(0.7) == pytest.approx(onp.cos(0.7))
    assert grad(grad(f))(0.7) == pytest.approx(-onp.sin(0.7))
    assert grad(grad(grad(f)))(0.7) == pytest.approx(-onp.cos(0.7))
    assert make_jvp(f)(0.7)(2.0)[1] == pytest.approx(2 * onp.cos(0.7))
    onp.testing.assert_allclose(jacobian(jacobian(f))(X), [onp.diag(row) for row in -onp.diag(onp.sin(X))], atol=1e-15)
    onp.testing.assert_allclose(covector.jacfwd(covector.grad(lambda x: f(x).sum()))(X), -onp.diag(onp.sin(X)),
                                atol=1e-15)
