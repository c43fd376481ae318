"""Anomaly mode in odd uses: which node is blamed, and which of the user's lines; on compat and PyTorch."""

import re
import warnings

from harness import attempt, double


def run(fn):
    """What a function raises, and the user's lines in the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            r = ("ok", None if fn() is None else "value")
        except Exception as e:
            r = (type(e).__name__, re.sub(r"0x[0-9a-f]+", "", str(e))[:200])
    w = []
    for c in caught:
        m = str(c.message)
        ls = [l.strip() for l in m.splitlines()]
        w.append(
            (c.category.__name__, [l for l in ls if l][0][:90], [l for l in ls if l.endswith("# L1") or "# L1" in l])
        )
    return r, w


def A(torch):
    return torch.autograd


def script_nan_of_a_root(torch):
    x = double(torch, 0.0, 1.0).requires_grad_()

    def go():
        with A(torch).detect_anomaly():
            y = (x - x).sqrt() * 0  # L1
            y.sum().backward()

    return run(go)


def script_log_abs_div(torch):
    out = []
    for f in (
        lambda x: (x * 0).log() * 0,
        lambda x: (x / x) * 1,
        lambda x: (x * 0) / (x * 0),
        lambda x: torch.atan2(x * 0, x * 0),
        lambda x: (x * 0).norm(),
        lambda x: (x * 0) ** 0.5 * 0,
        lambda x: torch.where(x > 5, x, (x - 1).sqrt()),
        lambda x: (x * float("inf")).softmax(0),
        lambda x: x.prod() / 0 * 0,
        lambda x: (x - 1).acos() * 0,
    ):
        x = double(torch, 1.0, 0.0).requires_grad_()

        def go():
            with A(torch).detect_anomaly():
                f(x).sum().backward()  # L2

        out.append(run(go)[0])
    return out


def script_check_nan_off(torch):
    x = double(torch, 0.0).requires_grad_()
    out = []
    for kw in ({}, {"check_nan": True}, {"check_nan": False}):

        def go():
            with A(torch).detect_anomaly(**kw):
                ((x - x).sqrt() * 0).sum().backward()  # L3

        out.append(run(go))

        def go2():
            with A(torch).set_detect_anomaly(True, **kw):
                ((x - x).sqrt() * 0).sum().backward()  # L3

        out.append(run(go2))
        x.grad = None

    def go3():
        class F(A(torch).Function):
            @staticmethod
            def forward(ctx, a):
                return a * 2

            @staticmethod
            def backward(ctx, g):
                raise ValueError("no")  # L4

        with A(torch).detect_anomaly(check_nan=False):
            F.apply(x).sum().backward()  # L5

    out.append(run(go3))
    return out


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


def script_func(torch):
    x = double(torch, 0.0, 1.0)
    def f(a):
        return ((a - a).sqrt() * 0).sum()  # L1

    def a():
        with A(torch).detect_anomaly():
            return torch.func.grad(f)(x)  # L2

    def b():
        with A(torch).detect_anomaly():
            return torch.func.vmap(torch.func.grad(f))(torch.stack([x, x]))  # L2

    def c():
        with A(torch).detect_anomaly():
            return torch.func.jacrev(f)(x)  # L2

    def d():
        with A(torch).detect_anomaly():
            return torch.autograd.functional.jacobian(f, x)  # L2

    def e():
        with A(torch).detect_anomaly():
            return torch.autograd.functional.jacobian(f, x, vectorize=True)  # L2

    def g():
        with A(torch).detect_anomaly():
            return torch.autograd.grad(
                ((x.requires_grad_() - x).sqrt() * 0), x, torch.eye(2, dtype=torch.float64), is_grads_batched=True
            )  # L2

    return [run(q) for q in (a, b, c, d)] + [run(q)[0][0] == "ok" for q in (e, g)]


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
