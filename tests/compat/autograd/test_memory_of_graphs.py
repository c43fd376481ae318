"""What a graph keeps alive, what is freed when, and graphs that are deep or wide."""

import gc
import weakref

import pytest

import covector.compat.torch as torch


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_a_graph_dies_with_its_output(no_collector):
    x = torch.ones(3, requires_grad=True)
    y = (x * 2).exp()
    node = weakref.ref(y.grad_fn)
    z = y.sum()
    del y
    assert node() is not None
    del z
    assert node() is None


def test_backward_frees_what_was_saved(no_collector):
    x = torch.ones(3, requires_grad=True)
    hidden = x * 2
    array = weakref.ref(hidden.value)
    y = (hidden * hidden).sum()
    del hidden
    assert array() is not None
    y.backward()
    assert array() is None


def test_nothing_unneeded_is_saved(no_collector):
    x = torch.ones(3, requires_grad=True)
    hidden = x * 2
    array = weakref.ref(hidden.value)
    total = (hidden + 1).sum()
    del hidden
    assert array() is None and total.item() == 9.0


def test_a_view_that_is_written_to_makes_no_cycle(no_collector):
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y[1:].add_(1)
    y[0] = 5.0
    kept = weakref.ref(y)
    del y
    assert kept() is None


def test_a_function_that_saves_its_output_makes_no_cycle(no_collector):
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            out = x.exp()
            ctx.save_for_backward(out)
            return out

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    y = Exp.apply(torch.ones(2, requires_grad=True))
    kept = weakref.ref(y)
    del y
    assert kept() is None


def test_a_deep_graph_is_swept_and_freed_without_recursion():
    x = torch.ones(2, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + 0.0
    y.sum().backward()
    del y
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_wide_graph_is_linear_in_its_edges():
    x = torch.ones(2, requires_grad=True)
    y = x * 1.0
    total = y * 0.0
    for _ in range(2000):
        total = total + y
    total.sum().backward()
    assert x.grad.tolist() == [2000.0, 2000.0]


def script_freed_at_once(torch):
    out = []
    x = torch.ones(4, requires_grad=True)

    class Big:
        pass

    log = []

    def pack(t):
        b = Big()
        b.t = t.detach()
        weakref.finalize(b, lambda: log.append("freed"))
        return b

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda b: b.t):
        y = x.exp()
        z = y.sin()
        w = z * y
    out.append(len(log))
    w.sum().backward(retain_graph=True)
    out.append(len(log))
    w.sum().backward()
    out.append(len(log))
    del w, y, z
    gc.collect()
    out.append(len(log))
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda b: b.t):
        y = x.exp()
    n = len(log)
    del y
    out.append(len(log) - n)
    return out


def script_freed_as_the_sweep_goes(torch):
    out = []
    x = torch.ones(4, requires_grad=True)
    alive = []

    class B:
        pass

    refs = []

    def pack(t):
        b = B()
        b.t = t.detach()
        refs.append(weakref.ref(b))
        return b

    def count():
        return sum(r() is not None for r in refs)

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda b: b.t):
        y = x.exp()
        y.register_hook(lambda g: alive.append(count()))
        z = y.exp()
        z.register_hook(lambda g: alive.append(count()))
        w = z.exp()
    x.register_hook(lambda g: alive.append(count()))
    w.sum().backward()
    out.append(alive)
    out.append(count())
    return out


def script_diagonals_twice(torch):
    """Operations that save nothing have a second backward pass."""
    results = []
    for f in (torch.diag_embed, torch.diag, lambda p: torch.trace(p.expand(3, 3)), lambda p: p.repeat_interleave(2),
              lambda p: torch.diag_embed(p, -1, 1, 0), lambda p: torch.diag(p.expand(2, 3), 1)):
        p = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        out = f(p)
        out.sum().backward()
        (out * out.detach()).sum().backward()
        results += [out.detach(), p.grad]
    return results


def script_leaves_that_require_no_gradient_any_more(torch):
    """An accumulator looks at its leaf when it runs."""
    def left(change):
        x, z = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        y = x * 2 * z
        change(x)
        y.sum().backward()
        return [x.grad, z.grad, x.requires_grad]

    return [left(lambda x: x.requires_grad_(False)), left(lambda x: x.detach_())]
