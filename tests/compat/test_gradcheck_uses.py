"""gradcheck and gradgradcheck in odd uses: planted rules, complex values, promises, refusals; on compat and PyTorch."""

import importlib
import re

from harness import double


def gc(torch):
    return torch.autograd.gradcheck


def res(fn, words=40):
    try:
        return fn()
    except Exception as e:
        m = str(e)
        m = re.sub(r"\s+", " ", m)
        return ("raised", type(e).__name__, " ".join(m.split()[:words]))


def kind(fn):
    """Type of the error and its first words."""
    r = res(fn, 6)
    return r


def wrong(torch, scale=1.0, fwd=None, second=None, dtype=None, none=False, shape=False, mode=None):
    class W(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            r = 3 * x**2 * g * scale
            if dtype:
                r = r.to(dtype)
            return r

        @staticmethod
        def jvp(ctx, t):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * t * (scale if fwd is None else fwd)

    return W.apply


def script_planted_first(torch):
    x = double(torch, 1, 2).requires_grad_()
    out = []
    for s in (1.0, 1.01, 1.0001, 0.0, -1.0):
        for fast in (False, True):
            out.append(kind(lambda: gc(torch)(wrong(torch, s), x, fast_mode=fast)))
            out.append(gc(torch)(wrong(torch, s), x, fast_mode=fast, raise_exception=False))
            out.append(kind(lambda: gc(torch)(wrong(torch, 1.0, fwd=s), x, fast_mode=fast, check_forward_ad=True)))
            out.append(
                kind(
                    lambda: gc(torch)(
                        wrong(torch, 1.0, fwd=s), x, fast_mode=fast, check_forward_ad=True, check_backward_ad=False
                    )
                )
            )
    return out


def script_planted_second(torch):
    class S(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return B.apply(x, g)

    class B(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, g):
            ctx.save_for_backward(x, g)
            return 3 * x**2 * g

        @staticmethod
        def backward(ctx, h):
            x, g = ctx.saved_tensors
            return 6 * x * g * h * 1.1, 3 * x**2 * h

    class D(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x.detach() ** 2 * g

    x = double(torch, 1, 2).requires_grad_()
    gg = torch.autograd.gradgradcheck
    out = []
    for f in (S.apply, D.apply):
        out.append(kind(lambda: gc(torch)(f, x)))
        for fast in (False, True):
            out.append(kind(lambda: gg(f, x, fast_mode=fast)))
            out.append(gg(f, x, fast_mode=fast, raise_exception=False))
            out.append(kind(lambda: gg(f, x, grad_outputs=double(torch, 1, 1).requires_grad_(), fast_mode=fast)))
    return out


def script_messages_slow(torch):
    x = double(torch, 1, 2).requires_grad_()
    return [
        res(lambda: gc(torch)(wrong(torch, 2.0), x), 60),
        res(lambda: gc(torch)(wrong(torch, 1.0, fwd=2.0), x, check_forward_ad=True), 60),
        res(
            lambda: gc(torch)(lambda a, b: (a * b, wrong(torch, 2.0)(b)), (x, x.detach().clone().requires_grad_())),
            60,
        ),
        res(lambda: gc(torch)(wrong(torch, 2.0), x, fast_mode=True), 14),
    ]


def script_complex_cases(torch):
    z = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex128, requires_grad=True)
    x = double(torch, 1, 2).requires_grad_()
    out = []
    fns = {
        "sq": (lambda a: a * a, z),
        "abs": (lambda a: a.abs(), z),
        "conj": (lambda a: a.conj(), z),
        "c2r": (lambda a: a.real * a.imag, z),
        "r2c": (lambda a: torch.complex(a, a * a), x),
        "exp": (lambda a: a.exp(), z),
        "angle": (lambda a: a.angle(), z),
        "vr": (lambda a: torch.view_as_real(a), z),
        "two": (lambda a, b: (a * b, b * 2), (z, x)),
    }
    for k, (f, i) in fns.items():
        for kw in (
            {},
            {"fast_mode": True},
            {"check_forward_ad": True},
            {"check_batched_grad": True},
            {"check_forward_ad": True, "check_backward_ad": False, "fast_mode": True},
        ):
            out.append((k, str(kw), kind(lambda: gc(torch)(f, i, **kw))))
        out.append((k, "gg", kind(lambda: torch.autograd.gradgradcheck(f, i))))
        out.append((k, "ggf", kind(lambda: torch.autograd.gradgradcheck(f, i, fast_mode=True))))

    class W(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            return 2 * a * g

    out.append(res(lambda: gc(torch)(W.apply, z), 25))
    out.append(kind(lambda: gc(torch)(W.apply, z, fast_mode=True)))
    return out


def script_undefined(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()

    def mk(beh):
        class U(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a):
                ctx.set_materialize_grads(False)
                return a * 2, a * 3

            @staticmethod
            def backward(ctx, g, h):
                if beh == "good":
                    r = None
                    if g is not None:
                        r = 2 * g
                    if h is not None:
                        r = 3 * h if r is None else r + 3 * h
                    return r
                if beh == "crash":
                    return 2 * g + 3 * h
                if beh == "one":
                    g = torch.ones(2, dtype=torch.float64) if g is None else g
                    h = torch.zeros_like(g) if h is None else h
                    return 2 * g + 3 * h
                if beh == "wrongtype":
                    if g is None and h is None:
                        raise ValueError("x")
                    g = torch.zeros(2, dtype=torch.float64) if g is None else g
                    h = torch.zeros(2, dtype=torch.float64) if h is None else h
                    return 2 * g + 3 * h

        return U.apply

    for b in ("good", "crash", "one", "wrongtype"):
        for fast in (False, True):
            out.append((b, res(lambda: gc(torch)(mk(b), x, fast_mode=fast), 8)))
            out.append((b, res(lambda: gc(torch)(mk(b), x, fast_mode=fast, check_undefined_grad=False), 8)))
    return out


def script_nondet(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()

    class N(torch.autograd.Function):
        n = 0

        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            N.n += 1
            return g * 2 + 1e-7 * N.n * (g != 0)

    for tol in (0.0, 1e-3):
        for fast in (False, True):
            out.append(res(lambda: gc(torch)(N.apply, x, nondet_tol=tol, fast_mode=fast), 14))
    return out


def script_dtypes_layouts(torch):
    out = []
    for dt in (torch.float32, torch.float16, torch.complex64, torch.float64):
        x = torch.tensor([1.0, 2.0], dtype=dt, requires_grad=True)
        out.append(res(lambda: gc(torch)(lambda a: a * 2, x, eps=1e-2, atol=1e-1), 12))
    x = double(torch, 1, 2).requires_grad_()
    out.append(res(lambda: gc(torch)(wrong(torch, dtype=torch.float32), x, check_grad_dtypes=True), 14))
    out.append(res(lambda: gc(torch)(lambda a: a * 1, x, check_grad_dtypes=True)))
    out.append(res(lambda: gc(torch)(lambda a: a * 2, double(torch, 1).expand(3).requires_grad_()), 20))
    e = double(torch, 1).expand(3)
    out.append(res(lambda: gc(torch)(lambda a: a * 2, e.clone().requires_grad_())))
    out.append(res(lambda: gc(torch)(lambda a: a * 2, double(torch, 1, 2, 3, 4).reshape(2, 2).t().requires_grad_())))
    out.append(
        res(lambda: gc(torch)(lambda a: a.t() * 2, double(torch, 1, 2, 3, 4).reshape(2, 2)[:, :1].requires_grad_()))
    )
    out.append(res(lambda: gc(torch)(lambda a: a.expand(3, 2), x)))
    out.append(
        res(lambda: torch.autograd.gradgradcheck(lambda a: a.expand(3, 2) ** 2, x, gen_non_contig_grad_outputs=True))
    )
    out.append(res(lambda: gc(torch)(lambda a: a.as_strided((2, 2), (1, 0)), x)))
    out.append(res(lambda: gc(torch)(lambda a: torch.zeros(0, dtype=torch.float64) * a.sum(), x)))
    out.append(res(lambda: gc(torch)(lambda a: a.sum(), torch.zeros(0, dtype=torch.float64, requires_grad=True))))
    return out


def script_refusals(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()
    y = double(torch, 1, 2)
    g = gc(torch)
    gg = torch.autograd.gradgradcheck
    for f in (
        lambda: g(lambda a: a, y),
        lambda: g(lambda a: a.detach(), x),
        lambda: g(lambda a: a, x, check_backward_ad=False),
        lambda: g(lambda a: a, x, check_backward_ad=False, check_batched_grad=True),
        lambda: g(lambda a: a, x, check_batched_forward_grad=True),
        lambda: gg(lambda a: a**2, x, check_rev_over_rev=False),
        lambda: gg(lambda a: a**2, x, check_rev_over_rev=False, check_fwd_over_rev=True),
        lambda: gg(lambda a: a**2, x, check_rev_over_rev=False, check_fwd_over_rev=True, check_undefined_grad=False),
        lambda: gg(lambda a: a**2, x, check_fwd_over_rev=True),
        lambda: g(lambda a: a * 2, x, masked=True),
        lambda: g(lambda a: a * 2, [x]),
        lambda: g(lambda a, b: a * b, (x, y)),
        lambda: g(lambda a, b: a * b, (x, 3.0)),
        lambda: g(lambda a: a * 2, x, eps=1e-3),
        lambda: g(lambda a: a**2, x, atol=0, rtol=0),
        lambda: g(lambda a: a * 2, 3.0),
        lambda: g(lambda a: a * 2, None),
        lambda: gg(lambda a: a * 2, x, grad_outputs=y),
        lambda: gg(lambda a: a * 2, x, grad_outputs=(y.requires_grad_(),)),
        lambda: g(lambda a: (), x),
        lambda: g(lambda a: [a * 2], x),
    ):
        out.append(kind(f))
    return out


def script_batched(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2 if g.sum().item() > -1e9 else g

    class K(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return (g * 2).sum().expand(2) * 0 + 2 * g

    for f in (Same.apply, K.apply, lambda a: a**2, lambda a: a.sum(), lambda a: a.cumprod(0)):
        for kw in ({"check_batched_grad": True}, {"check_batched_grad": True, "fast_mode": True}):
            out.append(kind(lambda: gc(torch)(f, x, **kw)))
            out.append(kind(lambda: torch.autograd.gradgradcheck(f, x, **kw)))
    return out


def script_old_names(torch):
    m = torch.autograd.gradcheck
    out = []
    mod = importlib.import_module(m.__module__)
    out.append(
        [
            hasattr(mod, n)
            for n in (
                "GradcheckError",
                "get_numerical_jacobian",
                "get_analytical_jacobian",
                "get_numerical_jacobian_wrt_specific_input",
                "gradcheck",
                "gradgradcheck",
            )
        ]
    )
    x = double(torch, 1, 2).requires_grad_()
    out.append(res(lambda: mod.get_numerical_jacobian(lambda i: i[0] ** 2, (x,))))
    out.append(res(lambda: mod.get_analytical_jacobian((x,), x**2)))
    out.append(res(lambda: mod.get_numerical_jacobian(lambda i: i[0] ** 2, (x,), grad_out=2.0), 12))
    out.append([issubclass(mod.GradcheckError, RuntimeError)])
    return out


def script_inputs_untouched(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()
    gc(torch)(lambda a: a.sin(), x, check_forward_ad=True, check_batched_grad=True)
    out += [x.detach(), x.grad, x._version]

    def f(a):
        a = a * 1
        a.mul_(2)
        return a

    out.append(res(lambda: gc(torch)(f, x)))

    def g(a, b):
        b.add_(1)
        return a * b

    out.append(kind(lambda: gc(torch)(g, (x, double(torch, 3, 4)))))
    n = [0]

    def h(a):
        n[0] += 1
        return a * n[0]

    out.append(kind(lambda: gc(torch)(h, x)))

    def k(a):
        return a * torch.rand(2, dtype=torch.float64)

    out.append(kind(lambda: gc(torch)(k, x))[1])
    with torch.no_grad():
        out.append(kind(lambda: gc(torch)(lambda a: a * 2, x)))
    return out
