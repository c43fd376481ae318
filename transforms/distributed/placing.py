"""Convert between whole arrays and per-process shards: shard, gather, replicate."""

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.backend import is_array
from ...core.errors import ShapeError, at_user_line
from ...core.trace.device import constant
from ...core.trace.tracer import Tracer
from ...core.types import Any, PyTree
from ..arguments.arguments import flatten, settle
from ..ranks.placed import at_line
from ..ranks.primitives import rank_sum, rank_vary
from .mesh import Mesh
from .specs import check_fits, spec_leaves


def shard(tree: PyTree, mesh: Mesh, specs: PyTree) -> PyTree:
    """Cut whole arrays, the same on all ranks, to the parts that lie in this process.

    Args:
        tree: a pytree of whole arrays.
        mesh: the `Mesh`.
        specs: a `PartitionSpec` for all leaves, or a pytree prefix of them.
    Returns:
        the same structure of local arrays; on one process the arrays themselves.
    Raises:
        ShapeError: an array cannot be cut as its spec says.

    >>> import numpy as np
    >>> import covector.distributed as dist
    >>> dist.shard(np.arange(4.0), dist.Mesh((2,), ("data",)), dist.P("data"))
    array([0., 1., 2., 3.])
    """
    leaves, rebuild = flatten(tree)
    found = spec_leaves(specs, tree, mesh, "the specs of shard")
    counts = dict(zip(mesh.axis_names, mesh.shape))
    out = []
    for k, (x, spec) in enumerate(zip(map(settle, leaves), found)):
        check_fits(x, spec, counts, f"leaf {k} given to shard")
        out.append(_part(x, spec, mesh))
    return rebuild(out)


def _part(x, spec, mesh):
    index = []
    for d, names in enumerate(spec.parts):
        at, ranks = _along(names, mesh)
        length = aval_of(x).shape[d] // ranks
        index.append(slice(at * length, (at + 1) * length) if ranks > 1 else slice(None))
    if all(i == slice(None) for i in index):
        return x
    for group in _groups([name for part in spec.parts for name in part], mesh):
        x = rank_vary(x, at_line(group, x)) if isinstance(x, Tracer) else x
    part = x[tuple(index)]
    return part if isinstance(part, Tracer) else np.ascontiguousarray(part) if type(part) is np.ndarray else part.copy()


def _along(names, mesh):
    """`(position, number)` of this rank among those along several axes, the first of them outermost."""
    at, ranks = 0, 1
    for name in names:
        k = mesh.axis(name)
        n = mesh.shape[k] // mesh.local_shape[k]
        at, ranks = at * n + mesh.coordinates[k], ranks * n
    return at, ranks


def _groups(names, mesh):
    return [mesh.group(name) for name in names if mesh.group(name) is not None]


def gather(tree: PyTree, mesh: Mesh, specs: PyTree) -> PyTree:
    """Put the parts that lie in all processes together; the inverse of `shard`.

    Args:
        tree: a pytree of local arrays.
        mesh, specs: as for `shard`.
    Returns:
        the same structure of whole arrays, on every rank.
    Raises:
        ShapeError: a spec names more axes than its array has.

    >>> import numpy as np
    >>> import covector.distributed as dist
    >>> dist.gather(np.arange(4.0), dist.Mesh((2,), ("data",)), dist.P("data"))
    array([0., 1., 2., 3.])
    """
    leaves, rebuild = flatten(tree)
    found = spec_leaves(specs, tree, mesh, "the specs of gather")
    return rebuild([_whole(settle(x), spec, mesh) for x, spec in zip(leaves, found)])


def as_plain(x):
    """An array of the library that holds `x`; one of NumPy of a number."""
    return x if is_array(x) else np.asarray(x)


def _whole(x, spec, mesh):
    shape = aval_of(x).shape
    if len(spec.parts) > len(shape):
        raise ShapeError(f"gather was given the spec {spec}, which names {len(spec.parts)} axes, for an array of shape "
                         f"{shape}; name at most {len(shape)}{at_user_line()}")
    for d, names in enumerate(spec.parts):
        for name in reversed(names):
            group = mesh.group(name)
            if group is None:
                continue
            if isinstance(x, Tracer):
                x = _summed(x, d, group)
            else:
                parts = group.gather(as_plain(x))
                shape = (*x.shape[:d], group.size * x.shape[d], *x.shape[d + 1 :])
                x = parts.transpose((*range(1, d + 1), 0, *range(d + 1, parts.ndim))).reshape(shape)
    return x


def _summed(x, d, group):
    """The parts of a traced value put together: the sum over ranks of each in its place, so that its transpose cuts."""
    shape = aval_of(x).shape
    lead = shape[:d]
    one = np.zeros(group.size, shape and x.dtype)
    one[group.rank] = 1
    one = constant(one.reshape((1,) * d + (group.size,) + (1,) * (len(shape) - d)), x)
    placed = x.reshape((*lead, 1, *shape[d:])) * one
    return rank_sum(placed, at_line(group, placed)).reshape((*lead, group.size * shape[d], *shape[d + 1 :]))


def replicate(tree: PyTree, mesh: Mesh) -> PyTree:
    """The values of the first rank, on every rank: for parameters that each rank made by itself, or that one read.

    Args:
        tree: a pytree of arrays, of the same shapes on all ranks.
        mesh: the `Mesh`.
    Returns:
        the same structure.

    >>> import numpy as np
    >>> import covector.distributed as dist
    >>> dist.replicate({"w": np.ones(2)}, dist.Mesh((2,), ("data",)))
    {'w': array([1., 1.])}
    """
    leaves, rebuild = flatten(tree)
    out: list[Any] = []
    for x in map(settle, leaves):
        for name in mesh.axis_names:
            group = mesh.group(name)
            if group is not None:
                x = group.broadcast(as_plain(x))
        out.append(x)
    return rebuild(out)
