"""torch.func in odd uses: axes, chunks, refusals, closures over levels, Functions, modules; on compat and PyTorch."""

import re
import warnings

from harness import attempt, double


def plain(nest):
    """Tensors without their layouts."""
    if isinstance(nest, tuple) and len(nest) == 3 and isinstance(nest[0], str) and nest[0] == "raised":
        return nest
    if isinstance(nest, list | tuple):
        return [plain(v) for v in nest]
    if isinstance(nest, dict):
        return {k: plain(v) for k, v in nest.items()}
    if hasattr(nest, "requires_grad"):
        return [str(nest.dtype), tuple(nest.shape), nest.requires_grad, nest.detach().clone().contiguous()]
    return nest


def isn(x):
    return x


def script_vmap_dims(torch):
    v = torch.func.vmap
    x = torch.arange(24.0).reshape(2, 3, 4)
    out = []
    for i in (0, 1, 2, -1, -2, -3, 3, -4, None, "a", 1.0, (0,), [0], (0, 1), {"a": 0}):
        out.append(attempt(lambda: v(lambda a: a * 2, in_dims=i)(x)))
    for o in (0, 1, 2, -1, -3, 3, -4, None, "a", 1.0, (0,), [0], (0, 1), {"a": 0}):
        out.append(attempt(lambda: v(lambda a: a * 2, out_dims=o)(x)))
        out.append(attempt(lambda: v(lambda a: (a * 2, a.sum()), out_dims=o)(x)))
    out.append(attempt(lambda: v(lambda a: (a * 2, torch.ones(2)), out_dims=(0, None))(x)))
    out.append(attempt(lambda: v(lambda a: (a * 2, a), out_dims=(0, None))(x)))
    out.append(attempt(lambda: v(lambda a: {"p": a, "q": [a.sum(), a]}, out_dims={"p": 0, "q": [0, 1]})(x)))
    out.append(attempt(lambda: v(lambda a: {"p": a, "q": [a.sum(), a]}, out_dims=0)(x)))
    out.append(attempt(lambda: v(lambda a: {"p": a}, out_dims={"q": 0})(x)))
    out.append(attempt(lambda: v(lambda a, b: a + b, in_dims=(0, None))(x, x[0])))
    out.append(attempt(lambda: v(lambda a, b: a + b, in_dims=(0, 1))(x, x.transpose(0, 1))))
    out.append(attempt(lambda: v(lambda a, b: a + b, in_dims=(None, None))(x, x)))
    out.append(attempt(lambda: v(lambda a, b: a + b, in_dims=(0,))(x, x)))
    out.append(attempt(lambda: v(lambda a, b: a + b)(x, 3.0)))
    out.append(attempt(lambda: v(lambda a, b: a + b, in_dims=(0, None))(x, 3.0)))
    out.append(attempt(lambda: v(lambda a, b: a + b)(x, torch.ones(3))))
    out.append(attempt(lambda: v(lambda a: a)()))
    out.append(attempt(lambda: v(lambda a: a)(torch.ones(0, 2))))
    out.append(attempt(lambda: v(lambda a: a)(torch.tensor(1.0))))
    out.append(attempt(lambda: v(lambda a, k=None: a + k)(x, k=torch.ones(2, 1, 1))))
    out.append(attempt(lambda: v(lambda a, k=None: a + k)(x, k=torch.ones(3, 1))))
    out.append(attempt(lambda: v(lambda a, k=None: a * k)(x, k=3)))
    out.append(attempt(lambda: v(3)(x)))
    out.append(attempt(lambda: v(lambda a: None)(x)))
    out.append(attempt(lambda: v(lambda a: 3)(x)))
    out.append(attempt(lambda: v(lambda a: (a, 3))(x)))
    out.append(attempt(lambda: v(lambda a: (a, None))(x)))
    out.append(attempt(lambda: v(lambda a: (a, 3), out_dims=(0, None))(x)))
    out.append(attempt(lambda: v(lambda a: ())(x)))
    return plain(out)


def script_vmap_chunks(torch):
    v = torch.func.vmap
    x = torch.arange(10.0).reshape(5, 2)
    out = []
    sizes = []

    def f(a):
        sizes.append(1)
        return a * 2, a.sum()

    for c in (1, 2, 3, 5, 6, None, 0, -1, "a"):
        sizes.clear()
        out.append(attempt(lambda: v(f, chunk_size=c)(x)))
        out.append(len(sizes))
    out.append(v(f, in_dims=1, out_dims=(1, 0), chunk_size=1)(x))
    for c in (1, 2, 3, None, 0, -2):
        out.append(attempt(lambda: torch.func.jacrev(lambda a: (a**2).sum(0), chunk_size=c)(x)))
    for c in (1, 2, 3, None, 0, -2):
        out.append(attempt(lambda: torch.func.jacfwd(lambda a: (a**2).sum(0), chunk_size=c)(x)))
    out.append(attempt(lambda: torch.func.jacrev(lambda a: (a**2, a.sum()), chunk_size=3)(x)))
    out.append(attempt(lambda: v(lambda a: torch.rand(2), chunk_size=2, randomness="error")(x)))
    return plain(out)


def script_vmap_forbidden(torch):
    v = torch.func.vmap
    x = torch.arange(6.0).reshape(2, 3)
    out = []
    for f in (
        lambda a: a.item(),
        lambda a: a[0].item(),
        lambda a: float(a[0]),
        lambda a: int(a[0]),
        lambda a: bool(a[0] > 0),
        lambda a: a if a.sum() > 0 else -a,
        lambda a: a[a > 1],
        lambda a: a.nonzero(),
        lambda a: a.masked_select(a > 1),
        lambda a: a.unique(),
        lambda a: a.requires_grad_(),
        lambda a: a.backward(),
        lambda a: a.data,
        lambda a: list(a),
        lambda a: len(a),
        lambda a: torch.as_tensor(a).clone(),
        lambda a: a.new_tensor([1.0, 2.0]),
        lambda a: a.is_leaf,
        lambda a: a.requires_grad,
        lambda a: a.shape,
        lambda a: a.stride(),
        lambda a: a.numel(),
        lambda a: a.dim(),
        lambda a: a.size(0),
        lambda a: a.dtype,
        lambda a: a.is_contiguous(),
        lambda a: hash(a) and a,
        lambda a: repr(a) and a,
        lambda a: a.grad_fn,
        lambda a: a._version,
        lambda a: torch.arange(a[0]),
        lambda a: torch.full((2,), a[0]),
    ):
        r = attempt(lambda: v(f)(x))
        out.append(r)
    return plain(out)


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


def script_vmap_inplace(torch):
    v = torch.func.vmap
    x = torch.arange(6.0).reshape(2, 3)
    w = torch.zeros(3)
    out = []
    out.append(w)
    out.append(attempt(lambda: v(lambda a: a.add_(w))(x.clone())))
    out.append(attempt(lambda: v(lambda a: w.add_(1))(x)))
    out.append(w)

    def f(a):
        z = torch.zeros(3)
        z[0] = a[0]
        return z

    out.append(attempt(lambda: v(f)(x)))

    def g(a):
        z = torch.zeros_like(a)
        z[0] = a[0]
        z[1:] += a[:2]
        return z

    out.append(attempt(lambda: v(g)(x)))

    def h(a):
        z = a.new_zeros(4)
        z[:3] = a
        z.mul_(2)
        return z

    out.append(attempt(lambda: v(h)(x)))

    def k(a, b):
        a.copy_(b)
        return a

    y = x.clone()
    out.append(attempt(lambda: v(k)(y, x * 2)))
    out.append(y)
    out.append(attempt(lambda: v(k, in_dims=(None, 0))(w, x)))
    out.append(attempt(lambda: v(k, in_dims=(0, None))(x.clone(), w)))
    out.append(attempt(lambda: v(lambda a: a.index_put_((torch.tensor([0]),), torch.tensor(5.0)))(x.clone())))
    out.append(attempt(lambda: v(lambda a: a.masked_fill_(a > 2, -1.0))(x.clone())))
    return plain(out)


def script_grad_options(torch):
    f = torch.func
    x = double(torch, 1, 2)
    y = double(torch, 3, 4)
    out = []
    def fn(a, b, c=1.0):
        return (a * a * b * c).sum()
    for an in (0, 1, (0, 1), (1, 0), (0,), -1, 2, (0, 2), True, None, (0, -2), 1.0, "0"):
        for w in (f.grad, f.jacrev, f.jacfwd, f.hessian):
            out.append(attempt(lambda: w(fn, argnums=an)(x, y, c=2.0)))
    out.append(attempt(lambda: f.grad(fn)(x, b=y)))
    out.append(attempt(lambda: f.grad(fn)(a=x, b=y)))
    out.append(attempt(lambda: f.grad(lambda a: (a.sum(), {"k": a * 2, "n": 3}), has_aux=True)(x)))
    out.append(attempt(lambda: f.jacrev(lambda a: (a * 2, {"k": a * 2}), has_aux=True)(x)))
    out.append(attempt(lambda: f.jacfwd(lambda a: (a * 2, {"k": a * 2}), has_aux=True)(x)))
    out.append(attempt(lambda: f.hessian(lambda a: ((a**3).sum(), a), has_aux=True)(x)))
    out.append(attempt(lambda: f.vjp(lambda a: (a * 2, {"k": a * 2}), x, has_aux=True)[2]))
    out.append(attempt(lambda: f.grad(lambda a: a.sum().float())(x)))
    out.append(attempt(lambda: f.grad(lambda a: a.sum()[None])(x)))
    out.append(attempt(lambda: f.grad(lambda a: a.sum() * 1j)(x)))
    out.append(attempt(lambda: f.grad(lambda a: (a > 0).sum())(x)))
    out.append(attempt(lambda: f.grad(lambda a: torch.tensor(3.0))(x)))
    out.append(attempt(lambda: f.grad_and_value(lambda a: (a.sum(), a), has_aux=True)(x)))
    out.append(attempt(lambda: f.grad(lambda a: a.abs().sum())(torch.tensor([1 + 2j]))))
    return plain(out)


def script_vjp_fn(torch):
    f = torch.func
    x = double(torch, 1, 2)
    out = []
    o, p = f.vjp(lambda a: (a * 2, {"k": a.sin()}), x)
    for ct in (
        (x, {"k": x}),
        (x, x),
        [x, {"k": x}],
        (x, {"j": x}),
        (x, {"k": None}),
        (None, {"k": x}),
        (x.float(), {"k": x}),
        (x,),
    ):
        out.append(attempt(lambda: p(ct)))
    out.append(attempt(lambda: p(x, {"k": x})))
    o, p = f.vjp(lambda a: a * 2, x)
    out.append(attempt(lambda: p(x)))
    out.append(attempt(lambda: p((x,))))
    out.append(attempt(lambda: p(torch.ones(3))))
    out.append(attempt(lambda: p(torch.ones(1))))
    o, p = f.vjp(lambda a, b: a * b, x, x)
    out.append(p(x))
    out.append(p(x))
    o, p = f.vjp(lambda d: d["a"] * d["b"][0], {"a": x, "b": (x,)})
    out.append(p(x))
    out.append(attempt(lambda: f.vmap(p)(torch.eye(2, dtype=torch.float64))))
    out.append(attempt(lambda: f.vjp(torch.sin, x)[1](x, retain_graph=False)))
    return plain(out)


def script_jvp_options(torch):
    f = torch.func
    x = double(torch, 1, 2)
    y = double(torch, 3, 4)
    out = []
    out.append(f.jvp(lambda a, b: (a * b, a), (x, y), (y, x)))
    out.append(attempt(lambda: f.jvp(lambda d: d["a"] * 2, ({"a": x},), ({"a": y},))))
    out.append(attempt(lambda: f.jvp(lambda d: d["a"] * 2, ({"a": x},), ({"b": y},))))
    out.append(attempt(lambda: f.jvp(lambda a: a * 2, [x], [y])))
    out.append(attempt(lambda: f.jvp(lambda a: a * 2, (x,), (y.float(),))))
    out.append(attempt(lambda: f.jvp(lambda a: a * 2, (x,), (None,))))
    out.append(attempt(lambda: f.jvp(lambda a: a * 2, (x,), (y,), strict=True)))
    out.append(attempt(lambda: f.jvp(lambda a: y * 2, (x,), (y,), strict=True)))
    out.append(attempt(lambda: f.jvp(lambda a: (y * 2, a), (x,), (y,))))
    out.append(attempt(lambda: f.jvp(lambda a: a > 0, (x,), (y,))))
    out.append(attempt(lambda: f.jvp(lambda a: (a > 0, a), (x,), (y,))))
    out.append(attempt(lambda: f.jvp(lambda a: a.detach(), (x,), (y,))))
    out.append(attempt(lambda: f.jvp(lambda a: (a, {"q": a}), (x,), (y,), has_aux=True)))
    out.append(attempt(lambda: f.jvp(lambda a: f.jvp(torch.sin, (a,), (y,))[1], (x,), (y,))))
    out.append(attempt(lambda: f.jvp(f.grad(lambda a: (a**3).sum()), (x,), (y,))))
    return plain(out)


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


def script_autograd_in_func(torch):
    f = torch.func
    x = double(torch, 0.5, 1.5)
    out = []

    def a(v):
        w = v.detach().requires_grad_()
        return torch.autograd.grad((w**2).sum(), w)[0].sum()

    out.append(attempt(lambda: f.grad(a)(x)))

    def b(v):
        return torch.autograd.grad((v**3).sum(), v, create_graph=True)[0].sum()

    out.append(attempt(lambda: f.grad(b)(x)))
    out.append(attempt(lambda: f.vmap(b)(torch.stack([x, x]))))
    out.append(attempt(lambda: f.vmap(f.grad(b))(torch.stack([x, x]))))

    def c(v):
        y = v * 2
        y.retain_grad()
        return y.sum()

    out.append(attempt(lambda: f.grad(c)(x)))

    def d(v):
        y = v * 2
        y.register_hook(lambda g: g * 3)
        return y.sum()

    out.append(attempt(lambda: f.grad(d)(x)))

    def e(v):
        y = v * 2
        y.backward(torch.ones_like(y))
        return y.sum()

    out.append(attempt(lambda: f.grad(e)(x)))

    def g(v):
        return torch.utils.checkpoint.checkpoint(lambda u: u.sin() * u, v, use_reentrant=False).sum()

    out.append(attempt(lambda: f.grad(g)(x))[:2] if isinstance(attempt(lambda: f.grad(g)(x)), tuple) else f.grad(g)(x))
    w = x.clone().requires_grad_()

    def h(v):
        (w * w).sum().backward()
        return v.sum()

    out.append(attempt(lambda: f.grad(h)(x)))
    out.append(attempt(lambda: f.vmap(h)(x)))
    return plain(out)


def script_modules_in_functional_call(torch):
    if torch.__name__ == "torch":
        Base = torch.nn.Module
        P = torch.nn.Parameter
    else:

        class Base:
            def __init__(self):
                pass

            training = True

            def named_parameters(self, **k):
                return [(n, v) for n, v in vars(self).items() if hasattr(v, "requires_grad") and v.requires_grad]

            def named_buffers(self, **k):
                return [(n, v) for n, v in vars(self).items() if hasattr(v, "requires_grad") and not v.requires_grad]

            def __call__(self, *a, **k):
                return self.forward(*a, **k)

        def P(t):
            return t.requires_grad_()

    class M(Base):
        def __init__(self, s):
            super().__init__()
            self.w = P(torch.arange(2.0) + s)
            if torch.__name__ == "torch":
                self.register_buffer("b", torch.tensor([s, s * 2]))
            else:
                self.b = torch.tensor([s, s * 2])

        def forward(self, x, k=1):
            return self.w * x * k + self.b

    f = torch.func
    out = []
    ms = [M(1.0), M(2.0), M(3.0)]
    p, b = f.stack_module_state(ms)
    out += [p, b]
    def call(p, b, x):
        return f.functional_call(ms[0], (p, b), (x,))
    x = torch.tensor([3.0, 4.0])
    out.append({k: v.requires_grad for k, v in p.items()})
    out.append(f.vmap(call, in_dims=(0, 0, None))(p, b, x).detach())
    out.append(f.functional_call(ms[0], {"w": x}, x))
    out.append(f.functional_call(ms[0], {"w": x}, (x,), {"k": 2}))
    out.append(f.functional_call(ms[0], [{"w": x}, {"b": x}], x, kwargs={"k": 2}))
    out.append(f.grad(lambda w: f.functional_call(ms[0], {"w": w}, x).sum())(x))
    out.append(attempt(lambda: f.functional_call(ms[0], {"q": x}, x)))
    out.append(attempt(lambda: f.functional_call(ms[0], {"q": x}, x, strict=True)))
    out.append(attempt(lambda: f.functional_call(ms[0], {"w": x}, x, strict=True)))
    out.append(attempt(lambda: f.functional_call(ms[0], 3, x))[:2])
    out.append(attempt(lambda: f.functional_call(ms[0], {"w": 3}, x))[:2])
    out.append(attempt(lambda: f.functional_call(ms[0], ({"w": x}, {"w": x}), x)))
    out.append(ms[0].w)
    return plain(out)


def script_vmap_function_rules(torch):
    f = torch.func
    x = torch.arange(6.0).reshape(2, 3)
    out = []

    def make(vm=None, gen=False, jvp=False):
        class F(torch.autograd.Function):
            generate_vmap_rule = gen

            @staticmethod
            def forward(a, k):
                return a.sin() * k

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(inputs[0])
                ctx.save_for_forward(inputs[0])
                ctx.k = inputs[1]

            @staticmethod
            def backward(ctx, g):
                (a,) = ctx.saved_tensors
                return g * a.cos() * ctx.k, None

        if vm:
            F.vmap = staticmethod(vm)
        if jvp:
            F.jvp = staticmethod(lambda ctx, t, _: t * ctx.saved_tensors[0].cos() * ctx.k)
        return F

    for F in (
        make(gen=True),
        make(gen=True, jvp=True),
        make(vm=lambda i, d, a, k: (a.sin() * k, d[0])),
        make(vm=lambda i, d, a, k: a.sin()),
        make(vm=lambda i, d, a, k: (a.sin(), 5)),
        make(vm=lambda i, d, a, k: (i.batch_size * a, 0)),
    ):
        for w in (
            lambda: f.vmap(lambda a: F.apply(a, 2.0))(x),
            lambda: f.grad(lambda a: F.apply(a, 2.0).sum())(x),
            lambda: f.vmap(f.grad(lambda a: F.apply(a, 2.0).sum()))(x),
            lambda: f.grad(lambda b: f.vmap(lambda a: F.apply(a, 2.0))(b).sum())(x),
            lambda: f.jvp(lambda a: F.apply(a, 2.0), (x,), (x,)),
            lambda: f.jacrev(lambda a: F.apply(a, 2.0))(x[0]),
            lambda: f.jacfwd(lambda a: F.apply(a, 2.0))(x[0]),
            lambda: f.hessian(lambda a: F.apply(a, 2.0).sum())(x[0]),
            lambda: f.vmap(lambda a: F.apply(a, 2.0), in_dims=1)(x),
        ):
            out.append(attempt(w))
    return plain(out)


def script_tree_api(torch):
    py = torch.utils._pytree
    out = []
    x = double(torch, 1, 2)
    t = {"b": [x, (x * 2, 3)], "a": None}
    l, s = py.tree_flatten(t)
    out += [l, py.tree_unflatten(l, s), py.tree_leaves(t), py.tree_map(lambda v: v * 2 if v is not None else 7, t)]
    out.append(attempt(lambda: py.tree_map(lambda a, b: (a, b), [1, 2], [3, 4])))
    out.append(attempt(lambda: py.tree_map(lambda a, b: (a, b), [1, 2], [3, (4, 5)])))
    out.append(attempt(lambda: py.tree_map(lambda a, b: (a, b), [1, 2], [3])))
    out.append(attempt(lambda: py.tree_unflatten([1], s)))
    out.append(s.num_leaves)
    out.append(py.tree_leaves([]))
    out.append(py.tree_all(lambda v: v > 0, [1, 2]))
    out.append(py.tree_any(lambda v: v > 1, [1, 2]))
    out.append(py.tree_map_only(int, lambda v: v + 1, [1, "a", 2.0]))
    return plain(out)


def script_jac_shapes(torch):
    f = torch.func
    x = torch.arange(6.0).reshape(2, 3)
    out = []
    for fn in (
        lambda a: a.sum(),
        lambda a: a.sum(0),
        lambda a: (a, a.sum()),
        lambda a: {"k": a * 2},
        lambda a: [a * 2],
        lambda a: torch.ones(2),
        lambda a: a.detach(),
        lambda a: a[:0],
        lambda a: a.t(),
        lambda a: (a > 0).float(),
        lambda a: a > 0,
    ):
        for w in (f.jacrev, f.jacfwd, f.hessian):
            out.append(attempt(lambda: w(fn)(x)))
    for fn in (lambda d: d["a"] * d["b"].sum(),):
        for w in (f.jacrev, f.jacfwd):
            out.append(w(fn)({"a": x[0], "b": x}))
    out.append(attempt(lambda: f.jacrev(lambda a, b: a @ b, argnums=(0, 1))(x, x.t().contiguous())))
    out.append(attempt(lambda: f.jacfwd(lambda a, b: a @ b, argnums=(0, 1))(x, x.t().contiguous())))
    out.append(attempt(lambda: f.jacrev(lambda a: a * 2)(torch.zeros(0))))
    out.append(attempt(lambda: f.jacfwd(lambda a: a * 2)(torch.zeros(0))))
    out.append(attempt(lambda: f.jacrev(lambda a: a * 2)(torch.tensor([1, 2]))))
    out.append(attempt(lambda: f.jacfwd(lambda a: a * 2)(torch.tensor([1, 2]))))
    return plain(out)
