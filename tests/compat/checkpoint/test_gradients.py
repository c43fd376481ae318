"""torch.utils.checkpoint: gradients, random numbers, nests, sequences, writes and hooks."""


import numpy as np

import covector.compat.torch as compat
from checkpointed import ck, leaf, tools
from harness import attempt, double, message


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


def test_a_write_after_a_saved_value_keeps_the_gradient():
    """PyTorch saves what was written in the recomputation (docs/compat_gaps.md); without a checkpoint it refuses."""
    x = leaf(compat, 0.3, -1.2)

    def f(a):
        b = a * 2
        b.mul_(b.detach())
        return b.exp()

    tools(compat).checkpoint(f, x, use_reentrant=False).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp(4 * x.detach().numpy() ** 2) * 4 * x.detach().numpy(), rtol=1e-5)


def script_rng(torch):
    out = []
    x = torch.ones(1000, requires_grad=True)
    for re_ in (True, False):
        for keep in (True, False):
            torch.manual_seed(0)
            masks = []

            def f(a):
                m = torch.rand_like(a)
                masks.append(m)
                return (a * m).sum()

            y = ck(torch)(f, x, use_reentrant=re_, preserve_rng_state=keep)
            s = torch.get_rng_state()
            y.backward()
            out.append(
                [
                    len(masks),
                    bool((masks[0] == masks[1]).all()),
                    bool((x.grad == masks[0]).all()),
                    bool((x.grad == masks[-1]).all()),
                    bool((torch.get_rng_state() == s).all()),
                ]
            )
            x.grad = None
    return out


def script_hooks_and_double(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()
    c = ck(torch)
    y = c(lambda a: a**3 * a.sin(), x, use_reentrant=False)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    out.append(g.detach())
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    out.append(h.detach())
    out.append(torch.autograd.grad(h.sum(), x))
    out.append(torch.autograd.functional.jacobian(lambda a: c(torch.sin, a, use_reentrant=False), x.detach()))
    out.append(
        torch.autograd.functional.hessian(lambda a: c(lambda b: (b**3).sum(), a, use_reentrant=False), x.detach())
    )
    out.append(
        torch.autograd.grad(
            c(torch.exp, x, use_reentrant=False), x, torch.eye(2, dtype=torch.float64), is_grads_batched=True
        )
    )

    def nest(a):
        return c(lambda b: c(lambda d: d.exp().sin(), b, use_reentrant=False) * b, a, use_reentrant=False)

    out.append(torch.autograd.grad(nest(x).sum(), x))
    y = c(lambda a: (a * a).exp(), x, use_reentrant=False)
    y.register_hook(lambda g: g * 2)
    out.append(torch.autograd.grad(y.sum(), x))
    a = x * 1
    y = c(lambda b: b.exp() * b, a, use_reentrant=False)
    with torch.no_grad():
        a.mul_(2)
    out.append(attempt(lambda: torch.autograd.grad(y.sum(), x)))
    with torch.no_grad():
        out.append(c(torch.sin, x, use_reentrant=False))
        out.append(c(torch.sin, x, use_reentrant=True))
    with torch.enable_grad():
        w = c(lambda b: torch.no_grad()(torch.sin)(b), x, use_reentrant=False)
        out.append(w)
    return out


def script_sequential_forms(torch):
    cs = torch.utils.checkpoint.checkpoint_sequential
    out = []
    x = double(torch, 1, 2).requires_grad_()
    n = []

    def mk(i):
        return lambda a: (n.append(i), a.sin() + i)[1]

    fs = [mk(i) for i in range(5)]
    for re_ in (True, False):
        for seg in (1, 2, 3, 5):
            n.clear()
            y = cs(fs, seg, x, use_reentrant=re_)
            k = len(n)
            y.sum().backward()
            out.append((k, list(n), x.grad.clone()))
            x.grad = None
    for seg in (0, 6, -1):
        out.append(
            attempt(lambda: cs(fs, seg, x, use_reentrant=False))[:2]
            if isinstance(attempt(lambda: cs(fs, seg, x, use_reentrant=False)), tuple)
            else cs(fs, seg, x, use_reentrant=False)
        )
    out.append(attempt(lambda: cs(fs, 2, x, use_reentrant=False, foo=1)))
    out.append(attempt(lambda: cs(fs, 2, x, use_reentrant=False, preserve_rng_state=False)))
    out.append(attempt(lambda: cs(fs, 2, x, use_reentrant=False, determinism_check="none")))
    return out
