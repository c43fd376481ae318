"""torch.utils.checkpoint: the same scripts on compat and PyTorch."""

import contextlib
import gc
import importlib
import weakref

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import attempt, message


def tools(torch):
    return importlib.import_module(torch.__name__ + ".utils.checkpoint")


def leaf(torch, *numbers):
    return torch.tensor(numbers, requires_grad=True)


def both(run):
    return [run(False), run(True)]


def script_gradients(torch):
    ck = tools(torch).checkpoint

    def run(reentrant):
        x, w = leaf(torch, 0.3, -1.2), leaf(torch, 2.0, 0.5)
        runs = []

        def f(a, n, b):
            runs.append(n)
            c = (a * b).sin()
            return c.exp() * a, c * 2

        y, z = ck(f, x * 1, 3, w, use_reentrant=reentrant)
        first = len(runs)
        out = [y.requires_grad, y.detach(), type(y.grad_fn).__name__ if reentrant else None]
        (y.sum() + (z * 3).sum()).backward()
        return out, x.grad, w.grad, first, runs

    return both(run)


def script_captured_and_nested_inputs(torch):
    ck = tools(torch).checkpoint
    x, w = leaf(torch, 0.3, -1.2), leaf(torch, 2.0, 0.5)
    y = ck(lambda d, k=1: (d["a"] * d["b"][0] * w).cos() * k, {"a": x, "b": [w]}, k=3, use_reentrant=False)
    y.sum().backward()
    return y, x.grad, w.grad


def script_everything_that_sweeps(torch):
    ck = tools(torch).checkpoint

    def run(reentrant):
        out = []
        x = leaf(torch, 0.3, -1.2)
        f = lambda a: (a.sin() * a).exp()  # noqa: E731
        call = lambda: ck(f, x, use_reentrant=reentrant).sum()  # noqa: E731
        out.append(message(lambda: torch.autograd.grad(call(), x)))
        out.append(message(lambda: call().backward(inputs=[x])))
        y = call()
        y.backward(retain_graph=True)
        y.backward()
        out += [x.grad.clone(), attempt(lambda: y.backward())]
        return out

    x = leaf(torch, 0.3, -1.2)
    (g,) = torch.autograd.grad(ck(lambda a: (a.sin() * a).exp(), x, use_reentrant=False).sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    (ggg,) = torch.autograd.grad(gg.sum(), x)
    return both(run), g.detach(), gg.detach(), ggg


def script_random_numbers(torch):
    ck = tools(torch).checkpoint

    def run(reentrant):
        out = []
        for preserve in (True, False):
            x = leaf(torch, *[1.0] * 50)
            seen = []

            def f(a):
                mask = (torch.rand(50) > 0.5).float()
                seen.append(mask)
                return a * a * mask

            torch.manual_seed(3)
            y = ck(f, x, use_reentrant=reentrant, preserve_rng_state=preserve)
            state = torch.get_rng_state()
            y.sum().backward()
            out += [torch.equal(seen[0], seen[1]), torch.equal(x.grad, 2 * seen[0]),
                    torch.equal(state, torch.get_rng_state())]
        return out

    return both(run)


def script_early_stop(torch):
    t = tools(torch)

    def run(stop, inside=None):
        x = leaf(torch, 0.3, -1.2)
        steps = []

        def f(a):
            steps.append(1)
            b = a.sin()
            c = b.exp()
            steps.append(2)
            return c + 1

        with t.set_checkpoint_early_stop(inside) if inside is not None else contextlib.nullcontext():
            y = t.checkpoint(f, x, use_reentrant=False, early_stop=stop)
        y.sum().backward()
        return steps, x.grad

    return run(True), run(False), run(True, False), run(False, True)


def script_context_fn(torch):
    t = tools(torch)
    seen = []

    class Note(contextlib.ContextDecorator):
        def __init__(self, name, swallow=False):
            self.name, self.swallow = name, swallow

        def __enter__(self):
            seen.append("enter " + self.name)

        def __exit__(self, *exc):
            seen.append("exit " + self.name)
            return self.swallow

    x = leaf(torch, 0.3, -1.2)
    y = t.checkpoint(lambda a: a.sin().exp() * 2, x, use_reentrant=False,
                     context_fn=lambda: (Note("forward"), Note("again")))
    seen.append("made")
    y.sum().backward()

    def fails(a):
        raise KeyError("inside")

    return (seen, x.grad,
            message(lambda: t.checkpoint(fails, x, use_reentrant=False)),
            message(lambda: t.checkpoint(fails, x, use_reentrant=True)),
            message(lambda: t.checkpoint(fails, x, use_reentrant=False,
                                         context_fn=lambda: (Note("forward", True), Note("again")))),
            message(lambda: t.checkpoint(fails, x, use_reentrant=True, context_fn=lambda: (Note("a"), Note("b")))))


def script_determinism(torch):
    t = tools(torch)
    first = lambda text: text.split("Tip")[0].strip() if isinstance(text, str) else text  # noqa: E731

    def run(change, **options):
        x = leaf(torch, 0.3, -1.2)
        runs = []

        def f(a):
            runs.append(1)
            return change(a, len(runs))

        y = t.checkpoint(f, x, use_reentrant=False, **options)
        return first(message(lambda: y.sum().backward())), x.grad

    fewer = lambda a, n: a.sin().exp().cos() if n == 1 else a.sin()  # noqa: E731
    more = lambda a, n: a.sin() if n == 1 else a.sin().exp().cos()  # noqa: E731
    other = lambda a, n: (a.sin() * torch.ones(2)).exp() if n == 1 else (a.sin() * torch.ones(1, 2)).exp()  # noqa: E731
    dtype = lambda a, n: a.sin().exp().sum() if n == 1 else a.double().sin().exp().sum()  # noqa: E731
    return (run(fewer), run(more), run(more, early_stop=False), run(other), run(dtype),
            run(dtype, determinism_check="none")[0], message(lambda: run(fewer, determinism_check="x")))


def script_debug(torch):
    t = tools(torch)
    says = "You are seeing this error because you passed `debug=True` to checkpoint"

    def run(**options):
        x = leaf(torch, 0.3, -1.2)
        runs = []

        def f(a):
            runs.append(1)
            return a.sin().exp().cos() if len(runs) == 1 else a.sin()

        y = t.checkpoint(f, x, use_reentrant=False, **options)
        try:
            y.sum().backward()
        except t.CheckpointError as error:
            return says in str(error), "original" in str(error), type(error.__cause__).__name__

    def good(a):
        return a.sin().exp()

    x = leaf(torch, 0.3, -1.2)
    t.checkpoint(good, x, use_reentrant=False, debug=True).sum().backward()
    out = [x.grad, run(debug=True), run()[0]]
    with t.set_checkpoint_debug_enabled(True):
        out.append(run())
    with t.set_checkpoint_debug_enabled(False):
        out.append(run(debug=True))
    return (*out, message(lambda: t.checkpoint(good, x, use_reentrant=True, debug=True)),
            message(lambda: t.checkpoint(good, x, use_reentrant=False, debug=True, context_fn=lambda: (1, 2))))


def script_nested(torch):
    t = tools(torch)

    def run(inner, outer):
        x = leaf(torch, 0.3, -1.2)
        runs = []

        def g(b):
            runs.append("g")
            return (b.sin() * b).exp()

        def f(a):
            runs.append("f")
            b = t.checkpoint(g, a.cos(), use_reentrant=inner)
            return t.checkpoint(g, b * 0.1, use_reentrant=inner) * a

        y = t.checkpoint(f, x, use_reentrant=outer)
        y.sum().backward()
        return x.grad, runs

    def three(a, n=3):
        return a.sin() if n == 0 else t.checkpoint(three, a.sin() * 1.1, n - 1, use_reentrant=False).exp()

    x = leaf(torch, 0.3, -1.2)
    (g,) = torch.autograd.grad(three(x).sum(), x, create_graph=True)
    return [run(a, b) for a in (False, True) for b in (False, True)], g.detach(), torch.autograd.grad(g.sum(), x)


def script_sweeps_inside(torch):
    t = tools(torch)

    def run(retain, stop):
        x = leaf(torch, 0.3, -1.2)
        runs = []

        def f(a):
            runs.append(1)
            y = a.sin()
            z = y.cos()
            (g,) = torch.autograd.grad(z.sum(), a, retain_graph=retain)
            return a.cos() * g + (z if retain else 0)

        y = t.checkpoint(f, x, use_reentrant=False, early_stop=stop)
        y.sum().backward()
        return x.grad, len(runs)

    return [run(a, b) for a in (True, False) for b in (True, False)]


def script_saved_tensors_of_functions(torch):
    t = tools(torch)

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            out = a * a
            ctx.save_for_backward(a, out)
            return out

        @staticmethod
        def backward(ctx, g):
            a, out = ctx.saved_tensors
            return g * 2 * a + 0 * out

    class Twice(Square):
        @staticmethod
        def backward(ctx, g):
            ctx.saved_tensors
            return g * 2 * ctx.saved_tensors[0]

    x = leaf(torch, 0.3, -1.2)
    y = t.checkpoint(lambda a: Square.apply(a.sin()).exp(), x, use_reentrant=False).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    z = t.checkpoint(lambda a: Twice.apply(a.sin()).exp(), x, use_reentrant=False).sum()
    return g.detach(), gg, message(z.backward)


def script_in_place(torch):
    t = tools(torch)
    x = leaf(torch, 0.3, -1.2)

    def f(a):
        b = a * 2
        b.mul_(b.detach().clone())
        c = b[:1]
        c.add_(a[1:] * a[:1])
        return b.exp()

    y = t.checkpoint(f, x, use_reentrant=False)
    y.sum().backward()
    a = x * 1
    z = t.checkpoint(lambda a: a.sin() * 2, a, use_reentrant=False)
    a.mul_(2)
    w = torch.tensor([1.0, 2.0])
    v = t.checkpoint(lambda a, w: a * w, x, w, use_reentrant=True)
    w.mul_(2)
    return x.grad.clone(), attempt(lambda: z.sum().backward()), attempt(lambda: v.sum().backward())


def script_without_recording(torch):
    t = tools(torch)

    def run(reentrant):
        x, w = leaf(torch, 0.3, -1.2), torch.tensor([1.0, 2.0])
        out = []
        with torch.no_grad():
            out.append(t.checkpoint(lambda a: a.sin(), x, use_reentrant=reentrant))
        out.append(t.checkpoint(lambda a: a.sin(), w, use_reentrant=reentrant))
        y = t.checkpoint(lambda a, b: (a.sin(), b.detach() * 2, 3, None), w * x, x, use_reentrant=reentrant)
        out.append([y[0], y[1].detach(), y[1].requires_grad, *y[2:]])
        y[0].sum().backward()
        out.append(x.grad)
        z = t.checkpoint(lambda a: a.detach(), x, use_reentrant=reentrant)
        return [*out, attempt(lambda: z.sum().backward())]

    return both(run)


def script_sequential(torch):
    t = tools(torch)

    def run(reentrant):
        x = leaf(torch, 0.3, -1.2)
        runs = []

        def step(n):
            def f(a):
                runs.append(n)
                return a.sin() * n
            return f

        y = t.checkpoint_sequential([step(n) for n in range(1, 6)], 2, x, use_reentrant=reentrant)
        y.sum().backward()
        return y, x.grad, runs, message(lambda: t.checkpoint_sequential([step(1)], 1, x, use_reentrant=reentrant, k=1))

    return both(run)


def script_messages(torch):
    t = tools(torch)
    x = leaf(torch, 0.3, -1.2)
    return (t.checkpoint(lambda a: a.sin(), x), t.checkpoint_sequential([lambda a: a.sin()] * 2, 2, x),
            message(lambda: t.checkpoint(lambda a: a, x, use_reentrant=True, k=3)),
            message(lambda: t.detach_variable([x])),
            [v.requires_grad if hasattr(v, "requires_grad") else v for v in t.detach_variable((x, 3, x.detach()))],
            issubclass(t.CheckpointError, RuntimeError))


def script_hooks_around(torch):
    t = tools(torch)
    x = leaf(torch, 0.3, -1.2)
    log = []

    def pack(v):
        log.append("pack")
        return v

    def unpack(v):
        log.append("unpack")
        return v

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = t.checkpoint(lambda a: a.sin().exp(), x, use_reentrant=False)
    y.sum().backward()
    return log, x.grad


def script_groups(torch):
    t = tools(torch)
    x = leaf(torch, 0.3, -1.2)
    runs = []

    def f(a):
        runs.append(1)
        return a.sin(), a.exp()

    a, b = t.checkpoint(f, x, use_reentrant=False)
    with t.GraphExecGroup():
        a.sum().backward(retain_graph=True)
        b.sum().backward()
        overlap = message(lambda: a.sum().backward())
        nested = attempt(lambda: t.GraphExecGroup().__enter__())[:2]
    c, d = t.checkpoint(f, x, use_reentrant=False)
    c.sum().backward()
    d.sum().backward()
    return x.grad, len(runs), overlap, nested


def test_saved_tensors_do_not_outlive_the_forward_pass():
    x = compat.ones(1000, requires_grad=True)
    kept = []

    def f(a):
        b = a.sin()
        kept.append(weakref.ref(b.value.base if b.value.base is not None else b.value))
        return b.exp() * 2

    y = compat.utils.checkpoint.checkpoint(f, x, use_reentrant=False)
    gc.collect()
    assert kept[0]() is None
    y.sum().backward()
    gc.collect()
    assert kept[1]() is None


def test_the_debug_log_shows_the_users_lines():
    x = compat.ones(2, requires_grad=True)
    runs = []

    def f(a):
        runs.append(1)
        return a.sin().exp() if len(runs) == 1 else a.cos()

    y = compat.utils.checkpoint.checkpoint(f, x, use_reentrant=False, debug=True)
    with pytest.raises(compat.utils.checkpoint.CheckpointError, match="return a.sin.*a.cos"):
        y.sum().backward()


def test_a_write_after_a_saved_value_keeps_the_gradient():
    """PyTorch saves what was written in the recomputation (docs/compat_gaps.md); without a checkpoint it refuses."""
    x = leaf(compat, 0.3, -1.2)

    def f(a):
        b = a * 2
        b.mul_(b.detach())
        return b.exp()

    tools(compat).checkpoint(f, x, use_reentrant=False).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp(4 * x.detach().numpy() ** 2) * 4 * x.detach().numpy(), rtol=1e-5)
