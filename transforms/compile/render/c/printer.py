"""The C printer of the loop IR: the body of a function over pointers."""

import re

from ...loops import statements as ir
from ...loops.operations import CASTS, Name
from .nests import print_nest
from .scalars import Scalars
from .text import STORED, TYPES, Text, number

ON_STACK = 4096  # bytes of temporaries that lie on the stack
_MEMORY = re.compile(r"\bm\d+\b")


class Printer:
    """Writes the statements of a kernel as the lines of a function.

    Args:
        names: `{memory: name}` of inputs and outputs.
        on_stack: bytes of temporaries that may lie on the stack.
        index: the type of indices; by default what the statements need.
    """

    def __init__(self, kernel, module, names, on_stack=ON_STACK, index=None):
        self.module = module
        self.text = Text(module)
        self.memories = dict(names)
        self.print_nest = print_nest
        self.kernel = kernel
        self.values = {v: Name(f"n{k}", TYPES[v.kind]) for k, v in enumerate(kernel.given)}  # Value, Counter -> name
        self.declared = {}  # the name of a temporary -> its declaration
        held = {p.memory for s in ir.walk(kernel.statements) for p in ir.places(s)}
        short = all(m.size is not None and m.size < 2**31 - 64 for m in held)
        self.index = index or ("int32_t" if short else "int64_t")
        needed = sum(m.size * ir.BYTES[m.kind] for m in held if m.role == "scratch")
        self.scratch = 0 if on_stack and needed <= on_stack else kernel.scratch  # bytes that the caller gives
        self.block(kernel.statements)

    @property
    def lines(self):
        """The lines of the body."""
        lines = self.text.finished()
        used = {name for line in lines for name in _MEMORY.findall(line)}
        return [f"    {line}" for name, line in self.declared.items() if name in used] + lines

    def block(self, statements):
        """Write statements."""
        for statement in statements:
            _PRINTERS[type(statement)](self, statement)

    def inside(self, statements):
        """Write the statements of a body: names that are made there mean nothing elsewhere."""
        values, self.values = self.values, dict(self.values)
        self.block(statements)
        self.values = values

    # values

    def value(self, x):
        """The name of a value."""
        return Name(number(x.value, x.kind), TYPES[x.kind]) if type(x) is ir.Const else self.values[x]

    def run(self, step, args):
        """The name of the result of a step on values of these names, one of each argument."""
        builder = Scalars(self.text, step.kind)
        if step.name in CASTS:
            return builder.cast(args[0], step.args[0][0].kind, step.kind)
        return builder.run(step.name, args)

    # memory

    def base(self, memory):
        """The name of memory, and where in it its first element lies."""
        if memory.role == "constant":
            return self.module.table(memory.array, memory.kind)
        name = self.memories.get(memory)
        if name is None:
            name = self.memories[memory] = self.text.new("m")
            self.declared[name] = self.declaration(memory, name)
        return name, 0

    def declaration(self, memory, name):
        """The declaration of a temporary."""
        kind = STORED[memory.kind]
        if memory.role == "cell":
            return f"{kind} {name}[{memory.size}] = {{0}};"
        if not self.scratch:
            return f"{kind} {name}[{memory.size}];"
        return f"{kind} *const {name} = ({kind} *)(void *)((unsigned char *)scratch + {memory.index});"

    def element(self, place, moves=()):
        """The element at a place, moved by (index, stride) pairs, as an expression."""
        name, offset = self.base(place.memory)
        offset += place.offset
        terms = []
        for index, stride in [*[(self.values[c], s) for c, s in place.moving], *moves]:
            if stride and index.isdigit():
                offset += int(index) * stride
            elif stride:
                terms.append((stride, index if abs(stride) == 1 else f"{abs(stride)} * {index}"))
        text = "".join([(" - " if s < 0 else " + ") + term for s, term in terms])
        if offset or not text or text.startswith(" -"):
            text = f"{offset}{text}"
        return f"{name}[{text.removeprefix(' + ')}]"

    def load(self, place, moves=()):
        """The name of the element at a place."""
        found = self.element(place, moves)
        return self.text.op(f"{found} != 0" if place.kind == "b8" else found, TYPES[place.kind])

    def store(self, x, place, moves=()):
        """Write an element."""
        target = self.element(place, moves)
        name = target.partition("[")[0]
        local = name in self.declared and (place.memory.role == "cell" or not self.scratch)
        self.text.emit(f"{target} = {'(uint8_t)' if place.kind == 'b8' else ''}{x};", name if local else None)

    # loops

    def loop(self, start, stop, step=1):
        """Open a loop; returns the name of its index."""
        i = self.text.new("i")
        step = f"{i}++" if step == 1 else f"{i} += {step}"
        self.text.open(f"for ({self.index} {i} = {start}; {i} < {stop}; {step})")
        return i


def _load(printer, load):
    for k, out in enumerate(load.outs):
        printer.values[out] = printer.load(load.place, [(str(k), 1)])


def _store(printer, store):
    kind = store.place.kind
    found = [Scalars(printer.text, kind).cast(printer.value(x), x.kind, kind) for x in store.values]
    for k, x in enumerate(found):
        printer.store(x, store.place, [(str(k), 1)])


def _step(printer, step):
    for k, out in enumerate(step.outs):
        printer.values[out] = printer.run(step, [printer.value(values[k]) for values in step.args])


def _loop(printer, loop):
    if loop.reverse:
        i = printer.text.new("i")
        printer.text.open(f"for ({printer.index} {i} = {loop.count - 1}; {i} >= 0; {i}--)")
    else:
        i = printer.loop(*[x if type(x) is int else printer.value(x) for x in (loop.start, loop.count, loop.step)])
    printer.values[loop.counter] = Name(i, TYPES["i64"])
    printer.inside(loop.body)
    printer.text.close()


def _while(printer, loop):
    values, printer.values = printer.values, dict(printer.values)
    printer.text.open("for (;;)")
    printer.block(loop.test)
    printer.text.open(f"if (!{printer.element(loop.flag)})")
    printer.text.emit("break;")
    printer.text.close()
    printer.block(loop.body)
    printer.text.close()
    printer.values = values


def _branch(printer, branch):
    flag = printer.element(branch.flag) if type(branch.flag) is ir.Place else printer.value(branch.flag)
    printer.text.open(f"if ({flag})")
    printer.inside(branch.yes)
    printer.text.depth -= 1
    printer.text.open("} else")
    printer.inside(branch.no)
    printer.text.close()


def _require(printer, require):
    alarm, _ = printer.base(printer.kernel.outputs[-1])
    printer.text.open(f"if (!{printer.value(require.flag)})")
    printer.text.emit(f"{alarm}[0] = {number(ir.OUTSIDE, 'f64')};")
    printer.text.emit("return;")
    printer.text.close()


def _product(printer, product):
    """A call of gemm or gemv."""
    kind = product.x.kind
    name, arguments = product.call()
    given = [f"Cblas{x}" if type(x) is str else str(x) if type(x) is int else f"&{printer.element(x)}"
             if type(x) is ir.Place else number(x, kind) for x in arguments]
    printer.text.emit(f"cblas_{'d' if kind == 'f64' else 's'}{name}({', '.join(given)});")


_PRINTERS = {ir.Load: _load, ir.Store: _store, ir.Step: _step, ir.Loop: _loop, ir.While: _while, ir.Branch: _branch,
             ir.Nest: lambda printer, nest: printer.print_nest(printer, nest), ir.Product: _product,
             ir.Require: _require}
