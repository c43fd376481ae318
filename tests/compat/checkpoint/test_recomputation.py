"""torch.utils.checkpoint: how often a region runs, where it stops, what it keeps."""

import contextlib
import gc
import weakref

import covector.compat.torch as compat
from checkpointed import ck, leaf, tools
from harness import attempt, double, made_function, message


def script_what_a_checkpoint_stopped_early_computed_is_freed(torch):
    refs = []

    def forward(ctx, x):
        y = x.clone()
        ctx.save_for_backward(y)
        refs.append(weakref.ref(y))
        return y

    f = made_function(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    x = torch.ones(3, requires_grad=True)
    gc.disable()
    try:
        torch.utils.checkpoint.checkpoint(lambda x: f.apply(x), x, use_reentrant=False).sum().backward()
        return x.grad, [r() is None for r in refs]
    finally:
        gc.enable()


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


def script_counts_of_runs(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()
    for re_ in (True, False):
        for stop in (True, False):
            n = []

            def f(a):
                n.append("a")
                b = a.sin()
                n.append("b")
                c = b.exp()
                n.append("c")
                d = c * b
                n.append("d")
                return d.sum()

            kw = {} if re_ else {"early_stop": stop}
            y = ck(torch)(f, x, use_reentrant=re_, **kw)
            out.append(list(n))
            y.backward()
            out.append(list(n))
            out.append(x.grad.clone())
            x.grad = None
    return out


def script_early_stop_context(torch):
    cp = torch.utils.checkpoint
    out = []
    x = double(torch, 1, 2).requires_grad_()
    for outer in (True, False):
        n = []

        def f(a):
            b = a.sin().exp()
            n.append(1)
            return b * 1

        with cp.set_checkpoint_early_stop(outer):
            y = cp.checkpoint(f, x, use_reentrant=False)
            z = cp.checkpoint(f, x, use_reentrant=False, early_stop=not outer)
        (y + z).sum().backward()
        out.append(len(n))
        x.grad = None
    return out


def script_context_fns(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()
    log = []

    @contextlib.contextmanager
    def c(n):
        log.append(n + " in")
        try:
            yield
        finally:
            log.append(n + " out")

    y = ck(torch)(
        lambda a: (log.append("run"), a.sin() * a)[1], x, use_reentrant=False, context_fn=lambda: (c("fwd"), c("rec"))
    )
    log.append("--")
    y.sum().backward()
    out.append(list(log))
    out.append(attempt(lambda: ck(torch)(torch.sin, x, use_reentrant=True, context_fn=lambda: (c("a"), c("b")))))
    out.append(
        attempt(lambda: ck(torch)(torch.sin, x, use_reentrant=False, context_fn=lambda: (c("a"), c("b")), debug=True))
    )
    out.append(attempt(lambda: ck(torch)(torch.sin, x, use_reentrant=False, context_fn=lambda: 3)))
    out.append(attempt(lambda: ck(torch)(torch.sin, x, use_reentrant=False, context_fn=lambda: (c("a"),))))

    @contextlib.contextmanager
    def sup():
        try:
            yield
        except ValueError:
            pass

    def boom(a):
        raise ValueError("b")

    out.append(attempt(lambda: ck(torch)(boom, x, use_reentrant=False, context_fn=lambda: (sup(), sup()))))
    return out


def script_unpack_twice_and_saved_attr(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()
    c = ck(torch)
    n = []
    y = c(lambda a: (n.append(1), a.exp().sin())[1], x, use_reentrant=False)
    f = y.grad_fn
    out.append(f._saved_self.detach())
    out.append(len(n))
    out.append(f._saved_self.detach())
    out.append(len(n))
    y.sum().backward()
    out.append(len(n))
    out.append(x.grad)
    return out


def script_memory_of_regions(torch):
    out = []
    x = torch.ones(4, requires_grad=True)
    refs = []
    c = ck(torch)

    def f(a):
        b = a.exp()
        refs.append(weakref.ref(b))
        d = b.sin()
        refs.append(weakref.ref(d))
        return d * b

    for re_ in (False, True):
        refs.clear()
        y = c(f, x, use_reentrant=re_)
        gc.collect()
        out.append([r() is None for r in refs])
        y.sum().backward()
        gc.collect()
        out.append([r() is None for r in refs])
    return out


def test_what_was_computed_again_is_kept_from_later_writes_of_the_region():
    def f(x):
        y = x * 3
        a = y * y  # saves y
        y.mul_(x)  # a write to it, and x saved behind it: the recomputation has to go on past the write
        return a + y.exp()

    x = compat.tensor([0.5, 1.0], dtype=compat.float64, requires_grad=True)
    (g,) = compat.autograd.grad(compat.utils.checkpoint.checkpoint(f, x, use_reentrant=False).sum(), x)
    assert compat.allclose(g, 18 * x + (3 * x * x).exp() * 6 * x)


def script_running_statistics_move_in_both_passes(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], dtype=torch.float64, requires_grad=True)
    found = []
    for reentrant in (False, True):
        for dtype in (torch.float64, torch.float32):
            norm = torch.nn.BatchNorm1d(2).to(dtype)
            y = ck(torch)(norm, x.to(dtype), use_reentrant=reentrant)
            found.append([norm.num_batches_tracked.item(), norm.running_mean.clone(), norm.running_var.clone()])
            y.sum().backward()
            found.append([norm.num_batches_tracked.item(), norm.running_mean, norm.running_var])
    return found
