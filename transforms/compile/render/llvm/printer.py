"""The LLVM renderer of the loop IR: the text of a module with one function over pointers."""

import math
from collections import Counter

from ...loops import statements as ir
from ...loops.nests import pattern
from ...loops.operations import Name
from ...lower.collectives import Exchange
from ...machine.blas import products_library
from ...machine.engine import thread_count
from .calls import print_exchange, print_product, print_ranges, print_ufunc
from .nests import print_nest
from .simd import STORED, TYPES, Module, Text, number
from .values import is_apart, print_load, print_step, print_store

_LETTERS = {**STORED, "f64": "f64", "f32": "f32"}  # in names of what LLVM declares
_ORDERS = {"maximum": ">", "minimum": "<"}
_UNWATCHED = 1 << 20  # operations between two looks for signals, and of a loop that is not looked after: milliseconds
_MANY = 48  # inputs and outputs, or constants: above, a table has them; LLVM takes long over so many addresses at hand
_SHORT = 48  # nests, up to which all are written in place


class Printer:
    """Writes the function `work(inputs…, outputs…, values…, scratch)` of a kernel.

    Args:
        vector: the bytes of a vector of the processor.
        slots: the `Slots` of the module; `work` is given their table behind its other arguments.
        blas: `{name: address}` of the library of products.
        watched: whether the module has a function `stopped` that looks for signals.
        extent: of the arrays of one axis whose length is known when `work` is called: the length that they have in the
            kernel. `work` is given their length and that over `extent`, rounded up, behind its other arguments.
        short: that length may be less than a vector's, and is few of them: what is beyond it is left out of each.
        contracts: whether a product and a sum of it may be rounded once.
        inline: whether elementary functions of steps are put in place, so that LLVM makes vectors of loops around them.
        module: the `Module`, if that is not a new one.
        name: of the function.
    """

    def __init__(self, kernel, vector, slots, blas=None, watched=False, extent=None, short=False, contracts=False,
                 inline=False, module=None, name="work"):
        self.name = name
        self.inline = inline
        self.watched = watched
        self.extent = extent
        self.short = short
        self.contracts = contracts
        self.looks = False  # whether it calls that
        self.kernel = kernel
        self.vector = vector
        self.slots = slots
        self.blas = blas or {}
        self.module = module or Module(vector)
        self.text = Text(self.module)
        self.names = {}  # Value, Counter -> its name
        self.apart = False  # whether pairs of values are two numbers, not a vector
        self.packed = {}  # Value -> (the name of a vector, the lane that it is in)
        self.cells = {}  # memory that fits in registers -> its name
        self.constants = {}  # their places in the table
        self.label = 0
        self.outside = "outside"  # where the function ends early
        self.bounded = False  # whether it may
        self.many = extent is None and len(kernel.inputs) + len(kernel.outputs) > _MANY
        self.pointers = ["%memory"] if self.many else [
            *[f"%in{m.index}" for m in kernel.inputs], *[f"%out{m.index}" for m in kernel.outputs]]
        self.threads = thread_count()
        self.frames = []  # lines that make memory for what threads are given
        nests = [s for s in ir.walk(kernel.statements) if type(s) is ir.Nest]
        self.alike = Counter(map(pattern, nests)) if extent is None and len(nests) > _SHORT else {}
        self.nests = {}  # text of a function -> its name

    def written(self):
        """This, when the function is in the module."""
        kernel, extent = self.kernel, self.extent
        self.names.update((v, Name(f"%g{k}", TYPES[v.kind])) for k, v in enumerate(kernel.given))
        self.block(kernel.statements)
        self.text.emit("ret void")
        if self.bounded:
            self.text.begin("outside")
            self.leave(ir.OUTSIDE)
        given = [f"ptr {name}" for name in self.pointers] if self.many else [
            *[f"ptr noalias readonly %in{m.index}" for m in kernel.inputs],
            *[f"ptr noalias %out{m.index}" for m in kernel.outputs]]
        given += [f"{TYPES[v.kind]} {self.names[v]}" for v in kernel.given]
        given.append("ptr noalias %scratch, ptr %table")
        given += ["i64 %extent, i64 %times"] if extent else []
        self.module.functions[f"@{self.name}"] = "\n".join([
            f"define internal void @{self.name}({', '.join(given)}) noinline {{", "entry:", *[
                f"  {name} = alloca [{m.size} x {STORED[m.kind]}], align {64 if m.size > ir.FEW else 16}"
                for m, name in self.cells.items()],
            *[f"  %at{k} = getelementptr inbounds ptr, ptr %table, i64 {k}\n  %constant{k} = load ptr, ptr %at{k}"
              for k in self.constants],
            *self.frames, *self.text.lines, "}"])
        return self

    def block(self, statements):
        """Write statements."""
        for statement in statements:
            _PRINTERS[type(statement)](self, statement)

    def function(self, names, write):
        """The lines of a function of its own that `write()` writes, which knows values by these names alone."""
        outer = self.text, self.names, self.packed, self.label
        self.text, self.names, self.packed, self.label = Text(self.module), names, {}, 0
        write()
        found = self.text.lines
        self.text, self.names, self.packed, self.label = outer
        return found

    def inside(self, statements):
        """Write the statements of a body: names that are made there mean nothing elsewhere."""
        known, apart = len(self.names), self.apart
        self.apart = is_apart(statements)
        self.block(statements)
        while len(self.names) > known:
            self.names.popitem()
        self.apart = apart

    def leave(self, why):
        """End the function early, and say why."""
        self.text.emit(f"store double {number(why, 'f64')}, ptr {self.base(self.kernel.outputs[-1])}")
        self.text.emit("ret void")

    def require(self, mask):
        """Go on where a mask holds, and end the function where it does not."""
        label, _ = self.labels("i")
        self.text.emit(f"br i1 {mask}, label %{label}, label %{self.outside}")
        self.text.begin(label)
        self.bounded = True

    # names

    def labels(self, letter):
        """The labels of a loop: its head and what follows."""
        self.label += 1
        return f"{letter}{self.label}", f"{letter}{self.label}_end"

    def scalar(self, value):
        """The name of a value of one lane, or of a counter."""
        if type(value) is ir.Const:
            return Name(number(value.value, value.kind), TYPES[value.kind])
        found = self.names.get(value)
        if found is None:
            vector, lane = self.packed[value]
            found = self.names[value] = self.text.op(f"extractelement {vector.type} {vector}, i64 {lane}",
                                                     TYPES[value.kind])
        return found

    def splat(self, name, kind, width):
        """One value in all lanes."""
        if width == 1:
            return name
        base = TYPES[kind]
        vector = f"<{width} x {base}>"
        first = self.text.op(f"insertelement {vector} poison, {base} {name}, i64 0", vector)
        return self.text.op(f"shufflevector {vector} {first}, {vector} poison, <{width} x i32> zeroinitializer", vector)

    def across(self, name, wide, kind):
        """The lanes of values folded: into one, or into one for each of them where NaN is looked for.

        Args:
            wide: `{width: value}`; half of the lanes of one are folded into the other half, and into the next one.
        """
        if kind[0] == "f" and name in _ORDERS:
            return [self.ordered(name, x, kind, width) for width, x in wide.items()]
        width = max(wide)
        x = wide[width]
        while width > 1:
            width //= 2
            builder = self.text.builder(kind, width)
            x = builder.run(name, self.halves(x, kind, width))
            if width in wide:
                x = builder.run(name, [x, wide[width]])
        return [x]

    def ordered(self, name, x, kind, width):
        """The lanes of a value folded into the greatest or the least; NaN is looked for once."""
        text, base, nan = self.text, TYPES[kind], None
        if width > 2:
            lanes = text.op(f"fcmp uno {x.type} {x}, {x}", f"<{width} x i1>")
            lanes = text.op(f"bitcast {lanes.type} {lanes} to i{width}", f"i{width}")
            nan = text.op(f"icmp ne {lanes.type} {lanes}, 0", "i1")
        while width > 1:
            width //= 2
            parts, b = self.halves(x, kind, width), text.builder(kind, width)
            x = b.run(name, parts) if nan is None else b.select(b.fcmp(_ORDERS[name], *parts), *parts)
        return x if nan is None else text.op(f"select i1 {nan}, {base} {number(math.nan, kind)}, {base} {x}", base)

    def halves(self, x, kind, width):
        """Both halves of a vector of twice the width."""
        parts = [self.text.shuffled(x, "poison", range(at, at + width)) for at in (0, width)]
        return parts if width > 1 else [self.text.op(f"extractelement {p.type} {p}, i64 0", TYPES[kind]) for p in parts]

    # memory

    def base(self, memory):
        """The address where a memory begins."""
        if memory.role == "cell":
            return self.cells.setdefault(memory, f"%cell{len(self.cells)}")
        if memory.role in ("input", "output"):
            place = memory.index + (len(self.kernel.inputs) if memory.role == "output" else 0)
            return self.text.entry_of("%memory", place) if self.many else self.pointers[place]
        if memory.role == "constant":
            place = self.slots.constant(memory.array)
            if place not in self.constants and len(self.constants) >= _MANY:
                return self.slots.load(self.text, place)
            self.constants[place] = None
            return f"%constant{place}"

    def address(self, place, moves=()):
        """The address of the first element of a place, moved by (index, stride) pairs."""
        memory = place.memory
        text = self.text
        if memory.role == "scratch":
            at = text.op(f"mul i64 %times, {memory.index}", "i64") if self.extent and memory.index else memory.index
            start = text.op(f"getelementptr inbounds i8, ptr %scratch, i64 {at}", "ptr")
        else:
            start = self.base(memory)
        moves = [(i, s) for i, s in [*[(self.scalar(c), s) for c, s in place.moving], *moves] if s]
        inside = len(moves) == 1 and not place.offset  # one step leads to an element
        for index, stride in moves:
            start = self.moved(start, place.kind, index, stride, inside)
        if place.offset:
            start = text.op(f"getelementptr {STORED[place.kind]}, ptr {start}, i64 {place.offset}", "ptr")
        return start

    def moved(self, start, kind, index, stride, inside=False):
        """An address some strides further on, of an element `inside` of the memory or perhaps of none."""
        text = self.text
        if index == "0":
            return start
        if stride != 1:
            index = text.op(f"mul nsw i64 {index}, {stride}", "i64")
        bounds = " inbounds" if inside else ""
        return text.op(f"getelementptr{bounds} {STORED[kind]}, ptr {start}, i64 {index}", "ptr")

    def load(self, start, kind, width=1, mask=None):
        """So many elements from an address on; zeros outside of a mask."""
        stored = STORED[kind] if width == 1 else f"<{width} x {STORED[kind]}>"
        if mask is None:
            found = self.text.op(f"load {stored}, ptr {start}, align {ir.BYTES[kind]}", stored)
        else:
            name = f"@llvm.masked.load.v{width}{_LETTERS[kind]}.p0"
            self.module.declare(f"declare {stored} {name}(ptr, i32, {mask.type}, {stored})")
            found = self.text.op(f"call {stored} {name}(ptr {start}, i32 {ir.BYTES[kind]}, {mask.type} {mask}, "
                                 f"{stored} zeroinitializer)", stored)
        if kind == "f16":
            return self.text.op(f"zext i16 {found} to i32", "i32")
        return self.truth(found, width) if kind == "b8" else found

    def truth(self, found, width):
        """Stored booleans as a mask."""
        zero = "0" if width == 1 else "zeroinitializer"
        return self.text.op(f"icmp ne {found.type} {found}, {zero}", "i1" if width == 1 else f"<{width} x i1>")

    def gathered(self, start, kind, at, stride, width):
        """Elements some strides apart."""
        first = self.moved(start, kind, at, stride)
        found = [self.load(self.moved(first, kind, str(k), stride), kind) for k in range(width)]
        return found[0] if width == 1 else self.text.vector(found, TYPES[kind])

    def store(self, x, start, kind, at, stride, width, mask=None):
        """Write elements some strides apart, or neighbours within a mask."""
        text = self.text
        first = self.moved(start, kind, at, stride)
        if kind == "b8":
            stored = "i8" if width == 1 else f"<{width} x i8>"
            x = text.op(f"zext {x.type} {x} to {stored}", stored)
        if kind == "f16":
            x = text.op(f"trunc i32 {x} to i16", "i16")
        if mask is not None:
            name = f"@llvm.masked.store.v{width}{_LETTERS[kind]}.p0"
            self.module.declare(f"declare void {name}({x.type}, ptr, i32, {mask.type})")
            text.emit(f"call void {name}({x.type} {x}, ptr {first}, i32 {ir.BYTES[kind]}, {mask.type} {mask})")
            return
        if width == 1 or stride == 1:
            text.emit(f"store {x.type} {x}, ptr {first}, align {ir.BYTES[kind]}")
            return
        for k in range(width):
            one = text.op(f"extractelement {x.type} {x}, i64 {k}", STORED[kind])
            target = self.moved(first, kind, str(k), stride) if k else first
            text.emit(f"store {STORED[kind]} {one}, ptr {target}, align {ir.BYTES[kind]}")

    # loops

    def counted(self, count, body, start=0, step=1, vectors=None):
        """`body(i)` for i = start, start + step, … below `count`, as a loop; all are ints, or names of integers."""
        text = self.text
        if (start, count) == (0, 1):
            body(Name("0", "i64"))
            return
        head, end = self.labels("l")
        compare = "ult"
        if type(start) is not int or type(count) is not int or start >= count:  # there may be no turn
            compare = "slt"
            some = text.op(f"icmp slt i64 {start}, {count}", "i1")
            text.emit(f"br i1 {some}, label %{head}_before, label %{end}")
            text.begin(f"{head}_before")
        facts = "" if vectors is None else self.module.loop_facts(vectors)
        text.loop(head, end, count, body, start, step, compare=compare, facts=facts)


def _loop(printer, loop):
    turn = _operations(loop.body) if printer.watched else 0

    def body(i):
        if turn and _turns(loop) * turn > _UNWATCHED:
            _watch(printer, f"{printer.text.label}_watch", i, turn)
        if loop.reverse:
            i = printer.text.op(f"sub i64 {loop.count - 1}, {i}", "i64")
        printer.names[loop.counter] = i
        printer.inside(loop.body)

    start, count, step = [x if type(x) is int else printer.scalar(x) for x in (loop.start, loop.count, loop.step)]
    printer.counted(count, body, start, step, loop.vectors)


def _while(printer, loop):
    text = printer.text
    head, end = printer.labels("w")
    at = printer.address(ir.Place(ir.Memory("i64", 1, "cell"), ()))
    printer.frames.append(f"  store i64 0, ptr {at}")  # once: a loop around it may look for signals seldom
    text.emit(f"br label %{head}")
    text.begin(head)
    if printer.watched:
        turns = printer.load(at, "i64")
        more = text.op(f"add i64 {turns}, 1", "i64")
        text.emit(f"store i64 {more}, ptr {at}")
        _watch(printer, head, turns, _operations([*loop.test, *loop.body]))
    printer.block(loop.test)
    flag = printer.load(printer.address(loop.flag), "b8")
    text.emit(f"br i1 {flag}, label %{head}_body, label %{end}")
    text.begin(f"{head}_body")
    printer.inside(loop.body)
    text.emit(f"br label %{head}")
    text.begin(end)


def _watch(printer, head, turn, operations):
    """Look every so many turns of a loop, of so many operations each, for a signal, as Ctrl-C, and leave for it."""
    text, often = printer.text, 1
    while often * operations < _UNWATCHED:
        often *= 2
    printer.looks = True
    rest = text.op(f"and i64 {turn}, {often - 1}", "i64")
    due = text.op(f"icmp eq i64 {rest}, {often - 1}", "i1")
    text.emit(f"br i1 {due}, label %{head}_due, label %{head}_on")
    text.begin(f"{head}_due")
    stop = text.op("call i1 @stopped(ptr %table)", "i1")
    text.emit(f"br i1 {stop}, label %{head}_stop, label %{head}_on")
    text.begin(f"{head}_stop")
    printer.leave(ir.STOPPED)
    text.begin(f"{head}_on")


def _turns(loop):
    """The number of turns of a loop, about; one that is computed is of a small matrix."""
    return loop.count if type(loop.count) is int else 8


def _operations(statements):
    """The approximate number of elementwise operations in statements."""
    return sum([_operations_of(statement) for statement in statements])


def _operations_of(statement):
    kind = type(statement)
    if kind is ir.Nest:
        return max(len(statement.steps), 1) * math.prod(statement.shape)
    if kind is ir.Product:
        return math.prod(statement.x.shape) * statement.y.shape[1] // 4
    count = _turns(statement) if kind in (ir.Loop, ir.Ranges) else 1
    return 4 + count * sum([_operations(part) for part in ir.inner(statement)])


def _branch(printer, branch):
    text = printer.text
    head, end = printer.labels("b")
    flag = branch.flag
    flag = printer.load(printer.address(flag), "b8") if type(flag) is ir.Place else printer.scalar(flag)
    text.emit(f"br i1 {flag}, label %{head}, label %{head}_else")
    for label, part in ((head, branch.yes), (f"{head}_else", branch.no)):
        text.begin(label)
        printer.inside(part)
        text.emit(f"br label %{end}")
    text.begin(end)


def _bound(printer, bound):
    text = printer.text
    x = printer.scalar(bound.value)
    early = text.op(f"icmp slt i64 {x}, 0", "i1")
    moved = text.op(f"add i64 {x}, {bound.count}", "i64")
    x = printer.names[bound.out] = text.op(f"select i1 {early}, i64 {moved}, i64 {x}", "i64")
    inside = text.op(f"icmp ult i64 {x}, {bound.count}", "i1")
    printer.require(inside)


def _require(printer, require):
    printer.require(printer.scalar(require.flag))


def _call(printer, call):
    name = f"part{sum(name.startswith('@part') for name in printer.module.functions)}"
    Printer(call.kernel, printer.vector, printer.slots, products_library(), extent=call.extent, short=call.short,
            contracts=True, module=printer.module, name=name).written()
    given = [f"ptr {printer.address(p)}" for p in call.given]
    scratch = "null" if call.scratch is None else printer.address(call.scratch)
    given += [f"ptr {scratch}, ptr %table", *[f"i64 {printer.scalar(v)}" for v in call.extents]]
    printer.text.emit(f"call void @{name}({', '.join(given)})")


_PRINTERS = {ir.Load: print_load, ir.Store: print_store, ir.Step: print_step, ir.Nest: print_nest, ir.Loop: _loop,
             ir.While: _while, ir.Branch: _branch, ir.Product: print_product, ir.Bound: _bound, ir.Require: _require,
             ir.Ranges: print_ranges, ir.Call: _call, ir.UfuncCall: print_ufunc, Exchange: print_exchange}
