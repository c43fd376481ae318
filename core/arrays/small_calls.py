"""Elementwise operations on small arrays: what lanes call at first is NumPy's, later a native form where there is one.

A call of a ufunc on a few numbers is mostly what NumPy does around its loop. Where native code is to be had
(transforms/jit/kernels.py), lanes that were handed a ufunc or an operator call a form of it that does without: after
`SOON` operations of the process if its code is in the cache, after `LATER` ones, which pay for compiling it, if not.
"""

import functools
import itertools
import operator
import threading

import numpy as np

from ..types import Any

SOON, LATER = 256, 8192  # operations
MAKERS = []  # `make(compiles)`: a `Small`; None if there is none, False if it were to be compiled
OPERATORS = {operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.divide,
             operator.neg: np.negative}
_NAMES = ("op", "ufunc")  # of variables of lanes


class _Item:
    """An item of a dict as a variable."""

    __slots__ = ("room", "name")

    def __init__(self, room, name):
        self.room = room
        self.name = name

    @property
    def cell_contents(self):
        return self.room[self.name]

    @cell_contents.setter
    def cell_contents(self, value):
        self.room[self.name] = value


class _Forms:
    """What is decided later: the variables of lanes that are to hold native functions, if there are any."""

    def __init__(self):
        self.waiting: Any = []  # (variable, what makes its content of a `Small`); None once it is decided
        self.calls = itertools.count(1)
        self.small: Any = None
        self.made = {}
        self.lock = threading.Lock()

    def follow(self, cell, make, meanwhile):
        """Let a variable hold `make(small)` from the decision on, if that is something; `meanwhile` until then."""
        with self.lock:
            if self.waiting is None:
                self.fill(cell, make)
            else:
                self.waiting.append((cell, make, cell.cell_contents))
                cell.cell_contents = meanwhile

    def fill(self, cell, make):
        found = None if self.small is None else make(self.small)
        if found is not None:
            cell.cell_contents = found

    def counted(self, instead):
        """What a lane calls at first."""
        count = self.calls.__next__

        def run(*args):
            n = count()
            if n == SOON or n == LATER:
                self.decide(n == LATER)
            return instead(*args)

        return run

    def decide(self, compiles):
        with self.lock:
            small = MAKERS[0](compiles) if MAKERS else None
            if small is False or self.waiting is None:
                return
            waiting, self.waiting, self.small = self.waiting, None, small
            for cell, make, before in waiting:
                cell.cell_contents = before
                self.fill(cell, make)

    def form(self, small, ufunc, instead, quiet):
        """The native form of a ufunc, None where it has none."""
        key = ufunc, instead, quiet
        if key not in self.made:
            self.made[key] = small.ufunc(ufunc, instead, quiet)
        return self.made[key]


_FORMS = _Forms()


def with_small_calls(lane, quiet=False, ufunc=None):
    """`lane`, whose variable `op` or `ufunc` may become a native form of what it holds.

    Args:
        lane: a function.
        quiet: it asks for none of NumPy's warnings, and takes an array without axes for a scalar.
        ufunc: what the variable computes with, where that is no ufunc and no operator.
    """
    for name, cell in zip(lane.__code__.co_freevars, lane.__closure__ or ()):
        if name in _NAMES:
            instead = cell.cell_contents
            found = ufunc or OPERATORS.get(instead, instead)
            if type(found) is np.ufunc:
                _FORMS.follow(cell, functools.partial(_FORMS.form, ufunc=found, instead=instead, quiet=quiet),
                              _FORMS.counted(instead))
    return lane


def small_names(room, names, quiet=False):
    """Let names of a module, or of a text that is run, stand for native forms of what they stand for.

    Args:
        room: a dict; its items `names` are ufuncs or operators.
        quiet: see `with_small_calls`.
    """
    for name in names:
        instead = room[name]
        found = OPERATORS.get(instead, instead)
        if type(found) is np.ufunc:
            _FORMS.follow(_Item(room, name), functools.partial(_FORMS.form, ufunc=found, instead=instead, quiet=quiet),
                          instead)


def with_native(lane, variable, make):
    """`lane`, whose variable is None, or `make(small)` once there is a `Small` (transforms/native/small.py)."""
    cell = lane.__closure__[lane.__code__.co_freevars.index(variable)]
    _FORMS.follow(cell, make, None)
    return lane
