"""Jacobians and Hessians: a whole basis pushed or pulled by vmap in one pass, chunked to a memory budget."""

from collections.abc import Sequence

import numpy as np

from ..core.avals import aval_of
from ..core.device import constant, zeros_of
from ..core.diagonal import Diagonal
from ..core.errors import DtypeError, at_user_line
from ..core.ops.picking import duplicate
from ..core.ops.shaping import concatenate
from ..core.tracer import Tracer, peel
from ..core.types import Any, Callable, PyTree
from .arguments import differentiable, flatten, normal_argnums, settle, split_aux
from .forward import jvp
from .gradient import _callable, _driver, _wrap, vjp
from .leaving import check_escaped
from .vmap import start_vmap, unbox_out, vmap

MEMORY_BUDGET = 256 * 2**20  # bytes that one chunk of basis vectors may span, inputs and outputs together


def jacfwd(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Make the function that computes the Jacobian column by column, in forward mode; best for few inputs.

    Args:
        fun: any function of containers of arrays.
        argnums: position(s) of the argument(s) to differentiate.
        has_aux: `fun` returns `(out, aux)`.
        holomorphic: complex input, complex-differentiable.
        chunk_size: how many columns to compute at a time (default: as many as fit a memory budget).
    Returns:
        a function: for each output leaf of shape `s` and input leaf of shape `t` an array of shape `s + t`, in the
        structure of the output, then of the argument; with `has_aux`, `(jacobian, aux)`.
    Raises:
        DtypeError: an input is integer, or complex without `holomorphic`; or the answer is real with it.

    >>> import numpy as np, covector
    >>> covector.jacfwd(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    return _jacobian(fun, argnums, has_aux, "fwd", chunk_size, "jacfwd", holomorphic)


def jacrev(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Make the function that computes the Jacobian row by row, in reverse mode; best for few outputs.

    Args:
        fun, argnums, has_aux, holomorphic: as in `jacfwd`.
        chunk_size: how many rows to compute at a time (default: as many as fit a memory budget).
    Returns:
        a function, as `jacfwd` returns it. Complex inputs of a function with real answers are taken as well: each row
        is what `grad` gives.
    Raises:
        DtypeError: an input is integer; input and answer are complex without `holomorphic`; or the answer is real with
            it.

    >>> import numpy as np, covector
    >>> covector.jacrev(lambda x: x.sum() * x)(np.array([1.0, 2.0]))
    array([[4., 1.],
           [2., 5.]])
    """
    return _jacobian(fun, argnums, has_aux, "rev", chunk_size, "jacrev", holomorphic)


def jacobian(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    mode: str = "auto",
    holomorphic: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Make the function that computes the Jacobian, in the mode that the sizes favour.

    Args:
        fun, argnums, has_aux, holomorphic, chunk_size: as in `jacfwd`.
        mode: "fwd", "rev", or "auto": forward if there are fewer inputs than outputs. That needs a look at the output,
            so with "auto" the function runs once in reverse mode before it may run forward.
    Returns:
        a function, as `jacfwd` returns it.
    Raises:
        DtypeError: as `jacfwd`.
        ValueError: there is no such mode.

    >>> import numpy as np, covector
    >>> covector.jacobian(lambda x: np.sum(x**2))(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    if mode not in ("auto", "fwd", "rev"):
        raise ValueError(f'jacobian needs mode "auto", "fwd" or "rev", but got {mode!r}{at_user_line()}')
    return _jacobian(fun, argnums, has_aux, mode, chunk_size, "jacobian", holomorphic)


def hessian(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Make the function that computes the Hessian of a scalar-valued function: reverse over reverse.

    The sweep that differentiates the gradient meets only what the gradient depends on. `jacfwd(grad(fun))` computes the
    same forward over reverse.

    Args:
        fun: returns a real scalar, shape `()`.
        argnums, has_aux, holomorphic, chunk_size: as in `jacfwd`.
    Returns:
        a function: for input leaves of shapes `s` and `t` an array of shape `s + t`, in the structure of the argument,
        twice.
    Raises:
        ShapeError: the answer is no scalar.
        DtypeError: as `jacfwd`.

    >>> import numpy as np, covector
    >>> covector.hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    _callable(fun, "hessian")
    gradient = _driver(fun, argnums, has_aux, holomorphic, False, "hessian", both=False)
    return _wrap(_jacobian(gradient, argnums, has_aux, "rev", chunk_size, "hessian", holomorphic), fun, "hessian")


def hvp(fun: Callable[..., Any], primals: Sequence[PyTree], tangents: Sequence[PyTree]) -> PyTree:
    """The Hessian of a scalar-valued function times a vector, without the Hessian: forward over reverse.

    Args:
        fun: returns a scalar.
        primals: a tuple of its arguments (all are differentiated).
        tangents: the same structure.
    Returns:
        a tuple, one product an argument.
    Raises:
        ShapeError: the answer is no scalar.
        TypeError: the primals or the tangents are no tuple.

    >>> import numpy as np, covector
    >>> covector.hvp(lambda x: x[0] ** 2 * x[1], (np.array([1.0, 2.0]),), (np.array([1.0, 0.0]),))
    (array([4., 2.]),)
    """
    _callable(fun, "hvp")
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError(f"hvp needs tuples of primals and tangents, but got {type(primals).__name__} and "
                        f"{type(tangents).__name__}; write hvp(f, (x,), (dx,)){at_user_line()}")
    argnums = tuple(range(len(primals)))
    return jvp(_driver(fun, argnums, False, False, False, "hvp", both=False), primals, tangents)[1]


def elementwise_grad(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """Make the function that computes the derivative of an elementwise function at every element.

    Args:
        fun: each element of the answer depends on the same element of the argument only.
        argnums: position of the argument to differentiate.
    Returns:
        a function: the derivative, with the shape of the answer.

    >>> import numpy as np, covector
    >>> covector.elementwise_grad(np.sin)(np.array([0.0, np.pi]))
    array([ 1., -1.])
    """
    _callable(fun, "elementwise_grad")

    def elementwise_fun(*args, **kwargs):
        k = normal_argnums(argnums, len(args), "elementwise_grad")[0]

        def of_one(x):
            return fun(*args[:k], x, *args[k + 1 :], **kwargs)

        x = args[k]
        aval = differentiable(settle(x), "elementwise_grad", f"argument {k}")
        return jvp(of_one, (x,), (constant(np.ones(aval.shape, aval.dtype), x),))[1]

    return _wrap(elementwise_fun, fun, "elementwise_grad")


def _jacobian(fun, argnums, has_aux, mode, chunk_size, name, holomorphic=False):
    _callable(fun, name)

    def jacobian_fun(*args, **kwargs):
        chosen = normal_argnums(argnums, len(args), name)
        leaves, rebuild = flatten(tuple(args[k] for k in chosen))
        leaves = [settle(x) for x in leaves]
        avals = [differentiable(x, name) for x in leaves]
        _check_inputs(avals, holomorphic, mode, name)
        aux = []

        def of_leaves(*flat):
            full = list(args)
            for k, part in zip(chosen, rebuild(list(flat))):
                full[k] = part
            result = fun(*full, **kwargs)
            if has_aux:
                result, extra = split_aux(result, name)
                aux.append(extra)
                return flatten(result), extra
            return flatten(result)

        columns, rebuild_out = _compute(of_leaves, leaves, avals, mode, chunk_size, has_aux, aux, holomorphic, name)
        single = not isinstance(argnums, (tuple, list))

        def container(row):
            tree = rebuild(row)
            return tree[0] if single else tree

        result = rebuild_out([container(row) for row in columns])
        return (result, aux[-1]) if has_aux else result

    return _wrap(jacobian_fun, fun, name)


def _check_inputs(avals, holomorphic, mode, name):
    """Complex inputs need `holomorphic`, or real answers, which reverse mode alone can wait for."""
    for aval in avals:
        if aval.dtype.kind == "c" and not holomorphic and mode == "fwd":
            raise _no_complex(aval, name)
        if holomorphic and aval.dtype.kind != "c":
            raise DtypeError(f"{name} with holomorphic=True needs complex input, but got {aval.dtype}; "
                             f"use x.astype(complex){at_user_line()}")


def _check_answers(avals, out_avals, holomorphic, name):
    for aval in avals:
        if aval.dtype.kind == "c" and not holomorphic and any(o.dtype.kind == "c" for o in out_avals):
            raise _no_complex(aval, name)
    for aval in out_avals:
        if holomorphic and aval.dtype.kind != "c":
            raise DtypeError(f"{name} with holomorphic=True needs complex answers, but the function returned "
                             f"{aval.dtype}; drop holomorphic{at_user_line()}")


def _no_complex(aval, name):
    return DtypeError(f"{name} got complex input of shape {aval.shape}; pass holomorphic=True if the function "
                      f"is complex-differentiable, or differentiate by real and imaginary part{at_user_line()}")


def _compute(of_leaves, leaves, avals, mode, chunk_size, has_aux, aux, holomorphic, name):
    """Rows (one an output leaf) of blocks (one an input leaf), and how to rebuild the output container."""
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
        columns = _forward(push, avals, inputs, chunk_size, leaves)
        _check_answers(avals, [aval_of(row[0]) for row in columns if row], holomorphic, name)
        return columns, shape["rebuild"]
    if has_aux:
        outs, pullback, aux_value = vjp(flat_fun, *leaves, has_aux=True)
        aux[:] = [aux_value]
    else:
        outs, pullback = vjp(flat_fun, *leaves)
    out_avals = [aval_of(v) for v in outs]
    outputs = sum(a.size for a in out_avals)
    _check_answers(avals, out_avals, holomorphic, name)
    known = holomorphic or not any(a.dtype.kind == "c" for a in avals)  # forward needs real or holomorphic inputs
    if mode == "auto" and inputs < outputs and known:
        push = _pusher(flat_fun, leaves, has_aux, aux)
        return _forward(push, avals, inputs, chunk_size, leaves), shape["rebuild"]
    return _reverse(pullback, avals, out_avals, outputs, inputs, chunk_size, leaves, holomorphic), shape["rebuild"]


def _pusher(flat_fun, leaves, has_aux, aux):
    """`push(tangents) -> (outs, tangents)` that vmap maps over the basis."""
    def push(*tangents):
        if has_aux:
            out, tangent, extra = jvp(flat_fun, tuple(leaves), tangents, has_aux=True)
            aux[:] = [extra]
            return tangent
        return jvp(flat_fun, tuple(leaves), tangents)[1]

    return push


def _chunk(total, width, itemsize, chunk_size):
    if chunk_size is not None:
        return chunk_size
    return max(1, min(total, MEMORY_BUDGET // max(1, width * itemsize)))


def _forward(push, avals, inputs, chunk_size, like):
    if not inputs:
        zero = push(*[zeros_of(a, *like) for a in avals])
        return [[constant(np.zeros((*z.shape, *a.shape), z.dtype), z) for a in avals] for z in zero]
    step = _chunk(inputs, 4 * inputs, 8, chunk_size)
    parts = []
    for start in range(0, inputs, step):
        basis = _basis(avals, inputs, start, min(start + step, inputs), like)
        parts.append(vmap(push, out_axes=-1)(*basis))
    return [_blocks([p[k] for p in parts], avals) for k in range(len(parts[0]))]


def _reverse(pullback, avals, out_avals, outputs, inputs, chunk_size, like, holomorphic):
    # Real inputs receive Re(A^T w): two pullbacks for the two parts of a complex row.
    parted = [o.dtype.kind == "c" and not holomorphic for o in out_avals]
    if not outputs:
        return [[constant(np.zeros((*o.shape, *a.shape), a.dtype), *like) for a in avals] for o in out_avals]
    step = _chunk(outputs, 4 * max(inputs, outputs), 8, chunk_size)
    parts = []
    for start in range(0, outputs, step):
        stop = min(start + step, outputs)
        part = _rows(pullback, out_avals, start, stop, like)
        if any(parted):
            basis = _basis(out_avals, outputs, start, stop, like)
            turned = _pulled(pullback, [b * -1j if both else b * 0.0 for b, both in zip(basis, parted)])
            part = [p + 1j * q for p, q in zip(part, turned)]
        parts.append(part)
    rows = []
    for k in range(len(avals)):
        whole = _concatenated([p[k] for p in parts], 0)
        column, start = [], 0
        for o, both in zip(out_avals, parted):
            block = whole[start : start + o.size].reshape((*o.shape, *avals[k].shape))
            column.append(block.real if any(parted) and not both else block)
            start += o.size
        rows.append(column)
    return [[rows[k][j] for k in range(len(avals))] for j in range(len(out_avals))]


def _pulled(pullback, basis):
    return vmap(lambda *cts: pullback(list(cts)))(*basis)


def _rows(pullback, out_avals, start, stop, like):
    """The pullback of unit cotangents `start` to `stop`, one a row."""
    trace = start_vmap(stop - start)
    lent = []
    basis, offset = [], -start
    for a in out_avals:
        basis.append(Diagonal(trace, constant(np.ones(a.shape, a.dtype), *like), offset, lent, unit=True))
        offset += a.size
    out = [unbox_out(trace, settle(v), 0) for v in pullback(basis)]
    trace.done = True
    check_escaped(out)
    return [duplicate(v) if _shares(v, lent) else v for v in out]


def _shares(value, lent):
    """Whether a value may lie in memory of any other."""
    value = peel(value)
    return type(value) is np.ndarray and any(np.may_share_memory(value, peel(v)) for v in lent)


def _basis(avals, total, start, stop, like):
    """Rows `start` to `stop` of the identity, cut into the shapes of `avals`, in the library of `like`."""
    out = []
    offset = 0
    count = stop - start
    for a in avals:
        block = np.zeros((count, a.size), a.dtype)
        lo, hi = max(start, offset), min(stop, offset + a.size)
        if lo < hi:
            rows = np.arange(lo, hi)
            block[rows - start, rows - offset] = 1
        out.append(constant(block.reshape((count, *a.shape)), *like))
        offset += a.size
    return out


def _blocks(parts, avals):
    whole = _concatenated(parts, -1)
    head = whole.shape[:-1]
    out, start = [], 0
    for a in avals:
        piece = whole[..., start : start + a.size]
        out.append(piece.reshape((*head, *a.shape)))
        start += a.size
    return [_own(x) for x in out]


def _own(x):
    return x if isinstance(x, Tracer) or getattr(x, "base", None) is None else x.copy()


def _concatenated(parts, axis):
    return parts[0] if len(parts) == 1 else concatenate(*parts, axis=axis % parts[0].ndim)

