"""Typed graphs: variables, equations, how a graph runs, prints and is drawn."""

from contextlib import nullcontext
from itertools import groupby

import numpy as np

from ...core.arrays.avals import aval_of, make_aval, short_dtype
from ...core.checks import whole
from ...core.errors import DtypeError, ShapeError, TreeError, at_user_line
from ...core.trace.tracer import Tracer
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import described, flatten, structure
from ..scope.errstate import quiet

ALOUD = nullcontext()


class Var:
    """A value of a graph: an input or the output of an equation."""

    __slots__ = ("aval",)

    def __init__(self, aval):
        self.aval = aval


class Literal:
    """A constant of a graph."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    @property
    def aval(self):
        return aval_of(self.value)


class Equation:
    """`outputs = prim(inputs, params)`; inputs are Vars or Literals. `quiet`: a sweep or a singular rule made it."""

    __slots__ = ("prim", "inputs", "params", "outputs", "quiet", "drop")

    def __init__(self, prim, inputs, params, outputs, quiet=False):
        self.prim = prim
        self.inputs = inputs
        self.params = params
        self.outputs = outputs
        self.quiet = quiet
        self.drop = ()


class Graph:
    """A staged function: inputs, equations, outputs. Call `graph.eval(values)` to evaluate it on any values.

    `captured` holds values of enclosing transforms that the function closed over; they are the last inputs.
    """

    def __init__(self, inputs, equations, outputs, captured=(), rebuild=None):
        self.inputs = inputs
        self.equations = equations
        self.outputs = outputs
        self.captured = list(captured)
        self.rebuild = rebuild
        self.form = None  # the structure of the arguments, where one is known: `args`, or `(args, kwargs)`
        self.guards = None  # of large constants that must stay as they were
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

        Args:
            known: `{equation index: output}`: values that need not be computed again; derivatives are recorded all
                the same.
            keep: a function of an equation; outputs it wants are put into the dict returned beside the outputs.
        """
        if self.guards is not None:
            self.guards.check("a graph", "make the graph again")
        env = dict(zip(self.inputs, values, strict=True))
        kept = {}
        for silent, equations in self.stretches:
            with quiet() if silent else ALOUD:
                self._run(equations, env, known, keep, kept)
        outs = [v.value if type(v) is Literal else env[v] for v in self.outputs]
        return outs if keep is None else (outs, kept)

    def _run(self, equations, env, known, keep, kept):
        for i, eq in equations:
            args = [v.value if type(v) is Literal else env[v] for v in eq.inputs]
            if known is not None and i in known:
                ans = record_known(eq.prim, args, eq.params, known[i])
            else:
                ans = eq.prim.rebind((*args, *eq.params))
            if keep is not None and keep(eq):
                kept[i] = ans
            if eq.prim.outputs is None:
                env[eq.outputs[0]] = ans
            else:
                env.update(zip(eq.outputs, ans))
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
        leaves = [_fitting(x, v.aval, k) for k, (x, v) in enumerate(zip(leaves, self.inputs))]
        outs = self.eval([*leaves, *self.captured])
        return self.rebuild(outs) if self.rebuild is not None else outs

    def prune(self) -> "Graph":
        """Drop equations that no output needs (those with effects stay); note where each value is used last.

        Equations of a derivative run without floating point warnings, in as long stretches as their order allows.
        """
        needed = {v for v in self.outputs if type(v) is Var}
        kept = []
        for eq in reversed(self.equations):
            if "acts" in eq.prim.effects or any(v in needed for v in eq.outputs):
                kept.append(eq)
                needed.update(v for v in eq.inputs if type(v) is Var)
        self.equations = kept[::-1]
        later = {v for v in self.outputs if type(v) is Var}
        for eq in reversed(self.equations):
            used = {v for v in eq.inputs if type(v) is Var} | set(eq.outputs)
            eq.drop = tuple(used - later)
            later |= used
        numbered = enumerate(self.equations)
        self.stretches = [(silent, list(part)) for silent, part in groupby(numbered, lambda pair: pair[1].quiet)]
        return self

    def __repr__(self):
        names = {}

        def name(v):
            if type(v) is Literal:
                value = v.value
                small = not getattr(value, "ndim", 0)
                return f"{value!s}" if small else f"const:{aval_of(value)!r}"
            if v not in names:
                names[v] = _letters(len(names))
            return names[v]

        def typed(v):
            return f"{name(v)}:{v.aval!r}" if type(v) is Var else name(v)

        plain = self.inputs[: len(self.inputs) - len(self.captured)]
        extra = self.inputs[len(plain) :]
        head = " ".join(map(typed, plain)) + (" ; " + " ".join(map(typed, extra)) if extra else "")
        lines = [f"{{ lambda {head} . let"]
        for eq in self.equations:
            params = ", ".join(f"{k}={_shown(v)}" for k, v in zip(eq.prim.params, eq.params))
            lines.append(f"    {' '.join(map(typed, eq.outputs))} = {eq.prim.name}"
                         f"{f'[{params}]' if params else ''} {' '.join(map(name, eq.inputs))}".rstrip())
        lines.append(f"  in ({', '.join(map(name, self.outputs))}) }}")
        return "\n".join(lines)

    def to_dot(self) -> str:
        """The graph in Graphviz's language: one box per equation, one ellipse per input."""
        ids = {}
        lines = ["digraph covector {", "  rankdir=TB;"]
        for k, v in enumerate(self.inputs):
            ids[v] = f"in{k}"
            lines.append(f'  in{k} [shape=ellipse, label="{v.aval!r}"];')
        for k, eq in enumerate(self.equations):
            lines.append(f'  eq{k} [shape=box, label="{eq.prim.name}"];')
            for v in eq.inputs:
                if type(v) is Var:
                    lines.append(f'  {ids[v]} -> eq{k} [label="{v.aval!r}"];')
            for v in eq.outputs:
                ids[v] = f"eq{k}"
        for k, v in enumerate(self.outputs):
            lines.append(f'  out{k} [shape=ellipse, label="out {k}"];')
            if type(v) is Var:
                lines.append(f"  {ids[v]} -> out{k};")
        return "\n".join([*lines, "}"])


def _letters(k):
    letters = "abcdefghijklmnopqrstuvwxyz"
    out = letters[k % 26]
    while k >= 26:
        k = k // 26 - 1
        out = letters[k % 26] + out
    return out


def _shown(value):
    if isinstance(value, Graph):
        return "\n" + "\n".join("        " + line for line in repr(value).splitlines()) + "\n    "
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    return value.name if isinstance(value, np.dtype) else str(value)


def record_known(prim, args, params, ans):
    """What `prim` gives, recorded by the reverse trace on top without computing the output."""
    top = max((a.owner for a in args if isinstance(a, Tracer)), key=lambda t: t.level, default=None)
    if top is None:
        return ans
    if top.kind != "grad" or prim.handlers is not None:
        return prim.rebind((*args, *params))
    return top.process(prim, (*args, *params), ans)


def _fitting(x, aval, k):
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


def check_inputs(graph, leaves, avals, name):
    """Raise unless `leaves` have the shapes and dtypes that the graph was made for."""
    if len(leaves) != len(avals):
        raise ShapeError(f"{name} was made for {len(avals)} arrays, but got {len(leaves)}; "
                         f"give as many{at_user_line()}")
    for k, (x, aval) in enumerate(zip(leaves, avals)):
        found = aval_of(x)
        if found.shape != aval.shape:
            raise ShapeError(f"{name} was made for shape {aval.shape} ({short_dtype(aval.dtype)}) at position {k}, "
                             f"but got {found.shape}; reshape it, or make another one for this shape{at_user_line()}")

