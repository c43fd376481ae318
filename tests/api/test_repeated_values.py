"""Repeated eigenvalues and singular values: what is determined is right, what is not is refused or counts as 0."""

import asyncio

import numpy as np
import pytest

import covector as cv
from covector.numpy.linalg import repeated_values

la = np.linalg
RNG = np.random.default_rng(5)
Q = la.qr(RNG.normal(size=(4, 4)))[0]
C = RNG.normal(size=(4, 4))
A = Q @ np.diag([1.0, 2.0, 2.0, 5.0]) @ Q.T  # repeated up to rounding
A = (A + A.T) / 2
DIRECTION = RNG.normal(size=(4, 4))
REFUSED = pytest.raises(la.LinAlgError, match=r"repeated.*repeated_values\('finite'\)")


def slope(f, a, v):
    """The derivative along `v` by central differences with one extrapolation."""
    def at(h):
        return (f(a + h * v) - f(a - h * v)) / (2 * h)

    return (4 * at(5e-4) - at(1e-3)) / 3


def root(a):
    w, v = la.eigh(a)
    return np.sum(C * (v @ np.diag(np.sqrt(w)) @ v.T))


def rebuilt(a):
    u, s, vh = la.svd(a)
    return np.sum(C * (u @ np.diag(s) @ vh))


def projector(a):
    v = la.eigh(a)[1][:, 1:3]
    return np.sum(C * (v @ v.T))


def other(a):
    w, v = la.eigh(a)
    return np.sum(v[:, 0] ** 4) + w[0]


def some_eigenvector(a):
    return np.sum(la.eigh(a)[1][:, 1] ** 4)


def some_singular_vector(a):
    return np.sum(la.svd(a)[0][:, 1] ** 4)


def some_right_vector(a):
    return np.sum(la.eig(a)[1] ** 4).real


@pytest.mark.parametrize("f", [root, rebuilt, projector, some_eigenvector, some_singular_vector])
def test_what_needs_vectors_of_a_repeated_value_is_refused(f):
    with REFUSED:
        cv.grad(f)(A)
    with REFUSED:
        cv.jvp(f, (A,), (DIRECTION,))
    with REFUSED:
        cv.grad(lambda a: f(a))(np.diag([1.0, 2.0, 2.0, 5.0]))
    with REFUSED:
        cv.vmap(cv.grad(f))(np.stack([np.diag([1.0, 2.0, 3.0, 5.0]), A]))


@pytest.mark.parametrize("a", [np.eye(3), np.zeros((3, 3)), np.diag([2.0, 1.0, 1.0])])
def test_refused_for_general_matrices_too(a):
    with REFUSED:
        cv.grad(some_right_vector)(a)


def test_values_with_their_vectors_are_refused_even_where_the_vectors_weigh_nothing():
    a = np.outer(Q[0], Q[0])  # of rank 1: v w vᴴ has no cotangent of v at the repeated w = 0, yet v matters
    for f in (rebuilt, lambda a: np.sum(C * (lambda w, v: v * w @ v.T)(*la.eigh(a)))):
        with REFUSED:
            cv.grad(f)(a)


def test_product_of_the_factors_is_right_at_one_singular_value_of_zero():
    a = Q @ np.diag([3.0, 2.0, 1.0, 0.0]) @ Q[::-1]
    np.testing.assert_allclose(cv.grad(rebuilt)(a), C, rtol=1e-9)
    np.testing.assert_allclose(cv.jvp(rebuilt, (a,), (DIRECTION,))[1], np.sum(C * DIRECTION), rtol=1e-9)


def test_tall_matrix_with_a_singular_value_of_zero_is_refused():
    def rebuilt_tall(a):
        u, s, vh = la.svd(a, full_matrices=False)
        return np.sum(C[:, :3] * (u * s @ vh))

    with pytest.raises(la.LinAlgError, match="singular value of 0"):  # its left vector is one of many
        cv.grad(rebuilt_tall)(C[:, :3] @ np.diag([1.0, 2.0, 0.0]))


@pytest.mark.parametrize("f", [projector, other])
def test_functions_of_whole_spaces_are_right_when_finite(f):
    with repeated_values("finite"):
        v = DIRECTION + DIRECTION.T
        want = slope(f, A, v)
        np.testing.assert_allclose(np.sum(cv.grad(f)(A) * v), want, rtol=1e-8)
        np.testing.assert_allclose(cv.jvp(f, (A,), (v,))[1], want, rtol=1e-8)


@pytest.mark.parametrize("values", [la.eigvalsh, la.svdvals, lambda a: la.svd(a, compute_uv=False)])
def test_values_alone_are_differentiable_by_either_mode(values):
    def f(a):
        return np.sum(values(a) ** 3)

    v = DIRECTION + DIRECTION.T
    np.testing.assert_allclose(np.sum(cv.grad(f)(A) * v), slope(f, A, v), rtol=1e-8)
    np.testing.assert_allclose(cv.jvp(f, (A,), (v,))[1], slope(f, A, v), rtol=1e-8)
    with REFUSED:  # the second derivative needs the vectors
        cv.hessian(f)(A)


def test_gradient_by_eigenvalues_is_right_where_only_they_are_used():
    np.testing.assert_allclose(cv.grad(lambda a: np.sum(la.eigh(a)[0] ** 2))(A), 2 * A, atol=1e-12)
    np.testing.assert_allclose(cv.grad(lambda a: np.sum(la.svd(a)[1] ** 2))(A), 2 * A, atol=1e-12)
    np.testing.assert_allclose(cv.grad(other)(A)[0], slope_rows(other, A)[0], rtol=1e-6)


def slope_rows(f, a):
    units = np.eye(a.size).reshape(a.size, *a.shape)
    return np.array([slope(f, a, (e + e.T) / 2) for e in units]).reshape(a.shape)


def test_defective_matrices_have_no_derivative_of_eigenvalues():
    jordan = np.array([[1.0, 1.0], [0.0, 1.0]])
    for f in (lambda a: np.sum(la.eigvals(a) ** 2).real, lambda a: np.sum(la.eig(a)[0] ** 2).real):
        with pytest.raises(la.LinAlgError, match="defective matrix.*traces"):
            cv.grad(f)(jordan)
        with pytest.raises(la.LinAlgError, match="defective matrix.*traces"):
            cv.jvp(f, (jordan,), (np.eye(2),))


@pytest.mark.parametrize(
    "vectors", [lambda a: la.eigh(a + np.conj(a).T)[1], lambda a: la.eig(a)[1], lambda a: la.svd(a)[0]])
def test_dependence_on_a_phase_is_refused(vectors):
    z = C + 1j * DIRECTION
    with pytest.raises(la.LinAlgError, match=r"phases.*projector"):
        cv.grad(lambda a: np.sum(vectors(a).real))(z)
    cv.grad(lambda a: np.sum(np.abs(vectors(a)) ** 4))(z)


def test_dependence_on_added_columns_is_refused():
    tall = C[:, :2]
    for added in (lambda a: la.svd(a)[0][:, 2:], lambda a: la.qr(a, "complete")[0][:, 2:]):
        with pytest.raises(la.LinAlgError, match="which vectors added .*full_matrices=False"):
            cv.grad(lambda a: np.sum(added(a) ** 4))(tall)

        def space(a):
            v = added(a)
            return np.sum(C * (v @ v.T))

        v = DIRECTION[:, :2]
        np.testing.assert_allclose(np.sum(cv.grad(space)(tall) * v), slope(space, tall, v), rtol=1e-7)
        np.testing.assert_allclose(np.sum(cv.hessian(space)(tall) * v[..., None, None] * v),
                                   slope(lambda a: np.sum(cv.grad(space)(a) * v), tall, v), rtol=1e-6)


def test_policy_holds_for_what_was_recorded_inside_and_is_restored():
    with repeated_values("finite"):
        _, pullback = cv.vjp(projector, A)
        with repeated_values("raise"), REFUSED:
            cv.grad(projector)(A)
        cv.grad(projector)(A)
    assert np.isfinite(pullback(1.0)[0]).all()
    with REFUSED:
        cv.grad(projector)(A)
    with pytest.raises(ValueError, match="'raise', 'invariant-only' or 'finite', but got 'nan'"):
        with repeated_values("nan"):
            pass


def test_policy_is_a_task_s_own():
    async def one(policy):
        with repeated_values(policy):
            await asyncio.sleep(0)
            try:
                cv.grad(projector)(A)
            except la.LinAlgError:
                return "raise"
            return "finite"

    async def both():
        return await asyncio.gather(one("finite"), one("raise"), one("finite"))

    assert asyncio.run(both()) == ["finite", "raise", "finite"]


VARIANT = pytest.raises(la.LinAlgError, match=r"repeated.*invariant-only.*projector.*repeated_values\('finite'\)")
SKEW = RNG.normal(size=(4, 4))
H = (lambda q: q @ np.diag([1.0, 2.0, 2.0, 5.0]) @ q.conj().T)(la.qr(C + 1j * SKEW)[0])
H = (H + H.conj().T) / 2
BLOCK = np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 3.0], [0.0, 0.0, 5.0]])  # two vectors of the eigenvalue 2, not orthogonal


def fourths_of_projector(a):
    v = la.eigh(a)[1][:, 1:3]
    return np.sum(np.abs(v @ v.conj().T) ** 4) + np.sum(C * (v @ v.conj().T).real)


def right_and_left_spaces(a):
    u, _, vh = la.svd(a)
    return np.sum(C * (u[:, 1:3] @ u[:, 1:3].T) ** 2) + np.sum(C * (u[:, 1:3] @ vh[1:3]))


def mirrored(a):
    return (a + a.conj().T) / 2


@pytest.mark.parametrize("f", [projector, other, fourths_of_projector, right_and_left_spaces])
@pytest.mark.parametrize("a", [A, np.diag([1.0, 2.0, 2.0, 5.0])])
def test_functions_of_whole_spaces_are_right_when_invariant_only(f, a):
    with repeated_values("invariant-only"):
        v = DIRECTION if f is right_and_left_spaces else DIRECTION + DIRECTION.T
        np.testing.assert_allclose(np.sum(cv.grad(f)(a) * v), slope(f, a, v), rtol=1e-7, atol=1e-9)
        each = cv.vmap(cv.grad(f))(np.stack([a, a + 0.1 * mirrored(C)]))
        np.testing.assert_allclose(each[0], cv.grad(f)(a), atol=1e-9)


def test_functions_of_whole_complex_spaces_are_right_when_invariant_only():
    v = mirrored(DIRECTION + 1j * C)
    with repeated_values("invariant-only"):
        g = cv.grad(fourths_of_projector, conjugate=True)(H)
    np.testing.assert_allclose(np.sum(g.conj() * v).real, slope(fourths_of_projector, H, v), rtol=1e-7)


def test_spaces_of_a_general_matrix_are_right_when_invariant_only():
    def space(a):
        w, v = la.eig(a)
        return np.sum(C[:3, :3] * (v * (np.abs(w - 2.0) < 0.5) @ la.inv(v)).real)

    v = DIRECTION[:3, :3]
    with repeated_values("invariant-only"):
        np.testing.assert_allclose(np.sum(cv.grad(space)(BLOCK) * v), slope(space, BLOCK, v), rtol=1e-7)
        with VARIANT:
            cv.grad(lambda a: np.sum(C[:3, :2] * la.eig(a)[1][:, :2]).real)(BLOCK)


def weighted(a):
    return np.sum(C * (lambda v: v @ np.diag([1.0, 2.0, 3.0, 4.0]) @ v.T)(la.eigh(a)[1]))


@pytest.mark.parametrize("f", [weighted, some_eigenvector, some_singular_vector])
def test_functions_that_depend_on_the_choice_are_refused_when_invariant_only(f):
    with repeated_values("invariant-only"):
        with VARIANT:
            cv.grad(f)(A)
        with VARIANT:
            cv.vmap(cv.grad(f))(np.stack([np.diag([1.0, 2.0, 3.0, 5.0]), A]))
        cv.grad(f)(np.diag([1.0, 2.0, 3.0, 5.0]))


@pytest.mark.parametrize("f", [root, rebuilt])
def test_a_repeated_value_with_its_vectors_is_refused_when_invariant_only(f):
    with repeated_values("invariant-only"), REFUSED:
        cv.grad(f)(A)


def test_forward_mode_and_second_derivatives_are_refused_when_invariant_only():
    with repeated_values("invariant-only"):
        for derive in (lambda: cv.jvp(projector, (A,), (DIRECTION + DIRECTION.T,)), lambda: cv.hessian(projector)(A),
                       lambda: cv.hvp(projector, (A,), (DIRECTION + DIRECTION.T,))):
            with VARIANT:
                derive()


@pytest.mark.parametrize("values", [
    la.eigvalsh, la.svdvals, lambda a: la.eigh(a)[0], lambda a: la.svd(a)[1], lambda a: np.sort(la.eigvals(a).real),
    lambda a: np.sort(la.eig(a)[0].real)])
def test_values_alone_are_symmetric_functions_when_invariant_only(values):
    a, v = np.diag([1.0, 2.0, 2.0, 5.0]), DIRECTION + DIRECTION.T

    def power(a):
        return np.sum(values(a) ** 3)

    with repeated_values("invariant-only"):
        np.testing.assert_allclose(np.sum(cv.grad(power)(a) * v), slope(power, a, v), rtol=1e-7)
        with pytest.raises(la.LinAlgError, match=r"invariant-only.*tells repeated ones apart.*symmetric.*'raise'"):
            cv.grad(lambda a: values(a)[1])(a)
        cv.grad(lambda a: np.max(values(a)) * np.min(values(a)))(a)
    cv.grad(lambda a: values(a)[1])(a)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("roundings", [8, 22, 1e3])
def test_a_small_singular_value_that_is_not_zero_has_derivatives(dtype, roundings):
    small = dtype(roundings * np.finfo(dtype).eps)
    a = np.array([[1, 0], [0, small], [0, 0]], dtype)  # u[2, 1] moves by 1 / small with a[2, 1], and with nothing else
    expected = np.zeros((3, 2), dtype)
    expected[2, 1] = 1 / small

    def element(x):
        u, _, vh = np.linalg.svd(x, full_matrices=False)
        return u[2, 1] * vh[1, 1]

    np.testing.assert_allclose(cv.grad(element)(a), expected, rtol=1e-6)
    np.testing.assert_allclose(cv.grad(lambda x: np.linalg.norm(x, "nuc"))(a), np.eye(3, 2), atol=1e-6)
    np.testing.assert_allclose(cv.grad(lambda x: np.linalg.qr(x)[1][1, 1])(a), np.eye(3, 2) * [0, 1], atol=1e-6)


def _values(kind, a):
    if kind == "eigvals":
        return np.real(np.linalg.eigvals(a))
    return np.linalg.eigvalsh((a + a.T) / 2) if kind == "eigvalsh" else np.linalg.svd(a, compute_uv=False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["eigvalsh", "svdvals", "eigvals"])
@pytest.mark.parametrize("matrix", [np.eye(3), np.diag([1.0, 1.0, 2.0])])
def test_a_second_derivative_where_equal_values_have_equal_cotangents_is_not_known(kind, matrix):
    # (c_i - c_j) / (w_i - w_j) has the limit 2 here, which the cotangents, 0 and 0, do not say.
    def distance(a):
        return np.sum((_values(kind, a) - 1.0) ** 2)

    def product(a):
        return cv.vjp(cv.grad(distance), a)[1](np.ones((3, 3)) - np.eye(3))[0]

    for second in (cv.hessian(distance), product, cv.jit(cv.hessian(distance)),
                   lambda a: cv.vmap(cv.hessian(distance))(a[None])):
        try:
            found = second(matrix)
        except np.linalg.LinAlgError:  # what only some of the directions show
            continue
        assert np.isnan(found).any()
    with cv.numpy.linalg.repeated_values("finite"):
        assert np.isfinite(cv.hessian(distance)(matrix)).all()


@pytest.mark.parametrize("kind", ["eigvalsh", "svdvals"])
def test_a_second_derivative_of_the_largest_value_beside_equal_ones(kind):
    def power(a):
        return _values(kind, a)[-1 if kind == "eigvalsh" else 0] ** 2

    def ends(a):
        return np.max(np.maximum(_values(kind, a), 1.5)) ** 2

    matrix, step = np.diag([1.0, 1.0, 2.0]), 1e-4
    basis = np.eye(9).reshape(9, 3, 3) * step
    for fun in (power, ends):
        rows = [[(fun(matrix + x + y) - fun(matrix + x - y) - fun(matrix - x + y) + fun(matrix - x - y)) / (4 * step**2)
                 for x in basis] for y in basis]
        np.testing.assert_allclose(cv.hessian(fun)(matrix).reshape(9, 9), rows, atol=1e-5)
