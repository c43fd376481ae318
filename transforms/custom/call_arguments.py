"""The arguments of a function with custom rules: all by position, and those that are static."""

from functools import partial
from inspect import signature

from ...core.errors import at_user_line
from ...core.trace.buffers import Buffer
from ...core.trace.tracer import Batched, Staged, Tracer
from ..arguments.arguments import flatten
from .custom_calls import name_of


def bound_arguments(fun, args, kwargs):
    """Positional arguments, keywords and defaults put in their places."""
    code = getattr(fun, "__code__", None)
    python = code is not None or isinstance(fun, partial) or hasattr(type(fun).__call__, "__code__")
    if not kwargs and (not python or code is not None and len(args) == code.co_argcount):
        return args
    if not python:  # a ufunc, say
        raise TypeError(f"custom rules need positional arguments, but {name_of(fun)} was called with keywords "
                        f"{', '.join(kwargs)}; pass them by position{at_user_line()}")
    known = signature(fun)
    try:
        bound = known.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{name_of(fun)}{known} was called with arguments that do not fit: {error}; pass each argument "
                        f"once{at_user_line()}") from None
    bound.apply_defaults()
    lost = [name for name in bound.kwargs if name in kwargs]
    if lost:
        raise TypeError(f"{name_of(fun)} has no positional argument {lost[0]!r}; custom rules see positional arguments "
                        f"only: drop the * in front of it, or use functools.partial{at_user_line()}")
    return bound.args


def places_of(fun, names):
    """The positions of parameters named `names`."""
    order = list(signature(fun).parameters)
    names = (names,) if isinstance(names, str) else tuple(names)
    unknown = [n for n in names if n not in order]
    if unknown:
        raise ValueError(f"nondiff_argnames names {unknown[0]!r}, but {name_of(fun)} has the parameters "
                         f"{', '.join(order)}; name one of them{at_user_line()}")
    return tuple([order.index(n) for n in names])


def split_static(args, nondiff):
    """`(static, rest)`: the arguments at `nondiff`, and the others; one that is differentiated is refused."""
    if not nondiff:
        return (), args
    places = {k % len(args) for k in nondiff}
    static = tuple((k, args[k]) for k in sorted(places))
    for k, value in static:
        if any(_is_differentiated(leaf) for leaf in flatten(value)[0]):
            raise TypeError(f"argument {k} is in nondiff_argnums, but holds a traced value that is differentiated, so "
                            f"that its derivative would be lost; make it an ordinary argument{at_user_line()}")
    return static, tuple(a for k, a in enumerate(args) if k not in places)


def _is_differentiated(value):
    """Tell whether a derivative by a value is taken at any level; one that is only batched or staged is closed over."""
    while isinstance(value, Tracer):
        if not isinstance(value, Batched | Staged | Buffer):
            return True
        value = value.value
    return False


def is_only_batched(value):
    """Tell whether no level of a value differentiates or stages it."""
    while isinstance(value, Tracer):
        if not isinstance(value, Batched | Buffer):
            return False
        value = value.value
    return True
