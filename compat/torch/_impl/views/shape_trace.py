"""A trace that records operations on shapes alone: what a write through a view does to the history of its base."""

from ..... import extend

_HELD = extend.Tracer.value  # the slot of a box, which holds its aval, or what its aval follows from


class Box(extend.Opaque):
    """A shape and dtype with a history and without elements."""

    __slots__ = ()

    @property
    def aval(self):
        """Found when it is first asked for: the last operation is seldom asked."""
        known = _HELD.__get__(self)
        if type(known) is tuple:
            prim, operands, params = known
            known = prim.shape([x.aval for x in operands], params)
            _HELD.__set__(self, known)
        return known


class Shapes(extend.Trace):
    """Records at a level what operations with rules that need shapes alone would do."""

    __slots__ = ("recorder",)

    def __init__(self, recorder):
        self.level = 0  # no value of another trace meets its own
        self.recorder = recorder

    def box(self, aval, node):
        """A value of that shape and dtype."""
        out = Box()
        out.owner = self
        _HELD.__set__(out, aval)
        out.node = node
        return out

    def process(self, prim, args):
        """Record a node, if an operand has one."""
        operands, params = prim.split(args)
        active = tuple([i for i, x in enumerate(operands) if x.node is not None])
        out = self.box((prim, operands, params), None)
        if active:
            rule = prim.rule(active)
            if rule.keeps or "ans_aval" in rule.names:
                raise AssertionError(f"the rule of {prim.name} saves more than the shapes of operands")
            avals = tuple([x.aval for x in operands])
            record = (None, *params, None, avals) if prim.variadic else (*[None] * len(avals), *params, None, *avals)
            nodes = tuple([operands[i].node for i in active])
            saved = None if rule.collect is None else rule.collect((*record, None))
            out.node = self.recorder.node(rule, nodes if len(nodes) > 1 else nodes[0], saved)
        return out
