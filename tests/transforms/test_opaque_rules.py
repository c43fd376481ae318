"""Rules that are NumPy or SciPy code which wants plain arrays, under Jacobians; calls of custom_vjp by their lane."""

import numpy as np
import pytest

import covector as cv
from covector.extend import Tracer

A = np.array([[2.0, 0.3, 0.0], [0.1, 1.5, 0.2], [0.0, 0.4, 3.0]])
X = np.array([0.3, 1.2, 2.5])


def plain(x):
    """A solver that takes nothing but arrays."""
    assert not isinstance(x, Tracer) or np.asarray(x) is not None
    return np.linalg.solve(A, np.asarray(x))


def solver(fwd=None):
    solve = cv.custom_vjp(lambda x: plain(x))
    solve.defvjp(fwd or (lambda x: (plain(x), None)), lambda _, ct: (np.linalg.solve(A.T, np.asarray(ct)),))
    return solve


@pytest.mark.parametrize("jacobian", [cv.jacrev, cv.jacobian])
def test_an_opaque_bwd_runs_row_by_row(jacobian):
    np.testing.assert_allclose(jacobian(solver())(X), np.linalg.inv(A))
    np.testing.assert_allclose(jacobian(lambda x: solver()(x**2))(X), np.linalg.inv(A) * (2 * X))


def test_jacobian_falls_back_to_reverse_mode_where_a_rule_cannot_be_transposed():
    twice = cv.custom_vjp(lambda x: np.concatenate([x, x]))
    twice.defvjp(lambda x: (np.concatenate([x, x]), None), lambda _, ct: (np.asarray(ct)[:3] + np.asarray(ct)[3:],))
    np.testing.assert_array_equal(cv.jacobian(twice)(X), np.concatenate([np.eye(3), np.eye(3)]))
    with pytest.raises(TypeError, match=r"a cotangent in the bwd rule.*stop_gradient"):
        cv.jacfwd(twice)(X)


def test_an_opaque_jvp_rule_runs_column_by_column():
    solve = cv.custom_jvp(plain)
    solve.defjvp(lambda primals, tangents: (plain(*primals), np.linalg.solve(A, np.asarray(tangents[0]))))
    np.testing.assert_allclose(cv.jacfwd(solve)(X), np.linalg.inv(A))
    with pytest.raises(TypeError, match=r"a tangent in the jvp rule.*stop_gradient"):
        cv.jacrev(solve)(X)


def test_hessian_is_refused_by_words_that_name_stop_gradient():
    solve = solver()
    with pytest.raises(TypeError, match="stop_gradient"):
        cv.hessian(lambda x: np.sum(solve(x) ** 2))(X)


def test_hessian_where_the_forward_rule_calls_the_function():
    inverse = np.linalg.inv(A)
    solve = cv.custom_vjp(plain)
    solve.defvjp(lambda x: (solve(x), None), lambda _, ct: (inverse.T @ ct,))
    np.testing.assert_allclose(cv.hessian(lambda x: np.sum(solve(x) ** 2))(X), 2 * inverse.T @ inverse)


def test_a_rule_that_is_no_linear_map_stays_refused():
    odd = cv.custom_vjp(lambda x: x)
    odd.defvjp(lambda x: (x, None), lambda _, ct: (ct if ct[0] > 0 else 0.0 * ct,))
    with pytest.raises(TypeError, match="bool"):
        cv.jacrev(odd)(X)


def test_an_error_of_the_rule_itself_is_the_error():
    def bwd(_, ct):
        raise KeyError("mine")

    f = cv.custom_vjp(lambda x: x)
    f.defvjp(lambda x: (x, None), bwd)
    with pytest.raises(KeyError, match="mine"):
        cv.jacrev(f)(X)


# ---- the lane


def counted(bwd=lambda x, ct: (ct * np.cos(x),), fwd=lambda x: (np.sin(x), x)):
    f = cv.custom_vjp(lambda x: np.sin(x))
    f.defvjp(fwd, bwd)
    return f


@pytest.mark.parametrize("x", [0.5, np.array(0.5), X, X.astype(np.float32)], ids=["float", "0-d", "array", "float32"])
def test_the_gradient_and_its_dtype(x):
    found = cv.grad(lambda x: np.sum(counted()(x)))(x)
    np.testing.assert_allclose(found, np.cos(x), rtol=1e-6)
    assert found.dtype == np.asarray(x).dtype


def test_residuals_are_safe_from_writes():
    x = X.copy()
    f = counted(fwd=lambda x: (np.sin(x), x))
    out, pullback = cv.vjp(f, x)
    x[:] = 100.0
    np.testing.assert_allclose(pullback(np.ones(3))[0], np.cos(X))


@pytest.mark.parametrize(("bwd", "error"), [
    (lambda x, ct: ct, "must return a tuple of 1"), (lambda x, ct: (ct, ct), "must return a tuple of 1"),
    (lambda x, ct: (ct[:2],), "must return a cotangent of shape"), (lambda x, ct: ({"a": ct},), "with the structure")])
def test_wrong_answers_of_bwd_are_named(bwd, error):
    with pytest.raises((TypeError, ValueError), match=error):
        cv.grad(lambda x: np.sum(counted(bwd)(x)))(X)


@pytest.mark.parametrize("fwd", [lambda x: np.sin(x), lambda x: (np.sin(x),)])
def test_wrong_answers_of_fwd_are_named(fwd):
    with pytest.raises(TypeError, match="must return"):
        cv.grad(lambda x: np.sum(counted(fwd=fwd)(x)))(X)


def test_pytrees_in_residuals_and_outputs_run_fwd_once():
    calls = []

    def fwd(x):
        calls.append(1)
        return {"out": np.sin(x)}, [x, {"more": x}]

    f = cv.custom_vjp(lambda x: {"out": np.sin(x)})
    f.defvjp(fwd, lambda kept, ct: (ct["out"] * np.cos(kept[1]["more"]),))
    np.testing.assert_allclose(cv.grad(lambda x: np.sum(f(x)["out"]))(X), np.cos(X))
    assert len(calls) == 1


def test_two_arguments_of_which_one_is_constant():
    f = cv.custom_vjp(lambda x, y: x * y)
    f.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, ct: (ct * kept[1], ct * kept[0]))
    for k, other in ((0, np.full(3, 3.0)), (1, np.full(3, 3.0))):
        args = [X, X]
        args[1 - k] = other
        found = cv.grad(lambda v, k=k, args=args: np.sum(f(*[v if j == k else a for j, a in enumerate(args)])))(X)
        np.testing.assert_array_equal(found, [3.0] * 3)
    both = cv.grad(lambda x, y: np.sum(f(x, y)), (0, 1))(X, 2 * X)
    np.testing.assert_array_equal(both, [2 * X, X])


def test_a_closure_over_a_traced_value_has_its_derivative():
    def outer(w):
        f = cv.custom_vjp(lambda x: x * w)
        f.defvjp(lambda x: (x * w, None), lambda _, ct: (ct * w,))
        return np.sum(f(w * X))

    np.testing.assert_allclose(cv.grad(outer)(2.0), 2 * 2.0 * X.sum())


def test_complex_cotangents_follow_jax():
    f = cv.custom_vjp(lambda z: z**2)
    f.defvjp(lambda z: (z**2, z), lambda z, ct: (ct * 2 * z,))
    z = X + 1j
    np.testing.assert_allclose(cv.grad(lambda z: np.real(np.sum(f(z))))(z), 2 * z)


def test_nested_derivatives_of_a_call_in_the_lane():
    f = cv.custom_vjp(lambda x: np.sin(x))
    f.defvjp(lambda x: (f(x), x), lambda x, ct: (ct * np.cos(x),))
    np.testing.assert_allclose(cv.grad(cv.grad(f))(0.4), -np.sin(0.4))
    np.testing.assert_allclose(cv.jvp(cv.grad(f), (0.4,), (1.0,))[1], -np.sin(0.4))
    np.testing.assert_allclose(cv.vmap(cv.grad(f))(X), np.cos(X))
