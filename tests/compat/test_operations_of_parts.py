"""Scattering with reductions, windows, masked reductions: the same on compat and PyTorch."""


import numpy as np

import covector.compat.torch as compat
from harness import table

rng = np.random.default_rng(4)
A, B = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
TIES = np.array([1.0, 2.0, 2.0, 0.5])
I = np.array([[0, 1, 2, 0], [0, 0, 1, 1], [2, 0, 0, 0]])
MASK = np.array([[True, False, True, True], [False, True, True, False], [True, True, False, False]])
NOVMAP = {"vmap": False}


def masked(name, *args, **named):
    """A call of `torch.masked.name(x, …, mask=mask)`."""
    return lambda m, x, k: getattr(m.masked, name)(x, *args, mask=k, **named)


CALLS = [
    *[
        (
            f"scatter_reduce {r} {s}",
            lambda m, x, i, y, r=r, s=s: x.scatter_reduce(0, i, y, r, include_self=s),
            A,
            I,
            B,
            {"vmap": False, "forward": r != "prod"},
        )
        for r in ("sum", "prod", "mean", "amax", "amin")
        for s in (True, False)
    ],
    (
        "scatter_reduce ties",
        lambda m, x, i, y: x.scatter_reduce(0, i, y, "amax"),
        np.array([2.0, 0.0]),
        np.array([0, 0, 0, 1]),
        TIES,
        NOVMAP,
    ),
    *[
        (
            f"index_reduce {r}",
            lambda m, x, i, y, r=r: x.index_reduce(1, i, y, r),
            A,
            np.array([0, 2, 0]),
            B[:, :3].copy(),
            NOVMAP,
        )
        for r in ("prod", "mean", "amax", "amin")
    ],
    ("put", lambda m, x, i, y: x.put(i, y), A, np.array([0, 5]), TIES[:2].copy(), NOVMAP),
    ("put accumulate", lambda m, x, i, y: x.put(i, y, True), A, np.array([0, 0]), TIES[:2].copy(), NOVMAP),
    *[
        (f"masked {n} {d}", masked(n, d), A, MASK)
        for n in ("sum", "amax", "amin", "mean", "var", "std")
        for d in (1, (0, 1))
    ],
    *[
        (f"masked {n}", masked(n, 1), A, MASK)
        for n in ("prod", "softmax", "log_softmax", "softmin", "cumsum", "cumprod", "logsumexp", "median")
    ],
    ("masked norm", masked("norm", 2.0, 1), A, MASK),
    ("masked normalize", masked("normalize", 3.0, 1), A, MASK),
    ("masked argmax", masked("argmax", 1), A, MASK, {"orders": 0}),
    (
        "masked logaddexp",
        lambda m, x, y, k: m.masked.logaddexp(x, y, input_mask=k),
        A,
        B,
        MASK,
        {"orders": 1, "forward": False},
    ),
]


def script_scattering(T):
    t, one, i = T.tensor, T.ones(3), T.tensor([0, 1, 0, 1])
    whole = [
        T.ones(3, dtype=T.int64).scatter_reduce(0, i, t([1, 2, 4, 4]), r, include_self=s)
        for r in ("sum", "prod", "mean", "amax", "amin")
        for s in (True, False)
    ]
    return whole, table(
        [
            lambda: one.scatter_reduce(0, t([0]), t([5.0]), "x"),
            lambda: one.scatter_reduce(0, t([5]), t([5.0]), "sum"),
            lambda: one.scatter_reduce(0, t([0]), t([5]), "sum"),
            lambda: T.ones(3, 2).index_reduce(0, t([0]), T.ones(2, 2), "prod"),
            lambda: one.index_reduce(0, t([0]), T.ones(1), "sum"),
            lambda: T.ones(3).scatter_(0, t([1]), 4.0, reduce="multiply"),
            lambda: one.put(t([5]), t([1.0])),
            lambda: one.put(t([0]), t([1.0, 2.0])),
            lambda: T.zeros(2, 2).put_(t([0, 0]), t([1.0, 2.0]), accumulate=True),
            lambda: T.zeros(3, 3).fill_diagonal_(2.0),
            lambda: T.zeros(5, 2).fill_diagonal_(1.0, wrap=True),
            lambda: T.zeros(3).fill_diagonal_(2.0),
        ]
    )


def script_windows(T):
    w = T.signal.windows
    names = "hamming hann bartlett blackman cosine exponential gaussian kaiser general_hamming nuttall".split()
    top = "hann_window hamming_window bartlett_window blackman_window kaiser_window".split()
    return (
        [getattr(w, n)(6, sym=s, dtype=T.float64) for n in names for s in (True, False)],
        [getattr(T, n)(k, p) for n in top for k in (0, 1, 5) for p in (True, False)],
        table(
            [
                lambda: w.general_cosine(5, a=[0.46, 0.23, 0.31]),
                lambda: w.exponential(5, center=1.0, tau=2.0, sym=False),
                lambda: w.gaussian(5, std=0.5),
                lambda: w.kaiser(5, beta=3.0),
                lambda: w.gaussian(5, std=-1),
                lambda: w.hann(-1),
                lambda: w.hann(3, dtype=T.int32),
                lambda: w.general_cosine(5, a=[]),
                lambda: T.hann_window(5, dtype=T.int32),
                lambda: T.hann_window(-1),
                lambda: T.hamming_window(5, True, 0.5, 0.4),
                lambda: T.kaiser_window(6, True, 3.0),
            ]
        ),
    )


def script_masked_dtypes(T):
    t, m = T.tensor, T.masked
    return table(
        [
            lambda: m.sum(t([1, 2]), 0, mask=t([True, False])),
            lambda: m.sum(T.ones(2, 2)),
            lambda: m.prod(t([2, 3])),
            lambda: m.mean(t([1])),
            lambda: m.amax(t([1, 2]), 0, mask=t([False, False])),
            lambda: m.sum(T.ones(2), dtype=T.float64),
            lambda: m.mean(T.ones(2, 2), (0, 1), keepdim=True),
            lambda: m.norm(t([[1.0, 2.0, 3.0]]), -float("inf"), 1, mask=t([[True, False, True]])),
            lambda: m.median(t([1]), 0),
        ]
    )


def script_orthogonal_polynomials(T):
    kinds = [f"{s}chebyshev_polynomial_{k}" for s in ("", "shifted_") for k in "tuvw"]
    kinds += ["hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"]
    x = T.tensor([-1.5, -0.3, 0.0, 0.7, 1.0, 2.0], dtype=T.float64)
    return [getattr(T.special, k)(x, n) for k in kinds for n in (0, 1, 2, 5)], table(
        [
            lambda: T.special.legendre_polynomial_p(T.tensor([0.3, 0.5]), T.tensor([2, 3])),
            lambda: T.special.hermite_polynomial_h(T.tensor([1, 2]), T.tensor(3)),
            lambda: T.special.chebyshev_polynomial_t(0.5, T.tensor([1.0, 2.0])),
            lambda: T.special.laguerre_polynomial_l(T.tensor([0.3]), -1),
            lambda: T.special.spherical_bessel_j0(T.tensor([0.0, 1.0, 3.0])),
        ]
    )


WITH_NUMBERS = (
    lambda i: (0, slice(None), i), lambda i: (i[:2] % 2, slice(None), 0), lambda i: (0, slice(1, None), i),
    lambda i: (0, None, i[:3]), lambda i: (slice(None), 1, None, i), lambda i: (0, Ellipsis, i),
    lambda i: (Ellipsis, 1, i), lambda i: (0, slice(None), i > 0), lambda i: (1, slice(None), i[:, None]))


def script_numbers_and_index_tensors_parted_by_slices(torch):
    out = []
    for key in WITH_NUMBERS:
        x, places = torch.arange(24.0).reshape(2, 3, 4).requires_grad_(), torch.tensor([2, 0, 1, 3])
        y = x[key(places)]
        (y * torch.arange(float(y.numel())).reshape(y.shape)).sum().backward()
        z = torch.zeros(2, 3, 4)
        z[key(places)] = y.detach()
        out.append((y.detach().contiguous(), x.grad, z))
    return out


def test_numbers_are_taken_out_before_index_tensors():
    x = compat.arange(24.0).reshape(2, 3, 4)
    places = compat.tensor([2, 0])
    assert x[1, :, places].tolist() == [[14.0, 12.0], [18.0, 16.0], [22.0, 20.0]]
    x[1, :, places] = compat.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert x[1].tolist() == [[2.0, 13.0, 1.0, 15.0], [4.0, 17.0, 3.0, 19.0], [6.0, 21.0, 5.0, 23.0]]
