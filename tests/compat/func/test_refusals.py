"""What torch.func refuses, and with which words."""

import functools

import pytest

import covector.compat.torch as compat
from harness import attempt, message


def script_refusals(torch):
    x = torch.tensor([1.0, 2.0])
    w = torch.ones(2)
    f = torch.func
    return [
        attempt(lambda: f.grad(lambda v: v * 2)(x)), attempt(lambda: f.grad(lambda v: 3.0)(x)),
        attempt(lambda: f.grad(lambda v: w.add_(v).sum())(x))[:2],
        attempt(lambda: f.vmap(lambda v: w.add_(v))(torch.ones(3, 2)))[:2],
        attempt(lambda: f.vmap(lambda v: v.item())(x))[:2], attempt(lambda: f.vmap(lambda v: v if v > 0 else v)(x))[:2],
        attempt(lambda: f.vmap(lambda v: v)(torch.tensor(1.0)))[:2],
        attempt(lambda: f.vmap(lambda a, b: a)(torch.ones(2), torch.ones(3)))[:2],
        attempt(lambda: f.grad(lambda v: v.requires_grad_().sum())(x))[:2],
        attempt(lambda: f.jvp(lambda v: v, x, x))[:2],
    ]


def pair(torch):
    return torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, -1.0, 2.0])


def scale(v):
    return v * 2


def script_refusals_of_grad(torch):
    f = torch.func
    x, y = pair(torch)
    n = torch.tensor([1, 2, 3])
    out = []
    for g in (f.grad, f.grad_and_value):
        out += [message(lambda: g(scale)(x)), message(lambda: g(lambda v: 3.0)(x)),
                message(lambda: g(lambda v: None)(x)),
                message(lambda: g(lambda v: v.sum(), has_aux=True)(x)), message(lambda: g(lambda v: v.sum())(3.0)),
                message(lambda: g(lambda v: (v * 1.0).sum())(n)), message(lambda: g(lambda v: v.sum(), argnums=1)(x)),
                message(lambda: g(lambda v: v.sum(), argnums=())(x)),
                message(lambda: g(lambda v: v.sum(), argnums=(0, 0))(x)),
                message(lambda: g(lambda v: v.sum(), argnums=(0, -1))(x)),
                message(lambda: g(lambda v: v.sum(), argnums="x")(x)),
                message(lambda: g(lambda v: v.sum(), argnums=("x",))(x)),
                message(lambda: g(lambda v: v.sum(), argnums=[0])(x)),
                message(lambda: g(lambda v: (v.sum(), 3.0), has_aux=True)(x)), message(lambda: g(lambda v: v.sum())()),
                message(lambda: g(lambda d: d["a"].sum())({"a": x, "n": 3}))]
    return out


def script_refusals_of_vjp_and_jvp(torch):
    f = torch.func
    x, y = pair(torch)
    n = torch.tensor([1, 2, 3])
    pull = f.vjp(lambda v: (v, v * 2), x)[1]
    out = [message(lambda: f.vjp(lambda v: 3.0, x)), message(lambda: f.vjp(lambda v: None, x)),
           message(lambda: f.vjp(lambda v: (), x)), message(lambda: f.vjp(lambda v: v > 0, x)),
           message(lambda: f.vjp(scale, n)), message(lambda: f.vjp(scale, 3.0)),
           message(lambda: f.vjp(scale, x, has_aux=True)),
           message(lambda: pull(x)), message(lambda: pull([x, x])), attempt(lambda: pull((x, torch.ones(2))))[:2],
           message(lambda: f.vjp(lambda v: (v, 3.0), x, has_aux=True)), message(lambda: f.vjp(lambda v: (v, 3.0), x))]
    out += [message(lambda: f.jvp(scale, x, x)), message(lambda: f.jvp(scale, (x,), x)),
            message(lambda: f.jvp(scale, (x,), [x])),
            message(lambda: f.jvp(scale, (x,), (x, x))), message(lambda: f.jvp(scale, (), ())),
            message(lambda: f.jvp(scale, (3.0,), (x,))), message(lambda: f.jvp(scale, (x,), (3.0,))),
            message(lambda: f.jvp(scale, (n,), (x,))), message(lambda: f.jvp(scale, (x,), (n,))),
            message(lambda: f.jvp(scale, (x,), (torch.ones(2),))), message(lambda: f.jvp(lambda v: 3.0, (x,), (x,))),
            message(lambda: f.jvp(lambda v: torch.ones(2), (x,), (x,), strict=True)),
            message(lambda: f.jvp(lambda v: torch.ones(2), (x,), (x,))),
            message(lambda: f.jvp(scale, (x,), (x,), has_aux=True)),
            message(lambda: f.jvp(lambda v: (v, 3.0), (x,), (x,), has_aux=True)),
            message(lambda: f.jvp(lambda v: (v, 3), (x,), (x,)))]
    return out


def script_refusals_of_jacobians(torch):
    f = torch.func
    x, y = pair(torch)
    z = torch.tensor([1 + 2j])
    return (message(lambda: f.jacrev(scale, chunk_size=0)), message(lambda: f.jacrev(scale)(z)),
            message(lambda: f.jacfwd(scale)(z)), message(lambda: f.jacrev(lambda v: torch.complex(v, v))(x)),
            message(lambda: f.jacrev(scale, argnums=2)(x)), message(lambda: f.jacfwd(scale, argnums=2)(x)),
            message(lambda: f.jacrev(lambda v: 3.0)(x)), message(lambda: f.jacrev(scale)(3.0)),
            message(lambda: f.jacfwd(scale, randomness="x")(x)))


def script_refusals_of_vmap(torch):
    v = torch.func.vmap
    x = torch.arange(6.0).reshape(2, 3)

    class Callable:
        def __call__(self, a):
            return 3.0

        def __repr__(self):
            return "Callable()"

    return (message(lambda: v(scale)()), message(lambda: v(scale, in_dims=None)(x)),
            message(lambda: v(scale, in_dims=[0])(x)),
            message(lambda: v(scale, in_dims=(0, 0))(x)), message(lambda: v(scale, in_dims=("a",))(x)),
            message(lambda: v(scale, in_dims=(None,))(x)), message(lambda: v(scale)(3.0)),
            message(lambda: v(scale, in_dims=2)(x)),
            message(lambda: v(scale, in_dims=-3)(x)), message(lambda: v(scale, in_dims=({"a": 0},))(x)),
            message(lambda: v(lambda a, b: a)(x, torch.ones(3))), message(lambda: v(scale, out_dims="a")(x)),
            message(lambda: v(scale, out_dims=(0, 1))(x)), message(lambda: v(scale, out_dims=None)(x)),
            message(lambda: v(lambda a: (a, a), out_dims=(0, 1, 0))(x)), message(lambda: v(lambda a: 3.0)(x)),
            message(lambda: v(lambda a: (a, 3.0))(x)), message(lambda: v(lambda a: None)(x)),
            message(lambda: v(Callable())(x)),
            message(lambda: v(functools.partial(lambda b, a: 3.0, 1))(x)), message(lambda: v(scale, randomness="x")(x)),
            message(lambda: v(scale, chunk_size=0)(x)), message(lambda: v(scale)(torch.tensor(1.0))),
            message(lambda: v(scale, out_dims=(0.5,))(x)))


def test_complex_tangent_of_a_real_primal_is_refused():
    x = compat.ones(2)
    with pytest.raises(RuntimeError, match="tangent of a real tensor to be real"):
        compat.func.jvp(lambda v: v, (x,), (x * 1j,))
    z = x * 1j
    assert compat.func.jvp(lambda v: v * 2, (z,), (x,))[1].tolist() == [2, 2]
