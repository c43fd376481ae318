"""Transforms and control flow, called as programs for JAX call them: values, structures and shapes are JAX's."""

from types import SimpleNamespace

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp

jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
jax.config.update("jax_enable_x64", True)
pytestmark = pytest.mark.reference

TRANSFORMS = ("grad value_and_grad vjp jvp vmap jacfwd jacrev hessian linearize linear_transpose checkpoint custom_jvp "
              "jit custom_vjp custom_gradient closure_convert tree").split()
CONTROL = ("scan cond switch while_loop fori_loop map associative_scan stop_gradient psum pmean pmax axis_index "
           "all_gather all_to_all ppermute axis_size custom_root").split()
JAX = SimpleNamespace(np=jax.numpy, **{name: getattr(jax, name) for name in TRANSFORMS},
                      **{name: getattr(jax.lax, name) for name in CONTROL})
OURS = SimpleNamespace(np=cnp, **{name: getattr(cv, name) for name in TRANSFORMS + CONTROL})

X = np.array([0.5, 1.5, -2.0])
M = np.arange(6.0).reshape(2, 3)
W = np.array([[0.3, -0.2], [0.1, 0.25]])


def product(L):  # noqa: N803 - the library
    return lambda x, y, z=2.0: (L.np.sin(x) * y * z).sum()


def step(L):  # noqa: N803
    return lambda w: L.scan(lambda c, x: (L.np.tanh(c * w + x), c), 0.0, X)


def branch(L):  # noqa: N803
    return lambda x: L.cond(x > 0, lambda a: a**2, lambda a: -a, x)


def choice(L):  # noqa: N803
    return lambda i, x: L.switch(i, [L.np.sin, L.np.exp, lambda x: x * x], x)


def moments(x):
    return (x**2).sum(), {"a": x, "b": [x * 2, 3]}


def affine(p, q):
    return {"a": p["a"] * q["a"], "b": q["a"] * p["b"] + q["b"]}


def own_vjp(L):  # noqa: N803
    f = L.custom_vjp(lambda x, y: x * y)
    f.defvjp(lambda x, y: (x * y, (x, y)), lambda r, ct: (ct * r[1] * 2, ct * r[0]))
    return f


def own_static(L):  # noqa: N803
    f = L.custom_vjp(lambda n, x: x**n, nondiff_argnums=(0,))
    f.defvjp(lambda n, x: (x**n, x), lambda n, r, ct: (ct * n * 100,))
    return f


def own_jvp(L):  # noqa: N803
    f = L.custom_jvp(lambda x: L.np.sin(x))
    f.defjvps(lambda t, ans, x: t * 2)
    return f


def converted(L):  # noqa: N803
    def outer(w):
        run, values = L.closure_convert(lambda x: w * x * x, 1.0)
        f = L.custom_vjp(lambda run, x, *values: run(x, *values), nondiff_argnums=(0,))
        f.defvjp(lambda run, x, *values: (run(x, *values), values),
                 lambda run, values, ct: (ct * 100.0, *[ct * 1000.0 for _ in values]))
        return f(run, w, *values)

    return outer


def root(L):  # noqa: N803
    def newton(f, x):
        for _ in range(20):
            x = x - f(x) / L.grad(f)(x)
        return x

    return lambda a: L.custom_root(lambda x: x * x - a, 1.0, newton, lambda g, y: y / g(1.0))


def layer(L, iterated):  # noqa: N803
    """An equilibrium layer, whose tangents are solved for with a Jacobian or by iteration."""
    def repeated(step, z):
        for _ in range(40):
            z = step(z)
        return z

    def equilibrium(w, x):
        def linear(g, y):
            if iterated:
                return repeated(lambda z: z + g(z) - y, -y)
            return L.np.linalg.solve(L.jacrev(g)(y), y)

        off = lambda z: L.np.tanh(w @ z + x) - z  # noqa: E731
        return L.custom_root(off, L.np.zeros(2), lambda f, z: repeated(lambda z: z + f(z), z), linear)

    return lambda w, x: (equilibrium(w, x) ** 2).sum()


def pulled(L, fun, *primals, ct, has_aux=False):  # noqa: N803
    out, pullback, *aux = L.vjp(fun, *primals, has_aux=has_aux)
    return out, pullback(ct), aux


def pushed(L, fun, *primals, has_aux=False):  # noqa: N803
    out, tangents, *aux = L.linearize(fun, *primals, has_aux=has_aux)
    return out, tangents(*primals), aux


PROGRAMS = {
    "the last argument": lambda L: L.grad(product(L), -1)(X, X + 1),
    "the last argument of three": lambda L: L.grad(product(L), -1)(X, X + 1, 3.0),
    "two arguments": lambda L: L.grad(product(L), (-1, 0))(X, X + 1),
    "a list of arguments": lambda L: L.grad(product(L), [0, 1])(X, X + 1),
    "arguments by name": lambda L: L.grad(product(L))(X, y=X + 1, z=3.0),
    "aux": lambda L: L.grad(moments, has_aux=True)(X),
    "value and aux": lambda L: L.value_and_grad(moments, has_aux=True)(X),
    "three times": lambda L: L.grad(L.grad(L.grad(lambda x: x**5)))(2.0),
    "none among leaves": lambda L: L.grad(lambda p: (p[0] ** 2).sum())((X, None)),
    "jacrev with aux": lambda L: L.jacrev(lambda x: (x**2, x * 3), has_aux=True)(X),
    "jacfwd with aux": lambda L: L.jacfwd(lambda x: (x**2, x * 3), has_aux=True)(X),
    "hessian with aux": lambda L: L.hessian(lambda x: ((x**3).sum(), x * 3), has_aux=True)(X),
    "hessian of two arguments": lambda L: L.hessian(lambda x, y: (x**3 * y).sum(), argnums=(0, 1))(X, X + 1),
    "jacobian of containers": lambda L: L.jacrev(lambda p: {"o": p["a"] * p["b"].sum(), "q": p["a"][0]})(
        {"a": X, "b": X + 1}),
    "jacobian of containers, forward": lambda L: L.jacfwd(lambda p: (p["a"] * p["b"].sum(), p["a"][0]))(
        {"a": X, "b": X + 1}),
    "jacobian of a scalar": lambda L: (L.jacrev(L.np.sin)(1.0), L.jacfwd(L.np.sin)(1.0), L.hessian(L.np.sin)(1.0)),
    "jacobian of a constant": lambda L: L.jacrev(lambda x: L.np.ones(2))(X),
    "integers beside": lambda L: L.jacfwd(lambda x: (x, L.np.arange(3)))(X),
    "vjp of containers": lambda L: pulled(L, lambda x, y: {"a": x * y, "b": x.sum()}, X, X + 1,
                                          ct={"a": X, "b": L.np.array(2.0)}),
    "vjp with aux": lambda L: pulled(L, lambda x: (x * 2, x + 1), X, ct=X, has_aux=True),
    "vjp of nothing": lambda L: pulled(L, lambda: 3.0, ct=1.0)[:2],
    "jvp with aux": lambda L: L.jvp(lambda x: (x * 2, x + 1), (X,), (X,), has_aux=True),
    "jvp of containers": lambda L: L.jvp(lambda p: {"s": p["a"] * p["b"]}, ({"a": X, "b": 2.0},),
                                         ({"a": X, "b": 1.0},)),
    "jvp of lists": lambda L: L.jvp(L.np.multiply, [X, X], [X, X]),
    "linearize": lambda L: pushed(L, lambda x, y: {"a": x * y}, X, X + 1),
    "linearize with aux": lambda L: pushed(L, lambda x: (x * x, x), X, has_aux=True),
    "linear_transpose": lambda L: L.linear_transpose(lambda x: L.np.stack([x * 2, x]), X)(np.ones((2, 3))),
    "vmap by name": lambda L: L.vmap(lambda x, y: x * y)(X, y=X),
    "vmap beside a constant": lambda L: L.vmap(lambda x, y: x * y, (0, None))(X, 2.0),
    "axes of leaves": lambda L: L.vmap(lambda d: d["a"] * d["b"].sum(), ({"a": 0, "b": None},))({"a": X, "b": X}),
    "an axis for a container": lambda L: L.vmap(lambda d, e: d["a"] + e, (0, None))({"a": X}, 1.0),
    "axes of answers": lambda L: L.vmap(lambda x: {"a": x, "b": x * L.np.ones(2)}, out_axes={"a": 0, "b": -1})(X),
    "an answer without axis": lambda L: L.vmap(lambda x: (x, 3.0), out_axes=(0, None))(X),
    "the last axis": lambda L: L.vmap(lambda x: x.sum(), in_axes=-1)(M),
    "no argument": lambda L: L.vmap(lambda: 2.0, axis_size=3)(),
    "no mapped argument": lambda L: L.vmap(lambda x: x * 2.0, in_axes=None, axis_size=3)(2.0),
    "a list of axes": lambda L: L.vmap(lambda x, y: x + y, [0, 0])(X, X),
    "collectives": lambda L: L.vmap(lambda x: (L.psum(x, "i"), L.pmean(x, "i"), L.pmax(x, "i"), L.axis_index("i"),
                                               L.all_gather(x, "i")), axis_name="i")(X),
    "two axes": lambda L: L.vmap(L.vmap(lambda x: L.psum(x, ("i", "j")) + L.axis_index("j"), axis_name="i"),
                                 axis_name="j")(M),
    "exchanges": lambda L: L.vmap(
        lambda x: (L.all_to_all(x, "i", 0, 0), L.all_to_all(x, "i", 0, 0, tiled=True), L.axis_size("i") * x[0],
                   L.ppermute(x, "i", [(0, 1), (1, 0)])), axis_name="i")(M[:, :2]),
    "a constant summed": lambda L: L.vmap(lambda x: L.psum(1, "i") * x, axis_name="i")(X),
    "grad of collectives": lambda L: L.grad(
        lambda x: L.vmap(lambda x: L.psum(x**2, "i") * x, axis_name="i")(x).sum())(X),
    "collectives of grad": lambda L: L.vmap(L.grad(lambda x: L.psum(x**2, "i") * x), axis_name="i")(X),
    "scan": lambda L: L.scan(lambda c, x: (c + x, c * x), 0.0, X),
    "scan backwards": lambda L: L.scan(lambda c, x: (c * 2 + x, c * x), 1.0, X, reverse=True),
    "scan of a length": lambda L: L.scan(lambda c, _: (c * 2, c), 1.0, length=4),
    "scan unrolled": lambda L: L.scan(lambda c, x: (c * 2 + x, c), 1.0, X, unroll=2),
    "scan of containers": lambda L: L.scan(
        lambda c, x: ({"a": c["a"] + x[0], "b": c["b"] * x[1]}, (c["a"], None)), {"a": 0.0, "b": 1.0}, (X, X)),
    "scan without answers": lambda L: L.scan(lambda c, x: (c + x, None), 0.0, X),
    "grad of scan": lambda L: L.grad(lambda w: step(L)(w)[0])(1.5),
    "hessian of scan": lambda L: L.hessian(lambda w: step(L)(w)[1].sum())(1.5),
    "vmap of scan": lambda L: L.vmap(step(L))(X),
    "scan counting": lambda L: L.scan(lambda c, x: (c + 1, c * x), 0, X),
    "cond": lambda L: (L.cond(True, lambda a, b: a + b, lambda a, b: a - b, X, X), L.cond(False, lambda: 1.0,
                                                                                        lambda: 2.0)),
    "cond of numbers": lambda L: (L.cond(1, lambda a: a, lambda a: -a, X), L.cond(0.0, lambda a: a, lambda a: -a, X)),
    "cond of one operand": lambda L: L.cond(True, lambda a: a, lambda a: -a, operand=X),
    "grad of cond": lambda L: (L.grad(branch(L))(2.0), L.grad(branch(L))(-2.0)),
    "vmap of grad of cond": lambda L: L.vmap(L.grad(branch(L)))(X),
    "switch": lambda L: [choice(L)(i, 0.5) for i in (-1, 0, 2, 7)],
    "vmap of switch": lambda L: L.vmap(choice(L))(np.array([0, 1, 5]), X),
    "vmap of grad of switch": lambda L: L.vmap(L.grad(choice(L), 1))(np.array([0, 1, 5]), X),
    "while_loop": lambda L: L.while_loop(cond_fun=lambda c: c[0] < 5, body_fun=lambda c: (c[0] + 1, c[1] * 2),
                                         init_val=(0, 1.0)),
    "jvp of while_loop": lambda L: L.jvp(lambda x: L.while_loop(lambda c: c < 5, lambda c: c * x, x), (1.5,), (1.0,)),
    "fori_loop": lambda L: L.fori_loop(lower=0, upper=5, body_fun=lambda i, c: c * 2 + i, init_val=1.0),
    "fori_loop of nothing": lambda L: L.fori_loop(5, 0, lambda i, c: c * 2 + i, 1.0, unroll=2),
    "grad of fori_loop": lambda L: L.grad(lambda x: L.fori_loop(0, 3, lambda i, c: c * x, 1.0))(2.0),
    "reads in fori_loop": lambda L: L.grad(lambda x: L.fori_loop(0, 3, lambda i, c: c + x[i] * i, 0.0))(X),
    "map": lambda L: L.map(lambda x: {"s": x.sum(), "q": x * 2}, M),
    "map in batches": lambda L: L.map(lambda x: {"s": x.sum(), "q": x * 2}, M.T, batch_size=2),
    "associative_scan": lambda L: L.associative_scan(affine, {"a": M, "b": M + 1}, axis=1),
    "associative_scan backwards": lambda L: L.associative_scan(affine, {"a": M, "b": M + 1}, reverse=True),
    "grad of associative_scan": lambda L: L.grad(
        lambda e: (L.associative_scan(affine, e, axis=1)["b"] ** 2).sum())({"a": M, "b": M + 1}),
    "checkpoint": lambda L: L.grad(L.checkpoint(lambda x: (L.np.sin(x) ** 2).sum(), prevent_cse=False))(X),
    "static arguments": lambda L: L.grad(L.checkpoint(lambda x, flag: (x**2).sum() if flag else x.sum(),
                                                      static_argnums=(1,)))(X, True),
    "integers without values": lambda L: L.grad(lambda i, x: (x[i] ** 2).sum(), argnums=(0, 1), allow_int=True)(
        np.array([0, 1]), X)[1],
    "rows of integers": lambda L: L.jacrev(lambda i, x: x[i] ** 2, argnums=(0, 1), allow_int=True)(
        np.array([0, 1]), X)[1],
    "holomorphic": lambda L: (L.grad(lambda z: z**3, holomorphic=True)(1 + 1j),
                              L.jacfwd(lambda z: z**3, holomorphic=True)(np.array([1 + 1j, 2.0]))),
    "custom_vjp": lambda L: (L.grad(own_vjp(L), (0, 1))(2.0, 3.0), L.vmap(L.grad(own_vjp(L)))(X, X)),
    "custom_vjp beside a number": lambda L: L.grad(own_static(L), 1)(3, 2.0),
    "custom_jvp": lambda L: (L.grad(own_jvp(L))(1.0), L.jvp(own_jvp(L), (1.0,), (1.0,))),
    "custom_gradient": lambda L: L.grad(L.custom_gradient(lambda x, y: (x * y, lambda ct: (ct * y * 10, ct * x))),
                                        (0, 1))(3.0, 4.0),
    "custom_root": lambda L: (L.grad(root(L))(4.0), L.grad(L.grad(root(L)))(4.0), L.jvp(root(L), (4.0,), (1.0,)),
                              L.vmap(L.grad(root(L)))(np.array([1.0, 9.0]))),
    **{f"an equilibrium layer, {'iterated' if iterated else 'solved'}": lambda L, iterated=iterated: (
        L.grad(layer(L, iterated), (0, 1))(W, X[:2]), L.jacfwd(layer(L, iterated))(W, X[:2]),
        L.hessian(layer(L, iterated), 1)(W, X[:2]), L.vmap(L.grad(layer(L, iterated)), (None, 0))(W, np.eye(2)),
        L.jit(L.grad(layer(L, iterated)))(W, X[:2])) for iterated in (False, True)},
    "closure_convert": lambda L: L.grad(converted(L))(3.0),
    "stop_gradient": lambda L: L.grad(lambda p: (L.stop_gradient(p)["a"] * p["a"]).sum())({"a": X}),
    "tree.map": lambda L: L.tree.map(lambda a: 0 if a is None else a, {"a": 1.0, "b": None},
                                     is_leaf=lambda x: x is None),
    "tree.reduce": lambda L: L.tree.reduce(lambda a, b: a + b, [1, 2, 3], 10),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_gives_what_it_gives_under_jax(name):
    want, form = jax.tree.flatten(PROGRAMS[name](JAX))
    got, found = jax.tree.flatten(PROGRAMS[name](OURS))
    assert found == form
    for ours, theirs in zip(got, want, strict=True):
        assert np.shape(ours) == theirs.shape if hasattr(theirs, "shape") else np.shape(ours) == ()
        assert np.asarray(ours).dtype.kind == np.asarray(theirs).dtype.kind
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
