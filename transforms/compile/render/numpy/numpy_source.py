"""The NumPy renderer: straight-line Python for the equations of a draft, with temporaries in reused buffers.

Each equation is written as the very call that runs it without compilation, so that the results are the same, bit for
bit. A ufunc, a sum or a product of compact operands writes into a buffer where its result does not leave the function.
"""

import re
from collections import Counter
from keyword import iskeyword

import numpy as np

from .....core.primitive.primitive import REGISTRY
from ....graph.equations import Literal, Var
from ....graph.layout import Layouts
from ....scope.errstate import quiet, within
from ...analysis.liveness import Memory, take_frame
from .block_fusion import Group, write_group
from .calls import write_call, write_equation

# Lines of source: the text of a function, its names, and the objects that it refers to.

_LOCAL = frozenset({"run", "frame", "new_frame", "range", "n", "m", "i", "j", "_"})  # what the lines themselves say
_VARIABLE = re.compile(r"[a-z]{1,2}\d+")


class Lines:
    """The text of a function, as it is written."""

    def __init__(self):
        self.lines = []  # (indentation, text, where the user asked for it)
        self.indent = 1
        self.where = None
        self.names = {}  # variable -> its name
        self.globals = {}  # name -> object
        self.known = {}  # id of an object -> its name
        self.count = 0
        self.begun = 0  # the lines before that stretch
        self.silent = False  # how the stretch warns that is being written, as `quiet` of an equation says
        self.outside = 0  # the indentation outside of it
        self.within = False  # how the whole loop warns that is being written

    def write(self, text):
        """Add a line."""
        self.lines.append((self.indent, text, self.where))

    def label(self, letter):
        """A new name."""
        self.count += 1
        return f"{letter}{self.count}"

    def name(self, var, letter="v"):
        """A new name for a variable."""
        self.names[var] = name = self.label(letter)
        return name

    def object(self, value, hint):
        """The name of an object that the function refers to."""
        name = self.known.get(id(value))
        if name is None:
            name = hint = identifier(hint)
            while name in self.globals or name in _LOCAL:
                self.count += 1
                name = f"{hint}{self.count}"
            self.globals[name] = value
            self.known[id(value)] = name
        return name

    def ref(self, v):
        """The text for a variable or a constant."""
        if type(v) is Var:
            return self.names[v]
        value = v.value
        if type(value) is bool or type(value) is int or type(value) is float and value == value and abs(value) < 1e308:
            return f"({value!r})" if value < 0 or str(value)[0] == "-" else repr(value)
        return self.object(value, "k")

    def param(self, value):
        """The text for a static parameter."""
        if value is None or type(value) in (bool, int, str) or value is Ellipsis:
            return "..." if value is Ellipsis else repr(value)
        if type(value) is tuple and all(type(x) in (bool, int, str) or x is None for x in value):
            return repr(value)
        return self.object(value, "p")

    def index(self, index):
        """The text of a basic index."""
        if type(index) is tuple:
            return ", ".join(map(self.index, index)) + ("," if len(index) == 1 else "") if index else "()"
        if type(index) is slice:
            parts = ["" if p is None else str(p) for p in (index.start, index.stop)]
            return ":".join(parts) + (f":{index.step}" if index.step is not None else "")
        return "..." if index is Ellipsis else repr(index) if index is None or type(index) in (int, bool) else (
            self.object(index, "i"))

    def scope(self, silent):
        """Be in a stretch that warns so, from here on."""
        if self.within is True or silent == self.within:
            silent = False
        if silent == self.silent:
            return
        if self.silent is not False:
            self.indent = self.outside
            if len(self.lines) == self.begun:  # nothing was written in it
                self.lines.pop()
        if silent is not False:
            self.outside = self.indent
            self.write(f"with {self.object(quiet, 'quiet')}():" if silent is True else
                       f"with {self.object(within, 'within')}({self.object(silent, 'state')}):")
            self.indent += 1
            self.begun = len(self.lines)
        self.silent = silent


def identifier(text):
    """A Python name like a text: no keyword, and no `v12` as variables are called."""
    name = text if text.isascii() and text.isidentifier() else "".join([  # a pattern of its own takes 0.2 ms to compile
        c if c.isascii() and c.isalnum() else "_" for c in text])
    return f"of_{name}_" if not name.isidentifier() or iskeyword(name) or _VARIABLE.fullmatch(name) else name


ndarray = np.ndarray
_FREED = 1 << 16  # bytes of an array that is freed before the function ends


class Life:
    """Liveness of the values of a block of equations.

    Args:
        equations: the block.
        outputs: what is read after it.
        kept: those of `outputs` that need memory of their own, or () for all.
        layouts: which values share memory.
    """

    def __init__(self, equations, outputs, kept, layouts):
        last = dict.fromkeys(v for eq in equations for v in (*eq.inputs, *eq.outputs) if type(v) is Var)  # in order
        for k, eq in enumerate(equations):
            layouts.note(eq)
            last.update(dict.fromkeys(_bases(eq.inputs, layouts), k))
        own = _bases(kept, layouts)
        read = own | _bases(outputs, layouts)
        self.leaving = own if kept != () else set(read)
        for eq in reversed(equations):  # what is written to on its way out is no buffer
            if eq.prim.updates and eq.outputs[0] in self.leaving and type(eq.inputs[0]) is Var:
                self.leaving.add(eq.inputs[0])
        self.ends = {}  # index of an equation -> what nobody reads after it
        for v, end in last.items():
            if end is not None and v not in read:
                self.ends.setdefault(end, []).append(v)
        self.held = {}  # variable -> the slot that it lies in
        self.dying = ()  # what nobody reads after the present equation

    def begin(self, k):
        """Go on to an equation."""
        self.dying = self.ends.get(k, ())


def _bases(values, layouts):
    """The variables whose memory some values may show, themselves included."""
    found = set()
    for v in values:
        if type(v) is Var:
            found |= layouts.bases(v)
    return found


class Source(Lines):
    """The source of one function, as it is written.

    Args:
        draft: what is to be computed.
        compact: the inputs that are known to lie in order in memory.
        own: whether outputs may share no memory with inputs, constants or each other.
        donated: the inputs whose memory outputs may take.
        loops: `{equation: function}` of those that run as functions of their own.
    """

    def __init__(self, draft, compact=frozenset(), own=False, loops=(), donated=()):
        Lines.__init__(self)
        self.ready = dict(loops)
        donated = {v for v in donated if v in compact and v not in draft.outputs}
        spent = {v for v in donated if all(v not in eq.inputs for eq in draft.equations)}
        self.layouts = Layouts(compact)
        self.memory = Memory(self.names, self.layouts.compact, donated, spent)
        self.fresh = set()  # arrays that this function made, which it may write to
        self.inputs = [self.name(v, "a") for v in draft.inputs]
        self.block(draft.equations, draft.outputs)
        outs = self.outputs(draft, own)
        frame = self.memory.frame
        if frame:
            frames = self.object([], "frames")
            self.lines.insert(0, (1, f"frame = {self.object(take_frame, 'pop')}({frames}) or new_frame()", None))
            self.lines.insert(1, (1, f"{', '.join(frame)}, = frame", None))
            self.write(f"{frames}.append(frame)")
        self.write(f"return {outs}")

    def block(self, equations, outputs, kept=()):
        """Write equations whose `outputs` are read afterwards, and those `kept` in memory of their own."""
        life = Life(equations, outputs, kept, self.layouts)
        memory = self.memory
        made = set()
        for k, eq in enumerate(equations):
            self.where = eq.line
            self.scope(eq.quiet)
            life.begin(k)
            self.equation(eq, life)
            made.update(eq.outputs)
            memory.spent.update(v for v in life.dying if v in memory.donated)
            gone = []
            for v in life.dying:
                if v in life.held:
                    slot = life.held.pop(v)
                    if slot not in life.held.values():
                        memory.release([slot])
                elif v in made and v.aval.size * v.aval.dtype.itemsize >= _FREED and not self.is_used(v, eq):
                    gone.append(self.names[v])
            if gone:
                self.write(f"del {', '.join(gone)}")
        self.scope(False)
        self.where = None
        memory.release(life.held.values())

    def is_used(self, v, eq):
        """Tell whether the name of a variable stands for a buffer, or for what an equation gave, too."""
        name = self.names[v]
        return self.memory.slot_of(name) is not None or name in [self.names.get(out) for out in eq.outputs]

    def equation(self, eq, life):
        """Write one equation."""
        if type(eq) is Group:
            write_group(self, eq, life.leaving, life.held)
        elif eq in self.ready:
            self.write(f"{', '.join(map(self.name, eq.outputs))}, = "
                       f"{self.object(self.ready[eq], 'loop')}({', '.join(map(self.ref, eq.inputs))})")
        elif eq.prim.control is not None and all(b.graph is not None for b in eq.bodies()):
            LOOPS[eq.prim.control](self, eq)
        else:
            write_equation(self, eq, life)

    def outputs(self, draft, own):
        """The text of the list that the function returns."""
        found, seen = [], set()
        given = set(draft.inputs)
        for v in draft.outputs:
            text = self.ref(v)
            bases = self.layouts.bases(v) if type(v) is Var else {v}
            if own and v.aval.shape and (type(v) is Literal or not bases.isdisjoint(given) or not bases.isdisjoint(seen)
                                         or self.shows_foreign(v, draft)):
                text = f"{self.object(np.array, 'array')}({text})"
            elif own and (type(v) is Literal or not bases.isdisjoint(given)):
                text = f"{self.object(own_array, 'own_array')}({text})"
            elif v in self.memory.taken:
                text = f"{text}.view()"
            seen |= bases
            found.append(text)
        return f"[{', '.join(found)}]"

    def shows_foreign(self, v, draft):
        """Tell whether an output may show a constant, memory that a callback keeps, or an element at several places."""
        made = {out: eq for eq in draft.equations for out in eq.outputs}
        for base in self.layouts.bases(v):
            eq = made.get(base)
            if eq is not None and (eq.acts or eq.prim is REGISTRY["broadcast_to"] or (
                    eq.prim.view or eq.bodies()) and any(type(i) is Literal for i in eq.inputs)):
                return True
        return False


def own_array(value):
    """An array of the caller's as one of our own; scalars as they are."""
    return value.copy() if type(value) is ndarray else value


# Render loops and branches as NumPy source, with their bodies inlined.


def _body(source, graph, known, kept, quiet):
    """Write the equations of a body whose inputs are compact as `known` says."""
    source.layouts.compact.update(v for v, flag in zip(graph.inputs, known) if flag)
    before = source.within, source.silent, source.outside
    source.within, source.silent = source.within if source.within is True else quiet or source.within, False
    source.block(graph.equations, graph.outputs, kept)
    source.within, source.silent, source.outside = before


def _given(source, eq, inputs):
    """The texts of the operands of a body; a Python number that it knows as a scalar of NumPy's becomes that."""
    found = []
    for v, known in zip(eq.inputs, inputs):
        text = source.ref(v)
        if v.aval.weak and not known.aval.weak:
            text = f"{source.object(known.aval.dtype.type, 'number')}({text})"
        found.append(text)
    return found


def _scan(source, eq):
    """A loop over rows that carries values and collects others."""
    body, consts, n, steps, reverse = eq.params
    graph = body.graph
    if not steps:
        return write_call(source, eq)
    given = _given(source, eq, graph.inputs)
    known = source.layouts.in_loop(eq)
    collected = eq.outputs[n:]
    for v, text in zip(graph.inputs[:consts], given):
        source.names[v] = text
    for v, text in zip(graph.inputs[consts : consts + n], given[consts:]):
        source.write(f"{source.name(v, 'c')} = {text}")
    placed = [v in source.layouts.compact or v.aval.ndim < 3 for v in collected]  # NumPy joins others in other orders
    for v, whole in zip(collected, placed):
        rows = f"{source.object(np.empty, 'empty')}({v.aval.shape!r}, {source.object(v.aval.dtype, 'dtype')})"
        source.write(f"{source.name(v, 'ys')} = {rows if whole else '[]'}")
    source.count += 1
    i = f"i{source.count}"
    source.write(f"for {i} in range({steps - 1}, -1, -1):" if reverse else f"for {i} in range({steps}):")
    indent = source.indent
    source.indent += 1
    for v, text in zip(graph.inputs[consts + n :], given[consts + n :]):
        source.write(f"{source.name(v, 'x')} = {text}[{i}]")
    kept = [*graph.outputs[:n], *[out for out, whole in zip(graph.outputs[n:], placed) if not whole]]
    rows = _rows(graph, n)
    for whole, out in zip(placed, graph.outputs[n:]):
        if whole and out in rows:
            source.memory.rows[rows[out]] = source.label("y")
    start = len(source.lines)
    _body(source, graph, known, kept, eq.quiet)
    taken = []
    for v, whole, out in zip(collected, placed, graph.outputs[n:]):
        text = source.ref(out)
        row = source.memory.rows.get(rows.get(out))
        if whole and row is not None and source.names.get(rows[out]) == row:
            taken.append((source.indent, f"{row} = {source.names[v]}[{i}]", None))
        if not whole:
            source.write(f"{source.names[v]}.append({text})")
        elif text != row:  # not computed there, or copied by a write since
            source.write(f"{source.names[v]}[{i}] = {text}")
    source.lines[start:start] = taken
    if n:
        into = [source.names[v] for v in graph.inputs[consts : consts + n]]
        source.write(f"{', '.join(into)}, = {', '.join(map(source.ref, graph.outputs[:n]))},")
    source.indent = indent
    for v, whole in zip(collected, placed):
        if not whole:
            source.write(f"{source.names[v]} = {source.object(_joined, 'joined')}({source.names[v]}, {reverse})")
    for v, state in zip(eq.outputs[:n], graph.inputs[consts : consts + n]):
        source.names[v] = source.names[state]
    return None


def _rows(graph, n):
    """`{collected output: the variable that is computed into its row}`: that itself, or what it is a write into."""
    made = {v: eq for eq in graph.equations for v in eq.outputs}
    reads = Counter(v for eq in graph.equations for v in eq.inputs)
    found = {}
    for out in graph.outputs[n:]:
        v = out
        if v not in made or not v.aval.shape or graph.outputs.count(v) > 1:
            continue
        while made[v].prim.updates and (x := made[v].inputs[0]) in made and reads[x] == 1 and (
                x not in graph.outputs):
            v = x
        if made[v].prim.ufunc is not None or made[v].prim.updates or made[v].prim.guards:
            found[out] = v
    return found


def _joined(rows, reverse):
    """Rows along a new first axis, in the order in memory that they have."""
    if reverse:
        rows.reverse()
    return REGISTRY["concatenate"].fun(*[r.reshape((1, *r.shape)) for r in rows], axis=0)


def _while(source, eq):
    """A loop that carries values until a condition is False."""
    test, body, consts = eq.params
    given = _given(source, eq, body.graph.inputs)
    known = [*map(source.layouts.is_compact, eq.inputs[:consts]), *[not v.aval.ndim for v in eq.outputs]]
    into = [source.name(v, "c") for v in body.graph.inputs[consts:]]
    for name, text in zip(into, given[consts:]):
        source.write(f"{name} = {text}")
    for graph in (test.graph, body.graph):
        source.names.update(zip(graph.inputs, [*given[:consts], *into]))
    source.write("while True:")
    indent = source.indent
    source.indent += 1
    _body(source, test.graph, known, test.graph.outputs, eq.quiet)
    source.write(f"if not {source.ref(test.graph.outputs[0])}: break")
    _body(source, body.graph, known, body.graph.outputs, eq.quiet)
    source.write(f"{', '.join(into)}, = {', '.join(map(source.ref, body.graph.outputs))}," if into else "pass")
    source.indent = indent
    source.names.update(zip(eq.outputs, into))
    return None


def _cond(source, eq):
    """A branch: one of two bodies runs."""
    pred, *operands = map(source.ref, eq.inputs)
    known = list(map(source.layouts.is_compact, eq.inputs[1:]))
    source.count += 1
    names = [f"v{source.count}_{k}" for k in range(len(eq.outputs))]
    indent = source.indent
    for head, body in zip((f"if {pred}:", "else:"), eq.bodies()):
        source.write(head)
        source.indent += 1
        for v, text in zip(body.graph.inputs, operands):
            source.names[v] = text
        _body(source, body.graph, known, body.graph.outputs, eq.quiet)
        source.write(f"{', '.join(names)}, = {', '.join(map(source.ref, body.graph.outputs))}," if names else "pass")
        source.indent = indent
    source.names.update(zip(eq.outputs, names))
    return None


LOOPS = {"scan": _scan, "branch": _cond, "while": _while}
