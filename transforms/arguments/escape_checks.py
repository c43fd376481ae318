"""Detection of escaped tracers: values of a finished transform raise an error of ours on use."""

import re

import numpy as np

from ...core.errors import ConversionError, EscapedTracerError, at_raising_line, at_user_line, is_ours
from ...core.ops.indexing.places import duplicate
from ...core.trace.tracer import Late, Tracer, unwrap
from .arguments import flatten, settle

ndarray = np.ndarray


def check_escaped(tree):
    """Raise if a result still holds a value of a transform that has finished."""
    kind = type(tree)
    if kind is ndarray or kind is np.float64 or kind is np.float32:
        return
    for leaf in flatten(tree)[0]:
        leaf = settle(leaf)
        while isinstance(leaf, Tracer) and leaf.owner is not None:
            if type(leaf) is Late and not leaf.owner.done:  # asking for its value would compute it
                break
            if leaf.owner.done:
                raise EscapedTracerError(
                    f"a result holds a traced value ({leaf.aval!r}) of a {leaf.owner.kind} that has finished; it was "
                    f"stored outside and used again: return it from the function instead{at_user_line()}")
            leaf = leaf.value


def owned(tree, given):
    """A result with memory of its own: none of the arrays in the pytrees `given`, no view, and nothing twice."""
    if type(tree) is ndarray and len(given) == 1:  # the common case, spared the pytrees
        own = tree.base is None and tree is not given[0] and tree.flags.writeable
        if own and type(given[0]) is ndarray:
            return tree
    given = flatten(tuple(given))[0]
    leaves, rebuild = flatten(tree)
    for k, x in enumerate(leaves):
        if type(x) is ndarray:
            if x.base is not None or not x.flags.writeable or any(x is g for g in given):
                leaves[k] = x = x.copy()
        elif isinstance(x, Tracer) and (any(x is g for g in given) or _read_only(x)):
            leaves[k] = x = duplicate(x)
        given.append(x)
    return rebuild(leaves)


def apart(wholes):
    """Arrays that may be written to, no two of which lie in one block of memory; copies where they do."""
    seen = set()
    out = []
    for x in wholes:
        if type(unwrap(x)) is ndarray:
            block = block_of(unwrap(x))
            if block in seen or _read_only(x):
                x = duplicate(x)
            else:
                seen.add(block)
        out.append(x)
    return out


def block_of(x):
    """The identity of the array that owns the memory of `x`, or of `x` itself if that is no view."""
    while isinstance(getattr(x, "base", None), ndarray):
        x = x.base
    return id(x)


def _read_only(x):
    x = unwrap(x)
    return type(x) is ndarray and not x.flags.writeable


def abandon(trace, error):
    """End the trace of a function that raised `error`, so that its values count as escaped. Called before a `raise`.

    NumPy's item assignment (`y[0] = t`) replaces any error of `__float__` by a ValueError of its own when the class has
    `__getitem__`, whatever the error's class, and makes ours its cause; so does a SystemError of code in C that looks
    for no error, as SciPy's `brentq`. Ours says what to do: it goes on instead.
    """
    trace.done = True
    cause = error.__cause__
    if type(error) in (ValueError, SystemError) and isinstance(cause, (ConversionError, EscapedTracerError)):
        raise cause.with_traceback(error.__traceback__) from None
    if type(error) is not TypeError or is_ours(error):
        return
    if _OF_A_TRACER.search(str(error)) and not getattr(error, "__notes__", None):
        error.add_note("(this is the class of a traced value, which stands for an array while a transform runs: return "
                       f"it with has_aux=True, or give debug.callback the code that needs it){at_raising_line(error)}")
    if _OF_A_LIST.search(str(error)) and not getattr(error, "__notes__", None):
        error.add_note("(a list, tuple or dict is a pytree to covector, and the function gets it as it is: give "
                       f"np.array(...) where it computes with one array){at_raising_line(error)}")
    if _AS_SHAPE.search(str(error)):  # NumPy's, which drops ours
        raise ConversionError("a traced value was given as a shape or a length, which must be known: take it from "
                              "x.shape, use covector.fori_loop for a loop, or mark the argument static in jit "
                              f"(static_argnums){at_raising_line(error)}") from error


_OF_A_TRACER = re.compile(r"\btype '?(?:Rev|Dual|Late|Batched|Staged|Buffer|Traced(?:Real|Complex|Integral))\b")
_AS_SHAPE = re.compile(r"expected a sequence of integers.*Traced\[")
_OF_A_LIST = re.compile(r"^unsupported operand type.*'(?:list|tuple|dict)'|^bad operand type.*'(?:list|tuple|dict)'"
                        r"|^can't multiply sequence by")
