"""Operations of random programs on whole arrays: reductions, running sums, shapes, indices, writes, sorting, layers."""

from typing import Any

import numpy as np

from rig.operations import (
    Library,
    Operation,
    along,
    binary,
    chosen,
    mask_of,
    no_parameters,
    one_axis,
    one_of,
    reduction,
    some_axes,
    unary,
)

INDICES = (0, -1, slice(None, None, -1), slice(1, None), (Ellipsis, slice(0, 2)), (Ellipsis, None), (slice(None), 1),
           (slice(None, None, 2), slice(1, None)), (None, Ellipsis, -1), (), np.array(1), (slice(-2, None), Ellipsis))
SHARES = np.array([0.3, 0.8])
GATHERS = ((Ellipsis, np.array([0, 2, 0])), np.array([1, 1, 0]), (0, np.array([2, 0])), np.array([[0, -1], [1, 1]]),
           (np.array([0, 1, 0]), np.array([1, 2, 1])), (np.array([[1], [0]]), np.array([2, 0])),
           (slice(None), None, np.array([0, 2])), (np.array([0, 1]), slice(None), np.array([0, 2])))


def _masked_reduction(name: str) -> Operation:
    """A reduction over the elements at which a constant mask is True."""
    def fun(lib: Library, x: Any, axis: Any, keep: bool) -> Any:
        where = mask_of(x.shape, 2)
        extra = {"initial": -0.3} if name in ("max", "min") else {}
        return getattr(lib.np, name)(x, axis=axis, keepdims=keep, where=where, **extra)

    return Operation(1, some_axes, fun, complex_too=name in ("sum", "mean"))


def _nan_reduction(name: str) -> Operation:
    def fun(lib: Library, x: Any, axis: Any, keep: bool) -> Any:
        return getattr(lib.np, name)(lib.np.where(mask_of(x.shape, 1), x, np.nan), axis=axis, keepdims=keep)

    return Operation(1, some_axes, fun)


def _mask(rng: np.random.Generator) -> tuple:
    return (int(rng.integers(3)), bool(rng.integers(2)))


def _place(rng: np.random.Generator) -> tuple:
    return (INDICES[rng.integers(8)], bool(rng.integers(2)))


def _logsumexp(lib: Library, x: Any, axis: int) -> Any:
    top = lib.np.max(x, axis=axis, keepdims=True)
    return lib.np.log(lib.np.sum(lib.np.exp(x - top), axis=axis)) + lib.np.squeeze(top, axis=axis)


def _mask_of(x: Any, k: int) -> Any:
    if x.ndim == 0:
        raise ValueError("NumPy takes 0-d masks, JAX does not")
    return mask_of(x.shape, k)


def _write_at_mask(lib: Library, x: Any, y: Any, k: int, add: bool) -> Any:
    return lib.write(x, _mask_of(x, k), lib.np.sum(y), add)


def _write_at_places(lib: Library, x: Any, y: Any, add: bool) -> Any:
    np.broadcast_shapes(y.shape, (*x.shape[:-1], 2))  # where there are no elements NumPy takes other shapes, too
    return lib.write(x, (Ellipsis, np.array([2, 0])), y, add)


def _gap(x: Any, axis: int) -> Any:
    """neighbors in size; equal elements keep their order."""
    gaps = np.diff(np.sort(x, axis=axis), axis=axis)
    return np.where(gaps == 0, 1.0, gaps)


def _rank(lib: Library, x: Any, y: Any) -> Any:
    return lib.np.take_along_axis(y + 0 * x, lib.np.argsort(x + 0 * y, axis=-1), axis=-1)


def _pick(lib: Library, x: Any, axis: int, name: str) -> Any:
    place = getattr(lib.np, name)(x, axis=axis, keepdims=True)
    return lib.np.take_along_axis(x * x, place, axis=axis)


def _axis_and(*choices: Any) -> Any:
    return lambda rng: (*one_axis(rng), choices[rng.integers(len(choices))])


def _split(lib: Library, x: Any, axis: int) -> Any:
    if x.shape[axis] < 2:
        raise ValueError("NumPy takes cuts beyond the end, JAX does not")
    parts = lib.np.split(x, [1, 2], axis=axis)
    return lib.np.concatenate([part * (k + 1.0) for k, part in enumerate(parts)], axis=axis)


def _triangle(lib: Library, x: Any, name: str, k: int) -> Any:
    if x.ndim < 2:
        raise ValueError("NumPy takes one axis for a row, JAX does not")
    return getattr(lib.np, name)(x, k)


def _quantiles(np: Any, x: Any, **where: Any) -> Any:
    if x.ndim == 0:
        raise ValueError("keepdims adds an axis to a 0-d array in JAX, not in NumPy")
    return np.quantile(x, SHARES, **where)


def _take(lib: Library, x: Any, axis: int, mode: str) -> Any:
    if x.ndim == 0 or not x.shape[axis]:
        raise ValueError("NumPy lets axis=0 of a 0-d array pass; covector and JAX do not. Of none it never returns")
    return lib.np.take(x, np.array([[0, 4], [-1, 1]]), axis=axis, mode=mode)


def _attention(lib: Library, x: Any, y: Any) -> Any:
    if x.ndim != 2 or y.ndim != 2:
        raise ValueError("attention of sequences of features")
    return lib.nn.dot_product_attention(x[:, None], y[:, None], lib.np.sin(y)[:, None])[:, 0]


def _convolution(lib: Library, x: Any, y: Any, stride: int) -> Any:
    if x.ndim != 2 or y.ndim != 2 or len(x) != len(y):
        raise ValueError("channels first")
    return lib.nn.conv(x[None], lib.np.stack([y, lib.np.sin(y)]), stride=stride, padding=1)


def _pooled(lib: Library, x: Any, name: str) -> Any:
    if x.ndim != 2 or x.shape[-1] < 2:
        raise ValueError("channels first")
    return getattr(lib.nn, name)(x[None], 2, stride=1)


def _bins(lib: Library, x: Any, y: Any) -> Any:
    if not y.size:
        raise ValueError("where there is nothing to take, NumPy never returns")
    places = lib.np.searchsorted(np.array([-1.0, 0.1, 0.9]), x) + lib.np.digitize(x, np.array([-0.4, 0.6]))
    return lib.np.take(lib.np.reshape(y, (-1,)), places, mode="wrap") * x


STRUCTURAL = {
    "sum": reduction(lambda np, x, **k: np.sum(x, **k), complex_too=True),
    "mean": reduction(lambda np, x, **k: np.mean(x, **k), complex_too=True),
    "max": reduction(lambda np, x, **k: np.max(x, **k)), "min": reduction(lambda np, x, **k: np.min(x, **k)),
    "prod": reduction(lambda np, x, **k: np.prod(x, **k), complex_too=True),
    "var": reduction(lambda np, x, **k: np.var(x, **k), complex_too=True),
    "std": reduction(lambda np, x, **k: np.std(x, **k), margin=lambda x, axis, keep: np.std(x, axis=axis)),
    "ptp": reduction(lambda np, x, **k: np.ptp(x, **k)),
    "median": reduction(lambda np, x, **k: np.median(x, **k)),
    "quantile": reduction(_quantiles),
    "percentile": reduction(lambda np, x, **k: np.percentile(x, 40.0, **k)),
    "average": Operation(1, one_of(0, -1), lambda lib, x, axis: lib.np.average(
        x, axis=axis, weights=np.arange(1.0, x.shape[axis] + 1)), complex_too=True),
    "logsumexp": Operation(1, one_axis, _logsumexp),
    "logsumexp_of_scipy": reduction(lambda np, x, **k: x, complex_too=False)._replace(
        fun=lambda lib, x, axis, keep: lib.special.logsumexp(x, axis=axis, keepdims=keep)),
    "norm": Operation(1, lambda rng: (*one_of(None, 1, 2, 3)(rng), int(rng.integers(-2, 1))),
                      lambda lib, x, order, axis: lib.np.linalg.norm(x, order, axis=axis),
                      margin=lambda x, order, axis: np.linalg.norm(x, axis=axis)),
    **{f"{name}_where": _masked_reduction(name) for name in ("sum", "mean", "max", "min", "prod", "var")},
    **{name: _nan_reduction(name) for name in ("nansum", "nanprod", "nanvar", "nanmax", "nanmean", "nanmin")},
    "cumsum": along(lambda np, x, axis: np.cumsum(x, axis=axis), complex_too=True),
    "cumprod": along(lambda np, x, axis: np.cumprod(x, axis=axis), complex_too=True),
    "diff": along(lambda np, x, axis: np.diff(x, axis=axis), complex_too=True),
    "gradient": along(lambda np, x, axis: np.gradient(x, axis=axis)),
    "trapezoid": along(lambda np, x, axis: np.trapezoid(x, dx=0.5, axis=axis)),
    "ediff1d": unary(lambda np, x: np.ediff1d(x)), "cov": unary(lambda np, x: np.cov(x)),
    "sort": along(lambda np, x, axis: np.sort(x, axis=axis), margin=_gap),
    "rank": Operation(2, no_parameters, _rank, margin=lambda x, y: _gap(x + 0 * y, -1)),
    "argmax": Operation(1, _axis_and("argmax", "argmin"), _pick, margin=lambda x, axis, name: _gap(x, axis)),
    "bins": Operation(2, no_parameters, _bins, margin=lambda x, y: np.subtract.outer(
        x, np.array([-1.0, -0.4, 0.1, 0.6, 0.9]))),
    "flip": along(lambda np, x, axis: np.flip(x, axis), complex_too=True),
    "roll": Operation(1, _axis_and(1, -2), lambda lib, x, axis, shift: lib.np.roll(x, shift, axis), complex_too=True),
    "rot90": chosen(lambda np, x, k: np.rot90(x, k), 1, 2, 3),
    "transpose": unary(lambda np, x: np.transpose(x), complex_too=True),
    "swapaxes": unary(lambda np, x: np.swapaxes(x, 0, -1), complex_too=True),
    "moveaxis": unary(lambda np, x: np.moveaxis(x, 0, -1)), "ravel": unary(lambda np, x: np.ravel(x)),
    "reshape": chosen(lambda np, x, shape: np.reshape(x, shape), (-1,), (3, -1), (1, -1), (-1, 1), (2, 3),
                      complex_too=True),
    "expand_dims": chosen(lambda np, x, axis: np.expand_dims(x, axis), 0, -1, (0, 1)),
    "squeeze": unary(lambda np, x: np.squeeze(x)),
    "broadcast": unary(lambda np, x: np.broadcast_to(x, (2, *x.shape)), complex_too=True),
    "tile": chosen(lambda np, x, reps: np.tile(x, reps), 2, (2, 1)),
    "repeat": Operation(1, one_axis, lambda lib, x, axis: lib.np.repeat(x, 2, axis=axis), complex_too=True),
    "repeat_by_counts": Operation(1, no_parameters, lambda lib, x: lib.np.repeat(
        x, np.arange(x.shape[0]) % 3, axis=0)),
    "pad": chosen(lambda np, x, mode: np.pad(x, 1, mode=mode), "constant", "edge", "wrap", "reflect", "symmetric",
                  complex_too=True),
    "concatenate": Operation(2, one_axis, lambda lib, x, y, axis: lib.np.concatenate([x, y], axis=axis),
                             complex_too=True),
    "stack": Operation(2, one_axis, lambda lib, x, y, axis: lib.np.stack([x, y], axis=axis), complex_too=True),
    "stacked_rows": Operation(2, one_of("vstack", "hstack", "dstack", "column_stack"),
                              lambda lib, x, y, name: getattr(lib.np, name)([x, y])),
    "block": binary(lambda np, x, y: np.block([[x, x], [y, y]])),
    "append": Operation(2, one_of(None, 0, -1), lambda lib, x, y, axis: lib.np.append(x, y, axis=axis)),
    "insert": Operation(2, one_of(0, 2), lambda lib, x, y, place: lib.np.insert(x, place, lib.np.sum(y), axis=-1),
                        kinds=("f", "fib")),
    "delete": chosen(lambda np, x, place: np.delete(x, place, axis=-1), 0, -1),
    "split": Operation(1, one_of(0, -1), _split),
    "triangle": Operation(1, lambda rng: (*one_of("tril", "triu")(rng), int(rng.integers(-1, 2))),
                          _triangle, complex_too=True),
    "diag": chosen(lambda np, x, k: np.diag(x, k), -1, 0, 1), "diagonal": chosen(
        lambda np, x, k: np.diagonal(x, k, -2, -1), 0, 1),
    "index": chosen(lambda np, x, index: x[index], *INDICES, complex_too=True),
    "gather": chosen(lambda np, x, index: x[index], *GATHERS, complex_too=True),
    "boolean_index": chosen(lambda np, x, k: x[_mask_of(x, k)], 0, 1, complex_too=True),
    "boolean_rows": chosen(lambda np, x, k: x[..., _mask_of(x.reshape(-1, *x.shape[-1:])[0], k)], 0, 2),
    "take": Operation(1, _axis_and("wrap", "clip"), _take),
    "compress": chosen(lambda np, x, axis: np.compress(mask_of((x.shape[axis],), 1), x, axis=axis), 0, -1),
    "write": Operation(2, _place, lambda lib, x, y, index, add: lib.write(x, index, y, add), complex_too=True),
    "write_at_mask": Operation(2, _mask, _write_at_mask, kinds=("f", "fib")), "write_at_places": Operation(
        2, lambda rng: (bool(rng.integers(2)),), _write_at_places, kinds=("f", "fib")),
    "softmax": Operation(1, one_axis, lambda lib, x, axis: lib.nn.softmax(x, axis=axis)),
    "log_softmax": Operation(1, one_axis, lambda lib, x, axis: lib.nn.log_softmax(x, axis=axis)),
    "standardize": Operation(1, one_axis, lambda lib, x, axis: lib.nn.standardize(x, axis=axis, eps=0.1)),
    "attention": Operation(2, no_parameters, _attention), "convolution": Operation(2, one_of(1, 2), _convolution),
    "pooling": Operation(1, one_of("max_pool", "avg_pool"), _pooled),
}  # fmt: skip
