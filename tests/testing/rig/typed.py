"""Operations of random programs on values of all dtypes: casts, integers, masks, random keys, traced places, writes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from covector.numpy.writing import at
from covector.transforms.compile.call.jit import jit
from rig.operations import Library, Operation, no_parameters, one_of, some_axes

SLICES = (slice(None), slice(1, None), slice(None, -1), slice(None, None, -1), slice(None, None, 2), slice(-2, None),
          slice(None, None, -2), slice(1, -1), slice(0, 1), slice(2, 1))
DTYPES = ("float32", "float64", "complex64", "complex128", "int64", "int32", "bool")


def _of(kinds: str, fun: Callable[..., Any], *choices: Any, **facts: Any) -> Operation:
    """`fun(np, *values)`, and one of the choices if there are some, of values of these kinds."""
    given = tuple(kinds.split())
    draw = one_of(*choices) if choices else no_parameters
    return Operation(len(given), draw, lambda lib, *args: fun(lib.np, *args), kinds=given, **facts)


def _cast(lib: Library, x: Any, dtype: str) -> Any:
    if x.dtype.kind == "f" and dtype[:3] == "int":
        return (lib.np.clip(x, -9.0, 9.0) * 3.0).astype(dtype)
    return x.astype(dtype)


def _jumps(x: Any, dtype: str) -> Any:
    """How far the elements are from where a cast rounds to another number."""
    if dtype == "bool":
        return x
    return 3.0 * x - np.rint(3.0 * x) if dtype[:3] == "int" else np.ones(1)


def draw_key(rng: np.random.Generator) -> Any:
    """What stands between brackets: slices, integers, arrays of these, new axes and an ellipsis, in any order."""
    shape = ((), (2,), (3,), (2, 2))[rng.integers(4)]
    key: list[Any] = []
    for kind in rng.integers(8, size=rng.integers(1, 5)):
        if kind < 3:
            key.append(SLICES[rng.integers(len(SLICES))])
        elif kind == 3:
            key.append(int(rng.integers(-3, 3)))
        elif kind < 6:
            key.append(rng.integers(-3, 3, size=shape))
        else:
            key.append(None if kind == 6 or Ellipsis in [k for k in key if k is Ellipsis] else Ellipsis)
    return key[0] if len(key) == 1 and rng.integers(2) else tuple(key)


def _written(lib: Library, x: Any, y: Any, key: Any, how: str) -> Any:
    y = _fitting(lib, x, y, x[key].shape, how)
    if how in ("write", "increase"):
        return lib.write(x, key, y, how == "increase")
    if how == "view":  # what was written before went through a view
        x = lib.write(x, (Ellipsis, slice(1)), lib.np.sum(y), False)
        reverse = x[..., ::-1]
        reverse *= 0.5
        return lib.write(x, key, y, False)
    return getattr(at(x)[key], how)(y)


def _fitting(lib: Library, x: Any, y: Any, shape: tuple[int, ...], how: str) -> Any:
    """What is written, in place of `y` its sum if that has another shape."""
    if x.dtype.kind == "f" and y.dtype.kind == "c" or x.dtype.kind == "c" and how in ("min", "max"):
        raise TypeError("a write that truncates or orders has no derivative here")
    fits = len(y.shape) <= len(shape) and all(n in (1, m) for n, m in zip(y.shape[::-1], shape[::-1]))
    return y if fits else lib.np.sum(y)


def _at_place(lib: Library, x: Any, place: Any, y: Any, how: str) -> Any:
    """A write at one or many places of the first axis, which are not known when it is staged."""
    where = _within(place, x.shape[0], how)
    return getattr(at(x)[where], how)(_fitting(lib, x, y, (*place.shape, *x.shape[1:]), how))


def _from_place(lib: Library, x: Any, place: Any, axis: int, how: str) -> Any:
    where = _within(place, x.shape[axis], how)
    if how == "take":
        return lib.np.take(x, where, axis=axis)
    return x[(*(slice(None),) * (axis % x.ndim), *([None] if how == "last" else []), where)]


def _within(place: Any, size: int, how: str) -> Any:
    """Places that exist; every other way counts them from the end."""
    if not size:
        raise IndexError("there is no place")
    return place % size - (size if how in ("multiply", "last") else 0)


def _numbered(use: Callable[[Library, Any, Any], Any]) -> Operation:
    """`use(library, x, number)` of a Python number, which is traced where `x` is."""
    def run(lib: Library, x: Any) -> Any:
        plain = isinstance(x, np.ndarray | np.generic)
        return use(lib, x, 0.5) if plain else jit(lambda a, number: use(lib, a, number))(x, 0.5)

    return Operation(1, no_parameters, run, kinds=("fc",))


def _number_written(lib: Library, x: Any, number: Any) -> Any:
    out = lib.np.copy(x)
    out[..., :1] = number
    return out


INTEGERS = {
    "shifted_bits": _of("i", lambda np, x: (x << 1) - (x >> 2)), "bits": _of("i", lambda np, x: ~x & 5 | 2),
    "modulo": _of("i", lambda np, x: x % 3), "halved": _of("i", lambda np, x: x // 2),
    "quotient": _of("i", lambda np, x: x / 3), "integer_power": _of("i", lambda np, x: (x % 3) ** 2),
    "integer_bound": _of("i", lambda np, x: np.minimum(np.abs(x), 3)), "is_two": _of("i", lambda np, x: x == 2),
    "integer_half": _of("i", lambda np, x: x * 0.5), "integer_root": _of("i", lambda np, x: np.sqrt(np.abs(x))),
    "integers_of_two": _of("i i", lambda np, x, y, name: getattr(np, name)(x, y) % 11, "add", "multiply", "subtract",
                           "bitwise_xor", "bitwise_and", "maximum"),
    "quotient_of_two": _of("i i", lambda np, x, y, name: getattr(np, name)(x, np.abs(y) + 1), "floor_divide",
                           "remainder", "true_divide"),
}  # fmt: skip
MASKS = {
    "compare": _of("fi fi", lambda np, x, y, name: getattr(np, name)(x, y), "less", "greater_equal", "equal",
                   "not_equal", margin=lambda x, y, name: np.subtract(x, y)),
    "positive": _of("fi", lambda np, x: x > 0, margin=lambda x: x), "negated": _of("b", lambda np, x: ~x),
    "mask_of_two": _of("b b", lambda np, x, y, name: getattr(np, name)(x, y), "logical_and", "logical_or",
                       "logical_xor", "equal", "add", "multiply"),
    "counted": _of("b", lambda np, x, a: x + a, 1, 1.5), "mask_as_float": _of("b", lambda np, x: 1 - x.astype(float)),
    "chosen": _of("b fc fc", lambda np, m, x, y: np.where(m, x, y)),
    "chosen_number": _of("b fc", lambda np, m, x: np.where(m, x, 0) + np.where(m, 0.5, x)),
    "masked": _of("b fc", lambda np, m, x: x * m),
    "safe_log": _of("b f", lambda np, m, x: np.where(m, np.log(np.where(m, x * x + 1, 1.0)), x)),
    **{name: Operation(1, some_axes, lambda lib, x, axis, keep, name=name: getattr(lib.np, name)(
        x, axis=axis, keepdims=keep), margin=lambda x, axis, keep: x) for name in ("any", "all", "count_nonzero")},
}  # fmt: skip
WHOLE = {
    "cast": Operation(1, one_of(*DTYPES), _cast, complex_too=True, margin=_jumps),
    "place_of": _of("fi", lambda np, x, name: getattr(np, name)(x, axis=-1), "argmax", "argmin", "argsort"),
    "running": _of("f", lambda np, x, name: getattr(np, name).accumulate(x, axis=-1), "maximum", "minimum"),
    "place_in_order": _of("f f", lambda np, x, y: np.searchsorted(np.sort(x), y)),
    "padded": _of("*", lambda np, x, widths: np.pad(x, widths), (0, 2), (2, 1)),
    "by_columns": _of("*", lambda np, x: np.ravel(np.transpose(x))), "halves": _of("*", lambda np, x: x.reshape(2, -1)),
    "turned": _of("*", lambda np, x: np.swapaxes(x, 0, -1)[::-1]), "joined": _of(
        "* *", lambda np, x, y: np.concatenate([np.ravel(x), np.ravel(y)])),
    "joined_rows": _of("* *", lambda np, x, y, axis: np.concatenate([x[..., ::-1], y, x], axis=axis), 0, -1),
    "with_none": _of("fc", lambda np, x: np.concatenate([x[1:], x[:0], x[:1]])),
    "summed_rows": _of("fc", lambda np, x: sum(np.split(x, x.shape[0], axis=0))),
    "like": _of("f", lambda np, x: np.full_like(x, 0.3) - x * np.ones_like(x) + np.zeros_like(x)),
    "numbered": _of("f", lambda np, x: np.arange(x.size).reshape(x.shape) * x * 0.1),
}  # fmt: skip
KEYS = {
    "read": Operation(1, lambda rng: (draw_key(rng),), lambda lib, x, key: x[key], complex_too=True),
    "written": Operation(2, lambda rng: (draw_key(rng), *one_of("write", "increase", "view", "set", "add", "multiply",
                                                                "max", "min")(rng)), _written, kinds=("fc", "*")),
    "from_place": Operation(2, lambda rng: (*one_of(0, 1, -1)(rng), *one_of("take", "read", "last")(rng)),
                            _from_place, kinds=("*", "i")),
    "at_place": Operation(3, one_of("set", "add", "multiply", "min"), _at_place, kinds=("fc", "i", "*")),
}  # fmt: skip
NUMBERED = {
    "number_written": _numbered(_number_written), "number_dot": _numbered(lambda lib, x, a: lib.np.dot(x, a)),
    "number_selected": _numbered(lambda lib, x, a: lib.np.select([x > 0.5, x < -0.5], [x * x, x], a)),
    "number_in_branch": _numbered(lambda lib, x, a: lib.cond(lib.np.sum(x) > 0, lambda b, c: b * c, lambda b, c: b + c,
                                                             x, a)),
}  # fmt: skip
TYPED = {**INTEGERS, **MASKS, **WHOLE, **KEYS, **NUMBERED}
