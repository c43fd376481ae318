"""Buffer reuse: write results over dead values, or directly into parts of another array."""

from types import SimpleNamespace

from ...graph.equations import Equation, Literal, Var
from ..loops.statements import KINDS, Place, is_compact


def want(writer, v, place):
    """Let the nest that makes a variable, if it waits, write it to a place."""
    if v in writer.owner and v not in writer.targets:  # one that has a target is wanted twice: the second one is a copy
        writer.targets[v] = place


def add_zero_into(writer, eq, v, place):
    """Let the nest that makes `v`, if it waits, write `v + 0` to a place in stead of `eq`; the sum, or None."""
    group = writer.owner.get(v)
    if group is None or v not in group.made:
        return None
    total = Var(v.aval)
    reader = SimpleNamespace(outputs=[total])
    writer.finished.add(id(reader))
    # Else `v` is stored for `eq`, which reads it no more.
    writer.uses[v] = [reader if other is eq else other for other in writer.uses[v]]
    writer.targets[total] = place
    writer.step("add", KINDS[v.aval.dtype], total, [v, Literal(0.0)])
    return total


def claim_cell(writer, out, nest):
    """Make the cell of what a loop carries the target of `out`, which a nest computes, where nothing reads it after.

    The nest itself may read an element where it writes the same one.
    """
    cell = writer.carried.get(out)
    if cell is None or out in writer.targets:  # nothing carries it, or it leaves the program as well
        return
    if any(p.memory is cell.memory and (p.offset, p.strides) != (cell.offset, cell.strides) for _, p in nest.loads):
        return
    old = _lying_in(writer, cell.memory)  # the state of this turn, under all its names
    if any(eq is None or id(eq) not in writer.finished for w in old for eq in writer.uses.get(w, ())):
        return
    for group in (*writer.groups.values(), *writer.flushed):
        read = [v for step in group.steps for v in step[3]] + [fold[1] for fold in group.folds]
        if not old.isdisjoint(writer.rematerialized.behind(read)):
            return
    del writer.carried[out]  # the cell is taken: another step would write over it
    writer.targets[out] = cell


def written_under(writer, v, readers):
    """The place of an output that is made of `v`, element by element, by the one that reads it; None of no such one."""
    if not writer.cached or v in writer.targets or len(readers) != 1 or type(readers[0]) is not Equation or (
            type(writer.known.get(readers[0])) is not list):
        return None
    place = writer.targets.get(readers[0].outputs[0])
    if place is None or place.memory.role != "output" or place.shape != v.aval.shape or (
            place.size != place.memory.size or place.kind != KINDS[v.aval.dtype]):
        return None
    return place if id(readers[0]) not in writer.apart and v not in writer.columns.parents else None


def written_over(writer, v, eq):
    """The place of an equation's result that begins as `v`: where that lies, if it is not read again, or a copy."""
    out = eq.outputs[0]
    place = _spent(writer, v, eq) if out not in writer.targets and v.aval == out.aval else None
    if place is None:
        writer.settle(v)
        place = writer.result(out)
        writer.copy(v, place)
    writer.values[out] = place
    return place


def _spent(writer, v, last):
    """The Place of a variable whose memory nothing reads after the equation `last`, and that reads it as `v`."""
    found = writer.value(v)
    if type(found) is not Place or found.memory not in writer.local or found.moving or not (
            found.size == found.memory.size and is_compact(found)):
        return None
    # A later reader takes the stored values from there.
    if any(place.memory is found.memory for place in writer.spilled.values()):
        return None
    for group in list(writer.groups.values()):  # what waits may read it
        writer.flush(group)
    for w in _lying_in(writer, found.memory):
        for eq in writer.uses.get(w, ()):
            if eq is None or id(eq) not in writer.finished and not (eq is last and w is v):
                return None
    return found


def _lying_in(writer, memory):
    """The variables whose elements lie in a memory, those that are columns of others and these."""
    found = {w for w, place in writer.values.items() if type(place) is Place and place.memory is memory}
    return found.union(*[writer.columns.parents.get(w, ()) for w in found])
