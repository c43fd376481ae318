"""torch.utils.checkpoint: regions that are not deterministic, debug logs, errors."""


import pytest

import covector.compat.torch as compat
from checkpointed import ck, leaf, tools
from harness import attempt, double, message, rounds_as


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


def script_messages(torch):
    t = tools(torch)
    x = leaf(torch, 0.3, -1.2)
    return (t.checkpoint(lambda a: a.sin(), x), t.checkpoint_sequential([lambda a: a.sin()] * 2, 2, x),
            message(lambda: t.checkpoint(lambda a: a, x, use_reentrant=True, k=3)),
            message(lambda: t.detach_variable([x])),
            [v.requires_grad if hasattr(v, "requires_grad") else v for v in t.detach_variable((x, 3, x.detach()))],
            issubclass(t.CheckpointError, RuntimeError))


def test_the_debug_log_shows_the_users_lines():
    x = compat.ones(2, requires_grad=True)
    runs = []

    def f(a):
        runs.append(1)
        return a.sin().exp() if len(runs) == 1 else a.cos()

    y = compat.utils.checkpoint.checkpoint(f, x, use_reentrant=False, debug=True)
    with pytest.raises(compat.utils.checkpoint.CheckpointError, match="return a.sin.*a.cos"):
        y.sum().backward()


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
