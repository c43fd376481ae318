"""The everyday operations of `covector.compat.torch` on small tensors, against PyTorch: the same lines on both."""

import numpy
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch

import covector.compat.torch as compat


def cases() -> list[Timed]:
    title = "compat: 24 everyday operations on 4 x 4 float32, {}, per operation"
    return [
        _case("compat-operations", title.format("forward and backward"), _both, 1.5),
        _case("compat-values", title.format("values in no_grad"), _values, 3.0),
    ]


def operations(library):
    """Functions of two matrices, a vector and integers."""
    f = library.nn.functional
    return [
        lambda x, y, v, k: library.softmax(x, 1),
        lambda x, y, v, k: f.log_softmax(x, dim=-1),
        lambda x, y, v, k: library.cat([x, y]),
        lambda x, y, v, k: library.stack((x, y), 1),
        lambda x, y, v, k: x.sum(1),
        lambda x, y, v, k: x.mean(dim=0, keepdim=True),
        lambda x, y, v, k: x.reshape(2, 8),
        lambda x, y, v, k: x.transpose(0, 1),
        lambda x, y, v, k: library.index_select(x, 0, k),
        lambda x, y, v, k: x.gather(1, k.reshape(4, 1)),
        lambda x, y, v, k: f.linear(x, y, v),
        lambda x, y, v, k: f.mse_loss(x, y),
        lambda x, y, v, k: f.cross_entropy(x, k),
        lambda x, y, v, k: library.relu(x),
        lambda x, y, v, k: library.sigmoid(x),
        lambda x, y, v, k: x.clamp(-0.5, 0.5),
        lambda x, y, v, k: x.amax(1),
        lambda x, y, v, k: x.norm(),
        lambda x, y, v, k: f.layer_norm(x, (4,), v, v),
        lambda x, y, v, k: library.bmm(x[None], y[None]),
        lambda x, y, v, k: library.einsum("ij,kj->ik", x, y),
        lambda x, y, v, k: library.where(x > 0, x, y),
        lambda x, y, v, k: f.embedding(k, x),
        lambda x, y, v, k: f.gelu(x),
    ]


COUNT = len(operations(compat))


def _operands(library, requires_grad):
    rng = numpy.random.default_rng(0)
    leaves = [library.tensor(rng.standard_normal(s).astype(numpy.float32), requires_grad=requires_grad)
              for s in ((4, 4), (4, 4), (4,))]
    return [*leaves, library.tensor(numpy.array([2, 0, 3, 1]))]


def _both(library):
    operands, functions = _operands(library, True), operations(library)
    seeds = [library.ones_like(f(*operands)).detach() for f in functions]

    def step():
        for t in operands[:3]:
            t.grad = None
        for f, seed in zip(functions, seeds):
            f(*operands).backward(seed)
        return [t.grad for t in operands[:3]]

    return step


def _values(library):
    operands, functions = _operands(library, True), operations(library)

    def step():
        with library.no_grad():
            return [f(*operands) for f in functions]

    return step


def _case(name, title, make, limit) -> Timed:
    sides = {COVECTOR: make(compat)}
    if torch is not None:
        sides[TORCH] = make(torch)
    return Timed(name, title, sides, arrays, (Bound(limit, TORCH),), per=COUNT, tolerance=1e-4)
