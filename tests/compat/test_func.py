"""torch.func and forward mode: the same scripts on compat and PyTorch."""

import numpy as np

import covector as cv
import covector.compat.torch as compat
from harness import attempt


def script_grad_and_value(torch):
    x = torch.tensor([1.0, 2.0])
    f = torch.func
    return (f.grad(lambda v: (v ** 3).sum())(x), f.grad_and_value(lambda v: (v ** 3).sum())(x),
            f.grad(lambda v: ((v ** 3).sum(), v * 2), has_aux=True)(x),
            f.grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, x + 1),
            f.grad(lambda d: (d["a"] * d["b"]).sum())({"a": x, "b": x * 2})["b"],
            f.grad(f.grad(lambda v: v ** 4))(torch.tensor(2.0)))


def script_vjp_and_jvp(torch):
    x = torch.tensor([1.0, 2.0])
    out, pull = torch.func.vjp(lambda v: (v * 2, v.sin().sum()), x)
    pulled = pull((torch.ones(2), torch.tensor(3.0)))
    pushed = torch.func.jvp(lambda v: (v * v, v.sum()), (x,), (torch.tensor([1.0, 10.0]),))
    return out, pulled, pushed


def script_vmap(torch):
    x = torch.arange(6.0).reshape(2, 3) if hasattr(torch, "arange") else torch.ones(2, 3)
    y = torch.ones(3, 2)
    v = torch.func.vmap
    return (v(torch.sin)(x), v(lambda a, b: a @ b, in_dims=(0, 1))(x, y), v(lambda a: a.sum(), in_dims=1)(x),
            v(lambda a: a * 2, out_dims=1)(x), v(v(lambda a: a * 3))(x), v(lambda a: torch.ones(2))(x),
            v(lambda a, b: a * b, in_dims=(0, None))(x, y[:, 0]), v(lambda a: a.max(0).values)(x),
            v(lambda a: a * 2, chunk_size=1)(x))


def script_jacobians(torch):
    x = torch.tensor([1.0, 2.0, 3.0])
    f = lambda v: torch.stack([v[0] * v[1], v.sin().sum()])  # noqa: E731
    g = lambda v: (v ** 3).sum() * v[0]  # noqa: E731
    return torch.func.jacrev(f)(x), torch.func.jacfwd(f)(x), torch.func.hessian(g)(x)


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


def script_in_place_inside(torch):
    x = torch.tensor([1.0, 2.0, 3.0])

    def f(v):
        y = v * 2
        y.mul_(3)
        y[0] = v[1] * 5
        z = torch.zeros(3)
        z.add_(y)
        z[1:].mul_(2)
        return (z * z).sum()

    m = torch.ones(2, 3)

    def g(v):
        v.add_(1)
        return v * 2

    out = torch.func.vmap(g)(m)
    return torch.func.grad(f)(x), torch.func.jvp(f, (x,), (torch.ones(3),)), out, m


def script_refusals(torch):
    x = torch.tensor([1.0, 2.0])
    w = torch.ones(2)
    f = torch.func
    return [
        attempt(lambda: f.grad(lambda v: v * 2)(x)), attempt(lambda: f.grad(lambda v: 3.0)(x)),
        attempt(lambda: f.grad(lambda v: w.add_(v).sum())(x))[:2],
        attempt(lambda: f.vmap(lambda v: w.add_(v))(torch.ones(3, 2)))[:2],
        attempt(lambda: f.vmap(lambda v: v.item())(x))[:2], attempt(lambda: f.vmap(lambda v: v if v > 0 else v)(x))[:2],
        attempt(lambda: f.vmap(lambda v: v)(torch.tensor(1.0)))[:2],
        attempt(lambda: f.vmap(lambda a, b: a)(torch.ones(2), torch.ones(3)))[:2],
        attempt(lambda: f.grad(lambda v: v.requires_grad_().sum())(x))[:2],
        attempt(lambda: f.jvp(lambda v: v, x, x))[:2],
    ]


def script_autograd_inside(torch):
    x = torch.tensor([1.0, 2.0])

    def f(v):
        y = (v ** 3).sum()
        (g,) = torch.autograd.grad(y, v, create_graph=True)
        return (g ** 2).sum()

    return torch.func.grad(f)(x)


def script_modes_of_levels(torch):
    x = torch.tensor([1.0, 2.0])

    def f(v):
        with torch.no_grad():
            c = v ** 2
        return (v ** 2 - c).sum()

    with torch.no_grad():
        outside = torch.func.grad(lambda v: (v ** 2).sum())(x)
    return torch.func.grad(f)(x), outside


def script_batched_gradients(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x ** 2
    return torch.autograd.grad(y, x, torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), is_grads_batched=True)


def script_duals(torch):
    fw = torch.autograd.forward_ad
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = []
    with fw.dual_level():
        d = fw.make_dual(x, torch.tensor([1.0, 10.0]))
        y = (d ** 2).sin()
        p, t = fw.unpack_dual(y)
        out += [p.detach(), t]
        z = d * 1
        z.mul_(3)
        z[0] = 7.0
        out.append(fw.unpack_dual(z).tangent.detach())
        out.append(fw.unpack_dual(d[1:]).tangent)
        (g,) = torch.autograd.grad(t.sum(), x)
        out.append(g)
        out.append(attempt(lambda: fw.make_dual(x, torch.ones(3))))
        out.append(attempt(lambda: fw.enter_dual_level()))
        out.append(fw.unpack_dual(torch.ones(2)).tangent)
    out.append(fw.unpack_dual(y).tangent)
    out.append(attempt(lambda: fw.make_dual(x, torch.ones(2)))[:2])
    return out


def script_function_with_vmap_and_jvp(torch):
    class Mul(torch.autograd.Function):
        @staticmethod
        def forward(x, y):
            return x * y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y * 10, g * x * 10

        @staticmethod
        def jvp(ctx, dx, dy):
            x, y = ctx.saved_tensors
            out = 0
            if dx is not None:
                out = out + dx * y * 10
            if dy is not None:
                out = out + x * dy * 10
            return out

        @staticmethod
        def vmap(info, in_dims, x, y):
            return Mul.apply(x, y), 0

    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    return (torch.func.grad(lambda v: Mul.apply(v, y).sum())(x), torch.func.vmap(Mul.apply)(x, y),
            torch.func.jvp(lambda v: Mul.apply(v, y), (x,), (y,)))


def script_new_axes_under_vmap_go_behind_the_batch(torch):
    x, y = torch.arange(2.0), torch.arange(4.0).reshape(2, 2)
    return (torch.vmap(lambda v: v.expand(2))(x), torch.vmap(lambda v: v.expand(2, 2))(y),
            torch.vmap(torch.vmap(lambda v: v.expand(2, 3)))(y), torch.vmap(lambda v: v.expand_as(y))(x),
            torch.func.jacfwd(lambda v: v.expand(3, 2) * 2)(x),
            torch.vmap(torch.func.grad(lambda v, w: (v.expand(2) * w).sum()))(x, y))


def test_batched_tangents_of_plain_tensors_broadcast():
    forward_ad = compat.autograd.forward_ad

    def push(t):
        with forward_ad.dual_level():
            return forward_ad.unpack_dual(compat.ones(2, 2) + forward_ad.make_dual(compat.ones(2), t)).tangent

    np.testing.assert_array_equal(compat.vmap(push)(compat.tensor([[0.0, 1.0], [2.0, 3.0]])).numpy(),
                                  [[[0, 1], [0, 1]], [[2, 3], [2, 3]]])


def test_covectors_own_transforms_take_functions_of_tensors():
    x = compat.tensor([1.0, 2.0], dtype=compat.float64)

    def f(v):
        y = v * 3
        y[0] = v[1] * 2
        return (y * y).sum()

    g = cv.grad(f)(x)
    assert isinstance(g, compat.Tensor)
    np.testing.assert_allclose(g.numpy(), [0.0, 2 * 4 * 2.0 + 18 * 2.0])
    np.testing.assert_allclose(cv.vmap(lambda v: v * v)(x).numpy(), [1.0, 4.0])
    out, dot = cv.jvp(f, (x,), (x,))
    np.testing.assert_allclose(dot.item(), (g * x).sum().item())
    np.testing.assert_allclose(compat.func.grad(lambda v: cv.grad(f)(v).sum())(x).numpy(), cv.grad(
        lambda v: compat.func.grad(f)(v).sum())(x).numpy())


def test_tensors_captured_by_covectors_transforms_get_gradients():
    w = compat.tensor([2.0, 3.0], dtype=compat.float64, requires_grad=True)
    x = compat.tensor([1.0, 5.0], dtype=compat.float64)
    cv.grad(lambda v: (v * v * w).sum())(x).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), [2.0, 10.0])


def script_views_of_values_with_a_tangent_are_written_to(torch):
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    def f(v):
        z = v.new_zeros(3)
        z[0] = v[0] * v[1]
        y = torch.zeros_like(v)
        y.add_(v * v)
        return (z * y).sum()

    f_ = torch.func
    return f_.vmap(f_.hessian(f))(x), f_.vmap(f_.grad(f))(x), f_.vmap(f_.vmap(lambda v: v.new_zeros(2).add_(v)))(x)


def script_indices_that_are_mapped(torch):
    x = torch.arange(12.0).reshape(3, 4)
    i = torch.tensor([[0, 1], [2, 0], [1, 1]])
    v = torch.func.vmap
    return (v(lambda k: x[k])(i), v(lambda k: x[:, k])(i), v(lambda k: x[0, k[0]])(i),
            v(lambda k: torch.gather(x, 1, k[None].expand(3, 2)))(i), v(lambda row, k: row[k])(x, i[:, 0]),
            v(torch.func.grad(lambda row, k: (row[k] * row[:2]).sum()))(x, i),
            torch.func.grad(lambda t: v(lambda k: (t[k] * t[k]).sum())(i).sum())(x))


def script_writes_to_indices_that_are_mapped(torch):
    f = torch.func
    v = f.vmap
    x = torch.arange(24.0).reshape(2, 3, 4)
    i = torch.tensor([[0, 2], [1, 0]])

    def assigned(a, k, b):
        y = a.clone()
        y[k] = b
        return y

    def scattered(a, k):
        return a.scatter(1, k[None].expand(3, 2), a[:, :2] * 2)

    return (v(assigned)(x, i, -torch.ones(2, 2, 4)), v(assigned, (0, 0, None))(x, i, -torch.ones(4)),
            v(scattered)(x, i),
            v(assigned)(x, i, torch.tensor([-1.0, -2.0])), v(lambda k: torch.zeros(4).scatter(0, k, 1.0))(i),
            v(v(lambda a, k: a.scatter(0, k, -1.0)), (0, None))(x[:, :2], i),
            f.grad(lambda a: (v(scattered)(a, i) ** 2).sum())(x), f.jvp(lambda a: v(scattered)(a, i) ** 2, (x,), (x,)))
