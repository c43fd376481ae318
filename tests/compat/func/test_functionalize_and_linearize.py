"""torch.func.functionalize and linearize."""

import warnings

import pytest

import covector.compat.torch as compat
from harness import attempt, double, message, plain


def pair(torch):
    return torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, -1.0, 2.0])


def scale(v):
    return v * 2


def script_linearize(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's tracer warns of itself
        return linearized(torch)


def linearized(torch):
    f = torch.func
    x, y = pair(torch)
    w = x.clone().requires_grad_()
    runs = []

    def counted(a):
        runs.append(1)
        return a.sin() * a

    out, push = f.linearize(counted, x)
    pushed = [push(y), push(x)]
    return (out, pushed, len(runs), f.vmap(push)(torch.eye(3)),
            f.linearize(lambda a, b: {"k": a * b, "l": [a.sum()]}, x, y)[1](y, x),
            message(lambda: push(torch.ones(2))), message(lambda: push(x.double())), message(lambda: push(x, x)),
            message(lambda: push([x])), f.linearize(lambda a: (a.sin(), 3), x)[1](y), f.linearize(scale, w)[1](x),
            message(lambda: f.linearize(scale, torch.tensor([1, 2]))),
            f.linearize(lambda d: d["a"] * d["b"], {"a": x, "b": y})[1]({"a": y, "b": x}))


def script_functionalize(torch):
    f = torch.func.functionalize
    x, y = pair(torch)

    def g(a, n):
        b = a + 1
        b.view(-1).add_(n)
        a.mul_(2)
        return b, a.view(3, 1), n

    found = f(g)(x, 2)
    other = f(g, remove="mutations_and_views")(y, 2)
    w = torch.ones(3, requires_grad=True)
    z = w * 1
    out = f(lambda a: a.mul_(2).sin())(z)
    return (found, x, other, y, other[1].data_ptr() == y.data_ptr(),
            torch.autograd.grad(out.sum(), w), message(lambda: f(scale, remove="x")),
            torch.func.grad(lambda a: f(scale)(a).sum())(x))


def test_linearize_nests_with_the_other_transforms():
    f = compat.func
    x = compat.tensor([1.0, 2.0, 3.0], dtype=compat.float64)
    t = compat.tensor([0.5, -1.0, 2.0], dtype=compat.float64)
    g = lambda a: a.sin() * a  # noqa: E731
    pushed = lambda v: f.jvp(g, (v,), (t,))[1]  # noqa: E731
    linear = lambda v: f.linearize(g, v)[1](t)  # noqa: E731
    assert compat.allclose(f.jacrev(linear)(x), f.jacrev(pushed)(x))
    assert compat.allclose(f.vmap(lambda v, d: f.linearize(g, v)[1](d))(x, t), pushed(x))
    w = x.clone().requires_grad_()
    assert compat.allclose(compat.autograd.grad(linear(w).sum(), w)[0], f.grad(lambda v: pushed(v).sum())(x))


def test_linearize_takes_functions_that_fill_new_tensors():
    def g(a):
        z = compat.zeros(3) * 2
        z[compat.tensor([0, 2])] = a[:2] * a[1:]
        y = compat.zeros_like(a)
        y.add_(z)
        return (y * compat.func.grad(lambda b: (b * y).sum())(a)).sum()

    x = compat.tensor([1.0, 2.0, 3.0])
    for run in (lambda v: compat.func.linearize(g, v)[1](x), lambda v: compat.func.jvp(g, (v,), (x,))[1]):
        assert run(x).item() == pytest.approx(4 * (4.0 + 36.0))


def quietly(fn):
    """The answer without the warnings of PyTorch's tracer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn()


def script_linearize_forms(torch):
    f = torch.func
    x = double(torch, 1, 2)
    y = double(torch, 3, 4)
    out = []
    o, l = quietly(lambda: f.linearize(lambda a: (a**2).sin(), x))
    out += [o, l(y), l(x)]
    out.append(attempt(lambda: l()))
    out.append(attempt(lambda: l(y, y)))
    out.append(attempt(lambda: l(torch.ones(3, dtype=torch.float64))))
    out.append(attempt(lambda: l(3.0)))
    o, l = quietly(lambda: f.linearize(lambda a, b: {"p": a * b, "q": (a,)}, x, y))
    out += [o, l(y, x)]
    out.append(attempt(lambda: l(y)))
    o, l = quietly(lambda: f.linearize(lambda a: (a.long(), a > 0, a.argmax()), x))
    out += [o, l(y)]
    return plain(out)


def script_functionalize_views(torch):
    f = torch.func
    out = []

    def a(x):
        y = x.clone()
        y[0].add_(1)
        z = y.view(-1)
        z.mul_(2)
        return y, z

    def b(x):
        x.add_(1)
        return x * 2

    x = torch.arange(4.0).reshape(2, 2)
    for r in ("mutations", "mutations_and_views", "other", None):
        out.append(attempt(lambda: f.functionalize(a, remove=r)(x)))
    y = x.clone()
    out.append(f.functionalize(b)(y))
    out.append(y)
    y = x.clone()
    out.append(f.vmap(f.functionalize(b))(y))
    out.append(y)
    out.append(attempt(lambda: f.grad(lambda v: f.functionalize(a)(v)[0].sum())(x)))
    out.append(attempt(lambda: f.functionalize(f.grad(lambda v: a(v)[0].sum()))(x)))
    out.append(attempt(lambda: f.functionalize(lambda v: 3)(x)))
    out.append(attempt(lambda: f.functionalize(lambda v, k=1: v * k)(x, k=3)))
    out.append(attempt(lambda: f.functionalize(lambda v: {"a": v[0]})(x)))
    return plain(out)
