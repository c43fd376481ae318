"""Native forms of the commonest lanes: what they need of tensors, nodes, modes and rules, where there is native code."""

import numpy as np

from ..... import _engine, extend
from ..graph.node import GradNode
from ..modes.modes import DEFAULT, MODES
from ..state.edges import accumulator
from ..types.number_cache import CONSTS, FLOATS
from ..types.parameter import Parameter
from ..types.tensor_type import FAST, INFERENCE, INFERRED, Tensor, new

_TEXT = _engine.LazyModule("covector.compat.torch._impl.fastpath.quick_text")
_SLOTS = ((new(Tensor), ("value", "node", "autograd_meta", "level_trace", "wants_grad", "dispatch_key")),
          (GradNode(), ("rule", "parents", "saved", "seq", "extra")), (DEFAULT.but(), ("still", "inference")))
_OBJECTS = {"None": None, "True": True, "False": False, "int": int, "Tensor": Tensor, "Parameter": Parameter,
            "GradNode": GradNode, "MODES": MODES, "FAST": FAST, "INFERENCE": INFERENCE, "INFERRED": INFERRED,
            "accumulator": accumulator, "next_seq": _engine.next_seq, "aval_of": extend.aval_of,
            "numbers of doubles": CONSTS[FLOATS[0]], "numbers of singles": CONSTS[FLOATS[1]]}


def with_quick(lane, prim, ufunc, rules):
    """`lane`, a function with a variable `quick`: that becomes a function of its operands, which gives None, or what
    the lane gives.

    Args:
        rules: for one operand its rule; for two those of the left, the right and both, where their shapes are the same,
            and where they are broadcast for each of these three those where the left, the right and both are.
    """
    if type(ufunc) is not np.ufunc or prim.params:
        return lane
    return _engine.with_native(lane, "quick", lambda small: _quick(small, prim, ufunc, rules))


def _quick(small, prim, ufunc, rules):
    """The native form of a lane; None where it has none."""
    places = small.places(ufunc, None, True)
    offsets = _offsets(small)
    if places is None or offsets is None:
        return None
    text = _TEXT.text(offsets, small.arrays)
    if small.code(text) is None:
        return None
    found = {**places, **{name: id(thing) for name, thing in _OBJECTS.items()}}
    for place in _TEXT.PLACES:
        found.setdefault(place, small.known.get(place))
    for k, rule in enumerate(rules):
        found |= {f"rule {k}": id(rule), f"saves {k}": _saves(prim, rule)}
    order = [*_TEXT.PLACES, *[name for k in range(len(rules)) for name in (f"rule {k}", f"saves {k}")]]
    return small.function(text, "quick_one" if ufunc.nin == 1 else "quick_two", {name: found[name] for name in order},
                          [ufunc, *rules, _OBJECTS])


def _saves(prim, rule):
    """What a rule saves, as native code reads it."""
    if rule.collect is None:
        return 0
    names = _TEXT
    record = (names.X, names.ANSWER, names.X_AVAL) if len(prim.operands) == 1 else (
        names.X, names.Y, names.ANSWER, names.X_AVAL, names.Y_AVAL)
    found = rule.collect(record)
    return sum(what << 4 * k for k, what in enumerate(found if type(found) is tuple else (found,)))


def _offsets(small):
    """`{name: bytes}` where the slots of tensors, nodes and modes are; None where that is not known."""
    found = {name: small.offset(example, name) for example, names in _SLOTS for name in names}
    return None if None in found.values() else found
