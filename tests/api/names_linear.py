"""The names of `linalg` and `fft`: the calls by which they are compared with NumPy."""

import numpy as np

MATRICES = ((3, 3), (2, 2, 2), (1, 1), (0, 0), (0, 2, 2))
RECTANGLES = ((3, 2), (2, 3), (2, 3, 2), (3, 3))


def fill(t):
    """Add the cases of `linalg` and `fft` to the table `t`."""
    _linear(t, t.calls, t.draw)
    _fourier(t.calls, t.draw)


def hermitian(xp, a):
    return (a + xp.conj(xp.swapaxes(a, -1, -2))) / 2


def _square(draw, kind, shape):
    """A matrix of distinct eigenvalues, far from singular."""
    x = draw(kind, shape)
    return x if kind in "i?" else (x + np.diag(np.arange(2.0, 2.0 + shape[-1]))).astype(kind)


def _linear(t, calls, draw):
    def each(name, fun, shapes=MATRICES, kinds="dDfi", smooth=True):
        for shape in shapes:
            for kind in kinds:
                calls(f"linalg.{name}", fun, args=(_square(draw, kind, shape) if shapes is MATRICES else draw(
                    kind, shape),), smooth=smooth)

    for name in ("inv", "det", "svdvals", "matrix_rank", "slogdet"):
        each(name, lambda xp, a, n=name: getattr(xp.linalg, n)(a))
    each("cond", lambda xp, a: xp.linalg.cond(a), kinds="dDf")
    each("eigvals", lambda xp, a: xp.linalg.eigvals(a), kinds="DF")
    each("eig", lambda xp, a: xp.linalg.eig(a)[0], kinds="DF")
    t.NOTES["linalg.eig"] = t.NOTES["linalg.eigvals"] = (
        "for a real matrix NumPy up to 2.4 returns real eigenvalues if all are; when batched or staged this is not "
        "known, and they are complex")
    each("eigvalsh", lambda xp, a: xp.linalg.eigvalsh(hermitian(xp, a)), kinds="dDf")
    each("eigh", lambda xp, a: xp.linalg.eigh(hermitian(xp, a))[0], kinds="dDf")
    each("cholesky", lambda xp, a: xp.linalg.cholesky(
        a @ xp.conj(xp.swapaxes(a, -1, -2)) + np.eye(a.shape[-1], dtype=a.dtype)), kinds="dDf")
    for power in (0, 1, 3, -2):
        each("matrix_power", lambda xp, a, p=power: xp.linalg.matrix_power(a, p), kinds="dDf")
    for shape in ((3,), (3, 2), (2, 3, 2)):
        for kind in "dDf":
            calls("linalg.solve", lambda xp, a, b: xp.linalg.solve(a, b),
                  args=(_square(draw, kind, (3, 3)), draw(kind, shape)))
    for shape in RECTANGLES:
        for kind in "dDf":
            a = draw(kind, shape)
            calls("linalg.svd", lambda xp, a: xp.linalg.svd(a, compute_uv=False),
                  lambda xp, a: (lambda u, s, v: (u * s[..., None, :]) @ v)(*xp.linalg.svd(a, full_matrices=False)),
                  args=(a,))
            calls("linalg.qr", *[lambda xp, a, m=mode: xp.linalg.qr(a, mode=m) for mode in ("reduced", "r")],
                  args=(a,))
            calls("linalg.pinv", lambda xp, a: xp.linalg.pinv(a), lambda xp, a: xp.linalg.pinv(a, rcond=1e-6),
                  args=(a,))
            for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
                calls("linalg.norm", lambda xp, a, o=order: xp.linalg.norm(a, o, axis=(-2, -1)),
                      lambda xp, a, o=order: xp.linalg.norm(a, o if o not in ("fro", "nuc") else 3, axis=0), args=(a,))
                if order is not None:
                    calls("linalg.matrix_norm", lambda xp, a, o=order: xp.linalg.matrix_norm(a, ord=o, keepdims=True),
                          args=(a,))
            for order in (0, 0.5, 1, 2, 3, np.inf, -np.inf):
                calls("linalg.vector_norm", lambda xp, a, o=order: xp.linalg.vector_norm(a, ord=o, axis=-1), args=(a,))
            for name in ("diagonal", "trace", "matrix_transpose"):
                calls(f"linalg.{name}", lambda xp, a, n=name: getattr(xp.linalg, n)(a), args=(a,))
            if len(shape) == 2:
                calls("linalg.lstsq", lambda xp, a, b: xp.linalg.lstsq(a, b)[0], args=(a, draw(kind, shape[:1])))
    x, y, v = draw("d", (2, 3)), draw("d", (3, 4)), draw("d", (3,))
    for kind in "dDfi":
        pair = (draw(kind, (2, 3)), draw(kind, (3, 2)))
        calls("linalg.matmul", lambda xp, a, b: xp.linalg.matmul(a, b), args=pair)
        calls("linalg.tensordot", lambda xp, a, b: xp.linalg.tensordot(a, b, axes=1), args=pair)
        pair = (draw(kind, (2, 3)), draw(kind, (3,), 0.5, 2.0))
        calls("linalg.cross", lambda xp, a, b: xp.linalg.cross(a, b), args=pair)
        calls("linalg.vecdot", lambda xp, a, b: xp.linalg.vecdot(a, b), args=pair)
        calls("linalg.outer", lambda xp, a, b: xp.linalg.outer(a, b), args=(pair[1], pair[1][:2]))
    calls("linalg.multi_dot", lambda xp, a, b, c: xp.linalg.multi_dot([a, b, b.T, c]), args=(x, y, v))
    calls("linalg.tensorinv", lambda xp, a: xp.linalg.tensorinv(a + np.eye(6).reshape(2, 3, 6)),
          args=(draw("d", (2, 3, 6)),))
    calls("linalg.tensorsolve", lambda xp, a, b: xp.linalg.tensorsolve(a + np.eye(6).reshape(2, 3, 6), b),
          args=(draw("d", (2, 3, 6)), x))


def _fourier(calls, draw):
    for name in "fft ifft hfft irfft".split():
        for kind in "dDFfi":
            for option in ({}, {"n": 3}, {"n": 6, "norm": "ortho"}, {"axis": 0, "norm": "forward"}):
                calls(f"fft.{name}", lambda xp, x, n=name, o=option: getattr(xp.fft, n)(x, **o),
                      args=(draw(kind, (2, 4)),))
    for name in "rfft ihfft".split():
        for kind in "dfi":
            for option in ({}, {"n": 3}, {"n": 6, "norm": "ortho"}, {"axis": 0, "norm": "forward"}):
                calls(f"fft.{name}", lambda xp, x, n=name, o=option: getattr(xp.fft, n)(x, **o),
                      args=(draw(kind, (2, 4)),))
    for name in "fft2 ifft2 fftn ifftn irfft2 irfftn rfft2 rfftn".split():
        for kind in "dDf" if name[0] != "r" else "df":
            for option in ({}, {"s": (3, 2), "axes": (0, 1)}, {"axes": (0, 1), "norm": "ortho"}):
                calls(f"fft.{name}", lambda xp, x, n=name, o=option: getattr(xp.fft, n)(x, **o),
                      args=(draw(kind, (2, 3, 4)),))
    for name in ("fftshift", "ifftshift"):
        for kind in "dDi":
            calls(f"fft.{name}", lambda xp, x, n=name: getattr(xp.fft, n)(x),
                  lambda xp, x, n=name: getattr(xp.fft, n)(x, axes=0), args=(draw(kind, (3, 4)),))
    for name in ("fftfreq", "rfftfreq"):
        calls(f"fft.{name}", lambda xp, n=name: getattr(xp.fft, n)(7, 0.5))
