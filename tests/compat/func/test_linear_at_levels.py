"""linear, addmm and mse_loss at levels of `func` and of dual tensors: values, derivatives, nodes, refusals."""

from harness import attempt, normal


def script_networks_in_nested_transforms(torch):
    F, found = torch.nn.functional, []
    for shape in ((5, 3), (2, 5, 3), (1, 3), (2, 0, 3)):
        x, y = normal(torch, *shape, seed=1), normal(torch, *shape[:-1], 2, seed=2)
        w, b = normal(torch, 2, 3, seed=3), normal(torch, 2, seed=4)

        def loss(x, w, b, y=y):
            out = F.linear(x, w, b)
            return F.mse_loss(torch.tanh(out) + F.linear(x, w), y) if y.numel() else out.sum()

        given = x, w, b
        found.append(torch.func.grad(loss, argnums=(0, 1, 2))(*given))
        found.append(torch.func.jvp(loss, given, tuple(torch.ones_like(t) for t in given)))
        if not y.numel():
            continue
        found.append(torch.func.jacrev(torch.func.jacrev(loss, argnums=1), argnums=1)(*given))
        found.append(torch.func.vmap(torch.func.grad(loss, argnums=1), in_dims=(None, 0, None))(
            x, torch.stack([w, 2 * w]), b))
        recorded = w.clone().requires_grad_()
        torch.func.grad(loss)(x, recorded, b).square().sum().backward()
        found.append(recorded.grad)
    return found


def script_addmm_in_every_shape(torch):
    found = []
    x, w = normal(torch, 4, 3, seed=1), normal(torch, 3, 2, seed=2)
    for shape in ((), (2,), (1, 2), (4, 1), (4, 2), (3,), (4, 3), (3, 2), (2, 4, 2)):
        b = normal(torch, *shape, seed=3) if shape else torch.tensor(0.5, dtype=x.dtype)
        for fun in (lambda b, x, w: torch.addmm(b, x, w), lambda b, x, w: torch.addmm(b, x, w, beta=2, alpha=0.5)):
            gradient = torch.func.grad(lambda *a, fun=fun: fun(*a).sin().sum(), argnums=(0, 1, 2))
            found.append(attempt(lambda gradient=gradient, b=b: gradient(b, x, w)))
    found.append(attempt(lambda: torch.func.grad(lambda x: torch.addmm(w[0], x, x).sum())(x)))
    found.append(attempt(lambda: torch.func.grad(lambda x: torch.nn.functional.linear(x, x.t()).sum())(x)))
    found.append(attempt(lambda: torch.func.grad(lambda x: torch.addmm(w[0].float(), x, w).sum())(x)))
    for of in ((float, int, int), (int, float, int), (int, int, float)):
        given = [t.double() if kind is float else t.float() for t, kind in zip((w[0], x, w), of, strict=True)]
        found += [attempt(lambda g=given: torch.addmm(*g)),
                  attempt(lambda g=given: torch.func.grad(lambda *a: torch.addmm(*a).sum())(*g))]
    return found


def script_nodes_at_a_level(torch):
    def names(node):
        return None if node is None else [node.name(), *[names(n) for n, _ in node.next_functions]]

    seen = []

    def loss(x, w, b):
        out = torch.nn.functional.linear(x, w, b)
        seen.append(names(out.grad_fn))
        out = torch.nn.functional.mse_loss(out, torch.zeros_like(out))
        seen.append(names(out.grad_fn))
        return out

    x, w, b = normal(torch, 4, 3, seed=1), normal(torch, 2, 3, seed=2), normal(torch, 2, seed=3)
    torch.func.grad(loss, argnums=(0, 1, 2))(x, w, b)
    torch.func.grad(loss, argnums=1)(x, w, b)
    torch.func.grad(lambda x, w, b: torch.addmm(b, x, w.t()).sum(), argnums=(0, 2))(x, w, b)
    return seen


def script_duals(torch):
    forward, F = torch.autograd.forward_ad, torch.nn.functional
    x, w, b = normal(torch, 4, 3, seed=1), normal(torch, 2, 3, seed=2), normal(torch, 2, seed=3)
    found = []
    for which in range(3):
        with forward.dual_level():
            given = [forward.make_dual(t, torch.ones_like(t)) if k == which else t for k, t in enumerate((x, w, b))]
            out = F.mse_loss(F.linear(*given), torch.zeros(4, 2, dtype=x.dtype))
            found.append(list(forward.unpack_dual(out)))
            found.append(list(forward.unpack_dual(F.linear(given[0].view(2, 2, 3), given[1]))))
    return found
