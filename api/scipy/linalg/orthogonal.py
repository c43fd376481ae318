"""The polar decomposition."""

from typing import Any

import numpy as np

from ...core.arrays.avals import make_aval
from ...core.checks import one_of
from ...core.errors import ShapeError, at_user_line
from ...core.ops.linalg.decompositions import adjoint, hermitian
from ...core.ops.linalg.guards import regular
from ...numpy import linalg
from ...numpy.surface import Array, floating
from ...transforms.custom.two_way import Pushed
from .equations import solve_sylvester


def polar(a: Array, side: str = "right") -> tuple[Array, Array]:
    """Compute the polar decomposition `a = u @ p`, or `a = p @ u` for the left side.

    Args:
        a: `(…, m, n)`. The derivative exists where its rank is `min(m, n)`, whether or not singular values repeat.
        side: "right" or "left", where `p` stands.
    Returns:
        `(u, p)`: `u` of the shape of `a`, with orthonormal columns (rows, if it has more columns), and `p` Hermitian
        and positive semidefinite.
    Raises:
        ShapeError: `a` is no matrix.
        ValueError: `side` is none of these.
        LinAlgError: the derivative at a matrix of lower rank is requested.
    Derivative: with a = u p, uᴴ du solves a Sylvester equation with `p` on both sides.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.polar(np.array([[0.0, -2.0], [3.0, 0.0]]))
    (array([[ 0., -1.],
           [ 1.,  0.]]), array([[3., 0.],
           [0., 2.]]))
    """
    side = one_of(side, "side of polar", ("right", "left"))
    a = floating(a)
    if a.ndim < 2:
        raise ShapeError(f"polar needs matrices (…, m, n), but got shape {tuple(a.shape)}; reshape it{at_user_line()}")
    wide = a.shape[-2] < a.shape[-1]
    u = _UNITARY(adjoint(a) if wide else a)[0]
    u = adjoint(u) if wide else u
    return u, hermitian(adjoint(u) @ a if side == "right" else a @ adjoint(u))


class _Unitary(Pushed):
    """The factor with orthonormal columns of a matrix that has at least as many rows."""

    name = "polar"

    def avals(self, given: Any) -> Any:
        return [make_aval(given[0].shape, given[0].dtype)]

    def run(self, *values: Any) -> Any:
        w, _, vh = np.linalg.svd(np.asarray(values[0]), full_matrices=False)
        return [w @ vh]

    def jvp(self, values: Any, outs: Any, tangents: Any) -> Any:
        u, da = outs[0], tangents[0]
        p = regular(hermitian(adjoint(u) @ values[0]), False, "the polar factors have a derivative only where the "
                    "matrix has full rank", "add a multiple of the identity")
        moved = adjoint(u) @ da
        turn = u @ solve_sylvester(p, p, moved - adjoint(moved))
        if da.shape[-2] == da.shape[-1]:
            return [turn]
        return [turn + adjoint(linalg.solve(p, adjoint(da - u @ moved)))]


_UNITARY = _Unitary()
