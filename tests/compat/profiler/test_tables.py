"""torch.autograd.profiler: sums, tables, traces for Chrome and files of nvprof."""

import json
import os
import re
import sqlite3
import tempfile
from pathlib import Path

import covector.compat.torch as compat
from harness import attempt
from profiled import P


def headings(text):
    lines = text.split("\n")
    return lines[next(i for i, line in enumerate(lines) if "Name" in line)].split()


def script_tables(torch):
    with torch.autograd.profiler.profile() as prof:
        for _ in range(3):
            torch.ones(2) * 2
        torch.ones(2) + 1
    averages = prof.key_averages()
    table = averages.table(sort_by="count", row_limit=1)
    few = averages.table(row_limit=0, header="A heading")
    top = prof.function_events.table(top_level_events_only=True)
    return (headings(table), headings(prof.table()), table.split("\n")[-2][:20], few.split("\n")[0][0:3],
            few.split("\n")[1], "top-level" in top, prof.table() == str(prof), "ms" in averages.table(time_unit="ms"),
            [line.split()[-1] for line in averages.table().split("\n") if "aten::mul" in line])


def script_sums(torch):
    with torch.autograd.profiler.profile() as prof:
        for _ in range(3):
            torch.ones(2) * 2
    averages = prof.key_averages()
    total = prof.total_average()
    mul = next(e for e in averages if e.key == "aten::mul")
    every = [e for e in prof.function_events if e.name == "aten::mul"]
    near = lambda a, b: abs(a - b) < 1e-6 * max(1.0, abs(b))  # noqa: E731
    return (mul.count, near(mul.cpu_time_total, sum(e.cpu_time_total for e in every)),
            near(mul.cpu_time, mul.cpu_time_total / 3), total.key, total.count == len(prof.function_events),
            near(prof.self_cpu_time_total, sum(e.self_cpu_time_total for e in averages)),
            near(total.self_cpu_time_total, prof.self_cpu_time_total), mul.cpu_time_str[-1:], mul.device_time,
            all(e.self_cpu_time_total <= e.cpu_time_total for e in prof.function_events))


def script_averages_by_hand(torch):
    P = torch.autograd.profiler
    average = torch.autograd.profiler_util.FunctionEventAvg()
    average.add(P.FunctionEvent(id=0, name="foo", thread=0, start_us=10, end_us=15))
    average.add(P.FunctionEvent(id=1, name="foo", thread=0, start_us=20, end_us=30))
    average.add(average)
    return (average.key, average.count, average.cpu_time_total, average.self_cpu_time_total, average.device_time_total,
            average.cpu_time, average.cpu_time_str,
            attempt(lambda: average.add(P.FunctionEvent(id=2, name="bar", thread=0, start_us=20, end_us=30))),
            attempt(lambda: average.add(3))[0])


def nvprof_file(path):
    """A file as nvprof writes it: two ranges, two kernels in the second."""
    with sqlite3.connect(path) as file:
        file.executescript("""
            CREATE TABLE StringTable (_id_ INTEGER, value TEXT);
            CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER (id INTEGER, name INTEGER, timestamp INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (_id_ INTEGER, cbid INTEGER, start INTEGER, end INTEGER,
                correlationId INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (name INTEGER, start INTEGER, end INTEGER,
                correlationId INTEGER);
            INSERT INTO StringTable VALUES (1, 'aten::mul, seq = 0'), (2, 'aten::add, seq = 1');
            INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES (7, 2, 100), (7, 0, 200), (5, 1, 10), (5, 0, 90);
            INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 211, 110, 120, 3), (2, 211, 130, 140, 4);
            INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES (11, 150, 160, 3), (12, 170, 190, 4);
        """)
    file.close()


def script_files_of_nvprof_are_read(torch):
    with tempfile.TemporaryDirectory() as folder:
        nvprof_file(Path(folder) / "trace.nvvp")
        events = torch.autograd.profiler.load_nvprof(str(Path(folder) / "trace.nvvp"))
        return [(e.id, e.name, e.cpu_time_total, [(k.name, k.duration) for k in e.kernels]) for e in events]


def test_traces_for_chrome_are_json(tmp_path):
    with compat.autograd.profiler.profile(record_shapes=True) as prof, \
            compat.autograd.profiler.record_function('a "label"\\'):
        compat.ones(2) * 2
    prof.export_chrome_trace(tmp_path / "a.json")
    prof.function_events.export_chrome_trace(tmp_path / "b.json")
    a = json.loads((tmp_path / "a.json").read_text())["traceEvents"]
    b = json.loads((tmp_path / "b.json").read_text())
    for events in (a, b):
        assert {e["name"] for e in events} == {'a "label"\\', "aten::ones", "aten::mul"}
        assert all(e["ph"] == "X" and e["dur"] > 0 for e in events)


def script_event_attributes(torch):
    with P(torch).profile(record_shapes=True) as p:
        torch.ones(2) + 1
    e = [e for e in p.function_events if e.name == "aten::add"][0]
    a = [e for e in p.key_averages() if e.key == "aten::add"][0]
    out = []
    out.append(
        sorted(
            n
            for n in (
                "name",
                "key",
                "count",
                "id",
                "thread",
                "fwd_thread",
                "time_range",
                "cpu_time",
                "cpu_time_total",
                "self_cpu_time_total",
                "cpu_time_str",
                "cpu_time_total_str",
                "self_cpu_time_total_str",
                "device_time",
                "cuda_time",
                "device_time_total",
                "self_device_time_total",
                "cpu_memory_usage",
                "self_cpu_memory_usage",
                "device_memory_usage",
                "input_shapes",
                "stack",
                "scope",
                "sequence_nr",
                "is_async",
                "is_remote",
                "is_legacy",
                "flops",
                "cpu_children",
                "cpu_parent",
                "device_type",
                "use_device",
                "concrete_inputs",
                "kwinputs",
                "trace_name",
                "node_id",
                "overload_name",
                "is_user_annotation",
            )
            if hasattr(e, n)
        )
    )
    out.append(
        sorted(
            n
            for n in (
                "key",
                "count",
                "cpu_time",
                "cpu_time_total",
                "self_cpu_time_total",
                "cpu_time_str",
                "device_time",
                "self_device_time_total",
                "cpu_memory_usage",
                "self_cpu_memory_usage",
                "input_shapes",
                "stack",
                "scope",
                "is_async",
                "flops",
                "cpu_children",
                "cpu_parent",
                "node_id",
                "overload_name",
                "is_user_annotation",
                "device_type",
                "is_legacy",
                "use_device",
            )
            if hasattr(a, n)
        )
    )
    out += [
        type(e).__name__,
        type(a).__name__,
        e.count,
        a.count,
        e.cpu_time > 0,
        a.cpu_time_total >= a.self_cpu_time_total,
        e.is_async,
        e.is_remote,
        str(e.device_type),
        e.time_range.elapsed_us() > 0,
        e.time_range.start < e.time_range.end,
    ]
    return out


def script_tables_sorted_and_cut(torch):
    out = []
    with P(torch).profile(record_shapes=True, profile_memory=True, with_flops=True, with_stack=True) as p:
        (torch.ones(2, 3) @ torch.ones(3, 2)).exp()
    for kw in (
        {},
        {"sort_by": "cpu_time_total"},
        {"sort_by": "self_cpu_time_total", "row_limit": 1},
        {"sort_by": "count"},
        {"sort_by": "nope"},
        {"row_limit": 0},
        {"row_limit": -1},
        {"max_src_column_width": 10},
        {"max_name_column_width": 10},
        {"max_shapes_column_width": 10},
        {"header": "HEAD"},
        {"top_level_events_only": True},
        {"sort_by": "cpu_memory_usage"},
        {"sort_by": "self_cpu_memory_usage"},
        {"sort_by": "flops"},
        {"time_unit": "ms"},
    ):

        def go():
            t = p.key_averages().table(**kw)
            ls = t.splitlines()
            return [
                ls[0].startswith(("-", "=")),
                [re.split(r"\s{2,}", l.strip())[0] for l in ls if "Name" in l or "HEAD" in l],
                [w for w in ("CPU Mem", "Self CPU Mem", "FLOP", "Source Location", "Input Shapes") if w in t],
            ]

        out.append((str(kw), attempt(go)))
    for kw in (
        {"group_by_input_shape": True},
        {"group_by_stack_n": 1},
        {"group_by_input_shape": True, "group_by_stack_n": 2},
        {"foo": 1},
    ):
        out.append((str(kw), attempt(lambda: type(p.key_averages(**kw)).__name__)))
    return out


def script_chrome(torch):
    out = []
    with P(torch).profile(record_shapes=True) as p:
        with P(torch).record_function("lab"):
            torch.ones(2).exp()
    f = tempfile.mktemp(suffix=".json")
    p.export_chrome_trace(f)
    d = json.load(open(f))
    os.remove(f)
    out.append(type(d).__name__)
    ev = d["traceEvents"] if isinstance(d, dict) else d
    names_ = {e.get("name") for e in ev}
    out.append([n in names_ for n in ("aten::exp", "lab")])
    e = [e for e in ev if e.get("name") == "aten::exp"][0]
    out.append([k in e for k in ("ph", "ts", "dur", "pid", "tid", "cat", "args")])
    out.append(e["ph"])
    out.append(e.get("cat"))
    out.append(
        attempt(lambda: p.export_chrome_trace("/nonexistent/dir/x.json"))[:1]
        if isinstance(attempt(lambda: p.export_chrome_trace("/nonexistent/dir/x.json")), tuple)
        else "none"
    )
    return out


def script_event_list(torch):
    out = []
    with P(torch).profile() as p:
        torch.ones(2) + 1
        torch.ones(2) * 2
    l = p.function_events
    out += [
        type(l).__name__,
        isinstance(l, list),
        type(p.key_averages()).__name__,
        type(p.total_average()).__name__,
        p.total_average().count > 0,
        l.self_cpu_time_total > 0,
        p.self_cpu_time_total > 0,
    ]
    out.append(len(p.key_averages()) <= len(l))
    out.append(attempt(lambda: type(l.key_averages()).__name__))
    out.append(attempt(lambda: type(l.total_average()).__name__))
    out.append(attempt(lambda: l.table()[:3]))
    out.append(attempt(lambda: str(l)[:3]))
    return out
