"""Fourier transforms, singular values, eigenvalues, least squares: values, dtypes and derivatives as in PyTorch."""

import numpy as np

from harness import table

rng = np.random.default_rng(5)
V, A, C3 = rng.normal(size=7), rng.normal(size=(3, 4)), rng.normal(size=(2, 3, 4))
Z = A + 1j * rng.normal(size=(3, 4))
S = rng.normal(size=(3, 3)) + np.diag([1.0, 2.0, 4.0])
TALL, B = rng.normal(size=(4, 2)), rng.normal(size=(4, 3))
NOFORWARD = {"forward": False, "vmap": False}


def T(name, *args, **named):
    """A call of `torch.fft.name(x, …)`."""
    return lambda m, x: getattr(m.fft, name)(x, *args, **named)


CALLS = [
    *[
        (f"{n} {k}", T(n, norm=k), V)
        for n in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
        for k in ("ortho", "forward", "backward")
    ],
    *[(f"{n} complex", T(n, 6, 0), Z) for n in ("fft", "ifft", "irfft", "hfft")],
    *[(n, T(n, norm="ortho"), A) for n in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")],
    *[(n, T(n), C3, {"forward": False}) for n in ("hfft2", "ihfft2", "hfftn", "ihfftn")],
    *[(f"{n} sizes", T(n, s=(2, 5), dim=(0, 2)), C3) for n in ("fftn", "ifftn", "rfftn", "irfftn")],
    ("fftshift", T("fftshift", 1), A),
    ("ifftshift", T("ifftshift"), A),
    (
        "stft",
        lambda m, x, w: m.stft(x, 4, window=w, return_complex=True),
        rng.normal(size=12),
        rng.uniform(0.5, 1, 4),
        NOFORWARD,
    ),
    (
        "stft hop",
        lambda m, x: m.stft(x, 6, 2, 5, return_complex=True, normalized=True, onesided=False, center=False),
        rng.normal(size=(2, 12)),
        NOFORWARD,
    ),
    (
        "istft",
        lambda m, x, w: m.istft(m.stft(x, 4, window=w.detach(), return_complex=True), 4, window=w.detach()),
        rng.normal(size=12),
        rng.uniform(0.5, 1, 4),
        {**NOFORWARD, "orders": 1},
    ),
    (
        "istft length",
        lambda m, x: m.istft(m.stft(x, 4, return_complex=True), 4, length=11),
        rng.normal(size=(2, 12)),
        NOFORWARD,
    ),
    ("svdvals", lambda m, x: m.linalg.svdvals(x), A),
    ("svd", lambda m, x: (lambda u, s, v: (u[..., :1] @ v[..., :1, :], s))(*m.linalg.svd(x, full_matrices=False)), A),
    ("legacy svd", lambda m, x: (lambda u, s, v: (u[..., :1] @ v[..., :1].mT, s))(*m.svd(x)), A),
    ("svdvals complex", lambda m, x: m.linalg.svdvals(x), Z),
    ("pinv", lambda m, x: m.linalg.pinv(x), TALL),
    ("pinv wide", lambda m, x: m.linalg.pinv(x), A),
    ("pinverse", lambda m, x: m.pinverse(x), TALL),
    ("pinv hermitian", lambda m, x: m.linalg.pinv(x + x.mT, hermitian=True), S, {"orders": 1}),
    ("eigvals", lambda m, x: m.linalg.eigvals(x).abs().sort()[0], S, {"vmap": False, "orders": 1}),
    (
        "eig",
        lambda m, x: (lambda w, v: (v @ m.diag_embed(w**2) @ m.linalg.inv(v)).real)(*m.linalg.eig(x)),
        S,
        {"vmap": False, "orders": 1},
    ),
    ("lstsq", lambda m, x, y: m.linalg.lstsq(x, y).solution, TALL, B, {"vmap": False}),
    ("lstsq wide", lambda m, x, y: m.linalg.lstsq(x, y).solution, A, B[:3].copy(), {"vmap": False}),
    ("matrix_rank", lambda m, x: m.linalg.matrix_rank(x), C3, {"orders": 0, "forward": False}),
    ("cond", lambda m, x: m.linalg.cond(x), S),
    ("cond -2", lambda m, x: m.linalg.cond(x, -2), S),
    ("matrix norm 2", lambda m, x: m.linalg.matrix_norm(x, 2), A),
    ("matrix norm nuc", lambda m, x: m.linalg.matrix_norm(x, "nuc"), A, {"vmap": False}),
]


def script_transforms(T):
    f, t = T.fft, T.tensor
    return table(
        [
            lambda: f.fft(t([1, 2])),
            lambda: f.fft(T.ones(2).double()).dtype,
            lambda: f.rfft(t([True, False])),
            lambda: f.rfft(t([1j])),
            lambda: f.fft(T.ones(2), 0),
            lambda: f.fft(T.ones(2), norm="x"),
            lambda: f.fftn(T.ones(2, 2), dim=(0, 0)),
            lambda: f.fftn(T.ones(2, 2), s=(1, 2), dim=(0,)),
            lambda: f.fft(t(1.0)),
            lambda: f.fftfreq(5, 0.1),
            lambda: f.rfftfreq(4),
            lambda: f.fftn(T.ones(2, 3, 4), s=(-1, 2), dim=(0, 1)).shape,
            lambda: f.rfftn(T.ones(2, 3, 4), s=(4,)).shape,
            lambda: T.stft(T.ones(20), 8),
            lambda: T.istft(T.ones(3, 4), 8),
        ],
        contiguous=True,
    )


def script_singular_values(T):
    a, g = T.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), T.linalg
    low = T.tensor([[1.0, 2.0], [2.0, 4.0]])
    return table(
        [
            lambda: g.svd(a).S,
            lambda: g.svd(a, full_matrices=False)[0].shape,
            lambda: g.svd(a)[0].shape,
            lambda: T.svd(a, compute_uv=False),
            lambda: g.eigvals(a[:2]),
            lambda: g.eig(a[:2])[0],
            lambda: g.pinv(low),
            lambda: g.pinv(low, hermitian=True),
            lambda: g.pinv(a, atol=1.0),
            lambda: g.pinv(T.zeros(2, 0)).shape,
            lambda: g.matrix_rank(low),
            lambda: g.matrix_rank(T.eye(3), hermitian=True),
            lambda: g.matrix_rank(T.diag(T.tensor([1.0, 1e-3])), atol=0.1),
            lambda: g.matrix_rank(T.diag(T.tensor([1.0, 1e-3])), tol=0.1),
            lambda: g.lstsq(T.ones(2, 2), T.ones(3, 1)),
            lambda: g.svd(T.ones(2)),
            lambda: g.eig(T.ones(2, 3)),
            *[
                lambda d=d: [v.flatten() for v in g.lstsq(a.double(), T.tensor([[1.0], [2], [4]]).double(), driver=d)]
                for d in (None, "gels", "gelsd", "gelss")
            ],
        ],
        contiguous=True,
    )
