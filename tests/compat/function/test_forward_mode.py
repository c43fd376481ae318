"""torch.autograd.Function in forward mode: jvp, what it may return, and what is refused."""

import pytest

import covector.compat.torch as compat
from harness import attempt, double, made_function


def unpacked(fw, t):
    p, g = fw.unpack_dual(t)
    return (p, g)


def script_function_jvp(torch):
    fw = torch.autograd.forward_ad
    log = []

    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, k):
            ctx.k = k
            ctx.save_for_forward(x, y)
            ctx.save_for_backward(x, y)
            return x * y * k, x + y

        @staticmethod
        def backward(ctx, g, h):
            x, y = ctx.saved_tensors
            return g * y * ctx.k + h, g * x * ctx.k + h, None

        @staticmethod
        def jvp(ctx, dx, dy, dk):
            log.append([type(a).__name__ for a in (dx, dy, dk)])
            x, y = ctx.saved_tensors
            dx = torch.zeros_like(x) if dx is None else dx
            dy = torch.zeros_like(y) if dy is None else dy
            return (dx * y + x * dy) * ctx.k, dx + dy

    out = []
    x, y, t = double(torch, 1, 2), double(torch, 3, 4), double(torch, 5, 6)
    with fw.dual_level():
        d = fw.make_dual(x, t)
        for a, b in ((d, y), (y, d), (d, d)):
            out.append([unpacked(fw, r) for r in F.apply(a, b, 2)])
        d = fw.make_dual(x.requires_grad_(), t.requires_grad_())
        r = fw.unpack_dual(F.apply(d, y, 3)[0]).tangent
        out.append(r)
        out.append(attempt(lambda: torch.autograd.grad(r.sum(), [x, t], allow_unused=True)))
    return out, log


def script_function_jvp_errors(torch):
    fw = torch.autograd.forward_ad
    out = []

    def make(ret, n=1, nojvp=False, forward=None, retout=None):
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return (x * 2 if n == 1 else (x * 2, x * 3)) if forward is None else forward(ctx, x)

            @staticmethod
            def backward(ctx, *g):
                return g[0]

        if not nojvp:
            F.jvp = staticmethod(lambda ctx, g: ret(g))
        return F

    x = double(torch, 1, 2)
    t = double(torch, 3, 4)
    cases = [
        make(lambda g: g),
        make(lambda g: 3.0),
        make(lambda g: (g, g)),
        make(lambda g: g, 2),
        make(lambda g: g[:1]),
        make(lambda g: g.expand(2, 2)),
        make(None, nojvp=True),
        make(lambda g: g, forward=lambda c, x: x),
        make(lambda g: g, forward=lambda c, x: x.view(-1)),
        make(lambda g: g.view(-1), forward=lambda c, x: x.view(-1)),
        make(lambda g: g, forward=lambda c, x: (c.mark_dirty(x), x.mul_(2))[1]),
        make(lambda g: g.mul_(2), forward=lambda c, x: (c.mark_dirty(x), x.mul_(2))[1]),
        make(lambda g: [g]),
        make(lambda g: ()),
        make(lambda g: 1 / 0),
        make(lambda g: (g, None), 2, forward=lambda c, x: (x * 2, (x > 1))),
    ]
    for F in cases:
        with fw.dual_level():
            d = fw.make_dual(x.clone(), t.clone())

            def go():
                r = F.apply(d)
                return [unpacked(fw, o) for o in (r if isinstance(r, tuple) else (r,))]

            out.append(attempt(go))
    return out


def test_a_jvp_that_gives_none_for_a_floating_output_is_refused():
    class Twice(compat.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def jvp(ctx, dx):
            return None

    with compat.autograd.forward_ad.dual_level():
        x = compat.autograd.forward_ad.make_dual(compat.ones(2), compat.ones(2))
        with pytest.raises(RuntimeError, match=r"Twice\.jvp returned None for output 0.*return its tangent"):
            Twice.apply(x)


def script_a_function_that_writes_its_tangent(torch):
    Same = made_function(torch, lambda x: x, lambda ctx, g: g, jvp=lambda ctx, dx: dx.mul_(1),
                         setup_context=lambda ctx, inputs, output: ctx.mark_dirty(inputs[0]))
    f = lambda x: Same.apply(x.clone()) ** 2  # noqa: E731
    x = double(torch, 2.0, 3.0)
    return (torch.func.jvp(f, (x,), (x,)),
            torch.func.jvp(lambda y: torch.func.jvp(f, (y,), (y,))[1], (x,), (torch.ones_like(x),)))
