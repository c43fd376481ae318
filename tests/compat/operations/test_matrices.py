"""Factorizations and matrix equations: values, dtypes and derivatives; ranks, tolerances, refusals."""

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import attempt, double, normal, slopes, table

rng = np.random.default_rng(2)
A = rng.normal(size=(3, 3)) + 2 * np.eye(3)
A2 = rng.normal(size=(2, 3, 3)) + 2 * np.eye(3)
B = rng.normal(size=(3, 2))
S = A @ A.T + np.eye(3)
Z = A + 0.5j * rng.normal(size=(3, 3))
H = Z @ Z.conj().T + np.eye(3)
TALL, WIDE = rng.normal(size=(4, 2)), rng.normal(size=(2, 4))
V, W = rng.normal(size=3), rng.normal(size=3)
LOW = np.tril(A) + np.eye(3)


def L(name, *args, **named):
    """A call of `torch.linalg.name(x, …)`."""
    return lambda m, *x: getattr(m.linalg, name)(*x, *args, **named)


CALLS = [
    ("addbmm", lambda m, x, a, b: m.addbmm(x, a, b, beta=0.5, alpha=2.0), A, A2, A2 + 1),
    ("addr", lambda m, x, a, b: m.addr(x, a, b, beta=0.5, alpha=2.0), A, V, W),
    ("vecdot", L("vecdot"), A, B.T[:1].copy()),
    ("vecdot complex", L("vecdot", dim=0), Z, Z * 1j),
    ("linalg.cross", L("cross"), A[:1].copy(), A),
    ("linalg.diagonal", L("diagonal", offset=1), A2),
    ("cholesky", lambda m, x: m.cholesky(x + x.mT), S, {"forward": False}),
    ("cholesky upper", lambda m, x: m.linalg.cholesky(x + x.mH, upper=True), H),
    ("cholesky_solve of both triangles", lambda m, b, x: m.cholesky_solve(b, x), B, LOW),
    ("cholesky_solve of both triangles, upper", lambda m, b, x: m.cholesky_solve(b, x, upper=True), B, LOW.T.copy()),
    ("cholesky of one triangle", L("cholesky"), np.tril(S) + np.triu(A, 1), {"vmap": False, "forward": False}),
    ("cholesky_ex", lambda m, x: m.linalg.cholesky_ex(x + x.mT)[0], S),
    ("inv_ex", lambda m, x: m.linalg.inv_ex(x)[0], A2),
    ("solve_ex", lambda m, x, y: m.linalg.solve_ex(x, y)[0], A, B),
    ("solve_triangular", L("solve_triangular", upper=False), A, B),
    ("solve_triangular upper", L("solve_triangular", upper=True, unitriangular=True), A2, B),
    ("solve_triangular right", lambda m, x, y: m.linalg.solve_triangular(x, y.mT, upper=True, left=False), A, B),
    ("triangular_solve", lambda m, y, x: m.triangular_solve(y, x, False, True)[0], B, A, {"forward": False}),
    ("cholesky_solve", lambda m, y, x: m.cholesky_solve(y, x.tril()), B, LOW),
    ("cholesky_solve upper", lambda m, y, x: m.cholesky_solve(y, x.triu(), upper=True), B, LOW.T.copy()),
    ("cholesky_inverse", lambda m, x: m.cholesky_inverse(x.tril()), LOW, {"forward": False}),
    ("linalg.lu", L("lu"), A, {"vmap": False}),
    ("linalg.lu batch", L("lu"), A2, {"vmap": False}),
    ("linalg.lu tall", L("lu"), TALL, {"vmap": False}),
    ("linalg.lu wide", L("lu"), WIDE, {"vmap": False}),
    ("linalg.lu complex", L("lu"), Z, {"vmap": False}),
    ("linalg.lu_factor", L("lu_factor"), A, {"vmap": False}),
    ("lu_unpack", lambda m, x: m.lu_unpack(*m.linalg.lu_factor(x)), A, {"vmap": False}),
    ("linalg.lu_solve", lambda m, x, y: m.linalg.lu_solve(*m.linalg.lu_factor(x), y), A, B, {"vmap": False}),
    (
        "linalg.lu_solve adjoint",
        lambda m, x, y: m.linalg.lu_solve(*m.linalg.lu_factor(x), y, adjoint=True),
        Z,
        B + 0j,
        {"vmap": False},
    ),
    (
        "linalg.lu_solve right",
        lambda m, x, y: m.linalg.lu_solve(*m.linalg.lu_factor(x), y.mT, left=False),
        A,
        B,
        {"vmap": False},
    ),
    ("householder_product", L("householder_product"), TALL, np.array([1.2, 0.7])),
    ("householder_product complex", L("householder_product"), Z[:, :2].copy(), np.array([1.2, 0.7 + 0.1j])),
    (
        "ormqr",
        lambda m, a, t, x: m.ormqr(a, t, x),
        TALL,
        np.array([1.2, 0.7]),
        WIDE.T.copy(),
        {"vmap": False, "forward": False},
    ),
    (
        "ormqr right",
        lambda m, a, t, x: m.ormqr(a, t, x, False, True),
        TALL,
        np.array([1.2, 0.7]),
        WIDE,
        {"vmap": False, "forward": False},
    ),
    ("geqrf", lambda m, x: m.geqrf(x.detach()), TALL, {"orders": 0, "forward": False, "vmap": False}),
    ("qr", lambda m, x: m.qr(x), TALL),
    ("tensorinv", lambda m, x: m.linalg.tensorinv(x.reshape(3, 3, 1), 1), A),
    ("tensorsolve", lambda m, x, y: m.linalg.tensorsolve(x.reshape(3, 3, 1), y), A, V),
    ("matrix_exp", lambda m, x: m.matrix_exp(x), A),
    ("matrix_exp small", L("matrix_exp"), A2 * 0.01),
    ("matrix_exp large", L("matrix_exp"), A * 4, {"single": False, "orders": 1}),
    ("matrix_exp complex", L("matrix_exp"), Z),
    ("cond 1", L("cond", 1), A, {"orders": 0}),
    ("cond fro", L("cond", "fro"), A, {"orders": 0}),
    ("cond inf", L("cond", float("inf")), A, {"orders": 0}),
]


def script_failures(T):
    zero, minus = T.zeros(2, 2), -T.eye(2)
    return table(
        [
            lambda: T.linalg.inv(zero),
            lambda: T.linalg.inv(T.stack([T.eye(2), zero])),
            lambda: T.linalg.cholesky(minus),
            lambda: T.linalg.cholesky(T.stack([T.eye(2), minus])),
            lambda: T.linalg.solve(zero, T.ones(2, 1)),
            lambda: T.linalg.inv(T.ones(2, 3)),
            lambda: T.linalg.cholesky(T.ones(2)),
            lambda: T.linalg.det(T.ones(2, 3)),
            lambda: T.linalg.inv(T.ones(2, 2).int()),
            lambda: T.linalg.cholesky_ex(minus).info,
            lambda: T.linalg.inv_ex(zero).info,
            lambda: T.linalg.cholesky_ex(minus, check_errors=True),
            lambda: T.linalg.inv_ex(zero, check_errors=True),
            lambda: T.linalg.lu_factor(T.tensor([[1.0, 2.0], [2.0, 4.0]])),
            lambda: T.linalg.lu_factor_ex(T.tensor([[1.0, 2.0], [2.0, 4.0]])),
            lambda: T.linalg.solve_triangular(T.ones(2, 2), T.ones(3, 1), upper=True),
            lambda: T.cholesky_solve(T.ones(3, 1), T.ones(2, 2)),
            lambda: T.linalg.tensorinv(T.ones(2, 3), 1),
            lambda: T.matrix_exp(T.ones(2, 3)),
            lambda: T.matrix_exp(T.ones(2, 2).int()),
            lambda: T.linalg.cross(T.ones(2), T.ones(2)),
            lambda: T.addr(T.ones(2), T.ones(1, 2), T.ones(2)),
            lambda: T.linalg.householder_product(T.ones(2, 3), T.ones(2)),
            lambda: issubclass(T.linalg.LinAlgError, RuntimeError),
            lambda: T.ones(2, 3).addr_(T.ones(2), T.ones(3)),
            lambda: T.linalg.lu(T.tensor([[1.0, 2.0], [3.0, 4.0]])),
            lambda: T.lu(T.tensor([[1.0, 2.0], [3.0, 4.0]]), get_infos=True)[2],
            lambda: T.linalg.matrix_exp(T.zeros(0, 2, 2)).shape,
        ],
        contiguous=True,
    )


def script_the_triangle_of_qr_comes_without_q(torch):
    out = []
    for x in (TALL, WIDE, A2):
        q, r = found = torch.linalg.qr(torch.tensor(x), mode="r")
        out.append((found.Q is q, found.R is r, len(found), q, r.contiguous()))
    return out, table([lambda: torch.linalg.qr(torch.tensor(A), "raw"), lambda: torch.linalg.qr(torch.ones(3), "r"),
                       lambda: torch.linalg.qr(torch.ones(2, 3).int(), "r")])


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3), (2, 3, 3), (0, 3)])
def test_the_triangle_of_qr_is_that_of_all_modes(shape):
    x = np.random.default_rng(3).normal(size=shape)
    q, r = compat.linalg.qr(compat.tensor(x), mode="r")
    assert tuple(q.shape) == (0,)
    assert q.dtype is compat.float64
    np.testing.assert_allclose(r.numpy(), np.linalg.qr(x, mode="reduced")[1], atol=1e-12)


def script_pseudo_inverse_counts_rounding_as_zero(torch):
    thin = normal(torch, 30, 2)
    return [torch.linalg.pinv(thin @ thin.mT), torch.linalg.pinv((thin @ thin.mT).float()).abs().max() < 10,
            torch.linalg.matrix_rank(thin @ thin.mT)]


def script_hermitian_pseudo_inverse_reads_one_triangle(torch):
    x = normal(torch, 2, 3, 3)
    even = x + x.mT
    return [torch.linalg.pinv(x, hermitian=True), [v.contiguous() for v in slopes(
        torch, lambda a: torch.linalg.pinv(a, hermitian=True), even)]]


def test_the_gradient_of_eigenvalues_does_not_look_for_vectors_again(monkeypatch):
    a = np.random.default_rng(3).normal(size=(2, 4, 4))
    x = compat.tensor(a + a.swapaxes(1, 2), requires_grad=True)
    w = compat.linalg.eigvalsh(x)
    np.testing.assert_allclose(w.detach().numpy(), np.linalg.eigvalsh(x.detach().numpy()), rtol=1e-12)
    monkeypatch.setattr(np.linalg, "eigh", None)
    w.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.broadcast_to(np.eye(4), (2, 4, 4)), atol=1e-14)


def script_eigenvalues_of_one_triangle_with_gradients(torch):
    x = normal(torch, 2, 3, 3)
    return [slopes(torch, lambda a, u=u: torch.linalg.eigvalsh(a, UPLO=u), x) for u in "LU"] + [
        slopes(torch, lambda a: torch.linalg.eigh(a, UPLO="U")[1].abs(), x),
        torch.func.vmap(lambda a: torch.linalg.eigvalsh(a, UPLO="U"))(x),
        attempt(lambda: torch.linalg.eigh(x, UPLO="Q"))[:2]]


def script_eigenvalues_of_real_matrices_come_in_the_order_of_the_real_solver(torch):
    return [torch.linalg.eigvals(normal(torch, 5, 5, seed=k)) for k in range(8)]


def script_ranks_with_a_tolerance_for_each_matrix(torch):
    x = normal(torch, 2, 3, 3)
    each = double(torch, 0.2, 3.0)
    rank = torch.linalg.matrix_rank
    return table([lambda: rank(x, rtol=each), lambda: rank(x, atol=each), lambda: rank(x, atol=each, rtol=each / 10),
                  lambda: rank(x, each), lambda: rank(x[0], atol=each), lambda: rank(x[:0], atol=each[:0]),
                  lambda: torch.linalg.pinv(x, atol=each), lambda: torch.linalg.pinv(x, rtol=each / 4),
                  lambda: torch.func.vmap(lambda a, t: rank(a, atol=t))(x, each)])


def script_norms_at_zero_for_small_and_negative_orders(torch):
    norm = torch.linalg.vector_norm
    return [slopes(torch, lambda a, p=p: norm(a, p, dim=-1), double(torch, *row)[None])
            for p in (0.5, -0.5, -1, -3.5, 1.5, 3) for row in ((0.0, 0.0), (0.0, 2.0), (1.0, -2.0))] + [
        norm(double(torch, float("inf"), float("inf")), -1), norm(double(torch, 1.0, float("inf")), -2)]


def script_powers_of_a_number(torch):
    return [torch.linalg.vander(torch.tensor(3.0), N=2), attempt(lambda: torch.linalg.vander(torch.tensor(3.0)))[:2]]


def script_least_squares_of_complex_numbers_has_real_residuals(torch):
    a, b = normal(torch, 4, 2, dtype="complex"), normal(torch, 4, 2, seed=1, dtype="complex")
    found = torch.linalg.lstsq(a, b, driver="gelsd")
    return [found.residuals, found.singular_values.dtype, torch.linalg.lstsq(a, b).residuals.dtype]


def script_memory_of_factors_and_spectra(torch):
    a, x = normal(torch, 2, 4, 3), normal(torch, 3, 4, 5, 6)
    p, low, up = torch.linalg.lu(a)
    packed = torch.linalg.lu_factor(a)
    fft = torch.fft
    return [p, p.stride(), torch.lu_unpack(*packed)[0], torch.svd(a)[2].abs(), torch.svd(a.mT)[2].stride(),
            *[fft.ihfftn(x, dim=d) for d in (None, (0, 2), (2,), (3, 0, 1), (0, 3))], fft.ihfft2(x), fft.ihfft(x)]


def script_refusals_of_factors(torch):
    a, packed = normal(torch, 3, 3), torch.linalg.lu_factor(normal(torch, 3, 3))
    odd = [lambda: torch.lu_unpack(a, packed[1].long()), lambda: torch.lu_unpack(a[0], packed[1]),
           lambda: torch.linalg.lu_solve(packed[0], packed[1].double(), a), lambda: torch.linalg.cond(a[0]),
           lambda: torch.linalg.cond(a[:0]),
           lambda: torch.nn.functional.max_unpool1d(a, packed[1].expand(3, 3).float(), 2)]
    return [attempt(f) if k == 4 else attempt(f)[:2] for k, f in enumerate(odd)]


def script_least_squares_of_mapped_matrices(torch):
    a, b = normal(torch, 2, 4, 3), normal(torch, 2, 4, 2, seed=1)
    return table([lambda d=d: torch.func.vmap(lambda x, y: tuple(torch.linalg.lstsq(x, y, driver=d))[:2])(a, b)
                  for d in ("gels", "gelsd")], contiguous=True)


def script_singular_values_of_low_rank(torch):
    a, b = normal(torch, 2, 7, 3), normal(torch, 2, 3, 5, seed=1)
    low, found = a @ b, []
    for x in (low, low.mT):
        for fun in (torch.svd_lowrank, torch.pca_lowrank):
            u, s, v = fun(x, q=3 if fun is torch.svd_lowrank else 4)
            centred = x if fun is torch.svd_lowrank else x - x.mean(-2, keepdim=True)
            found += [u.shape, s, v.shape, (u * s.unsqueeze(-2) @ v.mT - centred).abs().max() < 1e-12]
    mean = low.mean(-2, keepdim=True)
    return found, torch.svd_lowrank(low, q=4, M=mean)[1], torch.pca_lowrank(low, q=3, center=False)[1], [
        attempt(lambda given=given: torch.pca_lowrank(*given))[:2] for given in (
            (low, 6), (low, 3, True, -1), (torch.ones(2, 2, dtype=torch.int64),))]


def script_failures_at_values_that_are_not_finite(torch):
    nan, far, last = torch.full((3, 3), float("nan")), torch.eye(4), torch.eye(3)
    far[2, 1], last[2, 2] = float("inf"), float("nan")
    linalg = torch.linalg
    return [attempt(fn) for fn in (
        lambda: linalg.svd(nan), lambda: linalg.svd(last), lambda: linalg.norm(last, 2), lambda: linalg.cholesky(far),
        lambda: linalg.cholesky(far.mT, upper=True), lambda: linalg.cholesky(last), lambda: linalg.inv(far),
        lambda: linalg.solve(far, far))]
