"""torch.utils.checkpoint in odd uses: how often a region runs, what it keeps, refusals; on compat and PyTorch."""

import contextlib
import gc
import weakref

import covector.compat.torch as compat
from harness import attempt, double, rounds_as


def ck(torch):
    return torch.utils.checkpoint.checkpoint


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


@rounds_as("float32", why="it computes again in single precision")
def script_determinism_checks(torch):
    out = []
    x = double(torch, 1, 2, 3).requires_grad_()

    def make(kind):
        n = [0]

        def f(a):
            n[0] += 1
            again = n[0] > 1
            if kind == "shape":
                return (a[:2] if again else a).exp().sum()
            if kind == "dtype":
                return (a.float() if again else a).exp().sum().double()
            if kind == "more":
                y = a.exp()
                return (y.sin() if again else y).sum()
            if kind == "less":
                y = a.exp()
                return (y if again else y.sin()).sum()
            if kind == "none":
                return (a.detach() if again else a).exp().sum()
            if kind == "value":
                return (a * (2 if again else 1)).exp().sum()

        return f

    for k in ("shape", "dtype", "more", "less", "none", "value"):
        for chk in ("default",) if k == "shape" else ("default", "none"):
            for stop in (True, False):

                def go():
                    return torch.autograd.grad(
                        ck(torch)(make(k), x, use_reentrant=False, determinism_check=chk, early_stop=stop), x
                    )

                r = attempt(go)
                out.append((k, chk, stop, r))
    out.append(attempt(lambda: ck(torch)(torch.sin, x, use_reentrant=False, determinism_check="bad")))
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


def script_reentrant_errors(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()
    c = ck(torch)
    out.append(attempt(lambda: torch.autograd.grad(c(torch.sin, x, use_reentrant=True).sum(), x)))
    out.append(attempt(lambda: c(torch.sin, x, use_reentrant=True).sum().backward(inputs=[x])))
    out.append(attempt(lambda: c(lambda a, k=1: a * k, x, use_reentrant=True, k=2)))
    out.append(attempt(lambda: c(lambda a, k=1: a * k, x, use_reentrant=False, k=2).sum()))
    out.append(attempt(lambda: c(torch.sin, x.detach(), use_reentrant=True)))
    out.append(attempt(lambda: c(torch.sin, x.detach(), use_reentrant=False)))
    out.append(attempt(lambda: c(lambda a: (a.sin(), 3, None, "s"), x, use_reentrant=True)))
    out.append(attempt(lambda: c(lambda a: (a.sin(), 3, None, "s"), x, use_reentrant=False)))
    out.append(attempt(lambda: c(lambda a: a.detach(), x, use_reentrant=True).sum().backward()))
    out.append(attempt(lambda: c(lambda a: {"k": a.sin()}, x, use_reentrant=False)["k"].sum().backward()))
    out.append(x.grad)
    x.grad = None
    out.append(attempt(lambda: c(lambda a: [a.sin()], x, use_reentrant=True)))
    y = c(torch.sin, x, use_reentrant=True)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    out.append(x.grad)
    x.grad = None
    y = c(torch.sin, x, use_reentrant=False)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    out.append(x.grad)
    out.append(attempt(y.sum().backward))
    x.grad = None
    out.append(attempt(lambda: c(lambda l: l[0].sin(), [x], use_reentrant=True)))
    out.append(attempt(lambda: c(lambda l: l[0].sin(), [x], use_reentrant=False)))
    out.append(attempt(lambda: c(lambda: x.sin(), use_reentrant=False)))
    out.append(attempt(lambda: c(torch.sin, x)))
    out.append(attempt(lambda: torch.utils.checkpoint.checkpoint_sequential([torch.sin], 1, x)))
    out.append(attempt(lambda: c(torch.sin, x, use_reentrant=True, debug=True)))
    out.append(attempt(lambda: c(torch.sin, x, use_reentrant=True, determinism_check="none", early_stop=False)))
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
