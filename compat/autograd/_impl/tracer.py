"""autograd.tracer: what is traced, its value, and functions that derivatives are defined for."""

import numpy as np

from ....extend import REGISTRY, Tracer, bind
from .calls import ForwardCall, Operands, Owner, ReverseCall
from .lane import OTHERWISE, call_in_lane, make_rule
from .levels import NONE, without
from .subclasses import TypeMappings
from .tables import JVPS, VJPS
from .wrap_util import get_name, subvals as subvals, toposort as toposort, wraps


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
