"""The stateful layer in every mode that programs use, against PyTorch: four small programs in each of them."""

import threading
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch

import covector.compat.torch as compat

LIMIT, SLOW = 0.7, 1.0


class Program(NamedTuple):
    """`fun(library, *leaves)` gives a scalar; `leaves` are arrays; `per` operations in one call."""

    name: str
    leaves: Sequence[numpy.ndarray]
    fun: Callable[..., Any]
    per: int


def _chain(library, x):
    y = x
    for _ in range(10):
        y = library.sin(y)
        y = y * x
        y = library.tanh(y)
        y = y + 0.5
    return y.sum()


def _broadcast(library, x, row, column):
    y = x
    for _ in range(10):
        y = y * row
        y = y + column
        y = library.exp(-y)
        y = y - row
    return y.sum()


def _views(library, x):
    y = x * 2.0
    for k in range(5):
        y[k : k + 2].mul_(0.5)
        y[k] = y[k + 1] * 3.0
        y.view(2, 4).t()[0].add_(1.0)
    return y.sum()


def _mlp(library, w1, b1, w2, b2, w3, b3):
    x, y = library.batch
    h = library.tanh(library.addmm(b1, x, w1))
    h = library.tanh(library.addmm(b2, h, w2))
    return library.nn.functional.mse_loss(library.addmm(b3, h, w3), y)


def programs() -> list[Program]:
    rng = numpy.random.default_rng(0)
    sizes = (4, 32, 32, 1)
    weights = []
    for n, m in zip(sizes, sizes[1:], strict=False):
        weights += [rng.normal(size=(n, m)) / n**0.5, rng.normal(size=m) * 0.1]
    return [
        Program("chain", [numpy.linspace(0.1, 0.9, 4)], _chain, 40),
        Program("broadcast", [rng.random((3, 4)), rng.random(4), rng.random((3, 1))], _broadcast, 40),
        Program("views", [numpy.linspace(0.1, 0.9, 8)], _views, 30),
        Program("mlp", weights, _mlp, 1),
    ]


class Side:
    """A program in one library: its leaves as tensors, and the batch of the network."""

    def __init__(self, library: ModuleType, program: Program):
        rng = numpy.random.default_rng(1)
        x = rng.normal(size=(32, 4))
        self.library, self.nn, self.fun = library, library.nn, program.fun
        self.batch = library.tensor(x), library.tensor(numpy.sin(x.sum(1, keepdims=True)))
        self.leaves = [library.tensor(a, requires_grad=True) for a in program.leaves]
        for name in ("sin", "tanh", "exp", "addmm"):
            setattr(self, name, getattr(library, name))

    def loss(self, *leaves):
        return self.fun(self, *(leaves or self.leaves))

    def clear(self):
        for t in self.leaves:
            t.grad = None

    def grads(self):
        return [t.grad for t in self.leaves]


def _recording(side):
    def step():
        return side.loss().detach()

    return step


def _within(mode):
    def make(side):
        manager = getattr(side.library, mode)

        def step():
            with manager():
                return side.loss()

        return step

    return make


def _backward(**options):
    def make(side):
        def step():
            side.clear()
            side.loss().backward(**options)
            return side.grads()

        return step

    return make


def _backward_of_inputs(side):
    def step():
        side.clear()
        side.loss().backward(inputs=side.leaves)
        return side.grads()

    return step


def _autograd_grad(**options):
    def make(side):
        def step():
            return side.library.autograd.grad(side.loss(), side.leaves, **options)

        return step

    return make


def _create_graph(side):
    def step():
        gradients = side.library.autograd.grad(side.loss(), side.leaves, create_graph=True)
        return [g.detach() for g in gradients]

    return step


def _twice(side):
    def step():
        gradients = side.library.autograd.grad(side.loss(), side.leaves, create_graph=True)
        return side.library.autograd.grad(sum((g * g).sum() for g in gradients), side.leaves)

    return step


def _hooks(side):
    side.leaves[-1].register_hook(lambda g: None)
    return _backward()(side)


def _anomaly(side):
    run = _backward()(side)

    def step():
        with side.library.autograd.detect_anomaly(check_nan=True):
            return run()

    return step


def _saved_hooks(side):
    run = _backward()(side)

    def step():
        with side.library.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            return run()

    return step


def _dual(side):
    forward = side.library.autograd.forward_ad
    plain = [t.detach() for t in side.leaves]
    tangents = [side.library.ones_like(t) for t in plain]

    def step():
        with forward.dual_level():
            duals = [forward.make_dual(t, v) for t, v in zip(plain, tangents, strict=True)]
            return list(forward.unpack_dual(side.loss(*duals)))

    return step


def _func_grad(side):
    plain = [t.detach() for t in side.leaves]
    gradient = side.library.func.grad(side.loss, argnums=tuple(range(len(plain))))
    return lambda: gradient(*plain)


def _func_vmap(side):
    plain = [side.library.stack([t.detach()] * 3) for t in side.leaves]
    mapped = side.library.func.vmap(side.loss)
    return lambda: mapped(*plain)


def _subclass(side):
    class Mine(side.library.Tensor):
        pass

    side.leaves = [t.detach().as_subclass(Mine).requires_grad_() for t in side.leaves]
    run = _backward()(side)

    def step():
        return [g.as_subclass(side.library.Tensor) for g in run()]

    return step


def _threads(side):
    """Two threads, each with leaves of its own; both libraries start them anew."""
    leaves = [[t.detach().clone().requires_grad_() for t in side.leaves] for _ in range(2)]

    def work(mine):
        for _ in range(20):
            for t in mine:
                t.grad = None
            side.loss(*mine).backward()

    def step():
        started = [threading.Thread(target=work, args=(mine,)) for mine in leaves]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()
        return [t.grad for t in leaves[0]]

    return step


MODES = {
    "recording": (_recording, LIMIT),
    "no_grad": (_within("no_grad"), LIMIT),
    "inference_mode": (_within("inference_mode"), LIMIT),
    "backward": (_backward(), LIMIT),
    "autograd.grad": (_autograd_grad(), LIMIT),
    "backward(inputs=)": (_backward_of_inputs, LIMIT),
    "retain_graph": (_backward(retain_graph=True), LIMIT),
    "create_graph": (_create_graph, LIMIT),
    "twice": (_twice, LIMIT),
    "hooks": (_hooks, LIMIT),
    "anomaly": (_anomaly, SLOW),
    "saved_tensors_hooks": (_saved_hooks, SLOW),
    "dual numbers": (_dual, LIMIT),
    "func.grad": (_func_grad, LIMIT),
    "func.vmap": (_func_vmap, LIMIT),
    "subclass": (_subclass, LIMIT),
    "two threads": (_threads, LIMIT),
}


def cases() -> list[Timed]:
    """A row for each program in each mode."""
    found = []
    for program in programs():
        for name, (make, limit) in MODES.items():
            if (program.name, name) == ("views", "twice"):
                continue  # it is linear: its gradient has no history
            sides = {COVECTOR: make(Side(compat, program))}
            if torch is not None:
                sides[TORCH] = make(Side(torch, program))
            row = f"mode-{program.name}-{name.replace(' ', '-')}"
            found.append(Timed(row, f"{program.name}: {name}", sides, arrays, (Bound(limit, TORCH),), tolerance=1e-9))
    return found
