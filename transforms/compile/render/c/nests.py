"""Render loop nests as C: loops over the axes, reductions in several accumulators added pairwise."""

from ...loops.operations import Name
from ...loops.statements import start_of
from .scalars import Scalars
from .text import TYPES, number

_APART = 8  # sums of a row that are added up side by side, so that compilers may use vectors
_LONG = 32  # elements of a row from which they are


def print_nest(printer, nest):
    """Write the loops of a nest."""
    Rows(printer, nest).rows(0, {})


class Rows:
    """The rows of a nest: its last axis is the innermost loop."""

    def __init__(self, printer, nest):
        self.printer = printer
        self.text = printer.text
        self.nest = nest
        self.held = {}  # values of loads that lie ready
        self.ended = [k for k, (*_, p) in enumerate(nest.folds) if not nest.shape or not p.strides[-1]]

    def rows(self, axis, indices):
        """The loops over all axes but the last."""
        shape = self.nest.shape
        if axis >= len(shape) - 1:
            self.row(indices)
            return
        self.rows(axis + 1, {**indices, axis: self.printer.loop(0, shape[axis])})
        self.text.close()

    def moves(self, place, indices):
        return [(indices[k], place.strides[k]) for k in indices]

    def row(self, indices):
        """Everything for one row."""
        nest, printer, text = self.nest, self.printer, self.text
        last, n = len(nest.shape) - 1, nest.shape[-1] if nest.shape else 1
        if n == 1:
            found = self.body({**indices, last: "0"} if nest.shape else indices)
            for k in self.ended:
                self.fold_into(k, found[k], indices)
            return
        apart = _APART if self.ended and n >= _LONG and all(
            nest.folds[k][1].kind[0] == "f" for k in self.ended) else 1
        totals = {k: self.start(k, apart) for k in self.ended}
        done = 0
        if apart > 1:
            done = n // apart * apart
            outer = printer.loop(0, done, apart)
            part = printer.loop(0, apart)
            i = text.new("i")
            text.emit(f"const {printer.index} {i} = {outer} + {part};")
            self.folded(totals, self.body({**indices, last: i}), f"[{part}]")
            text.close()
            text.close()
        if done < n:
            i = printer.loop(done, n)
            place = "" if apart == 1 else f"[{i} - {done}]" if done else f"[{i}]"
            self.folded(totals, self.body({**indices, last: i}), place)
            text.close()
        for k, total in totals.items():
            kind = nest.folds[k][1].kind
            parts = [Name(total + (f"[{at}]" if apart > 1 else ""), TYPES[kind]) for at in range(apart)]
            while len(parts) > 1:
                half = len(parts) // 2
                parts = [self.combined(k, kind, x, y) for x, y in zip(parts[:half], parts[half:])]
            self.fold_into(k, parts[0], indices)

    def start(self, k, apart):
        """The name of the variable, or the array of so many, that a fold is gathered in."""
        name, value, _ = self.nest.folds[k]
        total = self.text.new("s")
        first = number(start_of(name, value.kind), value.kind)
        kind = TYPES[value.kind]
        self.text.emit(f"{kind} {total} = {first};" if apart == 1 else
                       f"{kind} {total}[{apart}] = {{{', '.join([first] * apart)}}};")
        return total

    def combined(self, k, kind, x, y):
        """A fold of two values."""
        return Scalars(self.text, kind).run(self.nest.folds[k][0], [x, y])

    def folded(self, totals, found, place):
        """Fold what was found into the variables."""
        for k, total in totals.items():
            kind = self.nest.folds[k][1].kind
            at = Name(total + place, TYPES[kind])
            self.text.emit(f"{at} = {self.combined(k, kind, self.text.op(at, TYPES[kind]), found[k])};")

    def fold_into(self, k, x, indices):
        """Fold a value into memory, whose kind may be a wider one."""
        _, value, place = self.nest.folds[k]
        moves = self.moves(place, indices)
        x = self.cast(x, value.kind, place.kind)
        self.printer.store(self.combined(k, place.kind, self.printer.load(place, moves), x), place, moves)

    def cast(self, x, source, target):
        """A value of one kind in another."""
        return Scalars(self.text, target).cast(x, source, target)

    def body(self, indices, through=True):
        """The steps for one element; returns what each fold takes. `through`: fold into memory where that moves on."""
        nest, printer = self.nest, self.printer
        known = {value: self.held.get(value) or printer.load(p, self.moves(p, indices)) for value, p in nest.loads}

        def read(x):
            found = known.get(x)
            return printer.value(x) if found is None else found

        for step in nest.steps:
            known[step.outs[0]] = printer.run(step, [read(a[0]) for a in step.args])
        for value, p in nest.stores:
            printer.store(read(value), p, self.moves(p, indices))
        found = [read(value) for _, value, _ in nest.folds]
        for k, x in enumerate(found):
            if through and nest.shape and k not in self.ended:
                self.fold_into(k, x, indices)
        return found
