"""Staging: the trace that writes operations down as a typed graph, and the graph itself."""

import numpy as np

from ..core.avals import Aval, aval_of, make_aval, short_dtype
from ..core.buffers import identity
from ..core.errors import DtypeError, ShapeError, at_user_line
from ..core.tracer import Batched, Dual, Rev, Staged, Trace, Tracer, check_alive
from .arguments import flatten, settle

ndarray = np.ndarray


class Var:
    """A value of a graph: an input or the answer of an equation."""

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
    """`outputs = prim(inputs, params)`; inputs are Vars or Literals."""

    __slots__ = ("prim", "inputs", "params", "outputs", "drop")

    def __init__(self, prim, inputs, params, outputs):
        self.prim = prim
        self.inputs = inputs
        self.params = params
        self.outputs = outputs
        self.drop = ()


class Graph:
    """A staged function: inputs, equations, outputs. Call `graph.eval(values)` to run it on any values.

    `captured` holds values of surrounding transforms that the function closed over; they are inputs too, the last ones.
    """

    def __init__(self, inputs, equations, outputs, captured=(), rebuild=None):
        self.inputs = inputs
        self.equations = equations
        self.outputs = outputs
        self.captured = list(captured)
        self.rebuild = rebuild

    @property
    def in_avals(self):
        """Shapes and dtypes of the inputs."""
        return tuple(v.aval for v in self.inputs)

    @property
    def out_avals(self):
        """Shapes and dtypes of the outputs."""
        return tuple(v.aval for v in self.outputs)

    def eval(self, values, known=None, keep=None):
        """The outputs, as a list, for `values` (one an input, captured ones included).

        Args:
            known: `{equation index: answer}`: values that need not be computed again; derivatives are recorded all the same.
            keep: a function of an equation; answers it wants are put into the dict returned beside the outputs.
        """
        env = dict(zip(self.inputs, values, strict=True))
        kept = {}
        for i, eq in enumerate(self.equations):
            args = [v.value if type(v) is Literal else env[v] for v in eq.inputs]
            if known is not None and i in known:
                ans = record_known(eq.prim, args, eq.params, known[i])
            else:
                ans = eq.prim.again((*args, *eq.params))
            if keep is not None and keep(eq):
                kept[i] = ans
            if eq.prim.outputs is None:
                env[eq.outputs[0]] = ans
            else:
                env.update(zip(eq.outputs, ans))
            for v in eq.drop:
                del env[v]
        outs = [v.value if type(v) is Literal else env[v] for v in self.outputs]
        return outs if keep is None else (outs, kept)

    def __call__(self, *args):
        """Run the graph on arguments with the structure it was made from."""
        leaves, _ = flatten(args)
        outs = self.eval([*leaves, *self.captured])
        return self.rebuild(outs) if self.rebuild is not None else outs

    def prune(self):
        """Drop equations that no output needs (those with effects stay); note where each value is used last."""
        needed = {v for v in self.outputs if type(v) is Var}
        kept = []
        for eq in reversed(self.equations):
            if eq.prim.effect or any(v in needed for v in eq.outputs):
                kept.append(eq)
                needed.update(v for v in eq.inputs if type(v) is Var)
        self.equations = kept[::-1]
        later = {v for v in self.outputs if type(v) is Var}
        for eq in reversed(self.equations):
            used = {v for v in eq.inputs if type(v) is Var} | set(eq.outputs)
            eq.drop = tuple(used - later)
            later |= used
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

    def to_dot(self):
        """The graph in Graphviz's language: one box an equation, one ellipse an input."""
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
    """What `prim` gives, recorded by the reverse trace on top without computing the answer."""
    top = max((a.owner for a in args if isinstance(a, Tracer)), key=lambda t: t.level, default=None)
    if top is None:
        return ans
    if top.kind != "grad" or prim.handlers is not None:
        return prim.again((*args, *params))
    return top.process(prim, (*args, *params), ans)


class GraphTrace(Trace):
    """Writes equations down. With `concrete` it also computes each answer on primal values, so that `if` works."""

    __slots__ = ("equations", "inputs", "captured", "concrete")
    kind = "graph"

    def __init__(self, concrete=False):
        Trace.__init__(self)
        self.equations = []
        self.inputs = []
        self.captured = {}  # identity of a tracer -> (tracer, Staged)
        self.concrete = concrete

    def input(self, aval, value=None):
        """A new input."""
        var = Var(aval)
        self.inputs.append(var)
        return self.box(var, value)

    def box(self, var, value=None):
        out = Staged()
        out.owner = self
        out.value = value
        out.aval = var.aval
        out.node = var
        return out

    def hoist(self, tracer):
        """The input that stands for a tracer of a surrounding transform that the function closed over."""
        key = identity(tracer)
        known = self.captured.get(key)
        if known is None:
            aval = aval_of(tracer)
            var = Var(aval)
            known = tracer, self.box(var, primal(tracer) if self.concrete else None)
            self.captured[key] = known
        return known[1]

    def lift(self, a):
        """`(Var or Literal, known value)` of an operand."""
        if isinstance(a, Tracer):
            a = settle(a)
        if isinstance(a, Tracer):
            if a.owner is not self:
                a = self.hoist(a)
            return a.node, a.value
        return Literal(a), a

    def process(self, prim, args):
        if self.done:
            check_alive(self, prim)
        if prim.handlers is not None:
            return prim.handlers["graph"](self, prim, args)
        operands, params = prim.split(args)
        lifted = [self.lift(a) for a in operands]
        if prim.staged_params is not None:  # before the concrete run, which must not write into a constant of the graph
            params = prim.staged_params(*params)
        values = None
        if self.concrete and not prim.effect:
            values = prim.again((*[v for _, v in lifted], *params))
        avals = tuple([strip(x) for x, _ in lifted])
        out_avals = prim.shape(avals, params)
        return self.emit(prim, [x for x, _ in lifted], params, out_avals, values)

    def emit(self, prim, inputs, params, out_avals, values=None):
        """Write an equation down; returns its tracer(s)."""
        if prim.outputs is None:
            var = Var(out_avals)
            self.equations.append(Equation(prim, inputs, params, [var]))
            return self.box(var, values)
        outputs = [Var(a) for a in out_avals]
        self.equations.append(Equation(prim, inputs, params, outputs))
        return tuple([self.box(v, None if values is None else values[k]) for k, v in enumerate(outputs)])

    def finish(self, outs, rebuild=None):
        """The graph with these outputs, and the captured tracers in the order of its last inputs."""
        outputs = [self.lift(x)[0] for x in outs]
        captured = [tracer for tracer, _ in self.captured.values()]
        inputs = self.inputs + [staged.node for _, staged in self.captured.values()]
        self.done = True
        return Graph(inputs, self.equations, outputs, captured, rebuild).prune()


def strip(x):
    """The aval of a Var or Literal."""
    return x.aval


def primal(value):
    """`value` without its derivatives: what a concrete run may look at. Batch axes and staging stay."""
    while isinstance(value, Tracer):
        value = settle(value)
        kind = type(value)
        if kind is Batched:
            inner = primal(value.value)
            if inner is value.value:
                return value
            out = Batched()
            out.owner = value.owner
            out.value = inner
            out.aval = value.aval
            return out
        if isinstance(value, (Rev, Dual)):
            value = value.value
        elif kind is Staged:
            return value
        else:
            value = value.value
    return value


class ShapeDtype:
    """Shape and dtype of an array, to stage a function without data.

    >>> import covector
    >>> covector.ShapeDtype((2, 3), "float32")
    ShapeDtype((2, 3), float32)
    """

    __slots__ = ("shape", "dtype")

    def __init__(self, shape, dtype=np.float64):
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: int(np.prod(self.shape)))

    def __eq__(self, other):
        return type(other) is ShapeDtype and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __repr__(self):
        return f"ShapeDtype({self.shape}, {self.dtype.name})"


def _input_aval(x, name):
    if isinstance(x, ShapeDtype):
        return make_aval(x.shape, x.dtype)
    if isinstance(x, Aval):
        return x
    try:
        return aval_of(x)
    except DtypeError:
        raise DtypeError(f"{name} needs arrays, numbers or ShapeDtype, but got {x!r}; close over static values instead"
                         f"{at_user_line()}") from None


def stage(fun, leaves, rebuild, name="make_graph", concrete=False):
    """`(graph, known output values)` of `fun(*rebuild(inputs))`; closed-over tracers become inputs."""
    trace = GraphTrace(concrete)
    boxed = [trace.input(_input_aval(x, name), primal(settle(x)) if concrete else None) for x in leaves]
    result = fun(*rebuild(boxed))
    outs, rebuild_out = flatten(result)
    outs = [settle(x) for x in outs]
    known = [x.value if isinstance(x, Tracer) and x.owner is trace else x for x in outs]
    return trace.finish(outs, rebuild_out), known


def make_graph(fun):
    """Make the function that stages `fun` to a typed graph instead of computing it.

    Args:
        fun: any function of containers of arrays; Python control flow on traced values raises.
    Returns:
        a function of the same arguments (arrays, numbers or `ShapeDtype`) that returns a `Graph`: printable, callable
        with such arguments under any transform, with `equations`, `in_avals`, `out_avals`, `to_dot()`.

    >>> import numpy as np, covector
    >>> covector.make_graph(lambda x: np.sin(x) * 2.0)(np.ones(3))
    { lambda a:f64[3] . let
        b:f64[3] = sin a
        c:f64[3] = multiply b 2.0
      in (c) }
    """

    def graph_fun(*args):
        leaves, rebuild = flatten(args)
        return stage(fun, leaves, rebuild)[0]

    return graph_fun


def eval_shape(fun, *args):
    """The shapes and dtypes of `fun(*args)`, without computing it.

    Args:
        fun: any function of containers of arrays.
        args: arrays, numbers or `ShapeDtype`.
    Returns:
        the structure of the result with `ShapeDtype` leaves.
    Raises:
        ShapeError: shapes inside `fun` do not fit.

    >>> import numpy as np, covector
    >>> covector.eval_shape(lambda a, b: a @ b, covector.ShapeDtype((2, 3)), np.ones((3, 4)))
    ShapeDtype((2, 4), float64)
    """
    leaves, rebuild = flatten(args)
    graph, _ = stage(fun, leaves, rebuild, "eval_shape")
    return graph.rebuild([ShapeDtype(a.shape, a.dtype) for a in graph.out_avals])


def check_inputs(graph, leaves, avals, name):
    """Raise unless `leaves` have the shapes and dtypes that the graph was made for."""
    if len(leaves) != len(avals):
        raise ShapeError(f"{name} was made for {len(avals)} arrays, but got {len(leaves)}{at_user_line()}")
    for k, (x, aval) in enumerate(zip(leaves, avals)):
        found = aval_of(x)
        if found.shape != aval.shape:
            raise ShapeError(f"{name} was made for shape {aval.shape} ({short_dtype(aval.dtype)}) in place {k}, "
                             f"but got {found.shape}{at_user_line()}")

