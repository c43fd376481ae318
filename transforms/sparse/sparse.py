"""Sparse Jacobians and Hessians, and the patterns of functions."""

from collections.abc import Sequence

from ...core.checks import check_function
from ...core.errors import ShapeError, at_user_line
from ...core.lazy import LazyModule
from ...core.types import Any, Callable
from ..arguments.transformed import transformed
from ..interpreters.gradient import grad

PATTERNS = LazyModule("covector.core.ops.sparse.patterns")
MAPS = LazyModule("covector.transforms.sparse.maps")
PLANS = LazyModule("covector.transforms.sparse.plan")


def sparsity(fun: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return a function that finds the sparsity pattern of the Jacobian, from the graph of the derivative.

    The pattern holds for all values of floating arguments: where a value decides (`where`, a maximum, indices that
    are computed), all that it may choose counts. Elements outside of it are 0 everywhere.

    Args:
        fun: a function of pytrees of arrays. It is staged, so Python control flow on traced values raises.
        argnums: position(s) of the argument(s) to differentiate.
    Returns:
        a function of arrays (or `ShapeDtype`) that returns a boolean `scipy.sparse.csr_array`: one row for each element
        of the outputs, one column for each of the arguments, leaf by leaf, each in the order of its axes.
    Raises:
        ShapeError: the pattern has more elements than memory should hold.
        MissingLibraryError: SciPy is not installed.

    >>> import numpy as np, covector
    >>> covector.sparsity(lambda x: x[1:] * x[:-1])(np.ones(4)).toarray().astype(int)
    array([[1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    check_function(fun, "sparsity")

    def sparsity_fun(*args, **kwargs):
        PATTERNS.need_scipy("sparsity")
        pattern = MAPS.FlatMap(fun, argnums, "sparsity", args, kwargs).pattern()
        pattern.sort_indices()
        return pattern

    return transformed(sparsity_fun, fun, sparsity, (fun, argnums))


def sparse_jacobian(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, *, mode: str = "auto", pattern: Any = None,
    colouring: Any = None, check: bool | None = None, holomorphic: bool = False, chunk_size: int | None = None,
    jit: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian as a `scipy.sparse` array, by few passes.

    Columns that share no row get one colour, and one forward pass for all of them; rows likewise one backward pass.

    Args:
        fun: a function of pytrees of arrays. It is staged, so Python control flow on traced values raises.
        argnums: position(s) of the argument(s) to differentiate.
        mode: "fwd" colours columns, "rev" rows, "both" some rows and the columns of the rest (or the reverse), which
            helps where some rows and some columns are full; "auto" takes what needs least, and columns where a
            `while_loop` may have no reverse rule, as in a compiled function.
        pattern: the sparsity pattern, any `scipy.sparse` array or matrix; its stored elements that are not 0 count. By
            default that of `sparsity(fun)`.
        colouring: a colour for each column (for each row with mode="rev"), integers.
        check: compare a product with a random vector with one by `fun`'s own derivative at each evaluation, for the
            price of one pass more. By default where a pattern is given.
        holomorphic: complex input, complex-differentiable.
        chunk_size: how many passes to run at a time (default: as many as fit a memory budget).
        jit: compile the passes of a plan when it is first evaluated; `fun` is not called again then, and what it closes
            over is constant.
    Returns:
        a function of the same arguments, which returns a `scipy.sparse.csr_array`, one row for each element of the
        outputs and one column for each of the arguments. Its method `plan(*args)` returns a plan for arguments of these
        shapes, with `shape`, `pattern`, `passes` (how many forward and backward ones), `rows` and `columns` of the
        elements: `plan(*args)` evaluates without looking for a pattern again, and `plan.values(*args)` gives the
        elements alone, as a function that can be differentiated, batched and compiled.
    Raises:
        RuleError: the pattern lacks an element; or the result would be traced.
        ShapeError: a pattern or a colouring of another shape.
        ValueError: a colouring that gives one colour to columns that meet in a row.
        DtypeError: an input is integer, or complex without `holomorphic`.

    >>> import numpy as np, covector
    >>> jac = covector.sparse_jacobian(lambda x: x[1:] * x[:-1])
    >>> jac(np.array([1.0, 2.0, 3.0])).toarray()
    array([[2., 1., 0.],
           [0., 3., 2.]])
    >>> jac.plan(np.ones(1000))
    <plan of sparse_jacobian: 999 x 1000 with 1998 elements, by 2 forward and 0 backward passes>
    """
    check_function(fun, "sparse_jacobian")
    if mode not in ("auto", "fwd", "rev", "both"):
        raise ValueError(f'sparse_jacobian needs mode "auto", "fwd", "rev" or "both", but got {mode!r}; choose one of '
                         f"them{at_user_line()}")
    options = pattern, colouring, check, holomorphic, chunk_size, mode, jit

    def plan(*args: Any, **kwargs: Any) -> Any:
        """Find the pattern and the colouring for arguments (or `ShapeDtype`) like these."""
        PATTERNS.need_scipy("sparse_jacobian")
        return PLANS.jacobian_plan(MAPS.FlatMap(fun, argnums, "sparse_jacobian", args, kwargs), PLANS.Options(*options))

    return _with_plan(plan, fun, sparse_jacobian, (fun, argnums), {
        "mode": mode, "pattern": pattern, "colouring": colouring, "check": check, "holomorphic": holomorphic,
        "chunk_size": chunk_size, "jit": jit})


def sparse_hessian(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, *, pattern: Any = None, colouring: Any = "star",
    check: bool | None = None, holomorphic: bool = False, chunk_size: int | None = None,
    jit: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the Hessian of a scalar-valued function as a `scipy.sparse` array.

    The pattern is that of the Jacobian of the gradient: it holds each pair of elements that meet in an operation that
    is not linear, and may hold pairs whose second derivatives cancel. It is made symmetric, and half of it is computed.

    Args:
        fun: returns a real scalar, shape `()`.
        argnums, pattern, check, holomorphic, chunk_size, jit: as in `sparse_jacobian`.
        colouring: "star", which reads elements off; "acyclic", which needs fewer passes and a sparse triangular solve;
            "columns", which does not use the symmetry; or a colour for each element, integers.
    Returns:
        a function of the same arguments with a method `plan`, as `sparse_jacobian` returns.
    Raises:
        ShapeError: the output is not a scalar; or as for `sparse_jacobian`.
        RuleError, ValueError, DtypeError: as for `sparse_jacobian`.

    >>> import numpy as np, covector
    >>> covector.sparse_hessian(lambda x: np.sum(x[1:] * x[:-1] ** 2))(np.array([1.0, 2.0, 3.0])).toarray()
    array([[4., 2., 0.],
           [2., 6., 4.],
           [0., 4., 0.]])
    """
    check_function(fun, "sparse_hessian")
    if isinstance(colouring, str) and colouring not in ("star", "acyclic", "columns"):
        raise ValueError(f'sparse_hessian needs colouring "star", "acyclic", "columns" or an array of integers, but '
                         f"got {colouring!r}; choose one of them{at_user_line()}")
    options = pattern, colouring, check, holomorphic, chunk_size, "fwd", jit
    gradient = grad(fun, argnums, holomorphic=holomorphic)

    def plan(*args: Any, **kwargs: Any) -> Any:
        """Find the pattern and the colouring for arguments (or `ShapeDtype`) like these."""
        PATTERNS.need_scipy("sparse_hessian")
        flat = MAPS.FlatMap(gradient, argnums, "sparse_hessian", args, kwargs)
        if sorted(flat.argnums) != list(flat.argnums):
            raise ShapeError(f"sparse_hessian needs argnums in ascending order, but got {argnums}; sort them"
                             f"{at_user_line()}")
        return PLANS.hessian_plan(flat, PLANS.Options(*options))

    return _with_plan(plan, fun, sparse_hessian, (fun, argnums), {
        "pattern": pattern, "colouring": colouring, "check": check, "holomorphic": holomorphic,
        "chunk_size": chunk_size, "jit": jit})


def _with_plan(plan, fun, maker, made, options):
    """The function that makes a plan at each call, and has it as a method."""
    def run(*args, **kwargs):
        return plan(*args, **kwargs)(*args, **kwargs)

    out: Any = transformed(run, fun, maker, made, options)
    out.plan = plan
    return out
