"""autograd.core: reverse and forward mode of functions of one argument, rules, and vector spaces."""

import warnings
from contextlib import contextmanager
from functools import reduce
from itertools import count

from .... import jvp as _jvp, tree, vjp as _vjp
from ...._interpreters import RevTrace
from ....extend import aval_of
from .spaces import SparseObject as SparseObject, VSpace as VSpace, dense, vspace as vspace
from .tables import JVPS as primitive_jvps, VJPS as primitive_vjps
from .tracer import Box as Box, getval as getval, isbox as isbox, primitive as _primitive
from .values import depends, like, prepared, released, scalar
from .wrap_util import func as func, subval

# -------------------- reverse mode --------------------


def make_vjp(fun, x):
    """`(vjp, value)` of a function of one argument; `vjp(g)` gives the product of a cotangent with the Jacobian.

    Warns if the output does not depend on `x`; then the products are zeros.
    """
    vjp, out, _ = vjp_and_aux(lambda x: (fun(x), None), x)
    return vjp, out


def vjp_and_aux(fun, x):
    """`(vjp, value, aux)` of a function that returns `(value, aux)`."""
    seen = []

    def run(x):
        out, aux = fun(x)
        seen.append(depends(out, x))
        return dense(out), aux

    out, pullback, aux = _vjp(run, prepared(x, "make_vjp"), has_aux=True)
    tell(seen)

    def vjp(g):
        return scalar(pullback(like(g, out))[0])  # of a container its arrays, as autograd has them

    return vjp, released(out), released(aux)


def tell(seen):
    """Warn, as autograd does, if the output of a function did not depend on its argument."""
    if not all(seen):
        warnings.warn("Output seems independent of input.", stacklevel=4)


def defvjp_argnums(fun, vjpmaker):
    """Give `fun` a rule `vjpmaker(argnums, ans, args, kwargs)`, which returns `vjp(g) -> one cotangent an argnum`."""
    primitive_vjps[fun] = vjpmaker


def defvjp_argnum(fun, vjpmaker):
    """Give `fun` a rule `vjpmaker(argnum, ans, args, kwargs)`, which returns `vjp(g)` for one argument."""

    def of_all(argnums, ans, args, kwargs):
        vjps = [vjpmaker(argnum, ans, args, kwargs) for argnum in argnums]
        return lambda g: [vjp(g) for vjp in vjps]

    defvjp_argnums(fun, of_all)


def defvjp(fun, *vjpmakers, argnums=None):
    """Give `fun` rules `vjpmaker(ans, *args, **kwargs)`, one per argument, which return `vjp(g)`; None for zero.

    Args:
        fun: what `primitive` returned.
        vjpmakers: of the arguments 0, 1, …, or of those that `argnums` names.
        argnums: positions of arguments.
    """
    makers = dict(zip(count() if argnums is None else argnums, vjpmakers))
    for argnum, maker in makers.items():
        if maker is not None and not callable(maker):
            raise TypeError(f"defvjp of {_name(fun)} was given {maker!r} for argument {argnum}; give a function "
                            "vjpmaker(ans, *args, **kwargs), or None for zero")

    def of_all(argnums, ans, args, kwargs):
        vjps = []
        for argnum in argnums:
            if argnum not in makers:
                raise NotImplementedError(f"VJP of {_name(fun)} wrt argnum {argnum} not defined: it was called with a "
                                          "traced value there; give defvjp a rule for it, None for zero")
            maker = makers[argnum]
            vjps.append(None if maker is None else maker(ans, *args, **kwargs))
        if len(vjps) == 1 and vjps[0] is not None:
            (vjp,) = vjps
            return lambda g: (vjp(g),)
        return lambda g: [None if vjp is None else vjp(g) for vjp in vjps]

    defvjp_argnums(fun, of_all)


def _name(fun):
    return getattr(fun, "__name__", fun)


# -------------------- forward mode --------------------


def make_jvp(fun, x):
    """`jvp(g) -> (value, tangent)` of a function of one argument; warns if the output does not depend on `x`."""
    start = prepared(x, "make_jvp")

    def jvp(g):
        seen = []

        def run(x):
            out = fun(x)
            seen.append(depends(out, x))
            return dense(out)

        out, tangent = _jvp(run, (start,), (like(g, start),))
        tell(seen)
        return released(out), released(tangent)

    return jvp


def defjvp_argnums(fun, jvpmaker):
    """Give `fun` a rule `jvpmaker(argnums, tangents, ans, args, kwargs)`, which returns the tangent of the output."""
    primitive_jvps[fun] = jvpmaker


def defjvp_argnum(fun, jvpmaker):
    """Give `fun` a rule `jvpmaker(argnum, tangent, ans, args, kwargs)`, whose results are added."""
    defjvp_argnums(fun, lambda argnums, gs, ans, args, kwargs: sum_outgrads(
        jvpmaker(argnum, g, ans, args, kwargs) for argnum, g in zip(argnums, gs)))


def defjvp(fun, *jvpfuns, argnums=None):
    """Give `fun` rules `jvpfun(tangent, ans, *args, **kwargs)`, one per argument, whose results are added.

    Args:
        fun: what `primitive` returned.
        jvpfuns: of the arguments 0, 1, …, or of those that `argnums` names; None for zero, "same" where `fun` is
            linear in the argument.
        argnums: positions of arguments.
    """
    rules = {argnum: _jvp_rule(rule, fun, argnum)
             for argnum, rule in zip(count() if argnums is None else argnums, jvpfuns)}

    def of_all(argnums, gs, ans, args, kwargs):
        for argnum in argnums:
            if argnum not in rules:
                raise NotImplementedError(f"JVP of {_name(fun)} wrt argnum {argnum} not defined: it was called with a "
                                          "traced value there; give defjvp a rule for it, None for zero")
        return sum_outgrads(rules[argnum](g, ans, *args, **kwargs) for argnum, g in zip(argnums, gs))

    defjvp_argnums(fun, of_all)


def _jvp_rule(rule, fun, argnum):
    if rule is None:
        return lambda g, ans, *args, **kwargs: vspace(ans).zeros()
    if isinstance(rule, str) and rule == "same":
        return lambda g, ans, *args, **kwargs: fun(*subval(args, argnum, g), **kwargs)
    if callable(rule):
        return rule
    raise TypeError(f"defjvp of {_name(fun)} was given {rule!r} for argument {argnum}; give a function "
                    'jvp(g, ans, *args, **kwargs), "same" where it is linear, or None for zero')


def def_linear(fun):
    """Say that `fun` is linear in each argument."""
    defjvp_argnum(fun, lambda argnum, g, ans, args, kwargs: fun(*subval(args, argnum, g), **kwargs))


def sum_outgrads(gs):
    """The sum of tangents or cotangents of one value."""
    return reduce(_added, map(dense, gs))


def _added(a, b):
    if isinstance(a, tuple | list | dict):
        return tree.map(lambda x, y: x + y, a, b)
    return a + b


# -------------------- what autograd deprecates --------------------


def primitive_with_deprecation_warnings(f_raw):
    """`primitive`, with the methods `defvjp`, `defvjp_is_zero` and `defgrad` that autograd deprecates."""
    wrapped = _primitive(f_raw)
    makers = {}

    def define(maker, argnum):
        makers[argnum] = maker
        defvjp(wrapped, *makers.values(), argnums=tuple(makers))

    def old_defvjp(vjpmaker, argnum=0):
        warnings.warn(_DEPRECATED.format("defvjp"), stacklevel=2)

        def staged(ans, *args, **kwargs):
            return lambda g: vjpmaker(g, ans, vspace(args[argnum]), vspace(g), *args, **kwargs)

        define(staged, argnum)

    def defvjp_is_zero(argnums=(0,)):
        warnings.warn(_DEPRECATED.format("defvjp_is_zero"), stacklevel=2)
        for argnum in argnums:
            define(None, argnum)

    def defgrad(gradfun, argnum=0):
        warnings.warn(_DEPRECATED.format("defgrad"), stacklevel=2)
        define(gradfun, argnum)

    wrapped.defvjp = old_defvjp
    wrapped.defvjp_is_zero = defvjp_is_zero
    wrapped.defgrad = defgrad
    return wrapped


_DEPRECATED = "the method {} of a primitive is deprecated in autograd; use the function defvjp of autograd.extend"
primitive_ = _primitive
primitive = primitive_with_deprecation_warnings


# Traces that programs start by hand, to see what depends on what.


class TraceStack:
    """Starts traces."""

    @contextmanager
    def new_trace(self):
        """A trace for the code within; what is computed there from boxes of it are boxes of it."""
        trace = RevTrace()
        try:
            yield trace
        finally:
            trace.done = True


trace_stack = TraceStack()


class VJPNode:
    """The root of a trace; the recording itself is covector's."""

    @classmethod
    def new_root(cls):
        """The start of a trace, for `new_box`."""
        return cls()


class Boxes(tuple):
    """A tuple of traced values, with their trace."""

    def __new__(cls, values, trace):
        self = tuple.__new__(cls, values)
        self._trace = trace
        return self


def new_box(value, trace, node):
    """A value traced in a trace that was started by hand; of a tuple or list, each of its elements."""
    if isinstance(value, tuple | list):
        return Boxes([new_box(v, trace, node) for v in value], trace)
    value = prepared(value, "new_box")
    return trace.box(value, aval_of(value), trace.leaf(0))
