"""Programs: the callable made from a graph after all passes."""

from ...core.arrays.avals import short_dtype
from ...core.errors import RuleError, at_user_line
from ...core.types import Any
from ..graph.equations import Body, Draft, Var, without_dead
from ..graph.layout import Layouts
from ..graph.printing import text_of
from .analysis.cost import at_least, estimated
from .lower.lowering import composed, inlined, is_any_call, is_call, kept_apart, lowered
from .render.floats.scalar_source import Scalars
from .render.floats.scalar_statements import Unfit
from .render.functions import define_function, made_of, text_of_source
from .render.numpy.block_fusion import Group, grouped
from .render.numpy.numpy_source import Source, own_array
from .rules.algebra import ALGEBRA
from .rules.rewrite import rewrite, rules

_ALGEBRA = rules(*ALGEBRA)
_FEW = 1 << 18  # elements of inputs and outputs, together, up to which floats are thought of
_PATIENCE = 16
_SHORT = 12  # equations of a graph that is worth compiling twice, to spare its calls a look at each array


class Programs:
    """The programs of a graph, one for each layout of its inputs, made when they are first asked for."""

    __slots__ = ("graph", "own", "name", "options", "places", "known")
    LIMIT = 16

    def __init__(self, graph, own=False, name="graph", options=None):
        self.graph = graph
        self.own = own
        self.name = name
        self.options = options or {}
        looked_at = not callable(self.options.get("printer"))  # native code copies what does not lie in order
        self.places = [k for k, v in enumerate(graph.inputs) if v.aval.ndim] if looked_at else []
        self.known: dict[tuple[bool, ...], Program] = {}

    def depends(self):
        """Tell whether the program depends on how its inputs lie in memory; True where it is too long to find out."""
        count = len(self.places)
        if not count or len(self.graph.equations) > _SHORT or any(eq.prim.handlers for eq in self.graph.equations):
            return bool(count)
        compact = self.of((True,) * count)
        if compact.depends is None:
            other = self.of((False,) * count)
            compact.depends = compact.on_floats or compact.text != other.text
        return compact.depends

    def run(self, values):
        """The outputs, as a list, for plain arrays and numbers."""
        return self.for_layout_of(values).run(*values)

    def for_layout_of(self, values):
        """The program for inputs that lie in memory as these."""
        return self.of(tuple([values[k].flags.c_contiguous for k in self.places]))

    def of(self, key):
        """The program for arrays that lie in order in memory, or do not, as a tuple of flags says."""
        program = self.known.get(key)
        if program is None:
            if len(self.known) >= self.LIMIT:
                self.known.clear()
            flags = dict(zip(self.places, key))
            program = Program(self.graph, [flags.get(k, True) for k in range(len(self.graph.inputs))], self.own,
                              self.name, self.options)
            self.known[key] = program
            if program.any_layout:
                self.known[()] = program
                self.places = []
        return program


class Program:
    """A graph compiled for inputs of one layout: `run(*values)` returns the list of outputs.

    Args:
        graph: the `Graph`.
        compact: a bool an input: whether it lies in order in memory.
        own: whether outputs may share no memory with inputs, constants or each other.
        name: of the user's function, for tracebacks.
        options: `printer` is "auto", "numpy", "scalar" or "graph", or a function of this that gives `(text, run)`;
            `native` is asked first by "auto": a function of this and of what the call would take otherwise that gives
            the same, or None where native code is not faster.
    """

    def __init__(self, graph, compact, own=False, name="graph", options=None):
        known = frozenset(v for v, flag in zip(graph.inputs, compact) if flag)
        self.groups = []
        self.slots = []
        self.loops: dict[Any, Any] = {}
        self.on_floats = self.native = False  # whether it is one function of that kind
        self.text = ""  # the generated source
        self.depends: bool | None = None  # whether one for inputs of another layout is another one, once that is known
        self.any_layout = False  # whether inputs may lie in memory in any way
        self.checks = False  # whether `run` gives MISS for values of other avals
        self.graph, self.name, self.own, self.known = graph, name, own, known
        self.left: Any = None  # the equations that native code was asked for, with notes on them
        self.told = (options or {}).get("told", set())  # the loops that a warning named
        self.donated = {graph.inputs[k] for k in (options or {}).get("donated", ())}
        self.draft = optimised(graph, known)  # the equations after all passes
        self.printer = printer = (options or {}).get("printer", "auto")
        if printer == "graph":
            self.run = lambda *values: list(map(own_array, graph.interpret(values))) if own else graph.interpret(values)
            return
        if callable(printer):
            self.text, self.run = printer(self)
            return
        if printer != "numpy":
            scalars, native = None, (options or {}).get("native")
            if not native or not self.natively(native, at_least(self.draft.equations)):
                limit = estimated(self.draft.equations) if printer == "auto" else None
                scalars = on_floats(self.draft, limit)
                if native:
                    self.natively(native, limit if scalars is None else scalars.cost)
            if self.text:
                return
            if scalars is not None:
                self.text, self.on_floats = scalars.text, True
                self.run = guarded(define_function(scalars.text, scalars.scope, name), self.numpy)
                return
            if printer == "scalar":
                raise _refused(self.draft, name)
        loops = {} if printer == "numpy" else scalar_loops(self.draft)
        if self.left is not None:
            options["tell"](self, {eq.outputs[0] for eq in loops})
        self.text, self.run = self.numpy(loops)

    def natively(self, native, cost):
        """Tell whether there is native code, which must be faster than what NumPy and floats take: `cost`."""
        found = native(self, cost)
        if found:
            self.text, self.run = found
        return bool(found)

    def numpy(self, loops=None):
        """`(text, function)` of NumPy source."""
        self.loops = loops or {}  # what runs otherwise: loops on Python floats, native segments
        layouts = Layouts(self.known)
        for eq in self.draft.equations:
            layouts.note(eq)
        self.draft.equations = grouped(self.draft, layouts)
        self.groups = [eq.names for eq in self.draft.equations if type(eq) is Group]
        source = Source(self.draft, self.known, self.own, self.loops, self.donated)
        self.slots = source.memory.slots
        return text_of_source(source), made_of(source, self.name)

    @property
    def passes(self):
        """`[(name, text of the graph after it), …]`."""
        found = []
        optimised(self.graph, self.known, lambda name, draft: found.append((name, text_of(draft))))
        return found


def _refused(draft, name):
    """The error where Python floats were asked for and cannot be had."""
    eq: Any = None
    try:
        Scalars(draft, lowered)
    except Unfit as error:
        eq = error.equation
    if eq is None:
        return RuleError(f"jit was asked for Python floats, but {name} takes or gives values that are not written so, "
                         f"or too many; leave the printer out{at_user_line()}")
    what, where = described(eq)
    return RuleError(f"jit was asked for Python floats, but {name} has {what}, which is not written so, by its "
                     f"operation, dtypes or size; leave the printer out{where}")


def described(eq):
    """An equation in the words of a message, and the place in the user's code."""
    given = ", ".join([f"{short_dtype(v.aval.dtype)}{list(v.aval.shape)}" for v in eq.inputs])
    return f"`{eq.prim.name}` of {given}", f" (at {eq.line})" if eq.line else at_user_line()


def on_floats(draft, limit):
    """The Python-float source of a draft; None where there is none, or where it takes longer than `limit`."""
    if sum(v.aval.size for v in (*draft.inputs, *draft.outputs)) > _FEW and limit is not None:
        return None
    try:
        scalars = Scalars(draft, lowered)
    except Unfit:
        return None
    return scalars if limit is None or scalars.cost < limit else None


def scalar_loops(draft):
    """`{equation: function}` of the loops that run faster on Python floats."""
    found = {}
    for eq in draft.equations:
        if eq.prim.turns is not None:
            inner = Draft([v for v in dict.fromkeys(eq.inputs) if type(v) is Var], [eq], eq.outputs)
            scalars = on_floats(inner, estimated([eq]))
            if scalars is not None:
                run = define_function(scalars.text, scalars.scope, eq.prim.name)
                found[eq] = guarded(_with_constants(run, eq), lambda eq=eq: (None, lambda *values: eq.prim.rebind(
                    (*values, *eq.params))))
    return found


def _with_constants(run, eq):
    """A function of all operands of an equation from one of its variables, each given once."""
    places = [eq.inputs.index(v) for v in dict.fromkeys(eq.inputs) if type(v) is Var]
    return run if places == list(range(len(eq.inputs))) else lambda *values: run(*[values[k] for k in places])


def guarded(quick, make):
    """`quick`, or where Python's arithmetic raises, the function that `make()` returns with its text.

    After a number of times only that one runs.
    """
    left = [_PATIENCE]
    plain = []

    def run(*values):
        if left[0]:
            try:
                return quick(*values)
            except (ArithmeticError, ValueError, LookupError):
                left[0] -= 1
        if not plain:
            plain.append(make()[1])
        return plain[0](*values)

    return run


def optimised(graph, compact, note=lambda name, draft: None):
    """The equations of a graph after all passes, those of its bodies, too; `note(name, draft)` is told of each pass."""
    draft = without_dead(inlined(graph, is_call) if any(map(is_call, graph.equations)) else
                         Draft(graph.inputs, graph.equations, graph.outputs))
    note("dead equations out", draft)
    draft = rewrite(draft, _ALGEBRA, compact=compact, lower=composed)
    note("rewritten", draft)
    # The body of a checkpoint takes its place last: what a sweep computes again would be found to be computed already.
    calls = set(filter(is_any_call, draft.equations))
    for eq in draft.equations:
        if eq.prim.handlers is not None and eq.bodies():
            eq.params = tuple([_optimised_body(p) if type(p) is Body else p for p in eq.params])
    return inlined(kept_apart(draft, calls), calls.__contains__) if calls else draft


def _optimised_body(body):
    """A body with its graph after all passes."""
    if body.graph is None:
        return body
    return Body(optimised(body.graph, frozenset()), body.run)
