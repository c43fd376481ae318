"""covector in 300 lines: grad, jvp, vmap and jit of NumPy functions, as the pages beside this file tell it."""

import heapq
import inspect
from functools import reduce
from itertools import count

import numpy as np

# [1] Primitives: one statement has the implementation of an operation and all of its rules.


class Rule:
    """A derivative rule, and the names of the values that it asks for."""

    def __init__(self, function, needs=None):
        self.function = function
        self.needs = list(inspect.signature(function).parameters)[1:] if needs is None else needs

    def __call__(self, moving, known):
        return self.function(moving, **{name: known[name] for name in self.needs})


class Primitive:
    """An operation. Operands are the positional arguments of `impl`, static parameters its keyword arguments."""

    def __init__(self, name, impl, shape, jvp, vjp, batch):
        self.name, self.impl, self.shape, self.batch = name, impl, shape, batch
        found = inspect.signature(impl).parameters.values()
        self.operands = [p.name for p in found if p.kind is not p.KEYWORD_ONLY]
        self.jvp = [jvp[operand] for operand in self.operands]
        self.vjp = [vjp[operand] for operand in self.operands]

    def __call__(self, *args, **params):
        traces = [a.trace for a in args if isinstance(a, Tracer)]
        if not traces:
            return self.impl(*args, **params)
        return max(traces, key=lambda trace: trace.level).process(self, args, params)

    def known(self, args, ans, params):
        """What a rule may ask for by name: `x`, `x_shape`, `ans`, `ans_shape`, and each parameter."""
        shapes = {f"{name}_shape": shape(a) for name, a in zip(self.operands, args)}
        return {**dict(zip(self.operands, args)), **shapes, "ans": ans, "ans_shape": shape(ans), **params}


def elementwise(name, impl, **partials):
    """What acts on each element: a partial derivative for each operand gives both of its rules."""
    def forward(partial, needs):
        return Rule(lambda t, ans_shape, **k: broadcast_to(multiply(t, partial(**k)), shape=ans_shape),
                    [*needs, "ans_shape"])

    def reverse(partial, needs, own):
        return Rule(lambda ct, **k: unbroadcast(multiply(ct, partial(**{n: k[n] for n in needs})), k[own]),
                    [*needs, own])

    needs = {x: list(inspect.signature(partial).parameters) for x, partial in partials.items()}
    prim = Primitive(name, impl, np.broadcast_shapes,
                     {x: forward(partial, needs[x]) for x, partial in partials.items()},
                     {x: reverse(partial, needs[x], f"{x}_shape") for x, partial in partials.items()},
                     lambda args, batched: prim(*aligned(args, batched)))
    return prim


def linear(name, impl, shape, transpose, batch):
    """What is linear in its operand: its forward rule is the operation itself, its reverse rule the transpose."""
    params = [p.name for p in inspect.signature(impl).parameters.values() if p.kind is p.KEYWORD_ONLY]
    prim = Primitive(name, impl, shape, {"x": Rule(lambda t, **k: prim(t, **k), params)}, {"x": Rule(transpose)},
                     lambda args, batched, **k: batch(*args, **k))
    return prim


def shape(x):
    """The shape of an array, a number or a tracer."""
    return x.shape if isinstance(x, Tracer) else np.shape(x)


def unbroadcast(x, wanted):
    """The transpose of broadcasting: sum over the axes that it added or stretched."""
    lead = len(shape(x)) - len(wanted)
    axes = tuple(k for k, n in enumerate(shape(x)) if k < lead or wanted[k - lead] == 1 != n)
    return reshape(reduce_sum(x, axes=axes), shape=wanted) if axes else x


def aligned(args, batched):
    """Operands of one rank, apart from the batch axis, which stays at 0; those without one are left as they are."""
    rank = max(len(shape(a)) - b for a, b in zip(args, batched))
    ones = [(1,) * (rank + 1 - len(shape(a))) for a in args]
    return [reshape(a, shape=(*shape(a)[:1], *n, *shape(a)[1:])) if b else a for a, b, n in zip(args, batched, ones)]


add = elementwise("add", lambda x, y: np.add(x, y), x=lambda: 1.0, y=lambda: 1.0)
subtract = elementwise("subtract", lambda x, y: np.subtract(x, y), x=lambda: 1.0, y=lambda: -1.0)
multiply = elementwise("multiply", lambda x, y: np.multiply(x, y), x=lambda y: y, y=lambda x: x)
divide = elementwise("divide", lambda x, y: np.divide(x, y), x=lambda y: 1.0 / y, y=lambda y, ans: -ans / y)
negative = elementwise("negative", lambda x: np.negative(x), x=lambda: -1.0)
sin = elementwise("sin", lambda x: np.sin(x), x=lambda x: cos(x))
cos = elementwise("cos", lambda x: np.cos(x), x=lambda x: -sin(x))
exp = elementwise("exp", lambda x: np.exp(x), x=lambda ans: ans)
log = elementwise("log", lambda x: np.log(x), x=lambda x: 1.0 / x)
tanh = elementwise("tanh", lambda x: np.tanh(x), x=lambda ans: 1.0 - ans * ans)
reduce_sum = linear(
    "reduce_sum", lambda x, *, axes: np.sum(x, axis=axes),
    shape=lambda x, axes: tuple(n for k, n in enumerate(x) if k not in axes),
    transpose=lambda ct, x_shape, axes: broadcast_to(
        reshape(ct, shape=tuple(1 if k in axes else n for k, n in enumerate(x_shape))), shape=x_shape),
    batch=lambda x, axes: reduce_sum(x, axes=tuple(k + 1 for k in axes)))
reshape = linear(
    "reshape", lambda x, *, shape: np.reshape(x, shape), shape=lambda x, shape: shape,
    transpose=lambda ct, x_shape: reshape(ct, shape=x_shape),
    batch=lambda x, shape: reshape(x, shape=(x.shape[0], *shape)))
broadcast_to = linear(
    "broadcast_to", lambda x, *, shape: np.broadcast_to(x, shape), shape=lambda x, shape: shape,
    transpose=lambda ct, x_shape: unbroadcast(ct, x_shape),
    batch=lambda x, shape: broadcast_to(reshape(
        x, shape=(x.shape[0], *(1,) * (len(shape) + 1 - len(x.shape)), *x.shape[1:])), shape=(x.shape[0], *shape)))
transpose = linear(
    "transpose", lambda x, *, axes: np.transpose(x, axes), shape=lambda x, axes: tuple(x[k] for k in axes),
    transpose=lambda ct, axes: transpose(ct, axes=tuple(np.argsort(axes).tolist())),
    batch=lambda x, axes: transpose(x, axes=(0, *[k + 1 for k in axes])))
index = linear(
    "index", lambda x, *, at: x[at], shape=lambda x, at: np.broadcast_to(0.0, x)[at].shape,
    transpose=lambda ct, x_shape, at: place(ct, at=at, shape=x_shape),
    batch=lambda x, at: index(x, at=(slice(None), *at)))
place = linear(  # zeros, and x at the places `at`
    "place", lambda x, *, at, shape: _placed(x, at, shape), shape=lambda x, at, shape: shape,
    transpose=lambda ct, at: index(ct, at=at),
    batch=lambda x, at, shape: place(x, at=(slice(None), *at), shape=(x.shape[0], *shape)))
matmul = Primitive(
    "matmul", lambda x, y: np.matmul(x, y),
    shape=lambda x, y: (*np.broadcast_shapes(x[:-2], y[:-2]), *np.broadcast_to(0.0, (x[-2], y[-1])).shape),
    jvp={"x": Rule(lambda t, y: matmul(t, y)), "y": Rule(lambda t, x: matmul(x, t))},
    vjp={"x": Rule(lambda ct, y, x_shape: unbroadcast(matmul(ct, swapped(y)), x_shape)),
         "y": Rule(lambda ct, x, y_shape: unbroadcast(matmul(swapped(x), ct), y_shape))},
    batch=lambda args, batched: matmul(*aligned(args, batched)))


def _placed(x, at, shape):
    zeros = np.zeros(shape)
    zeros[at] = x
    return zeros


def swapped(x):
    """A stack of matrices, transposed."""
    rank = len(shape(x))
    return transpose(x, axes=(*range(rank - 2), rank - 1, rank - 2))


# [2] Tracers: they stand in for arrays, and NumPy hands its calls to them.


class Trace:
    """One run of a transform. Levels only grow: the newest trace goes first, and an exception leaves nothing behind."""
    levels = count(1)

    def __init__(self):
        self.level = next(self.levels)

    def owns(self, x):
        return isinstance(x, Tracer) and x.trace is self

    def below(self, x):
        """What one of its tracers wraps: an array, or a tracer of an outer transform."""
        return x.value if self.owns(x) else x


class Tracer(np.lib.mixins.NDArrayOperatorsMixin):
    """An array as a trace sees it: `value` is what it wraps, `extra` what the trace adds to it."""
    __hash__ = object.__hash__

    def __init__(self, trace, value, extra=None):
        self.trace, self.value, self.extra = trace, value, extra

    @property
    def shape(self):
        return self.trace.shape(self) if hasattr(self.trace, "shape") else shape(self.value)

    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        if ufunc not in NUMPY or method != "__call__":
            raise NotImplementedError(f"{ufunc.__name__} has no rule here; write it in {[f.__name__ for f in NUMPY]}")
        return NUMPY[ufunc](*args, **kwargs)

    def __array_function__(self, function, types, args, kwargs):
        return self.__array_ufunc__(function, "__call__", *args, **kwargs)

    def __getitem__(self, at):
        return index(self, at=at if isinstance(at, tuple) else (at,))

    def __array__(self, *args, **kwargs):
        raise TypeError("a tracer was converted to an array, which would drop its derivative; use np.* functions")


def np_sum(x, axis=None):
    rank = len(shape(x))
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return reduce_sum(x, axes=tuple(k % rank for k in axes))


NUMPY = {np.add: add, np.subtract: subtract, np.multiply: multiply, np.divide: divide, np.negative: negative,
         np.sin: sin, np.cos: cos, np.exp: exp, np.log: log, np.tanh: tanh, np.matmul: matmul, np.sum: np_sum,
         np.reshape: lambda x, shape: reshape(x, shape=shape),
         np.broadcast_to: lambda x, shape: broadcast_to(x, shape=shape),
         np.transpose: lambda x, axes=None: transpose(x, axes=axes or tuple(range(len(shape(x))))[::-1])}


# [3] Forward mode: values with tangents.


class DualTrace(Trace):
    """`extra` of its tracers is the tangent."""

    def process(self, prim, args, params):
        below = [self.below(a) for a in args]
        ans = prim(*below, **params)
        known = prim.known(below, ans, params)
        terms = [rule(a.extra, known) for a, rule in zip(args, prim.jvp) if self.owns(a)]
        return Tracer(self, ans, reduce(add, terms))


def jvp(f, primals, tangents):
    """The output of `f`, and its tangent for these tangents of its arguments."""
    trace = DualTrace()
    out = f(*[Tracer(trace, x, t) for x, t in zip(primals, tangents)])
    return trace.below(out), out.extra if trace.owns(out) else np.zeros(shape(out))


# [4] Reverse mode: a tape, and the backward pass along it.


class Node:
    """A place on the tape: the nodes of the operands, each with a rule and the values that this rule asked for."""
    numbers = count(0, -1)  # the newest node has the least

    def __init__(self, edges=()):
        self.number, self.edges = next(self.numbers), edges


class ReverseTrace(Trace):
    """`extra` of its tracers is their node."""

    def process(self, prim, args, params):
        below = [self.below(a) for a in args]
        ans = prim(*below, **params)
        known = prim.known(below, ans, params)
        edges = [(a.extra, rule, {name: known[name] for name in rule.needs})
                 for a, rule in zip(args, prim.vjp) if self.owns(a)]
        return Tracer(self, ans, Node(edges))


def vjp(f, *primals):
    """The output of `f`, and the pullback: from a cotangent of the output to one for each argument."""
    trace = ReverseTrace()
    leaves = [Tracer(trace, x, Node()) for x in primals]
    out = f(*leaves)

    def pullback(ct):
        found = backward(out.extra, ct) if trace.owns(out) else {}
        return tuple(found[x.extra] if x.extra in found else np.zeros(shape(x)) for x in leaves)

    return trace.below(out), pullback


def backward(root, ct):
    """The cotangents of the leaves: newest node first, so that each is complete when its turn comes."""
    cts, waiting = {root: ct}, [(root.number, root)]
    while waiting:
        _, node = heapq.heappop(waiting)
        for parent, rule, saved in node.edges:
            term = rule(cts[node], saved)
            if parent not in cts:
                heapq.heappush(waiting, (parent.number, parent))
            cts[parent] = add(cts[parent], term) if parent in cts else term
        if node.edges:
            del cts[node]
    return cts


def grad(f):
    """The gradient of a scalar-valued function with respect to its first argument."""
    def gradient(x, *others):
        ans, pullback = vjp(lambda x: f(x, *others), x)
        if shape(ans) != ():
            raise ValueError(f"grad needs a scalar-valued function, and the output has shape {shape(ans)}; use np.sum")
        return pullback(1.0)[0]

    return gradient


# [5] vmap: a batch axis that the function does not see.


class BatchTrace(Trace):
    """Its tracers wrap values with a batch axis at 0."""

    def shape(self, tracer):
        return shape(tracer.value)[1:]

    def process(self, prim, args, params):
        return Tracer(self, prim.batch([self.below(a) for a in args], [self.owns(a) for a in args], **params))


def vmap(f, in_axes=None):
    """`f` of each row of the arguments; those for which `in_axes` has None are the same for all."""
    def mapped(*args):
        trace = BatchTrace()
        flags = [axis is not None for axis in in_axes or (0,) * len(args)]
        size = next(shape(a)[0] for a, flag in zip(args, flags) if flag)
        out = f(*[Tracer(trace, a) if flag else a for a, flag in zip(args, flags)])
        return out.value if trace.owns(out) else broadcast_to(out, shape=(size, *shape(out)))
    return mapped


def jacobian(f):
    """All tangents at once: forward mode, mapped over a basis."""
    def matrix(x):
        basis = np.eye(np.prod(shape(x), dtype=int)).reshape(-1, *shape(x))
        rows = vmap(lambda t: jvp(f, (x,), (t,))[1])(basis)  # the first axis is that of x
        last = transpose(rows, axes=(*range(1, len(shape(rows))), 0))
        return reshape(last, shape=(*shape(last)[:-1], *shape(x)))
    return matrix


# [6] Staging: a function becomes a graph, and a graph becomes source.


class GraphTrace(Trace):
    """Its tracers have a shape (`extra`) and no value; each operation becomes an equation."""

    def __init__(self):
        super().__init__()
        self.equations = []

    def shape(self, tracer):
        return tracer.extra

    def process(self, prim, args, params):
        out = Tracer(self, None, prim.shape(*map(shape, args), **params))
        self.equations.append((out, prim, args, params))
        return out


class Graph:
    """Equations `(output, primitive, operands, parameters)`; an operand that is not a variable is a constant."""

    def __init__(self, trace, inputs, output):
        self.trace, self.inputs, self.output, self.equations = trace, inputs, output, []
        needed = {output}
        for eq in reversed(trace.equations):  # what no output needs is dropped
            if eq[0] in needed:
                self.equations.insert(0, eq)
                needed.update(a for a in eq[2] if trace.owns(a))
        self.closed = any(isinstance(a, Tracer) and not trace.owns(a) for eq in self.equations for a in eq[2])

    def __call__(self, *values):
        """Run it, equation by equation: on arrays, or on the tracers of any transform."""
        known = dict(zip(self.inputs, values))
        for out, prim, args, params in self.equations:
            known[out] = prim(*[known[a] if self.trace.owns(a) else a for a in args], **params)
        return known[self.output] if self.trace.owns(self.output) else self.output

    def source(self):
        """Python source that computes the same, and the names it uses."""
        used = {f"{prim.name}_": prim.impl for _, prim, _, _ in self.equations}
        names = {v: f"v{k}" for k, v in enumerate([*self.inputs, *[eq[0] for eq in self.equations]])}

        def name(v):
            if isinstance(v, Tracer):
                return names[v]
            used[f"c{len(used)}"] = v
            return f"c{len(used) - 1}"

        lines = [f"def compiled({', '.join(names[v] for v in self.inputs)}):"]
        for out, prim, args, params in self.equations:
            operands = [*map(name, args), *[f"{k}={p!r}" for k, p in params.items()]]
            lines.append(f"    {names[out]} = {prim.name}_({', '.join(operands)})")
        return "\n".join([*lines, f"    return {name(self.output)}"]), used


def make_graph(f):
    """The graph of `f` for arguments of these shapes."""
    def staged(*args):
        trace = GraphTrace()
        inputs = [Tracer(trace, None, shape(a)) for a in args]
        return Graph(trace, inputs, f(*inputs))
    return staged


def jit(f):
    """`f`, staged once for each tuple of shapes; what is called with arrays runs the generated source."""
    programs = {}

    def compiled(*args):
        key = tuple(map(shape, args))
        if key in programs and not any(isinstance(a, Tracer) for a in args):
            return programs[key](*args)
        graph = make_graph(f)(*args)
        if not graph.closed:  # else it holds tracers of this call
            text, names = graph.source()
            exec(text, names)
            programs[key] = names["compiled"]
        return graph(*args)
    return compiled
