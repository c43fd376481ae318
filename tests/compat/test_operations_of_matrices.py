"""Factorizations and matrix equations: values, dtypes and all derivatives as in PyTorch."""


import numpy as np
import pytest

import covector.compat.torch as compat
from harness import table

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
