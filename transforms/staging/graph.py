"""Typed graphs: callable staged functions that run under any transform."""

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from ...core.arrays.avals import WEAK, aval_of, make_aval, short_dtype
from ...core.arrays.fp_warnings import enter_reporting, error_state, leave_error_state, runs_equations
from ...core.checks import whole
from ...core.errors import DtypeError, ShapeError, TreeError, at_user_line
from ...core.ops.indexing.places import duplicate
from ...core.primitive.primitive import RAW
from ...core.trace.tracer import Dual, Late, Rev, Staged, Tracer
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import described, flatten, structure
from ..arguments.escape_checks import block_of
from ..compile.program import Programs
from ..graph.drawing import html_of
from ..graph.equations import Equation, Literal, Var, constants, located, walk
from ..graph.printing import dot_of, text_of
from ..reverse.mutation_guards import COPY_LIMIT, Guards
from ..scope.debug_modes import modes
from ..scope.errstate import scope_of


class Graph:
    """A staged function: inputs, equations, outputs. Call `graph.eval(values)` to evaluate it on any values.

    `inputs` and `outputs` are variables with a shape and a dtype, `equations` the operations between them.
    `captured` holds values of enclosing transforms that the function closed over; they are the last inputs.

    >>> import numpy as np, covector
    >>> graph = covector.make_graph(lambda x: np.sin(x) * x)(np.ones(2))
    >>> [eq.prim.name for eq in graph.equations], graph.eval([np.zeros(2)])
    (['sin', 'multiply'], [array([0., 0.])])
    """

    def __init__(self, inputs, equations, outputs, captured=(), rebuild=None):
        self.inputs = inputs
        self.equations = equations
        self.outputs = outputs
        self.captured = list(captured)
        self.rebuild = rebuild
        self.labels = self.home = None  # names of the inputs, and the place where it was made, for drawings
        self.form = None  # the structure of the arguments, where one is known: `args`, or `(args, kwargs)`
        self.blocks: frozenset[int] | None = None  # where its constants lie, known from the first call on
        self.guards = None  # of large constants that must stay as they were
        self.weak = [False] * len(outputs)  # which outputs are Python numbers, or what operators made of them alone
        self.programs = None  # the source that runs it, from the second time on
        self.stretches = []  # [(quiet, [(number, equation), …]), …], made by `prune`

    @property
    def in_avals(self):
        """Shapes and dtypes of the inputs."""
        return tuple(v.aval for v in self.inputs)

    @property
    def out_avals(self):
        """Shapes and dtypes of the outputs."""
        return tuple(v.aval for v in self.outputs)

    def eval(self, values: Any, known: dict[int, Any] | None = None, keep: Callable[..., Any] | None = None) -> Any:
        """The outputs, as a list, for `values` (one per input, captured ones included).

        From the second time on plain arrays run through generated source, which gives the same, bit for bit.

        Args:
            known: `{equation index: output}`: values that need not be computed again; derivatives are recorded all
                the same.
            keep: a function of an equation; outputs it wants are put into the dict returned beside the outputs.
        """
        # The first run interprets: most graphs of derivatives run once, and source pays from the second time on.
        if known is None and keep is None:
            for v in values:
                if type(v) not in RAW:
                    break
            else:
                if self.programs is not None and not modes().nans:
                    self.check_guards()
                    return self.programs.run(values)
                self.programs = Programs(self.with_inputs(self.inputs), options={"printer": "numpy"})
        return self.interpret(values, known, keep)

    def check_guards(self):
        """Raise if a large constant was written to."""
        if self.guards is not None:
            self.guards.check("a graph", "make the graph again")

    def interpret(self, values, known=None, keep=None):
        """Interpret the graph equation by equation."""
        self.check_guards()
        env = dict(zip(self.inputs, values, strict=True))
        kept = {}
        # Each stager once: a value may be traced by the same one through several operands.
        stagers = list({id(t): t for v in values for t in stagers_of(v)}.values())
        state = error_state()
        try:
            enter_reporting()
            for silent, equations in self.stretches:
                with scope_of(silent):
                    self._run(equations, env, known, keep, kept, stagers)
        finally:
            leave_error_state(state)
        outs = [v.value if type(v) is Literal else env[v] for v in self.outputs]
        return outs if keep is None else (outs, kept)

    def _run(self, equations, env, known, keep, kept, stagers):
        for i, eq in equations:
            counts = [len(t.equations) for t in stagers]
            args = [v.value if type(v) is Literal else env[v] for v in eq.inputs]
            if eq.quiet is True and eq.leaves_numbers:  # a rule divides by 0 as NumPy does
                args = [x if isinstance(x, Tracer) else v.aval.dtype.type(x) for x, v in zip(args, eq.inputs)]
            try:
                if known is not None and i in known:
                    ans = record_known(eq.prim, args, eq.params, known[i])
                else:
                    ans = eq.prim.rebind((*args, *eq.params))
            except Exception as error:
                located(error, eq)
                raise
            for t, count in zip(stagers, counts):  # what is staged again keeps its line
                for again in t.equations[count:]:
                    again.place = eq.place
            if keep is not None and keep(eq):
                kept[i] = ans
            if eq.prim.outputs is None:
                env[eq.outputs[0]] = ans
            else:
                env.update(zip(eq.outputs, ans))
            # At the last use, so that memory peaks as it does when the function runs eagerly.
            for v in eq.drop:
                del env[v]

    def __call__(self, *args: PyTree, **kwargs: PyTree) -> PyTree:
        """Run the graph on arguments with the structure, the shapes and the dtypes it was made from."""
        given = (args, kwargs) if kwargs else args
        leaves, _ = flatten(given)
        count = len(self.inputs) - len(self.captured)
        if len(leaves) != count:
            raise TypeError(f"a graph of {count} arrays was called with {len(leaves)}; make another graph for them"
                            f"{at_user_line()}")
        if self.form is not None and structure(given) != self.form:
            raise TreeError(f"a graph of arguments {described(self.form)} was called with {described(given)}; give "
                            f"it the same structure, or make another graph for them{at_user_line()}")
        leaves = [_checked_argument(x, v.aval, k) for k, (x, v) in enumerate(zip(leaves, self.inputs))]
        outs = self._owned(self.eval([*leaves, *self.captured]))
        return self.rebuild(outs) if self.rebuild is not None else outs

    def _owned(self, outs):
        """Outputs that share no memory with a constant, and none of which is another one: copies where they would."""
        if self.blocks is None:
            self.blocks = frozenset([block_of(v.value) for v in constants(self)])
        out = []
        for x in outs:
            if getattr(x, "ndim", None) is not None and (
                    block_of(x) in self.blocks or any(x is other for other in out)) and not isinstance(x, np.generic):
                x = duplicate(x) if isinstance(x, Tracer) else x.copy()
            out.append(x)
        return out

    def with_inputs(self, inputs):
        """The same equations as a graph of `inputs`, none of which stands for a captured value."""
        out = Graph(inputs, self.equations, self.outputs)
        out.guards = self.guards
        out.stretches = self.stretches
        return out

    def without_unread(self):
        """This graph, without the captured values that nothing reads."""
        read = {v for eq in self.equations for v in eq.inputs if type(v) is Var}.union(
            [v for v in self.outputs if type(v) is Var])
        n = len(self.inputs) - len(self.captured)
        kept = [(t, v) for t, v in zip(self.captured, self.inputs[n:]) if v in read]
        self.captured, self.inputs = [t for t, _ in kept], [*self.inputs[:n], *[v for _, v in kept]]
        return self

    def with_outputs(self, outputs):
        """The same equations as a graph of other outputs."""
        out = Graph(self.inputs, self.equations, outputs)
        out.guards = self.guards
        out.stretches = self.stretches
        return out

    def led_by_captured(self):
        """The graph whose first inputs, not its last ones, stand for the captured values; it holds none itself."""
        count = len(self.inputs) - len(self.captured)
        return self.with_inputs(self.inputs[count:] + self.inputs[:count])

    def prune(self) -> "Graph":
        """Drop equations that no output needs (those with effects stay); note where each value is used last.

        Equations of a derivative run without floating point warnings, in as long stretches as their order allows.
        """
        needed = {v for v in self.outputs if type(v) is Var}
        kept = []
        for eq in reversed(self.equations):
            for v in eq.outputs:
                if v in needed:
                    break
            else:
                if not eq.acts:
                    continue
            kept.append(eq)
            drop = []
            for v in (*eq.inputs, *eq.outputs):
                if type(v) is Var and v not in needed:
                    needed.add(v)
                    drop.append(v)
            eq.drop = tuple(drop)
        self.equations = kept[::-1]
        numbered = enumerate(self.equations)
        self.stretches = [(silent, list(part)) for silent, part in groupby(numbered, lambda pair: pair[1].quiet)]
        return self

    def __repr__(self):
        return text_of(self)

    def to_dot(self) -> str:
        """The graph in Graphviz's language: one box per equation, one ellipse per input."""
        return dot_of(self)

    def print(self, lines: bool = False) -> None:
        """Print the equations; with `lines` that of the user's code behind each."""
        print(text_of(self, lines))  # noqa: T201 - this is what it is for

    def walk(self) -> Iterator[Any]:
        """Every equation, those of loops and branches before the one that they belong to."""
        return walk(self.equations)

    def _repr_html_(self):
        return html_of(self)


runs_equations(Graph._run, "eq")


def part_of(graph, inputs, equations, outputs):
    """Extract equations of a graph as a graph of their own."""
    part = Graph(inputs, [Equation(eq.prim, eq.inputs, eq.params, eq.outputs, eq.quiet, eq.place) for eq in equations],
                 outputs).prune()
    part.guards = graph.guards
    return part


def stagers_of(value):
    """Yield the staging traces that record operations on a value."""
    while isinstance(value, Tracer):
        if value.owner is not None and value.owner.kind == "graph":
            yield value.owner
        value = None if type(value) is Late else value.value


def record_known(prim, args, params, ans):
    """The result of `prim`, recorded by the reverse trace on top without computing the output."""
    top = max((a.owner for a in args if isinstance(a, Tracer)), key=lambda t: t.level, default=None)
    if top is None:
        return ans
    # Only a reverse trace can record an operation whose output is given; the others compute values and more from it.
    if top.kind != "grad" or prim.handlers is not None:
        return prim.rebind((*args, *params))
    return top.process(prim, (*args, *params), ans)


def _checked_argument(x, aval, k):
    """An argument of a graph, whose equations hold for one shape and one dtype; a Python number takes that dtype."""
    found = aval_of(x)
    if found.shape == aval.shape and found.dtype == aval.dtype:
        return x
    if found.shape != aval.shape:
        raise ShapeError(f"input {k} of a graph was staged with shape {aval.shape}, but got shape {found.shape}; make "
                         f"another graph for it{at_user_line()}")
    if found.weak and not isinstance(x, Tracer) and np.can_cast(found.dtype, aval.dtype, "same_kind"):
        return np.asarray(x, aval.dtype)
    raise DtypeError(f"input {k} of a graph was staged with dtype {aval.dtype}, but got {found.dtype}; cast it, or "
                     f"make another graph for it{at_user_line()}")


class ShapeDtype:
    """Shape and dtype of an array, to stage a function without data.

    >>> import covector
    >>> covector.ShapeDtype((2, 3), "float32")
    ShapeDtype((2, 3), float32)
    """

    __slots__ = ("shape", "dtype")

    def __init__(self, shape, dtype=np.float64):
        if isinstance(shape, str | bytes | set | dict) or not hasattr(shape, "__iter__"):
            raise TypeError(f"ShapeDtype takes a tuple of lengths, but got {shape!r} of type {type(shape).__name__}; "
                            f"write ShapeDtype((3,)) for a vector{at_user_line()}")
        self.shape = tuple([whole(n, "a length of ShapeDtype", 0) for n in shape])
        self.dtype = np.dtype(dtype)
        make_aval((), self.dtype)  # refuses dtypes other than numbers and booleans

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: int(np.prod(self.shape)))

    def __eq__(self, other):
        return type(other) is ShapeDtype and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __repr__(self):
        return f"ShapeDtype({self.shape}, {self.dtype.name})"


def check_inputs(leaves, avals, name):
    """Raise unless `leaves` have the shapes and dtypes that the graph was made for."""
    if len(leaves) != len(avals):
        raise ShapeError(f"{name} was made for {len(avals)} arrays, but got {len(leaves)}; "
                         f"give as many{at_user_line()}")
    for k, (x, aval) in enumerate(zip(leaves, avals)):
        found = aval_of(x)
        if found.shape != aval.shape:
            raise ShapeError(f"{name} was made for shape {aval.shape} ({short_dtype(aval.dtype)}) at position {k}, "
                             f"but got {found.shape}; reshape it, or make another one for this shape{at_user_line()}")


# Constants of a graph under construction: one Literal an array, with the contents at its first use.


class Literals:
    """The literals of one trace.

    What holds few elements is copied; of anything larger there is a fingerprint in `guards`. Elements that repeat along
    an axis are held once. With `watch` False nobody writes to the arrays, so they are taken as they are.
    """

    __slots__ = ("known", "watch", "guards")

    def __init__(self, watch):
        self.known = {}  # identity of an array -> (array, its elements, Literal)
        self.watch = watch
        self.guards = None

    def of(self, array):
        """The literal of an array; one that was written to in the meantime is another constant."""
        core = elements(array)
        small = self.watch and core.nbytes <= COPY_LIMIT
        known = self.known.get(id(array))
        if known is not None and (not small or known[1].tobytes() == core.tobytes()):
            return known[2]
        value = array
        if small or core is not array:
            core = np.array(core)
            value = core if core.shape == array.shape else np.broadcast_to(core, array.shape)
        elif self.watch:
            if self.guards is None:
                self.guards = Guards()
            self.guards.watch(array)
        literal = Literal(value)
        self.known[id(array)] = array, core, literal
        return literal


def elements(array):
    """The elements of an array: of length 1 along axes that repeat them, a single one where all have the same bits."""
    if array.size < 2 or array.dtype.hasobject:
        return array
    if 0 in array.strides:
        array = array[tuple([slice(None) if step else slice(1) for step in array.strides])]
    corners = [array[(k,) * array.ndim].tobytes() for k in (0, -1)]
    if corners[0] != corners[1]:
        return array
    return array[(slice(1),) * array.ndim] if array.tobytes() == corners[0] * array.size else array


def unit_places(array):
    """Flat places of what is not 0 in a large array of few such elements, all the same number, else None.

    Bases of Jacobians, and masks made of these, have one in a row or in a column.
    """
    if array.ndim < 2 or array.nbytes <= COPY_LIMIT or not array.flags.c_contiguous:
        return None
    flat = array.reshape(-1)
    if np.count_nonzero(flat[:_SPARSE]) > 1 and np.count_nonzero(flat[-_SPARSE:]) > 1:
        return None
    if np.count_nonzero(flat) * _SPARSE > flat.size:
        return None
    at = np.flatnonzero(flat)
    if not len(at):
        return None
    again = np.zeros_like(flat)
    again[at] = flat[at[0]]
    return at if again.tobytes() == flat.tobytes() else None


_SPARSE = 16


# Weakly typed results of staged functions: Python numbers that take the dtype of what they meet.

NUMBERS = {"i": int, "f": float, "c": complex}  # kinds of dtypes -> types


def is_derived(tracer):
    """Tell whether a weak value is one that an operation of a graph computes."""
    while isinstance(tracer, Tracer):
        if type(tracer) is Staged:
            return not tracer.node.aval.weak
        tracer = tracer.value
    return False


def as_number(value):
    """A result that operators made of Python numbers alone, as a number: it takes the dtype of what it meets."""
    if not isinstance(value, Tracer):
        return value.item() if isinstance(value, np.generic | np.ndarray) and not value.ndim else value
    x = value
    while type(x) is Rev or type(x) is Dual:
        x.aval = WEAK[NUMBERS[x.aval.dtype.kind]]
        x = x.value
    if type(x) is Staged:
        x.owner.number(x, x.node)
    return value


def unboxed(operands, values):
    """`values` of operands, of which those of traced Python numbers are such numbers again."""
    return [v.item() if isinstance(a, Tracer) and a.aval.weak and isinstance(v, np.generic) else v
            for a, v in zip(operands, values)]


def as_numbers(values, flags):
    """`values`, of which those that are flagged are numbers."""
    return [as_number(v) if flag else v for v, flag in zip(values, flags)]
