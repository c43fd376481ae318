"""A call of a function with custom rules on values with a batch axis."""

from ...core.arrays.avals import make_aval
from ...core.types import Any
from ..staging.bodies import batched_body, boxed_as
from .custom_calls import JvpCall, VjpCall, call_pullback, lasting


class BatchedJvp(JvpCall):
    """A call on values with a batch axis."""

    def __init__(self, inner, flags, trace):
        self.inner = inner
        self.owner = inner.owner
        self.flags = flags
        self.trace = trace
        self.rebuild_out = None
        self.varied: Any = None  # which outputs vary, of a call inside of a mesh

    def body(self, *values):
        run = batched_body(self.inner.body, self.flags, self.trace)
        outs = run(*values)
        self.varied = run.varied
        return outs

    def rule(self, values, tangents):
        n = len(values)

        def both(*flat):
            outs, pushed = self.inner.rule(list(flat[:n]), list(flat[n:]))
            return [*outs, *pushed]

        run = batched_body(both, (*self.flags, *self.flags), self.trace)
        flat = run(*values, *tangents)
        n = len(flat) // 2
        outs, pushed = flat[:n], flat[n:]
        if run.varied is not None:
            self.varied = run.varied[:n]
            spread = self.trace.spread
            pushed = [spread(t) if a and not b else t for t, a, b in zip(pushed, self.varied, run.varied[n:])]
        return outs, pushed


class BatchedVjp(VjpCall):
    """A call on values with a batch axis."""

    def __init__(self, inner, flags, trace):
        self.inner = inner
        self.owner = inner.owner
        self.flags = flags
        self.trace = trace
        self.rebuild_out = list
        self.varied: Any = None
        self.kept: Any = None  # which outputs, and which residuals, vary, of a call inside of a mesh

    def body(self, *values):
        run = batched_body(self.inner.body, self.flags, self.trace)
        outs = run(*values)
        self.varied = run.varied
        return outs

    def forward(self, values, active=None):
        shape = {}

        def run(*flat):
            outs, residuals, rebuild = self.inner.forward(list(flat), active)
            residuals, shape["rebuild"] = lasting(self.inner, flat, residuals, rebuild, active)
            shape["count"] = len(outs)
            return [*outs, *residuals]

        whole = batched_body(run, self.flags, self.trace)
        flat = whole(*values)
        if whole.varied is not None:
            self.varied, self.kept = whole.varied[: shape["count"]], whole.varied[shape["count"] :]
        return flat[: shape["count"]], flat[shape["count"] :], lambda leaves: (leaves, shape["rebuild"])

    def backward(self, residuals, cts, avals, call=call_pullback):
        leaves, rebuild = residuals
        n = len(leaves)
        inner_avals = [_behind(a) if flag else a for a, flag in zip(avals, self.flags)]
        none = []

        def run(*flat):
            found = self.inner.backward(rebuild(list(flat[:n])), list(flat[n:]), inner_avals, call)
            none[:] = [c is None for c in found]
            return [0.0 if c is None else c for c in found]

        flags = (True,) * (n + len(cts)) if self.kept is None else (*self.kept, *(self.varied or ()))
        whole = batched_body(run, flags, self.trace)
        found = whole(*leaves, *cts)
        if whole.varied is not None:
            return [None if skip else self.trace.settled(c, flag, varied)
                    for c, skip, flag, varied in zip(found, none, self.flags, whole.varied)]
        return [None if skip else c if flag else c.sum(axis=0) for c, skip, flag in zip(found, none, self.flags)]


def _behind(aval):
    return make_aval(aval.shape[1:], aval.dtype)


def custom_vmap(trace, prim, args):
    """The call of a function with rules of its own on values with a batch axis."""
    record = args[-1]
    values, flags = trace.unbox(args[:-1])
    batched = (BatchedJvp if isinstance(record, JvpCall) else BatchedVjp)(record, flags, trace)
    return boxed_as(trace, prim.rebind((*values, batched)), batched)
