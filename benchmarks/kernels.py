"""Single operations of networks on larger arrays, the stateful layer against PyTorch: forward, and with backward."""

from types import ModuleType

import numpy
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch

import covector.compat.torch as compat

LIMIT = 1.5
# Sums of products in float32 of few windows: PyTorch's library keeps weights and images in blocks of its own making,
# with which it does 110 GFLOP/s where a product of matrices by BLAS does 95.
LIMITS = dict.fromkeys((
    "topk", "topk-1000", "embedding_bag", "ctc_loss", "pdist", "pdist-inf", "cdist-1", "adaptive_avg_pool2d",
    "adaptive_max_pool2d", "multilabel_margin_loss", "scatter_reduce-mean", "scatter_reduce-amax", "logcumsumexp",
    "irfft", "cholesky_solve", "solve_triangular", "function_apply"), 1.2) | {"conv2d-64": 1.8, "conv3d": 4.5}
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


def _bags(lib, w):
    places = lib.from_numpy(numpy.random.default_rng(4).integers(0, w.shape[0], 8192 * 16))
    return lib.nn.functional.embedding_bag(places, w, lib.arange(0, 8192 * 16, 16))


def _ctc(lib, x):
    frames, batch, classes = x.shape
    labels = lib.from_numpy(numpy.random.default_rng(5).integers(1, classes, (batch, 20)))
    full = [lib.full((batch,), n, dtype=lib.int64) for n in (frames, 20)]
    return lib.nn.functional.ctc_loss(lib.log_softmax(x, -1), labels, *full)


def _few_labels(lib, x):
    labels = numpy.full(tuple(x.shape), -1)
    labels[:, :3] = numpy.random.default_rng(6).permuted(numpy.tile(numpy.arange(x.shape[1]), (x.shape[0], 1)), axis=1)[
        :, :3]
    return lib.nn.functional.multilabel_margin_loss(x, lib.from_numpy(labels))


def _reduced(how):
    def call(lib, x, y):
        places = lib.from_numpy(numpy.random.default_rng(7).integers(0, x.shape[0], tuple(y.shape)))
        return x.scatter_reduce(0, places, y, how)

    return call


FUNCTIONS = {}


def _apply(lib, x, y):
    if lib not in FUNCTIONS:
        class Product(lib.autograd.Function):
            @staticmethod
            def forward(ctx, x, y):
                ctx.save_for_backward(x, y)
                return x * y

            @staticmethod
            def backward(ctx, grad):
                x, y = ctx.saved_tensors
                return grad * y, grad * x

        FUNCTIONS[lib] = Product
    return FUNCTIONS[lib].apply(x, y)


def _factor(n):
    return numpy.linalg.cholesky(_spd(n))


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
    "conv2d-64": (lambda lib, x, w, b: lib.nn.functional.conv2d(x, w, b, padding=1),
                  [_random(8, 64, 8, 8), _random(64, 64, 3, 3), _random(64)]),
    "conv3d": (lambda lib, x, w, b: lib.nn.functional.conv3d(x, w, b, padding=1),
               [_random(2, 16, 16, 16, 16), _random(16, 16, 3, 3, 3), _random(16)]),
    "topk": (lambda lib, x: x.topk(5).values, [_random(256, 512)]),
    "topk-1000": (lambda lib, x: x.topk(10).values, [_random(32, 1000)]),
    "embedding_bag": (_bags, [_random(1000, 16)]),
    "ctc_loss": (_ctc, [_random(100, 16, 30)]),
    "pdist": (lambda lib, x: lib.nn.functional.pdist(x), [_random(64, 128)]),
    "pdist-inf": (lambda lib, x: lib.nn.functional.pdist(x, float("inf")), [_random(64, 128)]),
    "cdist-1": (lambda lib, x, y: lib.cdist(x, y, 1.0), [_random(100, 16), _places(110, 16)]),
    "adaptive_avg_pool2d": (lambda lib, x: lib.nn.functional.adaptive_avg_pool2d(x, 7), [_random(8, 32, 16, 16)]),
    "adaptive_max_pool2d": (lambda lib, x: lib.nn.functional.adaptive_max_pool2d(x, 3), [_random(8, 16, 14, 14)]),
    "multilabel_margin_loss": (_few_labels, [_random(128, 1000)]),
    "scatter_reduce-mean": (_reduced("mean"), [_random(500, 60), _places(500, 60)]),
    "scatter_reduce-amax": (_reduced("amax"), [_random(500, 60), _places(500, 60)]),
    "logcumsumexp": (lambda lib, x: lib.logcumsumexp(x, 1), [_random(256, 512)]),
    "irfft": (lambda lib, x, y: lib.fft.irfft(lib.complex(x, y)), [_random(32, 65), _places(32, 65)]),
    "cholesky_solve": (lambda lib, b, a: lib.cholesky_solve(b, lib.tril(a)), [_spd(64)[:, :8].copy(), _factor(64)]),
    "solve_triangular": (lambda lib, a, b: lib.linalg.solve_triangular(lib.tril(a), b, upper=False),
                         [_factor(64), _spd(64)[:, :8].copy()]),
    "function_apply": (_apply, [_random(1000), _places(1000)]),
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
            found.append(Timed(f"kernel-{name}{suffix}", f"{name}: {words}", sides, arrays,
                               (Bound(LIMITS.get(name, LIMIT), TORCH),),
                               tolerance=2e-4))
    return found
