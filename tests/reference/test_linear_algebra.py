"""Linear algebra and Fourier transforms against JAX and PyTorch in double precision: values and gradients."""

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp

jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
torch = pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
pytestmark = pytest.mark.reference

RNG = np.random.default_rng(29)
A = RNG.normal(size=(4, 4)) * 0.4 + np.diag([4.0, 3.0, 2.0, 1.0])
Z = A + 0.4j * RNG.normal(size=(4, 4))
TALL = RNG.normal(size=(5, 3))
ZTALL = TALL + 1j * RNG.normal(size=(5, 3))
STACK = A + 0.2 * RNG.normal(size=(2, 3, 4, 4))
LOW = np.outer(TALL[:, 0], TALL[:3, 1]) + np.outer(TALL[:, 1], TALL[:3, 2])  # of rank 2
RANK_ONE = np.outer(A[0], A[1])


def weigh(xp, *parts):
    """One real number out of all parts."""
    total = 0.0
    for y in parts:
        w = np.linspace(0.5, 1.5, int(np.prod(y.shape))).reshape(tuple(y.shape))
        w = torch.as_tensor(w) if xp is torch else w
        total = total + (w * (y.real + 0.3 * y.imag if y.dtype in COMPLEX else y)).sum()
    return total


COMPLEX = (np.dtype(np.complex128), torch.complex128)


def hermitian(a):
    return a + a.mT.conj()


# name -> (function of the linalg namespace and a matrix, with the same text in each library; matrices)
FUNCTIONS = {
    "svd": (lambda la, a: (la.svd(a, full_matrices=False)[1], abs(la.svd(a, full_matrices=False)[0]) ** 2),
            (A, Z, TALL, STACK)),
    "svd product": (lambda la, a: (lambda u, s, vh: (u @ vh,))(*la.svd(a, full_matrices=False)), (A, Z, TALL, ZTALL)),
    "svd wide": (lambda la, a: (abs(la.svd(a.mT, full_matrices=False)[2]),),
                 (TALL, ZTALL)),
    "svdvals": (lambda la, a: (la.svdvals(a),), (A, Z, TALL, STACK)),
    "pinv": (lambda la, a: (la.pinv(a),), (A, Z, TALL, ZTALL, STACK)),
    "eigh": (lambda la, a: (la.eigh(hermitian(a))[0], abs(la.eigh(hermitian(a))[1]) ** 2), (A, Z, STACK)),
    "eigvalsh": (lambda la, a: (la.eigvalsh(hermitian(a)),), (A, Z, STACK)),
    "eig": (lambda la, a: (la.eig(a)[0] ** 2, abs(la.eig(a)[1]) ** 2), (Z, A)),
    "eigvals": (lambda la, a: (la.eigvals(a) ** 2,), (Z, A)),
    "qr": (lambda la, a: tuple(la.qr(a)), (A, TALL, STACK)),
    "norm 2": (lambda la, a: (la.matrix_norm(a, ord=2), la.matrix_norm(a, ord=-2)), (A, Z, TALL, STACK)),
    "norm nuc": (lambda la, a: (la.matrix_norm(a, ord="nuc"),), (A, Z, TALL, STACK)),
    "cond": (lambda la, a: (la.cond(a), la.cond(a, -2)), (A, TALL, STACK)),
    "cond 1": (lambda la, a: (la.cond(a, 1),), (A, STACK)),
    "det": (lambda la, a: (la.det(a),), (A, Z, STACK, RANK_ONE[:2, :2], RANK_ONE[:3, :3] + np.diag([0, 0, 1.0]))),
    "slogdet": (lambda la, a: tuple(la.slogdet(a)), (A, Z, STACK)),
    "matrix_power": (lambda la, a: (la.matrix_power(a, 3), la.matrix_power(a, -2)), (A, Z, STACK)),
    "multi_dot": (lambda la, a: (la.multi_dot([a, hermitian(a), a]),), (A, Z)),
    "cross": (lambda la, a: (la.cross(a, a * a),), (TALL, ZTALL)),
    "inv": (lambda la, a: (la.inv(a),), (A, Z, STACK)),
    "cholesky": (lambda la, a: (la.cholesky(hermitian(a @ a + 20 * a)),), (A @ A.T,)),
}  # fmt: skip
CASES = [(name, k) for name, (_, matrices) in FUNCTIONS.items() for k in range(len(matrices))]
# JAX differentiates no eigenvectors of general matrices, and det of singular ones by a formula for invertible ones.
JAX_LACKS = {("det", 3), ("det", 4), ("eig", 0), ("eig", 1)}


def ours(name, a):
    return cv.value_and_grad(lambda a: weigh(cnp, *FUNCTIONS[name][0](cnp.linalg, a)), conjugate=True)(a)


@pytest.mark.parametrize(("name", "k"), [case for case in CASES if case[0] != "cond 1"])  # torch spoils its own inverse
def test_gradient_and_its_gradient_are_those_of_torch(name, k):
    fun, matrices = FUNCTIONS[name]
    a = matrices[k]
    value, gradient = ours(name, a)
    t = torch.tensor(a, requires_grad=True)
    loss = weigh(torch, *fun(torch.linalg, t))
    (want,) = torch.autograd.grad(loss, t, create_graph=True)
    np.testing.assert_allclose(value, loss.item(), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(gradient, want.detach(), rtol=1e-8, atol=1e-9)
    again = cv.grad(lambda a: weigh(cnp, ours(name, a)[1]), conjugate=True)(a)
    (second,) = torch.autograd.grad(weigh(torch, want), t)
    np.testing.assert_allclose(again, second, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("name", "k"), [case for case in CASES if case not in JAX_LACKS])
def test_gradient_is_that_of_jax(name, k):
    fun, matrices = FUNCTIONS[name]
    a = matrices[k]
    value, gradient = cv.value_and_grad(lambda a: weigh(cnp, *fun(cnp.linalg, a)))(a)
    want, slope = jax.value_and_grad(lambda a: weigh(jnp, *fun(jnp.linalg, a)))(a)
    np.testing.assert_allclose(value, want, rtol=1e-9)
    np.testing.assert_allclose(gradient, slope, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("matrix", [TALL, LOW, TALL.T.copy(), A, LOW.T.copy()])
def test_least_squares_against_jax_and_torch(matrix):
    b = RNG.normal(size=(matrix.shape[0], 2))

    def f(la, a, b):
        return weigh(None, la.lstsq(a, b, rcond=1e-10)[0])

    got = cv.grad(lambda a, b: f(cnp.linalg, a, b), (0, 1))(matrix, b)
    want = jax.grad(lambda a, b: f(jnp.linalg, a, b), (0, 1))(matrix, b)
    for mine, theirs in zip(got, want):
        np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-9)
    t, u = torch.tensor(matrix, requires_grad=True), torch.tensor(b, requires_grad=True)
    weigh(torch, torch.linalg.pinv(t, rtol=1e-10) @ u).backward()
    np.testing.assert_allclose(got[0], t.grad, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(got[1], u.grad, rtol=1e-8, atol=1e-9)


TRANSFORMS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn",
              "rfftn", "irfftn")
SIGNALS = (RNG.normal(size=(3, 4, 5)), RNG.normal(size=(3, 4, 5)) + 1j * RNG.normal(size=(3, 4, 5)))


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transform_and_its_adjoint_are_those_of_torch_and_jax(name, norm):
    real = name in ("rfft", "ihfft", "rfft2", "rfftn")
    single = name in TRANSFORMS[:6]
    for x in SIGNALS[:1] if real else SIGNALS:
        for size in (None, 3, 6, 7):
            s = size if single or size is None else (2, size)
            place = {"axis": 1} if single else {"axes": (0, 1)}
            given = {"norm": norm, **({} if s is None else {"n" if single else "s": s})}

            def f(library, x, **options):
                y = getattr(library.fft, name)(x, **options)
                return weigh(torch if library is torch else None, abs(y) ** 2 if y.dtype in COMPLEX else y**2, y)

            value, gradient = cv.value_and_grad(lambda x: f(np, x, **given, **place))(x)
            want, slope = jax.value_and_grad(lambda x: f(jnp, x, **given, **place))(x)
            np.testing.assert_allclose(value, want, rtol=1e-10)
            np.testing.assert_allclose(gradient, slope, rtol=1e-9, atol=1e-10)
            t = torch.tensor(x, requires_grad=True)
            f(torch, t, **given, dim=next(iter(place.values()))).backward()
            np.testing.assert_allclose(np.conj(gradient), t.grad, rtol=1e-9, atol=1e-10)
