"""`numpy.linalg` and `covector.numpy.linalg` on traced arrays: values, dtypes, derivatives, batches."""

import importlib
import inspect
import re

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp

RNG = np.random.default_rng(11)
SQUARE = RNG.normal(size=(3, 3)) * 0.3 + np.diag([3.0, 2.0, 1.0])
TALL = RNG.normal(size=(5, 3))
WIDE = TALL.T.copy()
STACK = SQUARE + 0.1 * RNG.normal(size=(2, 3, 3))
Z = SQUARE + 0.3j * RNG.normal(size=(3, 3))
ZTALL = TALL + 1j * RNG.normal(size=(5, 3))
TURNING = SQUARE + np.array([[0.0, 4.0, 0.0], [-4.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
V = RNG.normal(size=3)
W = RNG.normal(size=5)


def parts(u, s, vh):
    """What of singular vectors does not depend on signs and phases."""
    k = s.shape[-1]
    return s, np.swapaxes(u[..., :k], -1, -2)[..., None] * vh[..., :k, None, :]


def projectors(w, v):
    return w, v[..., :, None, :] * np.conj(v)[..., None, :, :]


def sizes(w, v):
    return w, np.abs(v) ** 2


FUNCTIONS = {
    "svd": (lambda la, a: parts(*la.svd(a, full_matrices=False)), TALL),
    "svd wide": (lambda la, a: parts(*la.svd(a, False)), WIDE),
    "svd full": (lambda la, a: parts(*la.svd(a)), SQUARE),
    "svd full tall": (lambda la, a: parts(*la.svd(a)), TALL),
    "svd added projector": (lambda la, a: projectors(*la.svd(a)[1::-1])[1][..., 3:].sum(axis=-1), TALL),
    "svd complex": (lambda la, a: parts(*la.svd(a, False)), ZTALL),
    "svd stacked": (lambda la, a: parts(*la.svd(a)), STACK),
    "svd fields": (lambda la, a: la.svd(a).S, SQUARE),
    "svd values": (lambda la, a: la.svd(a, compute_uv=False), TALL),
    "svd hermitian": (lambda la, a: parts(*la.svd(a + a.T - 5 * np.eye(3), hermitian=True)), SQUARE),
    "svd hermitian values": (lambda la, a: la.svd(a + a.T, compute_uv=False, hermitian=True), SQUARE),
    "svdvals": (lambda la, a: la.svdvals(a), STACK),
    "svdvals complex": (lambda la, a: la.svdvals(a), Z),
    "pinv": (lambda la, a: la.pinv(a), TALL),
    "pinv wide": (lambda la, a: la.pinv(a), WIDE),
    "pinv square": (lambda la, a: la.pinv(a), STACK),
    "pinv complex": (lambda la, a: la.pinv(a), ZTALL),
    "pinv tolerances": (lambda la, a: la.pinv(a, rcond=1e-10) + la.pinv(a, rtol=1e-9) + la.pinv(a, rtol=None), TALL),
    "pinv hermitian": (lambda la, a: la.pinv(a + a.T, hermitian=True), SQUARE),
    "lstsq": (lambda la, a: la.lstsq(a, W * a[:, 0])[0], TALL),
    "lstsq columns": (lambda la, a: la.lstsq(a, np.outer(W, [1.0, 2.0]))[:2], TALL),
    "lstsq wide": (lambda la, a: la.lstsq(a, V, rcond=1e-12)[0], WIDE),
    "lstsq complex": (lambda la, a: la.lstsq(a, W)[:2], ZTALL),
    "lstsq everything": (lambda la, a: la.lstsq(a, W), TALL),
    "eigvalsh": (lambda la, a: la.eigvalsh(a + np.conj(a).T), Z),
    "eigh complex": (lambda la, a: projectors(*la.eigh(a + np.conj(a).T)), Z),
    "eig": (lambda la, a: projectors(*la.eig(a)), SQUARE),
    "eig of a rotation": (lambda la, a: projectors(*la.eig(a)), TURNING),
    "eig complex": (lambda la, a: sizes(*la.eig(a)), Z),
    "eig stacked": (lambda la, a: sizes(*la.eig(a)), STACK),
    "eig fields": (lambda la, a: la.eig(a).eigenvalues * 2, TURNING),
    "eigvals": (lambda la, a: la.eigvals(a), SQUARE),
    "eigvals of a rotation": (lambda la, a: la.eigvals(a), TURNING),
    "eigvals complex": (lambda la, a: la.eigvals(a), Z),
    "cond": (lambda la, a: la.cond(a), TALL),
    "cond -2": (lambda la, a: la.cond(a, -2), SQUARE),
    "cond orders": (lambda la, a: [la.cond(a, p) for p in (2, 1, -1, np.inf, -np.inf, "fro")], SQUARE),
    "cond stacked": (lambda la, a: la.cond(a), STACK),
    "matrix_rank": (lambda la, a: la.matrix_rank(a) * a, SQUARE),
    "norm 2": (lambda la, a: la.norm(a, 2), TALL),
    "norm -2": (lambda la, a: la.norm(a, -2), ZTALL),
    "norm nuc": (lambda la, a: la.norm(a, "nuc"), WIDE),
    "norm nuc axes": (lambda la, a: la.norm(a, "nuc", axis=(2, 0)), STACK),
    "norm 2 kept": (lambda la, a: la.norm(a, 2, axis=(1, 0), keepdims=True), STACK),
    "norm 1 axes": (lambda la, a: la.norm(a, 1, axis=(2, 0)) + la.norm(a, -np.inf, axis=(2, 0)), STACK),
    "matrix_norm": (lambda la, a: [la.matrix_norm(a, ord=p) for p in ("nuc", 2, -2, 1, -np.inf, "fro")], STACK),
    "matrix_norm kept": (lambda la, a: la.matrix_norm(a, ord="nuc", keepdims=True), STACK),
    "cross": (lambda la, a: la.cross(a, a[::-1] * 2), TALL),
    "cross axis": (lambda la, a: la.cross(a, a[:, ::-1], axis=0), WIDE),
    "tensorinv": (lambda la, a: la.tensorinv(np.reshape(la.matmul(a, a.T) + np.eye(3), (3, 1, 3)), ind=2), SQUARE),
    "tensorsolve": (lambda la, a: la.tensorsolve(np.reshape(a, (3, 1, 3)), V[:, None]), SQUARE),
    "tensorsolve axes": (lambda la, a: la.tensorsolve(np.reshape(a, (3, 3, 1)), V * a[0], axes=(0,)), SQUARE),
    "qr complete": (lambda la, a: (la.qr(a, "complete").R, la.qr(a, "complete").Q[:, :3]), TALL),
    "qr complete by one": (lambda la, a: tuple(la.qr(a[:4], "complete")), TALL),
    "qr complete wide": (lambda la, a: tuple(la.qr(a, "complete")), WIDE),
    "qr complex": (lambda la, a: tuple(la.qr(a)), ZTALL),
    "qr r": (lambda la, a: la.qr(a, "r"), ZTALL),
    "qr raw": (lambda la, a: la.qr(a, "raw"), TALL),
    "qr raw wide": (lambda la, a: la.qr(a, "raw"), WIDE),
    "qr raw complex": (lambda la, a: la.qr(a, "raw"), ZTALL),
    "qr raw complex wide": (lambda la, a: la.qr(np.conj(a.T), "raw"), ZTALL),
    "qr raw stacked": (lambda la, a: la.qr(a, "raw"), STACK),
    "multi_dot": (lambda la, a: la.multi_dot([a, a.T, a, a.T @ a]), TALL),
    "multi_dot vectors": (lambda la, a: la.multi_dot([W, a, a.T, W]), TALL),
    "multi_dot vector": (lambda la, a: la.multi_dot([a, a.T, W]) + la.multi_dot([W, a, a.T]), TALL),
    "matrix_power": (lambda la, a: la.matrix_power(a, 5) + la.matrix_power(a, 0) + la.matrix_power(a, -3), STACK),
    "slogdet": (lambda la, a: tuple(la.slogdet(a)), Z),
    "diagonal": (lambda la, a: la.diagonal(a, offset=1), STACK),
    "trace": (lambda la, a: la.trace(a, offset=-1), STACK),
    "matmul": (lambda la, a: la.matmul(a, a[0]), STACK),
    "vecdot": (lambda la, a: la.vecdot(a, a * 1j, axis=0), Z),
    "vecdot ranks": (lambda la, a: la.vecdot(a, a[0, 0]) + la.vecdot(a[0, 0], a, axis=-1), STACK),
    "outer": (lambda la, a: la.outer(a[0], a[:, 1]), Z),
    "tensordot": (lambda la, a: la.tensordot(a, a, axes=((1,), (2,))), STACK),
}  # fmt: skip
NO_BATCH = {"eig of a rotation", "lstsq everything", "eig", "eigvals", "eig stacked", "eig fields"}


@pytest.fixture(params=[np.linalg, cnp.linalg], ids=["numpy", "covector.numpy"])
def la(request):
    return request.param


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_of_a_matrix(la, name, agrees):
    fun, a = FUNCTIONS[name]
    agrees(lambda a: fun(la, a), a, tol=2e-5, batch=name not in NO_BATCH)


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_eigenvalues_are_complex_where_it_is_not_known_whether_they_are_real(la, name):
    fun = getattr(la, name)
    plain = np.stack([np.asarray(fun(a)[0] if name == "eig" else fun(a)) for a in STACK])
    batched = cv.vmap(lambda a: tuple(fun(a))[0] if name == "eig" else fun(a))(STACK)
    known = np.linalg.eigvals(SQUARE).dtype  # real in NumPy up to 2.4
    assert plain.dtype == known and batched.dtype == np.complex128
    np.testing.assert_allclose(batched, plain, rtol=1e-12)
    assert cv.jvp(lambda a: fun(a)[0], (SQUARE,), (SQUARE,))[1].dtype == known


def test_lstsq_of_deficient_matrices_leaves_residuals_out_or_says_nan(la):
    a = np.stack([TALL, np.outer(W, V)])
    assert cv.jvp(lambda a: la.lstsq(a, W)[1], (a[1],), (a[1],))[0].shape == (0,)
    residuals, rank = cv.vmap(lambda a: la.lstsq(a, W)[1:3])(a)
    assert rank.tolist() == [3, 1]
    np.testing.assert_allclose(residuals[0], np.linalg.lstsq(a[0], W)[1])
    assert np.isnan(residuals[1]).all()


@pytest.mark.parametrize("hermitian", [False, True])
def test_matrix_rank_is_a_constant(la, hermitian):
    a = np.stack([np.eye(3), np.diag([1.0, 0.0, 2.0]), np.zeros((3, 3))])
    ranks = []
    cv.grad(lambda a: (ranks.append(la.matrix_rank(a, hermitian=hermitian)), a.sum())[1])(a)
    np.testing.assert_array_equal(ranks[0], [3, 2, 0])
    np.testing.assert_array_equal(cv.vmap(lambda a: la.matrix_rank(a, hermitian=hermitian))(a), [3, 2, 0])
    np.testing.assert_array_equal(cv.vmap(lambda a: la.matrix_rank(a, tol=1.5))(a), [0, 1, 0])
    assert cv.jvp(la.matrix_rank, (V,), (V,))[0] == 1


def pairing(f, x, v):
    """The derivative of `f` at `x` along `v`, forward and in reverse: they must agree."""
    forward = cv.jvp(f, (x,), (v,))[1]
    backward = np.sum(cv.grad(f)(x) * v)
    np.testing.assert_allclose(forward, backward, rtol=1e-9, atol=1e-12)
    return forward


def test_norms_at_zero_and_at_equal_singular_values_have_their_subgradients(la):
    v = RNG.normal(size=(3, 2))
    for ord in ("nuc", 2, -2):
        assert pairing(lambda a: la.norm(a, ord), np.zeros((3, 2)), v) == 0
    q = np.linalg.qr(v)[0]
    np.testing.assert_allclose(cv.grad(lambda a: la.norm(a, "nuc"))(3 * q), q, atol=1e-12)
    np.testing.assert_allclose(cv.grad(lambda a: la.norm(a, 2))(2 * np.eye(2)), np.eye(2) / 2, atol=1e-12)
    pairing(lambda a: la.norm(a, "nuc"), np.outer(V, V), RNG.normal(size=(3, 3)))


def test_condition_number_of_a_singular_matrix_is_infinite(la):
    with np.errstate(all="raise"):
        assert cv.jvp(la.cond, (np.zeros((2, 2)),), (np.zeros((2, 2)),))[0] == np.inf
        assert cv.vjp(la.cond, np.diag([1.0, 0.0]))[0] == np.inf


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_determinant_is_exact_to_second_order_at_any_rank(la, rank):
    basis = RNG.normal(size=(3, 3))
    a = basis[:, :rank] @ basis[:rank]
    u, v = RNG.normal(size=(2, 3, 3))
    steps = np.array([1.0, -1.0])

    def along(*directions):  # det is a polynomial of degree 3: central differences of it need no small step
        total = 0.0
        for signs in np.ndindex(*(2,) * len(directions)):
            s = steps[list(signs)]
            total += np.prod(s) * np.linalg.det(a + sum(k * d for k, d in zip(s, directions)))
        return total / 2 ** len(directions)

    second = cv.jvp(cv.grad(la.det), (a,), (u,))[1]
    np.testing.assert_allclose(np.sum(second * v), along(u, v), rtol=1e-9, atol=1e-9)
    cubic = np.linalg.det(u)  # what is left of the central difference along one direction
    np.testing.assert_allclose(np.sum(cv.grad(la.det)(a) * u), along(u) - cubic, rtol=1e-9, atol=1e-9)
    twice = cv.grad(lambda a: np.sum(cv.grad(la.det)(a) * v))(a)
    np.testing.assert_allclose(np.sum(twice * u), along(u, v), rtol=1e-9, atol=1e-9)


def test_third_derivative_of_det_is_right_or_refused(la):
    u, v, w = RNG.normal(size=(3, 3, 3))

    def third(a):
        return cv.jvp(lambda a: cv.jvp(lambda a: cv.jvp(la.det, (a,), (u,))[1], (a,), (v,))[1], (a,), (w,))[1]

    polarized = sum(np.prod(s) * np.linalg.det(s[0] * u + s[1] * v + s[2] * w) for s in
                    np.array(np.meshgrid([1, -1], [1, -1], [1, -1])).reshape(3, -1).T) / 8
    np.testing.assert_allclose(third(SQUARE), polarized, rtol=1e-9)
    with pytest.raises(np.linalg.LinAlgError, match=r"third derivative of det .* \(3, 3\) is singular"):
        third(np.outer(V, V))


def test_slogdet_refuses_singular_matrices_and_names_det(la):
    with pytest.raises(np.linalg.LinAlgError, match="shape .* is singular; use det"):
        cv.grad(lambda a: la.slogdet(a)[1])(np.zeros((2, 2)))
    sign = cv.grad(lambda a: la.slogdet(a)[0])(np.zeros((2, 2)))
    np.testing.assert_array_equal(sign, 0.0)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("slope", [
    cv.grad, cv.jacrev, lambda f: cv.jit(cv.grad(f)), lambda f: lambda a: cv.jacfwd(f)(a.real),
    lambda f: lambda a: cv.hessian(f)(a.real), lambda f: lambda a: cv.jacrev(cv.jacrev(f))(a.real)])
def test_a_singular_matrix_that_is_left_out_moves_no_determinant(la, slope, dtype):
    kept = np.array([False, True, False])
    a = np.stack([np.ones((2, 2)), [[3.0, 1.0], [0.5, 2.0]], np.zeros((2, 2))]).astype(dtype)
    found = slope(lambda a: np.sum(np.where(kept, la.slogdet(a)[1], 0.0)))(a)
    alone = slope(lambda a: la.slogdet(a)[1])(a[1])
    at = (1, slice(None), slice(None)) * (found.ndim // 3)
    np.testing.assert_allclose(found[at], alone, rtol=1e-12)
    found[at] = 0.0
    np.testing.assert_array_equal(found, 0.0)


def test_a_weight_of_zero_still_has_the_slope_of_a_determinant(la):
    a = RNG.normal(size=(2, 3, 3))
    mixed = cv.jacrev(lambda c: cv.grad(lambda a: np.sum(c * la.slogdet(a)[1]))(a))(np.array([0.0, 1.0]))
    np.testing.assert_allclose(mixed[0, :, :, 0], np.linalg.inv(a[0]).T, rtol=1e-9)


def test_graphs_of_what_depends_on_values_compute_the_same(la):
    for f in (lambda a: la.lstsq(a, W), la.cond, la.matrix_rank, la.svdvals, lambda a: la.qr(a, "raw"),
              lambda a: la.norm(a, "nuc"), lambda a: la.pinv(a, rtol=None)):
        for got, want in zip(cv.tree.leaves(cv.make_graph(f)(TALL)(TALL + 1)), cv.tree.leaves(f(TALL + 1))):
            np.testing.assert_allclose(got, want, rtol=1e-10)


def test_large_matrices_in_single_precision_have_no_repeated_values():
    a = RNG.normal(size=(150, 150)).astype(np.float32)
    assert cv.grad(lambda a: np.sum(np.linalg.eigh(a)[1] ** 4))(a + a.T).dtype == np.float32
    assert cv.grad(lambda a: np.sum(np.linalg.svd(a)[0] ** 4))(a).dtype == np.float32


def test_written_buffers_are_decomposed_as_they_are():
    def f(x):
        y = np.zeros_like(x)
        y[:] = x * 2
        y[0] = x[1]
        return np.linalg.svdvals(y).sum() + np.linalg.pinv(y)[0, 1] + np.abs(np.fft.rfft(y[1:], 4)).sum()

    step = 1e-6 * RNG.normal(size=TALL.shape)
    np.testing.assert_allclose(np.sum(cv.grad(f)(TALL) * step), (f(TALL + step) - f(TALL - step)) / 2, rtol=1e-7)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [(lambda la, a: la.svd(a[0]), ValueError, r"svd needs matrices .*\(3,\)"),
     (lambda la, a: la.eig(a), ValueError, r"eig needs square matrices .*\(5, 3\)"),
     (lambda la, a: la.pinv(a, 1e-3, rtol=1e-3), ValueError, "can't be both set"),
     (lambda la, a: la.matrix_rank(a, 1e-3, rtol=1e-3), ValueError, "can't be both set"),
     (lambda la, a: la.lstsq(a, V), np.linalg.LinAlgError, r"a of shape \(m, n\) .*\(5, 3\) and \(3,\)"),
     (lambda la, a: la.cond(a[:0]), np.linalg.LinAlgError, r"not defined on empty .*\(0, 3\)"),
     (lambda la, a: la.norm(a, 7), ValueError, "norm of matrices supports the orders .*7"),
     (lambda la, a: la.qr(a, "economic"), ValueError, "qr supports the modes .*'economic'"),
     (lambda la, a: la.multi_dot([a]), ValueError, "two or more arrays, but got 1"),
     (lambda la, a: la.multi_dot([a, a[0], a]), ValueError, r"shapes \(5, 3\), \(3,\), \(5, 3\)"),
     (lambda la, a: la.tensorsolve(a, V), np.linalg.LinAlgError, r"\(5, 3\) and \(3,\)"),
     (lambda la, a: la.tensorinv(a, 0), ValueError, "ind > 0, but got 0"),
     (lambda la, a: la.outer(a, a), ValueError, r"linalg.outer needs vectors, .*np.outer"),
     (lambda la, a: la.eigh(a, "X"), ValueError, "'L' or 'U', but got 'X'")],
)  # fmt: skip
def test_misuse_is_refused(la, call, error, words):
    with pytest.raises(error, match=words):
        cv.vmap(lambda a: call(la, a))(TALL[None])


@pytest.mark.parametrize("deficient", [np.outer(W, V), np.outer(V, V), np.outer(V, W), np.eye(4)[:, [0, 0, 1]]])
def test_qr_of_deficient_matrices_has_no_derivative(la, deficient):
    with pytest.raises(np.linalg.LinAlgError, match="only at matrices of full rank.*is singular; .*use svd"):
        cv.grad(lambda a: np.sum(la.qr(a)[1] ** 2))(deficient)
    with pytest.raises(np.linalg.LinAlgError, match="only at matrices of full rank.*is singular; .*use svd"):
        cv.jvp(lambda a: la.qr(a)[0], (deficient,), (deficient,))


@pytest.mark.parametrize("name", ["decompositions", "determinants", "products", "qr", "spectral", "svd"])
def test_every_rule_names_its_source_or_carries_its_derivation(name):
    module = importlib.import_module(f"covector.core.ops.linalg.{name}")
    rules = {k: f for k, f in vars(module).items() if re.search(r"_[jv][jv]p(_\w)?$", k) and inspect.isfunction(f)}
    assert not [k for k, f in rules.items() if f.__module__ == module.__name__ and not f.__doc__]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_inverse_and_factor_are_numpys_and_refuse_what_numpy_refuses(dtype):
    rng = np.random.default_rng(3)
    a = rng.normal(size=(6, 6)).astype(dtype)
    spd = a @ a.T + np.eye(6, dtype=dtype)
    for function, x, bad, message in (
        (np.linalg.inv, a, np.zeros((6, 6), dtype), "Singular matrix"),
        (np.linalg.cholesky, spd, -spd, "Matrix is not positive definite"),
    ):
        value, pullback = cv.vjp(function, x)
        np.testing.assert_array_equal(value, function(x))
        assert pullback(np.ones_like(x))[0].dtype == dtype
        for seen in (np.errstate(all="ignore"), np.errstate(all="raise")):
            with seen, pytest.raises(np.linalg.LinAlgError, match=message):
                cv.grad(lambda x, function=function: function(x).sum())(bad)
        assert np.geterrcall() is None


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [1, 5, 70])
def test_gradient_of_a_real_factor_is_that_of_stacked_matrices(size, dtype):
    rng = np.random.default_rng(size)
    a = rng.normal(size=(size, size)).astype(dtype)
    weight = rng.normal(size=(size, size)).astype(dtype)
    spd = a @ a.T + size * np.eye(size, dtype=dtype)

    def total(x):
        return np.sum(np.linalg.cholesky(x) ** 2 * weight)

    one, stacked = cv.grad(total)(spd), cv.grad(total)(spd[None])[0]
    np.testing.assert_allclose(one, stacked, rtol=0, atol=abs(stacked).max() * (1e-12 if dtype is np.float64 else 1e-4))
    np.testing.assert_array_equal(one, one.T)
    assert one.dtype == dtype


@pytest.mark.parametrize("a", [TALL, WIDE, SQUARE, ZTALL, STACK], ids=["tall", "wide", "square", "complex", "stack"])
def test_pseudo_inverse_that_cuts_singular_values_off(a):
    limit = np.linalg.svd(a, compute_uv=False)
    limit = float((limit[..., 1] * limit[..., 2] / limit[..., 0] ** 2).max() ** 0.5)
    cv.testing.check_grads(lambda a: np.linalg.pinv(a, limit), (a,), order=2)
    if a.ndim == 2:
        cv.testing.check_grads(lambda a, b: np.linalg.lstsq(a, b, limit)[0], (a, a[:, 0] * 2 + 1), order=1)
    with pytest.raises(np.linalg.LinAlgError, match="cut off singular values"):
        cv.vmap(cv.grad(lambda a: np.abs(np.linalg.pinv(a, limit)).sum()))(a[None])


def test_factors_of_hermitian_matrices_are_numpys():
    a = Z + np.conj(Z).T
    for fun in (lambda a: np.linalg.eigh(a, "U"), lambda a: np.linalg.eigh(a, "L"),
                lambda a: np.linalg.svd(a * np.diag([1.0, 0.0, 0.0]), hermitian=True)):
        for found, want in zip(cv.vjp(fun, a)[0], fun(a)):
            np.testing.assert_allclose(found, want, atol=1e-14)


@pytest.mark.parametrize("a", [TALL, TALL.T.copy()], ids=["tall", "wide"])
def test_second_derivatives_by_the_vectors_of_the_matrix_do_not_ask_for_the_added_ones(a):
    k = min(a.shape)

    def size(a, full):
        u, s, vh = np.linalg.svd(a, full_matrices=full)
        q, r = np.linalg.qr(a if len(a) > k else a.T, mode="complete" if full else "reduced")
        return ((u[:, :k] ** 4 * s).sum() + (vh[:k] ** 4).sum() + (q[:, :k] ** 4).sum() + np.abs(r[:k]).sum() ** 2)

    want = cv.hessian(lambda a: size(a, False))(a)
    np.testing.assert_allclose(cv.hessian(lambda a: size(a, True))(a), want, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(cv.jacfwd(cv.grad(lambda a: size(a, True)))(a), want, rtol=1e-9, atol=1e-9)
