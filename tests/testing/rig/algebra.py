"""Operations of random programs of linear algebra and spectra, real and complex, on matrices kept well conditioned."""

from typing import Any

import numpy as np

from rig.operations import Library, Operation, binary, no_parameters, one_of, unary

PAIRS = ("ij,jk->ik", "ij,ij->i", "i,j->ij", "ij,j->i", "ij,kj->ki", "i,i->", "ij,ij", "...j,...j->...", "ij,ki->jk")
ALONE = ("ii->i", "ii", "ij->ji", "...i->...", "ij->", "...ij->...ji")


def _gram(np: Any, x: Any) -> Any:
    """A Hermitian matrix with eigenvalues in [0, 1)."""
    if x.ndim < 2:
        raise ValueError("a matrix has two axes")
    product = np.swapaxes(np.conj(x), -1, -2) @ x
    return product / (1.0 + np.sum(np.real(x * np.conj(x))))


def _definite(np: Any, x: Any) -> Any:
    return _gram(np, x) + 0.5 * np.eye(x.shape[-1])


def _general(np: Any, x: Any) -> Any:
    """A matrix whose singular values lie between 1 and 3."""
    return np.roll(_gram(np, x), 1, -1) + 2.0 * np.eye(x.shape[-1])


def _apart(np: Any, x: Any) -> Any:
    """A Hermitian matrix whose eigenvalues differ by 1 or more."""
    return _gram(np, x) + np.diag(np.arange(x.shape[-1]) * 2.0)


def _tall(np: Any, x: Any) -> Any:
    """A matrix with no more columns than rows, whose singular values differ by 1 or more, and are 2 or more."""
    x = np.swapaxes(x, -1, -2) if x.shape[-2] < x.shape[-1] else x
    rows, columns = x.shape[-2:]
    return x / (1.0 + np.sum(np.real(x * np.conj(x)))) + 3.0 * np.eye(rows, columns) * np.arange(1.0, columns + 1)


def _solve(np: Any, x: Any, y: Any) -> Any:
    if y.ndim < 2:
        raise ValueError("columns of right-hand sides")
    return np.linalg.solve(_general(np, x), y)


def _eigenvectors(np: Any, x: Any) -> Any:
    """A function of the matrix: the phases of the eigenvectors cancel."""
    values, vectors = np.linalg.eigh(_apart(np, x))
    return (vectors * np.sin(values)[..., None, :]) @ np.swapaxes(np.conj(vectors), -1, -2)


def _singular_vectors(np: Any, x: Any) -> Any:
    u, s, vh = np.linalg.svd(_tall(np, x), full_matrices=False)
    return (u * np.cos(s)[..., None, :]) @ vh


def _logdet(np: Any, x: Any) -> Any:
    sign, log = np.linalg.slogdet(_general(np, x))
    return sign * (1.0 + log)


def _transform(name: str, **facts: Any) -> Operation:
    """A Fourier transform along one axis, with each normalization, padded or cut."""
    def draw(rng: np.random.Generator) -> tuple:
        return ([None, 4, 2, 5][rng.integers(4)], int(rng.integers(-2, 1)), ["backward", "ortho"][rng.integers(2)])

    def fun(lib: Library, x: Any, n: int | None, axis: int, norm: str) -> Any:
        if not x.shape[axis]:
            raise ValueError("NumPy's irfft of no points reads memory that nobody has written")
        return getattr(lib.np.fft, name)(x, n, axis, norm)

    return Operation(1, draw, fun, **facts)


def _planes(name: str, **facts: Any) -> Operation:
    """A Fourier transform along two axes or all, with each normalization."""
    def fun(lib: Library, x: Any, norm: str) -> Any:
        if x.ndim == 0:
            raise ValueError("over no axes NumPy returns a real array as it is, JAX a complex one")
        return getattr(lib.np.fft, name)(x, norm=norm)

    return Operation(1, one_of("backward", "ortho", "forward"), fun, **facts)


def _folded(name: str) -> Operation:
    def fun(lib: Library, x: Any, y: Any, mode: str) -> Any:
        if x.ndim != 1 or y.ndim != 1:
            raise ValueError("NumPy takes 0-d arrays for one element, JAX does not")
        return getattr(lib.np, name)(x, y, mode=mode)

    return Operation(2, one_of("full", "same", "valid"), fun)


def _einsum_of_one(lib: Library, x: Any, subscripts: str) -> Any:
    if not x.size:
        raise ValueError("the diagonal of none has any number of columns in NumPy")
    return lib.np.einsum(subscripts, x)


ALGEBRA = {
    "matmul": binary(lambda np, x, y: np.matmul(x, y), complex_too=True),
    "dot": binary(lambda np, x, y: np.dot(x, y), complex_too=True),
    "inner": binary(lambda np, x, y: np.inner(x, y)), "vdot": binary(lambda np, x, y: np.vdot(x, y), complex_too=True),
    "vecdot": binary(lambda np, x, y: np.vecdot(x, y), complex_too=True),
    "outer": binary(lambda np, x, y: np.reshape(x, (-1, 1)) * np.reshape(y, (1, -1))),
    "kron": binary(lambda np, x, y: np.kron(x, y)), "cross": binary(lambda np, x, y: np.cross(x, y)),
    "tensordot": Operation(2, one_of(1, 2, ((0,), (1,))), lambda lib, x, y, axes: lib.np.tensordot(x, y, axes=axes),
                           complex_too=True),
    "einsum": Operation(2, one_of(*PAIRS), lambda lib, x, y, subscripts: lib.np.einsum(subscripts, x, y),
                        complex_too=True),
    "einsum_of_one": Operation(1, one_of(*ALONE), _einsum_of_one, complex_too=True),
    "einsum_of_three": Operation(2, one_of("ij,jk,kl->il", "ij,ij,kj->k"), lambda lib, x, y, subscripts: lib.np.einsum(
        subscripts, x, y, lib.np.sin(x))),
    "trace": unary(lambda np, x: np.trace(x), complex_too=True),
    "multi_dot": binary(lambda np, x, y: np.linalg.multi_dot([x, y, np.sin(x)])),
    "matrix_power": Operation(1, one_of(-1, 2, 3), lambda lib, x, n: lib.np.linalg.matrix_power(
        _general(lib.np, x), n)),
    "solve": binary(_solve, complex_too=True), "inv": unary(lambda np, x: np.linalg.inv(_general(np, x)),
                                                            complex_too=True),
    "pinv": unary(lambda np, x: np.linalg.pinv(_tall(np, x))),
    "det": unary(lambda np, x: np.linalg.det(_general(np, x)) * 0.1, complex_too=True),
    "slogdet": unary(_logdet, complex_too=True),
    "cholesky": unary(lambda np, x: np.linalg.cholesky(_definite(np, x)), complex_too=True),
    "qr_q": unary(lambda np, x: np.linalg.qr(_tall(np, x))[0], complex_too=True),
    "qr_r": unary(lambda np, x: np.linalg.qr(_tall(np, x))[1], complex_too=True),
    "eigvalsh": unary(lambda np, x: np.linalg.eigvalsh(_apart(np, x)), complex_too=True),
    "eigh": unary(_eigenvectors, complex_too=True), "svd": unary(_singular_vectors, complex_too=True),
    "svdvals": unary(lambda np, x: np.linalg.svdvals(_tall(np, x)), complex_too=True),
    "nuclear_norm": unary(lambda np, x: np.linalg.norm(_tall(np, x), "nuc", axis=(-2, -1))),
    "spectral_norm": unary(lambda np, x: np.linalg.norm(_tall(np, x), 2, axis=(-2, -1))),
    "fft": _transform("fft", complex_too=True), "ifft": _transform("ifft", complex_too=True),
    "rfft": _transform("rfft"), "irfft": _transform("irfft", complex_too=True),
    "hfft": _transform("hfft", complex_too=True), "ihfft": _transform("ihfft"),
    "fft2": _planes("fft2", complex_too=True), "ifft2": _planes("ifft2", complex_too=True),
    "rfft2": _planes("rfft2"), "irfft2": _planes("irfft2", complex_too=True),
    "fftn": _planes("fftn", complex_too=True), "ifftn": _planes("ifftn", complex_too=True),
    "fftshift": Operation(1, one_of("fftshift", "ifftshift"), lambda lib, x, name: getattr(lib.np.fft, name)(x),
                          complex_too=True),
    "filtered": Operation(2, no_parameters, lambda lib, x, y: lib.np.real(lib.np.fft.ifft(
        lib.np.fft.fft(x) * lib.np.fft.fft(y)))),
    "convolve": _folded("convolve"), "correlate": _folded("correlate"),
}  # fmt: skip
