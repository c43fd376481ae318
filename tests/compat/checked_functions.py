"""Functions for gradcheck to judge, right and wrong ones, their inputs, and how an error is told."""

import re


def doubles(torch, *shape, start=0.3, requires_grad=True):
    n = 1
    for s in shape:
        n *= s
    numbers = [start + 0.37 * i - 0.05 * i * i for i in range(n)]
    return torch.tensor(numbers, dtype=torch.float64).reshape(shape).requires_grad_(requires_grad)


def complexes(torch, *shape):
    real, imaginary = doubles(torch, *shape, requires_grad=False), doubles(torch, *shape, start=-0.7,
                                                                           requires_grad=False)
    return torch.complex(real, imaginary).requires_grad_()


def made(torch, forward, backward, **more):
    """A Function of plain functions."""
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Made", (torch.autograd.Function,), body | {k: staticmethod(v) for k, v in more.items()}).apply


def square(torch, factor=2, **more):
    """x * x, whose derivative has a factor that may be wrong."""
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx, g):
        return g * ctx.saved_tensors[0] * factor

    return made(torch, forward, backward, **more)


def evenly(torch, *shape):
    n = 1
    for s in shape:
        n *= s
    return torch.tensor([0.3 + 0.4 * i for i in range(n)], dtype=torch.float64).reshape(shape)


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
