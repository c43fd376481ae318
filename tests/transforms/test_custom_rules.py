"""Rules of one's own: which arguments they see, what they may return, and how they meet other transforms."""

from functools import partial

import numpy as np
import pytest

import covector as cv

X = np.array([0.5, 1.5, 2.5])


def with_jvp(rule, fun=lambda x: x * 2.0):
    f = cv.custom_jvp(fun)
    f.defjvp(rule)
    return f


def with_vjp(fwd, bwd, fun=lambda x: x * 2.0):
    f = cv.custom_vjp(fun)
    f.defvjp(fwd, bwd)
    return f


def test_rules_see_arguments_by_name_and_defaults_in_their_places():
    seen = []

    @cv.custom_jvp
    def f(x, y=2.0, c=3.0):
        return c * (x + y)

    @f.defjvp
    def _(primals, tangents):
        seen.append(tuple(map(float, primals)))
        return f(*primals), tangents[0]

    cv.grad(f)(1.0)
    cv.grad(lambda x: f(c=5.0, x=x))(1.0)
    assert seen == [(1.0, 2.0, 3.0), (1.0, 2.0, 5.0)]

    @cv.custom_vjp
    def g(x, c=3.0):
        return c * x

    g.defvjp(lambda x, c: (c * x, c), lambda c, ct: (10 * c * ct, None))
    assert cv.grad(g)(1.0) == 30.0
    assert cv.grad(lambda x: g(c=x, x=x))(1.0) == 10.0

    sine = with_jvp(lambda primals, tangents: (primals[0], len(primals) * tangents[0]), np.sin)
    assert cv.grad(sine)(1.0) == 1.0
    scaled = with_jvp(lambda primals, tangents: (primals[0], len(primals) * tangents[0]), partial(f.fun, c=2.0))
    assert cv.grad(scaled)(1.0) == 2.0


def test_arguments_that_a_rule_could_not_see_are_refused():
    f = with_jvp(lambda primals, tangents: 1 / 0, lambda x, y, *, z=None: x)
    with pytest.raises(TypeError, match=r"do not fit.*'y'.*pass each"):
        f(0.5)
    with pytest.raises(TypeError, match=r"no positional argument 'z'.*drop the \*"):
        f(0.5, 0.1, z=1.0)
    with pytest.raises(TypeError, match=r"keywords out.*by position"):
        with_jvp(lambda primals, tangents: 1 / 0, np.sin)(0.5, out=None)


@pytest.mark.parametrize("names", ["f", ("f",)])
def test_static_arguments_by_name(names):
    @partial(cv.custom_jvp, nondiff_argnames=names)
    def apply(x, f):
        return f(x)

    apply.defjvp(lambda f, primals, tangents: (f(*primals), 3 * tangents[0]))
    assert cv.grad(lambda x: apply(x, f=np.sin))(1.0) == 3.0

    @partial(cv.custom_vjp, nondiff_argnums=(0,), nondiff_argnames=names)
    def both(g, f, x):
        return f(g(x))

    both.defvjp(lambda g, f, x: (f(g(x)), x), lambda g, f, x, ct: (7 * ct,))
    assert cv.grad(lambda x: both(np.sin, np.cos, x))(1.0) == 7.0
    with pytest.raises(ValueError, match=r"names 'h'.*parameters x, f"):
        cv.custom_jvp(lambda x, f: x, nondiff_argnames=("h",))


def test_a_rule_may_apply_its_own_function_to_a_tangent():
    @cv.custom_jvp
    def negative(x):
        return -x

    @negative.defjvp
    def _(primals, tangents):
        return negative(*primals), negative(*tangents)

    assert cv.grad(negative)(3.0) == -1.0
    assert cv.grad(cv.grad(lambda x: negative(x) ** 3))(2.0) == -12.0
    np.testing.assert_array_equal(cv.grad(lambda x: cv.vmap(negative)(x).sum())(X), -np.ones(3))
    np.testing.assert_array_equal(cv.jacrev(negative)(X), -np.eye(3))
    assert cv.grad(lambda x: cv.make_graph(negative)(x)(x))(3.0) == -1.0
    assert cv.grad(cv.checkpoint(negative))(3.0) == -1.0


def test_two_rules_may_apply_each_other_to_a_tangent():
    f = with_jvp(lambda p, t: (-p[0], g(t[0])), lambda x: -x)
    g = with_jvp(lambda p, t: (-p[0], f(t[0])), lambda x: -x)
    assert cv.grad(f)(3.0) == cv.grad(g)(3.0) == -1.0


def test_a_rule_may_apply_a_function_with_another_rule_to_a_tangent():
    """A body that no derivative can pass: its rule is asked."""
    outside = with_jvp(lambda p, t: (outside(*p), 7.0 * t[0]),
                       lambda x: cv.host_callback(lambda v: 7.0 * v, cv.ShapeDtype(()), x))
    f = with_jvp(lambda p, t: (7.0 * p[0], outside(t[0])), lambda x: 7.0 * x)
    assert cv.grad(f)(1.0) == 7.0 and cv.jvp(f, (1.0,), (2.0,))[1] == 14.0


def test_a_bilinear_function_whose_rule_applies_it_to_each_tangent():
    @cv.custom_jvp
    def product(a, b):
        return a @ b

    @product.defjvp
    def _(primals, tangents):
        (a, b), (da, db) = primals, tangents
        return product(a, b), product(da, b) + product(a, db)

    a, b = np.arange(6.0).reshape(2, 3), X
    want = cv.grad(lambda a, b: ((a @ b) ** 2).sum(), (0, 1))(a, b)
    for found, expected in zip(cv.grad(lambda a, b: (product(a, b) ** 2).sum(), (0, 1))(a, b), want):
        np.testing.assert_allclose(found, expected)


def test_one_rule_an_argument_of_a_function_with_containers():
    @cv.custom_jvp
    def f(x, y):
        return {"sum": x + y, "parts": (x * y,)}

    f.defjvps(lambda t, out, x, y: {"sum": t, "parts": (3 * t,)}, lambda t, out, x, y: {"sum": t, "parts": (5 * t,)})
    out, tangent = cv.jvp(f, (2.0, 3.0), (1.0, 1.0))
    assert (out["parts"][0], tangent["sum"], tangent["parts"][0]) == (6.0, 2.0, 8.0)
    f.defjvps(None, None)
    assert cv.jvp(f, (2.0, 3.0), (1.0, 1.0))[1] == {"sum": 0.0, "parts": (0.0,)}
    f.defjvps(lambda t, out, x, y: out)
    with pytest.raises(TypeError, match=r"1 rules.*2 arguments.*None for zero"):
        cv.jvp(f, (2.0, 3.0), (1.0, 1.0))


def test_a_tangent_of_another_structure_is_refused_though_its_leaves_would_fit():
    for wrong in ({"c": 1.0, "d": 2.0}, [1.0, 2.0]):
        f = with_jvp(lambda p, t, w=wrong: ({"a": 1.0, "b": 2.0}, w))
        with pytest.raises(ValueError, match=r"tangent with the structure.*'a'.*but returned"):
            cv.jvp(f, (1.0,), (1.0,))


def test_a_cotangent_of_another_structure_is_refused_though_its_leaves_would_fit():
    for wrong in ({"b": 3.0, "a": 2.0}, [3.0, 2.0], 3.0, (3.0, (2.0,))):
        f = with_vjp(lambda x: (x[0] * x[1], x), lambda x, ct, w=wrong: (w,))
        with pytest.raises(ValueError, match=r"cotangents with the structure.*None for zero.*but returned"):
            cv.grad(f)((2.0, 3.0))
    f = with_vjp(lambda x: (x[0].sum(), x), lambda x, ct: (ct * X,))
    with pytest.raises(ValueError, match="cotangents with the structure"):
        cv.grad(f)((X,))


def test_none_stands_for_zero_anywhere_in_a_cotangent():
    f = with_vjp(lambda x: (x["a"] * x["b"][0] * x["b"][1], x),
                 lambda x, ct: ({"a": None, "b": (None, 5 * ct), "nothing": None},))
    found = cv.grad(f)({"a": 2.0, "b": (3.0, 4.0), "nothing": None})
    assert found == {"a": 0.0, "b": (0.0, 5.0), "nothing": None}
    found = cv.grad(with_vjp(f.fwd, lambda x, ct: ({"a": ct, "b": None, "nothing": None},)))(
        {"a": 2.0, "b": (3.0, 4.0), "nothing": None})
    assert found == {"a": 1.0, "b": (0.0, 0.0), "nothing": None}


def test_a_pair_may_be_a_list():
    assert cv.grad(with_jvp(lambda p, t: [p[0] * 2.0, 5 * t[0]]))(1.0) == 5.0
    assert cv.grad(with_vjp(lambda x: [x, None], lambda _, ct: [5 * ct]))(1.0) == 5.0


def test_a_pullback_may_be_a_residual_under_every_transform():
    def square(x):
        return x**2

    f = with_vjp(lambda x: cv.vjp(square, x), lambda pullback, ct: pullback(ct), square)
    np.testing.assert_allclose(cv.vmap(cv.grad(f))(X), 2 * X)
    np.testing.assert_allclose(cv.grad(lambda x: cv.vmap(f)(x).sum())(X), 2 * X)
    np.testing.assert_allclose(cv.grad(lambda x: (cv.vmap(cv.vmap(f))(x) ** 2).sum())(X[None]), 4 * X[None] ** 3)
    assert cv.grad(cv.grad(f))(3.0) == 2.0
    assert cv.grad(lambda x: cv.make_graph(f)(x)(x))(3.0) == 6.0

    def scaled(w):
        g = with_vjp(lambda x: cv.vjp(lambda x: w * x**2, x), lambda pullback, ct: pullback(ct), lambda x: w * x**2)
        return cv.grad(g)(3.0)

    assert cv.grad(scaled)(5.0) == 6.0
    np.testing.assert_allclose(cv.vmap(scaled)(X), 6 * X)


def test_a_staged_rule_whose_answer_is_not_the_function_s_is_refused():
    f = with_jvp(lambda p, t: (np.ones(3), np.ones(3)))
    with pytest.raises(ValueError, match=r"jvp rule.*output of the function, f64\[\].*f64\[3\]"):
        cv.grad(lambda x: cv.make_graph(f)(x)(x))(1.0)
    g = with_vjp(lambda x: (np.ones(3), None), lambda _, ct: (ct.sum(),))
    with pytest.raises(ValueError, match=r"fwd rule.*output of the function, f64\[\].*f64\[3\]"):
        cv.grad(lambda x: cv.make_graph(g)(x)(x))(1.0)
