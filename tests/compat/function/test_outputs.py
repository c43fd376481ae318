"""torch.autograd.Function: dirty inputs, outputs that are inputs, views, returned twice or not differentiable."""

from harness import attempt, double, made_function, message


def script_dirty_view_and_version(torch):
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    kind = made_function(torch, forward, lambda ctx, g: g * 5)
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    base = a * 1
    view = base[1:]
    out = kind.apply(view)
    (base * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    plain = torch.zeros(2)
    kind.apply(plain)
    return out is view, base, a.grad, base._version, plain._version, plain


def script_dirty_not_returned_or_not_input(torch):
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x * 2

    def other(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y

    a = torch.tensor([1.0], requires_grad=True)
    return [attempt(lambda: made_function(torch, f, lambda ctx, g: g).apply(a * 1)) for f in (forward, other)]


def script_dirty_leaf_and_view_of_leaf(torch):
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    kind = made_function(torch, forward, lambda ctx, g: g)
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([1.0, 2.0], requires_grad=True)
    return attempt(lambda: kind.apply(a)), attempt(lambda: kind.apply(b[1:]))


def script_dirty_saved_before(torch):
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    kind = made_function(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    kind.apply(a * 1).sum().backward()
    return a.grad


def script_non_differentiable(torch):
    def forward(ctx, x):
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(b)
        return a, b

    def backward(ctx, g, h):
        return g * 2 + h

    kind = made_function(torch, forward, backward)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = kind.apply(x)
    (a + b).sum().backward()
    return a, b, x.grad


def script_all_non_differentiable(torch):
    def forward(ctx, x):
        out = x * 2
        ctx.mark_non_differentiable(out)
        return out

    kind = made_function(torch, forward, lambda ctx, g: g)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = kind.apply(x)
    return out, attempt(lambda: out.sum().backward())


def script_same_output_twice(torch):
    def forward(ctx, x):
        out = x * 2
        return out, out

    kind = made_function(torch, forward, lambda ctx, g, h: g * 2 + h * 3)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = kind.apply(x)
    (a.sum() + b.sum()).backward()
    return a is b, x.grad, a.output_nr, b.output_nr


def script_input_returned_twice(torch):
    kind = made_function(torch, lambda ctx, x: (x, x), lambda ctx, g, h: g * 2 + h * 3)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = kind.apply(x)
    (a.sum() + b.sum()).backward()
    return a is x, a is b, a, x.grad, a._is_view()


def script_input_as_output_without_gradient(torch):
    kind = made_function(torch, lambda ctx, x: x, lambda ctx, g: g * 10)
    x = torch.tensor([1.0, 2.0])
    y = kind.apply(x)
    return y is x, y, y._is_view()


def script_views_as_outputs_are_guarded(torch):
    out = []
    for f, b in ((lambda ctx, x: x[1:], lambda ctx, g: torch.cat([torch.zeros(1), g])),
                 (lambda ctx, x: x, lambda ctx, g: g * 3),
                 (lambda ctx, x: (x[:1], x[1:]), lambda ctx, g, h: torch.cat([g, h]))):
        kind = made_function(torch, f, b)
        a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = kind.apply(a.clone())
        y = y if isinstance(y, tuple) else (y,)
        out.append([attempt(lambda: t.add_(1) and None) for t in y])
        z = kind.apply(a.clone())
        z = z if isinstance(z, tuple) else (z,)
        sum(t.sum() for t in z).backward()
        out.append((a.grad, [t._is_view() for t in z]))
    return out


def script_view_made_inside_of_a_fresh_tensor(torch):
    kind = made_function(torch, lambda ctx, x: (x * 2)[1:], lambda ctx, g: torch.cat([torch.zeros(1), g]))
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = kind.apply(a)
    seen = y._is_view(), attempt(lambda: (y.add_(1), None)[1])
    z = kind.apply(a)
    z.sum().backward()
    return seen, a.grad


def script_output_written_in_place_later(torch):
    kind = made_function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x)
    y.mul_(3)
    y.sum().backward()
    return x.grad, y


def script_a_write_to_a_view_of_what_forward_made(torch):
    def forward(ctx, x):
        out = x.clone().view_as(x)
        ctx.mark_dirty(out)
        return out

    f = made_function(torch, forward, lambda ctx, g: g)
    return message(lambda: f.apply(torch.ones(1, requires_grad=True) * 2))


def script_functions_refuse_to_write_to_one_of_several_views(torch):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    f = made_function(torch, forward, lambda ctx, g: g)
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    part, whole = a.split_with_sizes([1, 1])[0], a.view_as(a)
    return message(lambda: f.apply(part)), message(lambda: f.apply(whole))


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


def script_writes_to_views_of_leaves_that_are_views(torch):
    """A leaf that lies in the memory of another tensor is a leaf."""
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    f = made_function(torch, forward, lambda ctx, g: g * 2)
    x = torch.ones(3, 2).permute(1, 0).requires_grad_()
    return [attempt(lambda: f.apply(x[...])), attempt(lambda: x[...].mul_(2)), attempt(lambda: f.apply(x))]


def script_a_saved_output_that_was_written_to_is_named(torch):
    def forward(ctx, x):
        y, z = x.exp(), x * 2
        ctx.save_for_backward(x, z)
        return y, z

    def backward(ctx, g, h):
        return g + h * len(ctx.saved_tensors)

    fun = made_function(torch, forward, backward)
    out = []
    for written in (0, 1):
        results = fun.apply(double(torch, 1.0).requires_grad_() * 1)
        results[written].add_(1)
        out.append(attempt(lambda: sum(results).sum().backward()))
    return out
