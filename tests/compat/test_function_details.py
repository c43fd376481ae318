"""torch.autograd.Function, the details: what ctx shows, checks of what users return, the forms, and exceptions."""

import pytest


def attempt(fn):
    try:
        return fn()
    except Exception as error:
        return ("raised", type(error).__name__, str(error))


@pytest.mark.reference
def test_script_agrees_with_pytorch(script, agrees):
    agrees(script)


def test_script_runs(script, runs):
    runs(script)


def make(torch, forward, backward, **more):
    """A Function of two plain functions."""
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Made", (torch.autograd.Function,), body | {k: staticmethod(v) for k, v in more.items()})


def script_the_node_is_the_context(torch):
    seen = []

    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.mine = "kept"
        seen.append(ctx)
        return x * k

    def backward(ctx, g):
        return g * 2, None

    kind = make(torch, forward, backward)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x, 2)
    fn = y.grad_fn
    return (fn is seen[0], fn.mine, type(fn).__name__, fn.name(), isinstance(fn, kind._backward_cls), fn.saved_tensors,
            [(type(n).__name__, k) for n, k in fn.next_functions], list(fn.needs_input_grad), fn.metadata,
            attempt(lambda: fn.nothing))


def script_saved_are_freed(torch):
    kind = make(torch, lambda ctx, x: (ctx.save_for_backward(x), x * 2)[1], lambda ctx, g: g * ctx.saved_tensors[0])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x)
    y.sum().backward()
    a = attempt(lambda: y.grad_fn.saved_tensors)
    z = kind.apply(x)
    z.sum().backward(retain_graph=True)
    return a, z.grad_fn.saved_tensors, x.grad


def script_nothing_saved_runs_twice(torch):
    kind = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x)
    first = attempt(lambda: y.backward(torch.ones(2)))
    second = attempt(lambda: y.backward(torch.ones(2)))
    return first, second, x.grad


def script_attributes_survive(torch):
    def forward(ctx, x):
        ctx.x = x.detach()
        return x * 2

    kind = make(torch, forward, lambda ctx, g: g * ctx.x)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x)
    y.sum().backward()
    return x.grad, y.grad_fn.x


def script_return_counts(torch):
    out = []
    for given in ((1,), (1, None), (1, None, None), (1, 1), (), (None,)):
        def backward(ctx, g, given=given):
            return tuple(g if v else None for v in given)
        kind = make(torch, lambda ctx, x: x * 2, backward)
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        out.append((attempt(lambda: kind.apply(x).sum().backward()), x.grad))
    return out


def script_return_types(torch):
    out = []
    for value in (1.0, [1.0, 2.0], "text", torch.ones(2, dtype=torch.float64), torch.ones(1), torch.ones(3), torch.ones(2, 2),
                  torch.ones(4, 2), torch.tensor(1.0), torch.ones(2, dtype=torch.int64)):
        kind = make(torch, lambda ctx, x: x * 2, lambda ctx, g: value)
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        out.append((attempt(lambda: kind.apply(x).sum().backward()), x.grad))
    return out


def script_list_of_gradients(torch):
    kind = make(torch, lambda ctx, x, y: x * y, lambda ctx, g: [g, g])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return attempt(lambda: kind.apply(x, x).sum().backward()), x.grad


def script_forward_returns(torch):
    out = []
    for value in (3, None, "a", [1], (3,), (None, 2)):
        kind = make(torch, lambda ctx, x: value, lambda ctx, *g: g[0])
        out.append(attempt(lambda: kind.apply(torch.ones(2, requires_grad=True))))
        out.append(attempt(lambda: kind.apply(torch.ones(2))))
    return out


def script_mixed_outputs(torch):
    seen = []

    def backward(ctx, *g):
        seen.append([None if v is None else v.tolist() for v in g])
        return g[0]

    kind = make(torch, lambda ctx, x: (x * 2, 3, "s", None, x.argmax()), backward)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = kind.apply(x)
    out[0].sum().backward()
    return out[0], out[1], out[2], out[3], out[4], seen, x.grad


def script_list_output(torch):
    kind = make(torch, lambda ctx, x: [x * 2, x * 3], lambda ctx, *g: g[0])
    return attempt(lambda: kind.apply(torch.ones(2, requires_grad=True)))


def script_tensors_inside_lists_are_not_seen(torch):
    kind = make(torch, lambda ctx, xs: xs[0] * 2, lambda ctx, g: None)
    return kind.apply([torch.ones(2, requires_grad=True)])


def script_keyword_arguments(torch):
    kind = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
    return attempt(lambda: kind.apply(x=torch.ones(1))), attempt(lambda: kind.apply(torch.ones(1), k=1)), attempt(
        lambda: kind.apply(torch.ones(1), x=torch.ones(1)))[1]


def script_wrong_arguments_of_forward(torch):
    kind = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
    return attempt(lambda: kind.apply())[:2], attempt(lambda: kind.apply(torch.ones(1), 2))[:2]


def script_save_for_backward_types(torch):
    out = []
    for value in (3, "a", [1], None, (torch.ones(1),)):
        kind = make(torch, lambda ctx, x: (ctx.save_for_backward(x, value), x * 2)[1], lambda ctx, g: g * 2)
        out.append(attempt(lambda: kind.apply(torch.ones(1, requires_grad=True))))
    kind = make(torch, lambda ctx, x: (ctx.save_for_forward(3), x * 2)[1], lambda ctx, g: g * 2)
    out.append(attempt(lambda: kind.apply(torch.ones(1, requires_grad=True)))[:2])
    return out


def script_save_twice_keeps_the_last(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_backward(x * 2, None)
        return x * 2

    kind = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x)
    found = y.grad_fn.saved_tensors
    y.sum().backward()
    return found, x.grad


def script_both_backward_and_vjp(torch):
    kind = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2, vjp=lambda ctx, g: g * 3)
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
    kind = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
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
    return [attempt(lambda: base.forward(ctx, x)), attempt(lambda: base.backward(ctx, x)), attempt(lambda: base.vjp(ctx, x)),
            attempt(lambda: base.jvp(ctx, x)), attempt(lambda: base.vmap(None, None, x)),
            attempt(lambda: base.setup_context(ctx, (), x)), base.generate_vmap_rule]


def script_dirty_view_and_version(torch):
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    kind = make(torch, forward, lambda ctx, g: g * 5)
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
    return [attempt(lambda: make(torch, f, lambda ctx, g: g).apply(a * 1)) for f in (forward, other)]


def script_dirty_leaf_and_view_of_leaf(torch):
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    kind = make(torch, forward, lambda ctx, g: g)
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([1.0, 2.0], requires_grad=True)
    return attempt(lambda: kind.apply(a)), attempt(lambda: kind.apply(b[1:]))


def script_dirty_saved_before(torch):
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    kind = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0])
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

    kind = make(torch, forward, backward)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = kind.apply(x)
    (a + b).sum().backward()
    return a, b, x.grad


def script_all_non_differentiable(torch):
    def forward(ctx, x):
        out = x * 2
        ctx.mark_non_differentiable(out)
        return out

    kind = make(torch, forward, lambda ctx, g: g)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = kind.apply(x)
    return out, attempt(lambda: out.sum().backward())


def script_same_output_twice(torch):
    def forward(ctx, x):
        out = x * 2
        return out, out

    kind = make(torch, forward, lambda ctx, g, h: g * 2 + h * 3)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = kind.apply(x)
    (a.sum() + b.sum()).backward()
    return a is b, x.grad, a.output_nr, b.output_nr


def script_input_returned_twice(torch):
    kind = make(torch, lambda ctx, x: (x, x), lambda ctx, g, h: g * 2 + h * 3)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = kind.apply(x)
    (a.sum() + b.sum()).backward()
    return a is x, a is b, a, x.grad, a._is_view()


def script_input_as_output_without_gradient(torch):
    kind = make(torch, lambda ctx, x: x, lambda ctx, g: g * 10)
    x = torch.tensor([1.0, 2.0])
    y = kind.apply(x)
    return y is x, y, y._is_view()


def script_views_as_outputs_are_guarded(torch):
    out = []
    for f, b in ((lambda ctx, x: x[1:], lambda ctx, g: torch.cat([torch.zeros(1), g])),
                 (lambda ctx, x: x, lambda ctx, g: g * 3),
                 (lambda ctx, x: (x[:1], x[1:]), lambda ctx, g, h: torch.cat([g, h]))):
        kind = make(torch, f, b)
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
    kind = make(torch, lambda ctx, x: (x * 2)[1:], lambda ctx, g: torch.cat([torch.zeros(1), g]))
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = kind.apply(a)
    seen = y._is_view(), attempt(lambda: (y.add_(1), None)[1])
    z = kind.apply(a)
    z.sum().backward()
    return seen, a.grad


def script_output_written_in_place_later(torch):
    kind = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x)
    y.mul_(3)
    y.sum().backward()
    return x.grad, y


def script_saved_output_written_in_place(torch):
    kind = make(torch, lambda ctx, x: (lambda o: (ctx.save_for_backward(o), o)[1])(x.exp()),
                lambda ctx, g: g * ctx.saved_tensors[0])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = kind.apply(x)
    y.mul_(3)
    return attempt(lambda: y.sum().backward())


def script_saved_input_written_in_place(torch):
    kind = make(torch, lambda ctx, x: (ctx.save_for_backward(x), x * 2)[1], lambda ctx, g: g * ctx.saved_tensors[0])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([1.0, 2.0])
    v = x * w.exp()
    y = kind.apply(v)
    v.mul_(3)
    return attempt(lambda: y.sum().backward())


def script_saved_intermediate(torch):
    def forward(ctx, x):
        mid = x.exp()
        ctx.save_for_backward(mid)
        return mid * 2

    kind = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0] * 2)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (g,) = torch.autograd.grad(kind.apply(x).sum(), x, create_graph=True)
    return g, attempt(lambda: torch.autograd.grad(g.sum(), x))


def script_forward_has_no_grad_and_backward_follows_create_graph(torch):
    seen = []

    def forward(ctx, x):
        seen.append(("forward", torch.is_grad_enabled(), x.requires_grad))
        return x * 2

    def backward(ctx, g):
        seen.append(("backward", torch.is_grad_enabled(), g.requires_grad))
        return g * 2

    kind = make(torch, forward, backward)
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

    kind = make(torch, lambda ctx, x, y: x * 2 + y * 3, backward)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([1.0, 2.0], requires_grad=True)
    g = torch.autograd.grad(kind.apply(x, y).sum(), y)
    kind.apply(x, y).sum().backward(inputs=[x])
    kind.apply(x, y.detach()).sum().backward()
    return seen, g, x.grad, y.grad


def script_none_gradient_for_a_used_input(torch):
    kind = make(torch, lambda ctx, x, y: x * y, lambda ctx, g: (g * 1, None))
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

    quiet = make(torch, forward, backward)
    drop = make(torch, lambda ctx, x: x * 1, lambda ctx, g: None)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    drop.apply(quiet.apply(x)).sum().backward()
    return seen, x.grad


def script_materialized_integer_output(torch):
    seen = []

    def backward(ctx, g, h):
        seen.append((g.tolist(), None if h is None else (h.tolist(), str(h.dtype))))
        return g

    kind = make(torch, lambda ctx, x: (x * 2, x.to(torch.int64)), backward)
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
    kind = make(torch, lambda ctx, x, k: (x * 2, x * 3), once(lambda ctx, g, h: (g * 2 + h * 3, None)))
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

    good = make(torch, lambda ctx, x: x * 2, fails)
    bad = make(torch, fails, lambda ctx, g: g)
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

    kind = make(torch, lambda ctx, x: x * 2, backward)
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
    kind = make(torch, lambda ctx, x, y: (x * 2, y * 3), lambda ctx, g, h: (g * 2, h * 3))
    x = torch.tensor([1.0], requires_grad=True)
    y = torch.tensor([1.0], requires_grad=True)
    a, b = kind.apply(x, y)
    a.grad_fn.register_hook(lambda gi, go: seen.append([[None if v is None else v.tolist() for v in t] for t in (gi, go)]))
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

    kind = make(torch, forward, lambda ctx, g: (g, g))
    x = torch.tensor([1.0], requires_grad=True)
    return attempt(lambda: kind.apply(x, x * 2).backward())


def script_complex(torch):
    kind = make(torch, lambda ctx, z: (ctx.save_for_backward(z), z * z)[1],
                lambda ctx, g: g * (2 * ctx.saved_tensors[0]).conj())
    z = torch.tensor([1.0 + 2.0j], requires_grad=True)
    real = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g * (1 + 1j))
    x = torch.tensor([1.0], requires_grad=True)
    kind.apply(z).abs().sum().backward()
    refused = attempt(lambda: real.apply(x).sum().backward())
    return z.grad, refused[:2]


def script_inputs_without_grad_have_none_edges(torch):
    kind = make(torch, lambda ctx, a, b, c, d: a * b * d, lambda ctx, g: (g, g, None, g))
    x = torch.tensor([1.0], requires_grad=True)
    y = kind.apply(torch.ones(1), x, 3, torch.ones(1))
    return [(None if n is None else type(n).__name__, k) for n, k in y.grad_fn.next_functions]
