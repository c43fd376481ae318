"""Random functions under random nests of transforms: the same values and gradients as PyTorch."""

import random

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import close, pytorch

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


def strided(x):
    y = x * 1.5
    y[0, 1:].mul_(2)
    y[:, 0] = x[:, 1] * x[:, 2]
    y.t()[1].add_(x[1, 0])
    return y


def diagonals(x):
    y = x.new_zeros(2, 3)
    y.view(-1)[::2].add_(x.reshape(-1)[1::2])
    y.diagonal().mul_(3).add_(x[0, :2])
    return y + x


def rows_exchanged(x):
    y = x.clone()
    a, b = y[0], y[1]
    a.copy_(b * 2)
    b.sub_(a)
    return y


def masked(x):
    return x.sin().masked_fill_(x > 0.3, 0.5).clamp_(-0.7, 0.9)


def put(torch, x):
    y = x.new_zeros(2, 3)
    y[:, torch.tensor([2, 0])] = x[:, :2]
    y.transpose(0, 1).add_(x.t())
    return y


MATRICES = {
    "sin": lambda t, x, c: x.sin(), "matmul": lambda t, x, c: x @ t.tensor(W), "gram": lambda t, x,
    c: (x.t() @ x)[:2] * 0.3,
    "softmax": lambda t, x, c: t.softmax(x, 1), "logsumexp": lambda t, x, c: x - t.logsumexp(x, 1, keepdim=True),
    "sum": lambda t, x, c: x * x.sum(0), "mean": lambda t, x, c: x + x.mean(1, keepdim=True) * x,
    "var": lambda t, x, c: x / (1 + x.var(1, keepdim=True)), "max": lambda t, x, c: x * x.max(1, keepdim=True).values,
    "sort": lambda t, x, c: x.sort(1).values * x, "cumsum": lambda t, x, c: x.cumsum(1) * 0.4,
    "prod": lambda t, x, c: x * x.prod(1, keepdim=True), "einsum": lambda t, x, c: t.einsum("ij,ik->jk", x, x)[:2],
    "cat": lambda t, x, c: t.cat([x[:, 1:], x[:, :1] * 2], 1), "stack": lambda t, x, c: t.stack([x[1], x[0].cos()]),
    "flip": lambda t, x, c: x.flip(1) * x, "where": lambda t, x, c: t.where(x > c, x, c * x), "captured": lambda t, x,
    c: x * c + c,
    "gather": lambda t, x, c: t.gather(x, 1, t.tensor([[2, 0, 0], [1, 1, 2]])), "index": lambda t, x,
    c: x[:, t.tensor([1, 0, 1])] * x,
    "norm": lambda t, x, c: x / (1 + x.norm()), "expand": lambda t, x, c: x[:1].expand(2, 3) * x, "strided": lambda t,
    x, c: strided(x),
    "diagonals": lambda t, x, c: diagonals(x), "rows": lambda t, x, c: rows_exchanged(x), "masked": lambda t, x,
    c: masked(x),
    "put": lambda t, x, c: put(t, x), "unrecorded": lambda t, x, c: unrecorded(t, x), "detach": lambda t, x,
    c: x * x.detach(),
    "linear": lambda t, x, c: t.nn.functional.linear(x, t.tensor(W), c[0]), "gelu": lambda t, x,
    c: t.nn.functional.gelu(x),
    "loss": lambda t, x, c: x * t.nn.functional.cross_entropy(x, t.tensor([1, 2])), "chunk": lambda t, x,
    c: t.cat(x.chunk(2, 0)[::-1]),
    "conv": lambda t, x, c: t.nn.functional.conv1d(x[None], t.tensor(W)[:2, :2][:, :, None])[0],
    "pad": lambda t, x, c: t.nn.functional.pad(x, (1, 0))[:, :3], "tril": lambda t, x, c: x + x.tril() * x,
    "outer": lambda t, x, c: t.outer(x[0], x[1])[:2], "power": lambda t, x, c: (x.abs() + 0.5) ** c.abs(),
    "atan2": lambda t, x, c: t.atan2(x, c), "written": lambda t, x, c: t.stack([written(x[0]), written(x[1])]),
}
TRANSFORMS = {
    "grad": lambda t, f, d: lambda x, c: t.func.grad(lambda y: f(y, c).sum())(x),
    "grad of the other": lambda t, f, d: lambda x, c: t.func.grad(lambda e: (f(x, e) * f(x, e)).sum())(c),
    "jvp": lambda t, f, d: lambda x, c: t.func.jvp(lambda y: f(y, c), (x,), (t.tensor(d).expand_as(x),))[1],
    "jvp of both": lambda t, f, d: lambda x, c: t.func.jvp(f, (x, c), (t.tensor(d).expand_as(x), x.cos()))[1],
    "vjp": lambda t, f, d: lambda x, c: t.func.vjp(lambda y: f(y, c), x)[1](t.tensor(d) * t.ones_like(x))[0],
    "jacrev": lambda t, f, d: lambda x, c: t.func.jacrev(lambda y: f(y, c))(x).flatten(0, x.ndim - 1).sum(0),
    "jacfwd": lambda t, f, d: lambda x, c: t.func.jacfwd(lambda y: f(y, c))(x).flatten(x.ndim).sum(-1),
    "hessian": lambda t, f, d: lambda x, c: t.func.hessian(lambda y: f(y, c).sum())(x).flatten(0, x.ndim - 1)[1],
    "vmap": lambda t, f, d: lambda x, c: t.func.vmap(lambda s: f(x * s, c))(t.tensor(d)).sum(0),
    "vmap of the other": lambda t, f, d: lambda x, c: t.func.vmap(lambda s: f(x, c * s))(t.tensor(d)).sum(0),
    "vmap along 1": lambda t, f, d: lambda x, c: t.func.vmap(lambda s: f(s, c), in_dims=1, chunk_size=2)(
        x[:, None] * t.tensor(d).reshape(-1, *[1] * (x.ndim - 1))[None]).mean(0),
    "vmap of both": lambda t, f, d: lambda x, c: t.func.vmap(f, in_dims=(-1, 0), out_dims=-1)(
        x[..., None] * t.tensor(d), c * t.tensor(d).reshape(-1, *[1] * x.ndim)).mean(-1),
}


def program(seed, family, shape):
    """The steps, the transforms, their directions, and the arguments."""
    r = random.Random(seed)
    numbers = lambda: [r.uniform(-1, 1) for _ in range(3)]  # noqa: E731
    steps = [r.choice(list(family)) for _ in range(r.randint(1, 4))]
    transforms = [(r.choice(list(TRANSFORMS)), numbers()) for _ in range(r.randint(1, 3))]
    point = lambda: np.array([numbers(), numbers()]).ravel()[: int(np.prod(shape))].reshape(shape).tolist()  # noqa: E731
    return steps, transforms, point(), point(), r.random() < 0.5


def answers(torch, family, steps, transforms, x, c, backward):
    """The value, and its gradients where it has any."""
    def f(x, c):
        for step in steps:
            x = family[step](torch, x, c)
        return x

    for name, direction in transforms:
        f = TRANSFORMS[name](torch, f, direction)
    x, c = torch.tensor(x), torch.tensor(c)
    if backward:
        x.requires_grad_()
        c.requires_grad_()
    out = f(x, c)
    found = [out.detach().tolist(), np.zeros(x.shape), np.zeros(x.shape)]
    if out.requires_grad:
        for i, g in enumerate(torch.autograd.grad(out.sum(), (x, c), allow_unused=True)):
            found[i + 1] = np.zeros(x.shape) if g is None else g.tolist()
    return np.array(found)


@pytest.fixture
def doubles():
    """Double precision by default, in both libraries."""
    torch = pytorch()
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
@pytest.mark.parametrize(("family", "shape"), [(STEPS, (3,)), (MATRICES, (2, 3))], ids=["vectors", "matrices"])
def test_random_nests_agree_with_pytorch(family, shape, block, doubles):
    compared = 0
    for seed in range(block * 25, block * 25 + 25):
        what = program(seed, family, shape)
        try:
            theirs = answers(doubles, family, *what)
        except RuntimeError as error:
            if any(limit in str(error) for limit in LIMITS):
                continue
            raise
        ours = answers(compat, family, *what)
        assert close(ours, theirs, "float64"), (what, ours, theirs)
        compared += 1
    assert compared > 15


def pushed(torch, family, steps, x, c, both, recorded, nested):
    """Value and tangent of a function of dual tensors, and the gradient of the value where it is recorded."""
    forward_ad = torch.autograd.forward_ad
    x, c, dx = torch.tensor(x), torch.tensor(c), torch.tensor(c).cos()
    leaf = x.requires_grad_() if recorded else None
    with forward_ad.dual_level():
        x = forward_ad.make_dual(x, dx)
        if both:
            c = forward_ad.make_dual(c, c.sin())
        if nested:  # a level of func inside the dual level: the tangents pass it by
            x = torch.func.vmap(torch.sin)(x) * x
        for step in steps:
            x = family[step](torch, x, c)
        value, tangent = forward_ad.unpack_dual(x)
    found = [value.detach().tolist(), np.zeros(value.shape).tolist() if tangent is None else tangent.detach().tolist()]
    if recorded and value.requires_grad:
        found.append(torch.autograd.grad(value.sum(), leaf)[0].tolist())
    return np.array(found)


@pytest.mark.reference
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.parametrize(("family", "shape"), [(STEPS, (3,)), (MATRICES, (2, 3))], ids=["vectors", "matrices"])
def test_random_functions_of_dual_tensors_agree_with_pytorch(family, shape, doubles):
    compared = 0
    for seed in range(150):
        steps, _, x, c, both = program(seed, family, shape)
        recorded, nested = seed % 3 == 0, seed % 4 == 0
        try:
            theirs = pushed(doubles, family, steps, x, c, both, recorded, nested)
        except RuntimeError as error:
            if any(limit in str(error) for limit in LIMITS):
                continue
            raise
        for _ in range(3):  # by the general path, beside the making of programs, by programs
            ours = pushed(compat, family, steps, x, c, both, recorded, nested)
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8, err_msg=str((seed, steps, both)))
        compared += 1
    assert compared > 100
