"""Single operations of networks on larger arrays, the stateful layer against PyTorch: forward, and with backward."""

from types import ModuleType

import numpy
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch

import covector.compat.torch as compat

LIMIT = 1.5
ACTIVATIONS = ("relu relu6 leaky_relu elu selu celu gelu silu mish hardtanh hardswish hardsigmoid softshrink "
               "hardshrink tanhshrink softplus softsign logsigmoid sigmoid tanh threshold").split()


def _random(*shape):
    return numpy.random.default_rng(0).normal(size=shape).astype(numpy.float32)


def _places(*shape):
    return numpy.random.default_rng(1).uniform(-1, 1, shape).astype(numpy.float32)


def _spd(n):
    a = numpy.random.default_rng(2).normal(size=(n, n))
    return a @ a.T + n * numpy.eye(n)


def _activation(name):
    given = (0.1, 0.0) if name == "threshold" else ()

    def call(library, x):
        fun = getattr(library.nn.functional, name)
        return fun(x, *given)

    return call


def _labels(library, n, classes):
    return library.from_numpy(numpy.random.default_rng(3).integers(0, classes, n))


OPERATIONS = {
    **{name: (_activation(name), [_random(256, 512)]) for name in ACTIVATIONS},
    "gelu-tanh": (lambda lib, x: lib.nn.functional.gelu(x, approximate="tanh"), [_random(256, 512)]),
    "softmax": (lambda lib, x: lib.softmax(x, -1), [_random(256, 512)]),
    "log_softmax": (lambda lib, x: lib.log_softmax(x, -1), [_random(256, 512)]),
    "batch_norm": (lambda lib, x, w, b: lib.nn.functional.batch_norm(x, None, None, w, b, training=True),
                   [_random(16, 16, 28, 28), _random(16), _random(16)]),
    "layer_norm": (lambda lib, x, w, b: lib.nn.functional.layer_norm(x, (512,), w, b),
                   [_random(256, 512), _random(512), _random(512)]),
    "conv2d": (lambda lib, x, w, b: lib.nn.functional.conv2d(x, w, b, padding=1),
               [_random(8, 8, 28, 28), _random(16, 8, 3, 3), _random(16)]),
    "max_pool2d": (lambda lib, x: lib.nn.functional.max_pool2d(x, 2), [_random(8, 16, 28, 28)]),
    "nll_loss": (lambda lib, x: lib.nn.functional.nll_loss(x, _labels(lib, 256, 512)), [_random(256, 512)]),
    "cross_entropy": (lambda lib, x: lib.nn.functional.cross_entropy(x, _labels(lib, 256, 512)), [_random(256, 512)]),
    "grid_sample": (lambda lib, x, g: lib.nn.functional.grid_sample(x, g, align_corners=False),
                    [_random(4, 8, 32, 32), _places(4, 32, 32, 2)]),
    "cholesky": (lambda lib, a: lib.linalg.cholesky(a), [_spd(64)]),
    "eigvalsh": (lambda lib, a: lib.linalg.eigvalsh(a), [_spd(64)]),
}


def _side(library: ModuleType, fun, given, backward):
    leaves = [library.from_numpy(a.copy()) for a in given]
    if not backward:
        return lambda: fun(library, *leaves)
    leaves = [t.requires_grad_() for t in leaves]
    # Not ones: the gradient of a sum of softmax(x) is 0 but for rounding, which differs.
    shape = tuple(fun(library, *leaves).shape)
    cotangent = library.from_numpy(numpy.random.default_rng(3).uniform(0.5, 1.5, shape).astype(given[0].dtype))

    def step():
        return library.autograd.grad(fun(library, *leaves), leaves, cotangent)

    return step


def cases() -> list[Timed]:
    """Two rows for each operation."""
    found = []
    for name, (fun, given) in OPERATIONS.items():
        for backward in (False, True):
            sides = {COVECTOR: _side(compat, fun, given, backward)}
            if torch is not None:
                sides[TORCH] = _side(torch, fun, given, backward)
            suffix, words = ("-backward", "with its gradient") if backward else ("", "forward")
            found.append(Timed(f"kernel-{name}{suffix}", f"{name}: {words}", sides, arrays, (Bound(LIMIT, TORCH),),
                               tolerance=2e-4))
    return found
