"""torch.testing: comparing tensors, with what differs in the message."""

import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from ..factories.from_data import tensor
from ..random.sampling import rand
from ..types import dtypes
from ..types.arrays import ARRAYS
from ..types.devices import CPU, moved
from ..types.tensor_type import TensorBase, bottom, wrap

_TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5),
               "float64": (1e-7, 1e-7), "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7)}


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
                 check_dtype=True, check_layout=True, check_stride=False, msg=None):
    """Raise AssertionError where two pytrees of tensors, arrays and numbers are not close.

    Args:
        rtol, atol: both or neither; by default those of the dtype, as in PyTorch.
        equal_nan: whether NaN equals NaN.
        check_dtype, check_stride, check_layout: whether these must be the same too.
        msg: the message, or a function of the one that would be given.

    >>> import covector.compat.torch as torch
    >>> torch.testing.assert_close(torch.ones(2), torch.ones(2) + 1e-7)
    """
    if (rtol is None) != (atol is None):
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no "
                         f"{'rtol' if rtol is None else 'atol'}.")
    rules = {"rtol": rtol, "atol": atol, "equal_nan": equal_nan, "check_dtype": check_dtype,
             "check_stride": check_stride, "check_device": check_device, "check_layout": check_layout}
    found = difference(actual, expected, (), rules)
    if found is not None:
        text, place = found
        if place:
            text += "\n\nThe failure occurred for item " + "".join(f"[{k!r}]" for k in place)
        raise AssertionError(text if msg is None else msg(text) if callable(msg) else msg)


_LOOSER = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """Raise AssertionError where two tensors, or what tensors are made of, are not close; deprecated in PyTorch.

    >>> import warnings
    >>> import covector.compat.torch as torch
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.testing.assert_allclose([1.0, 2.0], [1.0, 2.00001])
    """
    warnings.warn("`torch.testing.assert_allclose()` is deprecated since 1.12; use `torch.testing.assert_close()`",
                  FutureWarning, stacklevel=2)
    if not isinstance(actual, TensorBase):
        actual = tensor(actual)
    if not isinstance(expected, TensorBase):
        expected = tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        rtol, atol = map(max, *[_LOOSER.get(t.dtype.name, (0.0, 0.0)) for t in (actual, expected)])
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)


def difference(a, b, place, rules):
    """`(what differs, where)` of two pytrees, or None."""
    arrays = (TensorBase, *ARRAYS)
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str) and not isinstance(b, str):
        if len(a) != len(b):
            return f"The length of the sequences mismatch: {len(a)} != {len(b)}", place
        return first(difference(x, y, (*place, i), rules) for i, (x, y) in enumerate(zip(a, b)))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        if a.keys() != b.keys():
            return ("The keys of the mappings do not match:\n"
                    f"Missing keys in the actual mapping: {sorted(b.keys() - a.keys())}\n"
                    f"Additional keys in the actual mapping: {sorted(a.keys() - b.keys())}"), place
        return first(difference(a[k], b[k], (*place, k), rules) for k in sorted_keys(a))
    if a is None or b is None:
        return None if a is b else (f"None mismatch: {a} is not {b}", place)
    if isinstance(a, bool | np.bool_) and isinstance(b, bool | np.bool_):
        return None if a == b else (f"Booleans mismatch: {a} is not {b}", place)
    numbers = (int, float, complex, np.number)
    if isinstance(a, numbers) and isinstance(b, numbers):
        return scalars(a, b, place, rules)
    if isinstance(a, arrays) and isinstance(b, arrays):
        a, b = (x.detach() if isinstance(x, TensorBase) else wrap(x) for x in (a, b))
        return tensors(a, b, place, rules)
    raise TypeError(f"No comparison pair was able to handle inputs of type {shown(a)} and {shown(b)}.")


def shown(x):
    """The type of a value as torch writes it."""
    return "<class 'torch.Tensor'>" if type(x).__name__ == "Tensor" else str(type(x))


def first(found):
    """The first of several outputs that is not None."""
    return next((f for f in found if f is not None), None)


def sorted_keys(mapping):
    """The keys in order where they have one."""
    try:
        return sorted(mapping)
    except TypeError:
        return list(mapping)


def tolerances(rules, *kinds):
    """`(rtol, atol)`: as given, or the largest of the dtypes."""
    if rules["rtol"] is not None:
        return rules["rtol"], rules["atol"]
    found = [_TOLERANCES.get(k.name, (0.0, 0.0)) for k in kinds]
    return max(r for r, _ in found), max(a for _, a in found)


def scalars(a, b, place, rules):
    """The difference of two numbers."""
    kinds = [number_kind(v) for v in (a, b)]
    if rules["check_dtype"] and type(a) is not type(b):
        return f"The (d)types do not match: {type(a)} != {type(b)}.", place
    a, b = (v.item() if isinstance(v, np.generic) else v for v in (a, b))
    return close_numbers(a, b, *tolerances(rules, *kinds), place, rules)


def number_kind(v):
    """The dtype that a number is compared in: Python's own are double."""
    return dtypes.complex128 if isinstance(v, complex | np.complexfloating) else dtypes.float64 if isinstance(
        v, float | np.floating) else dtypes.int64


def close_numbers(a, b, rtol, atol, place, rules):
    """The difference between two numbers, or None."""
    if a == b or rules["equal_nan"] and a != a and b != b:
        return None
    gap = abs(a - b)
    if gap - gap == 0 and abs(b) - abs(b) == 0 and gap <= atol + rtol * abs(b):
        return None
    exact = rtol == atol == 0
    ratio = gap / abs(b) if b else np.inf
    lines = [f"Scalars are not {'equal' if exact else 'close'}!", "", f"Expected {b} but got {a}."]
    lines.append(f"Absolute difference: {gap}" + ("" if exact else f" (up to {atol} allowed)"))
    lines.append(f"Relative difference: {ratio}" + ("" if exact else f" (up to {rtol} allowed)"))
    return "\n".join(lines), place


def tensors(a, b, place, rules):
    """The difference between two tensors, or None."""
    if a.shape != b.shape:
        return f"The values for attribute 'shape' do not match: {a.shape} != {b.shape}.", place
    if a.device != b.device:
        if rules["check_device"]:
            return f"The values for attribute 'device' do not match: {a.device} != {b.device}.", place
        a, b = (wrap(moved(bottom(t), CPU)) for t in (a, b))
    if a.layout is not b.layout:
        if rules["check_layout"]:
            return f"The values for attribute 'layout' do not match: {a.layout} != {b.layout}.", place
        a, b = a.to_dense(), b.to_dense()
    elif a.is_sparse:
        return entries(a, b, place, rules)
    if rules["check_stride"] and a.stride() != b.stride():
        return f"The values for attribute 'stride()' do not match: {a.stride()} != {b.stride()}.", place
    if rules["check_dtype"] and a.dtype is not b.dtype:
        return f"The values for attribute 'dtype' do not match: {a.dtype} != {b.dtype}.", place
    rtol, atol = tolerances(rules, a.dtype, b.dtype)
    common = dtypes.promote_types(a.dtype, b.dtype)
    x, y = (bottom(t).astype(np.int64 if common.category < 2 else common.numpy) for t in (a, b))
    with np.errstate(all="ignore"):
        gap, size = np.abs(x - y), np.abs(y)
        near = (x == y) | np.isfinite(gap) & np.isfinite(size) & (gap <= atol + rtol * size)
        if rules["equal_nan"]:
            near |= (x != x) & (y != y)
        if near.all():
            return None
        if not x.ndim:
            found = close_numbers(x.item(), y.item(), rtol, atol, place, rules)
            return found or (f"Scalars are not close!\n\nExpected {y.item()} but got {x.item()}.", place)
        gap, ratio = (np.where(near, v.dtype.type(0), v) for v in (gap, gap / size))
    exact = rtol == atol == 0
    lines = [f"Tensor-likes are not {'equal' if exact else 'close'}!", "",
             f"Mismatched elements: {int((~near).sum())} / {near.size} ({float((~near).mean()):.1%})"]
    for word, values, limit in (("absolute", gap, atol), ("relative", ratio, rtol)):
        where = tuple(int(i) for i in np.unravel_index(np.argmax(values), values.shape))
        value = values[where].item()
        lines.append(f"Greatest {word} difference: {value} at index {where}"
                     + ("" if exact else f" (up to {limit} allowed)"))
    return "\n".join(lines), place


def entries(a, b, place, rules):
    """The difference between two sparse tensors, or None: both as they are stored, or coalesced where one is."""
    if a.is_coalesced() != b.is_coalesced():
        a, b = a.coalesce(), b.coalesce()
    if a._nnz() != b._nnz():
        return f"The number of specified values in sparse COO tensors does not match: {a._nnz()} != {b._nnz()}", place
    found = [(word, tensors(getattr(a, f"_{word}")(), getattr(b, f"_{word}")(), place, rules))
             for word in ("indices", "values")]
    return first(text and (text[0].replace("Tensor-likes", f"Sparse COO {word}"), place) for word, text in found)


def make_tensor(*shape, dtype, device="cpu", low=None, high=None, requires_grad=False, noncontiguous=False,
                exclude_zero=False, memory_format=None):
    """Create a tensor of a dtype with uniform random entries."""
    shape = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    limits = {0: (0, 2), 1: (0 if not dtype.is_signed else -9, 10), 2: (-9, 9), 3: (-9, 9)}[dtype.category]
    low, high = (limits[i] if v is None else v for i, v in enumerate((low, high)))
    if low > high:
        raise ValueError(f"make_tensor: `low` must be less than or equal to `high`, but got {low} > {high}")
    wide = dtypes.complex128 if dtype.is_complex else dtypes.float64
    twice = (*shape[:-1], shape[-1] * 2) if noncontiguous and shape else shape
    values = rand(twice, dtype=wide) * (high - low) + (low * (1 + 1j) if dtype.is_complex else low)
    values = values.floor() if dtype.category < 2 else values
    t = values.to(dtype)
    t = t[..., ::2] if noncontiguous and shape else t
    if exclude_zero:
        t[t == 0] = 1
    return t.detach().requires_grad_() if requires_grad else t
