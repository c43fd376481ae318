"""Partial evaluation of a derivative: split its graph into a forward and a backward half."""

from ..graph.equations import Equation, Var
from .graph import part_of


def partition(forward, back, count, late, free=None):
    """Split a derivative into `(forward, back, residuals)`: what the backward half alone needs is computed there.

    Args:
        forward: its outputs from `count` on are what `back` captured, whose last inputs stand for them.
        back: a graph of cotangents.
        late: the equations of `forward` that were written down on the way back: they move there.
        free: variables that take no memory to keep. Where given, other equations move, too, if that keeps less.
    Returns:
        the forward half, with the residuals behind its `count` outputs; the backward half, a graph of cotangents and
        residuals; and the residuals: inputs or other variables of the forward half.
    """
    residuals = set(forward.outputs[count:])
    needed = {v for v in forward.outputs[:count] if type(v) is Var}
    stay, move = [], []
    # Backwards, so that the readers of an equation are decided before it is: it may move only if all of them did.
    for eq in reversed(forward.equations):
        given = {v for v in eq.inputs if type(v) is Var}
        if eq in late or free is not None and not eq.acts and needed.isdisjoint(eq.outputs) and _size(
                given - residuals - free) <= _size(residuals.intersection(eq.outputs)):
            move.append(eq)
            residuals.difference_update(eq.outputs)
            residuals |= given
        else:
            stay.append(eq)
            needed |= given
    cts = back.inputs[: len(back.inputs) - len(back.captured)]
    kept = [v for v in (*forward.inputs, *[v for eq in stay[::-1] for v in eq.outputs]) if v in residuals]
    same = dict(zip(back.inputs[len(cts) :], forward.outputs[count:]))
    renamed = [Equation(eq.prim, [same.get(v, v) for v in eq.inputs], eq.params, eq.outputs, eq.quiet, eq.place)
               for eq in back.equations]
    return (part_of(forward, forward.inputs, stay[::-1], [*forward.outputs[:count], *kept]),
            part_of(back, [*cts, *kept], interleaved(move[::-1], renamed), [same.get(v, v) for v in back.outputs]),
            kept)


def _size(variables):
    return sum(v.aval.size for v in variables)


def interleaved(first, then):
    """Interleave two lists of equations in their order, those of the first as late as the second allows.

    What is recomputed for one of these is then dropped before more is.
    """
    place = {v: k for k, eq in enumerate(first, 1) for v in eq.outputs}
    out, done = [], 0
    for eq in then:
        # Recompute just in time: all at once would hold every recomputed value through the whole backward half.
        upto = max([done, *[place.get(v, 0) for v in eq.inputs]])
        out += [*first[done:upto], eq]
        done = upto
    return [*out, *first[done:]]
