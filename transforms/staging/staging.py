"""Staging: the trace that records operations as equations, and what is built on it: make_graph, eval_shape."""

from collections.abc import Sequence
from operator import index

import numpy as np

from ...core.arrays.avals import WEAK, Aval, aval_of, make_aval, promoting_aval
from ...core.arrays.backend import find_backend, namespace_of
from ...core.arrays.dtypes import is_inexact
from ...core.arrays.fp_warnings import error_state
from ...core.checks import check_function
from ...core.errors import DtypeError, RuleError, at_user_line, user_place
from ...core.ops.indexing.places import Places, spread
from ...core.ops.selection import (
    cast,
    cast_flat,
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    not_equal,
    reached,
    strong_tangent,
    strong_zero,
)
from ...core.primitive.primitive import RAW
from ...core.trace.buffers import CLOSURE_GUARD, ClosureGuard, identity
from ...core.trace.device import library_of, zeros_of
from ...core.trace.tracer import INSIDE, Batched, Dual, Rev, Staged, Trace, Tracer, check_alive, leniently, unwrap
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import flatten, settle, structure
from ..arguments.escape_checks import abandon, check_escaped
from ..arguments.statics import statics, with_static, without_static
from ..compile.rules.rewrite import key_of, key_of_param
from ..graph.equations import NO_AXIS, Equation, Literal, Var, varying
from ..graph.printing import input_labels
from ..scope.errstate import silence, unmarked
from .closures import is_unknown, with_closures
from .graph import NUMBERS, Graph, Literals, ShapeDtype, is_derived, unit_places


def alike(a, b):
    """Tell whether two values of reverse traces are the same read, or the same move of elements, of one value.

    A step that reads `w[0]` of a `w` around it at four places reads one value, and needs one cotangent of it.
    """
    if a is b or type(a) is Staged and type(b) is Staged and a.node is b.node:
        return True
    if type(a) is not Rev or type(b) is not Rev or a.owner is not b.owner or a.aval is not b.aval:
        return False
    x, y = a.node, b.node
    if x is not y:
        if x.rule is None or x.rule is not y.rule or not x.rule.moves or x.parents is not y.parents:
            return False
        try:
            if key_of_param(x.saved) != key_of_param(y.saved):
                return False
        except (TypeError, ValueError):  # it has arrays
            return False
    return alike(a.value, b.value)


_TESTS = [test.prim for test in (greater, greater_equal, less, less_equal, equal, not_equal)]  # of integers: exact


class GraphTrace(Trace):
    """The staging trace: records equations. With `concrete` it also computes primal values, so that `if` works."""

    __slots__ = ("equations", "inputs", "captured", "reads", "moved", "concrete", "library", "literals", "spreads",
                 "numbers", "arrays", "about", "errors", "met")
    kind = "graph"

    def __init__(self, concrete=False, library=None, watch=True, about=None):
        Trace.__init__(self)
        self.about = about  # what its inputs are in messages, where no graph is made for the user
        self.literals: Any = Literals(watch)  # watched: the user may write to them before the graph runs
        self.library = library  # the namespace of the arrays that it is staged for; None: NumPy, or unknown
        self.equations = []
        self.inputs = []
        self.captured = {}  # identity of a tracer -> (tracer, Staged)
        self.reads = {}  # captured reverse-mode values that move elements, by how and of what
        self.moved: Any = {}  # what an equation that reads elements computes -> its Var; None: each is one of its own
        self.numbers = {}  # Vars that operators made of Python numbers alone, whose tracers are weak -> their types
        self.arrays = set()  # Vars of inputs that are arrays without axes, which are no numbers
        self.spreads = {}  # what unit vectors are made of -> the Var of the equation that makes them
        self.concrete = concrete
        self.errors = error_state()  # what another state in the function is told from
        self.met = self.errors, silence(self.errors)  # the error state that was met last, and how equations warn there

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

    def is_array(self, traced):
        return traced.node in self.arrays

    def hoist(self, tracer):
        """Lift a closed-over tracer of an enclosing transform to an input of the graph."""
        # By identity of value and node, not of the tracer: a snapshot of it is the same value, and one input.
        key = identity(tracer)
        known = self.captured.get(key)
        reads = None if known is not None else self.reads_of(tracer)
        if reads is not None:
            known = next((pair for pair in reads if alike(pair[0], tracer)), None)
        if known is None:
            aval = tracer.aval
            derived = aval.weak and is_derived(tracer)
            var = Var(make_aval((), aval.dtype) if derived else aval if aval.weak else aval_of(tracer))
            known = tracer, self.box(var, primal(tracer) if self.concrete else None)
            if derived:
                self.number(known[1], var)
            self.captured[key] = known
            if reads is not None:
                reads.append(known)
        return known[1]

    def reads_of(self, tracer):
        """Captured values that move elements of the same value in the same way; None if `tracer` moves none."""
        rule = tracer.node.rule if type(tracer) is Rev else None
        if rule is None or not rule.moves:
            return None
        return self.reads.setdefault((id(rule), id(tracer.node.parents)), [])

    def lift(self, a):
        """`(Var or Literal, known value)` of an operand."""
        if isinstance(a, Tracer):
            a = settle(a)
        if isinstance(a, Tracer):
            # A value of an older trace: the function closes over it, so it becomes an input of the graph.
            if a.owner is not self:
                a = self.hoist(a)
            return a.node, a.value
        if type(a) not in RAW:
            namespace_of((a,))
        if not isinstance(a, np.ndarray) or find_backend(type(a)) is None:
            return Literal(a), a
        # Unit vectors made for a Jacobian would otherwise stand in the graph as dense constants.
        places = unit_places(a)
        if places is not None:
            return self.units(a, places), a
        literal = self.literals.of(a)
        return literal, literal.value

    def units(self, array, places):
        """The Var of an array that has one and the same number at `places` and 0 elsewhere: made by an equation."""
        one = array.reshape(-1)[places[0]]
        key = (array.shape, array.dtype, places.tobytes(), one.tobytes())
        var = self.spreads.get(key)
        if var is None:
            value = np.broadcast_to(np.array(one), places.shape)
            made = self.emit(spread.prim, [Literal(value)], (Places(places), array.shape), aval_of(array))
            var = self.spreads[key] = made.node
        return var

    def process(self, prim, args):
        if self.done:
            check_alive(self, prim)
        if prim.handlers is not None:
            return prim.handlers["graph"](self, prim, args)
        operands, params = prim.split(args)
        lifted = [(a.node, a.value) if type(a) is Staged and a.owner is self else self.lift(a) for a in operands]
        inputs = [x for x, _ in lifted]
        if prim.staged_params is not None:  # before the concrete run, which must not write into a constant of the graph
            params = prim.staged_params(*params)
        values = None
        if self.concrete:
            params = tuple([_plain(p) for p in params])
            # An effect happens when the graph runs, and must not happen twice.
            if "acts" not in prim.effects:
                values = prim.rebind((*[v for _, v in lifted], *params))
        avals = [x.aval for x in inputs]
        if prim.numbers:
            if self.numbers:
                inputs = self.fitted(prim, inputs)
                avals = [x.aval for x in inputs]
        elif prim is not cast.prim and True in [type(x) is Var for x, a in zip(inputs, avals) if a.weak]:
            inputs = [self.strong(x) if a.weak else x for x, a in zip(inputs, avals)]
            avals = [x.aval for x in inputs]
        out = self.emit(prim, inputs, params, prim.shape(tuple(avals), params), values)
        if prim.weak and not [x for x, a in zip(inputs, avals) if not a.weak and x not in self.numbers]:
            self.number(out, out.node)
        return out

    def number(self, staged, var):
        """Note that a value is an operator's of Python numbers alone: a number itself, as in Python."""
        kind = NUMBERS.get(var.aval.dtype.kind)
        if kind is not None and var.aval.dtype.itemsize == 8 * (1 + (kind is complex)) and not var.aval.shape:
            self.numbers[var] = kind
            staged.aval = WEAK[kind]
            if isinstance(staged.value, np.generic | np.ndarray):
                staged.value = staged.value.item()

    def fitted(self, prim, inputs):
        """Inputs of which numbers that the graph computes have the dtype that a Python number would have there."""
        strong = [x.aval.dtype for x in inputs if not x.aval.weak and x not in self.numbers]
        if not strong or len(strong) == len(inputs):
            return inputs
        return [self.fit(prim, x, strong) if x in self.numbers else x for x in inputs]

    def strong(self, x):
        """A Python number as the array that it is to operations that do not promote as operators do."""
        prim = (cast if x.aval.dtype.kind in "fc" else cast_flat).prim
        return self.emit(prim, [x], (x.aval.dtype,), x.aval.strong).node

    def fit(self, prim, x, strong):
        kind = self.numbers[x]
        dtype = np.result_type(*strong, kind(1))
        # Comparisons of integers are exact in either dtype, and a cast would only cost an equation.
        if dtype == x.aval.dtype or dtype.kind == "i" == x.aval.dtype.kind and prim in _TESTS:
            return x
        prim = (cast if dtype.kind in "fc" else cast_flat).prim
        return self.emit(prim, [x], (dtype,), make_aval((), dtype)).node

    def emit(self, prim, inputs, params, out_avals, values=None):
        """Record an equation; return its tracer(s)."""
        # The state is one immutable object of the context: identity tells that it is the one met last.
        now = error_state()
        if now is not self.met[0]:
            self.met = now, silence(self.errors)
        quiet = self.met[1]
        if prim.outputs is None:
            equation = Equation(prim, inputs, params, [Var(out_avals)], quiet, user_place())
            # Equal reads and moves are merged as they are written down: each would have a cotangent of the whole
            # array.
            if self.moved is not None and prim.rearranges and (key := key_of(equation)) is not None:
                var = self.moved.setdefault((key, equation.quiet), equation.outputs[0])
                if var is not equation.outputs[0]:
                    return self.box(var, values)
            self.equations.append(equation)
            return self.box(equation.outputs[0], values)
        outputs = [Var(a) for a in out_avals]
        self.equations.append(Equation(prim, inputs, params, outputs, quiet, user_place()))
        return tuple([self.box(v, None if values is None else values[k]) for k, v in enumerate(outputs)])

    def finish(self, outs, rebuild=None):
        """The graph with these outputs, and the captured tracers in the order of its last inputs."""
        outputs = [self.lift(x)[0] for x in outs]
        captured = [tracer for tracer, _ in self.captured.values()]
        inputs = self.inputs + [staged.node for _, staged in self.captured.values()]
        self.captured, self.reads = {}, {}  # their values hold this trace: a cycle
        self.done = True
        graph = Graph(inputs, self.equations, outputs, captured, rebuild).prune()
        graph.guards = self.literals.guards
        graph.weak = [x.aval.weak or x in self.numbers for x in outputs]
        self.literals = None
        return graph


def _plain(param):
    """A static parameter without traced values: the integers that are known, as the ends of a slice."""
    if isinstance(param, Tracer):
        return index(param)
    if type(param) is slice:
        return slice(_plain(param.start), _plain(param.stop), _plain(param.step))
    return tuple([_plain(p) for p in param]) if type(param) is tuple else param


def primal(value):
    """Strip the derivatives of a value for a concrete run. Batch axes and staging stay."""
    while isinstance(value, Tracer):
        value = settle(value)
        kind = type(value)
        if isinstance(value, Batched):
            inner = primal(value.value)
            if inner is value.value:
                return value
            out = kind()
            # A new tracer of the same trace, since others still hold the one with derivatives.
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


def _input_aval(x, name):
    if isinstance(x, ShapeDtype):
        return make_aval(x.shape, x.dtype)
    if isinstance(x, Aval):
        return x
    if isinstance(x, np.ndarray):
        namespace_of((x,))
    try:
        return aval_of(x)
    except DtypeError:
        raise DtypeError(f"{name} needs arrays, numbers or ShapeDtype, but got {x!r}; close over static values instead"
                         f"{at_user_line()}") from None


def stage(fun, leaves, rebuild, name="make_graph", concrete=False, like=None, watch=True, about=None, library=None,
          numbers=(), arrays=(), enclose=False):
    """`(graph, known output values)` of `fun(*rebuild(inputs))`; closed-over tracers become inputs.

    Where `leaves` are shapes alone, `like` or `library` says what library they stand for. Without `watch` constants are
    not kept from writes: those of `fun` are known to be. Traced Python numbers, and inputs at the places `numbers`, are
    numbers to operators; those at the places `arrays` are arrays without axes to whoever asks. To `enclose` is to stage
    what is computed of closed-over values alone, too, where these are not known: else it is computed outside.
    """
    library = library_of(*(leaves if like is None else like)) if library is None else library
    trace = GraphTrace(concrete, library, watch, about)
    boxed = [trace.input(_input_aval(x, name), primal(settle(x)) if concrete else None) for x in leaves]
    for k, (x, staged) in enumerate(zip(leaves, boxed)):
        if k in numbers or isinstance(x, Tracer) and promoting_aval(x).weak:
            trace.number(staged, staged.node)
        elif k in arrays or type(x) is np.ndarray and not x.ndim:
            trace.arrays.add(staged.node)
    inside = INSIDE.get()
    try:
        INSIDE.set(True)
        if concrete:  # it runs this once
            outs, rebuild_out = flatten(fun(*rebuild(boxed)))
            outs = [settle(x) for x in outs]
        else:
            before = CLOSURE_GUARD.get()
            try:
                # A concrete run happens once, like any code; a staged body runs any number of times, so writes to
                # arrays from outside are refused.
                guard = ClosureGuard(trace.level).begin()
                if enclose:
                    fun = with_closures(fun, is_unknown, lambda x: guard.capture(trace.hoist(x)))
                outs, rebuild_out = flatten(fun(*rebuild(boxed)))
                outs = [settle(x) for x in outs]
            finally:
                CLOSURE_GUARD.set(before)
            guard.check()
    # Also KeyboardInterrupt: the trace must end, or tracers that escaped with the exception would go on recording.
    except BaseException as error:
        abandon(trace, error)
        raise
    finally:
        INSIDE.set(inside)
    known = [x.value if isinstance(x, Tracer) and x.owner is trace else x for x in outs]
    graph = trace.finish(outs, rebuild_out)
    return graph.without_unread() if enclose else graph, known



def make_graph(
    fun: Callable[..., Any], static_argnums: int | Sequence[int] = (), static_argnames: str | Sequence[str] = (),
) -> Callable[..., Graph]:
    """Return a function that stages `fun` to a typed graph instead of computing it.

    Args:
        fun: any function of pytrees of arrays; Python control flow on traced values raises.
        static_argnums, static_argnames: positions and names of arguments that are passed to `fun` as they are, and may
            be any objects. The graph is called without them.
    Returns:
        a function of the same arguments (arrays, numbers or `ShapeDtype`) that returns a `Graph`: printable, callable
        with arguments of the same shapes and dtypes under any transform, with `equations`, `in_avals`, `out_avals`,
        `to_dot()`.
    Raises:
        ValueError: a static argument that `fun` does not take.

    >>> import numpy as np, covector
    >>> covector.make_graph(lambda x: np.sin(x) * 2.0)(np.ones(3))
    { lambda a:f64[3] . let
        b:f64[3] = sin a
        c:f64[3] = multiply b 2.0
      in (c) }
    """

    check_function(fun, "make_graph")
    places, names = statics(fun, static_argnums, static_argnames, "make_graph")

    def graph_fun(*args, **kwargs):
        static, (args, kwargs) = without_static(args, kwargs, places, names)
        args = tuple(args)
        called = fun
        if static:
            def called(*given, **named):
                given, named = with_static(given, named, static)
                return fun(*given, **named)
        leaves, rebuild, run = _with_names(called, args, kwargs)
        graph, _ = stage(run, leaves, rebuild)
        check_escaped(graph.captured)
        graph.form = structure((args, kwargs) if kwargs else args)
        graph.labels, graph.home = input_labels(fun, args, kwargs, places), user_place()
        return graph

    return graph_fun


def _with_names(fun, args, kwargs):
    """Leaves of all arguments, how to rebuild them, and `fun` of what that gives; those by name come last."""
    if not kwargs:
        return *flatten(args), fun
    return *flatten((args, kwargs)), lambda given, named: fun(*given, **named)


def eval_shape(fun: Callable[..., Any], *args: PyTree, **kwargs: PyTree) -> PyTree:
    """Compute the shapes and dtypes of `fun(*args, **kwargs)`, without running it on data.

    Args:
        fun: any function of pytrees of arrays.
        args, kwargs: arrays, numbers or `ShapeDtype`.
    Returns:
        the structure of the result with `ShapeDtype` leaves.
    Raises:
        ShapeError: shapes inside `fun` do not match.

    >>> import numpy as np, covector
    >>> covector.eval_shape(lambda a, b: a @ b, covector.ShapeDtype((2, 3)), np.ones((3, 4)))
    ShapeDtype((2, 4), float64)
    """
    check_function(fun, "eval_shape", "write eval_shape(f, x)")
    leaves, rebuild, run = _with_names(fun, args, kwargs)
    graph, _ = stage(run, leaves, rebuild, "eval_shape")
    check_escaped(graph.captured)
    return graph.rebuild([ShapeDtype(a.shape, a.dtype) for a in graph.out_avals])


# Linear maps given by Python code: staged for unknown values, and checked for linearity.

_LOOKS = (strong_zero.prim, strong_tangent.prim, reached.prim)  # at what was multiplied, and do not change it


def stands_in(value):
    """Tell whether a value takes the place of one that is not known yet: an operand of a map that is being
    transposed."""
    while isinstance(value, Tracer):
        if getattr(value.owner, "stands_in", False):
            return True
        value = value.value
    return False


def apply_linear(fun, values, kind, rule, beside=False):
    """`fun(*values)` of flat lists, where `values` only stand in for those that its transpose is wanted for.

    It is staged first, so that no Python code in it can look at them. In messages they are of a `kind` ("tangent", say)
    that `rule` of the user's is given. `beside`: the first half of the outputs needs not be linear.
    """
    must = f"{rule} must be linear in its {kind}s to be transposed"
    remedy = "make choices by the arguments of the function"
    with unmarked():
        graph = stage(fun, [aval_of(v) for v in values], tuple, rule, like=values, watch=False,
                      about=f"a {kind} in {rule}")[0]
    check_linear(graph, len(values), must, remedy, whole=False)
    if any(_adds(v) for v in graph.outputs[len(graph.outputs) // 2 if beside else 0 :]):
        raise RuleError(f"{must}, but gives a constant other than 0, whatever they are; {remedy}{at_user_line()}")
    return leniently(graph.eval, [*values, *graph.captured])


def unknown(values, kind, rule):
    """Staged values like `values` that nothing is known of, of a `kind` that `rule` is given; of integers zeros."""
    trace = GraphTrace(library=library_of(*values), watch=False, about=f"a {kind} in {rule}")
    avals = [aval_of(v) for v in values]
    return [trace.input(a) if is_inexact(a.dtype) else zeros_of(a, v) for a, v in zip(avals, values)]


def _adds(v):
    """Tell whether an operand is a constant other than 0."""
    return type(v) is Literal and bool(np.any(unwrap(v.value) != 0))


def check_linear(graph, count, must, remedy, whole=True):
    """Raise unless every equation is linear in what depends on the first `count` inputs.

    Args:
        must, remedy: how the message begins and ends.
        whole: refuse constants that are added, too, and bodies of higher-order operations, which are not looked into.
    """
    dependent = set(graph.inputs[:count])
    made = set()  # of constants alone
    for eq in graph.equations:
        prim = eq.prim
        names = prim.operands if not prim.variadic else ("*" + prim.operands[0],) * len(eq.inputs)
        joint = ("joint",) * next((p.linear for p in eq.params if type(getattr(p, "linear", None)) is int), 0)
        names = (*joint, *names[len(joint) :])
        apart = ("ct", "w") if any(getattr(p, "bilinear", False) for p in eq.params) else ()
        names = apart or names
        used = {n for n, v in zip(names, eq.inputs) if type(v) is Var and v in dependent}
        if all(type(v) is Literal or v in made for v in eq.inputs):
            made.update(eq.outputs)
        # Strong zeros look at the cotangent, and leave the map linear.
        if prim in _LOOKS:
            used.discard("ct")
        looks = eq.quiet is True and (prim.flat or prim.control == "branch")  # as products with strong zeros do
        if not used or looks:
            continue
        if whole or prim.handlers is None:
            groups = [group for text in (*prim.linear, *joint[:1], *apart)
                      if used <= (group := {n.strip() for n in text.split(",")})]
            if not groups:
                raise RuleError(f"{must}, but {prim.name} is not linear in {', '.join(sorted(used))}; {remedy}"
                                f"{at_user_line()}")
            fixed = {n for n, v in zip(names, eq.inputs) if v in made or _adds(v)}
            if whole and all(fixed & group for group in groups):
                raise RuleError(f"{must}, but {prim.name} joins the arguments with a constant, so that zeros do not "
                                f"give zeros; leave the constant out, or {remedy}{at_user_line()}")
        if prim.handlers is None:
            dependent.update(eq.outputs)
        else:
            found = varying(eq, [type(v) is Var and v in dependent for v in eq.inputs], NO_AXIS)
            dependent.update([v for v, flag in zip(eq.outputs, found) if flag])
