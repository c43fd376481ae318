"""The ambient trace: level 0, always there, whose values may carry a node and a tangent. State is built on top of it.

It is the tape of the stateful layer. A saved value can be packed and unpacked by hooks and checked for its version;
nodes take hooks; a sweep can put saved values back on the tape (`create_graph`), with the tangents they had.
"""

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.errors import RuleError, at_user_line
from ...core.ops.shaping import broadcast_to
from ...core.slots import Node
from ...core.tape.recording import next_seq
from ...core.tape.tape import FREED
from ...core.tape.unbroadcast import recast
from ...core.trace.tracer import Trace, Tracer, next_level
from .reverse import answer_avals, pick_rule, real_fixes


class Ambient(Tracer):
    """A value of the ambient trace: `value`, `node` (or None), `tangent` (itself ambient, or None)."""

    __slots__ = ()


class Extra:
    """Rare parts of a node: hooks on the cotangent, the packing of what was saved, tangents of the operands."""

    hooks = packing = tangents = None


class AmbientNode(Node):
    """A node of the stateful layer; a subclass has `run_in_sweep(ct, drive)`. `extra` is an `Extra` or None."""

    __slots__ = ()
    extra_class = Extra

    def more(self):
        """The `Extra` of this node, made when first asked for."""
        if self.extra is None:
            self.extra = self.extra_class()
        return self.extra

    def ensure_hooks(self):
        """The `Extra` of a node about to get something that the sweep must see."""
        return self.more()

    def free(self):
        """Drop what was saved; shapes and parameters are no values and stay."""
        if self.saved is not None and self.rule.keeps:
            self.saved = FREED
            if self.extra is not None:
                self.extra.tangents = None


class AmbientTrace(Trace):
    """A trace of the stateful layer: the ambient one is at level 0; others are made at a level of their own.

    `packing` has `pack(node, saved)` and `unpack(node, packed)`, or is None. Subclasses or instances set
    `recording` (grad mode) and `packing` (saved-tensor hooks, version checks), and may name another `node_class`.
    """

    __slots__ = ()
    kind = "grad"
    node_class = AmbientNode
    recording = True
    packing = None

    def __init__(self, ambient: bool = True):
        self.level = 0 if ambient else next_level()
        self.masked = False
        self.done = False

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
        node = self.node_class()
        node.rule = rule
        node.parents = parents
        node.saved = saved
        node.seq = next_seq()
        node.extra = None
        if tangents:
            node.ensure_hooks().tangents = tangents
        return node

    def leaf(self, value, key):
        """A leaf: the sweep files its cotangent under `key`."""
        return self.box(value, node=self.node(None, None, key))

    def process(self, prim, args):
        if prim.continued is not None:
            return prim.continued(*args)
        if prim.handlers is not None:
            if "ambient" in prim.handlers:
                return prim.handlers["ambient"](self, prim, args)
            self.refuse_tangents(prim, args)
            return prim.handlers[self.kind](self, prim, args)
        operands, params = prim.split(args)
        mine = [isinstance(a, Tracer) and a.owner is self for a in operands]
        values = [a.value if own else a for a, own in zip(operands, mine)]
        ans = self.below(prim, (*values, *params))
        # The derivative is zero everywhere: outputs have no history, whatever the operands have.
        if prim.flat:
            return self.rebox(ans)
        live = [i for i, own in enumerate(mine) if own and i not in prim.nondiff]
        # An index or a mask with a derivative would lose it silently.
        for i in prim.nondiff:
            a = operands[i]
            if mine[i] and (a.tangent is not None or self.recording and a.node is not None):
                prim.refuse_derivative(i, a)
        tangents = {i: operands[i].tangent for i in live if operands[i].tangent is not None}
        active = tuple(i for i in live if operands[i].node is not None) if self.recording else ()
        if prim.zeros:
            self.masked = True
        outs = self.record(prim, operands, values, params, ans, active) if active else self.rebox(ans)
        if tangents:
            self.push(prim, operands, params, outs, tangents)
        return outs

    def refuse_tangents(self, prim, args):
        """Raise where an operand has a tangent, which would be lost."""
        if any(isinstance(a, Tracer) and a.owner is self and a.tangent is not None for a in args):
            raise RuleError(f"{prim.name} of a value with a tangent has a forward-mode derivative only under a "
                            f"transform; use jvp of the whole function{at_user_line()}")

    def keep(self, value):
        """An array that is saved beside a node, safe from writes to the original."""
        return np.array(value) if isinstance(value, np.ndarray) else value

    def below(self, prim, args):
        """The operation one level down."""
        return prim.rebind(args)

    def rebox(self, ans):
        """Outputs without history."""
        return tuple([self.box(v) for v in ans]) if type(ans) is tuple else self.box(ans)

    def record(self, prim, operands, values, params, ans, active):
        """Outputs with a node."""
        avals = [aval_of(a) for a in operands]
        rule = prim.rule(active) if self.packing is not None else rule_for(
            prim, active, avals, [aval_of(v) for v in (ans if type(ans) is tuple else (ans,))])
        if rule.collect is None:
            saved = None
        elif prim.variadic:
            saved = rule.collect((tuple(values), *params, ans, tuple(avals), answer_avals(ans)))
        else:
            saved = rule.collect((*values, *params, ans, *avals, answer_avals(ans)))
        parents = tuple([operands[i].node for i in active])
        node = self.node(rule, parents[0] if len(parents) == 1 else parents, saved,
                         {i: a.tangent for i, a in enumerate(operands)
                          if getattr(a, "tangent", None) is not None and a.owner is self})
        packing = self.packing
        if packing is not None and rule.keeps:
            node.ensure_hooks().packing = packing
            node.saved = packing.pack(node, saved)
        if prim.outputs is None:
            return self.box(ans, node=node) if is_inexact(aval_of(ans).dtype) else self.box(ans)
        return self.pick(ans, node)

    def pick(self, answers, node):
        """One value for each output of a node with several; those that carry no derivative have no history."""
        out = []
        for k, v in enumerate(answers):
            picked = self.node(pick_rule(len(answers), k), node, None) if is_inexact(aval_of(v).dtype) else None
            out.append(self.box(v, node=picked))
        return tuple(out)

    def push(self, prim, operands, params, outs, tangents):
        """Give the outputs their tangents, computed on ambient values, so that they are on the tape as well.

        Where nothing has a history, there is no tape: then they are computed on the values themselves.
        """
        ans = outs
        if any(isinstance(a, Tracer) and a.owner is self and a.node is not None for a in operands):
            # Without their tangents, else forward mode would push these as well.
            bare = [self.box(a.value, a.aval, a.node) if isinstance(a, Tracer) and a.owner is self else a
                    for a in operands]
        else:
            bare = [a.value if isinstance(a, Tracer) and a.owner is self else a for a in operands]
            ans = outs.value if prim.outputs is None else tuple([out.value for out in outs])
        pushed = prim.tangent(tangents, (*bare, *params), ans)
        if prim.outputs is None:
            outs.tangent = pushed = conform_tangent(pushed, outs.aval)
            self.remember(outs.node, pushed)
            return
        pushed = tuple([conform_tangent(t, out.aval) for out, t in zip(outs, pushed)])
        for out, t in zip(outs, pushed):
            out.tangent = t
        self.remember(next((out.node.parents for out in outs if out.node is not None), None), pushed)

    def remember(self, node, pushed):
        """Let a node whose rule saved its output have the output's tangent, until it is freed."""
        if node is not None and -1 in node.rule.origins:
            extra = node.ensure_hooks()
            extra.tangents = {**(extra.tangents or {}), -1: pushed}

    def lift(self, node, saved, create_graph):
        """Saved operands and outputs as values of this trace with their tangents; with `create_graph` also their nodes.

        A rule that runs on them is recorded (or pushed forward) like any other operation.
        """
        rule = node.rule
        if saved is None or rule.collect is None:
            if create_graph:
                self.refuse_again(rule)
            return saved
        items = (saved,) if len(rule.origins) == 1 else saved
        out = [self.lift_item(node, x, origin, create_graph) for x, origin in zip(items, rule.origins)]
        return out[0] if len(rule.origins) == 1 else tuple(out)

    def refuse_again(self, rule):
        """Raise where the derivative of a rule's output was asked for, but would be lost."""
        if rule.once:
            raise RuleError(f"the derivative of {rule.names[0]} was to be recorded (create_graph); only transforms "
                            f"can do that: use grad of grad of the whole function{at_user_line()}")

    def lift_item(self, node, x, origin, create_graph):
        """One saved item as a value of this trace."""
        if origin is None:
            return x
        rule = node.rule
        if origin == -1:
            if not isinstance(x, tuple):
                return self.box(x, node=node if create_graph else None, tangent=self.tangent_of(node, -1))
            answers = self.pick(x, node) if create_graph else tuple([self.box(v) for v in x])
            for answer, t in zip(answers, self.tangent_of(node, -1) or ()):
                answer.tangent = t
            return answers
        if rule.prim.variadic:
            return tuple([self.lift_operand(node, v, i, create_graph) for i, v in enumerate(x)])
        return self.lift_operand(node, x, origin, create_graph)

    def lift_operand(self, node, x, i, create_graph):
        """One saved operand as a value of this trace; what is no floating array stays as it is."""
        if not is_inexact(aval_of(x).dtype):
            return x
        parent = None
        if create_graph and i in node.rule.active:
            parents = node.parents if isinstance(node.parents, tuple) else (node.parents,)
            parent = parents[node.rule.active.index(i)]
        return self.box(x, node=parent, tangent=self.tangent_of(node, i))

    def tangent_of(self, node, i):
        """The tangent that operand `i` (-1: the output) had when the node was recorded."""
        tangents = None if node.extra is None else node.extra.tangents
        return None if tangents is None else tangents.get(i)


def conform_tangent(tangent, aval):
    """A tangent in the shape and dtype of its value; none for a value that carries no derivative."""
    if tangent is None or not is_inexact(aval.dtype):
        return None
    if tangent.shape != aval.shape:
        tangent = broadcast_to(tangent, shape=aval.shape)
    return tangent if tangent.dtype == aval.dtype else recast(tangent, aval.dtype)


def rule_for(prim, active, avals, answers):
    """The rule of an operation, by the avals of its operands and outputs."""
    fixes = real_fixes(prim, active, avals, answers[0])
    return prim.rule(active, fixes is not None, fixes or None)
