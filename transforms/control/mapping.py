"""Map a function along an axis (`map`), and cumulative combinations (`associative_scan`)."""


import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.axes import normal_axis
from ...core.checks import check_function, whole
from ...core.errors import ShapeError, at_user_line
from ...core.ops.shaping import concatenate
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import flatten, same_structure, settle
from ..interpreters.vmap import vmap
from .scan import scan


def map(fun: Callable[..., Any], xs: PyTree, *, batch_size: int | None = None) -> PyTree:  # noqa: A001 - JAX's name
    """Call a function on each element along axis 0, one after the other, and stack the outputs.

    The result is that of `vmap`, in the memory of one example.

    Args:
        fun: a function of one pytree.
        xs: a pytree of arrays of equal length along axis 0.
        batch_size: how many elements to process at once, by `vmap`; one if None.
    Returns:
        the outputs, stacked along a new axis 0.
    Raises:
        ShapeError: the lengths differ, or `batch_size` is not positive.

    >>> import numpy as np, covector
    >>> covector.map(lambda x: x @ x, np.arange(6.0).reshape(3, 2))
    array([ 1., 13., 41.])
    """
    check_function(fun, "map")
    if batch_size is None:
        return scan(lambda _, x: ((), fun(x)), (), xs)[1]
    if whole(batch_size, "batch_size of map") < 1:
        raise ShapeError(f"map needs a batch_size of at least 1, but got {batch_size}; leave it out for one at a time"
                         f"{at_user_line()}")
    leaves, rebuild = flatten(xs)
    leaves = [settle(x) for x in leaves]
    n = _length(leaves, 0, "map")
    batches = n // batch_size
    covered = batches * batch_size
    batched = vmap(fun)
    parts = []
    if batches:
        rows = [x[:covered].reshape((batches, batch_size, *x.shape[1:])) for x in leaves]
        parts.append(scan(lambda _, x: ((), batched(x)), (), rebuild(rows))[1])
    if covered < n or not n:
        rest = rebuild([x[covered:] for x in leaves])
        parts.append(batched(rest) if n else scan(lambda _, x: ((), fun(x)), (), rest)[1])
    flat = [flatten(part) for part in parts]
    if batches:
        flat[0] = [settle(y).reshape((covered, *y.shape[2:])) for y in flat[0][0]], flat[0][1]
    return flat[0][1]([ys[0] if len(ys) == 1 else concatenate(*ys, axis=0) for ys in zip(*[ys for ys, _ in flat])])


def associative_scan(fun: Callable[..., Any], elems: PyTree, reverse: bool = False, axis: int = 0) -> PyTree:
    """Compute cumulative combinations along an axis, with a logarithmic number of calls.

    Args:
        fun: `fun(a, b)` combines two slices of `elems`, element by element along `axis`; it must be associative.
        elems: a pytree of arrays of equal length along `axis`.
        reverse: combine from the last element; `a` then holds what comes later.
        axis: the axis.
    Returns:
        a pytree like `elems`: element k is the combination of elements 0 … k.
    Raises:
        ShapeError: the lengths differ, or `fun` changes a shape.
        TreeError: `fun` changes the structure.

    The recursion is that of Blelloch (1990), Prefix sums and their applications.

    >>> import numpy as np, covector
    >>> covector.associative_scan(np.multiply, np.array([1.0, 2.0, 3.0, 4.0]))
    array([ 1.,  2.,  6., 24.])
    """
    check_function(fun, "associative_scan")
    leaves, rebuild = flatten(elems)
    leaves = [settle(x) for x in leaves]
    leaves = [x if hasattr(x, "shape") else np.asarray(x) for x in leaves]
    if not leaves:
        return elems
    axes = [normal_axis(axis, x.ndim) for x in leaves]
    _length(leaves, axis, "associative_scan")
    if reverse:
        leaves = [_cut(x, k, None, None, -1) for x, k in zip(leaves, axes)]

    def combine(a, b):
        found = fun(rebuild(a), rebuild(b))
        found = same_structure(found, rebuild, len(a), "associative_scan", "outputs of its function")
        found = [settle(y) for y in found]
        for x, y in zip(a, found):
            if aval_of(y).shape != x.shape:
                raise ShapeError(f"associative_scan needs a function that keeps shapes, but for slices of shape "
                                 f"{x.shape} it returned {aval_of(y).shape}; write it for whole slices, not for single "
                                 f"elements{at_user_line()}")
        return found

    out = _running(combine, leaves, axes)
    if reverse:
        out = [_cut(x, k, None, None, -1) for x, k in zip(out, axes)]
    return rebuild(out)


def _running(combine, xs, axes):
    """The combinations up to each element: those of pairs first, then of what lies between."""
    n = xs[0].shape[axes[0]]
    if n < 2:
        return xs
    pairs = combine([_cut(x, k, 0, n - 1, 2) for x, k in zip(xs, axes)],
                    [_cut(x, k, 1, None, 2) for x, k in zip(xs, axes)])
    odd = _running(combine, pairs, axes)
    out = []
    before = [_cut(y, k, None, -1, 1) for y, k in zip(odd, axes)] if n % 2 == 0 else odd
    even = combine(before, [_cut(x, k, 2, None, 2) for x, k in zip(xs, axes)]) if n > 2 else before
    for x, even_rest, y, k in zip(xs, even, odd, axes):
        evens = concatenate(_cut(x, k, 0, 1, 1), even_rest, axis=k)
        out.append(_interleaved(evens, y, k))
    return out


def _interleaved(a, b, k):
    """a[0], b[0], a[1], b[1], … along axis `k`; `a` may have one more."""
    n = b.shape[k]
    both = concatenate(*[v.reshape((*v.shape[: k + 1], 1, *v.shape[k + 1 :])) for v in (_cut(a, k, 0, n, 1), b)],
                       axis=k + 1)
    both = both.reshape((*b.shape[:k], 2 * n, *b.shape[k + 1 :]))
    return both if a.shape[k] == n else concatenate(both, _cut(a, k, n, None, 1), axis=k)


def _cut(x, k, start, stop, step):
    return x[(*(slice(None),) * k, slice(start, stop, step))]


def _length(leaves, axis, name):
    """The one length of all arrays on `axis`."""
    avals = [aval_of(x) for x in leaves]
    sizes = {a.shape[axis] if -a.ndim <= axis < a.ndim else None for a in avals}
    if len(sizes) != 1 or None in sizes:
        raise ShapeError(f"{name} needs arrays of one length on axis {axis}, but got shapes {[a.shape for a in avals]}"
                         f"; cut or reshape them{at_user_line()}")
    return sizes.pop()
