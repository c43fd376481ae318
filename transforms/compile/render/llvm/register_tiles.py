"""Tiles of open loops: sums of products that stay in registers, a vector each, over loops of any lengths."""

from ...loops.kinds import BYTES
from .simd import TYPES, Lanes, Name


class Tile:
    """Rows by columns of vectors, each a sum of products; they begin with what is in registers by chance.

    A vector has `body.width(kind)` elements that lie side by side in memory. More than `body.registers` of them at a
    time, those of the operands included, are slow.
    """

    __slots__ = ("body", "kind", "lanes", "names", "type")

    def __init__(self, body, kind, rows, columns):
        self.body = body
        self.kind = kind
        self.lanes = Lanes(None, kind, body.width(kind))
        self.type = self.lanes.typed(TYPES[kind])
        self.names = [[f"%tile{len(body.cells) + r * columns + c}" for c in range(columns)] for r in range(rows)]
        body.cells += [f"  {name} = alloca {self.type}, align 64" for row in self.names for name in row]

    def begin(self):
        """Set all sums to 0."""
        for row in self.names:
            for name in row:
                self.body.text.emit(f"store {self.type} zeroinitializer, ptr {name}")

    def vector(self, array, *places):
        """The elements of an array from a place on, which need not be the first of a vector."""
        return self.read(array.at(*places), BYTES[self.kind])

    def joined(self, array, first, second):
        """Half of a vector from one place of an array on, and half from another."""
        count = self.lanes.lanes
        half = f"<{count // 2} x {TYPES[self.kind]}>"
        parts = [self.body.text.op(f"load {half}, ptr {array.at(at)}, align {BYTES[self.kind]}", half)
                 for at in (first, second)]
        order = ", ".join([f"i32 {k}" for k in range(count)])
        return self.body.text.op(f"shufflevector {half} {parts[0]}, {half} {parts[1]}, <{count} x i32> <{order}>",
                                 self.type)

    def number(self, x):
        """A number in all lanes."""
        text, count = self.body.text, self.lanes.lanes
        x = self.body.scalar(x, self.kind)
        if count == 1:
            return x.name
        first = text.op(f"insertelement {self.type} poison, {x.name.type} {x.name}, i64 0", self.type)
        return text.op(f"shufflevector {self.type} {first}, {self.type} poison, <{count} x i32> zeroinitializer",
                       self.type)

    def add(self, left, right):
        """Add the products of the vectors of rows and of columns."""
        text = self.body.text
        for x, row in zip(left, self.names, strict=True):
            for y, name in zip(right, row, strict=True):
                product = text.op(f"fmul contract {self.type} {x}, {y}", self.type)
                total = text.op(f"fadd contract {self.type} {self.read(name)}, {product}", self.type)
                text.emit(f"store {self.type} {total}, ptr {name}")

    def store(self, row, column, array, *places):
        """Write a sum to an array, from a place on."""
        total = self.read(self.names[row][column])
        self.body.text.emit(f"store {self.type} {total}, ptr {array.at(*places)}, align {BYTES[self.kind]}")

    def load(self, row, column, array, *places):
        """Read a sum from an array, from a place on."""
        self.body.text.emit(f"store {self.type} {self.vector(array, *places)}, ptr {self.names[row][column]}")

    def total(self, row, column):
        """A sum over all lanes, which may be added in any order."""
        x, base, count = self.read(self.names[row][column]), TYPES[self.kind], self.lanes.lanes
        while count > 1:
            old, count = f"<{count} x {base}>", count // 2
            new, parts = f"<{count} x {base}>", []
            for start in (0, count):
                order = ", ".join([f"i32 {k}" for k in range(start, start + count)])
                parts.append(self.body.text.op(
                    f"shufflevector {old} {x}, {old} poison, <{count} x i32> <{order}>", new))
            x = self.body.text.op(f"fadd {new} {parts[0]}, {parts[1]}", new)
        return self.body.made(f"extractelement <1 x {base}> {x}, i64 0", self.kind)

    def read(self, at, align=64):
        return Name(self.body.text.op(f"load {self.type}, ptr {at}, align {align}", self.type), self.type)
