"""Collectives over a named mapped axis: psum and others, as primitives."""

from functools import partial
from typing import TypeAlias

import numpy as np

from ...core.arrays.avals import make_aval
from ...core.arrays.axes import normal_axis
from ...core.errors import ShapeError, at_user_line
from ...core.ops.reductions import reduce_max, reduce_min, reduce_sum
from ...core.ops.samples import Sample
from ...core.ops.shaping import broadcast_to
from ...core.primitive.families import linear
from ...core.trace.device import constant
from ...core.trace.tracer import make_batched
from ...core.types import Array, PyTree
from ..arguments.arguments import flatten
from ..interpreters.vmap import Unbatched
from ..ranks.placed import at_line
from ..ranks.primitives import rank_gather, rank_scatter, rank_sum
from ..scope.axis_environment import axis_trace
from .along_axes import along_axes as _along_axes, marked as _marked
from .varying import entered, extreme, mark_varying

AxisName: TypeAlias = str | tuple[str, ...]


def _names(axis_name):
    return axis_name if isinstance(axis_name, tuple) else (axis_name,)


def _size_of(names):
    size = 1
    for name in names:
        size *= axis_trace(name).total
    return size


def _rest(names, trace):
    return tuple(n for n in names if n != trace.axis_name)


def _samples(*tail, **params):
    """Collectives mean something only inside vmap: the checker maps the first axis of each sample, of length 3."""

    def samples(rng):
        found = [Sample(rng.normal(size=(3, *tail, *s)), params={"names": ("i",), **params}) for s in ((2,), (), (0,))]
        found.append(Sample(rng.normal(size=(3, *tail)).astype(np.float32), params={"names": ("i",), **params}))
        found.append(Sample(rng.normal(size=(3, *tail, 2)) + 1j, params={"names": ("i",), **params}))
        return found

    return samples


_NO_SCALAR = {"()": "its operand has the mapped axis"}


def _psum_across(trace, values, batched, names):
    (x,) = values
    total = _total(trace, x) if batched[0] else x * trace.total
    rest = _rest(names, trace)
    return Unbatched(_psum(total, rest) if rest else total)


def _total(trace, x):
    """The sum over an axis of a batched value, over those in other processes too."""
    if trace.mesh and x.dtype.kind == "b":
        x = x.astype(np.int64)
    total = reduce_sum(x, (0,), False) if trace.size != 1 or not trace.mesh else x[0]
    if trace.mesh and total.dtype != x.dtype:
        total = total.astype(x.dtype)  # as in JAX; NumPy widens integers
    return total if trace.group is None else rank_sum(total, at_line(trace.group, total))


def _psum_transposed(ct, names):
    """The cotangent of what is summed: over an axis of a mesh the total has one cotangent for all, else one each."""
    for name in names:
        ct = mark_varying(ct, (name,)) if axis_trace(name).mesh else _psum(ct, (name,))
    return ct


_psum = _along_axes(linear(
    "psum",
    impl=lambda xp, x, *, names: x * _size_of(names),  # the same in every example
    transpose=_psum_transposed,
    shape=lambda x, names: x,
    batch=lambda x, names: _psum(x, names),
    across=_psum_across,
    varies=lambda given: False,
    effects="collective",
    samples=_samples(),
    absent=_NO_SCALAR,
))


def _gather_across(trace, values, batched, names, axis):
    (x,) = values
    if trace.mesh:
        return _gather_over_mesh(trace, x if batched[0] else trace.spread(x), axis)
    if not batched[0]:
        return Unbatched(_repeat(x, trace.size, axis))
    order = list(range(1, x.ndim))
    order.insert(axis, 0)
    return Unbatched(x.transpose(tuple(order)))


def _gather_over_mesh(trace, x, axis):
    """The values of all places at each place, which varies, as in JAX: each place has a cotangent for its copy."""
    whole = every_place(trace, x)
    order = list(range(1, whole.ndim))
    order.insert(axis, 0)
    whole = whole.transpose(tuple(order))
    return broadcast_to(whole, shape=(trace.size, *whole.shape))


def every_place(trace, x):
    """The values of all places of an axis along the first axis, from those that lie here."""
    if trace.group is None:
        return x
    parts = rank_gather(x, at_line(trace.group, x))
    return parts.reshape((trace.total, *parts.shape[2:]))


def _repeat(x, size, axis):
    shape = (*x.shape[:axis], 1, *x.shape[axis:])
    ones = constant(np.ones((1,) * axis + (size,) + (1,) * (x.ndim - axis), x.dtype), x)
    return x.reshape(shape) * ones


_all_gather = _along_axes(linear(
    "all_gather",  # a new axis with the values of all examples
    impl=lambda xp, x, *, names, axis: _repeat(x, _size_of(names), axis),
    transpose=lambda ct, names, axis: _psum_scatter(entered(ct, names), names, axis),
    shape=lambda x, names, axis: make_aval((*x.shape[:axis], _size_of(names), *x.shape[axis:]), x.dtype),
    batch=lambda x, names, axis: _all_gather(x, names, axis + 1),
    across=_gather_across,
    varies=lambda given: True,
    effects="collective",
    samples=_samples(axis=0),
    absent=_NO_SCALAR,
))


def _scatter_across(trace, values, batched, names, axis):
    (x,) = values
    total = reduce_sum(x, (0,), False) if batched[0] else trace.vary(x) * trace.size if trace.mesh else x * trace.size
    if trace.mesh and x.dtype.kind in "iu":
        total = total.astype(x.dtype)  # as `_total`
    slices = total.transpose((axis, *[i for i in range(total.ndim) if i != axis]))
    if trace.group is None:
        return slices
    slices = slices.reshape((trace.group.size, trace.size, *slices.shape[1:]))
    return rank_scatter(slices, at_line(trace.group, slices))


_psum_scatter = _along_axes(linear(
    "psum_scatter",  # the sum over examples, of which each keeps its own slice of `axis`
    impl=lambda xp, x, *, names, axis: _outside(names),
    transpose=lambda ct, names, axis: _all_gather(entered(ct, names), names, axis),
    shape=lambda x, names, axis: make_aval((*x.shape[:axis], *x.shape[axis + 1 :]), x.dtype),
    batch=lambda x, names, axis: _psum_scatter(x, names, axis + 1),
    across=_scatter_across,
    varies=lambda given: True,
    effects="collective",
    samples=_samples(3, axis=0),
    absent=_NO_SCALAR,
))


def _outside(names):
    raise ShapeError("psum_scatter of a value that is the same in every example has no slices; mark it with pvary first"
                     f"{at_user_line()}")


def psum(x: PyTree, axis_name: AxisName) -> PyTree:
    """Sum over a mapped axis; every example receives the total.

    Args:
        x: a pytree of arrays of any shape.
        axis_name: as given to `vmap(axis_name=…)`, or a tuple of names.
    Returns:
        the same structure and shapes.
    Raises:
        NameError: no axis of that name is mapped.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: x / covector.psum(x, "i"), axis_name="i")(np.array([1.0, 3.0]))
    array([0.25, 0.75])
    """
    names = _checked(axis_name)
    return _each(lambda v: _psum(entered(v, names), names), x)


def pmean(x: PyTree, axis_name: AxisName) -> PyTree:
    """Mean over a mapped axis; every example receives it.

    Args:
        x, axis_name: as in `psum`.
    Returns:
        the same structure and shapes.
    Raises:
        NameError: no axis of that name is mapped.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: x - covector.pmean(x, "i"), axis_name="i")(np.array([1.0, 3.0]))
    array([-1.,  1.])
    """
    size = _size_of(_checked(axis_name))
    return _each(lambda v: v / size, psum(x, axis_name))


def pmax(x: PyTree, axis_name: AxisName) -> PyTree:
    """Maximum over a mapped axis; every example receives it, and the derivative is split at ties.

    Args:
        x, axis_name: as in `psum`.
    Returns:
        the same structure and shapes.
    Raises:
        NameError: no axis of that name is mapped.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: covector.pmax(x, "i"), axis_name="i")(np.array([1.0, 3.0]))
    array([3., 3.])
    """
    return _each(lambda v: _extreme(reduce_max, v, _checked(axis_name)), x)


def pmin(x: PyTree, axis_name: AxisName) -> PyTree:
    """Minimum over a mapped axis; every example receives it, and the derivative is split at ties.

    Args:
        x, axis_name: as in `psum`.
    Returns:
        the same structure and shapes.
    Raises:
        NameError: no axis of that name is mapped.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: covector.pmin(x, "i"), axis_name="i")(np.array([1.0, 3.0]))
    array([1., 1.])
    """
    return _each(lambda v: _extreme(reduce_min, v, _checked(axis_name)), x)


def _extreme(reduce, v, names):
    for name in names:
        if axis_trace(name).mesh:
            v = extreme(entered(v, (name,)), (name,), reduce is reduce_max)
        else:
            v = reduce(_all_gather(v, (name,), 0), (0,), False)
    return v


def all_gather(x: PyTree, axis_name: AxisName, *, axis: int = 0, tiled: bool = False) -> PyTree:
    """Gather the values of all examples in every example.

    Args:
        x: a pytree of arrays.
        axis_name: the mapped axis, or a tuple of them, the first of them outermost.
        axis: the position of the gathered axis.
        tiled: concatenate along the existing `axis` instead of making a new one.
    Returns:
        each leaf with the new axis.
    Raises:
        NameError: no axis of that name is mapped.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: covector.all_gather(x, "i"), axis_name="i")(np.array([1.0, 3.0]))
    array([[1., 3.],
           [1., 3.]])
    """
    names = _checked(axis_name)
    size = _size_of(names)

    def gather(v):
        k = normal_axis(axis, v.ndim if tiled else v.ndim + 1)
        out = v
        for name in reversed(names):  # the first name is the outermost
            out = _all_gather(entered(out, (name,)), (name,), k)
        if len(names) > 1:
            out = out.reshape((*v.shape[:k], size, *v.shape[k:]))
        if not tiled:
            return out
        return out.reshape((*v.shape[:k], out.shape[k] * v.shape[k], *v.shape[k + 1 :]))

    return _each(gather, x)


def psum_scatter(x: PyTree, axis_name: AxisName, *, scatter_dimension: int = 0, tiled: bool = False) -> PyTree:
    """Sum over a mapped axis, and scatter the slices of the sum to the examples; the transpose of `all_gather`.

    Args:
        x: a pytree of arrays whose axis `scatter_dimension` is as long as the mapped axis (a multiple if `tiled`).
        axis_name: the mapped axis, or a tuple of them, the first of them outermost.
        scatter_dimension: the axis that is scattered.
        tiled: keep the axis, with one block of it per example.
    Returns:
        each leaf without that axis (or with its block).
    Raises:
        NameError, ShapeError.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: covector.psum_scatter(x, "i"), axis_name="i")(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([4., 6.])
    """
    names = _checked(axis_name)
    size = _size_of(names)

    def scatter(v):
        k = normal_axis(scatter_dimension, v.ndim)
        if v.shape[k] != size and not (tiled and v.shape[k] % size == 0):
            raise ShapeError(f"psum_scatter needs axis {k} of length {size}, the size of {axis_name!r}, "
                             f"but got shape {v.shape}; "
                             f"reshape it, or give tiled=True where that length divides it{at_user_line()}")
        if tiled:
            v = v.reshape((*v.shape[:k], size, v.shape[k] // size, *v.shape[k + 1 :]))
        if len(names) > 1:
            v = v.reshape((*v.shape[:k], *[axis_trace(name).total for name in names], *v.shape[k + 1 :]))
        for name in names:
            v = _psum_scatter(entered(v, (name,)), (name,), k)
        return v

    return _each(lambda v: scatter(pvary(v, axis_name)), x)


def pvary(x: PyTree, axis_name: AxisName) -> PyTree:
    """Mark a value as varying between the examples of a mapped axis; the values are unchanged.

    Args:
        x, axis_name: as in `psum`.
    Returns:
        the same values, batched over the axis.
    Raises:
        NameError: no axis of that name is mapped.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: covector.pvary(2.0, "i") * x, axis_name="i")(np.array([1.0, 3.0]))
    array([2., 6.])
    """
    for name in _checked(axis_name):
        trace = axis_trace(name)
        x = _each((lambda v, name=name: mark_varying(v, (name,))) if trace.mesh else partial(_marked, trace=trace), x)
    return x


def axis_index(axis_name: AxisName) -> Array:
    """Return the index of this example along a mapped axis.

    Args:
        axis_name: as given to `vmap(axis_name=…)`, or a tuple of names, the first of them outermost.
    Returns:
        an integer, shape `()`.
    Raises:
        NameError: no axis of that name is mapped.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: x * covector.axis_index("i"), axis_name="i")(np.array([5.0, 5.0]))
    array([0., 5.])
    """
    found = None
    for trace in map(axis_trace, _names(axis_name)):
        places = np.arange(trace.offset, trace.offset + trace.size)
        here = make_batched(trace, places if trace.library is None else trace.library.asarray(places))
        found = here if found is None else found * trace.total + here
    return np.array(0) if found is None else found


def _checked(axis_name):
    names = _names(axis_name)
    for name in names:
        axis_trace(name)
    return names


def _each(fun, tree):
    leaves, rebuild = flatten(tree)
    return rebuild([fun(np.asarray(v) if type(v) in (int, float, complex, bool) else v) for v in leaves])


def axis_size(axis_name: AxisName) -> int:
    """Return the number of examples along a mapped axis.

    Args:
        axis_name: as given to `vmap(axis_name=…)`, or a tuple of names.
    Returns:
        a Python integer; for several axes the product.
    Raises:
        NameError: no axis of that name is mapped.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: x / covector.axis_size("i"), axis_name="i")(np.array([1.0, 3.0]))
    array([0.5, 1.5])
    """
    return _size_of(_checked(axis_name))
