"""Elementwise kernels over arrays of any size: one native function, called block by block or row by row."""

from ....core.primitive.kernels import SHORT
from ...graph.equations import Draft
from ..loops.define import ANY
from ..loops.statements import KINDS, Call, Memory, Place
from ..lower.lowerings import is_native
from ..lower.writer import Writer
from .loop_function import loop_function

BLOCK = 2048  # elements
ROW = 4093  # elements that a row has in a graph: a number that no other axis has by chance
_RELEASED = 2e5  # operations above which other threads may run
_MOST = 1 << 16  # bytes of scratch memory on the stack
_RANKS = {"array": ANY, "row": 2, "number": 1, "vector": 1}


class _Writer(Writer):
    """Writes nests that may take elements twice, where rows end: nothing lies where something else was."""

    cached = False


def flat_function(graph, kinds, short=False):
    """A function of arrays of one shape and of floats, as `graph` has it for a part of them, and runs it for each part.

    It gives None where arrays are not of one shape, in order in memory and of the right dtype, where NumPy's error
    state is one that native code cannot do, and where its result is not finite. None if there is no native form.

    Args:
        graph: a `Graph` or `Draft`.
        kinds: what each input is: "array", of `BLOCK` elements in the graph; a "row" of a matrix, of `ROW` elements;
            the "number" of a row, of which the operand has a vector; a "vector" as long as a row, the same for all; a
            "float". The first is an array or a row.
        short: rows have at most `SHORT` elements; they have more otherwise.
    """
    noted = {}
    if not all(is_native(eq, noted) for eq in graph.equations):
        return None
    kernel = _Writer(Draft(graph.inputs, graph.equations, graph.outputs), noted).kernel
    if kernel.scratch > _MOST and kinds[0] == "array":  # blocks have theirs on the stack
        return None
    rows, avals = kinds[0] == "row", [v.aval for v in graph.outputs]

    def define(body, *given):
        count, *rest = given[0].shape
        body.require(count >= (1 if rows else BLOCK))
        for length in rest:
            body.require(length > (0 if short else SHORT), *[length <= SHORT] * short)
        sizes = {"row": (count, *rest), "number": (count,), "vector": rest, "array": (), "float": ()}
        body.require(*[n.equals(m) for x, kind in zip(given[1:], kinds[1:]) if kind != "float"
                       for n, m in zip(x.shape, sizes[kind])])
        outs = [body.output(KINDS[aval.dtype], [count, *rest] if aval.ndim else [count]) for aval in avals]
        body.elements, extents = count, []
        scratch = Place(Memory("b8", kernel.scratch, "cell"), ()) if kernel.scratch else None
        for length in rest:
            body.elements, times = count * length, body.run("floor_divide", length + (ROW - 1), ROW)
            extents = [length.value, times.value]
            scratch = body.scratch("b8", [times * kernel.scratch]).at(0) if kernel.scratch else None
        alarm, found = body.cell(0.0, "f64"), body.cell(0.0, "f64")  # of a part, and of all: one is enough
        fixed = [body.cell(x, "f64").place if kind == "float" else x.at(0) if kind == "vector" else None
                 for x, kind in zip(given, kinds)]
        for i in body.range(count, step=1 if rows else BLOCK):
            # The last block ends with the last element, so it may compute some again: to the same values.
            at = i if rows else body.minimum(i, count - BLOCK)
            places = [place or x.at(at, *[0] * (len(x.shape) - 1)) for place, x in zip(
                [*fixed, *[None] * len(outs)], [*given, *outs])]
            body.statements.append(Call(kernel, [*places, alarm.place], scratch, ROW if rows else None, extents, short))
            found.add(alarm.get())
        body.refuse(found.get().differs(0.0))

    part = ROW if rows else BLOCK
    return loop_function(
        define, [float if kind == "float" else (v.aval.dtype, _RANKS[kind]) for v, kind in zip(graph.inputs, kinds)],
        released=int(_RELEASED * part / max(kernel.work, part)), scalar=False)
