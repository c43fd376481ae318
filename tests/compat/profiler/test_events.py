"""torch.autograd.profiler: which operations and nodes are recorded, with shapes, memory, flops and stacks."""

import tempfile
import threading

import pytest

import covector.compat.torch as compat
from harness import attempt
from profiled import P, counts


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


def test_lines_of_the_user_are_kept_and_given_to_nodes(tmp_path):
    def loss(x):
        return x.exp().sum()

    x = compat.ones(2, requires_grad=True)
    with compat.autograd.profiler.profile(with_stack=True) as prof:
        loss(x).backward()
    exp = next(e for e in prof.function_events if e.name == "aten::exp")
    node = next(e for e in prof.function_events if e.name == "ExpBackward0")
    assert "test_events.py" in exp.stack[0] and exp.stack[0].endswith(": loss")
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


def test_transforms_are_recorded():
    with compat.autograd.profiler.profile() as prof:
        compat.vmap(compat.func.grad(lambda x: x.sin().sum()))(compat.ones(3, 2))
    assert [n for n in names(prof) if n in ("aten::sin", "aten::sum")] == ["aten::sin", "aten::sum"]
    assert any("SinBackward0" in e.name for e in prof.function_events)


def script_basic_counts(torch):
    x = torch.ones(2, 3, requires_grad=True)
    with P(torch).profile() as prof:
        y = x.exp()
        z = y.sin()
        w = z.cos()
        w.backward(torch.ones(2, 3))
    return counts(prof)


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


def script_shapes_of_groups(torch):
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


def script_memory_of_groups(torch):
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


def script_flops_of_groups(torch):
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
