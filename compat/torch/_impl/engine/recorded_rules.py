"""Rules of nodes in a sweep that is recorded (create_graph), as programs.

A rule that is run on values of the tape is recorded operation by operation, 5 us each. For plain floats what comes of
it follows from shapes, dtypes and which values have a history: the second time such a rule is staged, and from then on
the source is run that computes it and makes the nodes, the same ones. Where neither what arrives nor what was saved has
a history there is nothing to record, and the rule runs on arrays as in any other sweep. A rule whose `again` is a
function has a way of its own.
"""

import functools
from types import FunctionType

import numpy as np

from ..... import _engine, extend
from ....._engine import FREED, Scatter
from ....._interpreters import Ambient
from ..graph import versions
from ..graph.accumulate import untraced
from ..graph.node_errors import DECLINED
from ..graph.node_names import NamedRule
from ..graph.recording import boxed, noted
from ..staged.recorder import Box, Recorder, Unfit
from ..staged.writer import Writer, compiled, listed
from ..state.levels import AMBIENT
from ..types.arrays import ARRAYS, namespace
from ..types.number_cache import FLOATS

# Gradients of piecewise linear functions, in a sweep that is recorded: they know what they depend on.
#
# Such a gradient does not change with the operand. Its derivative is 0, and in PyTorch a tensor of zeros: a second
# derivative of a network of relus is one, not a tensor that was not used.

# Those of which PyTorch has the zeros; operations that are composed of others say so in their row (`ties`).
PIECEWISE = frozenset("relu leaky_relu absolute hard_tanh hard_shrink soft_shrink threshold max_windows".split())
_CHOICE = extend.REGISTRY["where"]


def _zeros(ct):
    if type(ct) is ndarray:
        return np.zeros(ct.shape, ct.dtype)
    array = extend.unwrap(ct) if isinstance(ct, extend.Tracer) else ct
    return (namespace(array) if type(array) in ARRAYS else np).zeros(ct.shape, ct.dtype)


def _rule(back, title, shows):
    """The rule of what is a value as it is, and depends on another one without changing with it."""
    rule = NamedRule(_CHOICE.rule((1, 2), True), title, shows)
    rule.prim = rule.collect = None
    rule.names = rule.origins = rule.active = ()
    rule.keeps = False
    rule.back = rule.strong = back
    rule.again = lambda node, ct, drive: back(ct, None)
    return rule


@functools.lru_cache(64)
def _rules(name):
    """The rules for a cotangent without a history and for one with, where the operation's node has that name."""
    title = _TITLES.get(name) or name.replace("Backward0", "BackwardBackward0")
    return (_rule(lambda ct, saved: _zeros(ct), title, lambda node: [None, node.parents]),
            _rule(lambda ct, saved: (ct, _zeros(ct)), title, None))


_TITLES = {"ReluBackward0": "ThresholdBackwardBackward0", "AbsBackward0": "MulBackward0"}  # that are not of one form


def is_piecewise(rule):
    """Tell whether a rule is that of a piecewise linear operation."""
    return rule.prim is not None and (rule.prim.name in PIECEWISE or type(rule) is NamedRule and rule.ties)


def tied(out, node, drive):
    """The cotangents of the operands of a piecewise linear operation, as values that depend on the operands, too."""
    if drive.trace is not AMBIENT:
        return out
    if type(node.parents) is tuple:
        return tuple([c if c is None or p is None else _tied(c, p, node) for c, p in zip(out, node.parents)])
    return _tied(out, node.parents, node)


def _tied(out, parent, node):
    history = None
    if type(out) is Scatter:
        out = out.dense()
    elif isinstance(out, np.generic):
        out = np.asarray(out)
    if type(out) in ARRAYS:
        value = out
    elif type(out) is Ambient and out.owner is AMBIENT and out.tangent is None and type(out.value) in ARRAYS:
        value, history = out.value, out.node
    elif isinstance(out, extend.Tracer):  # one of several at once, or one with a tangent
        return _CHOICE.fun(np.True_, out, AMBIENT.box(_zeros(out), extend.aval_of(out), parent))
    else:
        return out
    constant, linear = _rules(node.name())
    made = noted(constant, parent, None) if history is None else noted(linear, (history, parent), None)
    return AMBIENT.box(value, extend.aval_of(value), made)


def tying(again):
    """`again` of the rule of a piecewise linear operation."""
    def run(node, ct, drive):
        out = again(node, ct, drive)
        return DECLINED if out is DECLINED else tied(out, node, drive)

    return run


ndarray = np.ndarray
aval_of = extend.aval_of
_KEPT = 64  # programs of a rule
_LARGE = 1 << 20  # elements: an operation on more costs far more than its record


def programs(rule):
    """Install and return the recorded program of a rule (`rule.again`), which gives the cotangents of a node's parents,
    or DECLINED where the general road is to be taken."""
    again = asked(rule)
    rule.again = tying(again) if is_piecewise(rule) else again
    return rule.again


def is_free(rule):
    """Tell whether a rule records nothing where what arrives has no history."""
    return not rule.once and all(i is None or i != -1 and i not in rule.active for i in rule.origins)


def declined(node, ct, drive):
    """Decline: the stand-in of a rule that has no programs."""
    return DECLINED


def asked(rule):
    """`again` of a rule: finds the program for what arrives and what was saved, and runs it.

    It is written for the rule, whose saved values and parents it need not go through one by one.
    """
    origins, names = rule.origins, rule.names
    changed = "saved is FREED or node.seq > LAST[0] and node.changed(saved) is not None" if rule.keeps else (
        "saved is FREED")
    values = [k for k, origin in enumerate(origins) if origin is not None]
    key = ["c.shape", "c.itemsize", "p is None", *["drive.masked"] * rule.chooses]
    given = ["drive.trace", "ct", "c", "p"]
    for k, (name, origin) in enumerate(zip(names, origins)):
        if origin is not None:
            key += (f"x{k}.shape", f"x{k}.dtype.num")
            active = origin in rule.active
            given += (f"x{k}", "node" if origin == -1 else f"n{rule.active.index(origin)}" if active else "None")
        elif name.endswith("_aval") and name != "ans_aval" and not rule.prim.variadic:
            key += (f"x{k}.shape", f"x{k}.dtype.num", f"x{k}.weak")
        else:
            key += (f"type(x{k})", f"spelled(x{k})")
    parents = "".join(f"n{i}, " for i in range(len(rule.active))) if len(rule.active) > 1 else "n0"
    lines = [
        "def again(node, ct, drive):", " p = None", " c = ct", " if type(ct) is Ambient:",
        "  if ct.owner is not drive.trace or ct.tangent is not None:", "   return DECLINED",
        "  c, p = ct.value, ct.node", " saved = node.saved"]
    if is_free(rule):  # where nothing has a history there is nothing to record
        lines += [" if p is None and untraced(c):", *([f"  if {changed}:", "   return DECLINED"] if rule.keeps else ()),
                  *(["  if not drive.retain:", "   node.free()"] if rule.keeps else ()), "  return back(c, saved)"]
    lines += [" if type(c) is not ndarray or c.dtype not in FLOATS:", "  return DECLINED"]
    if rule.collect is not None:
        lines += [f" if {changed}:", "  return DECLINED",
                  f" {', '.join([f'x{k}' for k in range(len(origins))])} = saved"]
    if values:
        lines += [f" if {' or '.join([f'type(x{k}) is not ndarray' for k in values])}:", "  return DECLINED"]
    if any(g.startswith("n") and g != "node" for g in given):
        lines += [f" {parents} = node.parents"]
    lines += [f" key = {', '.join(key)}", " try:", "  program = programs.get(key)",
              " except TypeError:", "  program = refuse(rule)",  # a parameter that is no key
              " if type(program) is not Function:",
              f"  program = made(rule, programs, key, program, ({', '.join(given)}), saved, drive.masked)",
              "  if program is DECLINED:", "   return DECLINED"]
    if rule.keeps:
        lines += [" if not drive.retain:", "  node.free()"]
    lines += [f" return program({', '.join(given)})"]
    room = _ASKING | {"rule": rule, "back": rule.back, "programs": {}}
    exec(compiled("\n".join(lines) + "\n", f"{__file__} asking a rule"), room)
    return room["again"]


def refuse(rule):
    """No more programs of a rule."""
    rule.again = declined
    return DECLINED


def made(rule, programs, key, program, given, saved, masked):
    """The program for a key, from the second time on that it is asked for; DECLINED where there is none."""
    if program is None:
        if len(programs) >= _KEPT:
            programs.clear()
        programs[key] = 1
        return DECLINED
    if program == 1:
        program = programs[key] = build(rule, given, saved, masked)
    return program


def spelled(param):
    """A parameter as a key: slices have no hash, -0.0 equals 0.0, and True equals 1."""
    kind = type(param)
    if kind is tuple:
        return tuple([(type(x), spelled(x)) for x in param])
    if kind is slice:
        return param.start, param.stop, param.step
    return str(param) if kind is float and not param else param


_ASKING = {"Ambient": Ambient, "DECLINED": DECLINED, "FLOATS": FLOATS, "FREED": FREED, "Function": FunctionType,
           "LAST": versions.LAST, "made": made, "ndarray": ndarray, "refuse": refuse, "spelled": spelled,
           "untraced": untraced}


def build(rule, given, saved, masked):
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
        back = rule.strong if rule.chooses and masked else rule.back  # a choice moves nothing where a selection cut
        answer = back(boxes[0], None if not items else items[0] if len(items) == 1 else tuple(items))
        writer = RuleWriter(recorder, [i for i, n in enumerate(nodes) if n is not None])
        source = writer.text(answer, boxes)
    except NotImplementedError:
        return DECLINED
    exec(compiled(source, f"{__file__} rule of {rule.prim.name}"), writer.room)
    writer.room |= {name: _engine.small(writer.room[name]) for name in writer.ufuncs}
    return writer.room["program"]


class RuleWriter(Writer):
    """Writes the source of a rule, which gives values of a trace."""

    def __init__(self, recorder, recorded):
        super().__init__(recorder, recorded, {"noted": noted, "boxed": boxed}, 1)
        self.arrays = True

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
        for k, (eq, rule) in enumerate(zip(graph.equations, rules)):
            if rule is not None:
                self.record(k, eq, rule)
            if eq.prim.zeros:
                self.write(1, "owner.masked = True")
        names = {}
        for k, (box, v) in enumerate(zip(results, graph.outputs)):
            if type(v) is not type(self.inputs[0]):
                raise Unfit  # a constant
            value = self.values[v]
            if v not in self.nodes:
                names[id(box)] = self.names[v]
                continue
            names[id(box)] = f"out{k}"
            self.box(f"out{k}", self.names[v], self.nodes.get(v), self.constant(aval_of(value), f"AVAL_{k}"))
        shown = ["None" if v is None else "ct" if v is boxes[0] else names.get(id(v)) for v in parts]
        if None in shown:
            raise Unfit
        self.write(1, f"return {listed(shown) if type(answer) is tuple else shown[0]}")
        return "\n".join(self.lines) + "\n"

    def box(self, name, value, node, aval):
        """The lines that make a value of the trace."""
        self.write(1, f"{name} = boxed(owner, {value}, {node}, {aval})")

    def node(self, name, rule, parents, saved):
        """The lines that make a node."""
        self.write(1, f"{name} = noted({self.constant(rule, 'RULE')}, {parents}, {saved})")
