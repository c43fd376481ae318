"""Jacobians with rows partitioned over ranks."""

from ...core.arrays.avals import aval_of
from ...core.checks import check_function
from ...core.errors import ShapeError, at_user_line
from ...core.types import Array, Callable
from ..interpreters.basis import rows_between
from ..interpreters.gradient import vjp
from ..interpreters.jacobian import check_answers, jacrev
from .mesh import Mesh


def sharded_jacobian(fun: Callable[..., Array], mesh: Mesh, axis_name: str = "data") -> Callable[..., Array]:
    """Return a function that computes a Jacobian in reverse mode, each rank its own rows of it.

    Args:
        fun: a function of one array that returns an array; both are the same on all ranks.
        mesh: the `Mesh`.
        axis_name: the axis along which the first axis of the output is cut.
    Returns:
        a function of the same argument; it returns this process's part of what `jacrev` gives, as `shard` of it with
        the spec `P(axis_name)`, without any exchange. `gather` puts it together.
    Raises:
        ShapeError: the places do not divide the first axis of the output.

    >>> import numpy as np
    >>> import covector.distributed as dist
    >>> dist.sharded_jacobian(lambda x: x * x, dist.Mesh((2,), ("data",)))(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    check_function(fun, "sharded_jacobian")
    places = mesh.shape[mesh.axis(axis_name)]

    def check_shape(shape):
        if not shape or shape[0] % places:
            raise ShapeError(f"sharded_jacobian shares out the first axis of the output over {places} places, but "
                             f"it has shape {shape}; pad it to a multiple{at_user_line()}")

    def rows(x):
        group = mesh.group(axis_name)
        if group is None:
            found = jacrev(fun)(x)
            check_shape(found.shape[: found.ndim - len(aval_of(x).shape)])
            return found
        out, pullback = vjp(fun, x)
        aval = aval_of(out)
        check_shape(aval.shape)
        given = aval_of(x)
        check_answers([given], [aval], False, "sharded_jacobian")
        count = aval.size // group.size
        between = group.rank * count, (group.rank + 1) * count
        (found,) = rows_between(lambda cts: pullback(cts[0]), [aval], between, given.size,
                                (None, None, "sharded_jacobian"), [out], [aval.dtype.kind == "c"])
        return found.reshape((aval.shape[0] // group.size, *aval.shape[1:], *given.shape))

    return rows

