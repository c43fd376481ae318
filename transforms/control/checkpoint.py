"""Checkpointing: save the inputs of a function, recompute the rest during the backward pass.

The function runs once, concretely, and is staged to a graph, so what it closed over becomes operands and a
replay makes the same choices (dropout masks included).
"""

from collections.abc import Sequence
from typing import overload

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.checks import check_function, sequence
from ...core.primitive.primitive import bind
from ...core.trace.tracer import Tracer
from ...core.types import Any, Callable, Fun
from ..arguments.arguments import flatten, normal_argnums, settle
from ..arguments.transformed import transformed
from ..graph.equations import Body, selects, through_body
from ..interpreters.forward import start_dual
from ..staging.bodies import (
    batched_body,
    boxed_as,
    full_cotangents,
    higher_order,
    operands_of,
    pull,
    push,
    record_call,
    strip,
)
from ..staging.graph import as_numbers, unboxed
from ..staging.staging import stage


@overload
def checkpoint(
    fun: Fun, *, policy: Callable[..., Any] | None = None, prevent_cse: bool = True,
    static_argnums: int | Sequence[int] = (), static_argnames: str | Sequence[str] = (),
) -> Fun: ...
@overload
def checkpoint(
    fun: None = None, *, policy: Callable[..., Any] | None = None, prevent_cse: bool = True,
    static_argnums: int | Sequence[int] = (), static_argnames: str | Sequence[str] = (),
) -> Callable[[Fun], Fun]: ...
def checkpoint(
    fun: Any = None, *, policy: Callable[..., Any] | None = None, prevent_cse: bool = True,
    static_argnums: int | Sequence[int] = (), static_argnames: str | Sequence[str] = (),
) -> Any:
    """Save only the inputs of `fun` for the backward pass, and recompute its residuals there.

    Args:
        fun: any function of pytrees of arrays. It is executed eagerly, so `if` on concrete values works. Traced values
            that it closes over are differentiated, too.
        policy: `policy(primitive, *avals, **params) -> bool` selects outputs to save nevertheless; see
            `checkpoint_policies`. Results of collectives are always saved.
        prevent_cse: accepted for compatibility with JAX; recomputed values are never merged with the original.
        static_argnums, static_argnames: positions and names of arguments that are passed to `fun` unchanged, and may
            be arbitrary objects.
    Returns:
        a function with the same values and derivatives.

    >>> import numpy as np, covector
    >>> covector.grad(covector.checkpoint(lambda x: np.sin(np.sin(x)).sum()))(np.array([0.0, 1.0])).round(3)
    array([1.  , 0.36])
    """
    if fun is None:
        return lambda f: checkpoint(f, policy=policy, static_argnums=static_argnums, static_argnames=static_argnames)
    check_function(fun, "checkpoint")
    if policy is not None:
        check_function(policy, "policy of checkpoint", "give one of checkpoint_policies, or None")
    places = (static_argnums,) if isinstance(static_argnums, int) else sequence(static_argnums, "static_argnums")
    names = (static_argnames,) if isinstance(static_argnames, str) else sequence(static_argnames, "static_argnames")

    def checkpoint_fun(*args, **kwargs):
        static = {k: args[k] for k in normal_argnums(places, len(args), "checkpoint")} if places else {}
        static_named = {name: kwargs.pop(name) for name in names if name in kwargs}
        leaves, rebuild = flatten(([a for k, a in enumerate(args) if k not in static], kwargs))
        leaves = [settle(x) for x in leaves]
        arrays = [i for i, x in enumerate(leaves) if isinstance(x, (Tracer, float, complex)) or hasattr(x, "dtype")]

        def flat_fun(*values):
            full = list(leaves)
            for i, v in zip(arrays, values):
                full[i] = v
            given, named = rebuild(full)
            for k in sorted(static):
                given.insert(k, static[k])
            return fun(*given, **named, **static_named)

        operands = [leaves[i] for i in arrays]
        # Concrete: the function runs once and `if` works, while the graph is written down for the replay.
        graph, known = stage(flat_fun, operands, tuple, "checkpoint", concrete=True)
        operands += graph.captured
        acts = any(eq.acts for eq in graph.equations)
        # Nothing is differentiated, batched or staged: the values are there already.
        if not acts and not any(isinstance(x, Tracer) for x in operands):
            return graph.rebuild(known)
        outs = bind(_checkpoint, (*operands, Body(graph.with_inputs(graph.inputs)), policy))
        return graph.rebuild(as_numbers(outs, graph.weak))

    options = {"policy": policy, "static_argnums": static_argnums, "static_argnames": static_argnames}
    return transformed(checkpoint_fun, fun, checkpoint, (fun,), options, own=False)


remat = checkpoint


class checkpoint_policies:  # noqa: N801 - a namespace
    """Policies that select which outputs a checkpointed function saves instead of recomputing.

    >>> import numpy as np, covector
    >>> f = covector.checkpoint(lambda x: np.sin(x @ x), policy=covector.checkpoint_policies.dots_saveable)
    >>> covector.grad(lambda x: f(x).sum())(np.eye(2)).round(2)
    array([[1.08, 2.  ],
           [2.  , 1.08]])
    """

    @staticmethod
    def nothing_saveable(prim, *avals, **params):
        """Recompute everything (the default)."""
        return False

    @staticmethod
    def everything_saveable(prim, *avals, **params):
        """Save everything."""
        return True

    @staticmethod
    def dots_saveable(prim, *avals, **params):
        """Save products of matrices and tensors, which cost most to recompute."""
        return prim.product is not None

    @staticmethod
    def dots_with_no_batch_dims_saveable(prim, *avals, **params):
        """Save products of matrices and vectors, but not those of stacks of them, which are many small ones."""
        return prim.product is not None and all(a.ndim <= 2 for a in avals)

    checkpoint_dots = dots_saveable
    checkpoint_dots_with_no_batch_dims = dots_with_no_batch_dims_saveable

    @staticmethod
    def save_from_both_policies(one, other):
        """Save what either of two policies saves."""
        return lambda prim, *avals, **params: one(prim, *avals, **params) or other(prim, *avals, **params)


def _saves(policy, eq):
    # A replay happens when this rank's backward pass gets there; the others would have to call it at the same moment.
    if "collective" in eq.prim.effects:
        return True
    if policy is None:
        return False
    return policy(eq.prim, *[v.aval for v in eq.inputs], **dict(zip(eq.prim.params, eq.params)))


def _grad(trace, prim, args):
    *operands, body, policy = args
    values, mine = operands_of(trace, operands)
    values = unboxed(operands, values)
    active = [i for i, (v, own) in enumerate(zip(values, mine)) if own and is_inexact(aval_of(v).dtype)]
    # The replay reads them again, so a write in between must be noticed, as of any saved array.
    values = [trace.keep(v) if not own else v for v, own in zip(values, mine)]
    trace.masked = trace.masked or body.graph is None or selects(body.graph)
    kept = None
    if body.graph is not None and any(_saves(policy, eq) for eq in body.graph.equations):
        outs, kept = body.graph.eval(values, keep=lambda eq: _saves(policy, eq))
    else:
        outs = list(prim.rebind((*values, body, policy)))
    if not active:
        return tuple(outs)
    out_avals = [aval_of(v) for v in outs]

    def back(cts, saved):
        again = body if kept is None else _with_saved(body.graph, kept)
        return pull(again, values, active, full_cotangents(cts, out_avals), trace.masked)

    return tuple(record_call(trace, outs, [args[i].node for i in active], back, "checkpoint"))


def _with_saved(graph, kept):
    """The body with saved outputs put in place of computing them; the rules of their operations still run."""
    return lambda *values: graph.eval(values, known=kept)


def _jvp(trace, prim, args):
    *operands, body, policy = args
    values, mine = operands_of(trace, operands)
    values = unboxed(operands, values)
    given = [a.tangent if own else None for a, own in zip(operands, mine)]
    trace.masked = trace.masked or body.graph is None or selects(body.graph)
    n = len(values)
    # Operands without a tangent stay without one inside: zeros in their place would be multiplied with.
    live = [i for i, t in enumerate(given) if t is not None]
    shape = []

    def run(flat):
        tangents = [None] * n
        for i, t in zip(live, flat[n:]):
            tangents[i] = t
        outs, pushed = push(body, flat[:n], tangents, start_dual, trace.masked)
        shape[:] = [k for k, t in enumerate(pushed) if t is not None]
        return [*outs, *[pushed[k] for k in shape]]

    flat = prim.rebind((*values, *[given[i] for i in live], Body(run=run), policy))
    count = len(flat) - len(shape)
    tangents = dict(zip(shape, flat[count:]))
    return tuple([trace.box(strip(v, trace), tangents.get(k)) for k, v in enumerate(flat[:count])])


def _vmap(trace, prim, args):
    *operands, body, policy = args
    values, flags = trace.unbox(operands)
    inner = batched_body(body, flags, trace)
    outs = prim.rebind((*values, Body(run=lambda flat: inner(*flat)), policy))
    return boxed_as(trace, outs, inner)


def _ambient(trace, prim, args):
    """On values of the stateful layer the body is recorded as it is: what it saves is checked for writes in place."""
    *operands, body, policy = args
    return tuple(body(*operands))


def _graph(trace, prim, args):
    *operands, body, policy = args
    lifted = [trace.lift(a) for a in operands]
    graph = body.graph or stage(body, [x.aval for x, _ in lifted], tuple, "checkpoint", like=operands)[0]
    lifted += [trace.lift(c) for c in graph.captured]
    values = tuple(body(*[v for _, v in lifted[: len(operands)]])) if trace.concrete else None
    return trace.emit(prim, [x for x, _ in lifted], (Body(graph), policy), graph.out_avals, values)


_checkpoint = higher_order(
    "checkpoint",
    impl=lambda xp, *xs, body, policy: tuple(body(*xs)),
    flow=through_body,
    handlers={"grad": _grad, "jvp": _jvp, "vmap": _vmap, "graph": _graph, "ambient": _ambient},
).prim

