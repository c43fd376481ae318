"""torch.autograd.Function: the same scripts on compat and PyTorch."""

from harness import attempt


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


def script_dirty_inputs(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = a * 1
    before = b._version
    c = Double.apply(b)
    (c * c).sum().backward()
    leaf = attempt(lambda: Double.apply(torch.tensor([1.0], requires_grad=True)))
    return c is b, b._version > before, a.grad, b.detach(), leaf


def script_outputs_that_are_inputs_or_views(torch):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 10

    class Part(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[1:]

        @staticmethod
        def backward(ctx, g):
            return torch.cat([torch.zeros(1), g * 5])

    a = torch.tensor([1.0, 2.0], requires_grad=True)
    s = Same.apply(a)
    p = Part.apply(a * 1)
    (s.sum() + p.sum()).backward()
    return s is a, a.grad, attempt(lambda: p.add_(1) and None), attempt(lambda: s.add_(1) and None)


def script_non_differentiable_outputs(torch):
    class Sort(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            out, order = x.sort()
            ctx.mark_non_differentiable(order)
            ctx.save_for_backward(order)
            return out, order

        @staticmethod
        def backward(ctx, g, ignored):
            (order,) = ctx.saved_tensors
            return torch.zeros(3).scatter(0, order, g)

    x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
    out, order = Sort.apply(x)
    (out * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    return out, order.requires_grad, x.grad


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
