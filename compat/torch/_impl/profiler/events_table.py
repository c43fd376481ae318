"""The table of a profile's events."""

import math

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
