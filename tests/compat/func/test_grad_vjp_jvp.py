"""torch.func: grad, vjp, jvp, jacrev, jacfwd and hessian, of nests and with options."""

from collections import OrderedDict, namedtuple

import numpy as np

import covector as cv
import covector.compat.torch as compat
from harness import attempt, double, message, plain


def script_grad_and_value(torch):
    x = torch.tensor([1.0, 2.0])
    f = torch.func
    return (f.grad(lambda v: (v ** 3).sum())(x), f.grad_and_value(lambda v: (v ** 3).sum())(x),
            f.grad(lambda v: ((v ** 3).sum(), v * 2), has_aux=True)(x),
            f.grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, x + 1),
            f.grad(lambda d: (d["a"] * d["b"]).sum())({"a": x, "b": x * 2})["b"],
            f.grad(f.grad(lambda v: v ** 4))(torch.tensor(2.0)))


def script_vjp_and_jvp(torch):
    x = torch.tensor([1.0, 2.0])
    out, pull = torch.func.vjp(lambda v: (v * 2, v.sin().sum()), x)
    pulled = pull((torch.ones(2), torch.tensor(3.0)))
    pushed = torch.func.jvp(lambda v: (v * v, v.sum()), (x,), (torch.tensor([1.0, 10.0]),))
    return out, pulled, pushed


def script_jacobians(torch):
    x = torch.tensor([1.0, 2.0, 3.0])
    f = lambda v: torch.stack([v[0] * v[1], v.sin().sum()])  # noqa: E731
    g = lambda v: (v ** 3).sum() * v[0]  # noqa: E731
    return torch.func.jacrev(f)(x), torch.func.jacfwd(f)(x), torch.func.hessian(g)(x)


def script_batched_gradients(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x ** 2
    return torch.autograd.grad(y, x, torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), is_grads_batched=True)


def test_covectors_own_transforms_take_functions_of_tensors():
    x = compat.tensor([1.0, 2.0], dtype=compat.float64)

    def f(v):
        y = v * 3
        y[0] = v[1] * 2
        return (y * y).sum()

    g = cv.grad(f)(x)
    assert isinstance(g, compat.Tensor)
    np.testing.assert_allclose(g.numpy(), [0.0, 2 * 4 * 2.0 + 18 * 2.0])
    np.testing.assert_allclose(cv.vmap(lambda v: v * v)(x).numpy(), [1.0, 4.0])
    out, dot = cv.jvp(f, (x,), (x,))
    np.testing.assert_allclose(dot.item(), (g * x).sum().item())
    np.testing.assert_allclose(compat.func.grad(lambda v: cv.grad(f)(v).sum())(x).numpy(), cv.grad(
        lambda v: compat.func.grad(f)(v).sum())(x).numpy())


def test_tensors_captured_by_covectors_transforms_get_gradients():
    w = compat.tensor([2.0, 3.0], dtype=compat.float64, requires_grad=True)
    x = compat.tensor([1.0, 5.0], dtype=compat.float64)
    cv.grad(lambda v: (v * v * w).sum())(x).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), [2.0, 10.0])


def pair(torch):
    return torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, -1.0, 2.0])


def script_gradients_of_nests(torch):
    f = torch.func
    x, y = pair(torch)
    point = namedtuple("point", "a b")
    loss = lambda d, s=1: (d["b"] * d["a"][0] * s).sin().sum()  # noqa: E731
    tree = {"b": x, "a": [y, x]}
    return (f.grad(loss)(tree), f.grad(loss)(tree, s=2.0), f.grad(lambda p: (p.a * p.b).sum())(point(x, y))._asdict(),
            f.grad(lambda o: (o["z"] ** 3).sum())(OrderedDict(z=x, y=y)),
            f.grad(lambda a, b: (a * b).sum(), argnums=-1)(x, y),
            f.grad(lambda a, b: (a * b).sum(), argnums=(1, 0))(x, y), f.grad(lambda a, b: (a * b).sum(), (1,))(x, y),
            f.vjp(lambda d: {"s": d["b"].sin(), "t": (d["a"][0],)}, tree)[1]({"s": x, "t": (y,)}),
            f.grad(lambda a: ((a * 2).sum(), {"aux": [a, a * 3]}), has_aux=True)(x),
            f.vjp(lambda a: (a * 2, {"aux": [a]}), x, has_aux=True)[2],
            f.jvp(lambda d: {"o": d["b"] * d["a"][0]}, (tree,), ({"b": y, "a": [x, y]},)),
            f.jvp(lambda a: (a * 2, [a * 3]), (x,), (y,), has_aux=True))


def script_jacobians_of_nests(torch):
    f = torch.func
    x, y = pair(torch)
    g = lambda a, b: {"s": a * b[0], "t": (a.sum() * b,)}  # noqa: E731
    m = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    out = []
    for jac in (f.jacrev, f.jacfwd):
        out += [jac(g)(x, y), jac(g, argnums=1)(x, y), jac(g, argnums=(0, 1))(x, y),
                jac(lambda d: d["a"] @ d["b"])({"a": m, "b": m}),
                jac(lambda a: (a * 2, {"aux": a * 3}), has_aux=True)(x), jac(lambda v: v.sum())(m),
                jac(lambda v: v.t())(m).contiguous()]
    out += [f.jacrev(g, argnums=(0, 1), chunk_size=n)(x, y) for n in (1, 2, 4, 100)]
    out += [f.hessian(lambda a, b: (a ** 2 * b ** 3).sum(), argnums=(0, 1))(x, y),
            f.jacfwd(f.jacfwd(lambda a: a ** 3))(x),
            f.jacrev(f.jacrev(lambda a: (a ** 3).sum()))(x).contiguous(),
            f.jacfwd(lambda a, b: a * b, argnums=None)(x, y)]
    return out


def script_trees(torch):
    import importlib
    p = importlib.import_module(torch.__name__ + ".utils._pytree")
    tree = [1, {"b": (2, None), "a": [3]}, OrderedDict(z=1), ()]
    leaves, spec = p.tree_flatten(tree)
    return (leaves, str(spec), p.tree_unflatten([x if x is None else x * 2 for x in leaves], spec),
            p.treespec_pprint(p.tree_structure(tree[:2])),
            p.tree_map(lambda a, b: (a, b), [1, (2,)], [3, ((4, 5),)]),
            message(lambda: p.tree_map(lambda a, b: a, [1, (2,)], [3, [4]])),
            message(lambda: p.tree_map(lambda a, b: a, [1, (2,)], [3, (4, 5)])), p.tree_leaves(None),
            p.tree_all(bool, [1, 0]),
            p.tree_any(bool, [1, 0]), p.tree_map_only(int, lambda a: -a, [1, "a"]), spec == p.tree_structure(tree),
            spec.num_leaves,
            p.tree_leaves([(1, 2), 3], is_leaf=lambda t: isinstance(t, tuple)),
            message(lambda: p.tree_unflatten([1], p.tree_structure([1, 2]))))


def script_grad_options(torch):
    f = torch.func
    x = double(torch, 1, 2)
    y = double(torch, 3, 4)
    out = []
    def fn(a, b, c=1.0):
        return (a * a * b * c).sum()
    for an in (0, 1, (0, 1), (1, 0), (0,), -1, 2, (0, 2), True, None, (0, -2), 1.0, "0"):
        for w in (f.grad, f.jacrev, f.jacfwd, f.hessian):
            out.append(attempt(lambda: w(fn, argnums=an)(x, y, c=2.0)))
    out.append(attempt(lambda: f.grad(fn)(x, b=y)))
    out.append(attempt(lambda: f.grad(fn)(a=x, b=y)))
    out.append(attempt(lambda: f.grad(lambda a: (a.sum(), {"k": a * 2, "n": 3}), has_aux=True)(x)))
    out.append(attempt(lambda: f.jacrev(lambda a: (a * 2, {"k": a * 2}), has_aux=True)(x)))
    out.append(attempt(lambda: f.jacfwd(lambda a: (a * 2, {"k": a * 2}), has_aux=True)(x)))
    out.append(attempt(lambda: f.hessian(lambda a: ((a**3).sum(), a), has_aux=True)(x)))
    out.append(attempt(lambda: f.vjp(lambda a: (a * 2, {"k": a * 2}), x, has_aux=True)[2]))
    out.append(attempt(lambda: f.grad(lambda a: a.sum().float())(x)))
    out.append(attempt(lambda: f.grad(lambda a: a.sum()[None])(x)))
    out.append(attempt(lambda: f.grad(lambda a: a.sum() * 1j)(x)))
    out.append(attempt(lambda: f.grad(lambda a: (a > 0).sum())(x)))
    out.append(attempt(lambda: f.grad(lambda a: torch.tensor(3.0))(x)))
    out.append(attempt(lambda: f.grad_and_value(lambda a: (a.sum(), a), has_aux=True)(x)))
    out.append(attempt(lambda: f.grad(lambda a: a.abs().sum())(torch.tensor([1 + 2j]))))
    return plain(out)


def script_vjp_fn(torch):
    f = torch.func
    x = double(torch, 1, 2)
    out = []
    o, p = f.vjp(lambda a: (a * 2, {"k": a.sin()}), x)
    for ct in (
        (x, {"k": x}),
        (x, x),
        [x, {"k": x}],
        (x, {"j": x}),
        (x, {"k": None}),
        (None, {"k": x}),
        (x.float(), {"k": x}),
        (x,),
    ):
        out.append(attempt(lambda: p(ct)))
    out.append(attempt(lambda: p(x, {"k": x})))
    o, p = f.vjp(lambda a: a * 2, x)
    out.append(attempt(lambda: p(x)))
    out.append(attempt(lambda: p((x,))))
    out.append(attempt(lambda: p(torch.ones(3))))
    out.append(attempt(lambda: p(torch.ones(1))))
    o, p = f.vjp(lambda a, b: a * b, x, x)
    out.append(p(x))
    out.append(p(x))
    o, p = f.vjp(lambda d: d["a"] * d["b"][0], {"a": x, "b": (x,)})
    out.append(p(x))
    out.append(attempt(lambda: f.vmap(p)(torch.eye(2, dtype=torch.float64))))
    out.append(attempt(lambda: f.vjp(torch.sin, x)[1](x, retain_graph=False)))
    return plain(out)


def script_jvp_options(torch):
    f = torch.func
    x = double(torch, 1, 2)
    y = double(torch, 3, 4)
    out = []
    out.append(f.jvp(lambda a, b: (a * b, a), (x, y), (y, x)))
    out.append(attempt(lambda: f.jvp(lambda d: d["a"] * 2, ({"a": x},), ({"a": y},))))
    out.append(attempt(lambda: f.jvp(lambda d: d["a"] * 2, ({"a": x},), ({"b": y},))))
    out.append(attempt(lambda: f.jvp(lambda a: a * 2, [x], [y])))
    out.append(attempt(lambda: f.jvp(lambda a: a * 2, (x,), (y.float(),))))
    out.append(attempt(lambda: f.jvp(lambda a: a * 2, (x,), (None,))))
    out.append(attempt(lambda: f.jvp(lambda a: a * 2, (x,), (y,), strict=True)))
    out.append(attempt(lambda: f.jvp(lambda a: y * 2, (x,), (y,), strict=True)))
    out.append(attempt(lambda: f.jvp(lambda a: (y * 2, a), (x,), (y,))))
    out.append(attempt(lambda: f.jvp(lambda a: a > 0, (x,), (y,))))
    out.append(attempt(lambda: f.jvp(lambda a: (a > 0, a), (x,), (y,))))
    out.append(attempt(lambda: f.jvp(lambda a: a.detach(), (x,), (y,))))
    out.append(attempt(lambda: f.jvp(lambda a: (a, {"q": a}), (x,), (y,), has_aux=True)))
    out.append(attempt(lambda: f.jvp(lambda a: f.jvp(torch.sin, (a,), (y,))[1], (x,), (y,))))
    out.append(attempt(lambda: f.jvp(f.grad(lambda a: (a**3).sum()), (x,), (y,))))
    return plain(out)


def script_tree_api(torch):
    py = torch.utils._pytree
    out = []
    x = double(torch, 1, 2)
    t = {"b": [x, (x * 2, 3)], "a": None}
    l, s = py.tree_flatten(t)
    out += [l, py.tree_unflatten(l, s), py.tree_leaves(t), py.tree_map(lambda v: v * 2 if v is not None else 7, t)]
    out.append(attempt(lambda: py.tree_map(lambda a, b: (a, b), [1, 2], [3, 4])))
    out.append(attempt(lambda: py.tree_map(lambda a, b: (a, b), [1, 2], [3, (4, 5)])))
    out.append(attempt(lambda: py.tree_map(lambda a, b: (a, b), [1, 2], [3])))
    out.append(attempt(lambda: py.tree_unflatten([1], s)))
    out.append(s.num_leaves)
    out.append(py.tree_leaves([]))
    out.append(py.tree_all(lambda v: v > 0, [1, 2]))
    out.append(py.tree_any(lambda v: v > 1, [1, 2]))
    out.append(py.tree_map_only(int, lambda v: v + 1, [1, "a", 2.0]))
    return plain(out)


def script_jac_shapes(torch):
    f = torch.func
    x = torch.arange(6.0).reshape(2, 3)
    out = []
    for fn in (
        lambda a: a.sum(),
        lambda a: a.sum(0),
        lambda a: (a, a.sum()),
        lambda a: {"k": a * 2},
        lambda a: [a * 2],
        lambda a: torch.ones(2),
        lambda a: a.detach(),
        lambda a: a[:0],
        lambda a: a.t(),
        lambda a: (a > 0).float(),
        lambda a: a > 0,
    ):
        for w in (f.jacrev, f.jacfwd, f.hessian):
            out.append(attempt(lambda: w(fn)(x)))
    for fn in (lambda d: d["a"] * d["b"].sum(),):
        for w in (f.jacrev, f.jacfwd):
            out.append(w(fn)({"a": x[0], "b": x}))
    out.append(attempt(lambda: f.jacrev(lambda a, b: a @ b, argnums=(0, 1))(x, x.t().contiguous())))
    out.append(attempt(lambda: f.jacfwd(lambda a, b: a @ b, argnums=(0, 1))(x, x.t().contiguous())))
    out.append(attempt(lambda: f.jacrev(lambda a: a * 2)(torch.zeros(0))))
    out.append(attempt(lambda: f.jacfwd(lambda a: a * 2)(torch.zeros(0))))
    out.append(attempt(lambda: f.jacrev(lambda a: a * 2)(torch.tensor([1, 2]))))
    out.append(attempt(lambda: f.jacfwd(lambda a: a * 2)(torch.tensor([1, 2]))))
    return plain(out)


def test_a_jacobian_by_forward_mode_of_each_example():
    torch = compat
    x = torch.arange(6.0).reshape(2, 3)
    found = torch.vmap(lambda row: torch.autograd.functional.jacobian(
        lambda t: t.sin().sum(), row, strategy="forward-mode", vectorize=True))(x)
    assert torch.allclose(found, x.cos())


def script_memory_of_jacobians(torch):
    x = torch.arange(8.0).reshape(2, 4)
    f = lambda t: 3 * t[0, 1:].unsqueeze(-1)  # noqa: E731
    j = torch.autograd.functional.jacobian
    return torch.func.jacrev(f)(x), j(f, x, vectorize=True), torch.func.jacrev(torch.cumsum)(x[0], 0).view(-1)
