"""The NumPy renderer: straight-line Python for the equations of a draft, with temporaries in reused buffers.

Each equation is written as the very call that runs it without compilation, so that the results are the same, bit for
bit. A ufunc, a sum or a product of compact operands writes into a buffer where its result does not leave the function.
"""

import numpy as np

from .....core.primitive.primitive import REGISTRY
from ....graph.equations import Literal, Var
from ....graph.layout import Layouts
from ...analysis.liveness import Memory, take_frame
from ..lines import Lines
from .block_fusion import Group, write_group
from .calls import write_equation
from .loops import LOOPS

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
