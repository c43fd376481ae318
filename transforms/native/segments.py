"""Segments: the native parts of a draft, as equations that run as functions of their own between calls of NumPy."""

from types import SimpleNamespace

from ..compile.draft import Draft, rewritten, without_dead
from ..compile.functions import made_of
from ..compile.numpy_source import Source
from ..graph.equations import Body, Var
from .function import native_function
from .statements import KINDS
from .structure import computes, is_native
from .writer import Writer

_PRIM = SimpleNamespace(
    name="native", ufunc=None, view=False, effects=frozenset(), handlers=None, outputs=True, params=(), variadic=False)


class Segment:
    """Equations that run as one native function; to the rest of a draft it looks like one equation."""

    prim = _PRIM
    params = ()
    quiet = acts = False

    def __init__(self, equations, inputs, outputs, known):
        self.equations = equations
        self.known = known
        self.inputs = inputs
        self.outputs = outputs
        self.line = equations[0].line

    def bodies(self):
        """No body of it is looked at from outside."""
        return []

    def graphs(self):
        """The same."""
        return []

    def compiled(self, slow=None):
        """`(text, function)`; `slow` runs where arrays are not as the native function takes them."""
        draft = Draft(self.inputs, self.equations, self.outputs)
        kernel = Writer(draft, self.known).kernel
        return native_function(kernel, [v.aval for v in self.inputs], [v.aval for v in self.outputs],
                               slow or _Slow(draft))


class _Slow:
    """The same by NumPy, made when it is first needed."""

    def __init__(self, draft):
        self.draft = draft
        self.run = None

    def __call__(self, *values):
        if self.run is None:
            self.run = made_of(Source(self.draft, frozenset(), True), "segment")
        return self.run(*values)


def whole(draft, known):
    """The one segment that a draft is; None if it is more, or nothing that computes."""
    outputs = draft.outputs
    if not all(is_native(eq, known) for eq in draft.equations) or not any(map(computes, draft.equations)):
        return None
    made = {v for eq in draft.equations for v in eq.outputs}
    if not all(v in made for v in outputs):
        return None
    if not all(_is_input(v.aval) for v in draft.inputs):
        return None
    return Segment(draft.equations, draft.inputs, outputs, known)


def _is_input(aval):
    return aval.dtype in KINDS


def with_segments(draft, known):
    """`(draft, segments)`: the draft with segments in place of what they hold, in bodies, too."""
    found = []
    equations = _scheduled(draft.equations, draft.inputs, draft.outputs, found, known)
    return Draft(draft.inputs, equations, draft.outputs), found


def _scheduled(equations, inputs, outputs, found, known):
    """Equations in turns: those that are native, as far as their operands are there, then the others."""
    native = {id(eq): is_native(eq, known) for eq in equations}
    waiting = list(equations)
    made = {v for eq in equations for v in eq.outputs}
    done = set(inputs)
    order = []
    while waiting:
        for kind in (True, False):
            taken, rest, barred = [], [], False
            for eq in waiting:
                ready = all(type(v) is not Var or v in done or v not in made for v in eq.inputs)
                if native[id(eq)] is kind and ready and not (eq.acts and barred):
                    taken.append(eq)
                    done.update(eq.outputs)
                else:
                    rest.append(eq)
                    barred = barred or eq.acts
            waiting = rest
            if kind:
                order += [(True, taken)] if taken else []
            else:
                order += [(False, [_inside(eq, found, known)]) for eq in taken]
    return _joined(order, outputs, found, known)


def _joined(order, outputs, found, known):
    """The turns as equations; native ones as segments where they compute something."""
    readers = {}
    for turn, (_, equations) in enumerate(order):
        for eq in equations:
            for v in eq.inputs:
                if type(v) is Var:
                    readers.setdefault(v, set()).add(turn)
    for v in outputs:
        if type(v) is Var:
            readers.setdefault(v, set()).add(-1)
    result = []
    for turn, (native, equations) in enumerate(order):
        if not native:
            result += equations
            continue
        made = {v for eq in equations for v in eq.outputs}
        moved = set()  # views of what lies outside, which others read: NumPy makes them, too
        for eq in equations:
            if not computes(eq) and all(v not in made or v in moved for v in eq.inputs if type(v) is Var):
                moved.update(eq.outputs)
        leaving = [v for v in dict.fromkeys(v for eq in equations for v in eq.outputs)
                   if v not in moved and readers.get(v, set()) - {turn}]
        views = without_dead(Draft([], [eq for eq in equations if moved.issuperset(eq.outputs)],
                                   [v for v in moved if readers.get(v, set()) - {turn}])).equations
        result += views
        if not leaving:
            continue
        kept = without_dead(Draft([], equations, leaving)).equations
        inside = {v for eq in kept for v in eq.outputs}
        given = list(dict.fromkeys(v for eq in kept for v in eq.inputs if type(v) is Var and v not in inside))
        segment = Segment(kept, given, leaving, known)
        found.append(segment)
        result.append(segment)
    return result


def _inside(eq, found, known):
    """A loop or branch that is not native, with segments in its bodies."""
    if not eq.bodies() or any(body.graph is None for body in eq.bodies()):
        return eq
    params = []
    for p in eq.params:
        if type(p) is Body:
            draft = Draft(p.graph.inputs, p.graph.equations, p.graph.outputs)
            p = Body(Draft(draft.inputs, _scheduled(draft.equations, draft.inputs, draft.outputs, found, known),
                           draft.outputs), p.run)
        params.append(p)
    return rewritten(eq, params=tuple(params))
