"""torch.autograd.profiler_util: events of a profile, alone, averaged and in lists."""

import enum
import json
import math
import warnings
from collections import namedtuple

# The table of a profile's events.

SPACE = "  "
WIDTH = 12
UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}
SCALES = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")


def table(events, *, sort_by, row_limit, widths, header, memory, flops, top_level, unit):
    """Rows of events under headings; `widths` are those of names, shapes and lines at most."""
    if not events:
        return ""
    if sort_by is not None:
        for older in ("cuda", "xpu", "privateuse1"):
            sort_by = sort_by.replace(older, "device")
        events = sorted(events, key=lambda e: getattr(e, sort_by), reverse=True)
    columns = columns_of(events, widths, memory, flops, unit)
    line = SPACE.join("-" * max(width, 0) for _, width, _, _ in columns) + SPACE
    form = "".join(f"{{: {'<' if left else '>'}{width}}}{SPACE}" for _, width, left, _ in columns)
    text = []
    if header is not None:
        text += ["=" * (len(line) - len(SPACE)), header]
    if top_level:
        text += ["=" * (len(line) - len(SPACE)), "This report only display top-level ops statistics"]
    text += [line, form.format(*[name for name, _, _, _ in columns]), line]
    total = sum(e.self_cpu_time_total for e in events)
    lines = next((k for k, (name, *_) in enumerate(columns) if name == "Source Location"), None)
    rows = 0
    for event in events:
        if rows == row_limit:
            break
        if top_level and event.cpu_parent is not None:
            continue
        rows += 1
        text.append(form.format(*[show(event, total) for _, _, _, show in columns]))
        for entry in () if lines is None else [*(event.stack or ())[1:], ""]:
            cells = [""] * len(columns)
            cells[lines] = end_of(entry, columns[lines][1])
            text.append(form.format(*cells))
    text += [line, f"Self CPU time total: {time_text(total, unit)}"]
    device = sum(e.self_device_time_total for e in events)
    if device > 0:
        text.append(f"Self {(events[0].use_device or 'None').upper()} time total: {time_text(device, unit)}")
    return "\n".join(text) + "\n"


def columns_of(events, widths, memory, flops, unit):
    """`(heading, width, whether it is set to the left, event and total -> cell)` of each column."""
    name_width, shapes_width, lines_width = widths
    limit = lambda width, most: width if most is None else min(width, most)  # noqa: E731
    columns = [
        ("Name", limit(max(len(e.key) for e in events) + 4, name_width), False, lambda e, _: cut(e.key, name_width)),
        ("Self CPU %", WIDTH, False, lambda e, total: share(e, "self_cpu_percent", e.self_cpu_time_total, total)),
        ("Self CPU", WIDTH, False, lambda e, _: time_text(e.self_cpu_time_total, unit)),
        ("CPU total %", WIDTH, False, lambda e, total: share(e, "total_cpu_percent", e.cpu_time_total, total)),
        ("CPU total", WIDTH, False, lambda e, _: time_text(e.cpu_time_total, unit)),
        ("CPU time avg", WIDTH, False, lambda e, _: time_text(e.cpu_time, unit)),
    ]
    device = (events[0].use_device or "None").upper()
    if any(e.self_device_time_total > 0 for e in events):
        whole = sum(e.self_device_time_total for e in events)
        columns += [
            (f"Self {device}", WIDTH, False, lambda e, _: time_text(e.self_device_time_total, unit)),
            (f"Self {device} %", WIDTH, False,
             lambda e, _: share(e, "total_device_percent", e.self_device_time_total, whole)),
            (f"{device} total", WIDTH, False, lambda e, _: time_text(e.device_time_total, unit)),
            (f"{device} time avg", WIDTH, False, lambda e, _: time_text(e.device_time, unit)),
        ]
    if memory:
        columns += [("CPU Mem", WIDTH, False, lambda e, _: memory_text(e.cpu_memory_usage)),
                    ("Self CPU Mem", WIDTH, False, lambda e, _: memory_text(e.self_cpu_memory_usage))]
    columns.append(("# of Calls", WIDTH, False, lambda e, _: e.count))
    if any(e.node_id != -1 for e in events):
        columns.append(("Node ID", WIDTH, False, lambda e, _: e.node_id))
    if any(e.input_shapes for e in events):
        width = limit(max(len(str(e.input_shapes)) for e in events) + 4, shapes_width)
        columns.append(("Input Shapes", width, False, lambda e, _: str(e.input_shapes)[:width]))
    if any(e.stack for e in events):
        wide = limit(max(len(entry) for e in events for entry in e.stack or ()) + 4, lines_width)
        columns.append(("Source Location", wide, True, lambda e, _: end_of(e.stack[0], wide) if e.stack else ""))
    counts = [e.flops for e in events if e.flops]
    if flops and counts:
        step = int(max(0, min(math.log10(min(counts)) / 3, len(SCALES) - 1)))
        columns.append((f"Total {SCALES[step]}", WIDTH, False,
                        lambda e, _: f"{e.flops * 10 ** (-3.0 * step):8.3f}" if e.flops else "--"))
    return columns


def cut(name, most):
    """A name that fits, with dots for what does not."""
    return name[: most - 3] + "..." if most is not None and len(name) >= most - 3 else name


def end_of(path, width):
    """The end of a line that is too long."""
    return path if len(path) <= width else "..." + path[len(path) - width + 3:]


def share(event, attribute, part, total):
    """`12.34%`, which the event remembers."""
    text = 0 if event.is_async and attribute == "total_cpu_percent" else (
        "NaN" if not total else f"{part * 100.0 / total:.2f}%")
    setattr(event, attribute, text)
    return text


def time_text(us, unit):
    """A time in a given unit, or in the one that fits."""
    if unit is None:
        return format_time(us)
    if unit not in UNITS:
        raise ValueError(f"table was given time_unit={unit!r}; give one of {', '.join(map(repr, UNITS))}, or None")
    return f"{us / UNITS[unit]:.3f}{unit}"


def format_time(us):
    """`1.234ms`."""
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if us >= size:
            return f"{us / size:.3f}{unit}"
    return f"{us:.3f}us"


def memory_text(nbytes):
    """`1.50 KB`."""
    for size, unit in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if abs(nbytes) >= size:
            return f"{nbytes / size:.2f} {unit}"
    return f"{nbytes} B"


_format_time = format_time  # the name that PyTorch's own scripts import


class DeviceType(enum.Enum):
    """The kind of device on which an event ran."""

    CPU = 0
    CUDA = 1


Kernel = namedtuple("Kernel", ["name", "device", "duration"])

MEMORY_EVENT_NAME = "[memory]"


class Interval:
    """A span of time, in microseconds."""

    def __init__(self, start, end):
        self.start = start
        self.end = end

    def elapsed_us(self):
        """Its length."""
        return self.end - self.start


def _text_of(name):
    return property(lambda self: format_time(getattr(self, name)), doc=f"`{name}` with its unit.")


def _older(name, now):
    def get(self):
        warnings.warn(f"`{name}` is deprecated, please use `{now}` instead.", FutureWarning, stacklevel=2)
        return getattr(self, now)

    return property(get, doc=f"The older name of `{now}`.")


class FormattedTimesMixin:
    """Times with their units, and times for each call, of what has totals and a `count`."""

    cpu_time_str = _text_of("cpu_time")
    device_time_str = _text_of("device_time")
    cpu_time_total_str = _text_of("cpu_time_total")
    device_time_total_str = _text_of("device_time_total")
    self_cpu_time_total_str = _text_of("self_cpu_time_total")
    self_device_time_total_str = _text_of("self_device_time_total")
    cuda_time = _older("cuda_time", "device_time")

    @property
    def cpu_time(self):
        """Microseconds on the CPU for each call."""
        return 0.0 if self.count == 0 else 1.0 * self.cpu_time_total / self.count

    @property
    def device_time(self):
        """Microseconds on a device for each call."""
        return 0.0 if self.count == 0 else 1.0 * self.device_time_total / self.count


class FunctionEvent(FormattedTimesMixin):
    """One thing that ran while a profile did; times are microseconds since its start.

    Args:
        id, name, thread, start_us, end_us: which event, and when.
        fwd_thread: the thread of the forward operation of a node.
        input_shapes: shapes of the arguments, `[]` for one that has none; empty unless they were recorded.
        stack: the user's lines, innermost first; empty unless they were recorded.
        scope: 0 for an operation, 1 for a node's rule, 7 for a label.
        sequence_nr: the number that an operation shares with the node it made; -1 if it made none.
        cpu_memory_usage: bytes of the tensors it made less those that died meanwhile, what it called included.
        flops: multiplications and additions, where they are known.
    """

    def __init__(self, id, name, thread, start_us, end_us, overload_name="", fwd_thread=None,  # noqa: A002
                 input_shapes=None, stack=None, scope=0, use_device=None, cpu_memory_usage=0, device_memory_usage=0,
                 is_async=False, is_remote=False, sequence_nr=-1, node_id=-1, device_type=DeviceType.CPU,
                 device_index=0, device_resource_id=None, is_legacy=False, flops=None, trace_name=None,
                 concrete_inputs=None, kwinputs=None, is_user_annotation=False, structured_input_shapes=None,
                 input_dtypes=None):
        given = locals()
        for attribute in given.keys() - {"self", "start_us", "end_us"}:
            setattr(self, attribute, given[attribute])
        self.time_range = Interval(start_us, end_us)
        self.device_resource_id = thread if device_resource_id is None else device_resource_id
        self.count = 1
        self.kernels = []
        self.cpu_children = []
        self.cpu_parent = None
        self.self_cpu_percent = self.total_cpu_percent = self.total_device_percent = -1

    def append_kernel(self, name, device, duration):
        """Note a kernel that the event started."""
        self._must_be_on_cpu(self)
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child):
        """Note an event that ran directly inside this one."""
        self._must_be_on_cpu(self, child)
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent):
        """Note the event that this one ran directly inside."""
        self._must_be_on_cpu(self, parent)
        self.cpu_parent = parent

    @staticmethod
    def _must_be_on_cpu(*events):
        for event in events:
            if not isinstance(event, FunctionEvent) or event.device_type is not DeviceType.CPU:
                raise AssertionError(f"Expected a FunctionEvent whose device_type is CPU, but got {event!r}")

    @property
    def key(self):
        """The key by which events are grouped."""
        return self.name

    @property
    def cpu_time_total(self):
        """Microseconds on the CPU."""
        return self.time_range.elapsed_us() if self.device_type is DeviceType.CPU else 0

    @property
    def device_time_total(self):
        """Microseconds on a device."""
        if self.is_async or not self.use_device:
            return 0
        if self.device_type is not DeviceType.CPU:
            return self.time_range.elapsed_us()
        return sum(k.duration for k in self.kernels) + (
            0 if self.is_legacy else sum(c.device_time_total for c in self.cpu_children))

    def _own(self, what):
        if self.is_async or self.device_type is not DeviceType.CPU:
            return 0
        return getattr(self, what) - sum(getattr(c, what) for c in self.cpu_children)

    @property
    def self_cpu_time_total(self):
        """Microseconds on the CPU without those of the events inside."""
        return self._own("cpu_time_total")

    @property
    def self_device_time_total(self):
        """Microseconds on a device without those of the events inside."""
        if self.is_async or not self.use_device:
            return 0
        return self._own("device_time_total") if self.device_type is DeviceType.CPU else self.device_time_total

    @property
    def self_cpu_memory_usage(self):
        """Bytes without those of the events inside."""
        return self._own("cpu_memory_usage")

    @property
    def self_device_memory_usage(self):
        """Bytes on a device without those of the events inside."""
        return self._own("device_memory_usage")

    cuda_time_total = _older("cuda_time_total", "device_time_total")
    self_cuda_time_total = _older("self_cuda_time_total", "self_device_time_total")
    self_cuda_memory_usage = _older("self_cuda_memory_usage", "self_device_memory_usage")

    def __repr__(self):
        return (f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} "
                f"device_type={self.device_type} node_id={self.node_id} cpu_time={self.cpu_time_str} "
                f"start_us={self.time_range.start} end_us={self.time_range.end} "
                f"cpu_children={[c.id for c in self.cpu_children]} {self.use_device}_time={self.device_time_str} "
                f"name={self.name} thread={self.thread} input_shapes={self.input_shapes} "
                f"cpu_memory_usage={self.cpu_memory_usage} {self.use_device}_memory_usage={self.device_memory_usage} "
                f"is_async={self.is_async} is_remote={self.is_remote} seq_nr={self.sequence_nr} "
                f"is_legacy={self.is_legacy}>")


class FunctionEventAvg(FormattedTimesMixin):
    """Sums over events of one key; `cpu_time` is the average of a call."""

    TOTALS = ("cpu_time_total", "device_time_total", "self_cpu_time_total", "self_device_time_total",
              "cpu_memory_usage", "device_memory_usage", "self_cpu_memory_usage", "self_device_memory_usage", "count")
    FIRST = ("key", "node_id", "is_async", "is_remote", "cpu_parent", "cpu_children", "overload_name", "input_shapes",
             "stack", "scope", "device_type", "is_legacy", "use_device", "is_user_annotation")
    cuda_time_total = _older("cuda_time_total", "device_time_total")
    self_cuda_time_total = _older("self_cuda_time_total", "self_device_time_total")
    self_cuda_memory_usage = _older("self_cuda_memory_usage", "self_device_memory_usage")

    def __init__(self):
        for name in self.FIRST:
            setattr(self, name, None)
        for name in self.TOTALS:
            setattr(self, name, 0)
        self.node_id = self.flops = 0
        self.is_async = self.is_remote = self.is_legacy = self.is_user_annotation = False
        self.device_type = DeviceType.CPU

    def add(self, other):
        """Take in an event, or the sums of others."""
        if not isinstance(other, FunctionEvent | FunctionEventAvg):
            raise AssertionError(f"Expected a FunctionEvent or FunctionEventAvg, but got {type(other).__name__}")
        if self.key is None:
            for name in self.FIRST:
                setattr(self, name, getattr(other, name))
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        for name in self.TOTALS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.flops += other.flops or 0
        return self

    def __iadd__(self, other):
        return self.add(other)

    def __repr__(self):
        device = self.use_device or "cuda"
        return (f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
                f"cpu_time={self.cpu_time_str}  self_{device}_time={self.self_device_time_total_str} "
                f"{device}_time={self.device_time_str} input_shapes={self.input_shapes} "
                f"cpu_memory_usage={self.cpu_memory_usage} {device}_memory_usage={self.device_memory_usage}>")


class EventList(list):
    """The events of a profile, or their averages, with tables, groups and files."""

    METRICS = ("self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total")

    def __init__(self, *args, use_device=None, profile_memory=False, with_flops=False):
        super().__init__(*args)
        self._use_device = use_device
        self._profile_memory = profile_memory
        self._with_flops = with_flops
        self._tree_built = False

    def __str__(self):
        return self.table()

    @property
    def self_cpu_time_total(self):
        """Microseconds on the CPU, each counted once."""
        return sum(event.self_cpu_time_total for event in self)

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
              max_shapes_column_width=80, header=None, top_level_events_only=False, time_unit=None):
        """The events as a table.

        Args:
            sort_by: an attribute of events, the largest first (`cpu_time_total`, `self_cpu_memory_usage`, `count`, …);
                by default they come as they are.
            row_limit: how many rows; -1 for all.
            max_src_column_width, max_name_column_width, max_shapes_column_width: how wide columns may be; None for
                as wide as it takes.
            header: a line above the table.
            top_level_events_only: leave out what ran inside other events.
            time_unit: "s", "ms" or "us" for all times; by default as fits each.
        Returns:
            the text.
        """
        return table(self, sort_by=sort_by, row_limit=row_limit, widths=(
            max_name_column_width, max_shapes_column_width, max_src_column_width), header=header,
            memory=self._profile_memory, flops=self._with_flops, top_level=top_level_events_only, unit=time_unit)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        """The sums over events of one name, as an EventList of FunctionEventAvg.

        Args:
            group_by_input_shapes: keep events of other input shapes apart.
            group_by_stack_n: keep events with other first lines of the user's apart; as many lines are compared.
            group_by_overload_name: keep overloads apart; there are none here.
        """
        if not self._tree_built:
            raise AssertionError("Expected tree to be built before calling key_averages")
        groups = {}
        for event in self:
            key = (event.key, event.node_id, event.device_type, event.is_legacy, event.is_user_annotation,
                   event.overload_name if group_by_overload_name else "",
                   str(event.input_shapes) if group_by_input_shapes else "", *(event.stack or ())[:group_by_stack_n])
            groups.setdefault(key, FunctionEventAvg()).add(event)
        for average in groups.values():
            average.stack = (average.stack or [])[:group_by_stack_n]
            average.input_shapes = average.input_shapes if group_by_input_shapes else ""
            average.overload_name = average.overload_name if group_by_overload_name else ""
        return EventList(groups.values(), use_device=self._use_device, profile_memory=self._profile_memory,
                         with_flops=self._with_flops)

    def total_average(self):
        """The sums over all events, as a FunctionEventAvg whose key is "Total"."""
        total = FunctionEventAvg()
        for event in self:
            total.key = None
            total += event
        total.key = "Total"
        return total

    def export_chrome_trace(self, path):
        """Write the events as a file for `chrome://tracing`."""
        found = [{"name": e.trace_name or e.name, "ph": "X", "ts": e.time_range.start, "dur": e.time_range.elapsed_us(),
                  "tid": e.thread, "pid": "CPU functions", "args": {}} for e in self]
        with open(path, "w", encoding="utf-8") as f:
            json.dump(found, f)

    def export_stacks(self, path, metric):
        """Write the user's lines of each event with its `metric`, as flame-graph tools read them."""
        if metric not in self.METRICS:
            raise ValueError(f"metric should be one of: {list(self.METRICS)}")
        spaces = str.maketrans(" ;\t\n", "____")
        name = metric if "cpu" in metric else "self_device_time_total"
        with open(path, "w", encoding="utf-8") as f:
            for event in self:
                value = int(getattr(event, name))
                if event.stack and value > 0:
                    f.write(";".join(line.translate(spaces) for line in reversed(event.stack)) + f" {value}\n")

    def supported_export_stacks_metrics(self):
        """The metrics that `export_stacks` supports."""
        return list(self.METRICS)

    def _build_tree(self):
        """Find what ran inside what, and the forward lines of what ran backward."""
        self._populate_cpu_children()
        self._remove_dup_nodes()
        self._set_backward_stacktraces()
        self._tree_built = True

    def _populate_cpu_children(self):
        """Make an event the child of the shortest one of its thread that its time lies within."""
        threads = {}
        for event in self:
            if not event.is_async and event.device_type is DeviceType.CPU:
                threads.setdefault((event.thread, event.node_id), []).append(event)
        for events in threads.values():
            open_ = []
            for event in sorted(events, key=lambda e: (e.time_range.start, -e.time_range.end)):
                span = event.time_range
                while open_ and (span.start >= open_[-1].time_range.end or span.end > open_[-1].time_range.end):
                    open_.pop()
                if open_:
                    open_[-1].append_cpu_child(event)
                    event.set_cpu_parent(open_[-1])
                open_.append(event)

    def _remove_dup_nodes(self):
        """Drop an event that is the only one inside another of its name."""
        kept = []
        for event in self:
            parent = event.cpu_parent
            if parent is not None and parent.name == event.name and len(parent.cpu_children) == 1:
                parent.cpu_children, parent.kernels = event.cpu_children, event.kernels
                for child in event.cpu_children:
                    child.cpu_parent = parent
            else:
                kept.append(event)
        self[:] = kept

    def _set_backward_stacktraces(self):
        """Give what ran in a node's rule the lines of the operation that made the node."""
        forward = {}
        for event in self:
            if event.stack is not None and event.sequence_nr >= 0 and _rule_around(event) is None:
                forward.setdefault((event.sequence_nr, event.thread), event.stack)
        for event in self:
            rule = _rule_around(event)
            if rule is not None:
                event.stack = forward.get((rule.sequence_nr, rule.fwd_thread), [])


def _rule_around(event):
    """The node's rule that an event is or ran in."""
    while event is not None and event.scope != 1:
        event = event.cpu_parent
    return event
