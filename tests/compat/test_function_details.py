"""torch.autograd.Function, the details: what ctx shows, checks of what users return, the forms, and exceptions."""

from harness import attempt, made_function


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


def script_return_counts(torch):
    out = []
    for given in ((1,), (1, None), (1, None, None), (1, 1), (), (None,)):
        def backward(ctx, g, given=given):
            return tuple(g if v else None for v in given)
        kind = made_function(torch, lambda ctx, x: x * 2, backward)
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        out.append((attempt(lambda: kind.apply(x).sum().backward()), x.grad))
    return out


def script_return_types(torch):
    out = []
    for value in (1.0, [1.0, 2.0], "text", torch.ones(2, dtype=torch.float64), torch.ones(1), torch.ones(3),
                  torch.ones(2, 2),
                  torch.ones(4, 2), torch.tensor(1.0), torch.ones(2, dtype=torch.int64)):
        kind = made_function(torch, lambda ctx, x: x * 2, lambda ctx, g: value)
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        out.append((attempt(lambda: kind.apply(x).sum().backward()), x.grad))
    return out


def script_list_of_gradients(torch):
    kind = made_function(torch, lambda ctx, x, y: x * y, lambda ctx, g: [g, g])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return attempt(lambda: kind.apply(x, x).sum().backward()), x.grad


def script_forward_returns(torch):
    out = []
    for value in (3, None, "a", [1], (3,), (None, 2)):
        kind = made_function(torch, lambda ctx, x: value, lambda ctx, *g: g[0])
        out.append(attempt(lambda: kind.apply(torch.ones(2, requires_grad=True))))
        out.append(attempt(lambda: kind.apply(torch.ones(2))))
    return out


def script_mixed_outputs(torch):
    seen = []

    def backward(ctx, *g):
        seen.append([None if v is None else v.tolist() for v in g])
        return g[0]

    kind = made_function(torch, lambda ctx, x: (x * 2, 3, "s", None, x.argmax()), backward)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = kind.apply(x)
    out[0].sum().backward()
    return out[0], out[1], out[2], out[3], out[4], seen, x.grad


def script_list_output(torch):
    kind = made_function(torch, lambda ctx, x: [x * 2, x * 3], lambda ctx, *g: g[0])
    return attempt(lambda: kind.apply(torch.ones(2, requires_grad=True)))


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
