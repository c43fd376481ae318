"""Tangents: their memory, dtypes and layouts, through views, writes and joins."""

import warnings

import pytest

import covector.compat.torch as compat
from harness import attempt, double, made_function, message


def script_tangents_of_views_are_views_of_the_tangent(torch):
    dual, found = torch.autograd.forward_ad, []

    def forward(ctx, x, kind):
        ctx.kind = kind
        return x[:2]

    def jvp(ctx, t, _):
        t = t[:2]
        return t if ctx.kind == "ok" else t.clone() if ctx.kind == "copy" else t.clone().view(2, 3)

    f = made_function(torch, forward, lambda ctx, g: (g, None), jvp=jvp)
    for kind in ("ok", "copy", "other"):
        for again in (False, True):
            with dual.dual_level():
                x = dual.make_dual(torch.ones(4, 3), torch.ones(4, 3) * 2)
                x = x.view_as(x) if again else x
                found.append(message(lambda: dual.unpack_dual(f.apply(x, kind)).tangent))
    return found


def script_tangents_take_the_memory_layout_of_primals(torch):
    """A tangent is copied where its memory would not reach what that of the primal does; refused where it overlaps."""
    fw, found = torch.autograd.forward_ad, []
    given = torch.arange(4.0)
    with fw.dual_level():
        x = fw.make_dual(torch.arange(5.0)[:4].detach(), given)
        tangent = fw.unpack_dual(x).tangent
        found += [tangent is given, tangent.untyped_storage().nbytes(), unpacked(fw, x.as_strided((5,), (1,), 0))]
        tangent.mul_(2)
        found += [given.tolist(), unpacked(fw, x.as_strided((2, 2), (2, 1), 1))]
    for primal in (torch.zeros(2, 2), torch.zeros(2, 2).t(), torch.zeros(4, 4)[:2, :2], torch.zeros(5)[1:]):
        with fw.dual_level():
            t = torch.arange(4.0).reshape(primal.shape)
            tangent = fw.unpack_dual(fw.make_dual(primal, t)).tangent
            found.append((tangent is t, tangent.stride(), tangent.untyped_storage().nbytes()))
    with fw.dual_level():
        found.append(message(lambda: fw.make_dual(torch.zeros(3).expand(3, 3), torch.arange(9.0).reshape(3, 3)))[:60])
    return found


def script_tangents_of_outputs_that_carry_none(torch):
    dual = torch.autograd.forward_ad

    def forward(ctx, x, y):
        out = y.clone()
        ctx.mark_non_differentiable(out)
        return x.clone(), out

    good = made_function(torch, forward, lambda ctx, a, b: (a, b), jvp=lambda ctx, a, b: (a, None))
    bad = made_function(torch, forward, lambda ctx, a, b: (a, b), jvp=lambda ctx, a, b: (a, a.clone()))
    with dual.dual_level():
        x = dual.make_dual(torch.tensor(2.0), torch.tensor(1.0))
        y = torch.tensor(3.0)
        return [dual.unpack_dual(o).tangent for o in good.apply(x, y)], "return None at that position" in message(
            lambda: bad.apply(x, y))


def unpacked(fw, t):
    p, g = fw.unpack_dual(t)
    return (p, g)


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


def script_tangents_through_broadcasting_and_diagonals(torch):
    f = torch.func
    x = torch.tensor([[0.1, 0.2, 0.3], [0.5, 0.1, 0.9]])
    v = x.cos()
    labels = torch.tensor([1, 2])
    loss = lambda a: torch.nn.functional.cross_entropy(a, labels)  # noqa: E731

    def g(a):
        y = a * 1
        y.diagonal().mul_(3).add_(a[0, :2])
        y.view(-1)[1:].mul_(a.reshape(-1)[0])
        return y

    other = torch.arange(6.0).reshape(3, 2).t()
    return (f.jvp(lambda a: f.jvp(loss, (a,), (v,))[1], (x,), (v,)), f.jvp(g, (x,), (v,)), f.jvp(g, (x,), (other,)),
            f.jvp(g, (x,), (torch.tensor(1.0).expand(2, 3),)))


def script_the_callers_tangent(torch):
    def grown(x):
        x.mul_(3)
        return x

    out = []
    for x, dx in ((torch.ones(2, 3), torch.ones(3, 2).t()), (torch.ones(6)[::2], torch.ones(3)),
                  (torch.ones(3), torch.ones(6)[1:4]), (torch.ones(2, 3), torch.ones(2, 3))):
        out += [[v.contiguous() for v in torch.func.jvp(grown, (x,), (dx,))], dx]
    x, dx = torch.ones(2, 3), torch.ones(3, 2)
    return out, torch.func.vmap(lambda a, b: torch.func.jvp(grown, (a,), (b,)), in_dims=(0, 1))(x, dx), x, dx


def script_gradients_run_forwards_in_memory(torch):
    x = double(torch, 1.0, -2.0, 3.0).requires_grad_()
    out = []
    for f in (lambda t: t.cumsum(0), lambda t: t.flip(0), lambda t: t.roll(1)):
        loss = lambda t, f=f: f(t).sin().sum()  # noqa: E731
        out += [torch.autograd.grad(loss(x), x, create_graph=True)[0].stride(),
                torch.func.grad(loss)(x.detach()).stride(),
                min(torch.vmap(torch.func.grad(loss))(torch.ones(2, 3)).stride()) > 0]
    return out
