"""Modules under torch.func, torch.utils.checkpoint and torch.autograd: ensembles, gradients of examples, copies."""

from harness import attempt, message, normal


def net(torch, seed=0, norm=False):
    m = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4) if norm else torch.nn.Tanh(),
                            torch.nn.Linear(4, 2)).double()
    with torch.no_grad():
        for k, p in enumerate(m.parameters()):
            p.copy_(normal(torch, *p.shape, seed=10 * seed + k))
    return m


def script_calls_with_other_parameters(torch):
    func, m, x = torch.func, net(torch), normal(torch, 5, 3)
    given = {n: p.detach() * 2 for n, p in m.named_parameters()}
    part = {"0.weight": torch.ones(4, 3).double()}
    before = m[0].weight
    grads = func.grad(lambda ps: func.functional_call(m, ps, (x,)).pow(2).sum())(given)
    return [func.functional_call(m, given, (x,)), func.functional_call(m, part, x).detach(), m[0].weight is before,
            list(grads.items()), func.functional_call(m, (given, {}), kwargs={"input": x}),
            message(lambda: func.functional_call(m, part, (x,), strict=True)),
            attempt(lambda: func.functional_call(m, {"nope": x}, (x,)))[:2],
            attempt(lambda: func.functional_call(m, [part, part], (x,)))]


def script_tied_weights_in_calls(torch):
    m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)).double()
    with torch.no_grad():
        for p in m.parameters():
            p.fill_(0.5)
    m[1].weight = m[0].weight
    one = {"0.weight": torch.eye(2).double()}
    x = normal(torch, 3, 2)
    call = torch.func.functional_call
    return [call(m, one, (x,)).detach(), call(m, one, (x,), tie_weights=False).detach(),
            message(lambda: call(m, one | {"1.weight": torch.ones(2, 2).double()}, (x,)))]


def script_ensembles(torch):
    models, x = [net(torch, k) for k in range(3)], normal(torch, 5, 3)
    params, buffers = torch.func.stack_module_state(models)

    def one(p, b, x):
        return torch.func.functional_call(models[0], (p, b), (x,))

    shared = torch.vmap(one, in_dims=(0, 0, None))(params, buffers, x)
    apart = torch.vmap(one)(params, buffers, normal(torch, 3, 5, 3))
    shared.sum().backward()
    return [shared.detach(), torch.stack([m(x) for m in models]).detach(), apart.detach(), sorted(params),
            sorted(buffers),
            params["0.weight"].grad, params["0.weight"].is_leaf,
            message(lambda: torch.func.stack_module_state([])),
            message(lambda: torch.func.stack_module_state([models[0], models[1].eval()])),
            message(lambda: torch.func.stack_module_state([models[0], torch.nn.ReLU()]))]


def script_gradients_of_each_example(torch):
    m, x, y = net(torch), normal(torch, 5, 3), normal(torch, 5, 2)
    params = {n: p.detach() for n, p in m.named_parameters()}

    def loss(ps, x, y):
        return torch.nn.functional.mse_loss(torch.func.functional_call(m, ps, (x[None],)), y[None])

    each = torch.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(params, x, y)
    torch.nn.MSELoss()(m(x), y).backward()
    return [[(n, g.contiguous()) for n, g in each.items()], [bool(torch.allclose(each[n].mean(0), p.grad)) for n,
        p in m.named_parameters()],
            torch.func.hessian(lambda b: loss(params | {"2.bias": b}, x[0], y[0]))(params["2.bias"]),
            torch.func.jacrev(lambda x: m(x[None])[0])(x[0]).detach(), torch.func.jacfwd(lambda x: m(x[None])[0])(
                x[0]).detach()]


def script_statistics_of_batches_under_vmap(torch):
    models, x = [net(torch, k, norm=True) for k in range(2)], normal(torch, 2, 5, 3)
    params, buffers = torch.func.stack_module_state(models)

    def one(p, b, x):
        return torch.func.functional_call(models[0], (p, b), (x,))

    out = torch.vmap(one)(params, buffers, x)
    single = torch.stack([m(part) for m, part in zip(models, x)])
    params = {n: p.detach() for n, p in models[0].named_parameters()}
    fixed = {n: b.clone() for n, b in models[0].named_buffers()}
    refused = attempt(lambda: torch.vmap(lambda x: torch.func.functional_call(models[0], (params, fixed), (x,)))(x))
    return [bool(torch.allclose(out, single)), buffers["1.running_mean"].detach(),
            torch.stack([m[1].running_mean for m in models]), buffers["1.num_batches_tracked"], refused[:2]]


def script_statistics_move_below_derivatives(torch):
    """Running statistics that a transformed function closes over: kernels write to them, other functions may not."""
    func, normalize, x, found = torch.func, torch.nn.functional.batch_norm, normal(torch, 4, 3), []

    def loss(w):
        return (normalize(x * w, mean, var, training=True) ** 3 * x).sum()

    w = torch.ones(3).double()
    for run in (func.grad(loss), func.grad(lambda w: func.grad(loss)(w).sum()), func.hessian(loss), func.jacfwd(loss),
                lambda w: func.jvp(loss, (w,), (w,))[1], lambda w: func.vjp(loss, w)[1](torch.tensor(1.0).double())[0],
                func.grad(lambda w: func.vmap(lambda x, m, v: normalize(x * w, m, v, training=True).pow(3).sum())(
                    x[None].expand(2, 4, 3), torch.stack([mean, mean]), torch.stack([var, var])).sum())):
        mean, var = torch.zeros(3).double(), torch.ones(3).double()
        found += [run(w), mean, var]
    m = torch.nn.Sequential(torch.nn.BatchNorm1d(3)).double()
    counts = attempt(lambda: func.grad(lambda w: m(x * w).pow(3).sum())(w))
    mean = mean.clone().requires_grad_()
    return [*found, counts[:2], attempt(lambda: normalize(x, mean, var, training=True)),
            func.grad(lambda w: (torch.nn.functional.instance_norm(x.reshape(1, 3, 4) * w, mean.detach(), var) ** 3 *
                                 x.reshape(1, 3, 4)).sum())(w[:1]), var]


def script_modules_recomputed(torch):
    checkpoint = torch.utils.checkpoint
    found = []
    for run in (lambda m, x: m(x), lambda m, x: checkpoint.checkpoint(m, x, use_reentrant=False),
                lambda m, x: checkpoint.checkpoint(m, x, use_reentrant=True),
                lambda m, x: checkpoint.checkpoint_sequential(m, 2, x, use_reentrant=False)):
        m, x = net(torch), normal(torch, 5, 3).requires_grad_()
        out = run(m, x)
        out.pow(2).sum().backward()
        found.append([out.detach(), x.grad, [p.grad for p in m.parameters()]])
    return found


def script_second_derivatives_and_duals(torch):
    m, x = net(torch), normal(torch, 5, 3).requires_grad_()
    (g,) = torch.autograd.grad(m(x).pow(2).sum(), x, create_graph=True)
    g.pow(2).sum().backward()
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.ones(5, 3).double())
        tangent = torch.autograd.forward_ad.unpack_dual(m(dual)).tangent
    return [g.detach(), [None if p.grad is None else p.grad for p in m.parameters()], tangent.detach(),
            torch.autograd.gradcheck(m, (x,))]


def script_training_descends(torch):
    m, x, y = net(torch, norm=True), normal(torch, 8, 3), normal(torch, 8, 2, seed=3)
    loss, seen = torch.nn.HuberLoss(), []
    for _ in range(20):
        m.zero_grad()
        value = loss(m(x), y)
        value.backward()
        torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        with torch.no_grad():
            for p in m.parameters():
                p -= 0.1 * p.grad
        seen.append(value.item())
    return [seen, m.eval()(x).detach()]
