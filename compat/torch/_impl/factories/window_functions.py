"""Window functions: `hann_window` and related functions, and `torch.signal.windows`."""

import numpy as np

from ..types import dtypes
from ..types.size import strided
from .creation import new_leaf, numpy_dtype


def cosines(m, weights, sym):
    """A sum of cosines with alternating signs over a window of m points."""
    phase = 2 * np.pi * np.arange(m) / max(m - 1 if sym else m, 1)
    return sum((-1) ** k * w * np.cos(k * phase) for k, w in enumerate(weights))


def checked(name, length, dtype):
    """The NumPy dtype of a window of the top level, or torch's refusals."""
    kind = numpy_dtype(dtype)
    if kind.kind not in "fcV":
        word = {"int32": "int", "int64": "long int", "bool": "bool"}.get(kind.name, kind.name)
        raise RuntimeError(f"{name} expects floating point dtypes, got: TensorOptions(dtype={word}, device=cpu, "
                           "layout=Strided (default), requires_grad=false (default), pinned_memory=false, "
                           "memory_format=(nullopt))")
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    return kind


def window(name, values):
    """A window of the top level: `values(n, sym, …)` gives it."""

    def make(window_length, periodic=True, *args, dtype=None, layout=None, device=None, pin_memory=False,
             requires_grad=False, **named):
        kind = checked(name, window_length, dtype)
        if window_length == 1:
            return new_leaf(np.ones(1, kind), requires_grad)
        found = values(window_length, not periodic, *args, **named) if window_length else np.zeros(0)
        return new_leaf(np.asarray(found).astype(kind), requires_grad)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"Return the {name.replace('_', ' ')}, periodic by default."
    return make


def _bartlett(m, sym):
    n = m - 1 if sym else m
    return 1 - np.abs(2 * np.arange(m) / n - 1)


def _kaiser(m, sym, beta=12.0):
    n = m - 1 if sym else m
    return np.i0(beta * np.sqrt(np.maximum(1 - (2 * np.arange(m) / n - 1) ** 2, 0))) / np.i0(beta)


TOP = {
    "hann_window": window("hann_window", lambda m, sym: cosines(m, (0.5, 0.5), sym)),
    "hamming_window": window("hamming_window", lambda m, sym, alpha=0.54, beta=0.46: cosines(m, (alpha, beta), sym)),
    "blackman_window": window("blackman_window", lambda m, sym: cosines(m, (0.42, 0.5, 0.08), sym)),
    "bartlett_window": window("bartlett_window", _bartlett),
    "kaiser_window": window("kaiser_window", _kaiser),
}


def signal(name, values, shown=None):
    """A window of torch.signal.windows; `shown` is the name that PyTorch computes and refuses it under."""
    shown = shown or name

    def make(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False, **named):  # noqa: N803
        dtype = dtypes.Default.float if dtype is None else dtype
        if M < 0:
            raise ValueError(f"{shown} requires non-negative window length, got M={M}")
        if layout is not None and layout is not strided:
            raise ValueError(f"{shown} is implemented for strided tensors only, got: {layout}")
        if dtype not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"{shown} expects float32 or float64 dtypes, got: {dtype}")
        found = np.zeros(0) if not M else np.ones(1) if M == 1 else values(M, sym, **named)
        return new_leaf(np.asarray(found).astype(dtype.numpy), requires_grad)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"Return the {name.replace('_', ' ')} window of length M, symmetric by default."
    return make


def _positive(value, word):
    if value <= 0:
        raise ValueError(f"{word} must be positive, got: {value} instead.")


def _exponential(m, sym, center=None, tau=1.0):
    _positive(tau, "Tau")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    center = ((m - 1) if sym else m) / 2 if center is None else center
    return np.exp(-np.abs(np.arange(m) - center) / tau)


def _gaussian(m, sym, std=1.0):
    _positive(std, "Standard deviation")
    center = (m - 1 if sym else m) / 2
    return np.exp(-0.5 * ((np.arange(m) - center) / std) ** 2)


def _cosine(m, sym):
    return np.sin(np.pi * (np.arange(m) + 0.5) / (m if sym else m + 1))


def _shifted_kaiser(m, sym, beta=12.0):
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    return _kaiser(m, sym, beta)


def _general_cosine(m, sym, a):
    a = tuple(a)
    if not a:
        raise ValueError("Coefficients cannot be empty")
    return cosines(m, a, sym)


def _sum(*weights):
    return lambda m, sym: cosines(m, weights, sym)


WINDOWS = {name: signal(name, values) for name, values in {
    "bartlett": _bartlett, "cosine": _cosine, "exponential": _exponential, "gaussian": _gaussian,
    "general_cosine": _general_cosine, "kaiser": _shifted_kaiser}.items()} | {
    name: signal(name, values, "blackman" if name == "blackman" else "general_cosine") for name, values in {
        "blackman": _sum(0.42, 0.5, 0.08), "hamming": _sum(0.54, 0.46), "hann": _sum(0.5, 0.5),
        "general_hamming": lambda m, sym, alpha=0.54: cosines(m, (alpha, 1.0 - alpha), sym),
        "nuttall": _sum(0.3635819, 0.4891775, 0.1365995, 0.0106411)}.items()}
