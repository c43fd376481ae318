"""Comparing arrays, with messages that name the worst element and both values."""

from typing import Any

import numpy as np


class CheckError(AssertionError):
    """A wrong rule or derivative; the message says which, where, and by how much."""


def agree(found: Any, wanted: Any, tol: float, where: str, scale: float | None = None) -> None:
    """Raise CheckError unless `found` equals `wanted` up to `tol` times the largest wanted value (at least 1)."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    if found.shape != wanted.shape:
        raise CheckError(f"{where}: got shape {found.shape}, expected {wanted.shape}")
    if not found.size:
        return
    if found.dtype.kind not in "fc" and wanted.dtype.kind not in "fc":
        wrong = np.asarray(found != wanted)
        if wrong.any():
            _fail(where, wrong.astype(float), found, wanted, 0.0)
        return
    with np.errstate(all="ignore"):
        same = (found == wanted) | ((found != found) & (wanted != wanted))
        gap = np.where(same, 0.0, np.abs(found - wanted))
    gap = np.where(gap == gap, gap, np.inf)
    finite = np.abs(wanted[np.isfinite(wanted)])
    if scale is None:
        scale = max(float(finite.max(initial=0.0)), 1e-3)
    if gap.max() > tol * scale:
        _fail(where, gap, found, wanted, tol * scale)


def _fail(where: str, gap: Any, found: Any, wanted: Any, allowed: float) -> None:
    worst = tuple(int(k) for k in np.unravel_index(int(np.argmax(gap)), gap.shape))
    at = f"element {worst}" if worst else "the value"
    raise CheckError(
        f"{where}: {at} is {found[worst]!s}, expected {wanted[worst]!s} "
        f"(difference {gap[worst]:.3g}, allowed {allowed:.3g}; {int((gap > allowed).sum())} of {gap.size} differ)"
    )


def same_aval(found: Any, wanted: Any, where: str) -> None:
    """Raise CheckError unless the two have one shape and one dtype."""
    have, want = (np.shape(found), np.dtype(found.dtype)), (tuple(wanted.shape), np.dtype(wanted.dtype))
    if have != want:
        raise CheckError(f"{where}: got shape {have[0]} and dtype {have[1]}, expected {want[0]} and {want[1]}")


def inner(us: Any, vs: Any) -> tuple[float, float]:
    """`Re Σ conj(u) v` over lists of arrays, and the sum of the magnitudes of its terms."""
    total, size = 0.0, 0.0
    for u, v in zip(us, vs):
        u, v = wide(np.asarray(u)), wide(np.asarray(v))
        terms = (np.conj(u) * v).real
        total += float(terms.sum())
        size += float(np.abs(terms).sum())
    return total, size


def wide(x: Any) -> Any:
    """`x` in double precision, if it is floating or complex."""
    x = np.asarray(x)
    if x.dtype.kind == "f" or (x.dtype.kind == "V" and x.dtype.name.startswith(("bfloat", "float"))):
        return x.astype(np.float64)
    return x.astype(np.complex128) if x.dtype.kind == "c" else x
