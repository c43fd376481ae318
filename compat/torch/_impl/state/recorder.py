"""The recorder of the profiler: what ran, from when to when, one span for each operation, node and label."""

import os
import sys
import threading
import time
import weakref
from bisect import bisect_left

import numpy as np

from ..... import _engine
from ..graph.node import AccumulateGrad
from ..graph.node_data import visible
from ..modes.modes import MODES
from ..types.tensor_type import TensorBase

FORWARD, BACKWARD, LABEL = 0, 1, 7  # torch's numbers of the scopes


class Span:
    """One thing that ran; times are nanoseconds of the performance counter, `end` is 0 while it runs."""

    __slots__ = ("concrete", "dtypes", "end", "flops", "fwd_thread", "name", "number", "scope", "sequence",
                 "shapes", "stack", "start", "structured", "thread")

    def __init__(self, name, scope, number):
        self.name = name
        self.scope = scope
        self.number = number
        self.sequence = -1
        self.fwd_thread = None
        self.flops = self.end = 0
        self.shapes = self.structured = self.dtypes = self.concrete = self.stack = ()


class Recorder:
    """Collects spans of one context (a thread, or a task) while a profile runs.

    Args:
        shapes: note the shapes of arguments.
        memory: note what tensors take and give back.
        stack: note the user's lines.
    """

    def __init__(self, shapes=False, memory=False, stack=False):
        self.shapes = shapes
        self.memory = memory
        self.stack = stack
        self.spans = []
        self.records = []  # (time, bytes) of tensors that came and, with a minus, of those that died
        self.threads = {}
        self.makers = Makers()
        self.watched = {}  # id of an array -> a weak reference whose callback notes that it died
        self.start = time.perf_counter_ns()
        self.stop = None

    def begin(self, name, args=(), kwargs=None, scope=FORWARD):
        """A new span."""
        span = Span(name, scope, len(self.spans) + 1)
        self.spans.append(span)
        span.thread = self.threads.setdefault(threading.get_ident(), len(self.threads) + 1)
        if self.shapes:
            note_arguments(span, (*args, *(kwargs or {}).values()))
        if self.stack:
            span.stack = lines()
        span.start = time.perf_counter_ns()
        return span

    def finish(self, span, out=None):
        """The end of a span, and what it made."""
        span.end = time.perf_counter_ns()
        made = [t for t in (out if isinstance(out, tuple | list) else (out,)) if isinstance(t, TensorBase)]
        if made and span.name.startswith("aten::conv") and len(span.shapes) > 1:
            span.flops = int(2 * np.prod(shape_of(made[0])) * np.prod(span.shapes[1][1:]))
        if self.memory:
            for t in made:
                self.take(span, t.value)

    def take(self, span, array):
        """Note the memory of a new array that owns it."""
        # A view owns no memory, and an array that is watched has been counted.
        if type(array) is not np.ndarray or array.base is not None or id(array) in self.watched:
            return
        # The callback holds the id and the size alone: with the array in it, that would never die.
        key, size = id(array), array.nbytes
        self.records.append((span.end, size))

        def died(_):
            self.watched.pop(key, None)
            if self.stop is None:
                self.records.append((time.perf_counter_ns(), -size))

        self.watched[key] = weakref.ref(array, died)

    def run(self, name, fn, args, kwargs=None, given=()):
        """`fn(*args)` in a span; `given` are the arguments to note."""
        span = self.begin(name, given, kwargs)
        first = self.makers.before()
        out = None
        try:
            out = fn(*args)
        finally:
            self.finish(span, out)
            span.sequence = sequence_of(out)
            self.makers.note(first, span.sequence, span.sequence)
        return out

    def node(self, node, ct, drive):
        """A node's turn in a sweep."""
        span = self.begin(f"autograd::engine::evaluate_function: {node.name()}")
        self.place(span, node)
        try:
            return node.run_watched(ct, drive)
        finally:
            self.finish(span)

    def place(self, span, node):
        """Note which operation a node belongs to; that of a leaf belongs to none."""
        number = -node.seq
        span.sequence = -1 if isinstance(node, AccumulateGrad) else self.makers.of(number, number)
        span.fwd_thread = span.thread

    def rule(self, node, ct, drive):
        """A node's rule."""
        span = self.begin(node.name(), ct if type(ct) is tuple else (ct,), scope=BACKWARD)
        self.place(span, node)
        out = None
        try:
            out = node.apply(ct, drive)
        finally:
            self.finish(span)
            if self.memory:
                for c in out if type(out) is tuple else (out,):
                    self.take(span, c)
        return out

    def close(self):
        """The profile ends: what still runs ends with it."""
        self.stop = time.perf_counter_ns()
        for span in self.spans:
            span.end = span.end or self.stop
        self.watched.clear()


class Makers:
    """The operation that made each node: its nodes are numbered from the one before it to that of its output."""

    def __init__(self):
        self.lasts = []
        self.found = []  # (the number before the first node, what is known of the operation)

    @staticmethod
    def before():
        """A number below those of all nodes to come."""
        # Nodes are numbered downwards here, upwards in PyTorch.
        return -_engine.next_seq()

    def note(self, first, last, value):
        """Note an operation that made nodes; -1 made none."""
        if last >= 0:
            self.lasts.append(last)
            self.found.append((first, value))

    def of(self, number, unknown):
        """The operation that made a node, or `unknown`."""
        i = bisect_left(self.lasts, number)
        return self.found[i][1] if i < len(self.lasts) and self.found[i][0] < number else unknown


def sequence_of(out):
    """The number of the node of an output; -1 without one."""
    for t in out if isinstance(out, tuple | list) else (out,):
        if isinstance(t, TensorBase) and t.node is not None:
            return -visible(t.node)[0].seq
    return -1


def recording():
    """The recorder that runs here, or None."""
    m = MODES.get()
    return None if m is None else m.recorder


def traced(name, fn, args, kwargs):
    """`fn(*args, **kwargs)`, in a span where a profile runs."""
    m = MODES.get()
    if m is None or m.recorder is None:
        return fn(*args, **kwargs)
    return m.recorder.run(name, lambda: fn(*args, **kwargs), (), kwargs, args)


def aten(name):
    """`aten::linalg_inv` for `linalg.inv`."""
    head, _, tail = name.rpartition(".")
    return f"aten::{tail}" if head in ("", "nn.functional") else f"aten::{head.rpartition('.')[2]}_{tail}"


def aten_of_view(node_name):
    """`aten::select` for `SelectBackward0`."""
    stem = node_name.rpartition("Backward")[0]
    return "aten::" + "".join(f"_{c.lower()}" if c.isupper() else c for c in stem).lstrip("_")


def note_arguments(span, args):
    """Shapes, dtypes and plain values of arguments; `[]` stands for what has no shape."""
    span.shapes = [shape_of(x) for x in args]
    span.structured = [[shape_of(v) for v in x] if _tensors(x) else shape_of(x) for x in args]
    span.dtypes = [str(x.dtype).removeprefix("torch.") if hasattr(x, "dtype") else
                   "TensorList" if _tensors(x) else "Scalar" if isinstance(x, bool | int | float | complex) else ""
                   for x in args]
    span.concrete = [x if isinstance(x, bool | int | float | complex | str) else None for x in args]
    span.flops = flops(span.name, span.shapes)


def shape_of(x):
    """The shape of a tensor or array as a list; `[]` for all else."""
    return [int(n) for n in x.shape] if isinstance(x, TensorBase | np.ndarray) else []


def _tensors(x):
    return isinstance(x, tuple | list) and len(x) > 0 and all(isinstance(v, TensorBase) for v in x)


def flops(name, shapes):
    """Multiplications and additions of products, convolutions and elementwise sums and products; 0 for all else."""
    name = name.removeprefix("aten::").removesuffix("_")
    sizes = [s for s in shapes if s]
    if name in ("add", "sub", "mul", "div", "subtract", "multiply", "divide"):
        return int(np.prod(np.broadcast_shapes(*sizes[:2]), dtype=np.int64)) if sizes else 1
    if name in ("addmm", "baddbmm", "addmv", "addbmm"):
        sizes = sizes[-2:]
    if name in ("mm", "bmm", "matmul", "mv", "dot", "addmm", "baddbmm", "addmv", "addbmm", "linear"):
        if len(sizes) < 2:
            return 0
        x, y = sizes[:2]
        if name == "linear":
            y = y[::-1]
        columns = y[-1] if len(y) > 1 else 1
        batch = np.broadcast_shapes(tuple(x[:-2]), tuple(y[:-2]))
        return int(2 * np.prod(batch, dtype=np.int64) * (x[-2] if len(x) > 1 else 1) * x[-1] * columns)
    return 0


def lines():
    """The user's frames, innermost first: `file.py(8): loss`."""
    found = []
    here = os.getcwd() + os.sep
    frame = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_engine.LIBRARY_FOLDERS):
            found.append(f"{code.co_filename.removeprefix(here)}({frame.f_lineno}): {code.co_name}")
        frame = frame.f_back
    return found
