"""torch.func: gradients of each example lie in memory so that `view(B, -1)` takes them, as those of one example do."""

from harness import plain


def gradients(torch, f, *tensors):
    """Strides of the gradients of each example, and of one, and what `view` makes of them."""
    places = tuple(range(len(tensors)))
    grad = torch.func.grad(f, argnums=places)
    found = []
    for dims in [(0,) * len(tensors), *[tuple(0 if i == k else None for i in places) for k in places]]:
        given = [torch.stack([t, t + 1, t - 1]) if d == 0 else t for t, d in zip(tensors, dims)]
        mapped = torch.func.vmap(grad, in_dims=dims)(*given)
        found += [(g.stride(), plain(g.view(3, -1).sum(1))) for g in mapped]
    return found + [g.stride() for g in grad(*tensors)]


def script_linear_layers(torch):
    def ones(*shape):
        return torch.arange(float(torch.tensor(shape).prod())).reshape(shape) / 4

    linear = torch.nn.functional.linear
    out = []
    for x in (ones(3), ones(2, 3), ones(5, 2, 3)):
        out.append(gradients(torch, lambda x, w: linear(x, w).square().sum(), x, ones(4, 3)))
        out.append(gradients(torch, lambda x, w, b: linear(x, w, b).square().sum(), x, ones(4, 3), ones(4)))
    return out


def script_products_of_transposed_matrices(torch):
    def ones(*shape):
        return torch.arange(float(torch.tensor(shape).prod())).reshape(shape) / 4

    return [gradients(torch, lambda a, b, f=f: f(a, b).square().sum(), a, b) for f, a, b in (
        (torch.mm, ones(2, 3), ones(3, 4)),
        (lambda a, b: a @ b.T, ones(2, 3), ones(4, 3)),
        (lambda a, b: torch.mm(a.t(), b), ones(3, 2), ones(3, 4)),
        (lambda a, b: a.t() @ b.t(), ones(3, 2), ones(4, 3)),
        (lambda a, b: a @ b.T, ones(3), ones(4, 3)),
        (lambda a, b: torch.addmm(torch.ones(4), a, b.t()), ones(2, 3), ones(4, 3)),
    )]


def script_gradients_of_networks(torch):
    """Each example's gradients in one row, as programs of differential privacy and influence functions want them."""
    torch.manual_seed(0)
    nn = torch.nn
    rows = []
    for net, shape in (
        (nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), (3,)),
        (nn.Sequential(nn.Conv1d(2, 3, 3), nn.Flatten(0), nn.Linear(9, 2)), (2, 5)),
        (nn.Sequential(nn.Embedding(5, 3), nn.LayerNorm(3), nn.Linear(3, 2)), None),
    ):
        values = {name: p.detach() for name, p in net.named_parameters()}
        x = torch.arange(4) if shape is None else torch.ones(4, *shape)
        grads = torch.func.vmap(torch.func.grad(
            lambda v, x, net=net: torch.func.functional_call(net, v, (x,)).square().sum()), (None, 0))(values, x)
        rows.append([(name, g.stride()) for name, g in grads.items()])
        rows.append(torch.cat([g.view(4, -1) for g in grads.values()], dim=1).shape)
    return plain(rows)


def script_names_of_the_nodes_of_linear(torch):
    names = []

    def named(x, w, b=None):
        out = torch.nn.functional.linear(x, w, b)
        names.append(out.grad_fn.name())
        return out.sum()

    w, b = torch.ones(4, 3), torch.ones(4)
    for x in (torch.ones(3), torch.ones(2, 3)):
        for rest in ((), (b,)):
            torch.func.grad(named, argnums=1)(x, w, *rest)
            torch.func.vmap(torch.func.grad(named, argnums=1), in_dims=(None, 0))(x, w[None]) if not rest else None
            named(x, w.clone().requires_grad_(), *rest)
    return names


def script_names_of_the_nodes_of_products_of_vectors(torch):
    names = []

    def named(x, y):
        out = torch.matmul(x, y)
        names.append(out.grad_fn.name())
        return out.sum()

    shapes = ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4))
    for a, b in shapes:
        torch.func.grad(named, argnums=(0, 1))(torch.ones(a), torch.ones(b))
        torch.func.vmap(torch.func.grad(named))(torch.ones(5, *a), torch.ones(5, *b)) if len(a) < len(b) else None
        named(torch.ones(a, requires_grad=True), torch.ones(b))
    return names
