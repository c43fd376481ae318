"""Numbers in a row: `arange`, `linspace`, `logspace` and `range`."""

import functools

import numpy as np

from ..modes.warnings import tell
from ..state.levels import mapped
from ..state.python_data import filling
from ..types import dtypes
from ..types.tensor_type import TensorBase, shape_dtype
from ..values.core_values import lift, lower
from .creation import at_once, library_for, new_leaf, numpy_dtype, with_out


@with_out
def arange(*args, out=None, dtype=None, layout=None, device=None, requires_grad=False, start=0, end=None, step=1):
    """Return numbers from `start` up to, but not including, `end`."""
    if len(args) == 1 and end is None:
        end = args[0]
    elif args:
        start, *rest = args
        end, *rest = rest or [end]
        step = rest[0] if rest else step
    ordinary = type(end) is type(start) is type(step) is int
    if not ordinary:
        start, end, step = (v.item() if isinstance(v, TensorBase) else v for v in (start, end, step))
    check_range(start, end, step)
    if dtype is None:
        whole = ordinary or all(isinstance(v, int | np.integer) for v in (start, end, step))
        dtype = dtypes.int64 if whole else dtypes.Default.float
    filled("arange", dtype.numpy)
    xp = library_for(device, dtype.numpy) or np
    if ordinary and dtype is dtypes.int64:
        return new_leaf(xp.arange(start, end, step, np.int64), requires_grad, device)
    if dtype.category > 1:
        count = xp.arange(int(np.ceil((end - start) / step)), dtype=np.float64)
        return new_leaf((start + count * step).astype(dtype.numpy), requires_grad, device)
    first, jump = int(start), int(step)  # integers count in integers, the smaller ones over the range as given
    if dtype is dtypes.int64:
        start, end, step = first, int(end), jump
        if not step:
            raise ValueError("step must be nonzero")
    count = xp.arange(int(np.ceil((end - start) / step)), dtype=np.int64)
    return new_leaf((first + count * jump).astype(dtype.numpy), requires_grad, device)


def filled(name, kind):
    """A dtype that a range may have: not that of truth values.

    Raises:
        NotImplementedError: as in PyTorch.
    """
    if kind.kind == "b":
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")
    return kind


_INT64 = range(-(2**63), 2**63)


def within_int64(v):
    """Tell whether a value is one of Python's integers, of 64 bits."""
    return type(v) is int and v in _INT64


def check_range(start, end, step):
    """PyTorch's refusals of a range."""
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (within_int64(start) or np.isfinite(start)) or not (within_int64(end) or np.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


_REAL = frozenset((int, float))


def _spaced(*args):
    if len(args) != 3 or not _REAL.issuperset(map(type, args[:2])) or type(args[2]) is not int:
        return None
    found, kind = spaced(*args, None)
    return found.astype(kind)


@functools.partial(at_once, plain=_spaced)
@with_out
def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """`steps` numbers from `start` to `end`; no derivative passes to ends that are tensors."""
    if any(isinstance(v, TensorBase) and mapped(v) for v in (start, end)):
        return spread(start, end, steps, dtype, lambda v: v)
    found, kind = spaced(start, end, steps, dtype)
    return new_leaf(found.astype(kind), requires_grad, device)


def spread(start, end, steps, dtype, finish):
    """`finish` of a range whose ends differ between the examples of a vmap."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    given = [v.detach() for v in (start, end) if isinstance(v, TensorBase)]
    kind = np.result_type(*[shape_dtype(v)[1] for v in given]) if dtype is None else numpy_dtype(dtype)
    if dtype is None and kind.kind not in "fcV":
        kind = numpy_dtype(None)
    wide = kind if kind.kind in "fcV" else np.dtype(np.float64)
    first, last = [(lower(v.detach()) if isinstance(v, TensorBase) else np.asarray(v)).astype(kind).astype(wide)
                   for v in (start, end)]
    share = (np.arange(steps) / max(steps - 1, 1)).astype(wide)
    return lift(finish(first * (1 - share) + last * share).astype(kind))


def spaced(start, end, steps, dtype):
    """Numbers at equal distances between ends that are cast to the dtype first, and its NumPy dtype."""
    start, end = (v.item() if isinstance(v, TensorBase) else v for v in (start, end))
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if dtype is None and (isinstance(start, complex) or isinstance(end, complex)):
        dtype = dtypes.default_complex()
    kind = filled("linspace", numpy_dtype(dtype))
    if steps > 1 or kind.kind in "iu":
        wide = np.complex128 if kind.kind == "c" else np.float64
        start, end = filling(start, kind).astype(wide), filling(end, kind).astype(wide)
    if kind.kind in "fcV" or steps < 2:
        return evenly(start, end, steps), kind
    i, step = np.arange(steps), (end - start) / (steps - 1)
    return np.where(i < steps // 2, start + step * i, end - step * (steps - 1 - i)), kind


def evenly(start, end, steps):
    """`np.linspace` of two numbers of one dtype, whose checks take longer than a short range."""
    if steps < 2 or start.dtype.kind != "f" or not (step := (end - start) / (steps - 1)):
        return np.linspace(start, end, steps)
    found = np.arange(0, steps, 1, start.dtype)
    found *= step
    found += start
    found[-1] = end
    return found


@with_out
def logspace(start, end, steps, base=10.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """`steps` numbers from `base ** start` to `base ** end`; no derivative passes to ends that are tensors."""
    if any(isinstance(v, TensorBase) and mapped(v) for v in (start, end)):
        return spread(start, end, steps, dtype, lambda v: np.asarray(base, v.dtype) ** v)
    found, kind = spaced(start, end, steps, dtype)
    return new_leaf(np.power(base, found).astype(kind), requires_grad, device)


@with_out
def range_(start=0, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """Return numbers from `start` to `end`, both included."""
    tell("torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
         "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).")
    start, end = (start, end) if end is not None else (0, start)
    check_range(start, end, step)
    count = int((end - start) / step) + 1
    kind = numpy_dtype(dtype)
    return new_leaf((start + np.arange(count) * step).astype(kind), requires_grad, device)
