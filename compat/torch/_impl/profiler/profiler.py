"""torch.autograd.profiler: profile, record_function, and ranges for external profilers."""

import contextlib
import itertools
import json
import os
import sys
import warnings
from bisect import bisect_left, bisect_right

from ..graph.node import AccumulateGrad
from ..modes.modes import modes, set_modes
from ..state.recorder import BACKWARD, FORWARD, LABEL, Makers, Recorder, recording, sequence_of, shape_of
from .events import (
    MEMORY_EVENT_NAME,
    EventList,
    FunctionEvent,
)

# Ranges for the profilers of others: what runs, pushed and popped through a library of theirs.


class Ranges:
    """Stands where the profiler's recorder does, and hands each span on.

    Args:
        push, pop: start a range of a name; end the newest.
        shapes: add the shapes of arguments to the names.
    """

    def __init__(self, push, pop, shapes):
        self.push = push
        self.pop = pop
        self.shapes = shapes
        self.count = 0
        self.makers = Makers()

    def begin(self, name, args=(), kwargs=None, scope=LABEL):
        """Start a range."""
        if self.shapes and scope != LABEL:
            name += f", sizes = {[shape_of(x) for x in (*args, *(kwargs or {}).values())]}"
        self.push(name)
        return Range()

    def finish(self, span, out=None):
        """End it."""
        span.end = True
        self.pop()

    def run(self, name, fn, args, kwargs=None, given=()):
        """`fn(*args)` in a range."""
        number = self.count
        self.count += 1
        first = self.makers.before()
        span = self.begin(f"{name}, seq = {number}", given, kwargs, FORWARD)
        out = None
        try:
            out = fn(*args)
        finally:
            self.finish(span)
            self.makers.note(first, sequence_of(out), number)
        return out

    def node(self, node, ct, drive):
        """A node's turn in a sweep: the range is that of its rule."""
        return node.run_watched(ct, drive)

    def rule(self, node, ct, drive):
        """A node's rule, under the number of the operation that made it; -1 for one made before."""
        number = -1 if isinstance(node, AccumulateGrad) else self.makers.of(-node.seq, -1)
        span = self.begin(f"{node.name()}, stashed seq = {number}", ct if type(ct) is tuple else (ct,), scope=BACKWARD)
        try:
            return node.apply(ct, drive)
        finally:
            self.finish(span)


class Range:
    """A range that runs."""

    end = False


def nvtx():
    """`(push, pop)` of the library for NVTX that the program has imported."""
    found = sys.modules.get("nvtx")
    if found is not None:
        return found.push_range, found.pop_range
    cupy = sys.modules.get("cupy")
    if cupy is not None:
        return cupy.cuda.nvtx.RangePush, cupy.cuda.nvtx.RangePop
    raise RuntimeError("emit_nvtx emits ranges for NVIDIA's profilers, and neither nvtx nor cupy has been imported; "
                       "import one of them, or use torch.autograd.profiler.profile, which needs no other library")


def itt():
    """`(push, pop)` of the library for ITT."""
    found = sys.modules.get("ittapi")
    if found is None:
        raise RuntimeError("emit_itt emits ranges for Intel's VTune, and ittapi has not been imported; import it, or "
                           "use torch.autograd.profiler.profile, which needs no other library")
    domain = found.domain("covector.compat.torch")
    return (lambda name: found.task_begin(domain, found.string_handle(name))), lambda: found.task_end(domain)


STEP = "ProfilerStep#"  # begins the label of a step of a loop; all of them count as one name


def kineto_available():
    """Return whether PyTorch's Kineto collects the events, which is never the case here.

    >>> import covector.compat.torch as torch
    >>> torch.autograd.kineto_available()
    False
    """
    return False


def _profiler_enabled():
    """Return whether a profile is running."""
    return recording() is not None


class profile:  # noqa: N801 (torch's name)
    """Record what runs inside, operation by operation and node by node, in this thread.

    Operations are named as PyTorch names them (`aten::mul`), nodes `autograd::engine::evaluate_function: MulBackward0`
    with their rule `MulBackward0` inside, Functions by their class, labels by what `record_function` was given.

    Args:
        enabled: False disables the profile.
        use_cuda, use_device: tensors are on the CPU; anything else emits a warning, and nothing is timed there.
        record_shapes: record the shapes of arguments (and of the gradients that nodes receive).
        with_flops: count multiplications and additions of products, convolutions, elementwise sums and products.
        profile_memory: count the bytes of tensors that are allocated and freed.
        with_stack: record the user's lines.
        with_modules, use_kineto, acc_events, custom_trace_id_callback, post_processing_timeout_s: accepted;
            with `acc_events` the events of a second run are added.
        use_cpu: False leaves nothing to time, and raises.
        experimental_config, activity_filters: not supported.

    >>> import covector.compat.torch as torch
    >>> x = torch.ones(2, 2, requires_grad=True)
    >>> with torch.autograd.profiler.profile() as prof:
    ...     (x * x).sum().backward()
    >>> [e.key for e in prof.key_averages() if e.key.startswith("aten")]
    ['aten::mul', 'aten::sum']
    """

    def __init__(self, enabled=True, use_cuda=False, record_shapes=False, with_flops=False, profile_memory=False,
                 with_stack=False, with_modules=False, *, use_device=None, use_kineto=False, use_cpu=True,
                 experimental_config=None, acc_events=False, custom_trace_id_callback=None,
                 post_processing_timeout_s=None, activity_filters=None):
        self.enabled = enabled
        self.entered = False
        self._recorder = self._events = None
        self._earlier = []
        self.use_cuda = use_cuda
        self.use_device = checked_device("cuda" if use_cuda else use_device, use_cuda) if enabled else None
        self.record_shapes = record_shapes or with_flops
        self.with_flops = with_flops
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_modules = with_modules
        self.use_cpu = use_cpu
        self.acc_events = acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.trace_id = ""
        if not enabled:
            return
        if not use_cpu:
            raise AssertionError("No activities specified for the profiler" if use_kineto else
                                 "Device-only events supported only with Kineto (use_kineto=True)")
        if post_processing_timeout_s is not None and post_processing_timeout_s < 0:
            raise ValueError("post_processing_timeout_s must be non-negative")
        if experimental_config is not None or activity_filters:
            raise NotImplementedError("profile was given experimental_config or activity_filters, which configure the "
                                      "library that PyTorch collects with; leave them out")

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        if modes().recorder is not None:
            raise RuntimeError("profile cannot start inside another profile, emit_nvtx or emit_itt: one collects "
                               "at a time; end that one first")
        self.entered = True
        if self.custom_trace_id_callback is not None:
            self.trace_id = self.custom_trace_id_callback()
        self._recorder = Recorder(self.record_shapes, self.profile_memory, self.with_stack)
        set_modes(recorder=self._recorder)
        return self

    def __exit__(self, *exc):
        if not self.enabled:
            return
        set_modes(recorder=None)
        self._recorder.close()

    def __repr__(self):
        return repr(self.function_events) if self._finished() else "<unfinished torch.autograd.profile>"

    def __str__(self):
        return str(self.function_events) if self._finished() else "<unfinished torch.autograd.profile>"

    def _finished(self):
        return self._recorder is not None and self._recorder.stop is not None

    @property
    def function_events(self):
        """The events as an EventList, ordered by start time."""
        if self._events is None:
            found = events_of(self._recorder, self.use_device) if self._finished() else []
            events = EventList(found, use_device=self.use_device, profile_memory=self.profile_memory,
                               with_flops=self.with_flops)
            events._build_tree()
            if not self._finished():
                return events
            self._events = events
        return self._events

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
              max_shapes_column_width=80, header=None, top_level_events_only=False):
        """The events as a table; see `EventList.table`."""
        return self.function_events.table(sort_by, row_limit, max_src_column_width, max_name_column_width,
                                          max_shapes_column_width, header, top_level_events_only)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """The sums over events of the same name; see `EventList.key_averages`."""
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self):
        """The sums over all events."""
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self):
        """The time on the CPU in microseconds, each counted once."""
        return self.function_events.self_cpu_time_total

    def export_chrome_trace(self, path):
        """Write the events as a file for `chrome://tracing`."""
        found = [{"ph": "X", "cat": "user_annotation" if e.is_user_annotation else "cpu_op", "name": e.name,
                  "pid": os.getpid(), "tid": e.thread, "ts": e.time_range.start, "dur": e.time_range.elapsed_us(),
                  "args": {"External id": e.id, "Sequence number": e.sequence_nr,
                           "Input Dims": e.structured_input_shapes}}
                 for e in self.function_events if e.name != MEMORY_EVENT_NAME]
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": found}, f)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Write the user's lines with a metric, in the format of flame-graph tools; needs `with_stack`."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self.function_events.export_stacks(path, metric)


def checked_device(device, older):
    """None, after PyTorch's warnings where something else was asked for."""
    if older:
        warnings.warn("The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
                      FutureWarning, stacklevel=3)
    if device in ("cuda", "xpu", "hpu", "mtia"):
        name = device.upper()
        warnings.warn(f"{name} is not available, disabling {name} profiling", UserWarning, stacklevel=3)
    elif device is not None:
        warnings.warn(f"The {device} is not a valid device option.", UserWarning, stacklevel=3)


def events_of(recorder, device):
    """The spans of a recorder as events, and what tensors took or gave back outside all of them."""
    records = sorted(recorder.records)
    times = [t for t, _ in records]
    sums = [0, *itertools.accumulate(size for _, size in records)]
    free = [True] * len(records)
    events = []
    for span in recorder.spans:
        first, last = bisect_left(times, span.start), bisect_right(times, span.end)
        free[first:last] = [False] * (last - first)
        events.append(FunctionEvent(
            id=span.number, name="ProfilerStep*" if span.name.startswith(STEP) else span.name, trace_name=span.name,
            thread=span.thread,
            start_us=(span.start - recorder.start) / 1000, end_us=(span.end - recorder.start) / 1000,
            fwd_thread=span.fwd_thread or 0, input_shapes=list(span.shapes), stack=list(span.stack), scope=span.scope,
            use_device=device, cpu_memory_usage=sums[last] - sums[first], sequence_nr=span.sequence, flops=span.flops,
            concrete_inputs=list(span.concrete), structured_input_shapes=list(span.structured),
            input_dtypes=list(span.dtypes), is_user_annotation=span.scope == LABEL))
    for (when, size), alone in zip(records, free):
        if alone:
            at = (when - recorder.start) / 1000
            events.append(FunctionEvent(id=len(events) + 1, name=MEMORY_EVENT_NAME, thread=1, start_us=at, end_us=at,
                                        fwd_thread=1, input_shapes=[], stack=[], use_device=device,
                                        cpu_memory_usage=size, flops=0))
    return sorted(events, key=lambda e: (e.time_range.start, -e.time_range.end))


class record_function(contextlib.ContextDecorator):  # noqa: N801 (torch's name)
    """A label for the code inside, or for a function that it decorates; without a running profile it does nothing.

    >>> import covector.compat.torch as torch
    >>> with torch.autograd.profiler.profile() as prof:
    ...     with torch.autograd.profiler.record_function("doubling"):
    ...         y = torch.ones(2) * 2
    >>> [e.name for e in prof.function_events]
    ['doubling', 'aten::ones', 'aten::mul']
    """

    def __init__(self, name, args=None):
        if not isinstance(name, str):
            raise RuntimeError(f"record_function needs a string as its name, but got {type(name).__name__}; use str()")
        self.name = name
        self.args = args
        self._open = []

    def __enter__(self):
        recorder = recording()
        self._open.append(None if recorder is None else (recorder, recorder.begin(self.name, scope=LABEL)))
        return self

    def __exit__(self, *exc):
        found = self._open.pop() if self._open else None
        if found is not None and not found[1].end:
            found[0].finish(found[1])


class _Emit:
    """Lets every operation and node emit a range of a library's."""

    library = None
    name = ""

    def __init__(self, enabled=True, record_shapes=False):
        self.enabled = enabled
        self.entered = False
        self.record_shapes = record_shapes

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError(f"{self.name} annotation context manager is not reentrant")
        if modes().recorder is not None:
            raise RuntimeError(f"{type(self).__name__} cannot start inside a profile, emit_nvtx or emit_itt: one "
                               "collects at a time; end that one first")
        push, pop = self.library()
        self.entered = True
        set_modes(recorder=Ranges(push, pop, self.record_shapes))
        return self

    def __exit__(self, *exc):
        if self.enabled:
            set_modes(recorder=None)


class emit_nvtx(_Emit):  # noqa: N801 (torch's name)
    """Emit an NVTX range for every operation and node, for NVIDIA's profilers.

    A range is named `aten::mul, seq = 3`, that of a node's rule `MulBackward0, stashed seq = 3`: the numbers tell which
    operation made which node. Ranges go through CuPy or the package `nvtx`, whichever the program has imported.

    Args:
        enabled: False disables it.
        record_shapes: add `, sizes = [[2, 2], []]` to the names.
    Raises:
        RuntimeError: neither library has been imported.
    """

    name = "NVTX"
    library = staticmethod(nvtx)


class emit_itt(_Emit):  # noqa: N801 (torch's name)
    """Emit an ITT range for every operation and node, for Intel's VTune.

    Args:
        enabled, record_shapes: as for `emit_nvtx`.
    Raises:
        RuntimeError: the package `ittapi` has not been imported.
    """

    name = "ITT"
    library = staticmethod(itt)
