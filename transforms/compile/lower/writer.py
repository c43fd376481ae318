"""The lowering pass: small arrays as values, larger ones as places, elementwise equations in fused nests."""

import math
from functools import partial
from math import prod
from types import SimpleNamespace

import numpy as np

from ....core.types import Any
from ...graph.equations import Draft, Literal, Var, without_dead
from ..loops.nests import add_nest, changed, collapsed
from ..loops.operations import CASTS
from ..loops.scratch import place_scratch
from ..loops.statements import (
    FEW,
    KINDS,
    Const,
    Counter,
    Kernel,
    Load,
    Memory,
    Nest,
    Place,
    Ranges,
    Step,
    Store,
    Value,
    cast_constant,
    compact_strides,
    constant,
    is_compact,
    places,
    start_of,
)
from ..loops.symbols import arranged, is_uniform
from ..machine.engine import RANGES
from ..rules.indexing import PARTS, ROWS
from ..rules.products import PRODUCTS
from ..rules.rewrite import may_apply, rewrite, rules
from ..rules.softmax import SOFTMAX
from . import batch_layout
from .collectives import together
from .concat_by_update import nested
from .fused_matvec import fuse_matvecs
from .loop_fusion import Group, reorder_for_fusion, write_group
from .lowerings import Expansion, atom_of, is_native
from .rematerialize import Rematerialized

# Partition large loop nests into parallel ranges, independent of the number of threads.

_LARGE = 2e6  # operations on elements, from which a nest is cut


def in_ranges(writer, nest):
    """Write a nest in ranges; False where it is too small, or adds up too much for each of them."""
    size = prod(nest.shape)
    if writer.repeat != 1 or size * (1 + len(nest.steps)) < _LARGE or any(p.moving for p in places(nest)):
        return False
    nest = collapsed(nest)  # merged axes are longer, and cut more evenly
    found = [(_kept(nest, k), k) for k, n in enumerate(nest.shape) if n >= RANGES]
    if not found or min(found)[0] * RANGES * 8 > size:  # partial sums of each range must be few beside the work
        return False
    _cut(writer, nest, min(found)[1])
    return True


def _kept(nest, axis):
    """The number of elements left by the folds over an axis."""
    return sum(prod([n for n, s in zip(p.shape, p.strides) if s]) for *_, p in nest.folds if not p.strides[axis])


def _cut(writer, nest, axis):
    counter = Counter()
    rows = nest.shape[axis] // RANGES
    whole = rows * RANGES
    shape = (*nest.shape[:axis], rows, *nest.shape[axis + 1 :])

    def part(p):
        return Place(p.memory, shape, p.strides, p.offset, ((counter, rows * p.strides[axis]),))

    folds, parts = [], []
    for name, value, p in nest.folds:
        if p.strides[axis]:
            folds.append((name, value, part(p)))
            continue
        kept = tuple([n if s else 1 for n, s in zip(p.shape, p.strides)])
        each = writer.new((RANGES, *kept), p.kind)
        writer.fill(each, Const(start_of(name, p.kind), p.kind))
        steps = tuple([s if n > 1 else 0 for n, s in zip(kept, compact_strides(kept))])
        folds.append((name, value, Place(each.memory, shape, steps, 0, ((counter, each.strides[0]),))))
        parts.append((name, each, Place(p.memory, each.shape, (0, *p.strides), p.offset)))
    body = Nest(shape, [(v, part(p)) for v, p in nest.loads], nest.steps, [(v, part(p)) for v, p in nest.stores], folds)
    writer.add(Ranges(counter, RANGES, writer.inside(lambda: writer.nest(body), RANGES)))  # which is not cut again
    for name, each, place in parts:
        x = Value(each.kind)
        writer.nest(Nest(each.shape, [(x, each)], [], [], [(name, x, place)]))
    if whole < nest.shape[axis]:
        rest = (*nest.shape[:axis], nest.shape[axis] - whole, *nest.shape[axis + 1 :])
        writer.nest(changed(nest, rest, lambda p: p.laid(rest, p.strides, whole * p.strides[axis])))


# The nonfinite check of a kernel: a last output that is NaN where another holds an infinity or NaN, or where a float
# was cast to an integer dtype that does not hold it, else 0.


class NonfiniteCheck:
    """Looks at the outputs of a writer as they are written, or at the end."""

    def __init__(self, writer, outputs):
        self.memory = Memory("f64", 1, "output", len(outputs))
        self.cells = {"f64": Place(self.memory, ()), "f32": writer.new((), "f32")}
        # A fold has one kind: singles are looked at as singles.
        self.narrow = any(place.kind == "f32" for place in outputs)
        self.watched = set()
        self.seen = {}  # output that is written part by part -> how many of its elements nests looked at
        writer.fill(self.cells["f64"], Const(0.0, "f64"))
        if self.narrow:
            writer.fill(self.cells["f32"], Const(0.0, "f32"))

    def watch(self, nest):
        """Have a nest look at what it stores in outputs, and at what it casts to integers."""
        for step in list(nest.steps):
            for off in _outside(step, lambda *given: nest.steps.append(Step(*given))):
                self._fold(nest, off)
        for value, place in list(nest.stores):
            memory = place.memory
            if memory.role != "output" or place.kind not in self.cells:
                continue
            # Parts of one array, each written once: all must have been looked at.
            if memory in self.seen and place.size < memory.size:
                self.seen[memory] += place.size
                self._look(nest, value)
            if place.size == memory.size:
                self._look(nest, value)
            if place.size == memory.size or self.seen.get(memory) == memory.size:  # the end need not read it again
                self.watched.add(memory)

    def split(self, place):
        """Have the nests look that write the parts of an output, each once."""
        if place.memory.role == "output" and place.size == place.memory.size:
            self.seen[place.memory] = 0

    def end(self, writer, outputs):
        """Look at the outputs that no nest looked at; bring together what was found."""
        for place in outputs:  # those that products or loops wrote
            if place.memory not in self.watched and place.kind in self.cells:
                x = Value(place.kind)
                nest = Nest(place.shape, [(x, place)])
                self._look(nest, x)
                writer.nest(nest)
        if self.narrow:
            one, two, total = writer.loaded(self.cells["f64"])[()], writer.loaded(self.cells["f32"])[()], Value("f64")
            writer.add(Step("add", "f64", [total], [[one], writer.cast([two], "f64")]))
            writer.add(Store([total], self.cells["f64"]))

    def convert(self, writer, step):
        """Look at values that were cast to integers one by one."""
        for off in _outside(step, lambda *given: writer.add(Step(*given))) if step.name in CASTS else ():
            before, total = writer.loaded(self.cells["f64"])[()], Value("f64")
            writer.add(Step("add", "f64", [total], [[before], [off]]))
            writer.add(Store([total], self.cells["f64"]))

    def _look(self, nest, value):
        off = Value(value.kind)
        # 0 of a finite value, else NaN: no branch, and sums of them tell.
        nest.steps.append(Step("subtract", value.kind, [off], [[value], [value]]))
        self._fold(nest, off)

    def _fold(self, nest, off):
        for k, (_, other, place) in enumerate(nest.folds):
            if place.memory is self.cells[off.kind].memory:
                both = Value(off.kind)
                nest.steps.append(Step("add", off.kind, [both], [[other], [off]]))
                # One fold for all stores of a nest: each would be a register and an addition.
                nest.folds[k] = ("add", both, place)
                return
        nest.folds.append(("add", off, self.cells[off.kind].spread(nest.shape)))


def _outside(step, add):
    """Of each float that a step casts to an integer: 0 where that is near it, else NaN; `add` writes further steps."""
    found: list[Value] = []
    for integer, value in zip(step.outs, step.args[0]) if step.name in CASTS else ():
        if integer.kind[0] == "i" and value.kind[0] == "f":
            back, rest, size, near, off = map(Value, (*[value.kind] * 3, "b8", "f64"))
            add("cast", value.kind, [back], [[integer]])
            add("subtract", value.kind, [rest], [[value], [back]])
            add("absolute", value.kind, [size], [[rest]])
            add("less", value.kind, [near], [[size], [Const(1.0, value.kind)]])
            add("where", "f64", [off], [[near], [Const(0.0, "f64")], [Const(math.nan, "f64")]])
            found.append(off)
    return found


ndarray = np.ndarray
_FIRST, _THEN, _LAST = rules(*PRODUCTS), rules(*ROWS), rules(*PARTS)
_OF_CACHED = rules(*PRODUCTS, *SOFTMAX)
_STREAMS = 64  # arrays that a nest reads and gives: of more, a processor holds no address, and LLVM takes long over it
_LONG = 12_000  # values of straight-line code, beyond which arrays of more than one element lie in memory


class Writer:
    """Writes the statements of one kernel.

    Args:
        draft: equations that `is_native` accepts.
        known: `{equation: its steps}` of elementwise ones, as `is_native` noted them.
    """

    nonfinite_check: Any = NonfiniteCheck
    threads = True  # whether large nests are cut in ranges
    eager = False  # whether few nests matter more than few arrays
    library = True  # whether products of larger matrices are calls of BLAS
    cached = True  # whether to take blocks of rows, and to store what took long to compute, saves time

    def __init__(self, draft, known):
        self.known = known
        self.statements = []
        self.values = {}  # variable -> Place, or an object array of Value and Const
        self.groups: dict[Any, Any] = {}  # shape -> the group that waits
        self.owner: dict[Any, Any] = {}  # variable -> the group that it waits in
        self.uses = {}
        self.targets = {}  # variable -> where its elements are wanted
        self.spilled = {}  # variable whose values were stored -> where
        self.read = {}  # variable whose elements were loaded -> the values
        self.local = set()  # memory that the block under work made
        self.carried = {}  # variable that a loop carries on -> where the next turn finds it
        self.apart = {}  # equations that are written column by column, by id
        self.assemblies = {}  # assembly -> the equation of the one that it lies in, and its box there
        self.early = {}  # assembly that has a place before it is written -> that
        self.columns = batch_layout.Columns()
        self.rematerialized = Rematerialized()
        self.flushed = []  # groups that are being written, each for what the one before it reads
        self.around = None  # of a body: the statements before it, and what was copied there for it
        self.finished = set()  # equations that were written, by id
        self.count = 0
        self.work = 0.0
        self.repeat = 1  # how often the statement under work runs: costs are weighed by it
        inputs = [Memory(KINDS[v.aval.dtype], v.aval.size, "input", k) for k, v in enumerate(draft.inputs)]
        outputs = [Memory(KINDS[v.aval.dtype], v.aval.size, "output", k) for k, v in enumerate(draft.outputs)]
        wanted = [Place(m, v.aval.shape) for m, v in zip(outputs, draft.outputs)]
        for v, m in zip(draft.inputs, inputs):
            self.values[v] = Place(m, v.aval.shape)
        for v, place in zip(draft.outputs, wanted):
            # An output that is an input has a place already, and is copied at the end.
            if type(v) is Var and v not in self.values:
                self.targets.setdefault(v, place)  # one that leaves twice is copied for the second time
        self.nonfinite = self.nonfinite_check(self, wanted)
        outputs.append(self.nonfinite.memory)
        self.block(draft.equations, draft.outputs)
        for v, place in zip(draft.outputs, wanted):
            self.copy(v, place)
        self.nonfinite.end(self, wanted)
        self.kernel = Kernel(inputs, outputs, self.statements)
        self.kernel.work = self.work
        place_scratch(self.kernel)  # last: only now is known which memory lives together

    # blocks

    def block(self, equations, outputs):
        """Write equations; those that `outputs` need are no longer waiting at its end."""
        uses = self.uses
        equations = self.rewritten(equations, outputs, _OF_CACHED if self.cached else _FIRST)
        if self.cached:
            equations = without_dead(Draft((), fuse_matvecs(equations, outputs, self.known), outputs)).equations
        # After the products are fused: an expansion into several equations would hide their patterns.
        equations = self.rewritten(equations, outputs, _THEN, lower=self.parts)
        # Shifts of ranks join after the reordering, which would part them.
        equations = together(reorder_for_fusion(equations, outputs, self.known, self.eager))
        # Chosen before parts are assembled: what is written in columns is left alone there.
        apart = batch_layout.columnar(equations, outputs, self.known)
        equations = self.rewritten(equations, outputs, _LAST, apart=apart.keys())
        self.apart.update(apart)
        self.assemblies.update(nested(equations, outputs))  # of equations as they are now: a rule may have made some
        self.finished.difference_update(map(id, equations))  # a body may be written twice
        for eq in equations:
            for v in eq.inputs:
                if type(v) is Var:
                    uses.setdefault(v, []).append(eq)
        for v in outputs:
            if type(v) is Var:
                uses.setdefault(v, []).append(None)
        for eq in equations:
            atom = atom_of(eq.prim)
            write = batch_layout.write if id(eq) in self.apart else Writer.steps if atom is None else atom.write
            write(self, eq)
            self.finished.add(id(eq))
        for settle in (batch_layout.aim, Writer.settle):
            for v in outputs:
                if type(v) is Var:
                    settle(self, v)
        # A group that is left waiting would be written outside of this block, where a body may run any number of
        # times.
        for group in list(self.groups.values()):
            self.flush(group)

    def rewritten(self, equations, outputs, table, **options):
        """Equations of a block, rewritten by a table of rules to others that native code has."""
        several = "lower" in options and any(type(self.known.get(eq)) is Expansion for eq in equations)
        # Matching costs more than this look, and most blocks have nothing to match.
        if not several and not may_apply(table, equations):
            return equations
        admits = partial(is_native, known=self.known)
        return rewrite(Draft((), equations, outputs), table, admits=admits, **options).equations

    def parts(self, eq):
        """`(equations, results)` of an equation that comes down to several."""
        several = self.known.get(eq)
        return (several.equations, eq.outputs) if type(several) is Expansion else None

    def steps(self, eq):
        """Write an elementwise equation."""
        found = self.known[eq]
        for _, _, out, inputs in found if len(found) > 1 else ():
            self.read_by(out, inputs)
        for step in found:
            self.step(*step)

    def read_by(self, out, inputs):
        """Note that a step reads variables: steps of one equation are none themselves, and wait for nothing else."""
        for v in inputs:
            if type(v) is Var:
                reader = SimpleNamespace(outputs=[out])
                self.uses.setdefault(v, []).append(reader)
                self.finished.add(id(reader))

    def inside(self, write, times=1):
        """The statements that `write()` writes, a body that runs so many times."""
        names = ("repeat", "statements", "groups", "owner", "spilled", "read", "local", "around", "columns")
        outer = [getattr(self, name) for name in names]
        self.columns = batch_layout.Columns()
        self.around = self.statements, {}  # where a copy goes that all turns share
        self.statements, self.groups, self.owner, self.local = [], {}, {}, set()
        # What a body stores or loads is not there behind it.
        self.spilled, self.read = dict(self.spilled), dict(self.read)
        self.repeat *= times
        write()
        found = self.statements
        for name, value in zip(names, outer):
            setattr(self, name, value)
        return found

    def add(self, statement):
        self.statements.append(statement)

    # values

    def settle(self, v):
        """Write the group that a variable waits in."""
        if v in self.columns.of:
            batch_layout.put_together(self, v)
        if v in self.rematerialized.steps:
            self.rematerialized.store(self, v)
        if v in self.owner:
            self.flush(self.owner[v])

    def value(self, v):
        """The Place of a variable or constant, or the array of its values."""
        if type(v) is Literal:
            return constant(v)
        self.settle(v)
        return self.values[v]

    def few(self, aval):
        """Tell whether an array is held as values."""
        return aval.size == 1 or aval.size <= FEW and self.count < _LONG

    def held(self, v):
        """The elements of a variable or constant as an array of values."""
        found = self.value(v)
        if type(found) is ndarray:
            return found
        # Loaded once a block: later uses of the elements find them in registers.
        if v not in self.read:
            self.read[v] = self.loaded(found)
        return self.read[v]

    def loaded(self, x):
        """The elements at a place as values."""
        if type(x) is ndarray:
            return x
        outs = [Value(x.kind) for _ in range(x.size)]
        self.count += len(outs)  # straight-line code grows by them, and LLVM's time faster than it
        if is_compact(x):
            self.add(Load(outs, x))
        else:
            for value, index in zip(outs, np.ndindex(x.shape)):
                self.add(Load([value], x.element(index)))
        return arranged(outs, x.shape)

    def place(self, v):
        """The Place of a variable or constant; values are stored first."""
        found = self.value(v)
        if type(found) is Place:
            return found
        if v not in self.spilled:
            self.spilled[v] = self.stored(found)
        return self.spilled[v]

    def stored(self, x):
        """Values in memory."""
        place = self.new(x.shape, x.flat[0].kind)
        self.store(x, place)
        return place

    def store(self, x, place):
        """Write an array of values to a place, broadcast."""
        # A loop that fills, in place of as many stores in straight-line code.
        if is_uniform(x) and place.size > 1:
            self.fill(place, x.flat[0])
            return
        whole = x if x.shape == place.shape else np.broadcast_to(x, place.shape)
        if is_compact(place):
            self.add(Store(list(whole.reshape(-1)), place))
        else:
            for index in np.ndindex(place.shape):
                self.add(Store([whole[index]], place.element(index)))

    def new(self, shape, kind, strides=None):
        """A place for an array of this shape."""
        size = prod(shape)
        memory = Memory(kind, size, "cell" if size <= FEW else "scratch")  # few elements stay in registers
        self.local.add(memory)
        return Place(memory, shape, strides)

    def result(self, v, strides=None):
        """The place that a result goes to: with `strides`, unless it is wanted elsewhere."""
        place = self.targets.pop(v, None)
        return self.new(v.aval.shape, KINDS[v.aval.dtype], strides) if place is None else place

    def copy(self, v, place):
        """Write a variable or constant to a place, broadcast."""
        found = self.value(v) if not isinstance(v, (Place, ndarray)) else v
        if type(found) is Place:
            if found.memory is place.memory and (found.offset, found.strides) == (place.offset, place.strides) and (
                    found.moving == place.moving):
                return
            value = Value(found.kind)
            self.nest(Nest(place.shape, [(value, found.spread(place.shape))], [], [(value, place)]))
        else:
            self.store(found, place)

    def copied(self, x):
        """A copy of a place, in order."""
        place = self.new(x.shape, x.kind)
        self.copy(x, place)
        return place

    def fill(self, place, value):
        """Write one value everywhere in a place."""
        self.nest(Nest(place.shape, [], [], [(value, place)]))

    def nest(self, nest):
        """Add a nest."""
        if self.threads and in_ranges(self, nest):  # the parts come back here one by one
            return
        self.work += self.repeat * prod(nest.shape) * (1 + len(nest.steps))
        add_nest(self.statements, nest)

    # elementwise steps

    def step(self, name, kind, out, inputs):
        """Write an elementwise operation, or let it wait with others of its shape."""
        shape = out.aval.shape
        if self.few(out.aval):
            arrays = [x if (x := self.held(v)).shape == shape else np.broadcast_to(x, shape) for v in inputs]
            self.values[out] = self.computed(name, kind, shape, arrays, KINDS[out.aval.dtype])
            return
        for v in inputs:
            if type(v) is Var and v in self.owner and self.owner[v].shape != shape:
                self.flush(self.owner[v])
            elif type(v) is Var:
                batch_layout.aim(self, v)  # this step may wait longer than they do
        group = self.groups.get(shape)
        if group is not None and not group.folded.isdisjoint(inputs):
            self.flush(group)
            group = None
        if group is None:
            group = self.groups[shape] = Group(shape)
        group.take(name, kind, out, inputs, out in self.targets)
        self.owner[out] = group
        if len(group.streams) > _STREAMS:  # what comes next opens another nest
            self.flush(group)

    def waiting(self, shape):
        """The group of a shape that waits."""
        return self.groups.setdefault(shape, Group(shape))

    def computed(self, name, kind, shape, arrays, result):
        """The values of an operation on arrays of values."""
        size = prod(shape)
        self.count += size
        self.work += self.repeat * size
        outs = [Value(result) for _ in range(size)]
        args = [self.cast(list(a.reshape(-1)), "b8" if name == "where" and not k else kind)
                if name not in CASTS else list(a.reshape(-1)) for k, a in enumerate(arrays)]
        self.add(step := Step(name, kind, outs, args))
        self.nonfinite.convert(self, step)
        return arranged(outs, shape)

    def cast(self, values, kind):
        """Values in another kind."""
        kinds = {v.kind for v in values}
        if kinds == {kind}:
            return values
        if all(type(v) is Const for v in values):
            return [cast_constant(v, kind) for v in values]
        if len(kinds) > 1:
            return [self.cast([v], kind)[0] for v in values]
        outs = [Value(kind) for _ in values]
        self.add(Step("cast", kind, outs, [values]))
        return outs

    def flush(self, group):
        """Write a group as one nest."""
        write_group(self, group)

    def fill_start(self, name, place):
        """Write what a fold starts from."""
        self.fill(place, Const(start_of(name, place.kind), place.kind))
