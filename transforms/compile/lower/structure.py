"""Legality: the equations that native code supports, as atoms or after expansion."""

from functools import partial
from typing import NamedTuple

from ..loops.kinds import KINDS
from ..machine.error_states import may_be_native
from .elementwise import elementary
from .lowering import lowered, named
from .lowerings import atom_of

_READS = {"context"}  # which ended when rules were asked for
_FEW_STEPS = 1 << 13  # statements of a body, beyond which a loop is left to NumPy


def is_native(eq, known):
    """Tell whether native code has an equation; `known` notes of each what it comes down to, or whether there is a
    rule."""
    found = known.get(eq)
    if found is None:
        found = known[eq] = _looked_at(eq, known)  # bodies are asked about by each pass: noted once
    return found is not False


def _looked_at(eq, known):
    if eq.acts or eq.prim.effects - _READS or not eq.outputs or not may_be_native(eq):  # order and warnings are NumPy's
        return False
    if not all(_fits(v.aval) for v in (*eq.inputs, *eq.outputs)) or any(v.aval.weak for v in eq.outputs):
        return False
    atom = atom_of(eq.prim)
    if atom is not None and atom.fits(eq, partial(_is_body, known=known)):
        return True
    steps = elementary(eq)
    if steps is not None:
        return steps
    several = None if any(v.aval.weak for v in eq.inputs) else lowered(eq, lambda part: True)
    steps = several and named(eq, *several)
    return Expansion(steps) if steps and all(is_native(part, known) for part in steps) else False


class Expansion(NamedTuple):
    """The equations that one comes down to."""

    equations: list


def _fits(aval):
    # Loops have at least one turn: their ends are tested behind.
    return aval.dtype in KINDS and aval.size > 0 and aval.dtype.isnative


def _is_body(graph, known):
    """Tell whether all that a body does is native; its outputs are variables or numbers."""
    if graph is None:
        return False
    avals = [v.aval for v in (*graph.inputs, *graph.outputs)]
    return (all(_fits(a) for a in avals) and not any(v.aval.weak for v in graph.outputs)
            and len(graph.equations) < _FEW_STEPS and all(is_native(eq, known) for eq in graph.equations))


def computes(eq):
    """Tell whether an equation does more than move elements."""
    return not (eq.prim.rearranges or eq.prim.identity)
