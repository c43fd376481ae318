"""Anomaly mode: which of the user's lines a failing node is blamed on, and how the mode is set."""

import io
import sys
import warnings

import covector.compat.torch as compat
from anomaly_reports import A, fails, mode_with, run, shown, warned
from harness import attempt, double


def failing(torch):
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise RuntimeError("on purpose")

    return Fails


def script_failing_function(torch):
    def run():
        with torch.autograd.detect_anomaly():
            x = torch.ones(2, requires_grad=True)
            failing(torch).apply(x * 3).sum().backward()

    error, heads, lines = warned(run)
    return error, [h[:60] for h in heads], any("failing(torch).apply(x * 3)" in line for line in lines)


def script_forward_outside_of_the_mode(torch):
    x = torch.ones(2, requires_grad=True)
    y = failing(torch).apply(x * 3).sum()

    def run():
        with torch.autograd.detect_anomaly():
            y.backward()

    error, heads, lines = warned(run)
    return error, [h[:60] for h in heads]


def script_double_backward(torch):
    class Outer(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return failing(torch).apply(g * 1)

    w = torch.ones(2, requires_grad=True)

    def run():
        with torch.autograd.detect_anomaly():
            x = torch.ones(2, requires_grad=True)
            y = Outer.apply(x)
            (g,) = torch.autograd.grad((y * w).sum(), x, create_graph=True)
            torch.autograd.grad(g.sum(), w)

    error, heads, lines = warned(run)
    return error, [h[:60] for h in heads]


def script_hooks_that_raise(torch):
    def leaf(x):
        x.register_hook(fails)
        (x * 2).sum().backward()

    def tensor(x):
        y = x * 2
        y.register_hook(fails)
        y.sum().backward()

    def before(x):
        y = x * 2
        y.grad_fn.register_prehook(fails)
        y.sum().backward()

    def after(x):
        y = x.exp()
        y.grad_fn.register_hook(fails)
        y.sum().backward()

    return [mode_with(torch, body) for body in (leaf, tensor, before, after)]


def script_rule_recorded_outside_of_the_mode(torch):
    class Outer(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return failing(torch).apply(g * 1)

    def run():
        x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        y = Outer.apply(x)
        with torch.autograd.set_detect_anomaly(True):
            (g,) = torch.autograd.grad((y * w).sum(), x, create_graph=True)
            torch.autograd.grad(g.sum(), w)

    return shown(run)


def script_backward_inside_of_backward(torch):
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            with torch.enable_grad():
                y = torch.zeros(2, requires_grad=True)
                (y.sqrt() * 0).sum().backward()
            return g

    return mode_with(torch, lambda x: Inner.apply(x).sum().backward())


def script_errors_of_the_engine(torch):
    def write(x):
        y = x.exp()
        y.add_(1)
        y.sum().backward()

    def twice(x):
        y = x.exp().sum()
        y.backward()
        y.backward()

    def wrong_shape(x):
        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, g):
                return torch.ones(7)

        Wrong.apply(x).sum().backward()

    return [mode_with(torch, body) for body in (write, twice, wrong_shape)]


def script_metadata(torch):
    with torch.autograd.set_detect_anomaly(True):
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    meta, more = y.grad_fn.metadata, g.grad_fn.metadata
    return (sorted(meta), "y = x.exp()" in meta["traceback_"][-1], sorted(more), more["parent_"] is y.grad_fn,
            x.exp().grad_fn.metadata)


def script_modes_nest(torch):
    def now():
        return torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()

    out = [now()]
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        out.append(now())
        with torch.autograd.set_detect_anomaly(False):
            out.append(now())
            with torch.autograd.detect_anomaly():
                out.append(now())
            out.append(now())
        out.append(now())
    return [*out, now()]


def script_set_as_a_call(torch):
    torch.autograd.set_detect_anomaly(True)
    try:
        x = torch.ones(2, requires_grad=True)
        error, heads, _ = warned(lambda: failing(torch).apply(x).sum().backward())
    finally:
        torch.autograd.set_detect_anomaly(False)
    return error, [h[:60] for h in heads]


def script_values_are_the_same(torch):
    with torch.autograd.set_detect_anomaly(True):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        a, b = (x * x).exp().unbind(0)
        c = x.clone()
        c.mul_(2)
        (a * b + c.sum()).backward()
    return x.grad


def test_only_lines_of_the_user_are_shown():
    _, _, lines = warned(lambda: traced(compat))
    assert any("tests" in line for line in lines)
    assert not any("compat/torch" in line or "transforms/" in line for line in lines)


def traced(torch):
    with torch.autograd.detect_anomaly():
        x = torch.ones(2, requires_grad=True)
        failing(torch).apply(x * 3).sum().backward()


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def script_anomaly(torch):
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            raise RuntimeError("some error in backward")

    x = leaf(torch, 0.0)

    def failing():
        with torch.autograd.detect_anomaly():
            Bad.apply(x).sum().backward()

    def nan():
        with torch.autograd.set_detect_anomaly(True):
            (torch.sqrt(x) * 0).sum().backward()

    return attempt(failing), attempt(nan)[:2]


def script_where_warnings_are_errors_anomaly_mode_prints(torch):
    err, sys.stderr = sys.stderr, io.StringIO()
    try:
        def sweep():
            with torch.autograd.detect_anomaly():
                warnings.simplefilter("error")
                a = torch.ones(5, requires_grad=True)
                b = a + 1
                c = b**2
                b += 1
                torch.autograd.grad(c.sum(), a)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind = attempt(sweep)[1]
        return kind, "Error detected in PowBackward0" in sys.stderr.getvalue()
    finally:
        sys.stderr = err


def script_anomaly_modes(torch):
    seen = [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
    with torch.autograd.detect_anomaly():
        seen += [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
        with torch.autograd.set_detect_anomaly(False):
            seen += [torch.is_anomaly_enabled()]
        with torch.autograd.detect_anomaly(check_nan=False):
            seen += [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
        seen += [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
    torch.autograd.set_detect_anomaly(True, check_nan=False)
    seen += [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
    torch.autograd.set_detect_anomaly(False)
    return seen, torch.is_anomaly_enabled()


def script_functions(torch):

    class F(A(torch).Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    class G(A(torch).Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * 2, b * 3

        @staticmethod
        def backward(ctx, g, h):
            return g, h * float("nan")

    x = double(torch, 1.0, 2.0).requires_grad_()
    y = double(torch, 1.0, 2.0).requires_grad_()

    def a():
        with A(torch).detect_anomaly():
            z = F.apply(x)  # L1
            w = z.exp()  # L2
            w.sum().backward()

    def b():
        with A(torch).detect_anomaly():
            p, q = G.apply(x, y)  # L3
            (p * q).sum().backward()

    def c():
        with A(torch).detect_anomaly():
            p, q = G.apply(x, y)  # L3
            p.sum().backward()

    def d():
        with A(torch).detect_anomaly():
            z = F.apply(x)  # L4
        z.sum().backward()

    def e():
        z = F.apply(x)  # L5
        with A(torch).detect_anomaly():
            z.sum().backward()

    return [run(f) for f in (a, b, c, d, e)]


def script_double(torch):
    class F(A(torch).Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a**3

        @staticmethod
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            return G.apply(a) * g  # LB

    class G(A(torch).Function):
        @staticmethod
        def forward(ctx, a):
            return 3 * a**2

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    x = double(torch, 1.0, 2.0).requires_grad_()

    def a():
        with A(torch).detect_anomaly():
            y = F.apply(x)  # L1
            (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)  # L2
            g.sum().backward()  # L3

    def b():
        with A(torch).detect_anomaly():
            y = (x - x).sqrt()  # L4
            (g,) = torch.autograd.grad((y * 0 + x**2).sum(), x, create_graph=True)  # L5

    def c():
        with A(torch).detect_anomaly():
            y = x**1.5  # L6
            (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)  # L7
            z = (g - g) ** 0.5  # L8
            (h,) = torch.autograd.grad(z.sum() * 0, x, create_graph=True)  # L9

    return [run(f) for f in (a, b, c)]


def script_hooks(torch):
    x = double(torch, 1.0, 2.0).requires_grad_()

    def a():
        with A(torch).detect_anomaly():
            y = x * 2  # L1
            y.register_hook(lambda g: g * float("nan"))
            z = y.exp()  # L2
            z.sum().backward()

    def b():
        with A(torch).detect_anomaly():
            y = x * 2  # L3
            y.register_hook(lambda g: 1 / 0)
            y.exp().sum().backward()

    def c():
        with A(torch).detect_anomaly():
            y = x * 2  # L5
            y.grad_fn.register_prehook(lambda g: (g[0] * float("nan"),))
            y.sum().backward()

    def d():
        with A(torch).detect_anomaly():
            y = x * 2  # L6
            y.grad_fn.register_hook(lambda gi, go: (gi[0] * float("nan"), None))
            y.sum().backward()

    def e():
        with A(torch).detect_anomaly():
            x.sum().backward(double(torch, float("nan"))[0])  # L7

    def f():
        z = x.clone().detach().requires_grad_()
        z.register_post_accumulate_grad_hook(lambda t: 1 / 0)
        with A(torch).detect_anomaly():
            (z * 2).sum().backward()  # L8

    return [run(q) for q in (a, b, c, d, e, f)]


def script_checkpoint(torch):
    x = double(torch, 0.0, 1.0).requires_grad_()
    cp = torch.utils.checkpoint.checkpoint
    out = []

    def f(a):
        b = (a - a).sqrt()  # L1
        return b * 0

    for re_ in (False, True):

        def go():
            with A(torch).detect_anomaly():
                y = cp(f, x, use_reentrant=re_)  # L2
                y.sum().backward()  # L3

        out.append(run(go))
    return out


def script_mode_flags(torch):
    out = []
    out.append([torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with A(torch).detect_anomaly(False):
            out.append([torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()])
            with A(torch).set_detect_anomaly(False):
                out.append([torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()])
            out.append([torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()])
            with A(torch).set_detect_anomaly(True, True):
                out.append([torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()])
            out.append([torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()])
    out.append([torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()])
    s = A(torch).set_detect_anomaly(True)
    out.append(torch.is_anomaly_enabled())
    with s:
        out.append(torch.is_anomaly_enabled())
    out.append(torch.is_anomaly_enabled())
    A(torch).set_detect_anomaly(False)
    out.append(torch.is_anomaly_enabled())
    out.append(attempt(lambda: A(torch).detect_anomaly(1, 2))[:2])
    out.append(attempt(lambda: A(torch).set_detect_anomaly())[:2])
    torch.set_anomaly_enabled(True, False)
    out.append([torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()])
    A(torch).set_detect_anomaly(False)
    return out


def script_inplace_error_hint(torch):
    x = double(torch, 1.0, 2.0).requires_grad_()

    def a():
        y = x.exp()
        z = y * y
        y.detach().mul_(2)
        z.sum().backward()

    def b():
        with A(torch).detect_anomaly():
            y = x.exp()  # L1
            z = y * y  # L2
            y.detach().mul_(2)  # L3
            z.sum().backward()  # L4

    def c():
        with A(torch).detect_anomaly():
            y = x.exp()  # L1
            y.sum().backward()
            y.sum().backward()

    return [run(a), run(b), run(c)]


def script_decorator(torch):
    x = double(torch, 0.0).requires_grad_()

    def deco():
        @A(torch).set_detect_anomaly(True)
        def f():
            ((x - x).sqrt() * 0).sum().backward()  # L1

        return f()

    def deco2():
        @A(torch).detect_anomaly()
        def f():
            ((x - x).sqrt() * 0).sum().backward()  # L1

        return f()

    seen = [run(deco), run(deco2)]
    A(torch).set_detect_anomaly(False)  # the first one set it, and is no decorator
    return seen


def script_threads_backward_in_backward(torch):
    x = double(torch, 1.0).requires_grad_()

    class F(A(torch).Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * 2

        @staticmethod
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            with torch.enable_grad():
                b = a.detach().requires_grad_()
                c = (b - b).sqrt()  # L1
                return torch.autograd.grad(c.sum() * 0, b)[0]

    def go():
        with A(torch).detect_anomaly():
            y = F.apply(x)  # L2
            y.sum().backward()

    return run(go)
