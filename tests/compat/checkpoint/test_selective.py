"""Selective checkpoints: policies, lists, what is kept and what is refused; on compat and PyTorch."""

import functools

from harness import attempt


def mats(torch):
    return torch.arange(1.0, 5.0, dtype=torch.float64).reshape(2, 2).div(4).requires_grad_(), torch.tensor(
        [[0.5, -1.0], [2.0, 0.3]], dtype=torch.float64, requires_grad=True
    )


def fn(torch):
    return lambda x, y: torch.sigmoid(torch.matmul(torch.matmul(x, y), y)) * y


def run(torch, policy, f=None, **kw):
    cp = torch.utils.checkpoint
    x, y = mats(torch)
    out = cp.checkpoint(
        f or fn(torch),
        x,
        y,
        use_reentrant=False,
        context_fn=functools.partial(cp.create_selective_checkpoint_contexts, policy, **kw),
    )
    out.sum().backward()
    return [out.detach(), x.grad, y.grad]


def script_lists_of_operations(torch):
    a = torch.ops.aten
    return [
        run(torch, l)
        for l in (
            [],
            [a.mm.default],
            [a.mm.default, a.sigmoid.default],
            [a.sigmoid.default, a.mul.Tensor],
            [a.exp.default],
        )
    ]


def script_policies_of_all_kinds(torch):
    a = torch.ops.aten
    P = torch.utils.checkpoint.CheckpointPolicy
    out = []
    for p in P:
        out.append(run(torch, lambda ctx, op, *args, **kw: p if op == a.mm.default else P.PREFER_RECOMPUTE))
    out.append(run(torch, lambda ctx, op, *args, **kw: op is a.mm.default))
    out.append(run(torch, lambda ctx, op, *args, **kw: True))
    out.append(run(torch, lambda ctx, op, *args, **kw: False))
    return out


def script_what_a_policy_sees(torch):
    seen = []

    def p(ctx, op, *args, **kw):
        seen.append(
            (
                str(op),
                ctx.is_recompute,
                tuple(ctx.op_output.shape),
                [tuple(t.shape) for t in args if hasattr(t, "shape")],
                kw,
            )
        )
        return True

    r = run(torch, p)
    return seen, r


def script_op_names(torch):
    a = torch.ops.aten
    return [
        str(a.mm.default),
        repr(a.mm.default),
        str(a.mm),
        repr(a.mm),
        a.mm.default.name(),
        a.sum.dim_IntList.name(),
        a.mm.default is a.mm.default,
        a.mm.default == a.bmm.default,
        attempt(lambda: a.nonsense),
        attempt(lambda: a.mm.nonsense),
        a.mm.default(torch.ones(1, 2), torch.ones(2, 1)),
        a.sin(torch.ones(1)),
        len({a.mm.default, a.mm.default}),
        a.mm.default.overloadpacket is a.mm,
    ]


def script_refusals(torch):
    c = torch.utils.checkpoint.create_selective_checkpoint_contexts
    a = torch.ops.aten
    return [
        attempt(lambda: c(3)),
        attempt(lambda: c((a.mm.default,)))[:2],
        attempt(lambda: c([a.mm])),
        attempt(lambda: c([torch.mm]))[:2],
        attempt(lambda: c("x")),
    ]


def script_mutation(torch):
    a = torch.ops.aten
    out = []

    def f(x, y):
        z = x @ y
        w = z.sin()
        z.detach().mul_(2)
        return w * y

    out.append(attempt(lambda: run(torch, [a.mm.default], f=f, allow_cache_entry_mutation=False)))

    def h(x, y):
        z = x @ y
        w = z * y
        return w.sin()

    def change():
        cp = torch.utils.checkpoint
        x, y = mats(torch)
        kept = []

        def k(x, y):
            z = x @ y
            kept.append(z.detach())
            return (z * y).sin()

        out = cp.checkpoint(
            k,
            x,
            y,
            use_reentrant=False,
            context_fn=functools.partial(
                cp.create_selective_checkpoint_contexts, [a.mm.default], allow_cache_entry_mutation=True
            ),
        )
        kept[0].mul_(3)
        out.sum().backward()
        return [x.grad, y.grad]

    out.append(attempt(change))

    def g(x, y):
        z = x @ y
        z.add_(1)
        return z.sin() * y

    out.append(attempt(lambda: run(torch, [a.mm.default], f=g)))
    out.append(attempt(lambda: run(torch, [a.sin.default], f=g)))
    return out


def script_backward_twice(torch):
    cp = torch.utils.checkpoint
    a = torch.ops.aten
    x, y = mats(torch)
    out = []
    z = cp.checkpoint(
        fn(torch),
        x,
        y,
        use_reentrant=False,
        context_fn=functools.partial(cp.create_selective_checkpoint_contexts, [a.mm.default]),
    ).sum()
    z.backward(retain_graph=True)
    out.append(attempt(z.backward))
    z = cp.checkpoint(
        fn(torch),
        x,
        y,
        use_reentrant=False,
        context_fn=functools.partial(cp.create_selective_checkpoint_contexts, []),
    ).sum()
    z.backward(retain_graph=True)
    out.append(attempt(z.backward))
    out.append(x.grad)
    return out


def script_random_and_nondeterministic(torch):
    a = torch.ops.aten
    n = [0]

    def f(x, y):
        n[0] += 1
        z = x @ y
        return (z.sin() if n[0] == 1 else z.exp()) * y

    out = [attempt(lambda: run(torch, [a.mm.default], f=f))]

    def g(x, y):
        n[0] += 1
        z = x @ y
        for _ in range(n[0]):
            z = z.sin()
        return z * y

    n[0] = 0
    out.append(attempt(lambda: run(torch, [a.sin.default], f=g)))
    return out


def script_runs_of_the_function(torch):
    a = torch.ops.aten
    log = []

    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            log.append("f")
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    r = run(torch, [a.mm.default], f=lambda x, y: F.apply(x @ y) @ y)
    return r, log


def script_constants(torch):
    a = torch.ops.aten
    c = torch.ones(2, 2, dtype=torch.float64)
    return [
        run(torch, [a.mm.default], f=lambda x, y: (c @ c) * x.sin() * y),
        run(torch, [a.mm.default, a.sin.default], f=lambda x, y: (c @ c).sin() @ x @ y),
    ]


def script_other_operations(torch):
    a = torch.ops.aten
    F = torch.nn.functional
    x0 = torch.arange(12.0, dtype=torch.float64).reshape(3, 2, 2) / 7
    out = []
    for ops, f in (
        ([a.bmm.default], lambda x, y: (x0 @ x0 @ x).sin() * y.sum()),
        ([a.addmm.default], lambda x, y: F.linear(x, y, y[0]).exp()),
        ([a.mm.default], lambda x, y: F.linear(x, y).exp()),
        ([a._softmax.default], lambda x, y: x.softmax(0) * y),
        ([a._log_softmax.default], lambda x, y: x.log_softmax(1) * y),
        ([a.sum.dim_IntList], lambda x, y: x.exp().sum(0) * y),
        ([a.pow.Tensor_Scalar], lambda x, y: (x**3).sin() * y),
        ([a.max.dim], lambda x, y: x.exp().max(0)[0] * y),
        ([a.mul.Tensor, a.add.Tensor], lambda x, y: (x * y + x).exp()),
        ([a.cumsum.default], lambda x, y: x.cumsum(0).exp() * y),
    ):
        out.append(run(torch, ops, f=f))
    return out


def script_double_and_functional(torch):
    cp = torch.utils.checkpoint
    a = torch.ops.aten
    x, y = mats(torch)
    out = []
    def c(f, *v):
        return cp.checkpoint(
            f,
            *v,
            use_reentrant=False,
            context_fn=functools.partial(cp.create_selective_checkpoint_contexts, [a.mm.default]),
        )
    (g,) = torch.autograd.grad(c(fn(torch), x, y).sum(), x, create_graph=True)
    out.append(g.detach())
    out.append(attempt(lambda: torch.autograd.grad(g.sum(), [x, y])))
    out.append(
        attempt(
            lambda: torch.autograd.functional.vjp(
                lambda v: c(fn(torch), v, y.detach()), x.detach(), torch.ones_like(x)
            )
        )
    )
    out.append(attempt(lambda: torch.func.jvp(lambda v: c(fn(torch), v, y), (x,), (x,))[1].detach()))
    out.append(attempt(lambda: torch.func.vmap(lambda v: c(fn(torch), v, y))(torch.stack([x, x])).detach())[:2])
    with torch.no_grad():
        out.append(c(fn(torch), x, y))
    out.append(torch.autograd.grad(c(lambda p, q: c(fn(torch), p, q) * p, x, y).sum(), [x, y]))
    return out


def script_policies_may_name_views(torch):
    def fn(x, y):
        return x.view(-1), y.sin().cos()

    y = torch.ones(3, requires_grad=True)
    contexts = functools.partial(torch.utils.checkpoint.create_selective_checkpoint_contexts,
                                 [torch.ops.aten.view.default, torch.ops.aten.var_mean.correction])
    out = torch.utils.checkpoint.checkpoint(fn, torch.tensor([1, 2, 3]), y, use_reentrant=False, context_fn=contexts)
    out[1].sum().backward()
    return y.grad
