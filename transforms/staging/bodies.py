"""Bodies of higher-order primitives: called at fresh levels, batched, closed over captured values."""

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.arrays.fp_warnings import error_state, leave_error_state
from ...core.errors import TreeError, at_user_line
from ...core.ops.shaping import broadcast_to
from ...core.primitive.families import primitive
from ...core.tape.recording import make_node
from ...core.tape.tape import Rule
from ...core.trace.buffers import Buffer
from ...core.trace.device import constant, zeros_of
from ...core.trace.tracer import Dual, Late, Rev, Tracer, make_batched
from ...core.types import Any
from ..interpreters.vmap import Mapping
from ..reverse.nan_checks import start_trace
from ..reverse.sweep import sweep
from ..scope.errstate import enter_quiet

ndarray = np.ndarray


def higher_order(name, impl, handlers, **facts):
    """Declare a primitive whose bodies are parameters; `handlers[trace kind]` says what each trace makes of it."""
    return primitive(name, impl=impl, shape=lambda: None, batch=lambda: None, jvp={"*xs": _unused},
                     vjp={"*xs": _unused_vjp}, samples=lambda rng: [], outputs=lambda *params: True,
                     handlers=handlers, **facts)


def _unused(dxs):
    raise AssertionError("higher-order primitives are differentiated by their handlers")


def _unused_vjp(ct, i):
    raise AssertionError("higher-order primitives are differentiated by their handlers")


def strip(value, trace):
    """`value` without the tracers of `trace`: a first-order cotangent holds none."""
    while isinstance(value, Tracer):
        if type(value) is Buffer:
            value = value.read()
        elif value.owner is trace:
            value = value.value
        else:
            break
    return value


def call_rule(back, name, strong=None, masks=True):
    """A rule for one node made by hand: `back(ct, saved)`, and `strong` where `ct` may have structural zeros."""
    rule = Rule()
    rule.prim = None
    rule.names = (name,)
    rule.origins = rule.active = ()
    rule.collect = None
    rule.keeps = rule.lazy = False
    # Its pullback is a closure and not a rule in operations, so `create_graph` cannot record it.
    rule.once = True
    rule.back, rule.strong, rule.masks = back, strong or back, masks
    return rule


BOTH = call_rule(lambda ct, saved: (ct, ct), "sum of two paths", masks=False)


def record_call(trace, values, parents, back, name, strong=None, masks=True):
    """Tracers for the outputs `values` of a call recorded as one node; `back(cts, saved) -> one ct a parent`.

    `strong` is `back` for cotangents that may have structural zeros, and `masks` says whether what `back` gives may.
    An output that already is a tracer of `trace` came from a captured value: its own path is added.
    """
    def shaped(back):
        return lambda cts, saved: _shaped(back(cts, saved), parents)

    rule = call_rule(shaped(back), name, strong and shaped(strong), masks)
    node = trace.node(rule, parents[0] if len(parents) == 1 else tuple(parents), None)
    plain = [strip(v, trace) for v in values]
    boxed = trace.pick(plain, node)
    out = []
    for v, b in zip(values, boxed):
        if isinstance(v, Rev) and v.owner is trace and isinstance(b, Rev):
            b.node = make_node(BOTH, (b.node, v.node), None)
        out.append(b)
    return out


def _shaped(cts, parents):
    return cts[0] if len(parents) == 1 else tuple(cts)


def full_cotangents(cts, avals, like=()):
    """Cotangents of all outputs, zeros where none arrived: in the library of those that did, or of `like`."""
    out = []
    for c, aval in zip(cts, avals):
        if c is None:
            # Cotangents are floating, even of an output that is not, whose cotangent is zero.
            dtype = aval.dtype if is_inexact(aval.dtype) else np.float64
            c = constant(np.zeros(aval.shape, dtype), *cts, *like)
        out.append(c)
    return out


def batched_body(body, flags, trace, outputs=None):
    """`body` over values of which some have the batch axis in front; so do the outputs, or those flagged in `outputs`.

    It runs at a fresh level that stands for `trace`, so values of that trace it closed over are batched, too.
    """
    return _Batched(body, flags, trace, outputs)


class _Batched:
    """A batched body; `varied` says which outputs of the last run vary along an axis of a mesh."""

    __slots__ = ("body", "flags", "trace", "outputs", "varied")

    def __init__(self, body, flags, trace, outputs):
        self.body, self.flags, self.trace, self.outputs = body, flags, trace, outputs
        self.varied: Any = None

    def __call__(self, *values):
        trace = self.trace
        with Mapping(trace.size, trace.axis_name, stands_for=trace) as inner:
            outs = self.body(*[make_batched(inner, v) if flag else v for v, flag in zip(values, self.flags)])
            # An empty tuple flags all outputs as None does, but leaves `varied` unset.
            flags = self.outputs or [True] * len(outs)
            if trace.mesh and self.outputs is None:
                flags = self.varied = [inner.owns(v) for v in outs]
            return [batch_in_front(v, inner) if flag else v for v, flag in zip(outs, flags)]


def boxed_as(trace, outs, *runs):
    """Outputs of what `batched_body` returned as values of a trace: those that vary, if it is one of a mesh."""
    varied = [run.varied for run in runs if run.varied is not None]
    if not varied:
        return tuple([trace.box(v) for v in outs])
    if any(v != varied[0] for v in varied):
        raise TreeError(f"the branches of cond return values of which one varies along the mesh axis "
                        f"{trace.axis_name!r} and the other is the same at all places; mark that one with "
                        f"pvary{at_user_line()}")
    return tuple([trace.box(v) if flag else v for v, flag in zip(outs, varied[0])])


def batch_in_front(value, trace):
    """The value of a tracer of `trace` (or one it stands for); anything else repeated along a new first axis."""
    if type(value) is Buffer:
        value = value.read()
    if isinstance(value, Tracer) and (value.owner is trace or value.owner is trace.stands_for):
        return value.value
    aval = aval_of(value)
    value = np.asarray(value) if not hasattr(value, "shape") else value
    if trace.mesh:
        value = trace.vary(value)
    return broadcast_to(value, shape=(trace.size, *aval.shape))


def pull(body, values, active, cts, masked=False, stands_in=False):
    """Cotangents of the operands `active` of `body(*values)`, which runs at a fresh level.

    With `stands_in` the body is linear in those operands, whose values only stand in for others.
    """
    trace = start_trace()
    trace.masked = masked
    trace.stands_in = stands_in
    boxed = list(values)
    for k, i in enumerate(active):
        boxed[i] = trace.box(values[i], aval_of(values[i]), trace.leaf(k))
    outs = body(*boxed)
    roots = []
    for out, c in zip(outs, cts):
        if type(out) is Buffer:
            out = out.read()
        if isinstance(out, Rev) and out.owner is trace and c is not None:
            roots.append((out.node, c))
    state = error_state()
    try:
        enter_quiet()
        found = sweep(roots, len(active), masked=trace.masked, large=trace.large)
    finally:
        leave_error_state(state)
    trace.done = True
    return found


def push(body, values, tangents, start, masked=False):
    """`(outputs, tangents)` of `body` at `values`; None stands for a zero tangent, in and out."""
    trace = start()
    trace.masked = masked
    boxed = [v if t is None else trace.box(v, t) for v, t in zip(values, tangents)]
    outs = body(*boxed)
    answers, pushed = [], []
    for out in outs:
        if type(out) is Buffer:
            out = out.read()
        if isinstance(out, Dual) and out.owner is trace:
            answers.append(out.value)
            pushed.append(out.tangent)
        else:
            answers.append(out)
            pushed.append(None)
    trace.done = True
    return answers, pushed


def instantiate(tangents, values):
    """Instantiate symbolic zero tangents (None) as arrays of zeros."""
    out = []
    for t, v in zip(tangents, values):
        if t is None:
            t = zeros_of(aval_of(v), v)
        out.append(t)
    return out


def conjugated(x):
    """The complex conjugate of a cotangent, where the user's convention and ours differ; real ones as they are."""
    return x.conj() if getattr(x, "dtype", None) is not None and x.dtype.kind == "c" else x


def operands_of(trace, args):
    """Unbox the operands of `trace`: `(values, flags)`, with a flag for each that was its own."""
    values, mine = [], []
    for a in args:
        own = isinstance(a, Tracer) and a.owner is trace
        values.append(a.value if own else a)
        mine.append(own)
    return values, mine


def is_staged(value):
    """Tell whether a value is not known while a graph is made, whatever lies around it."""
    while isinstance(value, Tracer):
        if type(value) is Late and value.node is not None:
            return False  # what is computed later is computed with plain arrays
        value = value.value
        if value is None:
            return True
    return False


def above(trace, values):
    """Tell whether a value is traced at a higher level than `trace`: that trace is the one to process what it is used
    in."""
    return any(isinstance(v, Tracer) and v.owner is not None and v.owner.level > trace.level for v in values)
