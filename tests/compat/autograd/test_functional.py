"""torch.autograd.functional: products, Jacobians, strict mode, vectorize, refusals."""

from harness import attempt, double, message


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


def without_layouts(nest):
    """Tensors without their layouts."""
    if isinstance(nest, tuple) and len(nest) == 3 and isinstance(nest[0], str) and nest[0] == "raised":
        return nest
    if isinstance(nest, list | tuple):
        return [without_layouts(v) for v in nest]
    if isinstance(nest, dict):
        return {k: without_layouts(v) for k, v in nest.items()}
    if hasattr(nest, "requires_grad"):
        return [
            str(nest.dtype),
            tuple(nest.shape),
            nest.requires_grad,
            nest.detach().tolist() if nest.dtype.is_complex else nest.detach().clone().contiguous(),
        ]
    return nest


def F(torch):
    return torch.autograd.functional


def script_strict_products(torch):
    f = F(torch)
    x = double(torch, 1, 2)
    double(torch, 3, 4)
    out = []
    for strict in (False, True):
        for cg in (False, True):
            for name, fn in (
                ("lin", lambda a: 3 * a),
                ("const", lambda a: torch.ones_like(a)),
                ("sq", lambda a: a**3),
                ("detach", lambda a: a.detach() * 2),
                ("sum", lambda a: a.sum()),
            ):
                v = torch.ones(2, dtype=torch.float64)
                out.append(
                    (
                        name,
                        strict,
                        cg,
                        attempt(lambda: f.vjp(fn, x, v if name != "sum" else None, create_graph=cg, strict=strict)),
                    )
                )
                out.append((name, strict, cg, attempt(lambda: f.jvp(fn, x, v, create_graph=cg, strict=strict))))
                out.append((name, strict, cg, attempt(lambda: f.jacobian(fn, x, create_graph=cg, strict=strict))))

                def g(a):
                    return (fn(a)).sum()

                out.append((name, strict, cg, attempt(lambda: f.hessian(g, x, create_graph=cg, strict=strict))))
                out.append((name, strict, cg, attempt(lambda: f.hvp(g, x, v, create_graph=cg, strict=strict))))
                out.append((name, strict, cg, attempt(lambda: f.vhp(g, x, v, create_graph=cg, strict=strict))))
    return without_layouts(out)


def script_strict_two_inputs(torch):
    f = F(torch)
    x = double(torch, 1, 2)
    y = double(torch, 3, 4)
    out = []
    fns = [
        lambda a, b: a * 1,
        lambda a, b: (a, b * 2),
        lambda a, b: a * b,
        lambda a, b: (a * a).sum() + (b * b * b).sum(),
        lambda a, b: (a * b).sum(),
        lambda a, b: (a**3).sum(),
        lambda a, b: (a * b, b.sum()),
    ]
    for i, fn in enumerate(fns):
        for strict in (False, True):
            for cg in (False, True):

                def call(which):
                    def go():
                        o = fn(x, y)
                        v = tuple(torch.ones_like(t) for t in o) if isinstance(o, tuple) else torch.ones_like(o)
                        if which == "vjp":
                            return f.vjp(fn, (x, y), v, create_graph=cg, strict=strict)
                        vv = (torch.ones_like(x), torch.ones_like(y))
                        if which == "jacobian" or which == "hessian":
                            return getattr(f, which)(fn, (x, y), create_graph=cg, strict=strict)
                        return getattr(f, which)(fn, (x, y), vv, create_graph=cg, strict=strict)

                    return attempt(go)

                out.append([i, strict, cg] + [call(w) for w in ("vjp", "jvp", "jacobian", "hessian", "hvp", "vhp")])
    return without_layouts(out)


def script_vectorize_strategies(torch):
    f = F(torch)
    x = double(torch, 1, 2)
    y = double(torch, 3, 4, 5)
    out = []

    def fn(a, b):
        return (a[:, None] * b, b.sin().sum(), a.exp())

    def g(a, b):
        return (a[:, None] * b).prod()

    for vec in (False, True):
        for strat in ("reverse-mode", "forward-mode", "other"):
            out.append(attempt(lambda: f.jacobian(fn, (x, y), vectorize=vec, strategy=strat)))
            out.append(attempt(lambda: f.hessian(g, (x, y), vectorize=vec, outer_jacobian_strategy=strat)))
            out.append(attempt(lambda: f.jacobian(fn, (x, y), vectorize=vec, strategy=strat, create_graph=True)))
            out.append(
                attempt(lambda: f.hessian(g, (x, y), vectorize=vec, outer_jacobian_strategy=strat, create_graph=True))
            )
            out.append(attempt(lambda: f.jacobian(fn, (x, y), vectorize=vec, strategy=strat, strict=True)))
            out.append(
                attempt(lambda: f.hessian(g, (x, y), vectorize=vec, outer_jacobian_strategy=strat, strict=True))
            )
    return without_layouts(out)


def script_inputs_types(torch):
    f = F(torch)
    x = double(torch, 1, 2)
    out = []
    for w in ("vjp", "jvp", "hvp", "vhp"):
        g = getattr(f, w)
        for inp, v in (
            (3.0, None),
            ([x], None),
            ((x, 3), None),
            (x, None),
            (x, 3.0),
            (x, (x, x)),
            (x, [x]),
            (x, torch.ones(3)),
            ((x,), (x,)),
            ((), ()),
            (torch.tensor([1, 2]), torch.tensor([1, 2])),
            (double(torch, 2), None),
        ):
            out.append(attempt(lambda: g(lambda *a: (a[0] * a[0]).sum(), inp, v)))
    for w in ("jacobian", "hessian"):
        for inp in (3.0, [x], (x, 3), (x,), torch.tensor([1, 2]), double(torch, 2), None, {"a": x}):
            out.append(attempt(lambda: getattr(f, w)(lambda *a: (a[0] * a[0]).sum(), inp)))
        for o in (3.0, None, [x], (x, 3), x, double(torch, 1), double(torch, 1)[0], torch.tensor(3)):
            out.append(attempt(lambda: getattr(f, w)(lambda *a: o, x)))
    for w in ("vjp", "jvp", "hvp", "vhp"):
        for o in (3.0, None, [x], (x, 3), x, double(torch, 1), double(torch, 1)[0]):
            out.append(attempt(lambda: getattr(f, w)(lambda *a: o, x, x)))
    return without_layouts(out)


def script_hessian_output_checks(torch):
    f = F(torch)
    x = double(torch, 1, 2)
    out = []
    for w in (
        lambda fn: f.hessian(fn, x),
        lambda fn: f.hvp(fn, x, x),
        lambda fn: f.vhp(fn, x, x),
        lambda fn: f.hessian(fn, x, vectorize=True),
        lambda fn: f.hessian(fn, x, vectorize=True, outer_jacobian_strategy="forward-mode"),
    ):
        for fn in (
            lambda a: a,
            lambda a: (a.sum(), a.sum()),
            lambda a: a.sum().reshape(1),
            lambda a: a.sum().reshape(1, 1),
            lambda a: a.sum() * 0,
            lambda a: (a.sum(),),
        ):
            out.append(attempt(lambda: w(fn)))
    return without_layouts(out)


def script_graphs_of_results(torch):
    f = F(torch)
    x = double(torch, 1, 2).requires_grad_()
    w = double(torch, 3, 4).requires_grad_()
    out = []

    def fn(a):
        return a**3 * w

    def g(a):
        return (a**3 * w).sum()

    v = double(torch, 1, -1).requires_grad_()
    for cg in (False, True):
        for r in (
            f.vjp(fn, x, v, create_graph=cg),
            f.jvp(fn, x, v, create_graph=cg),
            f.hvp(g, x, v, create_graph=cg),
            f.vhp(g, x, v, create_graph=cg),
            (None, f.jacobian(fn, x, create_graph=cg)),
            (None, f.hessian(g, x, create_graph=cg)),
            (None, f.jacobian(fn, x, create_graph=cg, vectorize=True)),
            (None, f.hessian(g, x, create_graph=cg, vectorize=True)),
        ):
            t = r[1]
            out.append((t.detach(), t.requires_grad, None if r[0] is None else (r[0].detach(), r[0].requires_grad)))
            if t.requires_grad:
                out.append(torch.autograd.grad(t.sum(), [x, v, w], allow_unused=True))
    return without_layouts(out)


def script_no_grad_outside(torch):
    f = F(torch)
    x = double(torch, 1, 2)
    out = []
    with torch.no_grad():
        out += [
            f.jacobian(lambda a: a**2, x),
            f.hessian(lambda a: (a**3).sum(), x),
            f.vjp(lambda a: a**2, x, x),
            f.jvp(lambda a: a**2, x, x),
            f.hvp(lambda a: (a**3).sum(), x, x),
            f.vhp(lambda a: (a**3).sum(), x, x),
        ]
        r = f.jacobian(lambda a: a**2, x.clone().requires_grad_(), create_graph=True)
        out.append((r.detach(), r.requires_grad))
        r = f.jacobian(lambda a: a**2, x.clone().requires_grad_(), vectorize=True, strategy="forward-mode")
        out.append(r)
    return without_layouts(out)


def script_inplace_and_views_in_func(torch):
    f = F(torch)
    x = double(torch, 1, 2, 3)
    out = []

    def inp(a):
        b = a * 1
        b[0] = b[1] * b[2]
        b[1:].mul_(2)
        return b

    def inp2(a):
        a.mul_(2)
        return a

    def setgrad(a):
        with torch.no_grad():
            c = a * 2
        return a * c

    for fn in (
        inp,
        setgrad,
        lambda a: a.view(3, 1),
        lambda a: a,
        lambda a: a[1:],
        lambda a: (a, a),
        lambda a: a.expand(2, 3),
        lambda a: a.to(torch.float32),
        lambda a: a.clone().requires_grad_() * a,
    ):
        for kw in ({}, {"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}, {"create_graph": True}):
            out.append(
                attempt(
                    lambda: [
                        t.detach() for t in (lambda r: r if isinstance(r, tuple) else (r,))(f.jacobian(fn, x, **kw))
                    ]
                )
            )
    out.append(attempt(lambda: f.jacobian(inp2, x)))
    out.append(attempt(lambda: f.vjp(inp2, x, x)))
    out.append(x)
    return without_layouts(out)


def script_complex(torch):
    f = F(torch)
    z = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex128)
    x = double(torch, 1, 2)
    out = []
    for fn in (lambda a: a**2, lambda a: a.abs(), lambda a: a.conj() * 2j):
        for kw in ({}, {"vectorize": True}):
            out.append(attempt(lambda: f.jacobian(fn, z, **kw)))
        v = torch.ones_like(fn(z))
        out.append(attempt(lambda: f.vjp(fn, z, v)))
        out.append(attempt(lambda: f.jvp(fn, z, z)))
    out.append(attempt(lambda: f.jacobian(lambda a: torch.complex(a, a * a), x)))
    out.append(attempt(lambda: f.hessian(lambda a: (a.abs() ** 2).sum(), z)))
    return without_layouts(out)


def script_nested_functional(torch):
    f = F(torch)
    x = double(torch, 1, 2)
    out = []

    def h(a):
        return f.jacobian(lambda b: (b**3).sum(), a, create_graph=True)

    out.append(f.jacobian(h, x))
    out.append(f.jacobian(lambda a: f.hessian(lambda b: (b**4).sum(), a, create_graph=True), x))
    out.append(
        attempt(lambda: torch.func.jacrev(lambda a: f.jacobian(lambda b: (b**3).sum(), a, create_graph=True))(x))
    )
    out.append(attempt(lambda: torch.func.vmap(lambda a: f.jacobian(lambda b: (b**3).sum(), a))(torch.stack([x, x]))))
    out.append(attempt(lambda: f.jacobian(torch.func.grad(lambda b: (b**3).sum()), x)))
    out.append(attempt(lambda: f.jacobian(torch.func.grad(lambda b: (b**3).sum()), x, vectorize=True)))
    return without_layouts(out)


def script_shapes(torch):
    f = F(torch)
    out = []
    x = torch.arange(6.0).reshape(2, 3)
    y = torch.tensor(2.0)
    for fn, i in (
        (lambda a: a.sum(), x),
        (lambda a: a.sum(0, keepdim=True), x),
        (lambda a: a * 2, y),
        (lambda a: a[None], y),
        (lambda a: a * 2, x),
    ):
        for kw in ({"vectorize": False}, {"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}):
            out.append(attempt(lambda: f.jacobian(fn, i, **kw)))
    out.append(f.hessian(lambda a, b: (a**2 * b).sum() * b**2, (x, y)))
    return without_layouts(out)


def script_private_helpers(torch):
    """What programs write their own Jacobians with."""
    f = torch.autograd.functional
    x, y = torch.tensor([1.0, 2.0]), double(torch, 3.0)
    out = [f._as_tuple(x, "x", "f"), f._as_tuple((x, y), "x", "f"), f._as_tuple(x), f._as_tuple([x, y])]
    unpack = f._tuple_postprocess
    out += [attempt(lambda: f._as_tuple(1.0, "x", "f")), unpack((x, y), True), unpack((x,), False),
            unpack(((x, y), (y, x)), (True, False)), unpack(((x, y),), (False, True))]
    with torch.enable_grad():
        w = x.clone().requires_grad_()
        for create in (False, True):
            p, q = f._grad_preprocess((w, y), create_graph=create, need_graph=True)
            loss = (p ** 2).sum() * q.sum(), x.sum()
            got = f._autograd_grad(loss, (p, q, w), (None, None), create_graph=create)
            got = tuple(None if g is None else g + 0 for g in got)  # without the strides of an expanded one
            out.append((p is w, p.requires_grad, q.requires_grad, q is y, got))
            out.append(plain(f._grad_postprocess(tuple(g for g in got if g is not None), create)))
        p, = f._grad_preprocess((w,), create_graph=False, need_graph=False)
        out.append((p is w, p.requires_grad))
        nested = f._grad_postprocess(((w * 2,), (w * 3, w)), False)
        out.append(plain(nested))
        out.append(f._autograd_grad((x.sum(),), (w,)))
    out.append(f._construct_standard_basis_for((x, y), (2, 1)))
    return without_layouts(out)
