"""What the transforms give and refuse at their corners: print, tangents' memory, Functions, escaped values."""

import pytest

import covector.compat.torch as compat
from harness import attempt, double, made_function


def script_names_of_nodes_at_levels(torch):
    seen = []
    Same = made_function(torch, lambda x: x.clone(), lambda ctx, g: g, setup_context=lambda ctx, inputs, output: None)

    def f(x):
        y = Same.apply(x)
        seen.append((type(y.grad_fn).__name__, y.grad_fn.name()))
        return y ** 2

    x = double(torch, 1.0, 2.0).requires_grad_()
    torch.func.grad(f)(torch.tensor(1.0))
    torch.func.grad(torch.func.grad(f))(torch.tensor(1.0))
    f(x)
    total, slope = torch.func.jvp(lambda t: (t ** 2).sum(), (x,), (x,))
    return seen, total.detach(), slope.detach(), torch.func.jvp(lambda t: t.mean(), (x,), (x,))[0].detach()


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


def script_a_function_that_writes_its_tangent(torch):
    Same = made_function(torch, lambda x: x, lambda ctx, g: g, jvp=lambda ctx, dx: dx.mul_(1),
                         setup_context=lambda ctx, inputs, output: ctx.mark_dirty(inputs[0]))
    f = lambda x: Same.apply(x.clone()) ** 2  # noqa: E731
    x = double(torch, 2.0, 3.0)
    return (torch.func.jvp(f, (x,), (x,)),
            torch.func.jvp(lambda y: torch.func.jvp(f, (y,), (y,))[1], (x,), (torch.ones_like(x),)))


def script_numpy_where_nothing_is_recorded(torch):
    slope = lambda ctx, g: g * 3 * ctx.saved_tensors[0] ** 2  # noqa: E731
    Cube = made_function(torch, lambda x: torch.tensor(x.numpy() ** 3), slope,
                         setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))
    x = double(torch, 2.0).requires_grad_()
    with torch.no_grad():
        plain = str(x.numpy())
    value, pull = torch.func.vjp(Cube.apply, x)
    return plain, attempt(lambda: str(x.numpy())), Cube.apply(x).tolist(), value.tolist(), pull(double(torch, 1.0))


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


def script_prints_inside_of_transforms(torch):
    out = []

    def look(x):
        out.extend([repr(x), str(x)])
        return x.mean()

    f = torch.func
    x = torch.arange(8.0).reshape(4, 2) / 4
    f.vmap(look)(x)
    f.vmap(look, in_dims=1)(x)
    f.grad(look)(x)
    f.vmap(f.grad(look))(x)
    f.grad(lambda t: f.vmap(look)(t).sum())(x)
    f.grad(f.grad(look))(torch.tensor(1.5))
    f.vmap(f.vmap(look))(x.reshape(2, 2, 2))
    f.jvp(look, (x,), (x,))
    f.grad(lambda t: (out.append(repr(x)), t.sum())[1])(x)
    return out


def script_tensors_below_transforms(torch):
    x, seen = torch.ones(2, 3), []

    def look(row):
        seen.extend([torch.func.debug_unwrap(row), torch.func.debug_unwrap(row, recurse=False)])
        return row.sum()

    torch.func.vmap(torch.func.vmap(look))(x)
    torch.func.vmap(look, in_dims=1)(x)
    torch.func.grad(look)(x)
    return [t is x for t in seen], [tuple(t.shape) for t in seen], torch.func.debug_unwrap(x) is x


def script_state_asked_of_values_without_a_gradient(torch):
    f, x = torch.func, torch.ones(2, 3)

    def kept(t):
        y = t.sin()
        y.retain_grad()
        return y.sum()

    def hooked(t):
        t.sin().register_hook(lambda g: g)
        return t.sum()

    return [attempt(lambda: run(g)) for g in (kept, hooked)
            for run in (lambda g: f.vmap(g)(x), lambda g: f.jvp(g, (x,), (x,)))], attempt(lambda: f.grad(kept)(x))


def test_a_value_of_a_vmap_that_has_ended_is_refused():
    torch, kept = compat, []
    torch.vmap(lambda row: (kept.append(row), row * 2)[1])(torch.ones(3, 3))
    t = kept[0]
    for use in (lambda: t + 1, lambda: t[0], lambda: t.T, lambda: t.view(-1), lambda: t.unsqueeze(0), lambda: list(t),
                lambda: t.unbind(), lambda: t.tolist(), lambda: t.item(), lambda: t.numpy(), lambda: t.sum()):
        with pytest.raises(RuntimeError, match="your tensor may have escaped from inside a function being vmapped"):
            use()


def test_a_jacobian_by_forward_mode_of_each_example():
    torch = compat
    x = torch.arange(6.0).reshape(2, 3)
    found = torch.vmap(lambda row: torch.autograd.functional.jacobian(
        lambda t: t.sin().sum(), row, strategy="forward-mode", vectorize=True))(x)
    assert torch.allclose(found, x.cos())


def script_data_set_inside_of_transforms(torch):
    def replaced(t):
        t.data = torch.zeros(3)
        return t.sum()

    f, x = torch.func, torch.ones(3)
    return [attempt(run) for run in (lambda: f.grad(replaced)(x), lambda: f.vjp(replaced, x),
                                     lambda: f.jvp(replaced, (x,), (x,)), lambda: f.vmap(replaced)(torch.ones(2, 3)))]


def script_memory_of_jacobians(torch):
    x = torch.arange(8.0).reshape(2, 4)
    f = lambda t: 3 * t[0, 1:].unsqueeze(-1)  # noqa: E731
    j = torch.autograd.functional.jacobian
    return torch.func.jacrev(f)(x), j(f, x, vectorize=True), torch.func.jacrev(torch.cumsum)(x[0], 0).view(-1)


def script_gradients_run_forwards_in_memory(torch):
    x = double(torch, 1.0, -2.0, 3.0).requires_grad_()
    out = []
    for f in (lambda t: t.cumsum(0), lambda t: t.flip(0), lambda t: t.roll(1)):
        loss = lambda t, f=f: f(t).sin().sum()  # noqa: E731
        out += [torch.autograd.grad(loss(x), x, create_graph=True)[0].stride(),
                torch.func.grad(loss)(x.detach()).stride(),
                min(torch.vmap(torch.func.grad(loss))(torch.ones(2, 3)).stride()) > 0]
    return out


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


def script_values_of_levels_that_have_ended(torch):
    f, out = torch.func, []

    def kept(transform):
        found = []
        transform(lambda t: (found.extend([t, t.sin()]), found[1].sum())[1])
        return found

    x = double(torch, 1.0, 2.0)
    twice = lambda g: f.grad(lambda t: f.grad(g)(t).sum())(x.clone())  # noqa: E731
    mapped = lambda t: torch.vmap(lambda a: a * 2)(t)  # noqa: E731
    for transform in (lambda g: f.grad(g)(x.clone()), lambda g: f.vjp(g, x.clone()),
                      lambda g: f.jvp(g, (x.clone(),), (x,)), twice):
        for use in (lambda t: t + 1, lambda t: t[0], lambda t: t.unbind()[1], lambda t: t.add_(1), lambda t: t.copy_(x),
                    mapped, lambda t: torch.stack([t, t]), lambda t: t.view(-1)):
            if (transform, use) != (twice, mapped):  # where PyTorch asserts
                out += [use(t).tolist() for t in kept(transform)]
    return out
