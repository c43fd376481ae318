"""The profiler in odd uses: arguments, tables, labels, traces, what it refuses; on compat and PyTorch."""

import json
import os
import re
import tempfile

from harness import attempt


def P(torch):
    return torch.autograd.profiler


def names(prof):
    return sorted(
        {
            (e.key, e.count)
            for e in prof.key_averages()
            if not e.key.startswith(
                (
                    "aten::empty",
                    "aten::detach",
                    "aten::_",
                    "aten::resize",
                    "aten::fill",
                    "aten::ones",
                    "aten::copy",
                    "aten::clone",
                    "aten::new",
                    "aten::mul",
                    "aten::neg",
                    "aten::expand",
                    "aten::sin",
                    "aten::cos",
                    "aten::as_strided",
                    "detach",
                )
            )
        }
    )


def script_basic_counts(torch):
    x = torch.ones(2, 3, requires_grad=True)
    with P(torch).profile() as prof:
        y = x.exp()
        z = y.sin()
        w = z.cos()
        w.backward(torch.ones(2, 3))
    return names(prof)


def script_not_entered(torch):
    p = P(torch).profile()
    out = []
    for f in (
        lambda: p.key_averages(),
        lambda: p.table(),
        lambda: p.total_average(),
        lambda: p.self_cpu_time_total,
        lambda: p.export_stacks("/tmp/x"),
        lambda: p.function_events,
        lambda: len(list(p)) if hasattr(p, "__iter__") else "noiter",
    ):
        out.append(attempt(f))
    return out


def script_disabled(torch):
    out = []
    with P(torch).profile(enabled=False) as p:
        torch.ones(2) + 1
    for f in (
        lambda: p,
        lambda: p is None,
        lambda: p.key_averages(),
        lambda: str(p),
        lambda: p.function_events,
        lambda: p.table(),
        lambda: p.self_cpu_time_total,
    ):
        r = attempt(f)
        out.append(r if isinstance(r, tuple | str | bool) or r is None else type(r).__name__)
    return out


def script_reuse_and_nest(torch):
    out = []
    p = P(torch).profile()
    with p:
        torch.ones(2) + 1

    def again():
        with p:
            pass

    out.append(attempt(again))

    def nested():
        q = P(torch).profile()
        with q:
            q.__enter__()

    out.append(attempt(nested)[:2])
    return out


def script_arguments(torch):
    out = []
    for kw in (
        {"use_cuda": False},
        {"use_device": None},
        {"use_cpu": True},
        {"use_cpu": False},
        {"record_shapes": True},
        {"with_flops": True},
        {"profile_memory": True},
        {"with_stack": True},
        {"with_modules": True},
        {"use_kineto": True},
        {"use_kineto": False},
        {"foo": 1},
        {"use_device": "cuda"},
        {"use_device": "cpu"},
        {"use_device": "foo"},
        {"use_cuda": True},
        {"experimental_config": None},
        {"acc_events": True},
        {"custom_trace_id_callback": None},
    ):

        def go():
            with P(torch).profile(**kw) as p:
                torch.ones(2) + 1
            return "aten::add" in {e.key for e in p.key_averages()}

        r = attempt(go)
        out.append((str(kw), r))
    return out


def script_shapes(torch):
    x = torch.ones(2, 3)
    w = torch.ones(3, 4, requires_grad=True)
    out = []
    with P(torch).profile(record_shapes=True) as p:
        (x @ w).exp()
        x + x
    for e in p.function_events:
        if e.name in ("aten::matmul", "aten::exp"):
            out.append((e.name, e.input_shapes))
    k = p.key_averages(group_by_input_shape=True)
    out.append(sorted((e.key, str(e.input_shapes), e.count) for e in k if e.key in ("aten::matmul", "aten::exp")))
    return out


def script_record_function(torch):
    out = []
    rf = P(torch).record_function
    with P(torch).profile() as p:
        with rf("a"):
            torch.ones(2) + 1
        with rf("a"):
            with rf("b"):
                torch.ones(2) * 2
        with rf("c", "args"):
            pass

        @rf("deco")
        def f():
            return torch.ones(1)

        f()
        f()
    out.append([(n, c) for n, c in names(p) if n in ("a", "b", "c", "deco")])
    out.append(attempt(lambda: rf())[:2])
    out.append(attempt(lambda: rf(3).__enter__())[:2])
    with rf("outside") as r:
        out.append(type(r).__name__)
    ev = {e.name: e for e in p.function_events}
    out.append([ev["b"].cpu_parent.name, sorted(c.name for c in ev["b"].cpu_children if c.name == "aten::mul")])
    return out


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


def script_tables(torch):
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


def script_stacks(torch):
    out = []
    with P(torch).profile(with_stack=True) as p:
        torch.ones(2).exp()
    f = tempfile.mktemp()
    r = attempt(lambda: p.export_stacks(f))
    out.append(r)
    for m in ("self_cpu_time_total", "self_cuda_time_total", "bad"):
        out.append(attempt(lambda: p.export_stacks(f, m)))
    with P(torch).profile() as q:
        torch.ones(2).exp()
    out.append(attempt(lambda: q.export_stacks(f)))
    return out


def script_memory(torch):
    out = []
    with P(torch).profile(profile_memory=True) as p:
        a = torch.ones(1000)
        a.exp()
        del a
    k = {e.key: e for e in p.key_averages()}
    out.append(
        [k["aten::exp"].self_cpu_memory_usage, k["aten::exp"].cpu_memory_usage, k["aten::ones"].cpu_memory_usage]
    )
    return out


def script_flops(torch):
    out = {}
    with P(torch).profile(with_flops=True, record_shapes=True) as p:
        torch.ones(2, 3) @ torch.ones(3, 4)
        torch.ones(5) * 2
        torch.ones(5) + 2
        torch.bmm(torch.ones(2, 2, 3), torch.ones(2, 3, 4))
        torch.addmm(torch.ones(2, 4), torch.ones(2, 3), torch.ones(3, 4))
        torch.nn.functional.conv2d(torch.ones(1, 2, 5, 5), torch.ones(3, 2, 3, 3))
    for e in p.key_averages():
        if e.key in ("aten::mul", "aten::add", "aten::bmm", "aten::addmm"):
            out[e.key] = e.flops
    return out


def script_errors_inside(torch):
    out = []

    def go():
        with P(torch).profile():
            torch.ones(2) + 1
            raise ValueError("x")

    out.append(attempt(go))
    with P(torch).profile() as p:
        torch.ones(2) + 1
    out.append("aten::add" in {e.key for e in p.key_averages()})

    def go2():
        with P(torch).profile() as p:
            try:
                torch.ones(2) @ torch.ones(3)
            except Exception:
                pass
            torch.ones(2) + 1
        return "aten::add" in {e.key for e in p.key_averages()}

    out.append(attempt(go2))
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


def script_nvtx_itt(torch):
    pr = P(torch)
    out = []

    def nv():
        with pr.emit_nvtx():
            torch.ones(2) + 1

    def it():
        with pr.emit_itt():
            torch.ones(2) + 1

    def off():
        with pr.emit_nvtx(enabled=False) as e:
            return e

    def off2():
        with pr.emit_itt(enabled=False) as e:
            return e

    out.append(attempt(off))
    out.append(attempt(off2))
    out.append(attempt(lambda: pr.load_nvprof("/nonexistent"))[:2])
    return out


def script_backward_links(torch):
    x = torch.ones(2, requires_grad=True)
    with P(torch).profile() as p:
        y = x.sin()
        z = y.exp()
        z.sum().backward()
    ev = {}
    for e in p.function_events:
        ev.setdefault(e.name, e)
    return [
        ev["aten::sin"].sequence_nr == ev["SinBackward0"].sequence_nr,
        ev["aten::exp"].sequence_nr == ev["ExpBackward0"].sequence_nr,
        ev["aten::sin"].sequence_nr < ev["aten::exp"].sequence_nr,
        ev["SinBackward0"].cpu_parent.name,
        ev["aten::sin"].scope,
        ev["SinBackward0"].scope,
        ev["torch::autograd::AccumulateGrad"].cpu_parent.name,
    ]
