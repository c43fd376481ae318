"""Matrix equations and decompositions, over any leading axes: solve, inv, cholesky, qr, eigh, slogdet, det."""

import numpy as np

from ..avals import make_aval
from ..device import constant
from ..dtypes import float_dtype, real_dtype, result_dtype
from ..errors import ShapeError, at_user_line
from ..families import broadcast_shape, primitive
from .linalg import matmul
from .samples import Sample, together
from .selection import where
from .shaping import conjugate, imag, real


def adjoint(x):
    """The conjugate transpose of matrices."""
    x = x.swapaxes(-1, -2)
    return conjugate(x) if x.dtype.kind == "c" else x


def hermitian(x):
    """The Hermitian part of matrices."""
    return (x + adjoint(x)) * 0.5


def check_square(x, name):
    """Raise unless `x` holds square matrices."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"{name} needs square matrices (..., n, n), but got shape {x.shape}{at_user_line()}")


def _square_aval(x, name):
    check_square(x, name)
    return make_aval(x.shape, float_dtype(x.dtype))


def _eye(x):
    return constant(np.eye(x.shape[-1], dtype=x.dtype), x)


def _lift(x, rank):
    """New axes behind the batch axis, up to `rank`."""
    return x if x.ndim >= rank else x.reshape((x.shape[0],) + (1,) * (rank - x.ndim) + tuple(x.shape[1:]))


def _matrices(*shapes, spread=0.3, shift=2.0, positive=False):
    """Samples with well conditioned square matrices, real, float32 and complex."""

    def samples(rng):
        out = []
        for shape in shapes:
            for c, dtype in ((0.0, "f8"), (0.0, "f4"), (1j, "c16")):
                a = spread * (rng.normal(size=shape) + c * rng.normal(size=shape)) + shift * np.eye(shape[-1])
                if positive:
                    a = a @ a.conj().swapaxes(-1, -2) + np.diag(np.arange(shape[-1]))
                out.append((a * 1.0).astype(dtype))
        return out

    return samples


def _solve_shape(a, b):
    check_square(a, "solve")
    if b.ndim < 2 or b.shape[-2] != a.shape[-1]:
        raise ShapeError(f"solve needs b of shape (..., {a.shape[-1]}, k) for a of shape {a.shape}, "
                         f"but got {b.shape}{at_user_line()}")
    lead = broadcast_shape("solve", [a.shape[:-2], b.shape[:-2]])
    return make_aval((*lead, *b.shape[-2:]), float_dtype(result_dtype(a, b)))


def _solve_vjp(ct, a, ans):
    """Giles (2008), section 2.2.5: b̄ = a⁻ᴴ c̄, ā = -b̄ xᴴ."""
    b = solve(adjoint(a), ct)
    return -matmul(b, adjoint(ans)), b


def _solve_batch(a, b, batched):
    if not batched[0] and a.ndim == 2 and b.ndim == 3:  # one factorization for all examples
        size, n, k = b.shape
        return solve(a, b.transpose(1, 0, 2).reshape((n, size * k))).reshape((n, size, k)).transpose(1, 0, 2)
    if batched[0] and batched[1]:
        rank = max(a.ndim, b.ndim)
        return solve(_lift(a, rank), _lift(b, rank))
    if batched[0]:
        return solve(_lift(a, b.ndim + 1), b)
    return solve(a, _lift(b, a.ndim + 1))


solve = primitive(
    "solve",  # a: (..., n, n), b: (..., n, k)
    impl=lambda xp, a, b: xp.linalg.solve(a, b),
    shape=_solve_shape,
    jvp={"a": lambda da, a, ans: -solve(a, matmul(da, ans)), "b": lambda db, a: solve(a, db)},
    vjp={"a, b": _solve_vjp},
    batch=_solve_batch,
    linear=("b",),
    samples=lambda rng: [Sample(a, rng.normal(size=(*lead, a.shape[-1], 2)).astype(a.dtype), tol=1e-5)
                         for a in _matrices((3, 3), (2, 3, 3), (1, 1), (0, 2, 2))(rng) for lead in ((), a.shape[:-2])],
)
inv = primitive(
    "inv",  # derivative: Giles (2008), section 2.2.3
    impl=lambda xp, a: xp.linalg.inv(a),
    shape=lambda a: _square_aval(a, "inv"),
    jvp={"a": lambda da, ans: -matmul(ans, matmul(da, ans))},
    vjp={"a": lambda ct, ans: -matmul(adjoint(ans), matmul(ct, adjoint(ans)))},
    batch=lambda a: inv(a),
    samples=lambda rng: [Sample(a, tol=1e-5) for a in _matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))(rng)],
)


def _lower_half(x):
    """The lower triangle with half the diagonal: Φ of Murray (2016)."""
    n = x.shape[-1]
    return x * constant(np.tri(n, dtype=x.dtype) - 0.5 * np.eye(n, dtype=x.dtype), x)


def _cholesky_jvp(da, ans):
    """Murray (2016), equation 8: dL = L Φ(L⁻¹ dA L⁻ᴴ)."""
    inner = solve(ans, adjoint(solve(ans, hermitian(da))))
    return matmul(ans, _lower_half(inner))


def _cholesky_vjp(ct, ans):
    """Murray (2016), equation 10: the Hermitian part of L⁻ᴴ Φ(Lᴴ L̄) L⁻¹."""
    inner = _lower_half(matmul(adjoint(ans), ct))
    up = adjoint(ans)
    return hermitian(solve(up, adjoint(solve(up, adjoint(inner)))))


cholesky = primitive(
    "cholesky",  # of the Hermitian part of a; lower triangular
    impl=lambda xp, a: xp.linalg.cholesky((a + xp.conj(xp.swapaxes(a, -1, -2))) / 2),
    shape=lambda a: _square_aval(a, "cholesky"),
    jvp={"a": _cholesky_jvp},
    vjp={"a": _cholesky_vjp},
    batch=lambda a: cholesky(a),
    samples=lambda rng: [
        Sample(a, tol=1e-5) for a in _matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2), positive=True)(rng)
    ],
)


def _qr_shape(a):
    m, n = a.shape[-2:]
    dtype = float_dtype(a.dtype)
    return make_aval((*a.shape[:-2], m, n), dtype), make_aval((*a.shape[:-2], n, n), dtype)


def _qr_jvp(da, ans):
    """Walter and Lehmann (2018), section 4: with C = Qᴴ dA R⁻¹ and Ω skew, its strict lower triangle that of C,
    dQ = dA R⁻¹ - Q (C - Ω), dR = (C - Ω) R."""
    q, r = ans
    scaled = adjoint(solve(adjoint(r), adjoint(da)))
    c = matmul(adjoint(q), scaled)
    n = c.shape[-1]
    below = c * constant(np.tri(n, k=-1, dtype=c.dtype), c)
    skew = below - adjoint(below)
    if c.dtype.kind == "c":  # R has a real diagonal, so Q takes the imaginary part
        skew = skew + (c - adjoint(c)) * constant(0.5 * np.eye(n, dtype=c.dtype), c)
    up = c - skew
    return scaled - matmul(q, up), matmul(up, r)


def _qr_vjp(ct, ans):
    """The adjoint of `_qr_jvp`: with M = triu(R̄ Rᴴ - Qᴴ Q̄) and S = M + Mᴴ, its diagonal halved, (Q̄ + Q S) R⁻ᴴ."""
    q, r = ans
    ct_q, ct_r = ct
    m = None
    if ct_r is not None:
        m = matmul(ct_r, adjoint(r))
    if ct_q is not None:
        part = matmul(adjoint(q), ct_q)
        m = -part if m is None else m - part
    n = m.shape[-1]
    m = m * constant(np.tri(n, dtype=m.dtype).T, m)
    s = (m + adjoint(m)) * constant(1.0 - 0.5 * np.eye(n, dtype=real_dtype(m.dtype)), m)
    total = matmul(q, s)
    if ct_q is not None:
        total = total + ct_q
    return adjoint(solve(r, adjoint(total)))


def _qr_samples(rng):
    out = []
    for shape in ((3, 3), (4, 2), (2, 3, 2), (1, 1), (3, 1), (0, 3, 2)):
        a = rng.normal(size=shape)
        out += [Sample(a, tol=1e-5), Sample(a.astype(np.float32)), Sample(a + 1j * rng.normal(size=shape), tol=1e-5)]
    return out


qr = primitive(
    "qr",  # reduced, of a: (..., m, n) with m >= n and full column rank; wide matrices are composed from it
    impl=lambda xp, a: tuple(xp.linalg.qr(a)),
    outputs=2,
    accepts_none=True,
    shape=_qr_shape,
    jvp={"a": _qr_jvp},
    vjp={"a": _qr_vjp},
    batch=lambda a: qr(a),
    samples=_qr_samples,
)


def _eigh_shape(a):
    check_square(a, "eigh")
    dtype = float_dtype(a.dtype)
    return make_aval(a.shape[:-1], real_dtype(dtype)), make_aval(a.shape, dtype)


def _gaps(w):
    """1 / (w_j - w_i), and 0 where they are equal.

    Inside a repeated eigenvalue's space eigenvectors have no derivative. What does not depend on the basis chosen there
    needs none of these terms, so 0 makes it right, and finite.
    """
    gap = w[..., None, :] - w[..., :, None]
    same = gap == 0
    return where(same, 0.0, 1.0 / where(same, 1.0, gap))


def _diagonal(x):
    rows = constant(np.arange(x.shape[-1]), x)
    return x[..., rows, rows]


def _eigh_jvp(da, ans):
    """Giles (2008), section 2.3.1, and Magnus (1985): dw = diag(Vᴴ dA V), dV = V (F ∘ Vᴴ dA V)."""
    w, v = ans
    inner = matmul(adjoint(v), matmul(hermitian(da), v))
    dw = _diagonal(inner)
    return real(dw) if dw.dtype.kind == "c" else dw, matmul(v, inner * _gaps(w))


def _eigh_vjp(ct, ans):
    """The adjoint: Hermitian part of V (diag(w̄) + F ∘ Vᴴ V̄) Vᴴ."""
    w, v = ans
    ct_w, ct_v = ct
    if ct_v is None:
        return hermitian(matmul(v * ct_w[..., None, :], adjoint(v)))
    inner = matmul(adjoint(v), ct_v) * _gaps(w)
    if ct_w is not None:
        inner = inner + ct_w[..., None, :] * constant(np.eye(w.shape[-1], dtype=w.dtype), w)
    return hermitian(matmul(v, matmul(inner, adjoint(v))))


def _projectors(w, v):
    """What of the eigenvectors does not depend on their signs and phases."""
    return w, v[..., :, None, :] * (conjugate(v) if v.dtype.kind == "c" else v)[..., None, :, :]


def _eigh_samples(rng):
    out = [Sample(a, tol=1e-5, gauge=_projectors) for a in
           _matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2), positive=True)(rng)]
    return [*out, Sample(np.diag([1.0, 2.0, 2.0]), smooth=False, orders=1, gauge=lambda w, v: (w,))]


eigh = primitive(
    "eigh",  # (eigenvalues in ascending order, eigenvectors) of the Hermitian part of a
    impl=lambda xp, a: tuple(xp.linalg.eigh((a + xp.conj(xp.swapaxes(a, -1, -2))) / 2)),
    outputs=2,
    accepts_none=True,
    shape=_eigh_shape,
    jvp={"a": _eigh_jvp},
    vjp={"a": _eigh_vjp},
    batch=lambda a: eigh(a),
    samples=_eigh_samples,
)


def _corner(x):
    """One number for each matrix, with the axes of a matrix."""
    return x[..., None, None] if getattr(x, "ndim", 0) else x


def _slogdet_shape(a):
    check_square(a, "slogdet")
    dtype = float_dtype(a.dtype)
    return make_aval(a.shape[:-2], dtype), make_aval(a.shape[:-2], real_dtype(dtype))


def _slogdet_jvp(da, a, ans):
    """Giles (2008), section 2.2.4: d log det = tr(A⁻¹ dA); its imaginary part turns the sign of a complex one."""
    t = _diagonal(solve(a, da)).sum(axis=-1)
    if t.dtype.kind != "c":
        return 0.0 * t, t
    return ans[0] * (1j * imag(t)), real(t)


def _slogdet_vjp(ct, a, ans):
    ct_sign, ct_log = ct
    if a.dtype.kind != "c":
        scale = 0.0 * ct_sign if ct_log is None else ct_log
    else:
        scale = 0.0 if ct_log is None else ct_log
        if ct_sign is not None:
            scale = scale + 1j * imag(conjugate(ans[0]) * ct_sign)
    return _corner(scale) * adjoint(inv(a))


slogdet = primitive(
    "slogdet",  # (sign, log of the absolute determinant); singular matrices raise in the derivative
    impl=lambda xp, a: tuple(xp.linalg.slogdet(a)),
    outputs=2,
    accepts_none=True,
    shape=_slogdet_shape,
    jvp={"a": _slogdet_jvp},
    vjp={"a": _slogdet_vjp},
    batch=lambda a: slogdet(a),
    samples=lambda rng: [Sample(a, tol=1e-5) for a in _matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))(rng)],
)


def _adjugate(xp, a):
    """The adjugate by the singular value decomposition, so that singular matrices have theirs, too."""
    n = a.shape[-1]
    u, s, vh = xp.linalg.svd(a)
    others = xp.stack([xp.prod(xp.delete(s, k, axis=-1), axis=-1) for k in range(n)], axis=-1) if n else s
    phase = xp.linalg.det(u) * xp.linalg.det(vh)
    right = xp.conj(xp.swapaxes(vh, -1, -2)) * (phase[..., None] * others)[..., None, :]
    return xp.matmul(right, xp.conj(xp.swapaxes(u, -1, -2))).astype(a.dtype)


def _adjugate_jvp(da, a, ans):
    """adj(A) = det(A) A⁻¹, so d adj = (tr(adj dA) - adj dA) A⁻¹; needs an invertible matrix."""
    inner = matmul(ans, da)
    trace = _diagonal(inner).sum(axis=-1)[..., None, None]
    return matmul(trace * _eye(inner) - inner, inv(a))


def _adjugate_vjp(ct, a, ans):
    right = matmul(ct, adjoint(inv(a)))
    trace = _diagonal(right).sum(axis=-1)[..., None, None]
    return matmul(adjoint(ans), trace * _eye(right) - right)


adjugate = primitive(
    "adjugate",
    impl=_adjugate,
    shape=lambda a: _square_aval(a, "adjugate"),
    jvp={"a": _adjugate_jvp},
    vjp={"a": _adjugate_vjp},
    batch=lambda a: adjugate(a),
    samples=lambda rng: [Sample(a, tol=1e-5) for a in _matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))(rng)],
)
det = primitive(
    "det",  # Jacobi's formula, d det = tr(adj(A) dA): finite at singular matrices, where det · A⁻¹ is not
    impl=lambda xp, a: xp.linalg.det(a),
    shape=lambda a: make_aval(a.shape[:-2], _square_aval(a, "det").dtype),
    jvp={"a": lambda da, a: _diagonal(matmul(adjugate(a), da)).sum(axis=-1)},
    vjp={"a": lambda ct, a: _corner(ct) * adjoint(adjugate(a))},
    batch=lambda a: det(a),
    samples=together(
        lambda rng: [Sample(a, tol=1e-5) for a in _matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))(rng)],
        lambda rng: [Sample(np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0]) + np.diag([0.0, 0.0, 1.0]), orders=1),
                     Sample(np.zeros((2, 2)), orders=1)],
    ),
)
