"""Rules of one's own: which arguments they see, what they may return, and how they meet other transforms."""

from functools import partial

import numpy as np
import pytest

import covector as cv
from covector.core.errors import ConversionError, DtypeError, RuleError

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


def _by_max(t):
    return t if max(t[0], t[1]) > 0 else 0 * t


def _by_match(t):
    match t[0]:
        case 0.0:
            return 0 * t
    return t


# Each is the identity on WEIGHTS, and another map on zeros.
BRANCHES = {
    "any": lambda t: t if np.any(t) else 0 * t,
    "all": lambda t: 0 * t if (t == 0).all() else t,
    "comparison": lambda t: t if t[0] > 0 else 0 * t,
    "array_equal": lambda t: 0 * t if np.array_equal(t, np.zeros(2)) else t,
    "in": lambda t: 0 * t if t[0] in (0.0,) else t,
    "float": lambda t: t * (float(t[0]) != 0),
    "int": lambda t: t * (int(t[0]) != 0),
    "item": lambda t: t * (t[0].item() != 0),
    "nonzero": lambda t: t * len(np.nonzero(t)[0]) / 2,
    "mask": lambda t: t * t[t != 0].size / 2,
    "asarray": lambda t: t * np.asarray(t).any(),
    "max": _by_max,
    "match": _by_match,
    "where": lambda t: np.where(t != 0, t, 0.0),
    "sign": lambda t: t * np.sign(t),
    "cond": lambda t: cv.cond(np.any(t != 0), lambda t: t, lambda t: 0 * t, t),
    "body": lambda t: cv.checkpoint(lambda t: t if np.any(t) else 0 * t)(t),
}
PLACE = np.array([2.0, 5.0])
WEIGHTS = np.array([1.0, 3.0])


@pytest.mark.parametrize("part", BRANCHES.values(), ids=list(BRANCHES))
def test_a_choice_by_a_tangent_or_cotangent_sees_its_value_or_is_refused(part):
    """A rule that is transposed has none of them yet; zeros in their place chose the other branch."""
    refused = pytest.raises((ConversionError, RuleError), match="tangent|graph is made|staged")
    pushed = with_jvp(lambda p, t: (p[0] * 1.0, part(t[0])), lambda x: x * 1.0)
    pulled = with_vjp(lambda x: (x * 1.0, None), lambda _, ct: (part(ct),), lambda x: x * 1.0)
    for f in (pushed, pulled):
        for run in (
            lambda f=f: cv.grad(lambda x: (f(x) * WEIGHTS).sum())(PLACE),
            lambda f=f: cv.vjp(f, PLACE)[1](WEIGHTS)[0],
            lambda f=f: cv.jvp(f, (PLACE,), (WEIGHTS,))[1],
            lambda f=f: cv.linearize(f, PLACE)[1](WEIGHTS),
            lambda f=f: cv.grad(cv.checkpoint(lambda x: (f(x) * WEIGHTS).sum()))(PLACE),
            lambda f=f: cv.jacfwd(f)(PLACE) @ WEIGHTS,
            lambda f=f: WEIGHTS @ cv.jacrev(f)(PLACE),
            lambda f=f: cv.hessian(lambda x: (x * x * f(x)).sum())(PLACE).diagonal() * WEIGHTS / (6 * PLACE),
        ):
            try:
                found = run()
            except (ConversionError, RuleError):
                continue
            np.testing.assert_array_equal(found, WEIGHTS)
    with refused:
        cv.grad(lambda x: (pushed(x) * WEIGHTS).sum())(PLACE)
    with refused:
        cv.jvp(pulled, (PLACE,), (WEIGHTS,))
    with refused:
        cv.linearize(pulled, PLACE)


@pytest.mark.parametrize("make", [
    lambda w, part: with_jvp(lambda p, t: (w * p[0], part(w * t[0])), lambda x: w * x),
    lambda w, part: with_vjp(lambda x: (w * x, x), lambda x, ct: (part(w * ct),), lambda x: w * x),
], ids=["jvp", "vjp"])  # fmt: skip
def test_a_choice_by_a_tangent_in_a_rule_that_closes_over_a_traced_value_is_refused(make):
    def weighted(w, x, part=BRANCHES["any"]):
        return (make(w, part)(x) * WEIGHTS).sum()

    for run in (lambda: cv.grad(weighted, (0, 1))(3.0, PLACE),
                lambda: cv.jvp(weighted, (3.0, PLACE), (1.0, WEIGHTS)),
                lambda: cv.grad(lambda w: cv.grad(weighted, 1)(w, PLACE).sum())(3.0)):
        with pytest.raises(ConversionError, match=r"depends on a (co)?tangent in the \w+ rule of.*arguments"):
            run()
    whole = partial(weighted, part=lambda t: t)
    found = cv.grad(whole, (0, 1))(3.0, PLACE)
    np.testing.assert_array_equal(found[0], PLACE @ WEIGHTS)
    np.testing.assert_array_equal(found[1], 3.0 * WEIGHTS)


def test_a_rule_that_is_not_linear_is_not_transposed():
    clipped = with_vjp(lambda x: (x, None), lambda _, ct: (np.clip(ct, -1.0, 1.0),), lambda x: x)
    assert cv.grad(lambda x: 5.0 * clipped(x))(0.5) == 1.0
    squared = with_jvp(lambda p, t: (p[0], t[0] * t[0]), lambda x: x)
    for run in (lambda: cv.jvp(clipped, (0.5,), (5.0,)), lambda: cv.linearize(clipped, 0.5)[1](5.0),
                lambda: cv.grad(squared)(0.5)):
        with pytest.raises(RuleError, match=r"must be linear in its (co)?tangents.*is not linear in.*choices"):
            run()


def test_choices_by_arguments_and_by_zeros_that_are_real_stay():
    f = with_jvp(lambda p, t: (p[0] * p[1], (t[0] if p[0][0] > 0 else 0 * t[0]) * p[1] + (
        p[0] * t[1] if np.any(t[1]) else 0.0)), lambda x, y: x * y)
    np.testing.assert_array_equal(cv.grad(lambda x: f(x, WEIGHTS).sum())(PLACE), WEIGHTS)


def test_linear_rules_are_transposed_whatever_they_are_written_in():
    def written(t):
        out = np.zeros_like(t)
        out[0], out[1] = t[1], 2 * t[0]
        return out

    for part, matrix in ((lambda t: np.cumsum(3 * t)[::-1], [[3, 3], [3, 0]]), (written, [[0, 1], [2, 0]]),
                         (lambda t: np.linalg.solve(np.diag(PLACE), t), np.diag(1 / PLACE)),
                         (lambda t: cv.scan(lambda c, a: (c * a, None), t, np.array([2.0, 3.0]))[0], 6 * np.eye(2)),
                         (lambda t: cv.jvp(np.sin, (PLACE,), (t,))[1], np.diag(np.cos(PLACE))),
                         (lambda t: cv.cond(PLACE[0] > 0, lambda t: 5 * t, lambda t: t, t), 5 * np.eye(2))):
        f = with_jvp(lambda p, t, part=part: (p[0], part(t[0])), lambda x: x)
        g = with_vjp(lambda x: (x, None), lambda _, ct, part=part: (part(ct),), lambda x: x)
        np.testing.assert_allclose(cv.vjp(f, PLACE)[1](WEIGHTS)[0], WEIGHTS @ matrix, rtol=1e-12)
        np.testing.assert_allclose(cv.jvp(g, (PLACE,), (WEIGHTS,))[1], WEIGHTS @ matrix, rtol=1e-12)
        np.testing.assert_allclose(cv.linearize(g, PLACE)[1](WEIGHTS), WEIGHTS @ matrix, rtol=1e-12)


@pytest.mark.parametrize("fun", [
    np.linalg.eigvalsh, np.linalg.inv, lambda a: np.linalg.svd(a)[1], lambda a: np.linalg.qr(a)[1], np.linalg.det,
    lambda a: np.sqrt(np.where(a > 0, a, 1.0)), lambda a: np.linalg.svd(a)[0][:, 0] ** 2, lambda a: np.sort(a, axis=0),
    lambda a: np.linalg.eigh(a)[1][:, 0] ** 2,
    lambda a: np.multiply(*cv.scan(lambda c, row: (np.sin(c) * row, c), a[0], a)),
    lambda a: np.multiply(*cv.fori_loop(0, 3, lambda i, c: (c[0] * c[1], c[1] + 1.0), (a, a[0]))),
    lambda a: np.multiply(*cv.cond(a[0, 0] > 0, lambda a: (a, np.sin(a)), lambda a: (a, a), a)),
])  # fmt: skip
def test_derivatives_of_any_function_serve_as_linear_rules(fun):
    """What guards and strong zeros look at of a tangent is no choice by it; nor are values beside tangents in loops."""
    a = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 4.0]])
    t = np.array([[0.5, 0.1, 0.2], [0.1, 0.3, 0.7], [0.2, 0.7, 0.9]])
    ct = np.linspace(1.0, 2.0, np.size(fun(a))).reshape(np.shape(fun(a)))
    f = with_jvp(lambda p, t: cv.jvp(fun, p, t), fun)
    g = with_vjp(lambda a: cv.vjp(fun, a), lambda pullback, ct: pullback(ct), fun)
    for each in (f, cv.jit(f)):
        np.testing.assert_allclose(cv.vjp(each, a)[1](ct)[0], cv.vjp(fun, a)[1](ct)[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(cv.jvp(g, (a,), (t,))[1], cv.jvp(fun, (a,), (t,))[1], rtol=1e-9, atol=1e-12)


def test_a_constant_is_no_tangent_and_no_cotangent_of_a_map_that_is_transposed():
    f = with_jvp(lambda p, t: (p[0] * 2.0, np.ones(3)))
    g = with_vjp(lambda x: (x * 2.0, None), lambda _, ct: (np.ones(3),))
    np.testing.assert_array_equal(cv.grad(lambda x: g(x).sum())(X), np.ones(3))
    for run in (lambda: cv.grad(lambda x: f(x).sum())(X), lambda: cv.jvp(g, (X,), (X,))):
        with pytest.raises(RuleError, match=r"linear in its (co)?tangents.*constant other than 0.*choices by the arg"):
            run()
    flat = with_jvp(lambda p, t: (p[0] * 2.0, np.zeros(3)))
    np.testing.assert_array_equal(cv.grad(lambda x: flat(x).sum())(X), np.zeros(3))


def test_a_real_answer_has_no_complex_tangent():
    f = with_jvp(lambda p, t: (p[0] * 2.0, t[0] * 1j))
    for run in (lambda: cv.jvp(f, (X,), (X,)), lambda: cv.grad(lambda x: f(x).sum())(X)):
        with pytest.raises(DtypeError, match=r"jvp rule.*real tangent.*float64.*complex128.*real part"):
            run()


def test_a_tangent_rule_in_another_dtype_gives_gradients_in_those_of_the_arguments():
    @cv.custom_jvp
    def f(x, y):
        return np.sum(x * y)

    @f.defjvp
    def _(primals, tangents):
        return f(*primals), np.sum(np.sin(primals[0]) * tangents[0])

    x, y = np.float32([1, 2]), np.float64([1, 2])
    assert f(x, y).dtype == np.float64
    slope = cv.grad(f)
    for found in (slope(x, y), cv.jit(slope)(x, y), cv.vmap(slope, (0, None))(np.stack([x, x]), y)[0]):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, np.sin(x), 1e-6)


@pytest.mark.parametrize("kind", [cv.custom_jvp, cv.custom_vjp])
def test_a_static_argument_may_be_batched_or_staged_but_not_differentiated(kind):
    f = kind(lambda x, n: x * n, nondiff_argnums=(1,))
    if kind is cv.custom_jvp:
        f.defjvp(lambda n, primals, tangents: (primals[0] * n, tangents[0] * n * 100.0))
    else:
        f.defvjp(lambda x, n: (x * n, None), lambda n, residuals, ct: (ct * n * 100.0,))
    x, n = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    slope = cv.grad(f)
    for found, wanted in (
            (cv.vmap(f)(x, n), x * n), (cv.vmap(f, in_axes=(None, 0))(2.0, n), 2.0 * n),
            (cv.vmap(lambda x: cv.vmap(lambda n: f(x, n))(n))(x), np.outer(x, n)),
            (cv.vmap(lambda n: cv.vmap(lambda x: f(x, n))(x))(n), np.outer(n, x)),
            (cv.jit(f)(2.0, 3.0), 6.0), (cv.jit(cv.vmap(f))(x, n), x * n),
            (cv.vmap(slope)(x, n), 100.0 * n), (cv.jit(slope)(2.0, 3.0), 300.0),
            (cv.jit(cv.vmap(slope))(x, n), 100.0 * n), (cv.grad(cv.jit(f))(2.0, 3.0), 300.0),
            (cv.jacobian(lambda x: cv.vmap(f)(x, n))(x), np.diag(100.0 * n)),
            (cv.grad(cv.jit(f), argnums=1)(2.0, 3.0), 2.0),  # by the function itself, as of a closure
            (cv.scan(lambda c, n: (f(c, n), c), 1.0, n)[0], 12.0)):
        np.testing.assert_allclose(found, wanted)
    for refused in (lambda: cv.grad(f, argnums=1)(2.0, 3.0),
                    lambda: cv.grad(lambda n: cv.vmap(f)(x, n).sum())(n)):
        with pytest.raises(TypeError, match="argument 1 is in nondiff_argnums, but holds a traced value that is diff"):
            refused()


def test_under_vmap_the_function_itself_runs_where_nothing_is_differentiated():
    for outer in (None, 3.0):
        ran = []

        def per_example(y):
            f = cv.custom_vjp(lambda x: x * y if outer is None else x * outer)
            f.defvjp(lambda x: (ran.append("fwd"), (x * y, None))[1], lambda residuals, ct: (ct,))
            return f(y)

        found = cv.vmap(per_example)(np.array([1.0, 2.0]))
        np.testing.assert_array_equal(found, [1.0, 4.0] if outer is None else [3.0, 6.0])
        assert not ran
