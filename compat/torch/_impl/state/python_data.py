"""Arrays from Python data: nested sequences of numbers by torch's rules of shape, dtype and overflow."""

import warnings
from itertools import chain

import numpy as np

from ..modes.modes import modes
from ..modes.warnings import error_state, first, restore_fp_warnings, suppress_fp_warnings
from ..types import dtypes
from ..types.number_cache import FLOATS
from ..types.tensor_type import TensorBase, needs_grad
from .levels import concrete

ndarray = np.ndarray
_WORDS = {"float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
          "complex64": "c10::complex<float>", "int32": "int"}  # others are spelled as `uint8_t`
_LISTS_OF_ARRAYS = []  # whether their warning was given: torch gives it once a process


def array_of(data, dtype=None):
    """A fresh array of `data`: numbers, nested sequences of them, arrays, tensors.

    Args:
        data: what `torch.tensor` takes.
        dtype: a torch dtype, or None for the one that the data has.
    """
    if isinstance(data, ndarray):
        check_array(data)
        if dtype is not None and dtype.category < 3 and data.dtype.kind == "c":
            warn_imaginary()
            data = data.real
        return data.astype(dtype.numpy if dtype is not None else data.dtype, order="C", copy=True)
    if (quick := of_one_kind(data, dtype)) is not None:
        return quick
    shape, leaves, arrays = flattened(data)
    if dtype is None:
        dtype = inferred(leaves, arrays)
    return stored(leaves, dtype).reshape(shape)


def of_one_kind(data, dtype=None):
    """The array of a number, of a list of numbers of one kind, or of a list of such lists that have one length, in the
    dtype of that kind, or in a common one of floats that is asked for; None for anything else."""
    kind = type(data)
    if kind is list and data:
        kinds = set(map(type, data))
        if kinds == {list} and data[0] and len(set(map(len, data))) == 1:
            kinds = set(map(type, chain.from_iterable(data)))
        kind = kinds.pop() if len(kinds) == 1 else None
    if kind is float:
        dtype = (dtypes.Default.float if dtype is None else dtype).numpy
        if dtype in FLOATS:
            # A number above the largest of single precision becomes infinite, as in PyTorch, which does not warn.
            token = error_state()
            try:
                suppress_fp_warnings()
                found = np.array(data, dtype)
            finally:
                restore_fp_warnings(token)
            return found
    elif dtype is not None:
        return np.array(data, np.float64).astype(dtype.numpy, copy=False) if (
            kind is int and dtype.numpy in FLOATS) else None
    elif kind is int:
        try:
            return np.array(data, np.int64)
        except OverflowError:
            return None
    elif kind is bool:
        return np.array(data, np.bool_)
    return None


def check_array(array):
    """torch's refusals of arrays: other element types, byte orders, negative strides."""
    kind = array.dtype
    if dtypes.OF_NUMPY.get(kind) is None and dtypes.OF_NUMPY.get(kind.newbyteorder("=")) is not None:
        raise ValueError("given numpy array has byte order different from the native byte order. Conversion between "
                         "byte orders is currently not supported.")
    dtypes.of_numpy(kind)
    if any(s < 0 for s in array.strides):
        raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative "
                         "strides are not currently supported. (You can probably work around this by making a copy of "
                         "your array  with array.copy().) ")


def sequence(data):
    """Tell whether data has elements to go through."""
    return isinstance(data, list | tuple | range | ndarray | str | bytes | bytearray) or (
        hasattr(data, "__getitem__") and hasattr(data, "__len__") and not isinstance(data, TensorBase | np.generic)
        and not isinstance(data, dict | set))


def flattened(data):
    """`(shape, leaves, dtypes of arrays met)` of nested sequences, all of one length an axis."""
    shape, level, arrays = [], [data], []
    first = data
    while sequence(first):
        n = len(first)
        shape.append(n)
        if isinstance(first, str) and len(shape) > 1 or len(shape) > 64:
            raise ValueError(f"too many dimensions '{type(first).__name__}'")
        if isinstance(first, bytes) or isinstance(first, str):
            raise TypeError(f"new(): invalid data type '{type(first).__name__}'")
        for item in level:
            if not sequence(item):
                raise TypeError("not a sequence")
            if len(item) != n:
                raise ValueError(f"expected sequence of length {n} at dim {len(shape) - 1} (got {len(item)})")
        arrays += [item.dtype for item in level if isinstance(item, ndarray)]
        level = list(chain.from_iterable([v.tolist() if isinstance(v, ndarray) else v for v in level]))
        # An axis without elements tells of none behind it.
        if not n:
            break
        first = level[0]
    if arrays and not _LISTS_OF_ARRAYS:
        _LISTS_OF_ARRAYS.append(True)
        warnings.warn("Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting "
                      "the list to a single numpy.ndarray with numpy.array() before converting to a tensor.",
                      UserWarning, stacklevel=5)
    return tuple(shape), level, arrays


def inferred(leaves, arrays=()):
    """The dtype of numbers: the smallest that holds the kinds of all."""
    if not leaves:
        return dtypes.of_numpy(arrays[0]) if arrays else dtypes.Default.float
    found = None
    for kind, sample in {type(v): v for v in leaves}.items():
        same = [sample]
        # Python's numbers of one type have one dtype, tensors each their own.
        if issubclass(kind, TensorBase):
            same = [v for v in leaves if type(v) is kind]
        for v in same:
            d = dtype_of(v, arrays)
            found = d if found is None else dtypes.promote_types(found, d)
    for d in arrays:
        found = dtypes.promote_types(found, dtypes.of_numpy(d)) if len(arrays) < len(leaves) else dtypes.of_numpy(d)
    return found


def dtype_of(value, arrays=()):
    """The dtype of one number; those that came out of arrays count by their array."""
    if isinstance(value, TensorBase):
        return value.dtype
    if isinstance(value, np.generic):
        return dtypes.of_numpy(value.dtype)
    if isinstance(value, bool | int | float | complex):
        d = dtypes.of_scalar(value)
        fitting = [a for a in map(dtypes.of_numpy, arrays) if a.category == d.category]
        return fitting[0] if fitting else d
    if isinstance(value, str | bytes | list | tuple):
        if isinstance(value, list | tuple):
            raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
        raise TypeError(f"new(): invalid data type '{type(value).__name__}'")
    raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")


def stored(leaves, dtype):
    """Numbers as an array of a dtype, or torch's errors of kind and overflow."""
    kinds = set(map(type, leaves))
    if any(not issubclass(k, bool | int | float | complex) for k in kinds):
        if dtype.category >= 2 and any(isinstance(v, TensorBase) and needs_grad(v) for v in leaves):
            warn_of_history(stacklevel=7)
        leaves = [number_of(v) for v in leaves]
        kinds = set(map(type, leaves))
    if dtype.category == 0:
        return np.array([bool(v) for v in leaves], np.bool_)
    if dtype.category == 3:
        return np.array(leaves, np.complex128).astype(dtype.numpy)
    if any(issubclass(k, complex) for k in kinds):
        raise TypeError("must be real number, not complex" if dtype.category == 2 else
                        "'complex' object cannot be interpreted as an integer")
    if dtype.category == 2:
        with np.errstate(over="ignore"):
            return np.array([float(v) for v in leaves], np.float64).astype(dtype.numpy)
    return whole_numbers(leaves, kinds, dtype)


def whole_numbers(leaves, kinds, dtype):
    """Integers of a dtype; floats are cut off."""
    if dtype is dtypes.uint64:
        if any(issubclass(k, float) for k in kinds):
            raise TypeError("an integer is required")
        for v in leaves:
            if v < 0:
                raise OverflowError("can't convert negative int to unsigned")
            if v >= 2**64:
                raise OverflowError("int too big to convert")
        return np.array(leaves, np.uint64)
    info = np.iinfo(dtype.numpy)
    if any(issubclass(k, float) for k in kinds):
        for v in leaves:
            # `v - v` is NaN where v is not finite.
            if isinstance(v, float) and not (info.min - 1 < v < info.max + 1 and v - v == 0):
                raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
        leaves = [int(v) for v in leaves]
    if not leaves:
        return np.empty(0, dtype.numpy)
    low, high = min(leaves), max(leaves)
    if low < -(2**63) or high >= 2**63:
        raise ValueError("Overflow when unpacking long long")
    # An unsigned type wraps negative numbers around, as far as its largest one reaches.
    if high > info.max or low < (info.min if info.min else -int(info.max)):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return np.array(leaves, np.int64).astype(dtype.numpy)


def warn_of_history(stacklevel):
    """PyTorch's warning, given once, of a number made of a tensor that requires grad, where operations are recorded."""
    if modes().grad and first("scalar"):
        warnings.warn("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                      "Consider using tensor.detach() first.", UserWarning, stacklevel=stacklevel)


def number_of(value):
    """A Python number of a NumPy scalar or a tensor of one element."""
    if isinstance(value, TensorBase):
        if value.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return concrete(value, "item").item()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bool | int | float | complex):
        return value
    dtype_of(value)
    raise TypeError(f"new(): invalid data type '{type(value).__name__}'")


def filling(value, dtype):
    """A number that fills memory of a NumPy dtype: torch's error where it does not fit, unsigned ones wrap around."""
    kind = dtype.kind
    if kind == "f" and dtype.itemsize > 2 and (type(value) is float and -1e38 < value < 1e38 or (
            type(value) is int and -(2**63) <= value < 2**63)):
        return dtype.type(value)
    if kind == "i" and dtype.itemsize > 3 and type(value) is int and -(2**31) <= value < 2**31:
        return dtype.type(value)
    word = _WORDS.get(dtype.name, f"{dtype.name}_t")
    bad = isinstance(value, complex) and value.imag != 0 and kind != "c"
    value = value.real if isinstance(value, complex) and kind != "c" else value
    if isinstance(value, int) and not isinstance(value, bool):
        if value >= 2**64:
            raise OverflowError("int too big to convert")
        if value < -(2**63):
            raise OverflowError("can't convert negative int to unsigned")
    if kind == "b":
        return np.asarray(value).astype(dtype)
    if not bad and kind in "iu":
        info = np.iinfo(dtype)
        low = int(info.min) if info.min else -int(info.max)
        bad = not (info.min if isinstance(value, float) else low) <= value <= info.max
        if not bad:
            return np.asarray(int(value) % 2 ** (8 * dtype.itemsize) if kind == "u" else int(value)).astype(dtype)
    elif not bad:
        with np.errstate(over="ignore"):
            out = np.asarray(value if kind == "c" else float(value)).astype(dtype)
        if not (np.isinf(out) and value - value == 0):
            return out
    raise RuntimeError(f"value cannot be converted to type {word} without overflow")


# The operations whose numbers PyTorch's kernels take in the dtype of the output, and those that take them in that of
# their sums, which is single precision for halves. Elsewhere a number is an operand: infinite where it is too large.
_IN_DTYPE = frozenset("""add sub rsub clamp clamp_min clamp_max addr addmv index_add logit nn.functional.hardshrink
nn.functional.softshrink nn.functional.hardtanh""".split())
_IN_SUMS = frozenset("""addcmul addcdiv addmm baddbmm addbmm lerp nn.functional.leaky_relu nn.functional.elu
nn.functional.celu nn.functional.softplus""".split())


def check_numbers(name, ans, kinds, numbers):
    """Raise torch's error where an operation converts its numbers, and one is too large; `kinds` are those of the
    parameters that stand first."""
    if name in _IN_DTYPE or name in _IN_SUMS:
        dtype = np.dtype(np.float32) if name in _IN_SUMS and ans.dtype.itemsize == 2 else ans.dtype
        real = not any(v.dtype.kind == "c" for v in numbers if hasattr(v, "ndim"))
        for kind, x in zip((*kinds, *[None] * (len(numbers) - len(kinds))), numbers):
            if isinstance(x, int | float | complex) and not isinstance(x, bool) and kind != "operand":
                filling(x, np.dtype(np.float64) if real and dtype.kind == "c" else dtype)


def warn_imaginary():
    """torch's warning for a cast from complex to real numbers."""
    warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=5)
