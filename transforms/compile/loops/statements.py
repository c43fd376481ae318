"""The loop IR: statements of a native function, independent of machine and target language."""

from math import prod

import numpy as np

from ....core.types import Any
from .symbols import arranged

STOPPED, OUTSIDE = 1.0, 2.0  # in place of 0 in the last output: a signal, or a place out of bounds, ended the function
_ORIGIN = np.zeros(1, np.int8)
_START = _ORIGIN.__array_interface__["data"][0]


class Memory:
    """So many elements of one kind: an input, an output, a constant, or scratch memory of the function."""

    __slots__ = ("kind", "size", "role", "index", "array")

    def __init__(self, kind, size, role="scratch", index=0, array=None):
        self.kind = kind
        self.size = size  # None where it is known when the function is called
        self.role = role  # "input", "output", "constant", "scratch", or "cell": scratch memory that fits in registers
        self.index = index  # which input or output; the offset of scratch memory, in bytes
        self.array = array  # of a constant


class Place:
    """Addresses of the elements of an array: `memory[offset + Σ index · stride + Σ counter · step]`.

    A counter is the `Counter` of a loop around, or a `Value` of kind i64.
    """

    __slots__ = ("memory", "offset", "shape", "strides", "moving")

    def __init__(self, memory, shape, strides=None, offset=0, moving=()):
        self.memory = memory
        self.offset = offset
        self.shape = tuple(shape)
        self.strides = compact_strides(shape) if strides is None else tuple(strides)
        self.moving = moving  # (counter, step) pairs

    @property
    def kind(self):
        return self.memory.kind

    @property
    def size(self):
        return prod(self.shape)

    def seen(self, change):
        """The place of a view, which `change` makes; None where it raises. It may not copy: there are no elements."""
        fake = np.lib.stride_tricks.as_strided(_ORIGIN, self.shape, self.strides)
        try:
            found = change(fake)
        except ValueError:
            return None
        source = found
        while isinstance(source, np.ndarray):
            if source.flags.owndata:  # a copy
                return None
            source = source.base
        if type(found) is not np.ndarray:
            raise TypeError("a view of one element must be an array without axes")
        return Place(self.memory, found.shape, found.strides,
                     self.offset + found.__array_interface__["data"][0] - _START, self.moving)

    def laid(self, shape, strides, further=0):
        """The place under another shape and strides, so many elements further on."""
        return Place(self.memory, shape, strides, self.offset + further, self.moving)

    def reshaped(self, shape):
        """The place in another shape; None where no strides give it."""
        return self.seen(lambda a: np.reshape(a, shape, copy=False))

    def spread(self, shape):
        """The place broadcast to a shape."""
        if shape == self.shape:
            return self
        ahead = len(shape) - len(self.shape)
        strides = [0] * ahead + [0 if n == 1 else s for n, s in zip(self.shape, self.strides)]
        return self.laid(shape, strides)

    def row(self, counter):
        """The place of the row that a counter says."""
        return Place(self.memory, self.shape[1:], self.strides[1:], self.offset,
                     (*self.moving, (counter, self.strides[0])))

    def turned(self):
        """The place of the transpose."""
        return self.laid(self.shape[::-1], self.strides[::-1])

    def lying(self):
        """The layout of a matrix for BLAS: whether along rows, and the distance of its lines."""
        (n, m), (down, right) = self.shape, self.strides
        along = (right == 1 or m == 1) and (down >= m or n == 1)
        return along, max(down, m) if along else max(right, n)

    def element(self, index):
        """The place of one element."""
        return self.laid((), (), sum(i * s for i, s in zip(index, self.strides)))


def compact_strides(shape):
    """The strides, in elements, of an array whose elements lie in order."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(strides[::-1])


def is_compact(place):
    """Tell whether the elements at a place lie in order, without gaps."""
    return all(n == 1 or a == b for n, a, b in zip(place.shape, place.strides, compact_strides(place.shape)))


class Value:
    """One element under work."""

    __slots__ = ("kind",)

    def __init__(self, kind):
        self.kind = kind


class Const:
    """A number."""

    __slots__ = ("value", "kind")

    def __init__(self, value, kind):
        self.value = value
        self.kind = kind


class Step:
    """`outs[k] = name(args[0][k], args[1][k], …)` for each k, computed in `kind`: one operation on a few values."""

    __slots__ = ("name", "kind", "outs", "args")

    def __init__(self, name, kind, outs, args):
        self.name = name
        self.kind = kind
        self.outs = outs
        self.args = args


class Load:
    """The elements at a place as values; they lie in order."""

    __slots__ = ("outs", "place")

    def __init__(self, outs, place):
        self.outs = outs
        self.place = place


class Store:
    """Values into a place; its elements lie in order."""

    __slots__ = ("values", "place")

    def __init__(self, values, place):
        self.values = values
        self.place = place


class Bound:
    """`out` is `value`, or `value + count` where that is negative: a place on an axis of `count` elements, of kind i64.

    Where it is not from 0 to `count - 1`, the function ends at once: it stores `OUTSIDE` in its last output, and its
    caller runs the slow function, which raises as NumPy does. Until then outputs may have been written in part.
    """

    __slots__ = ("out", "value", "count")

    def __init__(self, out, value, count):
        self.out = out
        self.value = value
        self.count = count


class Require:
    """The function ends at once, as at a `Bound`, unless a mask holds."""

    __slots__ = ("flag",)

    def __init__(self, flag):
        self.flag = flag


class Nest:
    """Steps for every element of a shape, in any order.

    `loads` and `stores` are (value, place) pairs, `folds` (name, value, place) triples: the place, whose strides over
    folded axes are 0, is folded with each value; it holds a value before.
    """

    __slots__ = ("shape", "loads", "steps", "stores", "folds")

    def __init__(self, shape, loads=(), steps=(), stores=(), folds=()):
        self.shape = tuple(shape)
        self.loads = list(loads)
        self.steps = list(steps)
        self.stores = list(stores)
        self.folds = list(folds)


class Product:
    """`out = x @ y` of matrices, by a library; `x`, `y` and `out` have two axes, one of which has unit stride."""

    __slots__ = ("x", "y", "out")

    def __init__(self, x, y, out):
        self.x = x
        self.y = y
        self.out = out

    def by_rows(self):
        """`(x, y, out)` whose `out` lies along rows: these, or their transposes."""
        if self.out.strides[1] == 1 or self.out.shape[1] == 1:
            return self.x, self.y, self.out
        return self.y.turned(), self.x.turned(), self.out.turned()

    def call(self):
        """`(name, arguments)` of the function of BLAS: flags by name, integers, factors, places of first elements."""
        x, y, out = self.by_rows()
        (n, k), m, ways = x.shape, y.shape[1], ("Trans", "NoTrans")
        (along_x, line_x), (along_y, line_y) = x.lying(), y.lying()
        if m == 1 or n == 1:
            vector, matrix, along, line = (y, x, along_x, line_x) if m == 1 else (x, y, along_y, line_y)
            step = 1 if k == 1 else vector.strides[0] if m == 1 else vector.strides[1]
            rows, columns = matrix.shape if along else matrix.shape[::-1]
            into = 1 if max(n, m) == 1 else out.strides[0] if m == 1 else out.strides[1]
            if step > 0 and into > 0:
                return "gemv", ("RowMajor", ways[along == (m == 1)], rows, columns, 1.0, matrix, line, vector, step,
                                0.0, out, into)
        return "gemm", ("RowMajor", ways[along_x], ways[along_y], n, m, k, 1.0, x, line_x, y, line_y, 0.0, out,
                        max(out.strides[0], m))


class Call:
    """A call of another kernel, whose inputs and outputs, the last one included, begin at these places.

    It works with `scratch`, a place, if it needs memory. The arrays of a kernel for rows of any length, which have
    `extent` elements in it, have as many elements here as `extents` says first; second, how often `extent` goes into
    these, rounded up. `short`: they are fewer than a vector has. LLVM alone renders it.
    """

    __slots__ = ("kernel", "given", "scratch", "extent", "extents", "short")

    def __init__(self, kernel, given, scratch, extent=None, extents=(), short=False):
        self.kernel = kernel
        self.given = given
        self.scratch = scratch
        self.extent = extent
        self.extents = extents
        self.short = short

    def places(self):
        """The places that it reads or writes."""
        return [*self.given, *[self.scratch] * (self.scratch is not None)]


class UfuncCall:
    """A call of a loop over matrices or vectors: operands and results are places of as many of them as there are.

    `signature` names their axes, as "(m,n),(n)->(m)" does.
    """

    __slots__ = ("loop", "signature", "operands")

    def __init__(self, loop, signature, operands):
        self.loop = loop
        self.signature = signature
        self.operands = operands

    def places(self):
        return self.operands

    def numbers(self):
        """The lengths of axes and the distances in bytes, as the loop takes them."""
        lengths = {"": self.operands[0].shape[0]}
        steps, inside = [], []
        for place, part in zip(self.operands, axes_of(self.signature), strict=True):
            size = BYTES[place.kind]
            steps.append(place.strides[0] * size)
            for axis, length, stride in zip(part, place.shape[1:], place.strides[1:]):
                lengths.setdefault(axis, length)
                inside.append(stride * size)
        return [*lengths.values()], [*steps, *inside]


def axes_of(signature):
    """The names of the axes of each operand and result of a ufunc."""
    parts = signature.replace(" ", "").replace("->", ",")[1:-1].split("),(")
    return [part.split(",") if part else [] for part in parts]


class Counter:
    """The index of a loop."""

    __slots__ = ()


class Loop:
    """`body` for `counter` = `start`, `start + step`, … as long as it is less than `count`, in this order.

    All three are ints, or `Value`s of kind i64, and so is the counter where steps compute with it. A loop over all of
    0, 1, …, `count` - 1 may go backwards.
    """

    __slots__ = ("counter", "count", "reverse", "body", "start", "step", "vectors")

    def __init__(self, counter, count, reverse, body, start=0, step=1, vectors=None):
        self.counter = counter
        self.count = count
        self.reverse = reverse
        self.body = body
        self.start = start
        self.step = step
        self.vectors = vectors  # whether a compiler may take several turns at a time; None where it knows itself


class Ranges:
    """`body` for `counter` = 0, 1, …, `count` - 1, in any order: turns may run at the same time, or as a `Loop`.

    No turn reads or writes what another writes. The body is nests.
    """

    __slots__ = ("counter", "count", "body")

    def __init__(self, counter, count, body):
        self.counter = counter
        self.count = count
        self.body = body


class While:
    """`test`, and `body` while the flag that `test` stores is set, again and again."""

    __slots__ = ("test", "flag", "body")

    def __init__(self, test, flag, body):
        self.test = test
        self.flag = flag
        self.body = body


class Branch:
    """`yes` where the flag, a place or a value, is set, `no` elsewhere."""

    __slots__ = ("flag", "yes", "no")

    def __init__(self, flag, yes, no):
        self.flag = flag
        self.yes = yes
        self.no = no


class Kernel:
    """A native function: what it is given, what it gives, the memory that it needs, and its statements."""

    __slots__ = ("inputs", "outputs", "statements", "given", "scratch", "work")

    def __init__(self, inputs, outputs, statements):
        self.inputs = inputs  # of `Memory`
        self.outputs = outputs
        self.statements = statements
        self.given: Any = ()  # values beside the inputs
        self.scratch = 0  # bytes
        self.work = 0.0  # operations on elements, about


def inner(statement):
    """The lists of statements inside of one."""
    if type(statement) in (Loop, Ranges):
        return (statement.body,)
    if type(statement) is While:
        return (statement.test, statement.body)
    if type(statement) is Branch:
        return (statement.yes, statement.no)
    return ()


def walk(statements):
    """Every statement, and those of its bodies behind it."""
    for statement in statements:
        yield statement
        for body in inner(statement):
            yield from walk(body)


def places(statement):
    """The places that a statement itself reads or writes."""
    kind = type(statement)
    if kind is Load or kind is Store:
        return (statement.place,)
    if kind is Nest:
        return [p for _, p in statement.loads] + [p for _, p in statement.stores] + [p for *_, p in statement.folds]
    if kind is Product:
        return (statement.x, statement.y, statement.out)
    if kind is While or kind is Branch:
        return (statement.flag,) if type(statement.flag) is Place else ()
    return statement.places() if hasattr(statement, "places") else ()


def values(statement):
    """The values that a statement itself reads."""
    kind, read = type(statement), []
    if kind is Step:
        read = [v for part in statement.args for v in part]
    elif kind is Store:
        read = statement.values
    elif kind is Nest:
        read = [*[a[0] for step in statement.steps for a in step.args], *[v for v, _ in statement.stores],
                *[v for _, v, _ in statement.folds]]
    return [v for v in read if type(v) is Value]


# The element kinds of native code, and their dtypes.

KINDS: Any = {np.dtype(kind): name for kind, name in (
    (np.float64, "f64"), (np.float32, "f32"), (np.int64, "i64"), (np.int32, "i32"), (np.uint64, "u64"),
    (np.uint32, "u32"), (np.bool_, "b8"))}
DTYPES = {kind: dtype for dtype, kind in KINDS.items()}
BYTES = {"f64": 8, "f32": 4, "i64": 8, "i32": 4, "u64": 8, "u32": 4, "b8": 1, "f16": 2}  # in memory


def held(kind):
    """The kind of a value that is an element of a kind in memory: the bits of a half, which nothing computes with."""
    return "i32" if kind == "f16" else kind


# Constants of a graph, as immediate values or in memory.

FEW = 16  # elements of an array that are values of their own
_STARTS = {"add": 0, "multiply": 1, "maximum": -np.inf, "minimum": np.inf, "bitwise_or": False, "bitwise_and": True}


def zero(kind):
    """The number 0 in a kind."""
    return Const({"f": 0.0, "i": 0, "u": 0, "b": False}[kind[0]], kind)


def start_of(name, kind):
    """The neutral element of a reduction."""
    start = _STARTS[name]
    if kind[0] in "iu" and name[:3] in ("max", "min"):
        bounds = np.iinfo(DTYPES[kind])
        return int(bounds.min if start < 0 else bounds.max)
    return float(start) if kind[0] == "f" else start


def constant(v):
    """A literal as values, or as a Place in its own memory."""
    array = np.asarray(v.value)
    kind = KINDS[array.dtype]
    if array.size <= FEW:
        return arranged([Const(x, kind) for x in array.reshape(-1).tolist()], array.shape)
    if not any(array.strides):
        return np.broadcast_to(arranged(Const(array.flat[0].item(), kind)), array.shape)
    if any(s % array.itemsize for s in array.strides) or not array.flags.aligned:
        array = np.ascontiguousarray(array)
    return Place(Memory(kind, array.size, "constant", 0, array), array.shape,
                 [s // array.itemsize for s in array.strides])


def cast_constant(value, kind):
    """A number in another kind."""
    if kind == value.kind:
        return value
    with np.errstate(all="ignore"):
        return Const(np.asarray(value.value, DTYPES[value.kind]).astype(DTYPES[kind]).item(), kind)
