"""Rules of nodes in a sweep that is recorded (create_graph), as programs.

A rule that is run on values of the tape is recorded operation by operation, 5 us each. For plain floats what comes of
it follows from shapes, dtypes and which values have a history: the second time such a rule is staged, and from then on
the source is run that computes it and makes the nodes, the same ones. Where neither what arrives nor what was saved has
a history there is nothing to record, and the rule runs on arrays as in any other sweep. A rule whose `again` is a
function has a way of its own.
"""

from types import FunctionType

import numpy as np

from ..... import _engine, extend
from ....._engine import FREED, Ambient
from ..graph import versions
from ..graph.lone_cotangents import untraced
from ..graph.undefined import DECLINED
from ..staged.recorder import Box, Recorder, Unfit
from ..staged.writer import Writer, compiled, listed
from ..types.number_cache import FLOATS

ndarray = np.ndarray
aval_of = extend.aval_of
_KEPT = 64  # programs of a rule
_LARGE = 1 << 20  # elements: an operation on more costs far more than its record


def pull(node, ct, drive):
    """The cotangents of a node's parents, recorded; DECLINED where the general road is to be taken."""
    rule = node.rule
    programs = rule.again
    if programs is False:
        return DECLINED
    if type(programs) is FunctionType:
        return programs(node, ct, drive)
    trace = drive.trace
    if programs is None:
        programs = rule.again = {None: not rule.once and all(
            i is None or i != -1 and i not in rule.active for i in rule.origins)}
    p = None
    c = ct
    if type(ct) is Ambient:
        if ct.owner is not trace or ct.tangent is not None:
            return DECLINED
        c, p = ct.value, ct.node
    if p is None and programs[None] and untraced(c):
        saved = node.saved
        if rule.keeps:
            if saved is FREED or node.seq > versions.LAST[0] and node.changed(saved) is not None:
                return DECLINED
            if not drive.retain:
                node.free()
        return rule.back(c, saved)
    if type(c) is not ndarray or c.dtype not in FLOATS:
        return DECLINED
    given = [trace, ct, c, p]
    key = [c.shape, c.itemsize, p is None]
    if rule.collect is not None:
        saved = node.saved
        if saved is FREED or node.seq > versions.LAST[0] and rule.keeps and node.changed(saved) is not None:
            return DECLINED
        origins = rule.origins
        for x, origin in zip((saved,) if len(origins) == 1 else saved, origins):
            if origin is None:
                key += (type(x), spelled(x))
                continue
            if type(x) is not ndarray:
                return DECLINED
            if origin == -1:
                q = node
            elif origin in rule.active:
                q = node.parents
                if type(q) is tuple:
                    q = q[rule.active.index(origin)]
            else:
                q = None
            given += (x, q)
            key += (x.shape, x.dtype.num)
    key = tuple(key)
    try:
        program = programs.get(key)
    except TypeError:  # a parameter that is no key
        rule.again = False
        return DECLINED
    if program is None:
        if len(programs) >= _KEPT:
            free = programs[None]
            programs.clear()
            programs[None] = free
        programs[key] = 1
        return DECLINED
    if program == 1:
        program = programs[key] = build(rule, given, node.saved)
    if program is DECLINED:
        return DECLINED
    if rule.keeps and not drive.retain:
        node.free()
    return program(*given)


def spelled(param):
    """A parameter as a key: slices have no hash, -0.0 equals 0.0, and True equals 1."""
    kind = type(param)
    if kind is tuple:
        return tuple([(type(x), spelled(x)) for x in param])
    if kind is slice:
        return param.start, param.stop, param.step
    return str(param) if kind is float and not param else param


def build(rule, given, saved):
    """The program of a rule for values like those that are given; DECLINED where there is none."""
    if rule.once or rule.prim is None or rule.prim.variadic or rule.prim.handlers is not None or (
            rule.prim.outputs is not None or given[2].size > _LARGE):
        return DECLINED
    values, nodes = given[2::2], given[3::2]
    recorder = Recorder()
    try:
        boxes = [recorder.input(aval_of(x), x) for x in values]
        rest = iter(boxes[1:])
        items = ()
        if rule.collect is not None:
            items = [x if origin is None else next(rest)
                     for x, origin in zip((saved,) if len(rule.origins) == 1 else saved, rule.origins)]
        answer = rule.back(boxes[0], None if not items else items[0] if len(items) == 1 else tuple(items))
        writer = RuleWriter(recorder, [i for i, n in enumerate(nodes) if n is not None])
        source = writer.text(answer, boxes)
    except NotImplementedError:
        return DECLINED
    exec(compiled(source, f"{__file__} rule of {rule.prim.name}"), writer.room)
    _engine.small_names(writer.room, writer.ufuncs)
    return writer.room["program"]


class RuleWriter(Writer):
    """Writes the source of a rule, which gives values of a trace."""

    def __init__(self, recorder, recorded):
        super().__init__(recorder, recorded, {"Ambient": Ambient}, 1)

    def text(self, answer, boxes):
        """The function's text."""
        parts = answer if type(answer) is tuple else (answer,)
        results = [v for v in parts if type(v) is Box and v is not boxes[0]]
        graph = self.recorder.finish(results)
        if not set(graph.outputs).isdisjoint(self.inputs):
            raise Unfit  # an operand itself
        operands = ", ".join(f"x{i}, n{i}" for i in range(len(boxes)))
        self.write(0, f"def program(owner, ct, {operands}):")
        rules = [self.rule_of(k, eq) for k, eq in enumerate(graph.equations)]
        for k, eq in enumerate(graph.equations):
            if eq.prim.effects or eq.prim.flat and not eq.outputs:
                raise Unfit
            self.compute(k, eq)
            for v in eq.outputs:
                if type(self.values[v]) is not ndarray:
                    self.write(1, f"{self.names[v]} = np.asarray({self.names[v]})")
        for k, (eq, rule) in enumerate(zip(graph.equations, rules)):
            if rule is not None:
                self.record(k, eq, rule)
            if eq.prim.zeros:
                self.write(1, "owner.masked = True")
        names = {}
        for k, (box, v) in enumerate(zip(results, graph.outputs)):
            if type(v) is not type(self.inputs[0]):
                raise Unfit  # a constant
            value = np.asarray(self.values[v])
            if v not in self.nodes:
                names[id(box)] = self.names[v]
                continue
            names[id(box)] = f"out{k}"
            self.make(f"out{k}", "Ambient()", owner="owner", value=self.names[v], node=self.nodes.get(v),
                      tangent="None", aval=self.constant(aval_of(value), f"AVAL_{k}"))
        shown = ["None" if v is None else "ct" if v is boxes[0] else names.get(id(v)) for v in parts]
        if None in shown:
            raise Unfit
        self.write(1, f"return {listed(shown) if type(answer) is tuple else shown[0]}")
        return "\n".join(self.lines) + "\n"
