"""autograd.tracer: what is traced, its value, and functions that derivatives are defined for."""

import functools

import numpy as np

from ...._engine import BY_TYPE, Rev, Rule, find_backend, make_node
from ...._interpreters import RevTrace
from ...._primitives import by_rows, call_pullback
from ....extend import REGISTRY, Tracer, aval_of, bind
from .calls import NONE, ForwardCall, Operands, Owner, ReverseCall, conform, without
from .spaces import dense
from .tables import JVPS, VJPS
from .wrap_util import get_name, subvals as subvals, toposort as toposort, wraps

# The lane of most calls of a primitive: plain arrays under one reverse trace, an array out; one node, no pytrees.

OTHERWISE = object()  # the lane does not take this call
_ARRAYS = frozenset({np.ndarray, np.float64, np.float32})


def call_in_lane(known, args, kwargs, vjpmaker, peeled):
    """`(output, None)` of a call; `(OTHERWISE, None)` before anything has run, or `(OTHERWISE, (output,))` after."""
    trace = None
    values = list(args)
    argnums = []
    for k, a in enumerate(args):
        if isinstance(a, Tracer):
            if type(a) is not Rev or type(a.value) not in _ARRAYS or a.aval.dtype.kind != "f" or a.node is None:
                return OTHERWISE, None
            if trace is None:
                trace = a.owner
            elif trace is not a.owner:
                return OTHERWISE, None
            values[k] = a.value
            argnums.append(k)
        elif isinstance(a, tuple | list | dict):  # there may be traced values in it
            return OTHERWISE, None
    if type(trace) is not RevTrace or trace.done:
        return OTHERWISE, None
    ans = known.raw(*values, **kwargs)
    ruled = peeled | {trace}
    if type(ans) not in _ARRAYS:
        ans = without(ans, ruled)
    if type(ans) not in _ARRAYS or ans.dtype.kind != "f":
        return OTHERWISE, (ans,)
    vjp = vjpmaker(tuple(argnums), ans, tuple(values), kwargs)
    parents = [args[k].node for k in argnums]
    node = make_node(known.rule, parents[0] if len(parents) == 1 else tuple(parents),
                     (vjp, known.name, [args[k].aval for k in argnums], ruled))
    return trace.box(ans, aval_of(ans), node), None


def make_rule(name):
    """The rule of the nodes of a primitive."""
    rule = Rule()
    rule.prim = None
    rule.names = (name,)
    rule.origins = rule.active = ()
    rule.collect = None
    rule.keeps = rule.lazy = False
    rule.once = True
    rule.back = rule.strong = _back
    return rule


def _back(ct, saved):
    """Cotangents of the operands."""
    vjp, name, avals, ruled = saved
    if type(ct) in _ARRAYS:
        found = [_fitting(c, aval, name, ruled) for c, aval in zip(call_pullback(vjp, ct), avals)]
    else:
        found = by_rows(lambda given: [_fitting(c, aval, name, ruled) for c, aval in
                                       zip(call_pullback(vjp, given[0]), avals)], [ct], linear=False)
    return found[0] if len(found) == 1 else tuple(found)


def _fitting(c, aval, name, ruled):
    """A cotangent in the shape and dtype of its operand, without values of the traces that the rule stands for."""
    if type(c) in _ARRAYS and c.shape == aval.shape and c.dtype == aval.dtype or c is None:
        return c
    c = conform(without(dense(c), ruled), aval, name)
    return c if c.dtype == aval.dtype else c.astype(aval.dtype)


# Subclasses of NumPy's arrays that a library lets be traced.


class TypeMappings(dict):
    """`{type: what takes its values into a trace}`; registered subclasses of arrays compute with traced operands.

    `numpy.ndarray.__array_ufunc__` gives NotImplemented beside an operand with one of its own. autograd's boxes have
    none, so that a subclass may expect an array back from it: here such a call is the traced operand's.
    """

    def __setitem__(self, kind, taken):
        if isinstance(kind, type) and issubclass(kind, np.ndarray):
            own = kind.__dict__.get("__array_ufunc__")
            if own is not None and not hasattr(own, "_defers"):
                kind.__array_ufunc__ = _deferring(own)
            BY_TYPE[kind] = find_backend(np.ndarray)  # operands of traced values, though they have rules of their own
        dict.__setitem__(self, kind, taken)


def _deferring(own):
    """An `__array_ufunc__` that leaves calls with traced operands to these."""

    @functools.wraps(own)
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        for x in inputs:
            if isinstance(x, Tracer):
                plain = [v.view(np.ndarray) if isinstance(v, np.ndarray) else v for v in inputs]
                return x.__array_ufunc__(ufunc, method, *plain, **kwargs)
        return own(self, ufunc, method, *inputs, **kwargs)

    __array_ufunc__._defers = True
    return __array_ufunc__


class _OfTraced(type):
    """The type of a class whose instances are covector's traced values."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tracer)

    def __subclasscheck__(cls, subclass):
        return type.__subclasscheck__(cls, subclass) or issubclass(subclass, Tracer)

    def register(cls, value_type):
        """Say that values of a type may be traced."""
        cls.type_mappings[value_type] = cls


class Box(metaclass=_OfTraced):
    """A traced array, made by transforms.

    `type_mappings` holds, by the type of an argument of a transform, what looks at it first: it is called with the
    argument and two more, and raises, or returns `ArrayBox` of them, which is the array to trace.
    """

    type_mappings = TypeMappings()

    def __new__(cls, value, trace=None, node=None):
        return np.asarray(value)


def isbox(x):
    """Tell whether `x` is traced.

    >>> import covector.compat.autograd as autograd
    >>> autograd.grad(lambda x: x * autograd.tracer.isbox(x))(3.0)
    np.float64(1.0)
    """
    return isinstance(x, Tracer)


def getval(x):
    """The value of what is traced, without derivative; anything else as it is.

    Raises:
        ConversionError: there is one value per example (under `covector.vmap`), or none yet (under `covector.jit`).

    >>> import covector.compat.autograd as autograd
    >>> autograd.grad(lambda x: x * autograd.tracer.getval(x))(3.0)
    np.float64(3.0)
    """
    if not isinstance(x, Tracer):
        return x
    inner = x
    while isinstance(inner, Tracer):
        inner = inner._value
    return inner


class Primitive:
    """The call record of a function with rules."""

    __slots__ = ("raw", "name", "owner", "wrapped", "rule")

    def __init__(self, raw, wrapped):
        self.raw = raw
        self.name = get_name(raw)
        self.owner = Owner(raw)
        self.wrapped = wrapped
        self.rule = make_rule(self.name)

    def __call__(self, args, kwargs, peeled=NONE):
        """The output of a call whose arguments may be traced; the rule was applied for the traces `peeled` already."""
        given = None
        vjpmaker = VJPS.get(self.wrapped)
        if vjpmaker is not None:
            out, given = call_in_lane(self, args, kwargs, vjpmaker, peeled)
            if out is not OTHERWISE:
                return out
        operands = Operands(args, kwargs, peeled)
        if operands.leaves:
            return record(self, operands, given)
        return without(self.raw(*args, **kwargs) if given is None else given[0], peeled)

    def undefined(self, argnums, ans, args, kwargs):
        """The rule of a function that has none."""
        raise NotImplementedError(
            f"VJP of {self.name} wrt argnums {argnums} not defined, nor its JVP: it was called with traced values; "
            "define it with extend.defvjp, or pass covector.stop_gradient(x) where no derivative is wanted")


def primitive(f_raw):
    """Make a function one whose derivatives rules define: `covector.compat.autograd.extend.defvjp` and `defjvp`.

    The function is called with plain arrays (at an outer level of nested derivatives: with the values there), so its
    body may be any NumPy or SciPy code. `covector.custom_vjp` does this in functions that are not autograd's.

    >>> import numpy as np
    >>> from covector.compat.autograd import grad
    >>> from covector.compat.autograd.extend import defvjp, primitive
    >>> @primitive
    ... def logsumexp(x):
    ...     top = np.max(x)
    ...     return top + np.log(np.sum(np.exp(x - top)))
    >>> defvjp(logsumexp, lambda ans, x: lambda g: g * np.exp(x - ans))
    >>> grad(logsumexp)(np.array([0.0, 0.0]))
    array([0.5, 0.5])
    """

    @wraps(f_raw)
    def f_wrapped(*args, **kwargs):
        for x in args:
            if isinstance(x, Tracer) or type(x) in _CONTAINERS:
                return known(args, kwargs)
        return f_raw(*args, **kwargs)

    known = Primitive(f_raw, f_wrapped)
    f_wrapped.fun = f_raw
    f_wrapped._is_autograd_primitive = True
    f_wrapped.__wrapped__ = f_raw
    return f_wrapped


_CONTAINERS = frozenset({list, tuple, dict})
_REVERSE = REGISTRY["custom_vjp"]
_FORWARD = REGISTRY["custom_jvp"]


def record(known, operands, given=None):
    """The output of a call with traced operands; `given` holds the output where the function has run."""
    vjpmaker = VJPS.get(known.wrapped)
    jvpmaker = JVPS.get(known.wrapped)
    if vjpmaker is None and jvpmaker is not None:
        call = ForwardCall(known, operands, jvpmaker)
        outs = bind(_FORWARD, (*operands.leaves, call))
    else:
        call = ReverseCall(known, operands, vjpmaker or known.undefined, jvpmaker, given)
        outs = bind(_REVERSE, (*operands.leaves, call))
    return call.rebuild_out(list(outs))


def notrace_primitive(f_raw):
    """Make a function one that is called with the values of what is traced, and whose output is a constant."""

    @wraps(f_raw)
    def f_wrapped(*args, **kwargs):
        return f_raw(*map(getval, args), **kwargs)

    f_wrapped._is_primitive = True
    return f_wrapped


def register_notrace(trace_type, primitive_fun):
    """Say that outputs of a primitive are constants: zero derivatives with respect to all arguments."""
    VJPS[primitive_fun] = lambda argnums, ans, args, kwargs: lambda g: [None] * len(argnums)
