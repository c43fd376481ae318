"""Data-parallel gradients: shard the batch over ranks and sum gradients while the sweep goes on."""

import math
from collections.abc import Sequence

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.backend import find_backend, namespace_of
from ...core.arrays.dtypes import is_inexact
from ...core.arrays.fp_warnings import error_state, leave_error_state
from ...core.checks import check_function, whole
from ...core.errors import DtypeError, ShapeError, at_user_line
from ...core.tape.recording import make_node
from ...core.trace.buffers import Buffer
from ...core.trace.device import constant, zeros_like_leaf
from ...core.trace.tracer import Rev, Tracer, call_inside
from ...core.types import Any, Callable
from ..arguments.arguments import flatten, only_leaf, settle
from ..arguments.escape_checks import abandon
from ..interpreters.gradient import value_and_grad
from ..ranks.placed import at_line
from ..ranks.primitives import rank_sum, rank_vary
from ..reverse.nan_checks import start_trace
from ..reverse.sweep import sweep
from ..scope.errstate import enter_quiet
from ..staging.bodies import call_rule
from .mesh import Mesh
from .placing import as_plain

LARGE = 256 << 10  # bytes of a gradient that travels alone: its time is that of its bytes, and it is copied nowhere


def data_parallel_value_and_grad(
    fun: Callable[..., Any], mesh: Mesh, axis_name: str = "data", *, micro_batches: int = 1,
    bucket_bytes: int = 4 << 20,
) -> Callable[..., tuple[Any, Any]]:
    """Return a function that computes the mean over ranks of a loss and of its gradient, each rank on its own batch.

    Args:
        fun: `fun(params, *batch)`, the mean loss over the examples of a batch.
        mesh: the `Mesh`.
        axis_name: the axis along which the batch is cut.
        micro_batches: cut the batch of each rank into so many parts along axis 0, one after the other, to save memory;
            ranks exchange gradients only once.
        bucket_bytes: gradients are sent as soon as this much of them is complete, while the sweep goes on.
    Returns:
        a function of `params`, the same on all ranks, and of the local parts of the batch (`shard(batch, mesh,
        P("data"))`). It returns the loss and the gradient, the same on all ranks; on one process those of `fun`.
    Raises:
        DtypeError: a parameter is not floating.
        ShapeError: the loss has axes, or micro_batches does not divide the batch.

    >>> import numpy as np
    >>> import covector.distributed as dist
    >>> step = dist.data_parallel_value_and_grad(lambda w, x: np.mean((x * w) ** 2), dist.Mesh((2,), ("data",)))
    >>> value, gradient = step(2.0, np.array([1.0, 3.0]))
    >>> float(value), float(gradient)
    (20.0, 20.0)
    """
    check_function(fun, "data_parallel_value_and_grad")
    parts = whole(micro_batches, "micro_batches of data_parallel_value_and_grad", 1)
    mesh.axis(axis_name)
    plain = value_and_grad(fun)

    def step(params, *batch):
        group = mesh.group(axis_name)
        cuts = _cut(batch, parts)
        if group is None:
            found = [plain(params, *cut) for cut in cuts]
            return _mean(found) if parts > 1 else found[0]
        leaves, rebuild = flatten(params)
        leaves = [settle(x) for x in leaves]
        if any(isinstance(settle(x), Tracer) for x in (*leaves, *flatten(batch)[0])):
            return _traced(plain, rebuild([rank_vary(x, at_line(group, x)) for x in leaves]), cuts, group)
        leaves = [_checked(x) for x in leaves]
        sums = Sums(group, bucket_bytes, len(leaves), group.size * parts)
        total = 0.0
        for cut in cuts[:-1]:
            value, gradient = plain(params, *cut)
            total = total + value
            sums.keep(flatten(gradient)[0])
        value = _sweep(fun, leaves, rebuild, cuts[-1], sums)
        value, gradients = sums.finish(_untraced(total + value), leaves)
        return value, rebuild(gradients)

    return step



def _traced(plain, params, cuts, group):
    """The same inside of another transform, which has a graph of the sums: they follow the sweep."""
    leaves, rebuild = flatten(_mean([plain(params, *cut) for cut in cuts]))
    return rebuild([rank_sum(x, at_line(group, x)) / group.size for x in leaves])


class Sums:
    """Sums over ranks that begin as gradients arrive: those that arrive together travel in one bucket."""

    def __init__(self, group, bytes_, count, parts):
        self.group, self.bytes, self.parts = group, bytes_, parts
        self.kept = [None] * count
        self.open = {}  # (dtype, library) -> (bytes, [(place, array)])
        self.sent = []  # (what waits for the sum, [(place, shape)])
        self.gradients = [None] * count

    def keep(self, gradients):
        """Add gradients of an earlier part of the batch, which travel with those of the last."""
        self.kept = [g if k is None else k + g for k, g in zip(self.kept, gradients)]

    def ready(self, place, ct):
        """A cotangent of a parameter is complete; the gradient is its conjugate, as everywhere."""
        ct = _untraced(ct)
        ct = ct.conj() if ct.dtype.kind == "c" else ct
        if self.kept[place] is not None:
            ct = ct + self.kept[place]
        if ct.nbytes >= min(LARGE, self.bytes):
            self.sent.append((self.group.start_sum(ct.reshape(-1)), [(place, ct.shape)]))
            return
        key = ct.dtype, find_backend(type(ct))[0].name
        size, bucket = self.open.get(key, (0, []))
        bucket.append((place, ct))
        size += ct.nbytes
        self.open[key] = size, bucket
        if size >= self.bytes:
            self.send(key)

    def send(self, key):
        """Begin the sum of a bucket."""
        _, bucket = self.open.pop(key)
        joined = namespace_of([ct for _, ct in bucket]).concatenate([ct.reshape(-1) for _, ct in bucket])
        self.sent.append((self.group.start_sum(joined), [(place, ct.shape) for place, ct in bucket]))

    def finish(self, value, leaves):
        """The mean value and gradients; zeros for parameters that the loss does not depend on."""
        # All ranks must send the same buckets, also for parameters that this rank's loss did not reach.
        arrived = {place for _, places in self.sent for place, _ in places} | {
            place for _, bucket in self.open.values() for place, _ in bucket}
        for place, leaf in enumerate(leaves):
            if place not in arrived:
                self.ready(place, zeros_like_leaf(leaf))
        for key in list(self.open):
            self.send(key)
        value = self.group.sum(value) / self.parts
        for wait, places in self.sent:
            joined, at = wait(), 0
            for place, shape in places:
                n = math.prod(shape)
                if len(places) > 1:
                    mean = joined[at : at + n] / self.parts
                else:
                    mean = namespace_of([joined]).divide(joined, self.parts, joined)
                self.gradients[place] = mean.reshape(shape)
                at += n
        return value, self.gradients


def _sweep(fun, leaves, rebuild, batch, sums):
    """The loss of one part; its gradients go to `sums` one by one, the last layer's first."""
    trace = start_trace()
    nodes = [make_node(call_rule(_sending(sums, place), "a parameter"), trace.leaf(place), None)
             for place in range(len(leaves))]
    boxed = [trace.box(x, aval_of(x), node) for x, node in zip(leaves, nodes)]
    try:
        out, _ = only_leaf(call_inside(fun, rebuild(boxed), *batch))
    except BaseException as error:
        abandon(trace, error)
        raise
    out = out.read() if type(out) is Buffer else out
    aval = aval_of(out)
    if aval.shape or aval.dtype.kind != "f":
        raise ShapeError(f"data_parallel_value_and_grad needs a loss that is a real scalar, but {aval!r} was returned; "
                         f"reduce it with a mean over the batch{at_user_line()}")
    if not (isinstance(out, Rev) and out.owner is trace):
        return out
    value = out.value
    _move_to_uses(nodes, out.node)
    roots = [(out.node, constant(np.ones((), aval.dtype), value))]
    # Nothing but the sweep may hold nodes, or they would keep saved values alive until its end.
    del out, boxed, nodes
    if trace.guards is not None:
        trace.check_guards()
    state = error_state()
    try:
        enter_quiet()
        sweep(roots, len(leaves), masked=trace.masked, large=trace.large)
    finally:
        leave_error_state(state)
    trace.done = True
    return value


def _move_to_uses(nodes, root):
    """Number the nodes of parameters so that the sweep is there as soon as their cotangents are complete.

    It goes from small numbers, of late operations, to large ones: a parameter comes right after its first use.
    """
    uses = dict.fromkeys(nodes, -math.inf)
    seen, ahead = {root}, [root]
    while ahead:
        node = ahead.pop()
        parents = node.parents
        for parent in parents if type(parents) is tuple else (parents,):
            if parent in uses:
                uses[parent] = max(uses[parent], node.seq)
            elif parent is not None and parent not in seen:
                seen.add(parent)
                ahead.append(parent)
    for k, (node, use) in enumerate(uses.items(), 1):
        if use > -math.inf:
            # Fractions between two integers: a place of its own for each, right behind the node that uses it first.
            node.seq = use + k / (len(nodes) + 1)


def _sending(sums, place):
    def back(ct, saved):
        sums.ready(place, ct.dense() if hasattr(ct, "dense") else ct)
        return ct

    return back


def _untraced(x):
    if isinstance(x, Tracer):
        raise DtypeError("data_parallel_value_and_grad sends gradients while they are computed, but its loss closes "
                         "over a value that another transform traces; give it to the loss with the parameters or the "
                         f"batch{at_user_line()}")
    return as_plain(x)


def _checked(x):
    x = as_plain(x)
    if not is_inexact(x.dtype):
        raise DtypeError(f"data_parallel_value_and_grad needs floating parameters, but one has dtype {x.dtype}; cast "
                         f"it, or close over it{at_user_line()}")
    return x


def _cut(batch: Sequence[Any], parts: int) -> list[Any]:
    if parts == 1:
        return [batch]
    leaves, rebuild = flatten(batch)
    for x in leaves:
        if not np.ndim(x) or np.shape(x)[0] % parts:
            raise ShapeError(f"data_parallel_value_and_grad cuts the batch into {parts} parts along axis 0, but one "
                             f"array has shape {np.shape(x)}; choose a micro_batches that divides it{at_user_line()}")
    sizes = [np.shape(x)[0] // parts for x in leaves]
    return [rebuild([x[k * n : (k + 1) * n] for x, n in zip(leaves, sizes)]) for k in range(parts)]


def _mean(found):
    leaves = [flatten(pair) for pair in found]
    return leaves[0][1]([sum(column) / len(found) for column in zip(*[flat for flat, _ in leaves])])
