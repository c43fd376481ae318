"""torch.autograd.Function under vmap, grad and jvp: its own vmap, generated rules, captured values."""

import covector.compat.torch as compat
from harness import attempt, made_function, message, plain


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


def pair(torch):
    return torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, -1.0, 2.0])


def functions(torch):
    class Mul(torch.autograd.Function):
        seen = []

        @staticmethod
        def forward(a, b, n):
            return a * b * n, a + 1

        @staticmethod
        def setup_context(ctx, inputs, output):
            a, b, n = inputs
            ctx.n, ctx.shape = n, a.shape
            ctx.save_for_backward(a, b)
            ctx.save_for_forward(a, b)
            Mul.seen.append(tuple(a.shape))

        @staticmethod
        def backward(ctx, g, h):
            a, b = ctx.saved_tensors
            Mul.seen.append(tuple(g.shape))
            return g * b * ctx.n * 10 + h, g * a * ctx.n * 10, None

        @staticmethod
        def jvp(ctx, da, db, _):
            a, b = ctx.saved_tensors
            return (da * b + a * db) * ctx.n * 10, da

    class Generated(Mul):
        generate_vmap_rule = True

    class Own(Mul):
        @staticmethod
        def vmap(info, in_dims, a, b, n):
            Mul.seen.append((tuple(info), in_dims, tuple(a.shape)))
            a = a.movedim(in_dims[0], 0) if in_dims[0] is not None else a
            b = b.movedim(in_dims[1], 0) if in_dims[1] is not None else b
            return Own.apply(a, b, n), 0

    Mul.seen = []
    return Mul, Generated, Own


def script_functions_under_vmap(torch):
    f = torch.func
    Mul, Generated, Own = functions(torch)
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = torch.tensor([0.5, -1.0, 2.0])
    out = []
    for F in (Generated, Own):
        call = lambda a, b: F.apply(a, b, 3)  # noqa: E731
        loss = lambda a, b: sum(t.sum() for t in call(a, b))  # noqa: E731
        out += [f.vmap(call)(x, x), f.vmap(call, in_dims=(0, None))(x, y), f.vmap(call, in_dims=(1, None))(x, y[:2]),
                f.vmap(call, in_dims=1)(x, x), f.vmap(call, in_dims=(None, 0))(y, x),
                f.vmap(f.grad(loss, (0, 1)))(x, x),
                f.vmap(f.grad(loss, (0, 1)), in_dims=(0, None))(x, y),
                f.grad(lambda a: sum(t.sum() for t in f.vmap(call)(a, x)))(x),
                f.grad(lambda b: sum(t.sum() for t in f.vmap(call, in_dims=(0, None))(x, b)))(y),
                f.vmap(f.vmap(call))(x, x), f.vmap(lambda a: f.vmap(call, in_dims=(0, None))(a, y[0]))(x),
                f.vmap(f.grad(lambda a: f.grad(loss)(a, a).sum()))(x), f.jvp(f.vmap(call), (x, x), (x, x + 1)),
                f.vmap(lambda a, da: f.jvp(call, (a, a), (da, da)))(x, x)]
        w = x.clone().requires_grad_()
        sum(t.sum() for t in f.vmap(call, in_dims=(0, None))(w, y)).backward()
        out.append(w.grad)
    return out, Mul.seen[-12:]


def script_axes_that_a_functions_vmap_is_told(torch):
    seen = []

    class F(torch.autograd.Function):
        @staticmethod
        def forward(d, n):
            return d * n

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, d, n):
            seen.append((info.batch_size, info.randomness, in_dims, tuple(d.shape), type(info).__name__))
            return F.apply(d, n), in_dims[0]

    v = torch.func.vmap
    y = torch.arange(24.0).reshape(2, 3, 4)
    out = [v(lambda a: F.apply(a, 2), in_dims=d)(y) for d in (0, 1, 2, -1)]
    out.append(v(lambda a: F.apply(F.apply(a, 2), 3), in_dims=1, out_dims=1, randomness="same")(y))
    out.append(v(v(lambda a: F.apply(a, 2), in_dims=1), in_dims=1)(y))
    return out, seen


def script_what_a_functions_vmap_returns(torch):
    def make(answer, **more):
        class F(torch.autograd.Function):
            @staticmethod
            def forward(a):
                return a * 2

            @staticmethod
            def setup_context(ctx, inputs, output):
                pass

            if answer is not None:
                @staticmethod
                def vmap(info, in_dims, a):
                    return answer(a)

        for k, value in more.items():
            setattr(F, k, value)
        return F

    x = torch.arange(6.0).reshape(2, 3)
    run = lambda F: message(lambda: torch.func.vmap(F.apply)(x))  # noqa: E731
    return (run(make(lambda a: a)), run(make(lambda a: (a, 0, 0))), run(make(lambda a: [a, 0])),
            run(make(lambda a: (a, (0, 0)))),
            run(make(lambda a: (a.t(), 1))), run(make(lambda a: (a[0], None))), run(make(lambda a: (a, 0))),
            run(make(None)),
            run(make(lambda a: (a, 0), generate_vmap_rule=True)), run(make(lambda a: ((a, 3), (0, None)))))


def script_shapes_and_generated_rules(torch):
    class Sum(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(a, b):
            return (a * b).sum()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.shape = inputs[0].shape
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            return g.expand(ctx.shape) * b, g * a

    f = torch.func
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    one = torch.tensor([[2.0], [3.0]])
    return (f.vmap(Sum.apply)(x, x), f.vmap(f.grad(Sum.apply, (0, 1)))(x, one),
            f.vmap(f.grad(Sum.apply, (0, 1)), (0, None))(x, one[0]),
            f.grad(lambda a, b: f.vmap(Sum.apply)(a, b).sum(), (0, 1))(x, one),
            f.grad(lambda a, b: f.vmap(Sum.apply, (0, None))(a, b).sum(), (0, 1))(x, one[0]))


def test_functions_without_setup_context_run_in_covectors_own_transforms():
    import covector as cv

    class Old(compat.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    assert cv.grad(lambda a: Old.apply(a).sum())(compat.ones(2)).tolist() == [2.0, 2.0]


def script_a_function_of_a_dual_inside_of_a_transform(torch):
    fw = torch.autograd.forward_ad
    x, y = pair(torch)

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(a):
            return a * a

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

        @staticmethod
        def jvp(ctx, da):
            return 2 * da * ctx.saved_tensors[0]

    x.requires_grad_()
    with fw.dual_level():
        d = fw.make_dual(x, y)
        out = torch.func.grad(lambda e: (Square.apply(d) * e).sum())(y)
        value, dot = fw.unpack_dual(out)
        return value.detach(), dot.detach(), dot.requires_grad, torch.autograd.grad(dot.sum(), x)


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


def script_keyword_only_tensors_of_a_function(torch):
    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(x, *, y):
            return x + y

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x, *, y):
            return x + y, 0

    found = attempt(lambda: torch.func.vmap(Sum.apply)(torch.ones(3), y=torch.ones(3)))
    return found[:2], "kwarg-only Tensor args" in found[2]


def script_an_input_that_is_returned_and_saved(torch):
    out = []
    for save, dirty in (("save_for_backward", False), ("save_for_forward", False), ("save_for_backward", True)):
        def setup(ctx, inputs, output, save=save, dirty=dirty):
            if dirty:
                ctx.mark_dirty(inputs[0])
            getattr(ctx, save)(output)

        Same = made_function(torch, lambda x: x, lambda ctx, g: g * 2, setup_context=setup)
        x = torch.ones(2, requires_grad=True)
        out += [attempt(lambda f=Same: f.apply(x.clone())), attempt(lambda f=Same: torch.func.grad(
            lambda t: f.apply(t.clone()).sum())(torch.ones(2)))]
    return out
