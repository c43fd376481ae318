"""The same programs through `covector.jit`, eagerly, through `jax.jit`, and written by hand; and their first calls."""

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import chain
import convolution
import dense_jacobian
import elementwise
import logistic
import mixture
import mlp
import mlp_hessian
import numpy as np
import recurrent
import rk4
import rosenbrock
from case import COVECTOR, EAGER, JAX, JAX_EAGER, NUMPY, Bound, Timed, arrays
from libraries import jax

import covector

PRINTER = os.environ.get("COVECTOR_PRINTER")  # of the rows' compiled functions, "llvm" for one; else the default
OPTIONS = None if PRINTER is None else {"printer": PRINTER}
FIRST_US, FIRST_SHARE = 15_000.0, 0.1
WITHOUT_JIT = frozenset({  # rows that run by JAX without jit, too
    "rosenbrock-10", "rosenbrock-hessian-10", "mlp-small", "mlp", "rk4", "lstm", "logistic-hessian",
    "elementwise-float64",
})


class Library(NamedTuple):
    """What a program takes from one library; `f` holds the transforms."""

    np: Any
    f: Any
    scan: Callable[..., Any]
    sigmoid: Callable[..., Any]
    logsumexp: Callable[..., Any]
    conv: Callable[..., Any]


OURS = Library(np, covector, covector.scan, covector.nn.sigmoid, covector.nn.logsumexp, covector.nn.conv)
if jax is not None:

    def _conv(x, w, stride, padding):
        return jax.lax.conv_general_dilated(x, w, (stride, stride), ((padding, padding), (padding, padding)))

    THEIRS = Library(jax.numpy, jax, jax.lax.scan, jax.nn.sigmoid, jax.scipy.special.logsumexp, _conv)


def cases() -> list[Timed]:
    return [*_small(), *_large(), *_calls()]


def _small() -> list[Timed]:
    four, ten, hundred = np.linspace(0.1, 0.9, 4), np.linspace(-1.2, 1.4, 10), np.linspace(-1.2, 1.4, 100)
    small = mlp.parameters(mlp.SMALL, np.float64), *mlp.regression(np.float64)
    slope = lambda lib: lib.f.grad(rosenbrock.rosenbrock_in(lib.np))  # noqa: E731
    curvature = lambda lib: lib.f.hessian(rosenbrock.rosenbrock_in(lib.np))  # noqa: E731
    rows = [
        ("chain", "chain of 100 operations on 4", lambda lib: chain.chain_in(lib.np), (four,), 2.0, None, None),
        ("chain-gradient", "chain of 100 operations on 4: value and gradient",
         _gradient(lambda lib: chain.chain_in(lib.np)), (four,), 2.0, chain.gradient_by_hand, None),
        ("rosenbrock-10", "Rosenbrock n = 10, gradient", slope, (ten,), 0.8, rosenbrock.gradient_by_hand, 0.9),
        ("rosenbrock-hessian-10", "Rosenbrock n = 10, Hessian", curvature, (ten,), 0.9, rosenbrock.hessian_by_hand,
         None),
        ("mlp-small", "MLP 4-32-32-1, batch 32, float64: loss and gradients",
         _gradient(lambda lib: mlp.squared_error_in(lib.np)), small, 1.0, mlp.squared_error_by_hand, None),
        ("rk4", "gradient through 200 RK4 steps on 2-vectors, by `scan`", _rk4, rk4.data(), 1.0, rk4.network_by_hand,
         None),
    ]
    longer = [
        row("rosenbrock-100", "Rosenbrock n = 100, gradient", slope, (hundred,), 0.8, rosenbrock.gradient_by_hand,
             0.9),
        row("rosenbrock-hessian-100", "Rosenbrock n = 100, Hessian", curvature, (hundred,), 1.8,
             rosenbrock.hessian_by_hand),
    ]
    return [row(*given) for given in rows] + longer + [first(*given[:4]) for given in rows]


def _large() -> list[Timed]:
    def bumps(lib):
        return elementwise.loss_in(lib.np)

    def logistic_loss(lib):
        return logistic.loss_in(lib.np)

    line = np.linspace(-2.0, 2.0, elementwise.SIZE)
    large = mlp.parameters(mlp.LARGE, np.float32), *mlp.classification(np.float32)
    w, v, x, y = logistic.data()
    point, constants = mixture.data()
    network = np.linspace(-1.0, 1.0, dense_jacobian.WIDTH), *dense_jacobian.weights()
    images, kernels = convolution.data()
    inputs, parameters = mlp_hessian.data()
    by_hand = dense_jacobian.jacobian_by_hand
    return [
        row("mlp", "MLP 784-256-256-10, batch 128, float32: loss and gradients",
             _gradient(lambda lib: mlp.cross_entropy_in(lib.np)), large, 1.3, mlp.cross_entropy_by_hand, 1.1, 2e-5),
        row("elementwise-float64", "elementwise functions of 10⁶, float64: value and gradient", _gradient(bumps),
             (line,), 1.15, elementwise.gradient_by_hand, 0.6),
        row("elementwise-float32", "elementwise functions of 10⁶, float32: value and gradient", _gradient(bumps),
             (line.astype(np.float32),), 1.25, elementwise.gradient_by_hand, 0.65, 1e-4),
        row("logistic-gradient", "logistic regression 10000 x 50: gradient",
             lambda lib: lib.f.grad(logistic_loss(lib)), (w, x, y), 0.9, logistic.gradient_by_hand, 1.05),
        row("logistic-hessian", "logistic regression 10000 x 50: Hessian",
             lambda lib: lib.f.hessian(logistic_loss(lib)), (w, x, y), 0.9, logistic.hessian_by_hand, 1.05),
        row("logistic-hvp", "logistic regression 10000 x 50: Hessian-vector product", _hvp, (w, v, x, y), 0.9,
             logistic.product_by_hand, 1.05),
        row("mixture", "Gaussian mixture, d 10, K 25, n 1000: log-likelihood and gradient",
             _gradient(_mixture), (point, constants), 1.6),
        row("lstm", "LSTM, 50 steps, by `scan`: loss and gradients", _gradient(_lstm), recurrent.data(), 1.25,
             recurrent.loss_by_hand, 0.95),
        row("per-example", "`vmap(grad)` of MLP 784-256-256-10 over 128 examples, float32", _per_example, large, 0.5,
             mlp.per_example_by_hand, 1.2, 2e-5),
        row("jacfwd", "jacfwd of a network 200-200-200",
             lambda lib: lib.f.jacfwd(dense_jacobian.network_in(lib.np)), network, 0.85, by_hand),
        row("jacrev", "jacrev of a network 200-200-200",
             lambda lib: lib.f.jacrev(dense_jacobian.network_in(lib.np)), network, 0.85, by_hand),
        row("mlp-hessian", "Hessian of MLP 8-20-1, 200 parameters, batch 32",
             lambda lib: lib.f.hessian(lambda p, x: mlp_hessian.loss(lib.np, x, p)), (parameters, inputs), 1.5),
        row("cnn", "CNN of two strided 3 x 3 convolutions, float32: loss and gradients",
             _gradient(lambda lib: lambda p, x: convolution.loss(lib.np, lib.conv, x, *p)), (kernels, images), 1.25,
             tolerance=1e-4),
    ]


def _calls() -> list[Timed]:
    def after(lib):
        return lambda x: x + 1.0

    def all_after(lib):
        return lambda tree: {key: x + 1.0 for key, x in tree.items()}

    def all_by_hand(tree):
        return {key: x + 1.0 for key, x in tree.items()}

    x = np.arange(3.0)
    tree = {key: x + k for k, key in enumerate("abcdef")}
    return [
        row("call", "a call of `x + 1` on 3 numbers", after, (x,), 0.1, lambda x: x + 1.0),
        row("call-dict", "a call of `x + 1` on a dict of six", all_after, (tree,), 0.15, all_by_hand),
        first("call", "a call of `x + 1` on 3 numbers", after, (x,)),
    ]


def _gradient(loss: Callable[[Library], Any]) -> Callable[[Library], Any]:
    return lambda lib: lib.f.value_and_grad(loss(lib))


def _hvp(lib: Library) -> Any:
    loss = logistic.loss_in(lib.np)
    return lambda w, v, x, y: lib.f.jvp(lib.f.grad(lambda w: loss(w, x, y)), (w,), (v,))[1]


def _mixture(lib: Library) -> Any:
    return lambda point, constants: mixture.likelihood(lib.np, lib.logsumexp, *constants, *point)


def _lstm(lib: Library) -> Any:
    return recurrent.loss_in(lib.np, lib.sigmoid, lambda cell, state, xs: lib.scan(
        lambda state, x: (cell(state, x), None), state, xs)[0])


def _per_example(lib: Library) -> Any:
    return lib.f.vmap(lib.f.grad(mlp.cross_entropy_of_one_in(lib.np)), in_axes=(None, 0, 0))


def _rk4(lib: Library) -> Any:
    def loop(step, s):
        return lib.scan(lambda s, _: (step(s), None), s, None, length=rk4.STEPS)[0]

    return lib.f.value_and_grad(rk4.network_in(lib.np, loop), argnums=(0, 1))


def row(name, title, build, args, limit, by_hand=None, limit_by_hand=None, tolerance=1e-9) -> Timed:
    """Time a program on `args`; `build` makes it of one library, the limits are ratios to JAX and to the hand."""
    ours, eager = covector.jit(build(OURS), compiler_options=OPTIONS), build(OURS)
    sides = {COVECTOR: lambda: ours(*args), EAGER: lambda: eager(*args)}
    if jax is not None:
        theirs, given = jax.jit(build(THEIRS)), jax.tree.map(jax.numpy.asarray, args)
        sides[JAX] = lambda: jax.block_until_ready(theirs(*given))
        if name in WITHOUT_JIT:
            plain = build(THEIRS)
            sides[JAX_EAGER] = lambda: jax.block_until_ready(plain(*given))
    if by_hand is not None:
        sides[NUMPY] = lambda: by_hand(*args)
    bounds = [Bound(limit, JAX)] + ([] if limit_by_hand is None else [Bound(limit_by_hand, NUMPY)])
    return Timed(f"jit-{name}", title, sides, arrays, tuple(bounds), tolerance=tolerance)


def first(name, title, build, args) -> Timed:
    """Time staging, compiling and running a program that was not seen before."""
    sides = {COVECTOR: lambda: covector.jit(build(OURS), compiler_options=OPTIONS)(*args)}
    equations = repr(covector.make_graph(build(OURS))(*args)).count(" = ")  # those of loops, too
    if jax is not None:
        given = jax.tree.map(jax.numpy.asarray, args)
        sides[JAX] = lambda: jax.block_until_ready(jax.jit(build(THEIRS))(*given))
    bounds = [Bound(FIRST_SHARE, JAX)] + ([Bound(FIRST_US)] if equations < 100 else [])
    return Timed(f"jit-first-{name}", f"first call: {title}", sides, arrays, tuple(bounds))
