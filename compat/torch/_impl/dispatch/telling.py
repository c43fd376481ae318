"""Dispatch to function modes beside operations: functions, methods and attributes of tensors."""

import functools
import os
import sys
import threading

from ..modes.modes import MODES, enter, leave
from ..types.tensor_type import Tensor
from .builtins import known_as
from .classes import dispatched, overloads


def by_mode(func, args, kwargs):
    """A call by the innermost mode, which is off meanwhile; what it leaves alone the classes of arguments do."""
    found = overloads(args, kwargs)
    *outer, mode = MODES.get().functions
    entered = enter(functions=tuple(outer) or ((CLASSES,) if found and mode is not CLASSES else ()))
    try:
        out = mode.__torch_function__(func, tuple([type(x) for x in found]), args, kwargs)
        if out is NotImplemented and found:
            out = dispatched(found, func, args, kwargs)
    finally:
        leave(entered)
    if out is NotImplemented:
        raise TypeError(f"Multiple dispatch failed for 'torch.{getattr(func, '__name__', func)}'; all "
                        f"__torch_function__ handlers returned NotImplemented:\n\n  - mode object {mode!r}")
    return out


class Classes:
    """The last handler behind all modes, which asks the classes of arguments: methods themselves ask modes only.

    The methods that a subclass inherits ask it (`overriding.prepare`); a mode is given Tensor's own.
    """

    def __torch_function__(self, func, types, args, kwargs):
        found = overloads(args, kwargs)
        if not found or any(getattr(type(x), "other_layout", False) for x in found):  # of which operations are asked
            return func(*args, **kwargs)
        return dispatched(found, func, args, kwargs)


CLASSES = Classes()


def modes_in_force(m):
    """The function modes of a record, innermost last."""
    return [mode for mode in m.functions if mode is not CLASSES]


def asks_modes(fun, name=None):
    """A function, or a method of a name, that asks the modes first and looks at the classes of no arguments."""

    @functools.wraps(fun)
    def made(*args, **kwargs):
        m = MODES.get()
        if m is not None and m.functions:
            return by_mode(known_as(made), args, kwargs)
        return fun(*args, **kwargs)

    if hasattr(fun, "ahead"):
        made = fun.ahead(made)
    if name is not None:
        made.__name__, made.__qualname__ = name, f"Tensor.{name}"
    return made


def operator_asks_modes(fun, name):
    """`asks_modes` for an operator of two operands."""

    @functools.wraps(fun)
    def made(self, other):
        m = MODES.get()
        if m is not None and m.functions:
            return by_mode(made, (self, other), {})
        return fun(self, other)

    made.__name__, made.__qualname__ = name, f"Tensor.{name}"
    return made


def given(**named):
    """The named arguments that are not None."""
    return {name: v for name, v in named.items() if v is not None}


class Attribute(property):
    """A property that may be told its name, as those of Python 3.13 may."""


# From 3.12 on the interpreter remembers what a property calls until its class changes, which it may do 1,000 times.
REMEMBERS = sys.version_info >= (3, 12)
ATTRIBUTES = {}  # name -> the property, what it calls while there is no mode, and while there is one
_LOCK = threading.Lock()
_entered = 0


def attribute(name, fget, fset=None, fdel=None, doc=None):
    """Make an attribute of Tensor that function modes are told of as `Tensor.name.__get__`.

    An attribute is read in 0.04 us, and asking takes as long: so what a property calls is changed when the first mode
    is entered, in whichever thread, and put back when the last one is left, but where the interpreter remembers it. It
    stays the same object, by which modes know it.
    """
    funs = fget, fset, fdel
    made = property(*funs, doc) if REMEMBERS else Attribute(*funs, doc)
    if not REMEMBERS:
        made.__name__, made.__doc__ = name, doc
    setattr(Tensor, name, made)
    asking = [fun and asking_for(made, fun, word) for fun, word in zip(funs, _WORDS)]
    ATTRIBUTES[name] = made, (*funs, doc), (*asking, doc)


def begin_telling():
    """A mode is entered."""
    global _entered
    with _LOCK:
        _entered += 1
        if _entered == 1:
            for name, (made, _, asking) in ATTRIBUTES.items():
                made.__init__(*asking)
                if REMEMBERS:
                    setattr(Tensor, name, made)  # so that it is looked up again


def end_telling():
    """A mode is left."""
    global _entered
    if REMEMBERS:
        return
    with _LOCK:
        _entered -= 1
        if not _entered:
            for made, usual, _ in ATTRIBUTES.values():
                made.__init__(*usual)


def _unlocked():
    """In a forked process the thread that may have held the lock is gone."""
    global _LOCK
    _LOCK = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlocked)


_WORDS = "__get__", "__set__", "__delete__"


def asking_for(made, fun, word):
    """A getter or setter of a property that asks the active modes first."""

    def asked(*args):
        m = MODES.get()
        if m is not None and m.functions:
            return by_mode(getattr(made, word), args, {})
        return fun(*args)

    asked.__name__ = asked.__qualname__ = made.fget.__name__
    return asked
