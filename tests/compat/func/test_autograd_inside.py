"""backward, hooks, writes and detach inside of transforms."""

import copy
import io
import pickle

import numpy as np

from harness import attempt, double, made_function, message, plain


def script_in_place_inside(torch):
    x = torch.tensor([1.0, 2.0, 3.0])

    def f(v):
        y = v * 2
        y.mul_(3)
        y[0] = v[1] * 5
        z = torch.zeros(3)
        z.add_(y)
        z[1:].mul_(2)
        return (z * z).sum()

    m = torch.ones(2, 3)

    def g(v):
        v.add_(1)
        return v * 2

    out = torch.func.vmap(g)(m)
    return torch.func.grad(f)(x), torch.func.jvp(f, (x,), (torch.ones(3),)), out, m


def script_autograd_inside(torch):
    x = torch.tensor([1.0, 2.0])

    def f(v):
        y = (v ** 3).sum()
        (g,) = torch.autograd.grad(y, v, create_graph=True)
        return (g ** 2).sum()

    return torch.func.grad(f)(x)


def pair(torch):
    return torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, -1.0, 2.0])


def scale(v):
    return v * 2


def script_arguments_may_be_written_to(torch):
    f = torch.func
    x, y = pair(torch)
    w = y.clone()

    def g(a, b):
        b.mul_(2)
        return (a * b).sum()

    return f.grad(g)(x, w), w, attempt(lambda: f.jvp(lambda a: g(a, w), (x,), (x,)))[:2]


def script_old_functions_and_hooks_are_refused(torch):
    f = torch.func
    x, y = pair(torch)

    class Old(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    graph = torch.autograd.graph

    def hooked(a):
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            return a.sin().sum()

    def around(g):
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            return g()

    def disabled():
        with graph.disable_saved_tensors_hooks("not here"):
            return f.grad(hooked)(x)

    return (message(lambda: f.grad(lambda a: Old.apply(a).sum())(x)), message(lambda: f.vmap(Old.apply)(x)),
            message(lambda: f.jvp(Old.apply, (x,), (x,))), message(lambda: f.vmap(lambda a: Old.apply(y) * a)(x)),
            message(lambda: f.grad(lambda a: (Old.apply(y) * a).sum())(x)), message(lambda: f.grad(hooked)(x)),
            message(lambda: f.vjp(hooked, x)), message(lambda: f.jvp(hooked, (x,), (x,))),
            message(lambda: f.vmap(hooked)(x)),
            message(lambda: around(lambda: f.grad(lambda a: a.sum())(x))),
            message(lambda: around(lambda: f.jacrev(scale)(x))),
            message(lambda: around(lambda: f.vmap(scale)(x))), message(disabled),
            message(lambda: around(lambda: f.jacfwd(scale)(x))))


def script_new_tensors_in_nested_transforms_are_written_to(torch):
    f = torch.func
    x, y = pair(torch)

    def g(a):
        z = torch.zeros(3)
        z[1] = a[0] * a[2]
        z.add_(a)
        return z * z

    total = lambda a: g(a).sum()  # noqa: E731
    return (f.grad(lambda a: f.grad(total)(a).sum())(x), f.jacfwd(f.jacfwd(g))(x), f.hessian(total)(x).contiguous(),
            f.jacrev(f.jacrev(g))(x).contiguous(),
            f.jvp(lambda a: f.grad(lambda b: (g(a) * b).sum())(y), (x,), (y,)))


def script_written_values_with_a_tangent_are_differentiated(torch):
    f = torch.func
    x = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
    g = lambda a: (a * 2).mul_(3).sigmoid_() + a.clone().add_(a).exp_()  # noqa: E731
    y, dot = f.jvp(g, (x,), (x,))
    return torch.autograd.grad((y * dot).sum(), x), torch.autograd.grad(f.jacfwd(g)(x).sum(), x)


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


def script_numpy_where_nothing_is_recorded(torch):
    slope = lambda ctx, g: g * 3 * ctx.saved_tensors[0] ** 2  # noqa: E731
    Cube = made_function(torch, lambda x: torch.tensor(x.numpy() ** 3), slope,
                         setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))
    x = double(torch, 2.0).requires_grad_()
    with torch.no_grad():
        plain = str(x.numpy())
    value, pull = torch.func.vjp(Cube.apply, x)
    return plain, attempt(lambda: str(x.numpy())), Cube.apply(x).tolist(), value.tolist(), pull(double(torch, 1.0))


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


def script_data_set_inside_of_transforms(torch):
    def replaced(t):
        t.data = torch.zeros(3)
        return t.sum()

    f, x = torch.func, torch.ones(3)
    return [attempt(run) for run in (lambda: f.grad(replaced)(x), lambda: f.vjp(replaced, x),
                                     lambda: f.jvp(replaced, (x,), (x,)), lambda: f.vmap(replaced)(torch.ones(2, 3)))]


def script_copies_of_values_inside_of_transforms(torch):
    def lines(t):
        return [lambda: copy.deepcopy(t), lambda: copy.copy(t), lambda: pickle.dumps(t),
                lambda: torch.save(t, io.BytesIO()), lambda: copy.deepcopy({"weight": t})]

    def tried(t):
        out.append([attempt(line)[:2] for line in lines(t)])
        return t.sum()

    f, x, out = torch.func, torch.ones(2, 3), []
    f.grad(tried)(x)
    f.jvp(tried, (x,), (x,))
    f.vmap(tried)(x)
    f.grad(lambda t: f.vmap(tried)(t).sum())(x)
    escaped = []
    f.grad(lambda t: (escaped.append(t), t.sum())[1])(x)
    return out, copy.deepcopy(x), attempt(lambda: copy.deepcopy(f.grad(lambda t: t.sin().sum())(x)))


def script_numpy_of_values_with_a_tangent(torch):
    f, x, out = torch.func, torch.ones(3), []

    def tried(t):
        out.append([attempt(line)[:2] for line in (lambda: t.numpy(), lambda: np.asarray(t), lambda: np.sin(t))])
        return t.sum()

    f.jvp(tried, (x,), (x,))
    f.jvp(lambda t: f.grad(tried)(t * 2), (x,), (x,))
    f.grad(lambda t: f.jvp(tried, (t,), (x,))[1])(x)
    f.jacfwd(lambda t: tried(t)[None])(x)
    return out


def script_leaves_made_inside_of_transforms(torch):
    f, x = torch.func, double(torch, 1, 2, 3)

    def slope(make):
        def of(v):
            w = make(v)
            (g,) = torch.autograd.grad((v * v * w).sum(), w, create_graph=True)
            return g * (1 + w.requires_grad + 2 * w.is_leaf)
        return of

    def trained(rate):
        w = torch.ones(3, dtype=torch.float64, requires_grad=True)
        (g,) = torch.autograd.grad(((w * x) - 1).pow(2).sum(), w, create_graph=True)
        return (((w - rate * g) * x) - 1).pow(2).sum()

    out, rates = [], double(torch, 0.1, 0.2)
    kinds = {"dtype": torch.float64, "requires_grad": True}
    for make in (lambda v: torch.ones(3, **kinds), lambda v: torch.tensor([1.0, 2, 3], **kinds),
                 lambda v: torch.full((3,), 2.0, **kinds), lambda v: torch.arange(3.0, **kinds)):
        of = slope(make)
        out += [f.vjp(of, x)[0], f.grad(lambda v: of(v).pow(2).sum())(x), f.jvp(of, (x,), (x,)),
                f.grad(lambda v: f.grad(lambda u: of(u).pow(2).sum())(v).sum())(x)]
    return out, f.grad(trained)(rates[0]), f.vmap(f.grad(trained))(rates), f.hessian(trained)(rates[0])


def script_flags_that_are_set_to_what_they_are(torch):
    def kept(v, value):
        v.requires_grad = value
        return v.sin().sum()

    f, x = torch.func, double(torch, 1, 2)
    return [attempt(line) for line in (
        lambda: f.grad(kept)(x, True), lambda: f.vjp(lambda v: kept(v, True), x)[0],
        lambda: f.vmap(kept, (0, None))(x[None], False), lambda: f.jvp(lambda v: kept(v, False), (x,), (x,)))]


def script_data_leaves_the_history_of_outer_levels(torch):
    grad, x = torch.func.grad, torch.tensor(3.0, requires_grad=True)

    def written(x):
        y = x * 1
        y.data.mul_(2)
        return (y * x).sum()

    found = [grad(lambda x: grad(lambda y: (y * x).data * x * y)(x))(x.detach()),
             torch.func.jvp(lambda x: torch.func.jvp(lambda y: y.data * y, (x,), (x * 2,)), (x.detach(),),
                            (x.detach(),)),
             torch.func.hessian(lambda x: x.data * x ** 2)(x.detach()), grad(written)(x.detach())]
    grad(lambda y: y.data * y)(x).backward()
    return [*found, x.grad]


def script_hooks_on_several_tensors_inside(torch):
    x, seen = double(torch, 1.0, 2.0), []

    def f(v):
        y, z = v * 2, v * 3
        torch.autograd.graph.register_multi_grad_hook((y, z), lambda gs: seen.append([tuple(g.shape) for g in gs]))
        torch.autograd.graph.register_multi_grad_hook((y, z), lambda g: seen.append(tuple(g.shape)), mode="any")
        return (y * z).sum()

    _, pull = torch.func.vjp(f, x)
    one = torch.ones((), dtype=torch.float64)
    return [torch.func.grad(f)(x), torch.func.vmap(torch.func.grad(f))(torch.stack([x, x])), pull(one), pull(one),
            torch.func.jacrev(f)(x), torch.func.grad(lambda v: torch.func.grad(f)(v).sum())(x), seen]
