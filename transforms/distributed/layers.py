"""Layers over a mesh for use in `shard_map`: tensor-parallel dense layers, and a pipeline of stages."""

import numpy as np

from ...core.errors import ShapeError, at_user_line
from ...core.ops.selection import where
from ...core.ops.shaping import stack
from ...core.trace.device import constant
from ...core.types import Array, Callable, PyTree
from ..collectives.collectives import axis_index, axis_size, psum, pvary
from ..collectives.exchanges import ppermute


def dense_columns(x: Array, w: Array, b: Array | None = None) -> Array:
    """Compute this place's columns of `x @ w + b`, of a dense layer whose output features are cut along a mesh axis.

    Args:
        x: `(…, n)`, the same at all places.
        w: `(n, k)`, this place's columns: the spec of the whole matrix is `P(None, "model")`.
        b: `(k,)`, likewise, `P("model")`.
    Returns:
        `(…, k)`, which varies. No values are exchanged; in reverse mode the cotangent of x is summed over the places.

    >>> import numpy as np
    >>> import covector.distributed as dist
    >>> from covector.distributed import P
    >>> mesh = dist.Mesh((2,), ("model",))
    >>> f = dist.shard_map(dist.dense_columns, mesh, (P(), P(None, "model")), P(None, "model"))
    >>> f(np.ones((1, 2)), np.arange(8.0).reshape(2, 4))
    array([[ 4.,  6.,  8., 10.]])
    """
    y = x @ w
    return y if b is None else y + b


def dense_rows(x: Array, w: Array, b: Array | None = None, *, axis_name: str) -> Array:
    """Compute `x @ w + b` of a dense layer whose input features are cut along a mesh axis: one `psum`.

    Args:
        x: `(…, n)`, this place's features, as `dense_columns` gives them.
        w: `(n, k)`, this place's rows: the spec of the whole matrix is `P("model", None)`.
        b: `(k,)`, the same at all places.
        axis_name: the axis.
    Returns:
        `(…, k)`, the same at all places.

    >>> import numpy as np
    >>> import covector.distributed as dist
    >>> from covector.distributed import P
    >>> mesh = dist.Mesh((2,), ("model",))
    >>> rows = lambda x, w: dist.dense_rows(x, w, axis_name="model")
    >>> f = dist.shard_map(rows, mesh, (P(None, "model"), P("model")), P())
    >>> f(np.ones((1, 4)), np.ones((4, 2)))
    array([[4., 4.]])
    """
    y = psum(x @ w, axis_name)
    return y if b is None else y + b


def pipeline(stage: Callable[..., Array], params: PyTree, batches: Array, *, axis_name: str) -> Array:
    """Run micro-batches through a chain of stages, one stage at each place of a mesh axis.

    Args:
        stage: `stage(params, x)`, whose result has the shape and dtype of x.
        params: those of this place's stage, which vary along the axis.
        batches: `(m, …)`, m micro-batches, the same at all places.
        axis_name: the axis, with n places.
    Returns:
        `(m, …)`, what the last stage gives, the same at all places. It takes `m + n - 1` steps: the places compute at
        the same time, each on another micro-batch, and hand on what they have with `ppermute`.
    Raises:
        ShapeError: a stage changes the shape.

    >>> import numpy as np
    >>> import covector.distributed as dist
    >>> from covector.distributed import P
    >>> mesh = dist.Mesh((2,), ("stage",))
    >>> f = lambda w, x: dist.pipeline(lambda w, x: w[0] * x + 1, w, x, axis_name="stage")
    >>> dist.shard_map(f, mesh, (P("stage"), P()), P())(np.array([2.0, 3.0]), np.array([[1.0], [2.0]]))
    array([[10.],
           [16.]])
    """
    places, here = axis_size(axis_name), axis_index(axis_name)
    steps = [(k, k + 1) for k in range(places - 1)]
    batches = pvary(batches, axis_name)
    handed, results = batches[0] * 0, []
    for t in range(len(batches) + places - 1):
        x = where(here == 0, batches[min(t, len(batches) - 1)], handed)
        y = stage(params, x)
        if y.shape != x.shape:
            raise ShapeError(f"pipeline needs stages that keep the shape, but one made {tuple(y.shape)} of "
                             f"{tuple(x.shape)}; put what changes it before or behind the pipeline{at_user_line()}")
        if t >= places - 1:
            results.append(y)
        if t < len(batches) + places - 2:
            handed = ppermute(y, axis_name, steps)
    last = stack(*results, axis=0)
    return psum(where(here == places - 1, last, constant(np.zeros((), last.dtype), last)), axis_name)
