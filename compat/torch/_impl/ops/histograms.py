"""Counts of values in bins."""

import numpy as np

from ..dispatch.call import operation
from ..dispatch.host_ops import hosted, known
from ..types import output_tuples
from ..types.dtypes import type_word


@operation("histc", exact=True)
def histc(input, bins=100, min=0, max=0):  # noqa: A002 (torch's names)
    """Count elements in bins of equal width."""
    if input.dtype.kind not in "fV":
        raise NotImplementedError(f"\"histogram_cpu\" not implemented for '{type_word(input.dtype)}'")
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")

    def counts(x):
        x = x.ravel().astype(np.float64)
        return np.histogram(x, bins, outer_edges(x, (min, max) if min != max else None, "histc"))[0]

    return hosted(counts, (bins,), input.dtype, input)


def outer_edges(x, given, name):
    """The first and last edge: as given, or around the values."""
    if given is not None:
        low, high = float(given[0]), float(given[1])
        if not low <= high:
            raise RuntimeError(f"torch.{name}: max must be larger than min")
    else:
        low, high = (float(x.min()), float(x.max())) if x.size else (0.0, 0.0)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"torch.{name}: range of [{low}, {high}] is not finite")
    if low != high:
        return low, high
    return (low - 0.5, high + 0.5) if given is not None or x.size else (low, low + 1.0)


@operation("histogram")
def histogram(input, bins=100, *, range=None, weight=None, density=False):  # noqa: A002
    """Count elements in bins; returns the counts and the bin edges."""
    if input.dtype.kind not in "fV":
        raise NotImplementedError(f"\"histogram_cpu\" not implemented for '{type_word(input.dtype)}'")
    if hasattr(bins, "dtype"):
        count, edges = bins.shape[0] - 1, [bins]
    else:
        count, edges = bins, []
    weights = [] if weight is None else [weight]

    def edges_of(x, given):
        return given[-1] if edges else np.linspace(*outer_edges(x.ravel(), range, "histogram"), count + 1)

    def counted(x, *given):
        found = edges_of(x, given).astype(np.float64)
        return np.histogram(x.ravel().astype(np.float64), found, density=density,
                            weights=given[0].ravel().astype(np.float64) if weights else None)[0]

    return output_tuples.histogram(
        hosted(counted, (count,), input.dtype, input, *weights, *edges),
        hosted(lambda x, *given: edges_of(x, given), (count + 1,), input.dtype, input, *weights, *edges))


@operation("histogramdd", method=False)
def histogramdd(input, bins, *, range=None, weight=None, density=False):  # noqa: A002
    """Count points in multi-dimensional bins; returns the counts and the bin edges."""
    x = known("histogramdd", input)
    if x.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions, but got "
                           f"{x.ndim}")
    n = x.shape[-1]
    rows = x.reshape(-1, n).astype(np.float64)
    bins = [bins] * n if isinstance(bins, int) else list(bins)
    if len(bins) != n:
        raise RuntimeError(f"torch.histogramdd(): The size of bins must be equal to the innermost dimension of the "
                           f"input. Expected {n}, but got {len(bins)}")
    edges = []
    for i, b in enumerate(bins):
        if hasattr(b, "dtype"):
            edges.append(known("histogramdd", b).astype(np.float64))
        else:
            low, high = outer_edges(rows[:, i], None if range is None else range[2 * i : 2 * i + 2], "histogramdd")
            edges.append(np.linspace(low, high, b + 1))
    weights = None if weight is None else known("histogramdd", weight).ravel().astype(np.float64)
    counts, _ = np.histogramdd(rows, edges, weights=weights, density=density)
    return output_tuples.histogramdd(counts.astype(x.dtype), tuple([e.astype(x.dtype) for e in edges]))
