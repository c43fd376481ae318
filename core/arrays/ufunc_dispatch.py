"""Elementwise operations on small arrays: what lanes call at first is NumPy's, later a native form where there is one.

A call of a ufunc on a few numbers is mostly what NumPy does around its loop. Where native code is to be had
(transforms/compile/call/kernels.py), lanes that were handed a ufunc or an operator call a form of it that does without:
after `LATER` operations of the process, which pay for loading it. A backward pass, and a program that was written,
count as `MANY` operations.
"""

import operator
import os
import threading

import numpy as np

from ..types import Any
from . import small_ufuncs
from .compilers import KERNELS

LATER, MANY = 8192, 64  # operations
MOST = 4096  # elements of a result
OPERATORS = {operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.divide,
             operator.neg: np.negative, operator.mod: np.remainder, operator.floordiv: np.floor_divide}
LARGE = {}  # ufunc -> `make(instead)`: what a native form calls on large arrays; core/primitive/families.py
_NAMES = ("op", "ufunc")  # of variables of lanes


def small(op, ufunc=None, quiet=False):
    """`op`, computed by its loop at once where it is a ufunc or an operator, and its arguments are small arrays.

    Args:
        op: a function of one or two arrays.
        ufunc: the ufunc that it comes to, where it is something else.
        quiet: nobody asks for NumPy's warnings; or what makes of a function one that gives none.
    """
    found = ufunc or OPERATORS.get(op, op)
    instead = LARGE[found](op) if found in LARGE else op
    if callable(quiet):
        instead = quiet(instead)
    return small_ufuncs.small(found, instead, bool(quiet)) if type(found) is np.ufunc else instead


def small_names(room, names, quiet=False):
    for name in names:
        room[name] = small(room[name], quiet=quiet)


def with_small_calls(lane, quiet=False, ufunc=None):
    return lane


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
        self.calls = 0
        self.small: Any = None
        self.made = {}
        self.lock = threading.RLock()

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

        def run(*args):
            self.count(1)
            return instead(*args)

        return run

    def count(self, operations):
        """Note that operations ran; it is decided after some."""
        self.calls += operations
        if self.waiting is not None and self.calls >= LATER:
            self.decide()

    def decide(self):
        """Give waiting variables their native functions, if there are any."""
        with self.lock:
            if self.waiting is None:
                return
            small = KERNELS["ufuncs"]() if KERNELS else None
            waiting, self.waiting, self.small = self.waiting, None, small
            for cell, _, before in waiting:
                cell.cell_contents = before
            for cell, make, _ in waiting:
                self.fill(cell, make)

    def form(self, small, ufunc, instead, quiet):
        """The native form of a ufunc, None where it has none."""
        key = ufunc, instead, quiet
        if key not in self.made:
            self.made[key] = small.ufunc(ufunc, LARGE[ufunc](instead) if ufunc in LARGE else instead, quiet)
        return self.made[key]


FORMS = _Forms()


def _after_fork():
    """A thread that does not exist in a child may have held the lock."""
    FORMS.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def small_item(room, name, make, counts=False):
    """Let an item of a dict be `make(small)` once there is a `Small`; until then it `counts` calls, or stays."""
    FORMS.follow(_Item(room, name), make, _nothing if counts else room[name])


def with_native(lane, variable, make, counts=False):
    """`lane`, whose variable is None, or `make(small)` once there is a `Small` (compile/call/small_ufuncs.py).

    Args:
        counts: whether nothing else that the lane calls at first counts it as an operation.
    """
    cell = lane.__closure__[lane.__code__.co_freevars.index(variable)]
    FORMS.follow(cell, make, _nothing if counts else None)
    return lane


def _nothing(*args):
    """What stands for a native function that gives None for what it does not take: an operation is counted."""
    FORMS.count(1)

