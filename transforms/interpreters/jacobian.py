"""Jacobians and Hessians: vmap of a jvp or a pullback over a whole basis, chunked to a memory budget."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import FLOAT0
from ...core.checks import check_function, whole
from ...core.errors import ConversionError, DtypeError, RuleError, ShapeError, at_user_line
from ...core.trace.device import constant
from ...core.types import Any, Callable, P, PyTree
from ..arguments.arguments import checked_argnums, differentiable, flatten, normal_argnums, settle, split_aux
from ..arguments.transformed import transformed
from .basis import pull_basis, push_basis
from .forward import jvp, tangent_of_gradient
from .gradient import _driver, vjp


def jacfwd(
    fun: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    chunk_size: int | None = None,
    progress: bool | Callable[[int, int], Any] | None = None,
) -> Callable[P, Any]:
    """Return a function that computes the Jacobian column by column, in forward mode; best for few inputs.

    Args:
        fun: any function of pytrees of arrays.
        argnums: position(s) of the argument(s) to differentiate.
        has_aux: `fun` returns `(out, aux)`.
        holomorphic: complex input, complex-differentiable.
        chunk_size: how many columns to compute at a time (default: as many as fit a memory budget).
        progress: True shows a bar of tqdm (without tqdm, a line of text on standard error); a function is called with
            the number of chunks that are done and of all. Under `jit` this happens while the function is staged.
    Returns:
        a function: for each output leaf of shape `s` and input leaf of shape `t` an array of shape `s + t`, in the
        structure of the output, then of the argument; with `has_aux`, `(jacobian, aux)`.
    Raises:
        DtypeError: an input is integer, or complex without `holomorphic`; or the output is real with it.

    >>> import numpy as np, covector
    >>> covector.jacfwd(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    found = _jacobian(fun, argnums, has_aux, "fwd", chunk_size, "jacfwd", holomorphic, progress=progress)
    return transformed(found, fun, jacfwd, (fun, argnums, has_aux),
                       {"holomorphic": holomorphic, "chunk_size": chunk_size, "progress": progress})


def jacrev(
    fun: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    allow_int: bool = False,
    chunk_size: int | None = None,
    progress: bool | Callable[[int, int], Any] | None = None,
) -> Callable[P, Any]:
    """Return a function that computes the Jacobian row by row, in reverse mode; best for few outputs.

    Args:
        fun, argnums, has_aux, holomorphic: as in `jacfwd`.
        allow_int: treat integer and boolean leaves as constants; their Jacobians are arrays of the same shapes without
            values, with JAX's dtype float0.
        chunk_size: how many rows to compute at a time (default: as many as fit a memory budget).
        progress: as in `jacfwd`.
    Returns:
        a function, as returned by `jacfwd`. Complex inputs of a function with real outputs are supported as well: each
        row is the result of `grad`.
    Raises:
        DtypeError: an input is integer; input and output are complex without `holomorphic`; or the output is real
            with it.

    >>> import numpy as np, covector
    >>> covector.jacrev(lambda x: x.sum() * x)(np.array([1.0, 2.0]))
    array([[4., 1.],
           [2., 5.]])
    """
    found = _jacobian(fun, argnums, has_aux, "rev", chunk_size, "jacrev", holomorphic, allow_int, progress=progress)
    return transformed(found, fun, jacrev, (fun, argnums, has_aux),
                       {"holomorphic": holomorphic, "allow_int": allow_int, "chunk_size": chunk_size,
                        "progress": progress})


def jacobian(
    fun: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    mode: str = "auto",
    holomorphic: bool = False,
    chunk_size: int | None = None,
    progress: bool | Callable[[int, int], Any] | None = None,
) -> Callable[P, Any]:
    """Return a function that computes the Jacobian, in the mode that suits the sizes.

    Args:
        fun, argnums, has_aux, holomorphic, chunk_size, progress: as in `jacfwd`.
        mode: "fwd", "rev", or "auto": forward if there are fewer inputs than outputs. This requires the output shape,
            so with "auto" the function runs once in reverse mode before it may run in forward mode.
    Returns:
        a function, as returned by `jacfwd`.
    Raises:
        DtypeError: as for `jacfwd`.
        ValueError: the mode is unknown.

    >>> import numpy as np, covector
    >>> covector.jacobian(lambda x: np.sum(x**2))(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    if mode not in ("auto", "fwd", "rev"):
        raise ValueError(f'jacobian needs mode "auto", "fwd" or "rev", but got {mode!r}; choose one of them'
                         f"{at_user_line()}")
    found = _jacobian(fun, argnums, has_aux, mode, chunk_size, "jacobian", holomorphic, progress=progress)
    return transformed(found, fun, jacobian, (fun, argnums, has_aux),
                       {"mode": mode, "holomorphic": holomorphic, "chunk_size": chunk_size, "progress": progress})


def hessian(
    fun: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    chunk_size: int | None = None,
    progress: bool | Callable[[int, int], Any] | None = None,
) -> Callable[P, Any]:
    """Return a function that computes the Hessian of a scalar-valued function, by reverse over reverse.

    The second backward pass visits only what the gradient depends on. `jacfwd(grad(fun))` computes the same by
    forward over reverse.

    Args:
        fun: returns a real scalar, shape `()`.
        argnums, has_aux, holomorphic, chunk_size, progress: as in `jacfwd`.
    Returns:
        a function: for input leaves of shapes `s` and `t` an array of shape `s + t`, in the structure of the argument,
        twice.
    Raises:
        ShapeError: the output is not a scalar.
        DtypeError: as for `jacfwd`.

    >>> import numpy as np, covector
    >>> covector.hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    check_function(fun, "hessian")
    gradient = _driver(fun, argnums, has_aux, holomorphic, False, "hessian", both=False)
    # Messages name the user's function rather than the driver of its gradient.
    gradient.__name__ = getattr(fun, "__name__", "the function")
    found = _jacobian(gradient, argnums, has_aux, "rev", chunk_size, "hessian", holomorphic, progress=progress)
    return transformed(found, fun, hessian, (fun, argnums, has_aux),
                       {"holomorphic": holomorphic, "chunk_size": chunk_size, "progress": progress})


def hvp(fun: Callable[..., Any], primals: Sequence[PyTree], tangents: Sequence[PyTree]) -> PyTree:
    """Compute a Hessian-vector product of a scalar-valued function, by forward over reverse.

    Args:
        fun: returns a scalar.
        primals: a tuple of its arguments (all are differentiated).
        tangents: the same structure.
    Returns:
        a tuple with one product per argument.
    Raises:
        ShapeError: the output is not a scalar.
        TypeError: the primals or the tangents are not a tuple.

    >>> import numpy as np, covector
    >>> covector.hvp(lambda x: x[0] ** 2 * x[1], (np.array([1.0, 2.0]),), (np.array([1.0, 0.0]),))
    (array([4., 2.]),)
    """
    check_function(fun, "hvp")
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError(f"hvp needs tuples of primals and tangents, but got {type(primals).__name__} and "
                        f"{type(tangents).__name__}; write hvp(f, (x,), (dx,)){at_user_line()}")
    gradient = partial(_driver, argnums=tuple(range(len(primals))), has_aux=False, holomorphic=False, conjugate=False,
                       name="hvp", both=False)
    return tangent_of_gradient(fun, gradient, primals, tangents)


def elementwise_grad(fun: Callable[P, Any], argnums: int = 0) -> Callable[P, Any]:
    """Return a function that computes the derivative of an elementwise function at every element.

    Args:
        fun: each element of the output depends only on the same element of the argument.
        argnums: position of the argument to differentiate.
    Returns:
        a function that computes the derivative, with the shape of the output.
    Raises:
        ShapeError: the output has not the shape of the argument, nor one that it is broadcast to.

    >>> import numpy as np, covector
    >>> covector.elementwise_grad(np.sin)(np.array([0.0, np.pi]))
    array([ 1., -1.])
    """
    check_function(fun, "elementwise_grad")

    def elementwise_fun(*args, **kwargs):
        k = normal_argnums(whole(argnums, "argnums of elementwise_grad"), len(args), "elementwise_grad")[0]

        def of_one(x):
            return fun(*args[:k], x, *args[k + 1 :], **kwargs)

        x = args[k]
        aval = differentiable(settle(x), "elementwise_grad", f"argument {k}")
        slope = jvp(of_one, (x,), (constant(np.ones(aval.shape, aval.dtype), x),))[1]
        for part in flatten(slope)[0]:
            shape = aval_of(part).shape
            if len(shape) < len(aval.shape) or any(n not in (1, m) for n, m in zip(aval.shape[::-1], shape[::-1])):
                raise ShapeError(f"elementwise_grad needs a function of each element, but for shape {aval.shape} "
                                 f"{getattr(fun, '__name__', fun)} returned shape {shape}; use grad or jacobian"
                                 f"{at_user_line()}")
        return slope

    return transformed(elementwise_fun, fun, elementwise_grad, (fun, argnums))


def _jacobian(fun, argnums, has_aux, mode, chunk_size, name, holomorphic=False, allow_int=False, progress=None):
    check_function(fun, name)
    if type(argnums) is not int:
        checked_argnums(argnums, name)

    def jacobian_fun(*args, **kwargs):
        chosen = normal_argnums(argnums, len(args), name)
        every, rebuild = flatten(tuple(args[k] for k in chosen))
        every = [settle(x) for x in every]
        constants = [k for k, x in enumerate(every) if allow_int and _is_whole(x)]
        leaves = [x for k, x in enumerate(every) if k not in constants] if constants else every
        avals = [differentiable(x, name) for x in leaves]
        _check_inputs(avals, holomorphic, mode, name)
        aux = []
        shapes = []

        def of_leaves(*varied):
            full = list(args)
            flat = list(varied)
            for k in constants:
                flat.insert(k, every[k])
            for k, part in zip(chosen, rebuild(flat)):
                full[k] = part
            result = fun(*full, **kwargs)
            extra = None
            if has_aux:
                result, extra = split_aux(result, name)
                aux.append(extra)
            found = flatten(result)
            # Blocks of integer inputs have no values, but they have the shapes of the outputs.
            if constants:
                shapes[:] = [aval_of(settle(y)).shape for y in found[0]]
            return (found, extra) if has_aux else found

        columns, rebuild_out = _compute(of_leaves, leaves, avals, mode, (chunk_size, progress, name), has_aux, aux,
                                        holomorphic, name)
        for k in constants:
            # In ascending order, so that each index is right for the row as it is by then.
            for row, shape in zip(columns, shapes):
                row.insert(k, np.zeros((*shape, *aval_of(every[k]).shape), FLOAT0))
        single = not isinstance(argnums, (tuple, list))

        def container(row):
            tree = rebuild(row)
            return tree[0] if single else tree

        result = rebuild_out([container(row) for row in columns])
        return (result, aux[-1]) if has_aux else result

    return jacobian_fun


def _is_whole(x):
    return not isinstance(x, str) and aval_of(x).dtype.kind in "iub"


def _check_inputs(avals, holomorphic, mode, name):
    """Complex inputs need `holomorphic`, or real outputs, which reverse mode alone can wait for."""
    for aval in avals:
        if aval.dtype.kind == "c" and not holomorphic and mode == "fwd":
            raise _no_complex(aval, name)
        if holomorphic and aval.dtype.kind != "c":
            raise DtypeError(f"{name} with holomorphic=True needs complex input, but got {aval.dtype}; "
                             f"use x.astype(complex){at_user_line()}")


def check_answers(avals, out_avals, holomorphic, name):
    """Complex inputs have complex outputs with `holomorphic` alone, and then all outputs are complex."""
    for aval in avals:
        if aval.dtype.kind == "c" and not holomorphic and any(o.dtype.kind == "c" for o in out_avals):
            raise _no_complex(aval, name)
    for aval in out_avals:
        if holomorphic and aval.dtype.kind != "c":
            raise DtypeError(f"{name} with holomorphic=True needs complex outputs, but the function returned "
                             f"{aval.dtype}; drop holomorphic{at_user_line()}")


def _no_complex(aval, name):
    return DtypeError(f"{name} got complex input of shape {aval.shape}; pass holomorphic=True if the function "
                      f"is complex-differentiable, or differentiate with respect to real and imaginary "
                      f"part{at_user_line()}")


def _compute(of_leaves, leaves, avals, mode, chunking, has_aux, aux, holomorphic, name):
    """Rows (one per output leaf) of blocks (one per input leaf), and how to rebuild the output pytree."""
    shape = {}

    def flat_fun(*flat):
        if has_aux:
            (outs, rebuild_out), extra = of_leaves(*flat)
            shape["rebuild"] = rebuild_out
            return list(outs), extra
        outs, shape["rebuild"] = of_leaves(*flat)
        return list(outs)

    inputs = sum(a.size for a in avals)
    if mode == "fwd":
        push = _pusher(flat_fun, leaves, has_aux, aux)
        columns = push_basis(push, avals, inputs, chunking, leaves)
        check_answers(avals, [aval_of(row[0]) for row in columns if row], holomorphic, name)
        return columns, shape["rebuild"]
    if has_aux:
        outs, pullback, aux_value = vjp(flat_fun, *leaves, has_aux=True)
        aux[:] = [aux_value]
    else:
        outs, pullback = vjp(flat_fun, *leaves)
    out_avals = [aval_of(v) for v in outs]
    outputs = sum(a.size for a in out_avals)
    check_answers(avals, out_avals, holomorphic, name)
    known = holomorphic or not any(a.dtype.kind == "c" for a in avals)  # forward needs real or holomorphic inputs
    if mode == "auto" and inputs < outputs and known:
        push = _pusher(flat_fun, leaves, has_aux, aux)
        try:
            return push_basis(push, avals, inputs, chunking, leaves), shape["rebuild"]
        except (ConversionError, RuleError):  # a custom reverse rule that cannot be transposed
            aux[:] = aux[:1]
    return pull_basis(pullback, avals, out_avals, outputs, inputs, chunking, leaves, holomorphic), shape["rebuild"]


def _pusher(flat_fun, leaves, has_aux, aux):
    """`push(tangents) -> (outs, tangents)` that vmap maps over the basis."""
    def push(*tangents):
        if has_aux:
            out, tangent, extra = jvp(flat_fun, tuple(leaves), tangents, has_aux=True)
            # `of_leaves` noted the traced value; this is the one outside of the trace.
            aux[:] = [extra]
            return tangent
        return jvp(flat_fun, tuple(leaves), tangents)[1]

    return push
