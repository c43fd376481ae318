"""torch.autograd.profiler: what is recorded, how it is grouped and shown, and ranges for the profilers of others."""

import json
import sqlite3
import sys
import tempfile
import threading
import types
from pathlib import Path

import pytest

import covector.compat.torch as compat
from harness import attempt


def names(prof, of="aten::", top=True):
    """Names of events, by default of operations that users called."""
    return [e.name for e in prof.function_events if e.name.startswith(of) and (not top or e.cpu_parent is None)]


def script_operations_by_name(torch):
    x = torch.full((2, 3), 0.5, requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        y = (x * 2 + x.exp()).sum()
        y = y - torch.nn.functional.relu(x).mean()
        x.t().reshape(6)[1:3]
        x[0].clone().add_(1)
        torch.cat([x, x])
        x.view(3, 2).unsqueeze(0).expand(2, 3, 2)
        torch.linalg.norm(x), torch.stack([x, x]), x.sum(1, keepdim=True), torch.softmax(x, 1)
        x / 2, 2 - x, -x, x**2, x @ x.t(), x > 0, torch.where(x > 0, x, x), x.masked_fill(x > 0, 1.0)
        x.max(), x.max(0)
        z = torch.zeros(2)
        z[1:] = torch.ones(1)
        torch.ones_like(x), torch.rand(2), torch.arange(3)
    return names(prof)


def script_nodes_by_name(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.ones(2, 3, requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        Double.apply(x.exp() + x).sum().backward()
    events = prof.function_events
    rules = [(e.name, e.scope, e.cpu_parent.name, [c.name for c in e.cpu_children if c.name == "aten::mul" and "Double"
                                                   in e.name])
             for e in events if e.scope == 1]
    double = next(e for e in events if e.name == "Double")
    return (sorted(rules), [c.name for c in double.cpu_children],
            [e.name for e in events if e.name.startswith("autograd::engine") and e.cpu_parent is not None])


def script_sequence_numbers_tell_who_made_a_node(torch):
    x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        s = (x + y).exp().sum()
        with torch.no_grad():
            s * 2
        s.backward()
    events = prof.function_events
    found = {}
    for operation, node in (("aten::add", "AddBackward0"), ("aten::exp", "ExpBackward0"),
                            ("aten::sum", "SumBackward0")):
        forward = [e.sequence_nr for e in events if e.name == operation and e.sequence_nr >= 0]
        rules = [e.sequence_nr for e in events if e.name == node]
        turns = [e.sequence_nr for e in events if e.name.endswith(": " + node)]
        found[operation] = forward == rules == turns and len(forward) == 1, [
            e.fwd_thread == e.thread for e in events if e.name == node]
    leaves = {e.sequence_nr for e in events if e.name == "torch::autograd::AccumulateGrad"}
    return found, leaves, {e.sequence_nr for e in events if e.name == "aten::mul"}


def script_labels(torch):
    def forward(x):
        with torch.autograd.profiler.record_function("outer"):
            y = x * 2 + 4
            with torch.autograd.profiler.record_function("inner"):
                y = y - 1
        return y / 1

    x = torch.ones(3, 3)
    forward(x)
    with torch.autograd.profiler.profile() as prof:
        forward(x)
    events = [e for e in prof.function_events if e.name in ("outer", "inner", "aten::mul", "aten::add", "aten::sub",
                                                            "aten::div")]
    return [(e.name, e.scope, e.is_user_annotation, e.cpu_parent.name if e.cpu_parent else None) for e in events]


def script_labels_of_functions(torch):
    @torch.autograd.profiler.record_function("my_func")
    def f(x, y):
        return x + y

    with torch.autograd.profiler.profile() as prof:
        f(1, 2)
        f(torch.ones(1), 1)
    return f.__name__, f(1, 2), "my_func" in str(prof), [e.count for e in prof.key_averages() if e.key == "my_func"]


def script_labels_that_overlap(torch):
    outer = torch.autograd.profiler.record_function("outer")
    inner = torch.autograd.profiler.record_function("inner")
    with torch.autograd.profiler.profile() as prof:
        outer.__enter__()
        inner.__enter__()
        outer.__exit__(None, None, None)
        torch.ones(1) + 1
        inner.__exit__(None, None, None)
    with torch.autograd.profiler.record_function("outside"):
        pass
    return sorted(e.name for e in prof.function_events if not e.name.startswith("aten"))


def script_shapes(torch):
    with torch.autograd.profiler.profile(record_shapes=True) as prof:
        for n in (2, 3, 3):
            torch.ones(n) * 2
        torch.nn.functional.linear(torch.ones(4, 2), torch.ones(3, 2), torch.ones(3))
        torch.ones(2, 3).mm(torch.ones(3, 4))
        torch.cat([torch.ones(2), torch.ones(3)])
    by_shape = [(e.key, e.count, e.input_shapes) for e in prof.key_averages(group_by_input_shape=True)
                if e.key == "aten::mul"]
    plain = [(e.key, e.count, e.input_shapes) for e in prof.key_averages() if e.key == "aten::mul"]
    shapes = [(e.name, e.input_shapes[:3]) for e in prof.function_events if e.name in ("aten::linear", "aten::mm")
              and e.cpu_parent is None]
    lists = [(e.input_shapes[0], e.structured_input_shapes[0]) for e in prof.function_events if e.name == "aten::cat"]
    return by_shape, plain, shapes, lists


def script_without_shapes(torch):
    with torch.autograd.profiler.profile() as prof:
        torch.ones(2) * 2
    return [list(e.input_shapes) for e in prof.function_events if e.name == "aten::mul"], "Shapes" in prof.table()


def script_flops(torch):
    a, b, c = torch.ones(2, 3), torch.ones(3, 4), torch.ones(5, 2, 3)
    with torch.autograd.profiler.profile(with_flops=True) as prof:
        a.mm(b), a * 2, a + a, c.bmm(torch.ones(5, 3, 2))
        torch.addmm(torch.ones(2, 4), a, b)
        torch.nn.functional.conv2d(torch.ones(2, 3, 5, 5), torch.ones(4, 3, 2, 2))
        a.exp()
    averages = {e.key: e.flops for e in prof.key_averages()}
    return [averages[k] for k in ("aten::mm", "aten::mul", "aten::add", "aten::bmm", "aten::addmm", "aten::conv2d",
                                  "aten::exp")], "FLOPs" in prof.key_averages().table()


def script_memory(torch):
    with torch.autograd.profiler.profile(profile_memory=True) as prof:
        with torch.autograd.profiler.record_function("kept"):
            kept = torch.ones(100) * 2.0
        with torch.autograd.profiler.record_function("dropped"):
            kept.exp()
    of = {e.key: e.cpu_memory_usage for e in prof.key_averages()}
    text = prof.key_averages().table()
    return of["kept"] >= 400, of["dropped"], of["aten::exp"], "CPU Mem" in text, "Self CPU Mem" in text, kept.sum()


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
            near(total.self_cpu_time_total, prof.self_cpu_time_total), mul.cpu_time_str[-2:], mul.device_time,
            all(e.self_cpu_time_total <= e.cpu_time_total for e in prof.function_events))


def script_errors_and_warnings(torch):
    P = torch.autograd.profiler

    def twice():
        prof = P.profile()
        with prof:
            pass
        with prof:
            pass

    def stacks(with_stack, metric):
        with P.profile(with_stack=with_stack) as prof:
            torch.ones(2) * 2
        prof.export_stacks("/dev/null", metric)

    def off():
        with P.profile(enabled=False) as prof:
            return prof

    return (attempt(twice), attempt(lambda: stacks(False, "self_cpu_time_total")), attempt(lambda: stacks(True, "x")),
            off(), P.profile(use_cuda=True).use_device, P.profile(use_device="abacus").use_device,
            attempt(lambda: P.profile(use_cpu=False)), attempt(lambda: P.profile(use_cpu=False, use_kineto=True)),
            attempt(lambda: P.profile(post_processing_timeout_s=-1)), str(P.profile()), repr(P.profile()))


def script_nothing_ran(torch):
    with torch.autograd.profiler.profile() as prof:
        pass
    return (prof.table(), str(prof), repr(prof), prof.self_cpu_time_total, prof.total_average().key,
            len(prof.key_averages()), str(prof.total_average()))


def script_an_exception_ends_it(torch):
    def run():
        with torch.autograd.profiler.profile() as prof:
            found.append(prof)
            torch.ones(2) * 2
            torch.ones(2).mm(torch.ones(2))

    found = []
    error = attempt(run)
    torch.ones(2) + 2
    return error[1], names(found[0])


def script_modes_inside_stay(torch):
    with torch.autograd.profiler.profile():
        torch.set_grad_enabled(False) if hasattr(torch, "set_grad_enabled") else None
        torch.autograd.set_detect_anomaly(True)
    out = torch.is_grad_enabled(), torch.is_anomaly_enabled()
    torch.autograd.set_grad_enabled(True)
    torch.autograd.set_detect_anomaly(False)
    return out


def script_gradients_are_the_same(torch):
    def gradient():
        x = torch.tensor([0.3, 0.7], requires_grad=True)
        y = x.clone()
        y[0] *= 3
        a, b = (y.exp() * x).unbind()
        (a * b + y.sum()).backward()
        (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        return x.grad, torch.autograd.grad(g.sum(), x)[0]

    with torch.autograd.profiler.profile(record_shapes=True, profile_memory=True, with_stack=True):
        inside = gradient()
    return inside, gradient()


def script_events_of_other_threads(torch):
    P = torch.autograd.profiler
    found = [[], [], [], [], []]
    events = P.EventList() if hasattr(P, "EventList") else None
    for thread, number, start, end in ((1, 0, 0, 1), (1, 1, 1, 2), (0, 2, 0, 2), (0, 3, 1, 2), (0, 4, 1, 3)):
        events.append(P.FunctionEvent(id=number, node_id=0, name="", thread=thread, start_us=start, end_us=end))
    events._populate_cpu_children()
    for event in events:
        found[event.id] = [c.id for c in event.cpu_children]
    return found, attempt(lambda: events.key_averages())


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


def test_lines_of_the_user_are_kept_and_given_to_nodes(tmp_path):
    def loss(x):
        return x.exp().sum()

    x = compat.ones(2, requires_grad=True)
    with compat.autograd.profiler.profile(with_stack=True) as prof:
        loss(x).backward()
    exp = next(e for e in prof.function_events if e.name == "aten::exp")
    node = next(e for e in prof.function_events if e.name == "ExpBackward0")
    assert "test_profiler.py" in exp.stack[0] and exp.stack[0].endswith(": loss")
    assert node.stack == exp.stack
    assert not any("compat/torch" in line for line in exp.stack)
    assert "Source Location" in prof.table() and "loss" in prof.key_averages(group_by_stack_n=1).table()
    by_line = prof.key_averages(group_by_stack_n=2)
    assert all(len(e.stack) <= 2 for e in by_line)
    prof.export_stacks(tmp_path / "stacks", "self_cpu_time_total")
    lines = (tmp_path / "stacks").read_text().splitlines()
    assert lines and all(line.rpartition(" ")[2].isdigit() for line in lines) and any("loss" in line for line in lines)


def test_nodes_of_a_composite_operation_belong_to_it():
    x, w = compat.ones(4, 3, requires_grad=True), compat.ones(2, 3, requires_grad=True)
    with compat.autograd.profiler.profile() as prof:
        y = compat.nn.functional.cross_entropy(compat.nn.functional.linear(x, w), compat.tensor([0, 1, 1, 0]))
        y.backward()
    events = prof.function_events
    made = {e.sequence_nr for e in events if e.name in ("aten::linear", "aten::cross_entropy")}
    assert {e.sequence_nr for e in events if e.scope == 1 and "Accumulate" not in e.name} <= made


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


def test_other_threads_are_not_recorded():
    with compat.autograd.profiler.profile() as prof:
        thread = threading.Thread(target=lambda: compat.ones(2) * 3)
        thread.start()
        thread.join()
    assert not prof.function_events


def test_one_profile_at_a_time():
    with compat.autograd.profiler.profile() as prof:
        for inner in (compat.autograd.profiler.profile, compat.autograd.profiler.emit_itt):
            with pytest.raises(RuntimeError, match="one collects at a time"):
                inner().__enter__()
        compat.ones(1) + 1
    assert "aten::add" in names(prof)


def test_what_configures_another_collector_is_refused():
    with pytest.raises(NotImplementedError, match="leave them out"):
        compat.autograd.profiler.profile(experimental_config=object())


def test_older_spellings_work():
    with pytest.warns(FutureWarning, match="use_cuda"), pytest.warns(UserWarning, match="CUDA is not available"):
        prof = compat.autograd.profiler.profile(True, True)
    with prof:
        compat.ones(2) * 2
    event = prof.key_averages()[0]
    for name in ("cuda_time", "cuda_time_total", "self_cuda_time_total"):
        with pytest.warns(FutureWarning, match="device"):
            assert getattr(event, name) == 0
    assert prof.key_averages().table(sort_by="cuda_time_total")


def test_a_label_open_at_the_end_ends_there():
    label = compat.autograd.profiler.record_function("open")
    with compat.autograd.profiler.profile() as prof:
        label.__enter__()
        compat.ones(2) * 2
    label.__exit__(None, None, None)
    event = prof.function_events[0]
    assert event.name == "open" and event.cpu_time_total > 0 and len(event.cpu_children) == 2


def test_transforms_are_recorded():
    with compat.autograd.profiler.profile() as prof:
        compat.vmap(compat.func.grad(lambda x: x.sin().sum()))(compat.ones(3, 2))
    assert [n for n in names(prof) if n in ("aten::sin", "aten::sum")] == ["aten::sin", "aten::sum"]
    assert any("SinBackward0" in e.name for e in prof.function_events)


@pytest.fixture
def said(monkeypatch):
    """What libraries for ranges were told."""
    told = []
    handle = types.SimpleNamespace(
        push_range=lambda name: told.append(name), pop_range=lambda: told.append("/"), domain=lambda name: name,
        string_handle=lambda name: name, task_begin=lambda domain, name: told.append(name),
        task_end=lambda domain: told.append("/"))
    cupy = types.SimpleNamespace(cuda=types.SimpleNamespace(nvtx=types.SimpleNamespace(
        RangePush=handle.push_range, RangePop=handle.pop_range)))
    for name in ("nvtx", "ittapi", "cupy"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return told, lambda name: monkeypatch.setitem(sys.modules, name, cupy if name == "cupy" else handle)


@pytest.mark.parametrize("name, mode", [("nvtx", "emit_nvtx"), ("cupy", "emit_nvtx"), ("ittapi", "emit_itt")])
def test_ranges_tell_which_operation_made_a_node(said, name, mode):
    told, load = said
    load(name)
    x = compat.ones(2, requires_grad=True)
    with getattr(compat.autograd.profiler, mode)(record_shapes=True):
        y = (x * 2).sum()
        with compat.autograd.profiler.record_function("label"):
            y.backward()
    y.detach() * 2
    assert told == ["aten::mul, seq = 0, sizes = [[2], []]", "/", "aten::sum, seq = 1, sizes = [[2]]", "/", "label",
                    "SumBackward0, stashed seq = 1, sizes = [[]]", "/", "MulBackward0, stashed seq = 0, sizes = [[2]]",
                    "/", "torch::autograd::AccumulateGrad, stashed seq = -1, sizes = [[2]]", "/", "/"]


def test_ranges_need_a_library(said):
    for mode, words in (("emit_nvtx", "nvtx nor cupy"), ("emit_itt", "ittapi")):
        with pytest.raises(RuntimeError, match=words), getattr(compat.autograd.profiler, mode)():
            pass
        with getattr(compat.autograd.profiler, mode)(enabled=False) as off:
            assert off is None
        assert compat.ones(1).add(1)


def test_ranges_are_not_reentrant(said):
    said[1]("nvtx")
    mode = compat.autograd.profiler.emit_nvtx()
    with mode:
        pass
    with pytest.raises(RuntimeError, match="NVTX annotation context manager is not reentrant"), mode:
        pass


def test_the_mode_ends_with_an_error_in_a_rule():
    class Fails(compat.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("on purpose")

    x = compat.ones(2, requires_grad=True)
    with pytest.raises(ValueError, match="on purpose"), compat.autograd.profiler.profile() as prof:
        Fails.apply(x).sum().backward()
    assert all(e.cpu_time_total >= 0 for e in prof.function_events)
    assert "FailsBackward" in [e.name for e in prof.function_events]
