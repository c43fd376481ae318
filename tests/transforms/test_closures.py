"""closure_convert and custom_gradient."""

import numpy as np
import pytest

import covector as cv


@cv.custom_gradient
def scaled(x, y):
    """Product, the derivative by x tenfold."""
    return x * y, lambda ct: (10.0 * ct * y, ct * x)


def test_the_rule_that_comes_with_the_value():
    assert scaled.__doc__.startswith("Product")
    assert scaled(3.0, 4.0) == scaled(y=4.0, x=3.0) == 12.0
    assert cv.grad(scaled, (0, 1))(3.0, 4.0) == (40.0, 3.0)
    assert cv.jvp(scaled, (3.0, 4.0), (1.0, 1.0))[1] == 43.0
    x, y = np.arange(3.0), np.array([1.0, -1.0, 2.0])
    np.testing.assert_array_equal(cv.vmap(cv.grad(scaled))(x, y), 10.0 * y)
    np.testing.assert_array_equal(cv.grad(lambda x: cv.vmap(scaled)(x, y).sum())(x), 10.0 * y)
    np.testing.assert_array_equal(cv.make_graph(cv.grad(scaled))(3.0, 4.0)(1.0, 2.0), 20.0)
    assert cv.grad(cv.checkpoint(scaled))(3.0, 4.0) == 40.0


def test_a_rule_may_close_over_values_of_other_transforms():
    def slope(w):
        return cv.grad(lambda x: cv.custom_gradient(lambda x: (x * w, lambda ct: ct * w * x))(x))(2.0)

    assert cv.grad(slope)(5.0) == 2.0
    np.testing.assert_array_equal(cv.vmap(slope)(np.arange(3.0)), [0.0, 2.0, 4.0])


def test_containers_go_through_custom_gradient():
    f = cv.custom_gradient(lambda d: ({"q": d["a"] * d["b"]}, lambda ct: {"a": 7.0 * ct["q"], "b": 8.0 * ct["q"]}))
    assert cv.grad(lambda d: f(d)["q"])({"a": 2.0, "b": 3.0}) == {"a": 7.0, "b": 8.0}


def test_a_function_that_returns_no_rule():
    with pytest.raises(TypeError, match=r"custom_gradient needs a function that returns \(out, rule\), but got float"):
        cv.custom_gradient(lambda x: x)(1.0)


def test_closed_over_values_become_arguments():
    def through(w):
        converted, values = cv.closure_convert(lambda x: w * x * x, 1.0)
        assert len(values) == 1

        run = cv.custom_vjp(lambda f, x, *values: f(x, *values), nondiff_argnums=(0,))
        run.defvjp(lambda f, x, *values: (f(x, *values), values),
                   lambda f, values, ct: (100.0 * ct, *[1000.0 * ct for _ in values]))
        return run(converted, w, *values)

    assert cv.grad(through)(3.0) == 1100.0
    np.testing.assert_array_equal(cv.vmap(cv.grad(through))(np.arange(3.0)), [1100.0] * 3)


def test_converted_functions_say_what_they_take():
    converted, values = cv.closure_convert(lambda d: d["a"] * 2.0, {"a": 1.0})
    assert values == [] and converted({"a": 3.0}) == 6.0
    with pytest.raises(ValueError, match=r"the converted function needs arguments with the structure.*'a'.*but got"):
        converted(3.0)
    with pytest.raises(TypeError, match=r"takes 1 arguments and 0 values it closed over, but was given 2; hand on"):
        converted({"a": 3.0}, 2.0)


def test_symbolic_zeros_are_refused():
    f = cv.custom_jvp(np.sin)
    with pytest.raises(NotImplementedError, match=r"custom_jvp was asked for symbolic_zeros=True.*omit it"):
        f.defjvp(lambda p, t: (f(*p), t[0]), symbolic_zeros=True)
    g = cv.custom_vjp(np.sin)
    with pytest.raises(NotImplementedError, match=r"custom_vjp was asked for symbolic_zeros=True.*omit it"):
        g.defvjp(lambda x: (x, None), lambda _, ct: (ct,), symbolic_zeros=True)
    g.defvjp(lambda x: (x, None), lambda _, ct: (3.0 * ct,), optimize_remat=True)
    assert cv.grad(g)(1.0) == 3.0


def test_static_arguments_of_a_checkpoint():
    x = np.array([1.0, 3.0])

    @cv.checkpoint
    def plain(x):
        return (x**2).sum()

    def power(options, x, k=3, *, name):
        return (x ** options["p"]).sum() * k * len(name)

    f = cv.checkpoint(power, static_argnums=0, static_argnames="name")
    np.testing.assert_array_equal(cv.grad(f, 1)({"p": 2}, x, name="ab"), 12.0 * x)
    np.testing.assert_array_equal(cv.grad(cv.checkpoint(static_argnums=(-1,), prevent_cse=False)(lambda x, flag: (
        (x**2).sum() if flag else x.sum())))(x, True), 2.0 * x)
    assert cv.grad(lambda w: cv.checkpoint(lambda x, w: (x * w).sum(), static_argnums=-1)(x, w))(2.0) == 4.0
    np.testing.assert_array_equal(cv.grad(cv.remat(plain))(x), 2.0 * x)


def test_what_either_policy_saves_is_saved():
    ran = []

    def sine(prim, *avals, **params):
        ran.append(prim.name)
        return prim.name == "sin"

    policies = cv.checkpoint_policies
    either = policies.save_from_both_policies(policies.dots_saveable, sine)
    f = cv.checkpoint(lambda x: np.cos(np.sin(x @ x)).sum(), policy=either)
    x = np.arange(4.0).reshape(2, 2)
    np.testing.assert_allclose(cv.grad(f)(x), cv.grad(lambda x: np.cos(np.sin(x @ x)).sum())(x))
    assert "sin" in ran and "matmul" not in ran


def test_products_of_stacks_are_no_products_without_batch():
    computed = []

    def saved(policy, x):
        """Which products a policy saves of a function."""
        def watched(prim, *avals, **params):
            found = policy(prim, *avals, **params)
            if found:
                computed.append(tuple(a.ndim for a in avals))
            return found

        computed.clear()
        f = cv.checkpoint(lambda x: np.sin(np.sin(x @ x) @ x[0]).sum(), policy=watched)
        np.testing.assert_allclose(cv.grad(f)(x), cv.grad(lambda x: np.sin(np.sin(x @ x) @ x[0]).sum())(x))
        return set(computed)

    policies = cv.checkpoint_policies
    stack = np.arange(8.0).reshape(2, 2, 2)
    assert saved(policies.dots_saveable, stack) == saved(policies.checkpoint_dots, stack) == {(3, 3), (3, 2)}
    assert saved(policies.dots_with_no_batch_dims_saveable, stack) == set()
    assert saved(policies.checkpoint_dots_with_no_batch_dims, stack[0]) == {(2, 2), (2, 1)}


def test_rows_of_integers_hold_no_values():
    x = np.array([0.5, 1.5])
    rows = cv.jacrev(lambda p: {"a": p["x"][:1] * p["i"], "b": p["x"].sum()}, allow_int=True)({"i": 3, "x": x})
    np.testing.assert_array_equal(rows["a"]["x"], [[3.0, 0.0]])
    assert rows["a"]["i"].shape == (1,) and rows["b"]["i"].shape == () and rows["a"]["i"].dtype.names == ("float0",)
    (by_i, by_x), aux = cv.jacrev(lambda i, x: (x * i, i), (0, 1), True, allow_int=True)(np.arange(2), x)
    assert by_i.shape == (2, 2)
    np.testing.assert_array_equal(by_x, np.diag([0.0, 1.0]))
    np.testing.assert_array_equal(aux, [0, 1])
    with pytest.raises(TypeError, match="jacrev needs floating or complex inputs"):
        cv.jacrev(lambda i: i * 2.0)(np.arange(2))


def by_jvp(x, w):
    scaled = cv.custom_jvp(lambda x: np.sin(x) * w)
    scaled.defjvp(lambda primals, tangents: (np.sin(primals[0]) * w, np.cos(primals[0]) * tangents[0] * w))
    return scaled(x)


def by_vjp(x, w):
    scaled = cv.custom_vjp(lambda x: np.sin(x) * w)
    scaled.defvjp(lambda x: (np.sin(x) * w, x), lambda x, ct: (np.cos(x) * ct * w,))
    return scaled(x)


def by_solve(x, w):
    solve = lambda matvec, b: b / matvec(np.ones(3))  # noqa: E731
    return cv.custom_linear_solve(lambda v: v / w, np.sin(x), solve, solve)


def by_root(x, w):
    def solve(f, start):
        return start - f(start) / cv.jvp(f, (start,), (np.ones(3),))[1]

    return cv.custom_root(lambda y: y / w - np.sin(x), 0.0 * x, solve, lambda g, y: y / g(np.ones(3)))


@pytest.mark.parametrize("scaled", [by_jvp, by_vjp, by_solve, by_root])
@pytest.mark.parametrize("inner", ["gradient", "tangent", "batch"])
def test_a_closure_over_an_inner_transform_with_an_operand_of_an_outer_one(scaled, inner):
    def loss(x, w, of):
        return np.sum(of(x, w) ** 2)

    def inside(x, w, of):
        if inner == "gradient":
            return cv.grad(loss, 1)(x, w, of)
        if inner == "tangent":
            return cv.jvp(lambda w: loss(x, w, of), (w,), (1.0,))[1]
        return cv.vmap(lambda s: loss(x, s * w, of))(np.array([1.0, 0.5])).sum()

    x, w = np.array([0.1, 0.2, 0.3]), 0.7
    plain = lambda x, w: np.sin(x) * w  # noqa: E731
    for outer in (cv.jit, cv.checkpoint, lambda f: cv.grad(cv.jit(f)), cv.grad,
                  lambda f: cv.jit(cv.grad(f)), cv.hessian):
        found, wanted = (outer(lambda x, w, of=of: inside(x, w, of))(x, w) for of in (scaled, plain))
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


def test_what_the_solver_of_a_root_closes_over_adds_no_derivative():
    def root(w):
        return cv.custom_root(lambda y: y / w - 3.0, 0.0, lambda f, start: 3.0 * w, lambda g, y: y / g(1.0))

    assert cv.grad(root)(2.0) == 3.0
