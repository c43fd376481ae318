"""Gradients of piecewise linear functions, in a sweep that is recorded: they know what they depend on.

Such a gradient does not change with the operand. Its derivative is 0, and in PyTorch a tensor of zeros: a second
derivative of a network of relus is one, not a tensor that was not used.
"""

import functools

import numpy as np

from ..... import extend
from ....._engine import Ambient, Scatter
from ..graph.node_names import NamedRule
from ..graph.recording import noted
from ..graph.undefined import DECLINED
from ..state.levels import AMBIENT
from ..types.arrays import ARRAYS, namespace

ndarray = np.ndarray

# Those of which PyTorch has the zeros; operations that are composed of others say so in their row (`ties`).
PIECEWISE = frozenset("relu leaky_relu absolute hard_tanh hard_shrink soft_shrink threshold max_windows".split())
_CHOICE = extend.REGISTRY["where"]


def _zeros(ct):
    if type(ct) is ndarray:
        return np.zeros(ct.shape, ct.dtype)
    array = extend.unwrap(ct) if isinstance(ct, extend.Tracer) else ct
    return (namespace(array) if type(array) in ARRAYS else np).zeros(ct.shape, ct.dtype)


def _rule(back, title, shows):
    """The rule of what is a value as it is, and depends on another one without changing with it."""
    rule = NamedRule(_CHOICE.rule((1, 2), True), title, shows)
    rule.prim = rule.collect = None
    rule.names = rule.origins = rule.active = ()
    rule.keeps = False
    rule.back = rule.strong = back
    rule.again = lambda node, ct, drive: back(ct, None)
    return rule


@functools.lru_cache(64)
def _rules(name):
    """The rules for a cotangent without a history and for one with, where the operation's node has that name."""
    title = _TITLES.get(name) or name.replace("Backward0", "BackwardBackward0")
    return (_rule(lambda ct, saved: _zeros(ct), title, lambda node: [None, node.parents]),
            _rule(lambda ct, saved: (ct, _zeros(ct)), title, None))


_TITLES = {"ReluBackward0": "ThresholdBackwardBackward0", "AbsBackward0": "MulBackward0"}  # that are not of one form


def is_piecewise(rule):
    """Tell whether a rule is that of a piecewise linear operation."""
    return rule.prim is not None and (rule.prim.name in PIECEWISE or type(rule) is NamedRule and rule.ties)


def tied(out, node, drive):
    """The cotangents of the operands of a piecewise linear operation, as values that depend on the operands, too."""
    if drive.trace is not AMBIENT:
        return out
    if type(node.parents) is tuple:
        return tuple([c if c is None or p is None else _tied(c, p, node) for c, p in zip(out, node.parents)])
    return _tied(out, node.parents, node)


def _tied(out, parent, node):
    history = None
    if type(out) is Scatter:
        out = out.dense()
    elif isinstance(out, np.generic):
        out = np.asarray(out)
    if type(out) in ARRAYS:
        value = out
    elif type(out) is Ambient and out.owner is AMBIENT and out.tangent is None and type(out.value) in ARRAYS:
        value, history = out.value, out.node
    elif isinstance(out, extend.Tracer):  # one of several at once, or one with a tangent
        return _CHOICE.fun(np.True_, out, AMBIENT.box(_zeros(out), extend.aval_of(out), parent))
    else:
        return out
    constant, linear = _rules(node.name())
    made = noted(constant, parent, None) if history is None else noted(linear, (history, parent), None)
    return AMBIENT.box(value, extend.aval_of(value), made)


def tying(again):
    """`again` of the rule of a piecewise linear operation."""
    def run(node, ct, drive):
        out = again(node, ct, drive)
        return DECLINED if out is DECLINED else tied(out, node, drive)

    return run
