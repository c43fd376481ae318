"""`torch.func` on the tensors of `covector.compat.torch`, against PyTorch's."""

import numpy
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch
from mlp import LARGE, classification, parameters

import covector.compat.torch as compat

ROUNDS = 10


def cases() -> list[Timed]:
    rows = [("grad", _grad, 0.7), ("vmap-grad", _vmap_grad, 0.7), ("jacrev", _jacrev, 0.7), ("jvp", _jvp, 0.6)]
    title = "compat: torch.func {} of a function of 4 elements"
    return [
        *(_case(f"compat-func-{n}", title.format(n), make, limit) for n, make, limit in rows),
        _case("compat-func-mlp", "compat: torch.func.grad of MLP 784-256-256-10, batch 128, float32",
              _mlp, 1.0, tolerance=1e-3),
        *(_case(f"compat-func-mlp-{n}", f"compat: torch.func {n} of MLP 784-256-256-10, batch 128, float32",
                lambda library, n=n: _outputs(library, n), 1.0, tolerance=1e-3)
          for n in ("vmap-grad", "jacrev", "jvp")),
        _case("compat-dual", "compat: forward_ad of a chain of 40 operations on 4 elements, per operation", _dual, 0.6,
              4 * ROUNDS),
        _case("compat-dual-mlp", "compat: forward_ad of MLP 784-256-256-10, batch 128, float32", _dual_mlp, 0.6,
              tolerance=1e-3),
    ]


def _case(name, title, make, limit, per=1, tolerance=1e-9) -> Timed:
    sides = {COVECTOR: make(compat)}
    if torch is not None:
        sides[TORCH] = make(torch)
    return Timed(name, title, sides, arrays, (Bound(limit, TORCH),), per=per, tolerance=tolerance)


def _point(library, *shape):
    return library.tensor(numpy.linspace(0.1, 0.9, numpy.prod(shape)).reshape(shape))


def _grad(library):
    x, f = _point(library, 4), library.func.grad(lambda x: (library.sin(x) * x).sum())
    return lambda: f(x)


def _vmap_grad(library):
    x, f = _point(library, 8, 4), library.func.vmap(library.func.grad(lambda x: (library.sin(x) * x).sum()))
    return lambda: f(x)


def _jacrev(library):
    x, f = _point(library, 4), library.func.jacrev(lambda x: library.sin(x) * x)
    return lambda: f(x)


def _jvp(library):
    x = _point(library, 4)
    return lambda: library.func.jvp(lambda x: library.sin(x) * x, (x,), (x,))


def _mlp(library):
    p = {k: library.tensor(v) for k, v in parameters(LARGE, numpy.float32).items()}
    x, labels = (library.tensor(a) for a in classification(numpy.float32))

    def loss(p):
        h = library.relu(x @ p["w1"] + p["b1"])
        h = library.relu(h @ p["w2"] + p["b2"])
        return library.nn.functional.cross_entropy(h @ p["w3"] + p["b3"], labels)

    gradient = library.func.grad(loss)
    return lambda: gradient(p)


def _outputs(library, name):
    """The derivatives of the MLP's outputs by its inputs."""
    x, func = library.tensor(classification(numpy.float32)[0]), library.func
    logits = _logits(library)
    if name == "jvp":
        return lambda: func.jvp(logits, (x,), (x,))
    if name == "jacrev":
        jacobian, row = func.jacrev(logits), x[0]
        return lambda: jacobian(row)
    gradients = func.vmap(func.grad(lambda x: (logits(x) ** 2).sum()))
    return lambda: gradients(x)


def _logits(library):
    p = {k: library.tensor(v) for k, v in parameters(LARGE, numpy.float32).items()}

    def logits(x):
        h = library.tanh(x @ p["w1"] + p["b1"])
        return library.tanh(h @ p["w2"] + p["b2"]) @ p["w3"] + p["b3"]

    return logits


def _forward(library, f, x):
    """The value and the derivative along `x` itself."""
    forward_ad = library.autograd.forward_ad

    def run():
        with forward_ad.dual_level():
            value, dot = forward_ad.unpack_dual(f(forward_ad.make_dual(x, x)))
        return value, dot

    return run


def _dual(library):
    def chain(x):
        y = x
        for _ in range(ROUNDS):
            y = library.tanh(library.sin(y) * x) + 0.5
        return y

    return _forward(library, chain, _point(library, 4))


def _dual_mlp(library):
    return _forward(library, _logits(library), library.tensor(classification(numpy.float32)[0]))
