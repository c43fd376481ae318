"""Random functions under random nests of transforms: the same values and gradients as PyTorch."""

import random

import numpy as np
import pytest

import covector.compat.torch as compat

W = (np.arange(9.0).reshape(3, 3) - 4) / 8


def square(torch):
    """A Function with a generated vmap rule; PyTorch's forward mode drops derivatives of its jvp, so it gets `x * "
      "x`."""
    if torch is not compat:
        return lambda x: x * x

    class Square(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])
            ctx.save_for_forward(inputs[0])

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

        @staticmethod
        def jvp(ctx, dx):
            return 2 * dx * ctx.saved_tensors[0]

    return Square.apply


def written(x):
    y = x * 1.0
    y.mul_(2).add_(x)
    y[0] = x[1] * x[2]
    y[1:].mul_(0.5)
    return y


def filled(torch, x):
    z = torch.zeros_like(x)
    z[1] = x[0]
    return z.add_(x)


def unrecorded(torch, x):
    with torch.no_grad():
        c = x * 2
    return x * c


STEPS = {
    "sin": lambda t, x, c: x.sin(), "exp": lambda t, x, c: (x * 0.3).exp(), "product": lambda t, x, c: x * x.cos(),
    "constant": lambda t, x, c: x + t.tensor([0.1, 0.2, 0.3]), "roll": lambda t, x, c: t.roll(x, 1, 0),
    "written": lambda t, x, c: written(x), "matmul": lambda t, x, c: t.tensor(W) @ x,
    "sum": lambda t, x, c: x * x.sum().tanh(), "where": lambda t, x, c: t.where(x > 0.2, x * 2, x.sin()),
    "cumsum": lambda t, x, c: x.cumsum(0) * 0.5, "softmax": lambda t, x, c: t.softmax(x, 0) * 2,
    "stack": lambda t, x, c: t.stack([x[2], x[0], x[1] * x[0]]), "norm": lambda t, x, c: x / (1 + (x * x).sum()).sqrt(),
    "power": lambda t, x, c: x ** 2 * 0.5, "captured": lambda t, x, c: x * c, "filled": lambda t, x, c: filled(t, x),
    "max": lambda t, x, c: x * x.max() * 0.5, "expand": lambda t, x, c: x[:1].expand(3) * x,
    "outer": lambda t, x, c: (x[:, None] * x[None, :]).t()[0] + x, "detach": lambda t, x, c: x * x.detach(),
    "unrecorded": lambda t, x, c: unrecorded(t, x), "cat": lambda t, x, c: t.cat([x[1:] * 2, x[:1]]),
    "function": lambda t, x, c: square(t)(x) + x, "inplace": lambda t, x, c: x.clone().sigmoid_() + x,
}

TRANSFORMS = {
    "grad": lambda t, f, d: lambda x, c: t.func.grad(lambda y: f(y, c).sum())(x),
    "grad of the other": lambda t, f, d: lambda x, c: t.func.grad(lambda e: (f(x, e) * f(x, e)).sum())(c),
    "jvp": lambda t, f, d: lambda x, c: t.func.jvp(lambda y: f(y, c), (x,), (t.tensor(d),))[1],
    "vjp": lambda t, f, d: lambda x, c: t.func.vjp(lambda y: f(y, c), x)[1](t.tensor(d))[0],
    "jacrev": lambda t, f, d: lambda x, c: t.func.jacrev(lambda y: f(y, c))(x).sum(0),
    "jacfwd": lambda t, f, d: lambda x, c: t.func.jacfwd(lambda y: f(y, c))(x).sum(1),
    "hessian": lambda t, f, d: lambda x, c: t.func.hessian(lambda y: f(y, c).sum())(x)[0],
    "vmap": lambda t, f, d: lambda x, c: t.func.vmap(lambda s: f(x * s, c))(t.tensor(d)).sum(0),
    "vmap of the other": lambda t, f, d: lambda x, c: t.func.vmap(lambda s: f(x, c * s))(t.tensor(d)).sum(0),
    "vmap along 1": lambda t, f, d: lambda x, c: t.func.vmap(lambda s: f(s, c), in_dims=1, chunk_size=2)(
        x[:, None] * t.tensor(d)[None]).mean(0),
}


def program(seed):
    """The steps, the transforms, their directions, and the arguments."""
    r = random.Random(seed)
    numbers = lambda: [r.uniform(-1, 1) for _ in range(3)]  # noqa: E731
    steps = [r.choice(list(STEPS)) for _ in range(r.randint(1, 4))]
    transforms = [(r.choice(list(TRANSFORMS)), numbers()) for _ in range(r.randint(1, 3))]
    return steps, transforms, numbers(), numbers(), r.random() < 0.5


def answers(torch, steps, transforms, x, c, backward):
    """The value, and its gradients where it has any."""
    def f(x, c):
        for step in steps:
            x = STEPS[step](torch, x, c)
        return x

    for name, direction in transforms:
        f = TRANSFORMS[name](torch, f, direction)
    x, c = torch.tensor(x), torch.tensor(c)
    if backward:
        x.requires_grad_()
        c.requires_grad_()
    out = f(x, c)
    found = [out.detach().tolist(), [0.0] * 3, [0.0] * 3]
    if out.requires_grad:
        for i, g in enumerate(torch.autograd.grad(out.sum(), (x, c), allow_unused=True)):
            found[i + 1] = [0.0] * 3 if g is None else g.tolist()
    return np.array(found)


@pytest.fixture
def doubles():
    """Double precision by default, in both libraries."""
    torch = pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
    before = [(t, t.get_default_dtype()) for t in (torch, compat)]
    for t, _ in before:
        t.set_default_dtype(t.float64)
    yield torch
    for t, dtype in before:
        t.set_default_dtype(dtype)


# What PyTorch itself cannot do: tangents of zeros, and writes of batched tangents.
LIMITS = ("ZeroTensors are immutable", "unallocated storage", "vmap: inplace arithmetic")


@pytest.mark.reference
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.parametrize("block", range(8))
def test_random_nests_agree_with_pytorch(block, doubles):
    compared = 0
    for seed in range(block * 25, block * 25 + 25):
        what = program(seed)
        try:
            theirs = answers(doubles, *what)
        except RuntimeError as error:
            if any(limit in str(error) for limit in LIMITS):
                continue
            raise
        ours = answers(compat, *what)
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8, err_msg=str(what))
        compared += 1
    assert compared > 15
