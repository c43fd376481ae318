"""Random keys, and the bits they generate."""

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from ..core.arrays.avals import aval_of
from ..core.errors import DtypeError, ShapeError, at_user_line
from ..core.ops import random_bits as _bits, selection, shaping
from ..core.ops.random_bits import random_fold, random_unit
from ..core.primitive.broadcasting import broadcast_shape
from ..numpy.surface import Array, array_of, floating

Shape = int | Sequence[int]
_WORD = np.dtype(np.uint32)


def key(seed: int) -> Array:
    """Make a key from an integer.

    Args:
        seed: an integer, of which the lowest 64 bits are used.
    Returns:
        an array of two uint32 words, shape `(2,)`.
    Raises:
        TypeError: `seed` is not an integer.

    >>> from covector import random
    >>> random.key(42)
    array([ 0, 42], dtype=uint32)
    """
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
        return np.array([int(seed) >> 32 & 0xFFFFFFFF, int(seed) & 0xFFFFFFFF], np.uint32)
    try:
        return _key_of_array(array_of(seed))
    except DtypeError as error:
        raise TypeError(f"random.key needs an integer, but got {seed!r} of type {type(seed).__name__}; give one, as "
                        f"random.key(0){at_user_line()}") from error


PRNGKey = key


def _key_of_array(seed: Array) -> Array:
    """Return the key of a traced or 0-d integer."""
    if seed.dtype.kind not in "iu" or seed.ndim:
        raise TypeError(f"random.key needs an integer, but got {seed.dtype} of shape {tuple(seed.shape)}; cast it, "
                        f"or use vmap for several keys{at_user_line()}")
    words = [selection.astype(w, _WORD) for w in (seed >> 32 if seed.dtype.itemsize == 8 else seed * 0,
                                                  seed & 0xFFFFFFFF if seed.dtype.itemsize == 8 else seed)]
    return shaping.stack(*words, axis=0)


def split(key: Array, num: Shape = 2) -> Array:
    """Make keys that are independent of each other.

    Args:
        key: a key, which should not be used again.
        num: the number of keys, or a shape.
    Returns:
        keys, shape `(num, 2)` or `(*num, 2)`.
    Raises:
        TypeError: `key` is not a key.

    >>> from covector import random
    >>> a, b = random.split(random.key(0))
    >>> a
    array([1797259609, 2579123966], dtype=uint32)
    """
    shape = sizes(num, "split")
    both = _bits.random_bits(checked(key, "split"), shape, "uint64")
    return shaping.stack(selection.astype(both >> 32, _WORD), selection.astype(both & 0xFFFFFFFF, _WORD),
                         axis=len(shape))


def fold_in(key: Array, data: Array) -> Array:
    """Derive a key from a key and an integer, such as the number of a step.

    Args:
        key: a key.
        data: an integer, of which the lowest 32 bits are used.
    Returns:
        a key.
    Raises:
        TypeError: `key` is not a key, or `data` is not an integer.

    >>> from covector import random
    >>> random.fold_in(random.key(0), 7)
    array([2716826189,  292468403], dtype=uint32)
    """
    if type(data) is int:
        data = np.array(data & 0xFFFFFFFF, _WORD)
    data = array_of(data)
    if data.dtype.kind not in "iu" or data.ndim:
        raise TypeError(f"random.fold_in needs an integer, but got {data.dtype} of shape {tuple(data.shape)}; cast "
                        f"it, or use vmap{at_user_line()}")
    return random_fold(checked(key, "fold_in"), selection.astype(data, _WORD))


def bits(key: Array, shape: Shape = (), dtype: Any = np.uint64) -> Array:
    """Generate unsigned integers with random bits.

    Args:
        key: a key.
        shape: the shape of the output.
        dtype: an unsigned integer type.
    Returns:
        an array of that shape and dtype.
    Raises:
        TypeError: `key` is not a key, or the dtype is not an unsigned integer dtype.

    >>> from covector import random
    >>> int(random.bits(random.key(0), dtype="uint8"))
    167
    """
    kind = np.dtype(dtype)
    if kind.kind != "u":
        raise DtypeError(f"random.bits returns unsigned integers, but dtype={kind} was asked for; use randint, or "
                         f"uniform{at_user_line()}")
    return _bits.random_bits(checked(key, "bits"), sizes(shape, "bits"), kind.name)


def checked(key: Array, name: str) -> Array:
    """Return `key` if it is one; otherwise raise an error that says how to make one."""
    key = array_of(key)
    if key.dtype != _WORD or tuple(key.shape) != (2,):
        several = key.dtype == _WORD and key.ndim > 1 and key.shape[-1] == 2
        remedy = "take one of these keys, or use vmap" if several else "make a key with random.key(seed)"
        raise TypeError(f"random.{name} needs a key, two uint32 words, but got {key.dtype} of shape "
                        f"{tuple(key.shape)}; {remedy}{at_user_line()}")
    return key


def sizes(shape: Shape, name: str) -> tuple[int, ...]:
    """Return a shape as a tuple of integers."""
    try:
        out = tuple([index(n) for n in (shape if isinstance(shape, (tuple, list)) else (shape,))])
    except TypeError:
        raise TypeError(f"random.{name} needs a shape of integers, but got {shape!r}; write shape=(2, 3)"
                        f"{at_user_line()}") from None
    if any(n < 0 for n in out):
        raise ShapeError(f"random.{name} needs a shape of nonnegative integers, but got {shape!r}; a scalar "
                         f"has the shape (){at_user_line()}")
    return out


def float_type(dtype: Any, name: str) -> np.dtype:
    """Return a floating dtype, or raise."""
    kind = np.dtype(dtype)
    if kind.kind != "f" or kind.itemsize not in (2, 4, 8):
        raise DtypeError(f"random.{name} returns float16, float32 or float64, but dtype={kind} was asked for; cast "
                         f"after with .astype({kind}){at_user_line()}")
    return kind


def parameters(name: str, shape: Any, dtype: Any, *given: Array) -> tuple[tuple[int, ...], np.dtype, list]:
    """Return shape and dtype of a sample, by default those of the parameters, and the parameters in that dtype."""
    values = [floating(v) for v in given]
    kind = np.result_type(*[v.dtype for v in values]) if dtype is None else dtype
    kind = float_type(kind, name)
    found = broadcast_shape(f"random.{name}", [tuple(v.shape) for v in values])
    return full_shape(name, shape, found), kind, [v if v.dtype == kind else selection.astype(v, kind) for v in values]


def full_shape(name: str, shape: Any, found: tuple[int, ...]) -> tuple[int, ...]:
    """Return the requested shape, to which parameters of the shape `found` must broadcast; or that shape."""
    if shape is None:
        return found
    asked = sizes(shape, name)
    if len(found) > len(asked) or any(n not in (1, m) for n, m in zip(found[::-1], asked[::-1])):
        raise ShapeError(f"random.{name} was asked for shape {asked}, to which parameters of shape {found} do not "
                         f"broadcast; leave the shape out, or add axes in front of theirs{at_user_line()}")
    return asked


def spread(x: Array, shape: tuple[int, ...]) -> Array:
    """Broadcast `x` to `shape`."""
    return x if tuple(aval_of(x).shape) == shape else shaping.broadcast_to(x, shape=shape)


def between(key: Array, shape: tuple[int, ...], dtype: np.dtype, low: Array, high: Array) -> Array:
    """Sample uniformly from [low, high), both of that dtype."""
    return selection.maximum(low, random_unit(key, shape, dtype.name) * (high - low) + low)
