"""torch.autograd.profiler: labels of the user, and ranges for the profilers of others."""

import sys
import types

import pytest

import covector.compat.torch as compat
from harness import attempt
from profiled import P, counts


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


def test_a_label_open_at_the_end_ends_there():
    label = compat.autograd.profiler.record_function("open")
    with compat.autograd.profiler.profile() as prof:
        label.__enter__()
        compat.ones(2) * 2
    label.__exit__(None, None, None)
    event = prof.function_events[0]
    assert event.name == "open" and event.cpu_time_total > 0 and len(event.cpu_children) == 2


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
    out.append([(n, c) for n, c in counts(p) if n in ("a", "b", "c", "deco")])
    out.append(attempt(lambda: rf())[:2])
    out.append(attempt(lambda: rf(3).__enter__())[:2])
    with rf("outside") as r:
        out.append(type(r).__name__)
    ev = {e.name: e for e in p.function_events}
    out.append([ev["b"].cpu_parent.name, sorted(c.name for c in ev["b"].cpu_children if c.name == "aten::mul")])
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
