"""Running a function at a level of its own: arguments lifted, results brought one level down."""

import contextlib

import optree

from ..levels import GradTrace
from ..modes import modes, restore, set_modes
from ..state import TensorBase, at_level

none = {"none_is_leaf": True}


def flatten(tree):
    """Leaves and structure of a container of tensors."""
    return optree.tree_flatten(tree, none_is_leaf=True)


def tree_map(fn, tree):
    """`fn` of every leaf."""
    return optree.tree_map(fn, tree, none_is_leaf=True)


@contextlib.contextmanager
def grad_level():
    """A fresh level of the compat tape, recording; it is done when the context ends."""
    trace = GradTrace(ambient=False)
    m = modes()
    before = set_modes(level=trace, lower=((m.level, m.grad), *m.lower), grad=True)
    try:
        yield trace
    finally:
        restore(before)
        trace.done = True


def lifted(trace, x, requires=False):
    """A tensor as a value of a level; what is no tensor stays."""
    if not isinstance(x, TensorBase):
        return x
    t = at_level(trace, x)
    t.requires = requires
    return t


def lowered(trace, x):
    """A tensor one level down from `trace`; others stay."""
    while isinstance(x, TensorBase) and x.trace is trace:
        x = x.value
    return x
