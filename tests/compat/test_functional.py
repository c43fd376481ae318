"""torch.autograd.functional: the same scripts on compat and PyTorch."""

from harness import attempt, message


def plain(value):
    """Values, and whether they have a history; not the names of its nodes, which derivatives of rules have."""
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    return (value.detach(), value.requires_grad) if hasattr(value, "detach") else value


def inputs(torch):
    return torch.tensor([[0.3, -1.2], [0.7, 2.0]]), torch.tensor([0.5, 1.5]), torch.tensor([[1.0, 2.0], [3.0, -1.0]])


def rows(x):
    return x.exp().sum(dim=1)


def adder(x, y):
    return 2 * x + 3 * y * x


def several(x, y):
    return (x * y).sin(), (x ** 2).sum(), y * 1


def cube(x):
    return x.pow(3).sum()


def script_vjp(torch):
    f = torch.autograd.functional
    x, y, v = inputs(torch)
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    w = x.clone().requires_grad_()
    return (f.vjp(rows, x, y), f.vjp(rows, x, y, create_graph=True), f.vjp(rows, w, y, create_graph=True),
            f.vjp(adder, (a, b), a), f.vjp(several, (a, b), (a, torch.tensor(2.0), b)), f.vjp(cube, x),
            f.vjp(cube, (x,)), f.vjp(lambda p, q: (p ** 2).sum(), (a, b)), f.vjp(lambda p: [p, p][0], a, a),
            f.vjp(lambda p: p.detach(), a, a))


def script_jvp(torch):
    f = torch.autograd.functional
    x, y, v = inputs(torch)
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    w = x.clone().requires_grad_()
    return (f.jvp(rows, x, v), *plain([f.jvp(rows, x, v, create_graph=True), f.jvp(rows, w, v, create_graph=True)]),
            f.jvp(adder, (a, b), (a, b)), f.jvp(several, (a, b), (a, b)), f.jvp(lambda t: t * a, torch.tensor([2.0])),
            f.jvp(lambda p, q: (p ** 2).sum(), (a, b), (b, a)), f.jvp(lambda p: p.detach(), a, a))


def script_hessian_products(torch):
    f = torch.autograd.functional
    x, y, v = inputs(torch)
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    w = x.clone().requires_grad_()
    g = lambda p, q: (2 * p.pow(2) + 3 * q.pow(3) * p).sum()  # noqa: E731
    out = []
    for name in ("vhp", "hvp"):
        h = getattr(f, name)
        out += [h(cube, x, v), h(cube, x, v, create_graph=True), h(cube, w, v, create_graph=True), h(g, (a, b), (b, a)),
                h(lambda t: (t ** 4).sum(), torch.tensor([2.0])), h(lambda t: t.sum() * 3, a, b),
                h(lambda p, q: (p ** 3).sum(), (a, b), (b, a))]
    return out


def script_jacobian(torch):
    f = torch.autograd.functional
    x, y, v = inputs(torch)
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    w = x.clone().requires_grad_()
    out = []
    for vectorize in (False, True):
        out += [f.jacobian(rows, x, vectorize=vectorize), f.jacobian(rows, x, create_graph=True, vectorize=vectorize),
                f.jacobian(rows, w, vectorize=vectorize), f.jacobian(adder, (a, b), vectorize=vectorize),
                f.jacobian(several, (a, b), vectorize=vectorize), f.jacobian(cube, x, vectorize=vectorize),
                f.jacobian(lambda p: (p,), a, vectorize=vectorize), f.jacobian(cube, (x,), vectorize=vectorize),
                f.jacobian(lambda p, q: (p ** 2).sum(), (a, b), vectorize=vectorize)]
        found = f.jacobian(rows, w, create_graph=True, vectorize=vectorize)
        out += [found.detach(), found.requires_grad, torch.autograd.grad(found.sum(), w)]
    return out


def script_forward_jacobian(torch):
    f = torch.autograd.functional
    x, y, v = inputs(torch)
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    forward = {"vectorize": True, "strategy": "forward-mode"}
    return (f.jacobian(rows, x, **forward), f.jacobian(adder, (a, b), **forward),
            f.jacobian(several, (a, b), **forward),
            f.jacobian(lambda p: (p,), a, **forward), f.jacobian(lambda p: p.detach() * 2, a, **forward),
            f.jacobian(lambda p: p * 2 + torch.ones(2), (a,), **forward))


def script_hessian(torch):
    f = torch.autograd.functional
    x, y, v = inputs(torch)
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    g = lambda p, q: (2 * p.pow(2) + 3 * q.pow(3) * p).sum()  # noqa: E731
    out = []
    for more in ({}, {"vectorize": True}, {"vectorize": True, "outer_jacobian_strategy": "forward-mode"}):
        out += [attempt(lambda: f.hessian(cube, x.clone(), **more)),
                attempt(lambda: f.hessian(g, (a.clone(), b.clone()), **more)),
                attempt(lambda: f.hessian(lambda p: (p ** 3).sum(0, keepdim=True), a.clone(), **more)),
                attempt(lambda: f.hessian(lambda p, q: (p ** 3).sum(), (a.clone(), b.clone()), **more))]
    w = x.clone().requires_grad_()
    h = f.hessian(lambda t: (t ** 4).sum(), w, create_graph=True)
    return out, h.detach(), h.requires_grad, torch.autograd.grad(h.sum(), w)


def script_strict(torch):
    f = torch.autograd.functional
    x, y, v = inputs(torch)
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    w = a.clone().requires_grad_()
    out = [message(lambda: f.vjp(rows, x, y, strict=True))]
    for h in (lambda g, i, **k: f.vjp(g, i, torch.ones(2), strict=True, **k),
              lambda g, i, **k: f.jvp(g, i, i if not isinstance(i, tuple) else i, strict=True, **k),
              lambda g, i, **k: f.jacobian(g, i, strict=True, **k)):
        out += [message(lambda: h(lambda p: p.detach(), a)), message(lambda: h(lambda p, q: p * 2, (a, b))),
                message(lambda: h(lambda p: p * 2, a)), message(lambda: h(lambda p: p * 2, w, create_graph=True)),
                message(lambda: h(lambda p: torch.ones(2), a)),
                message(lambda: h(lambda p, q: p * q, (w, w), create_graph=True)),
                message(lambda: h(lambda p, q: p * q * q, (a, w), create_graph=True))]
    for h in (lambda g, i, **k: f.vhp(g, i, i, strict=True, **k), lambda g, i, **k: f.hvp(g, i, i, strict=True, **k),
              lambda g, i, **k: f.hessian(g, i, strict=True, **k)):
        out += [message(lambda: h(lambda p: p.detach().sum(), a)),
                message(lambda: h(lambda p, q: (p ** 2).sum(), (a, b))),
                message(lambda: h(lambda p: p.sum(), a)), message(lambda: h(lambda p: (p ** 2).sum(), a)),
                plain(message(lambda: h(lambda p: (p ** 4).sum(), w, create_graph=True))),
                message(lambda: h(lambda p, q: (p ** 2).sum() + (q ** 2).sum(), (a, b))),
                message(lambda: h(lambda p, q: (p ** 2).sum() + q.sum(), (a, b))),
                plain(message(lambda: h(lambda p: (p ** 3).sum(), w, create_graph=True)))]
    return out


def script_refusals(torch):
    f = torch.autograd.functional
    x, y, v = inputs(torch)
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    out = []
    for name in ("vjp", "jvp", "vhp", "hvp", "jacobian", "hessian"):
        h = getattr(f, name)
        out += [message(lambda: h(cube, 3.0)), message(lambda: h(cube, [a])), message(lambda: h(cube, (a, 2))),
                message(lambda: h(lambda p: 3.0, a, *([a] if name not in ("vjp", "jacobian", "hessian") else []))),
                message(lambda: h(lambda p: (p, 3.0), a, *([a] if name not in ("vjp", "jacobian", "hessian") else [])))]
    for name in ("vjp", "jvp", "vhp", "hvp"):
        h = getattr(f, name)
        out += [message(lambda: h(several, (a, b))), message(lambda: h(lambda p: p * 2, a)),
                message(lambda: h(several, (a, b), a)), message(lambda: h(several, (a, b), (a, b, a, b))),
                message(lambda: h(several, (a, b), (a, torch.ones(3), a))), message(lambda: h(cube, a, (a, a))),
                message(lambda: h(cube, a, torch.ones(3))), message(lambda: h(cube, a, 3.0)),
                message(lambda: h(cube, a, (3.0,))), message(lambda: h(several, (a, b), (a, torch.ones(3))))]
    for name in ("vhp", "hvp"):
        h = getattr(f, name)
        out += [message(lambda: h(lambda p: (p.sum(),), a, a)), message(lambda: h(lambda p: p, a, a))]
    out += [message(lambda: f.hessian(lambda p: (p.sum(),), a)), message(lambda: f.hessian(lambda p: p, a)),
            message(lambda: f.hessian(cube, a, outer_jacobian_strategy="x")),
            message(lambda: f.jacobian(cube, a, strategy="x")),
            message(lambda: f.jacobian(cube, a, strategy="forward-mode")),
            message(lambda: f.jacobian(cube, a, strategy="forward-mode", vectorize=True, strict=True)),
            message(lambda: f.jacobian(cube, a, strategy="forward-mode", vectorize=True, create_graph=True)),
            message(lambda: f.jacobian(cube, a, vectorize=True, strict=True)),
            message(lambda: f.hessian(cube, a, outer_jacobian_strategy="forward-mode")),
            message(lambda: f.hessian(cube, a, vectorize=True, strict=True)),
            message(lambda: f.jacobian(lambda p: 3.0, a, strategy="forward-mode", vectorize=True))]
    return out


def script_modes(torch):
    f = torch.autograd.functional
    a = torch.tensor([1.0, 2.0])
    w = a.clone().requires_grad_()
    with torch.no_grad():
        out = [f.vjp(lambda p: p ** 2, w, a), f.jvp(lambda p: p ** 2, w, a), f.jacobian(lambda p: p ** 2, w),
               f.vhp(cube, w, a), f.hvp(cube, w, a), f.hessian(cube, w),
               f.jacobian(lambda p: p ** 2, w, create_graph=True),
               f.vjp(lambda p: p ** 2, w, a, create_graph=True), f.jvp(lambda p: p ** 2, w, a, create_graph=True),
               f.vhp(cube, w, a, create_graph=True), torch.is_grad_enabled()]
    return out


def script_a_captured_input_is_told_apart(torch):
    f = torch.autograd.functional
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    found = f.jacobian(lambda p: p * w, w, create_graph=True)
    return found.detach(), torch.autograd.grad(found.sum(), w), w.grad, f.vjp(lambda p: w * 3, w, torch.ones(2))


def script_vectors_with_history(torch):
    f = torch.autograd.functional
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([3.0, 4.0], requires_grad=True)
    out = []
    for name in ("vjp", "jvp"):
        found = getattr(f, name)(lambda p: p ** 3, a, v, create_graph=True)[1]
        out.append(torch.autograd.grad(found.sum(), (a, v)))
        out.append(getattr(f, name)(lambda p: p ** 3, a, v)[1])
    for name in ("vhp", "hvp"):
        found = getattr(f, name)(lambda p: (p ** 3).sum(), a, v, create_graph=True)[1]
        out.append(torch.autograd.grad(found.sum(), (a, v)))
    return out


def script_dtypes(torch):
    f = torch.autograd.functional
    a = torch.tensor([1.0, 2.0], dtype=torch.float64)
    z = torch.tensor([1 + 2j, 0.5 - 1j])
    return (f.jacobian(lambda p: p.float() ** 2, a), f.jacobian(lambda p: p.float() ** 2, a, vectorize=True),
            f.jacobian(lambda p: p.float() ** 2, a, vectorize=True, strategy="forward-mode"),
            attempt(lambda: f.jacobian(lambda p: p ** 2, z)), f.vjp(lambda p: p ** 2, z, z),
            f.jvp(lambda p: p ** 2, z, z),
            attempt(lambda: f.jacobian(lambda p: p * 2, torch.tensor([1, 2]))))


def script_inside_transforms(torch):
    f = torch.autograd.functional
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    return [attempt(lambda: torch.func.vmap(lambda r: f.jacobian(lambda p: p ** 2, r))(x))[:2],
            attempt(lambda: torch.func.grad(lambda r: f.vjp(lambda p: p ** 2, r, r)[1].sum())(x[0]))[:2]]
