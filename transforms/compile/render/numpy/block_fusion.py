"""Fusion in blocks: elementwise equations on large arrays that run together, a block of elements at a time.

One call after the other reads and writes whole arrays in main memory; a block of all of them stays in the cache, and
only what leaves the group is an array. A sum ends in partial sums of blocks, which are those that NumPy's pairwise
summation adds up (Higham 1993, The accuracy of floating point summation), so that the bits stay the same.
"""

from math import prod
from types import SimpleNamespace

import numpy as np

from .....core.arrays.sums import by_products
from .....core.facts import Operation
from ....graph.equations import Literal, Var
from .calls import into

LARGE = 1 << 19  # bytes of an array that is worth blocks
PULLBACK = Operation("pullback", effects=frozenset({"opaque"}), outputs=True)  # it calls a reverse rule
BLOCK = 1 << 16  # bytes of a block of one array


class Group:
    """Equations that run together; to the rest of a draft it looks like one equation.

    `rows`: blocks are of rows of the first axis, and operands may be broadcast; else they are of elements in order.
    """

    prim = Operation("group", outputs=True, parts=True)
    params = ()
    quiet = acts = False

    def __init__(self, equations, shape, rows, block=BLOCK, called=None):
        self.equations = equations
        self.block = block
        self.called = called  # what runs a reverse rule that is not written down
        self.shape = shape
        self.rows = rows
        made = {v for eq in equations for v in eq.outputs}
        self.inputs = list(dict.fromkeys(v for eq in equations for v in eq.inputs if v not in made))
        self.outputs = []
        self.line = equations[0].line if equations else None

    def bodies(self):
        """No equation of a group has one."""
        return []

    @property
    def names(self):
        """The names of its operations."""
        return [eq.prim.name for eq in self.equations]


def grouped(draft, layouts):
    """The equations of a draft with groups in place of what they hold; `layouts` knows which values are compact."""
    found = _grouped(draft.equations, layouts)
    needed = {v for v in draft.outputs if type(v) is Var}
    for eq in found:
        needed.update(v for v in eq.inputs if type(v) is Var)
    for eq in found:
        if type(eq) is Group:
            eq.outputs = [v for inner in eq.equations for v in inner.outputs if v in needed or _is_sum(inner)]
    return found


def _grouped(equations, layouts):
    start = next((k for k, eq in enumerate(equations) if _is_seed(eq, layouts)), None)
    if start is None:
        return list(equations)
    seed = equations[start]
    shape = seed.outputs[0].aval.shape
    before, group, after = list(equations[:start]), [], []
    made, later, barred = set(), set(), False
    rows = any(_is_broadcast(eq, shape) for eq in equations if eq.outputs and eq.outputs[0].aval.shape == shape
               and _is_loop(eq, layouts))
    for eq in equations[start:]:
        if barred or eq.acts or not later.isdisjoint(eq.inputs):
            after.append(eq)
            later.update(eq.outputs)
            barred = barred or eq.acts
        elif _is_loop(eq, layouts) and eq.outputs[0].aval.shape == shape or _ends(eq, shape, rows, made):
            group.append(eq)
            if _ends(eq, shape, rows, made):
                later.update(eq.outputs)
            else:
                made.update(eq.outputs)
        elif made.isdisjoint(eq.inputs):
            before.append(eq)
        else:
            after.append(eq)
            later.update(eq.outputs)
    if len(group) < 2:
        return [*before, *group, *_grouped(after, layouts)] if len(before) == start else [
            *before[:start], *group, *_grouped([*before[start:], *after], layouts)]
    return [*before[:start], *_grouped(before[start:], layouts), Group(group, shape, rows), *_grouped(after, layouts)]


def _is_seed(eq, layouts):
    """Tell whether an equation is worth a group."""
    return _is_loop(eq, layouts) and eq.outputs[0].aval.size * eq.outputs[0].aval.dtype.itemsize >= LARGE


def _is_loop(eq, layouts):
    """Tell whether an equation runs a ufunc over compact arrays."""
    # Powers are computed in other ways near the ends of an array.
    return (eq.prim.ufunc is not None and eq.prim.ufunc[0] is not np.power and not eq.params
            and eq.outputs[0] in layouts.compact and all(map(layouts.is_compact, eq.inputs))
            and all(v.aval.dtype.kind in "fbi" for v in (*eq.inputs, *eq.outputs)))


def _is_broadcast(eq, shape):
    return any(v.aval.ndim and v.aval.shape != shape for v in eq.inputs)


def _is_sum(eq):
    return eq.prim.reduces is np.add


def _ends(eq, shape, rows, made):
    """Tell whether an equation is a sum that blocks add up; the bits of one by products depend on the whole."""
    given = eq.inputs[0].aval
    if not _is_sum(eq) or eq.inputs[0] not in made or given.dtype.kind != "f" or by_products(given):
        return False
    axes, keepdims = eq.params
    if rows:
        return 0 not in axes or axes == (0,) and len(shape) == 2
    return len(axes) == len(shape) and not keepdims


def pairwise(size, length):
    """`(start, stop, merges)` of each block: what NumPy's pairwise sum adds up first, and how many sums end with it."""
    if size <= length:
        return [(0, size, 0)]
    half = size // 2
    half -= half % 8
    left = pairwise(half, length)
    right = [(a + half, b + half, m) for a, b, m in pairwise(size - half, length)]
    a, b, m = right[-1]
    return [*left, *right[:-1], (a, b, m + 1)]


def write_group(source, group, leaving, held):
    """Write a group into NumPy source."""
    width = prod(group.shape[1:])
    size = group.shape[0] * width
    itemsize = max(eq.outputs[0].aval.dtype.itemsize for eq in group.equations)
    length = max(group.block // itemsize, 1)
    if group.rows:
        step = max(length // width, 1)
        blocks = [(k, min(k + step, group.shape[0])) for k in range(0, group.shape[0], step)]
    elif any(map(_is_sum, group.equations)):
        blocks = pairwise(size, length)
    else:
        blocks = [(k, min(k + length, size)) for k in range(0, size, length)]
    longest = max(b[1] - b[0] for b in blocks)
    return _Writer(source, group, leaving, held).write(blocks, longest)


class _Writer:
    """The lines of one group."""

    def __init__(self, source, group, leaving, held):
        self.source, self.group, self.leaving, self.held = source, group, leaving, held
        self.sliced = []  # (name in the loop, array)
        self.local = {}  # variable -> its name in the loop
        self.free = {}  # (dtype, shape behind the first axis) -> names of buffers of a block

    def write(self, blocks, longest):
        source, group = self.source, self.group
        outs = set(group.outputs)
        sums = []
        for v in group.inputs:
            self.take(v)
        for eq in group.equations:
            if _is_sum(eq):
                sums.append((eq, self.result(eq)))
            else:
                for v in eq.outputs:
                    if v in outs:
                        self.whole(v)
        body = source.lines
        source.lines = []
        indent = source.indent
        source.indent += 1
        self.body(outs, longest, sums)
        source.scope(False)
        inner, source.lines = source.lines, body
        source.indent = indent
        uneven = len(blocks[0]) == 3
        if self.buffers:
            source.write(f"n = {longest}")
            source.write(f"{', '.join(t for t, _ in self.buffers)}, = {', '.join(b for _, b in self.buffers)},")
        source.write(f"for {'i, j, m' if uneven else 'i, j'} in {source.object(blocks, 'blocks')}:")
        source.indent += 1
        for name, array in self.sliced:
            source.write(f"{name} = {array}[i:j]")
        if self.buffers:
            source.write("if j - i != n:")
            source.indent += 1
            source.write("n = j - i")
            parts = ", ".join(f"{whole}[:n]" for _, whole in self.buffers)
            source.write(f"{', '.join(name for name, _ in self.buffers)}, = {parts},")
        source.indent = indent
        source.lines += inner
        if not group.rows:
            for _, name in sums:
                source.write(f"{name}, = {name}")

    def take(self, v):
        """Make an operand known in the loop."""
        source, shape = self.source, self.group.shape
        if not v.aval.shape:
            return
        if self.group.rows and not (v.aval.ndim == len(shape) and v.aval.shape[0] == shape[0]):
            return
        text = source.ref(v)
        if not self.group.rows and len(shape) > 1:
            flat = source.name(Var(v.aval), "f")
            source.write(f"{flat} = {text}.reshape(-1)")
            text = flat
        self.slice(v, text)

    def slice(self, v, text):
        self.local[v] = name = self.source.name(Var(v.aval), "x")
        self.sliced.append((name, text))

    def whole(self, v):
        """Make an array for a result that leaves the group."""
        source = self.source
        if source.memory.takes(v, self.leaving):
            source.names[v] = name = source.memory.buffer(v, self.held)
        else:
            name = source.name(v)
            source.write(f"{name} = {source.object(np.empty, 'empty')}({v.aval.shape!r}, "
                         f"{source.object(v.aval.dtype, 'dtype')})")
        if not self.group.rows and len(self.group.shape) > 1:
            flat = source.name(Var(v.aval), "f")
            source.write(f"{flat} = {name}.reshape(-1)")
            name = flat
        self.slice(v, name)

    def result(self, eq):
        """Make what a sum goes into; returns its name."""
        source, v = self.source, eq.outputs[0]
        name = source.name(v, "s")
        if not self.group.rows:
            source.write(f"{name} = []")
        elif 0 in eq.params[0]:
            source.write(f"{name} = None")
        else:
            source.write(f"{name} = {source.object(np.empty, 'empty')}({v.aval.shape!r}, "
                         f"{source.object(v.aval.dtype, 'dtype')})")
        return name

    def body(self, outs, longest, sums):
        source, group = self.source, self.group
        self.buffers = []
        last = {}
        for k, eq in enumerate(group.equations):
            for v in eq.inputs:
                last[v] = k
        names = {id(eq): name for eq, name in sums}
        lying = {}
        for k, eq in enumerate(group.equations):
            source.where = eq.line
            source.scope(eq.quiet)
            args = [self.ref(v) for v in eq.inputs]
            if _is_sum(eq):
                self.add(eq, names[id(eq)], args[0])
            elif eq.prim is PULLBACK:
                self.pull(eq, outs, longest)
                for w in eq.inputs:  # what it gives may be parts of what it was given
                    lying.pop(w, None)
            else:
                v = eq.outputs[0]
                dying = [w for w in dict.fromkeys(eq.inputs) if w in lying and last[w] == k]
                if v not in self.local:
                    kind = v.aval.dtype, v.aval.shape[1:] if group.rows else ()
                    same = [w for w in dying if lying[w][0] == kind]
                    if same:
                        entry = lying.pop(same[0])
                    elif self.free.get(kind):
                        entry = kind, self.free[kind].pop()
                    else:
                        entry = kind, self.block_buffer(kind, longest)
                    lying[v] = entry
                    self.local[v] = entry[1]
                ufunc = eq.prim.ufunc[0]
                target = into(ufunc, self.local[v])
                source.write(f"{source.object(ufunc, ufunc.__name__)}({', '.join(args)}, {target})")
            for w in dict.fromkeys(eq.inputs):
                if w in lying and last[w] == k:
                    kind, name = lying.pop(w)
                    self.free.setdefault(kind, []).append(name)

    def pull(self, eq, outs, longest):
        """Call a reverse rule on a block."""
        source = self.source
        ct, *saved = eq.inputs
        if type(ct) is Literal:
            whole = source.object(np.full(longest, ct.value, eq.outputs[0].aval.dtype), "full")
            given = f"{whole}[:j - i]"
        else:
            given = self.ref(ct)
        back = source.object(eq.params[0], "back")
        args = [given, *[source.object(v.value, "k") if type(v) is Literal else self.ref(v) for v in saved]]
        names = [source.name(Var(None), "t") for _ in eq.outputs]
        source.write(f"{', '.join(names)}, = {source.object(self.group.called, 'called')}({back}, {len(names)}, "
                     f"{', '.join(args)})")
        for v, name in zip(eq.outputs, names):
            if v in outs:
                source.write(f"{source.object(np.copyto, 'copyto')}({self.local[v]}, {name})")
            else:
                self.local[v] = name

    def ref(self, v):
        return self.local[v] if v in self.local else self.source.ref(v)

    def block_buffer(self, kind, longest):
        """The name in the loop of a buffer for a block."""
        source = self.source
        dtype, rest = kind
        out = Var(SimpleNamespace(shape=(longest, *rest), dtype=dtype, ndim=1 + len(rest),
                                  size=longest * int(np.prod(rest))))
        whole = source.memory.buffer(out, self.held)
        name = source.name(Var(None), "t")
        self.buffers.append((name, whole))
        return name

    def add(self, eq, name, x):
        """Add up a sum of a block."""
        source = self.source
        axes, keepdims = eq.params
        reduce = source.object(np.add.reduce, "sum_over")
        if not self.group.rows:
            source.write(f"{name}.append({reduce}({x}))")
            source.write(f"for _ in range(m): {name}[-2:] = [{name}[-2] + {name}[-1]]")
        elif 0 not in axes:
            source.write(f"{reduce}({x}, {axes!r}, None, {name}[i:j], {keepdims})")
        else:
            source.write(f"{name} = {source.object(onto, 'onto')}({name}, {x}, {keepdims})")


def onto(total, rows, keepdims):
    """A sum over the first axis that goes on, row after row, from what was added up before."""
    if total is None:
        return np.add.reduce(rows, axis=0, keepdims=keepdims)
    for row in rows:
        np.add(total, row, total)
    return total
