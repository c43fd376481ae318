"""The ambient trace: level 0, always there, whose values may carry a node and a tangent. State is built on top of it.

It is the tape of the stateful layer. A saved value can be packed and unpacked by hooks and checked for its version;
nodes take hooks; a sweep can put saved values back on the tape (`create_graph`), with the tangents they had.
"""

from ..core.avals import aval_of
from ..core.dtypes import is_inexact
from ..core.tape import FREED, Node, next_seq
from ..core.tracer import Trace, Tracer
from ..core.types import Any
from .reverse import answer_avals, pick_rule, sweep


class Ambient(Tracer):
    """A value of the ambient trace: `value`, `node` (or None), `tangent` (itself ambient, or None)."""

    __slots__ = ()


class AmbientNode(Node):
    """A node that can be visited: hooks on its cotangent, packed saved values, freed by hand."""

    __slots__ = ("hooks", "packing", "tangents")

    def visit(self, ct):
        """The cotangent after the hooks, oldest first; a hook returns None to leave it as it is."""
        for hook in list(self.hooks or ()):
            changed = hook(ct)
            if changed is not None:
                ct = changed
        return ct

    def unpack(self):
        """What the rule saved, through the unpack function if it was packed."""
        saved = self.saved
        if saved is FREED:
            raise RuntimeError(
                f"the saved values of {self.rule.prim.name if self.rule and self.rule.prim else 'this node'} have been "
                "freed by an earlier sweep; pass retain_graph=True to the first one"
            )
        return saved if self.packing is None else self.packing.unpack(self, saved)

    def free(self):
        """Drop what was saved."""
        self.saved = FREED
        self.tangents = None


class AmbientTrace(Trace):
    """The trace of level 0. `packing` has `pack(node, saved, operands)` and `unpack(node, packed)`, or is None.

    Subclasses or instances set `recording` (grad mode) and `packing` (saved-tensor hooks, version checks).
    """

    __slots__ = ("recording", "packing")
    kind = "grad"

    def __init__(self):
        self.level = 0
        self.masked = False
        self.done = False
        self.recording = True
        self.packing = None

    def box(self, value, aval=None, node=None, tangent=None):
        """An ambient value."""
        out = Ambient()
        out.owner = self
        out.value = value
        out.aval = aval_of(value) if aval is None else aval
        out.node = node
        out.tangent = tangent
        return out

    def node(self, rule, parents, saved, tangents=None):
        """An ambient node with the next number."""
        node = AmbientNode()
        node.rule = rule
        node.parents = parents
        node.saved = saved
        node.seq = next_seq()
        node.hooks = None
        node.packing = None
        node.tangents = tangents
        return node

    def leaf(self, value, key):
        """A leaf: the sweep files its cotangent under `key`."""
        return self.box(value, node=self.node(None, None, key))

    def process(self, prim, args):
        operands, params = prim.split(args)
        mine = [isinstance(a, Tracer) and a.owner is self for a in operands]
        values = [a.value if own else a for a, own in zip(operands, mine)]
        ans = prim.again((*values, *params))
        if prim.flat:
            return self.rebox(ans)
        live = [i for i, own in enumerate(mine) if own and i not in prim.nondiff]
        tangents = {i: operands[i].tangent for i in live if operands[i].tangent is not None}
        active = tuple(i for i in live if operands[i].node is not None) if self.recording else ()
        if prim.masks:
            self.masked = True
        outs = self.record(prim, operands, values, params, ans, active) if active else self.rebox(ans)
        if tangents:
            self.push(prim, operands, params, outs, tangents)
        return outs

    def rebox(self, ans):
        """Answers without history."""
        return tuple([self.box(v) for v in ans]) if type(ans) is tuple else self.box(ans)

    def record(self, prim, operands, values, params, ans, active):
        """Answers with a node."""
        rule = prim.rule(active)
        avals = [aval_of(a) for a in operands]
        if rule.collect is None:
            saved = None
        elif prim.variadic:
            saved = rule.collect((tuple(values), *params, ans, tuple(avals), answer_avals(ans)))
        else:
            saved = rule.collect((*values, *params, ans, *avals, answer_avals(ans)))
        parents = tuple([operands[i].node for i in active])
        node = self.node(rule, parents[0] if len(parents) == 1 else parents, saved,
                         {i: a.tangent for i, a in enumerate(operands) if getattr(a, "tangent", None) is not None})
        if self.packing is not None and saved is not None:
            node.packing = self.packing
            node.saved = self.packing.pack(node, saved, operands)
        if prim.outputs is None:
            return self.box(ans, node=node) if is_inexact(aval_of(ans).dtype) else self.box(ans)
        out = []
        for k, v in enumerate(ans):
            picked = self.node(pick_rule(len(ans), k), node, None) if is_inexact(aval_of(v).dtype) else None
            out.append(self.box(v, node=picked))
        return tuple(out)

    def push(self, prim, operands, params, outs, tangents):
        """Give the answers their tangents, computed on ambient values, so that they are on the tape as well."""
        bare = [self.box(a.value, a.aval, a.node) if isinstance(a, Tracer) and a.owner is self else a for a in operands]
        pushed = prim.tangent(tangents, (*bare, *params), outs)
        if prim.outputs is None:
            outs.tangent = pushed
            return
        for out, t in zip(outs, pushed):
            out.tangent = t

    def lift(self, create_graph):
        """A `lift` for the sweep: saved operands and answers as ambient values, with their tangents;
        with `create_graph` also with their nodes."""

        def lifted(node, saved):
            rule = node.rule
            if rule.collect is None or saved is None:
                return saved
            items = (saved,) if len(rule.origins) == 1 else saved
            out = tuple([self.lifted_item(node, x, origin, create_graph) for x, origin in zip(items, rule.origins)])
            return out[0] if len(rule.origins) == 1 else out

        return lifted

    def lifted_item(self, node, x, origin, create_graph):
        if origin is None or isinstance(x, tuple):
            return x
        rule = node.rule
        tangent = (node.tangents or {}).get(origin)
        if origin == -1:
            return self.box(x, node=node if create_graph else None, tangent=tangent)
        parent = None
        if create_graph and origin in rule.active:
            parents = node.parents if isinstance(node.parents, tuple) else (node.parents,)
            parent = parents[rule.active.index(origin)]
        return self.box(x, node=parent, tangent=tangent)


def backward(
    trace: AmbientTrace,
    roots: list[tuple[Node, Any]],
    *,
    retain: bool = False,
    create_graph: bool = False,
    into: dict[Any, Any] | None = None,
    stop: dict[int, bool] | None = None,
) -> tuple[dict[Any, Any], dict[int, Any]]:
    """Sweep from values of the ambient trace back to its leaves.

    Args:
        trace: the trace that recorded them.
        roots: `[(node, ct), …]`.
        retain: keep what the nodes saved, so that they can be swept again.
        create_graph: put the cotangents on the tape as well; implies `retain`.
        into: a dict of leaf cotangents to add to.
        stop: nodes whose cotangents are wanted, as `sweep` takes them.
    Returns:
        `({leaf key: ct}, {node number: ct})`.
    Raises:
        RuntimeError: an earlier sweep freed what a node saved.

    >>> import numpy as np
    >>> from covector.extend import AmbientTrace, backward, peel
    >>> trace = AmbientTrace()
    >>> x = trace.leaf(np.array(3.0), "x")
    >>> cts, _ = backward(trace, [((x * x).node, 1.0)])
    >>> float(peel(cts["x"]))
    6.0
    """
    lift = trace.lift(create_graph)
    kept = retain or create_graph
    return sweep(list(roots), {} if into is None else into, masked=trace.masked, retain=kept, lift=lift, stop=stop)
