"""torch.autograd.Function: forms, what ctx shows and keeps, needs_input_grad, errors."""

from harness import attempt, made_function


def cube(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x ** 3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x ** 2 * grad

    return Cube


def script_first_and_second_order(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = cube(torch).apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return y, g.detach(), h, y.grad_fn.name(), len(y.grad_fn.next_functions), y.grad_fn.next_functions[0][1]


def script_setup_context_and_several_outputs(torch):
    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(x, y, k):
            return x * y * k, x + y

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, y, k = inputs
            ctx.save_for_backward(x, y, output[0])
            ctx.k = k

        @staticmethod
        def backward(ctx, a, b):
            x, y, out = ctx.saved_tensors
            return a * y * ctx.k + b, a * x * ctx.k + b, None

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    p, q = Pair.apply(x, y, 2.0)
    seen = [p.grad_fn is q.grad_fn, p.output_nr, q.output_nr]
    (p * q).sum().backward()
    z = torch.tensor([3.0, 4.0])
    a, b = Pair.apply(x, z, 1.0)
    b.sum().backward()
    return seen, x.grad, y.grad, z.grad


def script_needs_input_grad_and_none(torch):
    seen = []

    class Fn(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, flag):
            seen.append(ctx.needs_input_grad)
            return x * 2 + y

        @staticmethod
        def backward(ctx, g):
            seen.append(ctx.needs_input_grad)
            return g * 2, None, None

    x = torch.tensor([1.0], requires_grad=True)
    y = torch.tensor([1.0])
    Fn.apply(x, y, True).backward()
    return [list(s) for s in seen], x.grad


def script_materialized_and_missing_gradients(torch):
    seen = []

    def make(materialize):
        class Fn(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.set_materialize_grads(materialize)
                return x * 2, x * 3

            @staticmethod
            def backward(ctx, a, b):
                seen.append((a is None, b is None))
                out = 0
                if a is not None:
                    out = out + a * 2
                if b is not None:
                    out = out + b * 3
                return out

        return Fn

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for flag in (True, False):
        make(flag).apply(x)[0].sum().backward()
    return seen, x.grad


def script_none_gradients_reach_the_functions_below(torch):
    seen = []

    class Below(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            seen.append(g.tolist())
            return g

    class Above(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return None

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    Above.apply(Below.apply(x)).sum().backward()
    return seen, x.grad is None or x.grad.tolist()


def script_errors(torch):
    class Count(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g, g

    class Shape(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return torch.ones(3)

    class NoBackward(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("on purpose")

    class Save(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(3)
            return x * 2

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = [attempt(lambda k=k: k.apply(x).sum().backward()) for k in (Count, Shape, NoBackward, Fails, Save)]
    y = cube(torch).apply(x)
    y.sum().backward()
    out.append(attempt(lambda: y.sum().backward()))
    return out


def script_saved_values_are_checked(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = cube(torch).apply(y)
    y.add_(1)
    return attempt(lambda: z.sum().backward())


def script_once_differentiable(torch):
    class Fn(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x ** 2

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = torch.tensor([3.0], requires_grad=True)
    (g,) = torch.autograd.grad(Fn.apply(x), x, create_graph=True)
    return g.detach(), g.requires_grad, attempt(lambda: g.backward())


def script_saving_an_output(torch):
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            out = x.exp()
            ctx.save_for_backward(out)
            return out

        @staticmethod
        def backward(ctx, g):
            (out,) = ctx.saved_tensors
            return g * out

    x = torch.tensor([0.5], requires_grad=True)
    y = Exp.apply(x)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x)
    return y, g.detach(), h


def script_no_grad_and_plain_inputs(torch):
    x = torch.tensor([0.5], requires_grad=True)
    with torch.no_grad():
        a = cube(torch).apply(x)
    b = cube(torch).apply(torch.tensor([2.0]))
    return a, b


def script_legacy_forms(torch):
    class Old(torch.autograd.Function):
        def forward(self, x):
            return x

    return attempt(lambda: Old.apply(torch.ones(1)))


def script_the_node_is_the_context(torch):
    seen = []

    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.mine = "kept"
        seen.append(ctx)
        return x * k

    def backward(ctx, g):
        return g * 2, None

    kind = made_function(torch, forward, backward)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x, 2)
    fn = y.grad_fn
    return (fn is seen[0], fn.mine, type(fn).__name__, fn.name(), isinstance(fn, kind._backward_cls), fn.saved_tensors,
            [(type(n).__name__, k) for n, k in fn.next_functions], list(fn.needs_input_grad), fn.metadata,
            attempt(lambda: fn.nothing))


def script_saved_are_freed(torch):
    kind = made_function(
        torch, lambda ctx, x: (ctx.save_for_backward(x), x * 2)[1], lambda ctx, g: g * ctx.saved_tensors[0])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x)
    y.sum().backward()
    a = attempt(lambda: y.grad_fn.saved_tensors)
    z = kind.apply(x)
    z.sum().backward(retain_graph=True)
    return a, z.grad_fn.saved_tensors, x.grad


def script_nothing_saved_runs_twice(torch):
    kind = made_function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x)
    first = attempt(lambda: y.backward(torch.ones(2)))
    second = attempt(lambda: y.backward(torch.ones(2)))
    return first, second, x.grad


def script_attributes_survive(torch):
    def forward(ctx, x):
        ctx.x = x.detach()
        return x * 2

    kind = made_function(torch, forward, lambda ctx, g: g * ctx.x)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x)
    y.sum().backward()
    return x.grad, y.grad_fn.x


def script_tensors_inside_lists_are_not_seen(torch):
    kind = made_function(torch, lambda ctx, xs: xs[0] * 2, lambda ctx, g: None)
    return kind.apply([torch.ones(2, requires_grad=True)])


def script_keyword_arguments(torch):
    kind = made_function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
    return attempt(lambda: kind.apply(x=torch.ones(1))), attempt(lambda: kind.apply(torch.ones(1), k=1)), attempt(
        lambda: kind.apply(torch.ones(1), x=torch.ones(1)))[1]


def script_wrong_arguments_of_forward(torch):
    kind = made_function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
    return attempt(lambda: kind.apply())[:2], attempt(lambda: kind.apply(torch.ones(1), 2))[:2]


def script_save_for_backward_types(torch):
    out = []
    for value in (3, "a", [1], None, (torch.ones(1),)):
        kind = made_function(torch, lambda ctx, x: (ctx.save_for_backward(x, value), x * 2)[1], lambda ctx, g: g * 2)
        out.append(attempt(lambda: kind.apply(torch.ones(1, requires_grad=True))))
    kind = made_function(torch, lambda ctx, x: (ctx.save_for_forward(3), x * 2)[1], lambda ctx, g: g * 2)
    out.append(attempt(lambda: kind.apply(torch.ones(1, requires_grad=True)))[:2])
    return out


def script_save_twice_keeps_the_last(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_backward(x * 2, None)
        return x * 2

    kind = made_function(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x)
    found = y.grad_fn.saved_tensors
    y.sum().backward()
    return found, x.grad


def script_both_backward_and_vjp(torch):
    kind = made_function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2, vjp=lambda ctx, g: g * 3)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return attempt(lambda: kind.apply(x).sum().backward())


def script_vjp_alone(torch):
    class Fn(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 3

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    Fn.apply(x).sum().backward()
    return x.grad


def script_setup_context_forms(torch):
    class NoForward(torch.autograd.Function):
        @staticmethod
        def backward(ctx, g):
            return g

    class Saves(torch.autograd.Function):
        @staticmethod
        def forward(x, k=2.0):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.count = len(inputs)
            ctx.save_for_backward(inputs[0], output)

        @staticmethod
        def backward(ctx, g):
            x, out = ctx.saved_tensors
            return g * out, None

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = [attempt(lambda: NoForward.apply(x))]
    y = attempt(lambda: Saves.apply(x))
    out.append(y)
    z = Saves.apply(x, 3.0)
    out.append(z.grad_fn.count)
    z.sum().backward()
    return out, x.grad


def script_legacy_instances(torch):
    kind = made_function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
    first = attempt(lambda: kind()(torch.ones(1)))
    second = attempt(lambda: kind().apply(torch.ones(1)))

    class Old(torch.autograd.Function):
        def forward(self, x):
            return x

        def backward(self, g):
            return g

    return first, second, attempt(lambda: Old()(torch.ones(1))), attempt(lambda: Old.apply(torch.ones(1)))


def script_not_implemented(torch):
    base = torch.autograd.Function
    x = torch.ones(1)
    ctx = None
    return [attempt(lambda: base.forward(ctx, x)), attempt(lambda: base.backward(ctx, x)),
            attempt(lambda: base.vjp(ctx, x)),
            attempt(lambda: base.jvp(ctx, x)), attempt(lambda: base.vmap(None, None, x)),
            attempt(lambda: base.setup_context(ctx, (), x)), base.generate_vmap_rule]
