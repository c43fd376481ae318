"""Transforms inside of transforms: levels, closures, what is printed, values that escape."""

import math
import re

import pytest

import covector.compat.torch as compat
from harness import attempt, double, made_function, plain


def script_nesting(torch):
    x = torch.tensor([1.0, 2.0, 3.0])
    w = torch.tensor([2.0, 3.0, 4.0])
    f = torch.func
    inner = lambda a, b: (a * b).sin().sum()  # noqa: E731
    return (f.vmap(f.grad(lambda a: (a ** 2).sin()))(x), f.grad(lambda v: f.vmap(lambda a: a ** 2)(v).sum())(x),
            f.jvp(f.grad(lambda v: inner(v, w)), (x,), (w,)),
            f.grad(lambda v: f.jvp(lambda u: inner(u, w), (v,), (w,))[1])(x),
            f.vmap(f.jacrev(lambda v: v ** 2))(torch.ones(2, 3)))


def script_captured_tensors_get_gradients(torch):
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    x = torch.tensor([1.0, 5.0])
    g = torch.func.grad(lambda v: (v * v * w).sum())(x)
    g.sum().backward()
    first = w.grad.clone()
    w.grad = None
    torch.func.vmap(lambda v: v * w.sum())(x).sum().backward()
    return g, first, w.grad


def script_modes_of_levels(torch):
    x = torch.tensor([1.0, 2.0])

    def f(v):
        with torch.no_grad():
            c = v ** 2
        return (v ** 2 - c).sum()

    with torch.no_grad():
        outside = torch.func.grad(lambda v: (v ** 2).sum())(x)
    return torch.func.grad(f)(x), outside


def pair(torch):
    return torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, -1.0, 2.0])


def script_captured_values_with_a_tangent(torch):
    f = torch.func
    x, y = pair(torch)
    return (f.jvp(lambda a: f.grad(lambda b: (a * b * a * b).sum())(y), (x,), (y,)),
            f.jacfwd(lambda a: f.vjp(lambda b: a * b, y)[1](x)[0])(x),
            f.hessian(lambda a: f.grad(lambda b: (a * b).sum())(y).sum())(x).contiguous())


def script_modes_and_detach_reach_the_transforms_around(torch):
    f = torch.func
    x = torch.tensor(3.0)

    def g(a):
        with torch.no_grad():
            b = a * 2
        return a * b

    return (f.grad(lambda a: f.grad(lambda b: b * b.detach())(a))(x),
            f.jvp(lambda a: f.jvp(lambda b: b * b.detach(), (a,), (a,))[1], (x,), (x,)),
            f.grad(lambda a: f.jvp(g, (a,), (x,))[1])(x), f.grad(lambda a: f.grad(g)(a))(x),
            f.jvp(lambda a: f.grad(g)(a), (x,), (x,)),
            f.grad(lambda a: f.vmap(g)(a[None]).sum())(x))


def script_repr_in_transforms(torch):
    out = []

    def s(a):
        t = repr(a)
        t = re.sub(r"lvl=\d+", "lvl=N", t)
        t = re.sub(r"\s+", " ", t)
        out.append(t)
        return a.sum()

    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    torch.func.vmap(s)(x)
    torch.func.grad(s)(x)
    torch.func.jvp(s, (x,), (x,))
    return plain(out)


def script_levels_leak(torch):
    f = torch.func
    x = double(torch, 1, 2)
    out = []
    kept = []
    f.grad(lambda a: (kept.append(a * 2), a.sum())[1])(x)
    out.append(attempt(lambda: kept[0] + 1))
    out.append(attempt(lambda: kept[0].sum().item()))
    f.vmap(lambda a: (kept.append(a * 2), a)[1])(x)
    out.append(attempt(lambda: kept[1] + 1)[:2])
    f.jvp(lambda a: (kept.append(a * 2), a)[1], (x,), (x,))
    out.append(attempt(lambda: kept[2] + 1))
    return plain(out)


def script_exceptions_unwind(torch):
    f = torch.func
    x = double(torch, 1, 2)
    out = []

    def boom(a):
        raise ValueError("boom")

    for w in (
        f.grad(boom),
        f.vmap(boom),
        f.jacrev(boom),
        f.jacfwd(boom),
        f.hessian(boom),
        lambda a: f.vjp(boom, a),
        lambda a: f.jvp(boom, (a,), (a,)),
        f.vmap(f.grad(boom)),
        f.functionalize(boom),
        lambda a: f.linearize(boom, a),
    ):
        out.append(attempt(lambda: w(x)))
        out.append(f.grad(lambda a: (a**2).sum())(x))
        out.append(torch.is_grad_enabled())
    with torch.autograd.forward_ad.dual_level():
        out.append("ok")
    return plain(out)


def script_nest_many(torch):
    f = torch.func
    x = double(torch, 0.5, 1.5)
    out = []
    def g(a):
        return (a.sin() * a.prod()).sum()
    out.append(f.grad(lambda a: f.grad(lambda b: f.grad(g)(b).sum())(a).sum())(x))
    out.append(f.jacfwd(f.jacfwd(f.jacfwd(g)))(x))
    out.append(f.jacrev(f.jacrev(f.jacrev(g)))(x))
    out.append(f.jacfwd(f.jacrev(f.jacfwd(g)))(x))
    out.append(f.hessian(f.hessian(g))(x))
    out.append(f.vmap(f.hessian(g))(torch.stack([x, x * 2])))
    out.append(f.jacrev(lambda w: f.vmap(lambda a: g(a * w))(torch.stack([x, x * 2])))(x))
    out.append(f.vmap(lambda a: f.vmap(lambda b: f.grad(lambda c: (c * b).sin())(a))(x))(x))
    out.append(f.vmap(f.vmap(lambda a, b: a * b, in_dims=(None, 0)), in_dims=(0, None))(x, x))
    out.append(f.jvp(lambda a: f.vjp(torch.sin, a)[1](a)[0], (x,), (x,)))
    out.append(f.vjp(lambda a: f.jvp(torch.sin, (a,), (a,))[1], x)[1](x))
    out.append(f.grad(lambda a: f.vjp(lambda b: b * a, a)[1](a)[0].sum())(x))
    out.append(f.vmap(lambda a: f.jacrev(lambda b: b * b)(a))(x))
    out.append(f.jacrev(lambda a: f.vmap(torch.sin)(a))(x))
    return plain(out)


def script_closure_levels(torch):
    f = torch.func
    x = double(torch, 0.5, 1.5)
    out = []
    out.append(f.grad(lambda a: f.grad(lambda b: (a * b).sum())(a).sum())(x))
    out.append(f.grad(lambda a: f.grad(lambda b: (a * a).sum() + 0 * b.sum())(a).sum())(x))
    out.append(f.grad(lambda a: f.grad(lambda b: (a.detach() * b * b).sum())(a).sum())(x))

    def h(a):
        with torch.no_grad():
            return (f.grad(lambda b: (b**3).sum())(a) * a).sum()

    out.append(f.grad(h)(x))

    def k(a):
        with torch.enable_grad():
            return (a**2).sum()

    with torch.no_grad():
        out.append(f.grad(k)(x))
    w = x.clone().requires_grad_()
    r = f.grad(lambda a: (a * a * w).sum())(x)
    out.append(r)
    out.append(torch.autograd.grad(r.sum(), w))
    r = f.grad(lambda a: (a * a * a).sum())(w)
    out.append(r)
    out.append(torch.autograd.grad(r.sum(), w))
    r = f.jvp(lambda a: a**3, (w,), (x,))[1]
    out.append(r.detach())
    out.append(torch.autograd.grad(r.sum(), w))
    r = f.vmap(lambda a: a**3)(w)
    out.append(r)
    out.append(torch.autograd.grad(r.sum(), w))
    r = f.jacfwd(lambda a: a**3)(w)
    out.append(r.detach())
    out.append(torch.autograd.grad(r.sum(), w))
    with torch.no_grad():
        r = f.grad(lambda a: (a * a * w).sum())(x)
        out.append(r)
    with torch.inference_mode():
        out.append(attempt(lambda: f.grad(lambda a: (a * a).sum())(x)))
        out.append(attempt(lambda: f.vmap(lambda a: a * a)(x)))
    return plain(out)


def script_names_of_nodes_at_levels(torch):
    seen = []
    Same = made_function(torch, lambda x: x.clone(), lambda ctx, g: g, setup_context=lambda ctx, inputs, output: None)

    def f(x):
        y = Same.apply(x)
        seen.append((type(y.grad_fn).__name__, y.grad_fn.name()))
        return y ** 2

    x = double(torch, 1.0, 2.0).requires_grad_()
    torch.func.grad(f)(torch.tensor(1.0))
    torch.func.grad(torch.func.grad(f))(torch.tensor(1.0))
    f(x)
    total, slope = torch.func.jvp(lambda t: (t ** 2).sum(), (x,), (x,))
    return seen, total.detach(), slope.detach(), torch.func.jvp(lambda t: t.mean(), (x,), (x,))[0].detach()


def script_prints_inside_of_transforms(torch):
    out = []

    def look(x):
        out.extend([repr(x), str(x)])
        return x.mean()

    f = torch.func
    x = torch.arange(8.0).reshape(4, 2) / 4
    f.vmap(look)(x)
    f.vmap(look, in_dims=1)(x)
    f.grad(look)(x)
    f.vmap(f.grad(look))(x)
    f.grad(lambda t: f.vmap(look)(t).sum())(x)
    f.grad(f.grad(look))(torch.tensor(1.5))
    f.vmap(f.vmap(look))(x.reshape(2, 2, 2))
    f.jvp(look, (x,), (x,))
    f.grad(lambda t: (out.append(repr(x)), t.sum())[1])(x)
    return out


def script_tensors_below_transforms(torch):
    x, seen = torch.ones(2, 3), []

    def look(row):
        seen.extend([torch.func.debug_unwrap(row), torch.func.debug_unwrap(row, recurse=False)])
        return row.sum()

    torch.func.vmap(torch.func.vmap(look))(x)
    torch.func.vmap(look, in_dims=1)(x)
    torch.func.grad(look)(x)
    return [t is x for t in seen], [tuple(t.shape) for t in seen], torch.func.debug_unwrap(x) is x


def test_a_value_of_a_vmap_that_has_ended_is_refused():
    torch, kept = compat, []
    torch.vmap(lambda row: (kept.append(row), row * 2)[1])(torch.ones(3, 3))
    t = kept[0]
    for use in (lambda: t + 1, lambda: t[0], lambda: t.T, lambda: t.view(-1), lambda: t.unsqueeze(0), lambda: list(t),
                lambda: t.unbind(), lambda: t.tolist(), lambda: t.item(), lambda: t.numpy(), lambda: t.sum()):
        with pytest.raises(RuntimeError, match="your tensor may have escaped from inside a function being vmapped"):
            use()


@pytest.mark.parametrize("formula", ["nc,mnc->mn", "n,mn->mn", "nc,mnc->mnc", "nc,cn->nc", "mnc,nk->nkm", "c,d->dc"])
@pytest.mark.parametrize("length", [1, 3])
def test_second_derivatives_of_sums_of_products_by_levels_are_those_of_a_graph(formula, length):
    torch = compat
    sizes = {"n": 4, "m": 5, "k": 2, "d": 3, "c": length}
    x, y = (torch.linspace(-1, 2, math.prod(shape), dtype=torch.float64).reshape(shape).requires_grad_()
            for shape in ([sizes[k] for k in part] for part in formula.partition("->")[0].split(",")))

    def loss(x, y):
        return torch.einsum(formula, x, y).pow(2).sum()

    gradients = torch.autograd.grad(loss(x, y), (x, y), create_graph=True)
    expected = torch.autograd.grad(sum([g.sum() for g in gradients]), (x, y))
    x, y = x.detach(), y.detach()
    f, ones = torch.func, (torch.ones_like(x), torch.ones_like(y))
    by_gradients = f.grad(loss, argnums=(0, 1))
    for found in (f.jvp(by_gradients, (x, y), ones)[1],
                  f.grad(lambda *z: f.jvp(loss, z, ones)[1], argnums=(0, 1))(x, y),
                  f.grad(lambda *z: sum([g.sum() for g in by_gradients(*z)]), argnums=(0, 1))(x, y)):
        assert all(torch.allclose(a, b, rtol=1e-12) for a, b in zip(found, expected))


def script_values_of_levels_that_have_ended(torch):
    f, out = torch.func, []

    def kept(transform):
        found = []
        transform(lambda t: (found.extend([t, t.sin()]), found[1].sum())[1])
        return found

    x = double(torch, 1.0, 2.0)
    twice = lambda g: f.grad(lambda t: f.grad(g)(t).sum())(x.clone())  # noqa: E731
    mapped = lambda t: torch.vmap(lambda a: a * 2)(t)  # noqa: E731
    for transform in (lambda g: f.grad(g)(x.clone()), lambda g: f.vjp(g, x.clone()),
                      lambda g: f.jvp(g, (x.clone(),), (x,)), twice):
        for use in (lambda t: t + 1, lambda t: t[0], lambda t: t.unbind()[1], lambda t: t.add_(1), lambda t: t.copy_(x),
                    mapped, lambda t: torch.stack([t, t]), lambda t: t.view(-1)):
            if (transform, use) != (twice, mapped):  # where PyTorch asserts
                out += [use(t).tolist() for t in kept(transform)]
    return out


def script_pullbacks_of_what_ran_in_no_grad(torch):
    f, modes = torch.func, (torch.enable_grad, torch.no_grad, torch.inference_mode)
    w = torch.tensor([2.0, -1.0])

    def by_pullback(outside, around):
        def h(x):
            with outside():
                out, pull = f.vjp(lambda v: v ** 3 + (v * v).sin(), x)
            with around():
                return out, pull(w)[0]
        return h

    found = []
    for outside in modes:
        for around in modes[:2]:
            h = by_pullback(outside, around)
            x = torch.tensor([1.5, -0.5], requires_grad=True)
            out, ct = h(x)
            found.append((out.requires_grad, ct.requires_grad, ct.detach()))
            if ct.requires_grad:
                found.append(torch.autograd.grad(ct.sum(), x))
            if outside is not torch.inference_mode:
                found += [g.tolist() for g in (
                    f.grad(lambda v, h=h: (h(v)[1] * v).sum())(x), *f.jvp(lambda v, h=h: h(v)[1], (x,), (w,)),
                    f.jacrev(lambda v, h=h: h(v)[1] + h(v)[0])(x))]
    return found


def script_closed_over_values_of_pullbacks_in_no_grad(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    m = torch.tensor([[1.0, 2.0], [0.5, 0.25]], requires_grad=True)
    with torch.no_grad():
        out, pull, aux = torch.func.vjp(lambda v: ((m @ v).tanh() * x, v * 2), x, has_aux=True)
    (ct,) = pull(torch.ones(2))
    slopes = [g.tolist() for g in torch.autograd.grad(ct.sum(), (x, m))]
    return out.requires_grad, aux.requires_grad, ct.requires_grad, slopes
