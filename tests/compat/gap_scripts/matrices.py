"""Rows of docs/compat_gaps.md: factorizations, inverses and norms."""

import numpy as np

from gap_scripts.script import attempt, gradient, gradient_of, row


@row("gradient of `cholesky_solve`", True, False)
def the_triangle_that_is_not_read(torch):
    def of(unread):
        factor = torch.tensor([[1.0, unread], [0.5, 2.0]], requires_grad=True)
        return torch.autograd.grad(torch.cholesky_inverse(factor).sum(), factor)[0]

    return torch.allclose(of(0.0), of(5.0))


@row("forward mode of `triangular_solve`", True, False)
def the_tangent_of_what_is_not_read(torch):
    a, b = torch.tensor([[1.0, 0.5], [0.0, 2.0]]), torch.ones(2, 1)
    tangent = torch.tensor([[0.0, 0.0], [1.0, 0.0]])
    return bool((torch.func.jvp(lambda m: torch.triangular_solve(b, m)[0], (a,), (tangent,))[1] == 0).all())


@row("`inv_ex`, `solve_ex`", True, False)
def the_inverse_of_a_singular_matrix(torch):
    return bool(torch.linalg.inv_ex(torch.zeros(2, 2)).inverse.isnan().all())


@row("derivative of R from `linalg.qr`", [[2.0, 4.0], [2.0, 4.0]], ["RuntimeError", "RuntimeError"])
def the_triangle_alone(torch):
    def of(mode):
        x = torch.tensor([[1.0], [2.0], [2.0]], requires_grad=True)
        (torch.linalg.qr(x, mode).R ** 2).sum().backward()
        return [round(v, 5) for v in x.grad[:2, 0].tolist()]

    return [attempt(lambda: of(mode)) for mode in ("r", "complete")]


@row("`linalg.lu(pivot=False)`", 3, "RuntimeError")
def elimination_without_exchanges(torch):
    return attempt(lambda: len(torch.linalg.lu(torch.eye(2), pivot=False)))


@row("derivatives of `linalg.pinv(hermitian", True, False)
def a_pseudo_inverse_of_one_triangle(torch):
    a = torch.tensor([[2.0, 7.0], [0.5, 3.0]])
    slopes = lambda x: torch.autograd.functional.jacobian(  # noqa: E731
        lambda t: torch.linalg.pinv(t, hermitian=True), x)
    return torch.allclose(slopes(a), slopes(torch.tensor([[2.0, 0.5], [0.5, 3.0]])), atol=1e-4)


@row("derivatives of spectral and nuclear", [0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0])
def a_nuclear_norm_of_zeros(torch):
    return gradient(torch, lambda t: torch.linalg.norm(t, "nuc"), torch.zeros(2, 2, requires_grad=True))


@row("`linalg.ldl_factor`", [1.0, 0.0, 0.0, 1.0], "RuntimeError")
def factors_of_an_indefinite_matrix(torch):
    a = torch.tensor([[2.0, 0.0], [0.0, -1.0]], requires_grad=True)
    return gradient(torch, lambda t: torch.linalg.ldl_factor(t).LD.diagonal(), a)


@row("derivatives at matrices that", "error", "numbers")
def the_derivative_at_equal_eigenvalues(torch):
    a = torch.eye(2, requires_grad=True)
    found = attempt(lambda: torch.autograd.grad(torch.linalg.eigh(a)[1].sum(), a)[0].tolist())
    return "error" if isinstance(found, str) else "numbers"


@row("forward mode of `linalg.eigh`", True, False)
def a_direction_that_is_not_hermitian(torch):
    a, v = torch.tensor([[2.0, 0.5], [0.5, 1.0]]), torch.tensor([[0.0, 1.0], [0.0, 0.0]])
    jvp = lambda d: torch.func.jvp(torch.linalg.cholesky, (a,), (d,))[1]  # noqa: E731
    return bool((jvp(v) - jvp((v + v.t()) / 2)).abs().max() < 1e-6)


@row("null-space vectors (`linalg.svd` with", True, False)
def the_null_space_of_a_wide_matrix(torch):
    a = np.random.default_rng(3).normal(size=(4, 9))
    rows = np.array(torch.linalg.svd(torch.tensor(a)).Vh.tolist())
    return bool(np.allclose(np.abs(rows), np.abs(np.linalg.svd(a)[2]), atol=1e-6))


@row("gradient of complex `linalg.cholesky`", [0j], [0.25j])
def the_imaginary_part_of_a_diagonal(torch):
    return gradient_of(torch, lambda x: torch.linalg.cholesky(x).imag, torch.tensor([[4 + 0j]], requires_grad=True))


@row("a complex right-hand side of a real `linalg.solve_triangular`", "RuntimeError", [1.0])
def a_complex_right_hand_side(torch):
    return attempt(lambda: torch.linalg.solve_triangular(
        torch.tensor([[2.0]]), torch.tensor([[2 + 2j]]), upper=True)[0].tolist())
