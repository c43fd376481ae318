"""Lower loops and branches: carries in memory, small arrays as values inside."""

import numpy as np

from ....core.ops.indexing.indexing import getitem
from ...graph.equations import Var
from ..loops.statements import KINDS, Branch, Counter, Loop, Memory, Place, Store, While
from ..loops.symbols import arranged

ndarray = np.ndarray
ENDLESS = 1e9  # the work of a loop that may have no end: other threads run beside it
_TURNS = 16  # of a loop of unknown length, for an estimate


def scan(writer, eq):
    """A loop over rows that carries values and collects others."""
    body, consts, n, steps, reverse = eq.params
    graph = body.graph
    for v, given in zip(graph.inputs, eq.inputs[:consts]):
        writer.values[v] = _outside(writer, given)
    states = graph.inputs[consts : consts + n]
    cells = [_cell(writer, v, given) for v, given in zip(states, eq.inputs[consts:])]
    rows = [_rows(writer, given) for given in eq.inputs[consts + n :]]
    made = {v: inner for inner in graph.equations for v in inner.outputs}
    collected = [_Collected(writer, *pair, graph.inputs, made) for pair in zip(eq.outputs[n:], graph.outputs[n:])]
    counter = Counter()

    def write():
        _begin(writer, states, cells)
        _carry(writer, cells, graph)
        for v, row in zip(graph.inputs[consts + n :], rows):
            row = row[0] if type(row) is ndarray else row.row(counter)
            writer.values[v] = row if type(row) in (ndarray, Place) else arranged(row)
        for one in collected:
            one.begin(writer, counter)
        late = [one for one in collected if not one.known]  # the others were copied before the state is written over
        writer.block(graph.equations, [*graph.outputs[:n], *[one.source for one in late]])
        for one in late:
            writer.copy(one.source, one.place.row(counter))
        _go_on(writer, graph.outputs[:n], cells)

    writer.add(Loop(counter, steps, reverse, writer.inside(write, steps)))
    writer.values.update(zip(eq.outputs, [*cells, *[one.seen for one in collected]]))


def while_loop(writer, eq):
    """A loop that carries values while a test holds."""
    test, body, consts = eq.params
    heads = [_outside(writer, given) for given in eq.inputs[:consts]]
    cells = [_cell(writer, v, given) for v, given in zip(eq.outputs, eq.inputs[consts:])]
    flag = Place(Memory("b8", 1, "cell"), ())
    writer.work += ENDLESS  # the lock is released, so that a loop without end can be interrupted

    def write(graph, turn):
        writer.values.update(zip(graph.inputs, heads))
        _begin(writer, graph.inputs[consts:], cells)
        if turn:  # the test carries nothing, and leaves the states as they are
            _carry(writer, cells, graph)
        writer.block(graph.equations, graph.outputs)
        if turn:
            _go_on(writer, graph.outputs, cells)
        else:
            writer.copy(graph.outputs[0], flag)

    first = writer.inside(lambda: write(test.graph, False), _TURNS)
    then = writer.inside(lambda: write(body.graph, True), _TURNS)
    writer.add(While(first, flag, then))
    writer.values.update(zip(eq.outputs, cells))


def branch(writer, eq):
    """One of two bodies."""
    pred, *given = eq.inputs
    operands = [_outside(writer, v) for v in given]
    flag = Place(Memory("b8", 1, "cell"), ())
    writer.add(Store([writer.held(pred)[()]], flag))  # a place: launches of a device share no values
    results = [writer.new(v.aval.shape, _kind(v)) for v in eq.outputs]  # one memory that both sides write

    def write(graph):
        writer.values.update(zip(graph.inputs, operands))
        writer.block(graph.equations, graph.outputs)
        for v, place in zip(graph.outputs, results):
            writer.copy(v, place)

    yes, no = [writer.inside(lambda body=body: write(body.graph)) for body in eq.bodies()]
    writer.add(Branch(flag, yes, no))
    writer.values.update(zip(eq.outputs, results))


def _outside(writer, v):
    """A value that a body reads, written before it: small arrays are loaded once."""
    if writer.few(v.aval):
        return writer.held(v)
    found = writer.value(v)
    # One value for all needs no memory.
    return found if type(found) is Place or not any(found.strides) else writer.place(v)


def _cell(writer, v, given):
    """Memory for what is carried, with what it starts from."""
    place = writer.new(v.aval.shape, _kind(v))
    if writer.few(v.aval):
        found = writer.held(given)
        writer.copy(arranged(writer.cast(list(found.reshape(-1)), place.kind), found.shape), place)
    else:
        writer.copy(given, place)
    return place


def _rows(writer, v):
    """The rows that a loop reads: a Place, or one value for all."""
    found = writer.value(v)
    if type(found) is ndarray and any(found.strides[:1]):
        return writer.place(v)
    return found


class _Collected:
    """The place where a loop collects a variable: where it is made, or of nearly all of that, all of it."""

    def __init__(self, writer, out, v, given, made):
        eq = made.get(v)
        self.source = v
        if (eq is not None and eq.prim is getitem.prim and type(eq.inputs[0]) is Var and out not in writer.targets
                and 4 * v.aval.size >= 3 * eq.inputs[0].aval.size and not writer.few(v.aval)):
            self.source = eq.inputs[0]
        self.known = self.source in given
        if self.source is v:
            self.place = self.seen = writer.result(out)
            return
        index = eq.params[0] if type(eq.params[0]) is tuple else (eq.params[0],)
        self.place = writer.new((out.aval.shape[0], *self.source.aval.shape), KINDS[v.aval.dtype])
        self.seen = self.place.seen(lambda a: a[(slice(None), *index)])

    def begin(self, writer, counter):
        """Let the body write it here; what it is given may be written over."""
        if self.known:
            writer.copy(self.source, self.place.row(counter))
        else:
            writer.targets.setdefault(self.source, self.place.row(counter))  # written where it is collected


def _begin(writer, states, cells):
    for v, cell in zip(states, cells):
        writer.values[v] = writer.loaded(cell) if writer.few(v.aval) else cell


def _carry(writer, cells, graph):
    """Let a body compute what it carries on where the next turn finds it."""
    made = {v: eq for eq in graph.equations for v in eq.outputs}
    for cell, out in zip(cells, graph.outputs):
        writer.local.add(cell.memory)  # the body may write to it what the next turn is given
        writer.carried[out] = cell
        while out in made and made[out].prim.updates:  # of rows: in place
            out = made[out].inputs[0]
            writer.carried[out] = cell


def _go_on(writer, outputs, cells):
    """Store what is carried to the next turn: first what lies where another is to be stored."""
    memories = [cell.memory for cell in cells]
    found = []
    for v, cell in zip(outputs, cells):
        value = writer.value(v)
        if type(value) is Place and value.memory in memories and value.memory is not cell.memory:
            value = writer.copied(value)
        found.append(value)
    for value, cell in zip(found, cells):
        if type(value) is Place and value.memory is cell.memory and (value.offset, value.strides) != (
                cell.offset, cell.strides):
            value = writer.copied(value)  # its own elements in another order
        writer.copy(value, cell)


def _kind(v):
    return KINDS[v.aval.dtype]
