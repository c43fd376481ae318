"""Native forms of lanes and calls: what they need of tensors, nodes, modes and rules, where there is native code."""

import functools
import sys

import numpy as np

from ..... import _engine
from ....._engine import Ambient
from ..graph import versions
from ..graph.node import GradNode
from ..modes.modes import DEFAULT
from ..types.tensor_type import Tensor, new
from . import sources
from .sources import BEHIND, Text
from .things import DECLINED as DECLINED, HELD, STRINGS

_OBJECTS = _engine.LazyModule("covector.compat.torch._impl.native.objects")
_TRACES = _engine.LazyModule("covector.compat.torch._impl.native.traces")
_SLOTS = ((new(Tensor), ("value", "node", "autograd_meta", "level_trace", "wants_grad", "dispatch_key")),
          (GradNode(), ("rule", "parents", "saved", "seq", "extra")), (
              versions.Written.__new__(versions.Written), ("count", "stamps")), (
                  DEFAULT.but(), ("still", "inference", "packing", "mapped", "without", "quick", "lower")))


def with_quick_write(lane, prim, ufunc, rules, needs, things):
    """`lane`, a method that writes in place, with a variable `quick`: that becomes a function of the tensor and the
    other operand, which gives the tensor, or None where it wrote nothing.

    Args:
        rules: those of the left, the right and both.
        needs: for each, whether it saves the contents before or after.
        things: what else stands behind the places of traces.py.
    """
    if type(ufunc) is not np.ufunc or prim.params:
        return lane
    return _engine.with_native(lane, "quick", lambda small: _quick_write(small, prim, ufunc, rules, needs, things))


def _quick_write(small, prim, ufunc, rules, needs, things):
    places = small.places(ufunc, None, True)
    if places is None:
        return None
    behind = {name: id(thing) for name, thing in things.items()}
    for name, rule in zip(("left", "right", "both"), rules):
        behind |= {name: id(rule), f"{name}_saves": _saves(prim, rule)}
    left, right, both = needs
    behind["needs"] = left * _TRACES.LEFT + right * _TRACES.RIGHT + both * _TRACES.BOTH
    return _function(small, "quick_update", places, {name: behind[name] for name in BEHIND["traces"]},
                     [ufunc, rules, things])


def function(small, symbol):
    """A native function of calls.py or makers.py; None where there is none."""
    return _function(small, symbol, {}, {}, [])


def view_function(small, symbol, things):
    """A native function of index_lanes.py or shape_lanes.py; `things` are what stands behind the places, by name."""
    return _function(small, symbol, {}, {name: id(things[name]) for name in BEHIND["views"]}, [things])


def put_function(small, things):
    """The native function of index_writes.py."""
    return _function(small, "quick_put", {}, {name: id(things[name]) for name in BEHIND["index_writes"]}, [things])


def rewriting_function(small, symbol, keepers):
    """A native function of rewriting.py."""
    return _function(small, symbol, {}, {"KEEPERS": id(keepers)}, [keepers])


def _function(small, symbol, places, behind, kept):
    """A function of the one module that all of compat's native code is; None where that is not to be had.

    Args:
        places: what stands at the table's first places; those that are not named hold what all share.
        behind: what stands behind its named places.
    """
    text = _text(small)
    if text is None:
        return None
    known = {**small.known, **{name: id(thing) for name, thing in HELD.items()},
             **{f"'{text}'": id(sys.intern(text)) for text in STRINGS}, **small.shared, **places}
    return small.function(text, symbol, {name: known.get(name, 0) for name in text.places} | behind, [*kept, HELD])


def _saves(prim, rule):
    """What a rule saves, as native code reads it."""
    if rule.collect is None:
        return 0
    names = _OBJECTS
    record = (names.X, names.OUTPUT, names.X_AVAL) if len(prim.operands) == 1 else (
        names.X, names.Y, names.OUTPUT, names.X_AVAL, names.Y_AVAL)
    found = rule.collect(record)
    return sum(what << 4 * k for k, what in enumerate(found if type(found) is tuple else (found,)))


@functools.cache
def _text(small):
    """The module's `Text`; None where slots are elsewhere than is known, or sources are not there."""
    at = _offsets(small)
    if at is None:
        return None
    text = Text(small, at, sources.places((*_engine.native_text.PLACES, *small.known)))
    return None if text.about is None else text


def _offsets(small):
    """`{name: bytes}` where the slots of tensors, nodes and modes are; None where that is not known."""
    found = {name: small.offset(example, name) for example, names in _SLOTS for name in names}
    found |= {f"boxed {name}": small.offset(Ambient(), name) for name in ("owner", "value", "node", "aval", "tangent")}
    return None if None in found.values() else found
