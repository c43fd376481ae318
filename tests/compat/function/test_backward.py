"""torch.autograd.Function: what backward gets, may do, and gives, to second order and from inside of a sweep."""

import weakref

from harness import attempt, double, made_function, message


def script_saved_output_written_in_place(torch):
    kind = made_function(torch, lambda ctx, x: (lambda o: (ctx.save_for_backward(o), o)[1])(x.exp()),
                lambda ctx, g: g * ctx.saved_tensors[0])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x)
    y.mul_(3)
    return attempt(lambda: y.sum().backward())


def script_saved_input_written_in_place(torch):
    kind = made_function(
        torch, lambda ctx, x: (ctx.save_for_backward(x), x * 2)[1], lambda ctx, g: g * ctx.saved_tensors[0])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([1.0, 2.0])
    v = x * w.exp()
    y = kind.apply(v)
    v.mul_(3)
    return attempt(lambda: y.sum().backward())


def script_forward_has_no_grad_and_backward_follows_create_graph(torch):
    seen = []

    def forward(ctx, x):
        seen.append(("forward", torch.is_grad_enabled(), x.requires_grad))
        return x * 2

    def backward(ctx, g):
        seen.append(("backward", torch.is_grad_enabled(), g.requires_grad))
        return g * 2

    kind = made_function(torch, forward, backward)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    kind.apply(x).sum().backward()
    torch.autograd.grad(kind.apply(x).sum(), x, create_graph=True)
    with torch.no_grad():
        kind.apply(x)
    return seen


def script_needs_input_grad_when_pruned(torch):
    seen = []

    def backward(ctx, g):
        seen.append(list(ctx.needs_input_grad))
        return g * 2, g * 3

    kind = made_function(torch, lambda ctx, x, y: x * 2 + y * 3, backward)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([1.0, 2.0], requires_grad=True)
    g = torch.autograd.grad(kind.apply(x, y).sum(), y)
    kind.apply(x, y).sum().backward(inputs=[x])
    kind.apply(x, y.detach()).sum().backward()
    return seen, g, x.grad, y.grad


def script_none_gradient_for_a_used_input(torch):
    kind = made_function(torch, lambda ctx, x, y: x * y, lambda ctx, g: (g * 1, None))
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([1.0, 2.0], requires_grad=True)
    z = y * 2
    kind.apply(x, z).sum().backward()
    a = y.grad
    out = torch.autograd.grad(kind.apply(x, y).sum(), [x, y], allow_unused=True)
    err = attempt(lambda: torch.autograd.grad(kind.apply(x, y).sum(), [x, y]))
    return x.grad, a, out, err


def script_materialize_off_with_undefined(torch):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 1

    def backward(ctx, g):
        seen.append(g is None)
        return g

    quiet = made_function(torch, forward, backward)
    drop = made_function(torch, lambda ctx, x: x * 1, lambda ctx, g: None)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    drop.apply(quiet.apply(x)).sum().backward()
    return seen, x.grad


def script_materialized_integer_output(torch):
    seen = []

    def backward(ctx, g, h):
        seen.append((g.tolist(), None if h is None else (h.tolist(), str(h.dtype))))
        return g

    kind = made_function(torch, lambda ctx, x: (x * 2, x.to(torch.int64)), backward)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = kind.apply(x)
    a.sum().backward()
    return seen, b, x.grad


def script_double_backward_through_functions(torch):
    class SinBack(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, g):
            ctx.save_for_backward(x, g)
            return x.cos() * g

        @staticmethod
        def backward(ctx, gg):
            x, g = ctx.saved_tensors
            return -x.sin() * g * gg, x.cos() * gg

    class Sin(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx, g):
            return SinBack.apply(ctx.saved_tensors[0], g)

    x = torch.tensor([0.3, 0.7], requires_grad=True)
    (g,) = torch.autograd.grad(Sin.apply(x).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    (k,) = torch.autograd.grad(h.sum(), x)
    return g, h, k


def script_once_differentiable_details(torch):
    once = torch.autograd.function.once_differentiable
    kind = made_function(torch, lambda ctx, x, k: (x * 2, x * 3), once(lambda ctx, g, h: (g * 2 + h * 3, None)))
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = kind.apply(x, 1)
    (g,) = torch.autograd.grad((a * b).sum(), x, create_graph=True)
    seen = g.requires_grad, type(g.grad_fn).__name__
    err = attempt(lambda: g.sum().backward())
    a, b = kind.apply(x, 1)
    (a * b).sum().backward()
    return g.detach(), seen, err, x.grad


def script_exceptions(torch):
    def fails(ctx, *a):
        raise KeyError("on purpose")

    good = made_function(torch, lambda ctx, x: x * 2, fails)
    bad = made_function(torch, fails, lambda ctx, g: g)
    x = torch.tensor([1.0], requires_grad=True)
    out = [attempt(lambda: bad.apply(x)), attempt(lambda: good.apply(x).backward()), torch.is_grad_enabled()]
    y = x * 2
    y.backward()
    return out, x.grad


def script_reentrant_backward(torch):
    def backward(ctx, g):
        with torch.enable_grad():
            inner = torch.tensor([3.0], requires_grad=True)
            (inner * inner).backward()
        return g * inner.grad

    kind = made_function(torch, lambda ctx, x: x * 2, backward)
    x = torch.tensor([1.0], requires_grad=True)
    kind.apply(kind.apply(x)).backward()
    return x.grad


def script_checkpoint_by_hand(torch):
    def f(x):
        return (x.sin() * x).exp()

    class Check(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            with torch.no_grad():
                return f(x)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                x = x.detach().requires_grad_()
                y = f(x)
            torch.autograd.backward(y, g)
            return x.grad

    x = torch.tensor([0.5, 0.25], requires_grad=True)
    Check.apply(Check.apply(x)).sum().backward()
    return x.grad


def script_deep_reentrancy(torch):
    class Deep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, n):
            ctx.n = n
            with torch.enable_grad():
                ctx.x = x.detach().requires_grad_()
                ctx.y = Deep.apply(ctx.x, n - 1) if n else ctx.x * 1
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, g):
            torch.autograd.backward(ctx.y, g)
            return ctx.x.grad * 1.01, None

    x = torch.tensor([1.0], requires_grad=True)
    Deep.apply(x, 20).backward()
    return x.grad


def script_hooks_on_the_node(torch):
    seen = []
    kind = made_function(torch, lambda ctx, x, y: (x * 2, y * 3), lambda ctx, g, h: (g * 2, h * 3))
    x = torch.tensor([1.0], requires_grad=True)
    y = torch.tensor([1.0], requires_grad=True)
    a, b = kind.apply(x, y)
    a.grad_fn.register_hook(
        lambda gi, go: seen.append([[None if v is None else v.tolist() for v in t] for t in (gi, go)]))
    a.grad_fn.register_prehook(lambda go: seen.append([None if v is None else v.tolist() for v in go]))
    a.register_hook(lambda g: g * 10)
    a.backward()
    return seen, x.grad, y.grad


def script_subclass_and_super(torch):
    class Base(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    class Child(Base):
        @staticmethod
        def backward(ctx, g):
            return Base.backward(ctx, g) * 10

    x = torch.tensor([1.0], requires_grad=True)
    y = Child.apply(x)
    y.backward()
    return type(y.grad_fn).__name__, x.grad


def script_classmethod_forms(torch):
    class Fn(torch.autograd.Function):
        @classmethod
        def forward(cls, ctx, x):
            return x * 2

        @classmethod
        def backward(cls, ctx, g):
            return g * 2

    x = torch.tensor([1.0], requires_grad=True)
    y = attempt(lambda: Fn.apply(x))
    return y if isinstance(y, tuple) else (y.backward(), x.grad)


def script_inplace_function(torch):
    from_ = torch.autograd.function

    class Fn(from_.InplaceFunction):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.add_(1)

        @staticmethod
        def backward(ctx, g):
            return g

    x = torch.tensor([1.0], requires_grad=True)
    y = Fn.apply(x * 1)
    y.backward()
    return y, x.grad


def script_needs_input_grad_can_be_set(torch):
    def forward(ctx, x, y):
        ctx.needs_input_grad = (False, False)
        return x + y

    kind = made_function(torch, forward, lambda ctx, g: (g, g))
    x = torch.tensor([1.0], requires_grad=True)
    return attempt(lambda: kind.apply(x, x * 2).backward())


def script_complex(torch):
    kind = made_function(torch, lambda ctx, z: (ctx.save_for_backward(z), z * z)[1],
                lambda ctx, g: g * (2 * ctx.saved_tensors[0]).conj())
    z = torch.tensor([1.0 + 2.0j], requires_grad=True)
    real = made_function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * (1 + 1j))
    x = torch.tensor([1.0], requires_grad=True)
    kind.apply(z).abs().sum().backward()
    refused = attempt(lambda: real.apply(x).sum().backward())
    return z.grad, refused[:2]


def script_inputs_without_grad_have_none_edges(torch):
    kind = made_function(torch, lambda ctx, a, b, c, d: a * b * d, lambda ctx, g: (g, g, None, g))
    x = torch.tensor([1.0], requires_grad=True)
    y = kind.apply(torch.ones(1), x, 3, torch.ones(1))
    return [(None if n is None else type(n).__name__, k) for n, k in y.grad_fn.next_functions]


def script_every_level_uses_the_functions_own_backward(torch):
    class Sin(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x.sin()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx, g):
            return 10 * ctx.saved_tensors[0].cos() * g  # not the derivative: plain rules would show

    f, g = Sin.apply, torch.func.grad
    x = torch.tensor(0.5)
    y = torch.tensor(0.5, requires_grad=True)
    two = torch.tensor([0.0, 1.0])
    return [g(f)(x), g(g(f))(x), torch.autograd.grad(g(lambda a: a * f(y))(x), y),
            g(lambda b: g(lambda a: a * f(b))(x))(x), g(lambda b: g(lambda a: f(a * b) ** 2)(x))(x),
            g(lambda v: f(v).sum())(two), g(lambda b: g(lambda v: (f(v * b) ** 2).sum())(two).sum())(x)]


def script_gradients_of_outputs_that_carry_none(torch):
    seen = []

    def forward(ctx, x):
        a, b = x.clone(), x.clone()
        ctx.mark_non_differentiable(b)
        ctx._materialize_non_diff_grads = bool(x[0] > 1)
        return a, b

    f = made_function(torch, forward, lambda ctx, a, b: (seen.append(None if b is None else b.tolist()), a)[1])
    for start in (1.0, 2.0):
        f.apply(torch.tensor([start], requires_grad=True))[0].backward()
    return seen


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


def script_saved_tensors_that_are_kept_until_they_are_read(torch):
    out = []

    class Once(torch.autograd.Function):
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            gone = weakref.ref(x)
            value = x.detach().clone()
            del x
            out.append((gone() is None, message(lambda: ctx.saved_tensors)))
            return grad * value

    x = double(torch, 2.0, 3.0).requires_grad_()
    y = Once.apply(x * 2)
    y.sum().backward(retain_graph=True)
    out.append((x.grad, message(lambda: y.sum().backward()), Once.clear_saved_tensors_on_access,
                torch.autograd.Function.clear_saved_tensors_on_access))
    return out


def script_a_flag_that_is_no_bool(torch):
    fun = made_function(torch, lambda ctx, x: ctx.set_materialize_grads(1) or x * 1, lambda ctx, g: g)
    return attempt(lambda: fun.apply(double(torch, 1.0).requires_grad_()))[:2]


def script_gradients_of_inputs_that_are_no_tensors(torch):
    x, whole = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([1, 2])
    scaled = made_function(torch, lambda ctx, x, k: x * k, lambda ctx, g: (g * 1, g * 1))
    named = made_function(torch, lambda ctx, k, x: x * k, lambda ctx, g: (None, g * 1))
    return [attempt(lambda: torch.autograd.grad(fun.apply(*args).sum(), x)) for fun, args in (
        (scaled, (x, 3)), (scaled, (x, whole)), (named, (3, x)))]
