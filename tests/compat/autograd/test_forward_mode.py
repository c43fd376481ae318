"""Forward mode: levels, dual tensors, what they refuse, and forward over reverse."""

import numpy as np

import covector.compat.torch as compat
from harness import attempt, double


def unpacked(fw, t):
    p, g = fw.unpack_dual(t)
    return (p, g)


def script_levels(torch):
    fw = torch.autograd.forward_ad
    out = [attempt(lambda: fw.exit_dual_level()), attempt(lambda: fw.exit_dual_level(level=3))]
    out.append(fw.enter_dual_level())
    out.append(attempt(lambda: fw.exit_dual_level(level=1)))
    out.append(attempt(fw.enter_dual_level))
    fw.exit_dual_level(level=0)
    with fw.dual_level() as l:
        out.append(l)

    def nest():
        with fw.dual_level():
            with fw.dual_level():
                pass

    out.append(attempt(nest))
    with fw.dual_level():
        out.append("ok")
    out.append(attempt(lambda: fw.make_dual(double(torch, 1), double(torch, 1), level=3)))
    out.append(attempt(lambda: fw.unpack_dual(double(torch, 1))))
    out.append(attempt(lambda: fw.unpack_dual(3.0)))
    with fw.dual_level():
        out.append(attempt(lambda: fw.make_dual(double(torch, 1), double(torch, 1), level=3))[:2])
        out.append(attempt(lambda: fw.make_dual(double(torch, 1), double(torch, 1), level=-1)))
        out.append(attempt(lambda: fw.unpack_dual(double(torch, 1), level=-1)))
        out.append(attempt(lambda: fw.unpack_dual(3.0)))
    return out


def script_make_dual_errors(torch):
    fw = torch.autograd.forward_ad
    out = []
    with fw.dual_level():
        x = double(torch, 1, 2)
        out.append(attempt(lambda: fw.make_dual(x, torch.ones(2))))
        out.append(attempt(lambda: fw.make_dual(x, torch.ones(3, dtype=torch.float64))))
        out.append(attempt(lambda: fw.make_dual(torch.tensor([1, 2]), torch.ones(2))))
        out.append(attempt(lambda: fw.make_dual(x, torch.tensor([1, 2]))))
        out.append(attempt(lambda: fw.make_dual(torch.ones(2, dtype=torch.complex128), x)))
        d = fw.make_dual(x, x)
        out.append(attempt(lambda: fw.make_dual(d, x)))
        out.append(attempt(lambda: fw.make_dual(x, d)))
        out.append(unpacked(fw, d))
        p, t = fw.unpack_dual(d)
        out.append(unpacked(fw, p))
        out.append(unpacked(fw, t))
    return out


def script_dual_is_view(torch):
    fw = torch.autograd.forward_ad
    out = []
    with fw.dual_level():
        x = double(torch, 1, 2, 3)
        t = double(torch, 4, 5, 6)
        d = fw.make_dual(x, t)
        out += [d._is_view(), d._base is x, d.data_ptr() == x.data_ptr(), d._version, x._version]
        p, g = fw.unpack_dual(d)
        out += [g is t, p._is_view(), p.data_ptr() == x.data_ptr(), g.data_ptr() == t.data_ptr(), g._is_view()]
        d.mul_(2)
        out += [x, t, x._version, t._version, unpacked(fw, d)]
        x.add_(1)
        out += [unpacked(fw, d)]
        t.add_(1)
        out += [unpacked(fw, d)]
        d[0] = 7.0
        out += [x, t, unpacked(fw, d)]
        e = fw.make_dual(x, t)
        out.append(unpacked(fw, e + d))
        out.append(unpacked(fw, x))
        out.append(unpacked(fw, x * 1))
    out.append(unpacked(fw, d))
    out.append(d)
    return out


def script_requires_grad_duals(torch):
    fw = torch.autograd.forward_ad
    out = []
    x = double(torch, 1, 2, 3).requires_grad_()
    t = double(torch, 4, 5, 6).requires_grad_()
    with fw.dual_level():
        d = fw.make_dual(x, t)
        out += [d.detach(), fw.unpack_dual(d).primal.detach()]
        y = d**3
        p, g = fw.unpack_dual(y)
        out += [p.detach(), g.detach()]
        out.append(torch.autograd.grad(g.sum(), [x, t], retain_graph=True))
        out.append(torch.autograd.grad(p.sum(), [x, t], allow_unused=True, retain_graph=True))
        out.append([g.detach() for g in torch.autograd.grad(y.sum(), [x], create_graph=True)])
        (gx,) = torch.autograd.grad(y.sum(), [x], create_graph=True)
        out.append([t.detach() for t in fw.unpack_dual(gx)])
        out.append(attempt(lambda: d.mul_(2)))
        out.append(attempt(lambda: d.requires_grad_()))
        out.append(unpacked(fw, y.detach()))
        with torch.no_grad():
            z = d * 2
            out.append(unpacked(fw, z))
    return out


def script_forward_over_reverse(torch):
    fw = torch.autograd.forward_ad
    out = []
    x = double(torch, 1, 2, 3)
    v = double(torch, 1, -1, 0.5)
    with fw.dual_level():
        d = fw.make_dual(x.requires_grad_(), v)
        y = (d.sin() * d.exp()).prod()
        (g,) = torch.autograd.grad(y, d)
        out += [unpacked(fw, g)]
        (g,) = torch.autograd.grad((d**3).sum(), d, create_graph=True)
        (h,) = torch.autograd.grad(g.sum(), d)
        out += [unpacked(fw, h)]
    out.append(x.grad)
    return out


def script_reverse_over_forward(torch):
    fw = torch.autograd.forward_ad
    x = double(torch, 1, 2, 3).requires_grad_()
    v = double(torch, 1, -1, 0.5).requires_grad_()
    with fw.dual_level():
        d = fw.make_dual(x, v)
        g = fw.unpack_dual((d.sin() * d.exp()).prod()).tangent
        g.backward()
    return x.grad, v.grad, g


def script_print_dual(torch):
    fw = torch.autograd.forward_ad
    out = []
    with fw.dual_level():
        d = fw.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
        out += [
            repr(d),
            str(d * 2),
            repr(fw.make_dual(torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0]))),
        ]
        out += [repr(fw.unpack_dual(d)), fw.unpack_dual(d)._fields]
    out.append(repr(d))
    return out


def script_dead_tangents(torch):
    fw = torch.autograd.forward_ad
    out = []
    with fw.dual_level():
        d = fw.make_dual(double(torch, 1, 2), double(torch, 3, 4))
        e = d * 2
        v = e[0]
    out += [unpacked(fw, d), unpacked(fw, e), unpacked(fw, v)]
    with fw.dual_level():
        out += [unpacked(fw, d), unpacked(fw, e), unpacked(fw, v), unpacked(fw, d * e)]
        out += [attempt(lambda: unpacked(fw, fw.make_dual(e, double(torch, 1, 1))))]
        out += [attempt(lambda: unpacked(fw, e))]
    return out


def script_inplace_leaf_and_modes(torch):
    fw = torch.autograd.forward_ad
    out = []
    x = double(torch, 1, 2).requires_grad_()
    with fw.dual_level():
        with torch.no_grad():
            d = fw.make_dual(x, double(torch, 1, 1))
            d.mul_(2)
            out += [unpacked(fw, d), x, x._version]
        with torch.inference_mode():
            out.append(torch.is_inference_mode_enabled())
        y = x * 2
        d = fw.make_dual(y, double(torch, 1, 1))
        d.mul_(3)
        out += [fw.unpack_dual(d).tangent.detach(), d.grad_fn.__class__.__name__, y]
        out.append(torch.autograd.grad(d.sum(), x))
    return out


def script_jvp_within_level(torch):
    fw = torch.autograd.forward_ad
    out = []
    x = double(torch, 1, 2)
    with fw.dual_level():
        d = fw.make_dual(x, double(torch, 1, 1))
        out.append(attempt(lambda: torch.func.grad(lambda v: v.sin().sum())(d)))
        out.append(attempt(lambda: unpacked(fw, torch.func.grad(lambda v: v.sin().sum())(d))))
        out.append(attempt(lambda: unpacked(fw, torch.func.vmap(torch.sin)(d))))
        out.append(attempt(lambda: unpacked(fw, torch.func.jacrev(torch.sin)(d))))

    def f(v):
        with fw.dual_level():
            return fw.unpack_dual(fw.make_dual(v, torch.ones_like(v)).sin()).tangent

    out.append(attempt(lambda: torch.func.grad(lambda v: f(v).sum())(x)))
    out.append(attempt(lambda: torch.autograd.functional.jacobian(f, x)))
    return out


def test_a_value_that_a_vmap_maps_can_be_dual():
    forward_ad = compat.autograd.forward_ad

    def slope(v):
        with forward_ad.dual_level():
            return forward_ad.unpack_dual(forward_ad.make_dual(v, compat.ones_like(v)).sin()).tangent

    x = compat.tensor([0.0, 1.0])
    assert compat.allclose(compat.vmap(slope)(x), x.cos())
    with forward_ad.dual_level():
        assert compat.vmap(lambda v: forward_ad.make_dual(v, compat.tensor(3.0)) * 2)(x).shape == (2,)


def script_dual_numbers(torch):
    ad = torch.autograd.forward_ad
    with ad.dual_level():
        x = ad.make_dual(torch.ones(2), torch.tensor([1.0, 2.0]))
        found = ad.unpack_dual(x * x)
        inside = [type(found).__name__, found.primal, found.tangent, ad.unpack_dual(torch.ones(1)).tangent,
                  attempt(lambda: ad.make_dual(torch.ones(2), torch.ones(3))),
                  attempt(lambda: ad.make_dual(torch.ones(2, dtype=torch.int64), torch.ones(2)))]
    return inside, attempt(lambda: ad.make_dual(torch.ones(2), torch.ones(2)))


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


def test_batched_tangents_of_plain_tensors_broadcast():
    forward_ad = compat.autograd.forward_ad

    def push(t):
        with forward_ad.dual_level():
            return forward_ad.unpack_dual(compat.ones(2, 2) + forward_ad.make_dual(compat.ones(2), t)).tangent

    np.testing.assert_array_equal(compat.vmap(push)(compat.tensor([[0.0, 1.0], [2.0, 3.0]])).numpy(),
                                  [[[0, 1], [0, 1]], [[2, 3], [2, 3]]])


def script_tangents_beside_histories(torch):
    fw, out = torch.autograd.forward_ad, []
    x, v = double(torch, 1, 2, 3), double(torch, 1, -1, 0.5)
    for form in (lambda d, y: d * y, lambda d, y: y * d, lambda d, y: d + y, lambda d, y: y - d, lambda d, y: y / d,
                 lambda d, y: d / y, lambda d, y: d * d[1] * y, lambda d, y: torch.maximum(d, y), lambda d, y: d @ y):
        for make in (lambda y: y, lambda y: y * 2):
            with fw.dual_level():
                d, y = fw.make_dual(x, v), double(torch, 4, 0.5, 2).requires_grad_()
                z = form(d, make(y))
                (g,) = torch.autograd.grad(z.sin().sum(), y)
                out.append([fw.unpack_dual(z).tangent.detach(), *unpacked(fw, g)])
    return out


def script_forward_mode_switched_off(torch):
    dual, jvp, switch = torch.autograd.forward_ad, torch.func.jvp, torch.autograd.forward_ad._set_fwd_grad_enabled
    x, one = double(torch, 3.0, 4.0), double(torch, 1.0, 2.0)

    def off(f):
        def run(*args):
            with switch(False):
                return f(*args)
        return run

    def inner(x):
        """Switched on again at the inner level alone."""
        def g(z):
            with switch(True):
                return z * z * x
        with switch(False):
            value, slope = jvp(g, (x,), (one,))
        return value + x, slope * x

    def written(x):
        y, z = x * 2, x * 2
        with switch(False):
            y.mul_(x)
            z.copy_(one)
        return y, z, x * 2

    found = [jvp(lambda x: off(lambda x: x * 2)(x) + x, (x,), (one,)), off(jvp)(torch.sin, (x,), (one,)),
             jvp(inner, (x,), (one,)), jvp(written, (x,), (one,)), jvp(off(lambda x: (x[0], x.view(-1))), (x,), (one,)),
             jvp(off(torch.func.grad(lambda z: (z * z).sum())), (x,), (one,)),
             jvp(off(torch.func.vmap(lambda z: z * x)), (x,), (one,)),
             jvp(torch.func.vmap(off(lambda z: z * 3)), (x,), (one,)),
             torch.func.grad(lambda x: jvp(lambda z: off(torch.sin)(z) + z * x, (x,), (x,))[1].sum())(x)]
    with dual.dual_level():
        with switch(False):
            made = dual.make_dual(x, one)
            found += [tuple(dual.unpack_dual(v)) for v in (made, made * 2)]
            found.append(torch._C._is_fwd_grad_enabled())
        found += [tuple(dual.unpack_dual(v)) for v in (made, made * 3)]
        found.append([tuple(dual.unpack_dual(v)) for v in written(made)])
    return [*found, torch._C._is_fwd_grad_enabled()]


def script_dual_tensors_of_subclasses(torch):
    class Labelled(torch.Tensor):
        pass

    x, fw, out = torch.tensor([1.0, 2.0]), torch.autograd.forward_ad, []
    with fw.dual_level():
        for primal, tangent in ((x.as_subclass(Labelled), x), (x, x.as_subclass(Labelled)), (x, x)):
            dual = fw.make_dual(primal, tangent)
            found = fw.unpack_dual(dual * 2)
            out.append([type(t).__name__ for t in (dual, found, *found)] + [found.tangent.tolist()])
    return out
