"""Forward mode in detail: levels, tangents and their memory, views, writes, Functions; on compat and PyTorch."""


import warnings

import pytest

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


def script_views_of_duals(torch):
    fw = torch.autograd.forward_ad
    out = []
    with fw.dual_level():
        x = torch.arange(6.0, dtype=torch.float64).reshape(2, 3)
        t = torch.arange(6.0, 12.0, dtype=torch.float64).reshape(2, 3)
        d = fw.make_dual(x, t)
        for f in (
            lambda a: a[0],
            lambda a: a.t(),
            lambda a: a.view(-1),
            lambda a: a[:, ::2],
            lambda a: a.expand(2, 2, 3),
            lambda a: a.narrow(1, 1, 2),
            lambda a: a.chunk(2)[1],
            lambda a: a.unbind(1)[1],
            lambda a: a.view_as(a),
            lambda a: a.select(0, 1),
            lambda a: a.movedim(0, 1),
            lambda a: a.detach(),
            lambda a: torch.view_as_real(a.to(torch.complex128)),
            lambda a: a.split([1, 2], 1)[1],
        ):
            w = attempt(lambda: f(d))
            if isinstance(w, tuple):
                out.append(w)
                continue
            p, g = fw.unpack_dual(w)
            out += [p, g, w._is_view(), None if g is None else g._is_view()]
    return out


def script_write_views_of_duals(torch):
    fw = torch.autograd.forward_ad
    out = []
    for f in (
        lambda a: a[0],
        lambda a: a.t(),
        lambda a: a.view(-1),
        lambda a: a[:, ::2],
        lambda a: a.narrow(1, 1, 2),
        lambda a: a.detach(),
    ):
        for w in (
            lambda v: v.mul_(3),
            lambda v: v.zero_(),
            lambda v: v.copy_(torch.ones_like(v)),
            lambda v: v.add_(v),
            lambda v: v.fill_(2),
            lambda v: v.sin_(),
        ):
            with fw.dual_level():
                x = torch.arange(6.0, dtype=torch.float64).reshape(2, 3)
                t = torch.arange(6.0, 12.0, dtype=torch.float64).reshape(2, 3)
                d = fw.make_dual(x, t)
                w(f(d))
                out += [unpacked(fw, d), x, t, t._version, unpacked(fw, x)]
    return out


def script_write_dual_into_plain(torch):
    fw = torch.autograd.forward_ad
    out = []
    with fw.dual_level():
        x = double(torch, 1, 2, 3)
        t = double(torch, 4, 5, 6)
        d = fw.make_dual(x, t)
        for make in (lambda: torch.zeros(3, dtype=torch.float64), lambda: torch.zeros(2, 3, dtype=torch.float64)):
            for w in (
                lambda z: z.copy_(d),
                lambda z: z.add_(d),
                lambda z: z[0:].mul_(d),
                lambda z: z.__setitem__(0, d[0]),
                lambda z: z.__setitem__(slice(1, 3), 5.0),
                lambda z: z.view(-1)[:1].copy_(d[1:2]),
            ):
                z = make()
                r = attempt(lambda: w(z))
                out += [r if isinstance(r, tuple) else None, unpacked(fw, z), z._version]
        z = torch.zeros(3, dtype=torch.float64)
        v = z[1:]
        u = z.view(3, 1)
        v.copy_(d[:2])
        out += [unpacked(fw, z), unpacked(fw, v), unpacked(fw, u), unpacked(fw, z[1:])]
    return out


def script_out_variants(torch):
    fw = torch.autograd.forward_ad
    out = []
    with fw.dual_level():
        x = double(torch, 1, 2, 3)
        d = fw.make_dual(x, x)
        o = torch.empty(3, dtype=torch.float64)
        out.append(attempt(lambda: torch.sin(d, out=o)))
        out.append(attempt(lambda: torch.add(d, 1, out=o)))
        out.append(attempt(lambda: torch.sin(x, out=d)))
    return out


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


def script_dtype_and_casts(torch):
    fw = torch.autograd.forward_ad
    out = []
    with fw.dual_level():
        x = torch.tensor([1.0, 2.0])
        d = fw.make_dual(x, torch.tensor([3.0, 4.0]))
        for f in (
            lambda: d.double(),
            lambda: d.half(),
            lambda: d.to(torch.complex64),
            lambda: d.long(),
            lambda: d.bool(),
            lambda: d > 1,
            lambda: d.argmax(),
            lambda: d.round(),
            lambda: d.clone(),
            lambda: d.contiguous(),
            lambda: d.float(),
            lambda: torch.tensor(d),
            lambda: d.new_ones(2),
            lambda: torch.ones_like(d),
            lambda: torch.zeros_like(d),
            lambda: d.tolist(),
            lambda: d.sort(),
            lambda: d.max(0),
            lambda: torch.polar(d, d),
            lambda: torch.complex(d, d),
            lambda: torch.complex(d, x).abs(),
            lambda: torch.complex(x, d).real,
            lambda: torch.complex(x, d).imag,
            lambda: torch.complex(x, d).conj(),
        ):
            r = attempt(f)
            if isinstance(r, tuple) and r and r[0] == "raised" or isinstance(r, list):
                out.append(r)
                continue
            out.append([unpacked(fw, a) for a in (r if isinstance(r, tuple) else (r,))])
    return out


def script_tangent_layouts(torch):
    fw = torch.autograd.forward_ad
    out = []
    with fw.dual_level():
        x = torch.ones(2, 3, dtype=torch.float64)
        for t in (
            torch.ones(3, 2, dtype=torch.float64).t(),
            torch.ones(1, 3, dtype=torch.float64).expand(2, 3),
            torch.ones(2, 6, dtype=torch.float64)[:, ::2],
        ):
            d = fw.make_dual(x, t)
            g = fw.unpack_dual(d).tangent
            out += [g, g is t, g._is_view()]
            out += [unpacked(fw, d * 2)]
        d = fw.make_dual(x.t(), torch.ones(3, 2, dtype=torch.float64))
        out += [unpacked(fw, d), fw.unpack_dual(d).tangent._is_view()]
    return out


def script_tangents_of_answers_are_their_own(torch):
    """A write to a shifted value spoils neither the tangent of the operand nor the user's."""
    fw, func = torch.autograd.forward_ad, torch.func
    x, dx = double(torch, 1, 2), double(torch, 3, 4)

    def shifted(x):
        y = x + 0.5
        y.mul_(2.0)
        z = 1.0 * x - 1
        z.mul_(y)
        return y + x * z, y.sum() - x.mean()

    out = [func.jvp(shifted, (x,), (dx,)), func.vmap(lambda s: func.jvp(shifted, (x * s,), (dx * s,)))(x), dx.clone()]
    with fw.dual_level():
        a = fw.make_dual(x.clone(), dx.clone())
        out += [unpacked(fw, t) for t in shifted(a)]
        y = a - 1
        a.mul_(3.0)
        m = fw.make_dual(torch.ones(2, 2).double().t(), double(torch, 5, 6, 7, 8).reshape(2, 2))
        z = m + a
        z.add_(1.0)
        n = m * 2 + torch.ones(2, dtype=torch.float64)
        n[0].mul_(3.0)
        out += [unpacked(fw, t) for t in (y, a, m, z, n, m.sum(), m @ m, torch.relu(m))]
        out += [fw.unpack_dual(t).tangent.stride() for t in (m * 2, m + a, m.t() - 1, torch.tanh(m))]
    return out


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


def script_cat_stack_where(torch):
    fw = torch.autograd.forward_ad
    out = []
    x = double(torch, 1, 2)
    y = double(torch, 3, 4)
    with fw.dual_level():
        d = fw.make_dual(x, y)
        for f in (
            lambda: torch.cat([d, x]),
            lambda: torch.stack([x, d]),
            lambda: torch.where(x > 1, d, x),
            lambda: torch.where(x > 1, 0.0, d),
            lambda: torch.cat([x, y]),
            lambda: d @ y,
            lambda: torch.einsum("i,j->ij", d, y),
            lambda: d.norm(),
            lambda: torch.lerp(x, d, 0.3),
            lambda: d.clamp(1.5, 1.8),
            lambda: d.index_add(0, torch.tensor([0, 1]), y),
            lambda: x.index_put((torch.tensor([0]),), d[:1]),
            lambda: d.masked_fill(x > 1, 3.0),
            lambda: x.masked_fill(x > 1, d[0]),
            lambda: torch.nn.functional.dropout(d, 0.0),
            lambda: d.softmax(0),
            lambda: d.cumsum(0),
            lambda: d.scatter(0, torch.tensor([0]), y[:1]),
            lambda: torch.outer(d, d),
            lambda: torch.maximum(d, x),
            lambda: d.pow(2),
            lambda: 2**d,
            lambda: d**d,
            lambda: d.var(),
            lambda: d.std(),
            lambda: d.logsumexp(0),
            lambda: d.relu(),
            lambda: d.remainder(2),
            lambda: d.flip(0),
            lambda: d.roll(1),
            lambda: d.repeat(2),
            lambda: torch.fft.fft(d),
            lambda: d.nan_to_num(),
            lambda: d.trunc(),
        ):
            r = attempt(f)
            out.append(r if isinstance(r, tuple) else unpacked(fw, r))
    return out


def script_set_data_detach(torch):
    fw = torch.autograd.forward_ad
    out = []
    with fw.dual_level():
        d = fw.make_dual(double(torch, 1, 2), double(torch, 3, 4))
        out.append(unpacked(fw, d.data))
        e = d * 1
        out.append(attempt(lambda: setattr(e, "data", double(torch, 5, 5))))
        out.append(unpacked(fw, e))
        e = d * 1
        e.detach_()
        out.append(unpacked(fw, e))
        e = d * 1
        f = e.detach()
        f.mul_(2)
        out.append(unpacked(fw, e))
        out.append(unpacked(fw, f))
        import copy

        out.append(
            attempt(lambda: unpacked(fw, copy.deepcopy(fw.make_dual(double(torch, 1, 2), double(torch, 3, 4)))))
        )
        out.append(attempt(lambda: unpacked(fw, copy.copy(d))))
        out.append(attempt(lambda: d.numpy().tolist()))
        out.append(attempt(lambda: d.is_leaf))
        out.append(attempt(lambda: e.is_leaf))
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


def test_a_tangent_takes_the_dtype_of_its_tensor():
    forward_ad = compat.autograd.forward_ad
    with forward_ad.dual_level():
        x = compat.ones(2, dtype=compat.float64)
        assert forward_ad.unpack_dual(forward_ad.make_dual(x, compat.ones(2))).tangent.dtype is compat.float64
        with pytest.raises(RuntimeError, match="tangent of a real tensor to be real"):
            forward_ad.make_dual(x, compat.ones(2) * 1j)


SAME_VALUES = {
    "add": lambda t, x: x + 1, "clone": lambda t, x: x.clone(), "flip": lambda t, x: x.flip(0),
    "where": lambda t, x: t.where(x > -9, x, x), "maximum": lambda t, x: t.maximum(x, t.zeros(3)),
    "cat": lambda t, x: t.cat([x]), "roll": lambda t, x: x.roll(0), "repeat": lambda t, x: x.repeat(1),
    "gather": lambda t, x: x.gather(0, t.tensor([0, 1, 2])), "index": lambda t, x: x[t.tensor([0, 1, 2])],
    "sum": lambda t, x: x.reshape(1, 3).sum(0), "cumsum": lambda t, x: x[None].cumsum(0)[0],
    "tril": lambda t, x: x[None].tril(9)[0], "rot90": lambda t, x: t.rot90(x[None], 2)[0],
    "stack": lambda t, x: t.stack([x])[0], "nan_to_num": lambda t, x: x.nan_to_num(), "sort": lambda t, x: x.sort()[0],
    "pad": lambda t, x: t.nn.functional.pad(x, (0, 0)), "diag": lambda t, x: t.diag(t.diag(x)),
    "tile": lambda t, x: t.tile(x, (1,)), "amax": lambda t, x: x[None].amax(0), "pow": lambda t, x: x ** 1,
    "scatter": lambda t, x: t.zeros(3).scatter(0, t.tensor([0, 1, 2]), x), "copy_": lambda t, x: t.zeros(3).copy_(x),
    "select_scatter": lambda t, x: t.zeros(2, 3).select_scatter(x, 0, 0)[0], "masked_fill": lambda t, x: x.masked_fill(
        x > 99, 0.0), "fliplr": lambda t, x: x[None].fliplr()[0], "lerp": lambda t, x: t.lerp(x, t.zeros(3), 0.0),
}
WRITES = {
    "operand": lambda x, y: x.mul_(5), "answer": lambda x, y: y.mul_(5), "element": lambda x, y: x.__setitem__(0, 7.0),
    "element of the answer": lambda x, y: y.__setitem__(0, 7.0), "zeros": lambda x, y: x.zero_(),
    "view": lambda x, y: x[1:].mul_(5), "view of the answer": lambda x, y: y[1:].mul_(5),
}


def script_answers_have_tangents_of_their_own(torch):
    x, dx = torch.tensor([0.5, 1.5, 2.5]), torch.tensor([1.0, 2.0, 3.0])
    out = {}
    for name, f in SAME_VALUES.items():
        for how, write in WRITES.items():
            def both(v):
                v = v * 1
                y = f(torch, v)
                write(v, y)
                return v * 1, y * 1

            pushed = torch.func.jvp(both, (x,), (dx,))[1]
            mapped = torch.func.vmap(lambda d: torch.func.jvp(both, (x,), (d,))[1])(torch.stack([dx, -dx]))
            out[name, how] = [t.tolist() for t in (*pushed, *mapped)]
    return out


def script_indices_made_inside_are_used(torch):
    x, out = torch.tensor([1.0, 2.0, 3.0]), []
    functions = (
        lambda v: v.index_put_((torch.tensor([1]),), v.sum().reshape(1)),
        lambda v: v.index_put((torch.tensor([1]),), v.sum().reshape(1), accumulate=True),
        lambda v: v.index_put_((torch.tensor([1]),), torch.tensor([5.0])),
        lambda v: v.repeat_interleave(torch.tensor([1, 2, 1])), lambda v: v.take(torch.tensor([1])),
        lambda v: v.index_fill_(0, torch.tensor([1]), 2.0), lambda v: v[torch.tensor([True, False, True])],
    )
    for f in functions:
        out.append(torch.func.grad(lambda v: f(v * 1).sum())(x))
        out.append(torch.func.jvp(lambda v: f(v * 1), (x,), (x,)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on the speed of PyTorch's fallback
            out.append(torch.func.vmap(lambda v: f(v * 1))(torch.stack([x, -x])))
    return out


def script_answers_that_were_saved_are_written_to(torch):
    functions = {
        "div": lambda d: d / (d * d + 1), "maximum": lambda d: torch.maximum(d, d * d), "mul": lambda d: d * d,
        "minimum": lambda d: torch.minimum(d, d * d), "fmod": lambda d: torch.fmod(d, d * 0.3 + 0.1),
        "logaddexp": lambda d: torch.logaddexp(d, d * 2), "sin": lambda d: d.sin(), "norm": lambda d: d / d.norm(),
        "logsumexp": lambda d: d - d.logsumexp(0), "exp": lambda d: d.exp(), "reciprocal": lambda d: 1 / d,
    }
    writes = {
        "add_": lambda q, d: q.add_(1), "mul_": lambda q, d: q.mul_(2.0), "element": lambda q, d: q.__setitem__(0, 3.0),
        "index_put_": lambda q, d: q.index_put_((torch.tensor([1]),), d.sum().reshape(1)),
        "view": lambda q, d: q[1:].mul_(3), "sin_": lambda q, d: q.sin_(), "zero_": lambda q, d: q.zero_(),
    }
    forward_ad = torch.autograd.forward_ad
    x, out = double(torch, 0.5, 1.5, 2.5), {}
    for name, f in functions.items():
        for how, write in writes.items():
            def loss(v):
                q = f(v)
                write(q, v)
                return (q * v).sum()

            def dual():
                with forward_ad.dual_level():
                    y = x.clone().requires_grad_()
                    (g,) = torch.autograd.grad(loss(forward_ad.make_dual(y * 1, x.flip(0) * 0.7 + 0.1)), y)
                    return forward_ad.unpack_dual(g).tangent.clone()

            out[name, how] = [attempt(dual), attempt(lambda: torch.func.grad(loss)(x)),
                              attempt(lambda: torch.func.vmap(torch.func.grad(loss))(torch.stack([x, x * 0.5]))),
                              attempt(lambda: torch.func.jacfwd(torch.func.grad(loss))(x))]
            out[name, how] = [v[:2] if isinstance(v, tuple) else v.tolist() for v in out[name, how]]
    return out
