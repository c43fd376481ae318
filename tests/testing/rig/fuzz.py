"""Fuzzing: random programs evaluated by independent routes, which must agree."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from covector import nn
from covector.core.progress import with_progress
from covector.scipy import special
from covector.testing.compare import difference
from covector.transforms.collectives.collectives import psum
from covector.transforms.compile.call.jit import jit
from covector.transforms.control.checkpoint import checkpoint
from covector.transforms.control.control import cond
from covector.transforms.control.scan import scan
from covector.transforms.custom.custom import custom_jvp, custom_vjp
from covector.transforms.interpreters.forward import jvp
from covector.transforms.interpreters.gradient import grad
from covector.transforms.interpreters.vmap import vmap
from covector.transforms.staging.effects import stop_gradient
from covector.transforms.staging.staging import make_graph
from rig.operations import Library
from rig.programs import Program, draw_program
from rig.shrink import shrink

TOLERANCE = 1e-8
DIFFERENCES = 1e-5


def _write(x: Any, index: Any, value: Any, add: bool) -> Any:
    if isinstance(x, (np.ndarray, np.generic)):  # which takes no traced value, but what is like one does
        out = np.zeros_like(value, x.dtype, shape=x.shape)
        out[...] = x
    else:
        out = np.copy(x)
    if add:
        out[index] += value
    else:
        out[index] = value
    return out


OURS = Library(np, special, nn, grad, jvp, vmap, cond, scan, checkpoint, custom_jvp, custom_vjp, psum, stop_gradient,
               _write)


class Mismatch(NamedTuple):
    """Two routes that disagree on a program, which has been reduced."""

    seed: tuple[int, int]
    routes: str
    program: Program
    found: Any
    wanted: Any

    def __str__(self) -> str:
        return (f"seed {self.seed}: {self.routes}: {self.found!r} against {self.wanted!r}\n{self.program}\n")


Route = tuple[str, Any, Any, float]


def fuzz(
    programs: int = 1000, seed: int = 0, start: int = 0,
    reference: Callable[[Program, tuple, tuple], Iterator[Route]] | None = None,
    progress: bool | Callable[[int, int], Any] | None = None,
) -> list[Mismatch]:
    """Evaluate random programs by independent routes and collect where they disagree.

    The programs compose about 250 operations: elementwise functions, reductions, shapes, indexing and writes,
    sorting, linear algebra, Fourier transforms, layers, control flow, custom rules, and nested derivatives.
    Routes: the plain NumPy value; reverse, forward; vmap against a loop, of the function and of its gradient;
    forward-over-reverse, reverse-over-reverse, reverse-over-forward; the staged graph of the function and of its
    gradient; jit of both, and derivatives and batches of jit; checkpoint; finite differences; and `reference`.

    Args:
        programs: the number of programs.
        seed: the seed; program k of a seed is always the same.
        start: the number of the first program.
        reference: additional routes, `reference(program, inputs, direction)`, for example through another library.
        progress: True shows how many programs are done; or a function of their number and that of all.
    Returns:
        the mismatches, each with a reduced program.
    Raises:
        ImportError: SciPy, which computes the special functions, is missing.
    """
    found = []
    for k in with_progress(range(start, start + programs), progress, "fuzz"):
        rng = np.random.default_rng((seed, k))
        program = draw_program(rng, OURS)
        wrong = disagreement(program, reference)
        if wrong is not None:
            small = shrink(program, OURS, lambda p: disagreement(p, reference) is not None)
            routes, value, wanted = disagreement(small, reference) or wrong
            found.append(Mismatch((seed, k), routes, small, value, wanted))
    return found


def disagreement(program: Program, reference: Any = None) -> tuple[str, Any, Any] | None:
    """The first two routes that disagree on a program; an exception in a route counts."""
    rng = np.random.default_rng(1)
    direction = tuple(rng.uniform(0.4, 1.0, x.shape) for x in program.inputs)
    name = "plain"
    try:
        for name, value, wanted, tol in _routes(program, direction, reference):
            values, wants = (x if isinstance(x, (tuple, list)) else [x] for x in (value, wanted))
            scale = max(1e-2, *[float(np.abs(w).max(initial=0.0)) for w in map(np.asarray, wants)])
            for v, w in zip(values, wants):
                v, w = np.asarray(v), np.asarray(w)
                if v.shape != w.shape or not np.all(np.abs(v - w) <= tol * scale):
                    return name, v, w
    except Exception as error:
        return f"after {name}: {type(error).__name__}: {error}", None, None
    return None


def _routes(program: Program, direction: tuple, reference: Any) -> Iterator[Route]:
    def fun(*xs: Any) -> Any:
        return program.run(OURS, xs)

    inputs = program.inputs
    every = tuple(range(len(inputs)))
    plain = fun(*inputs)
    gradient = grad(fun, every)
    slopes = gradient(*inputs)
    value, slope = jvp(fun, inputs, direction)
    along = sum(float(np.sum(g * v)) for g, v in zip(slopes, direction))
    # Where derivatives cancel, what was cancelled sets the scale.
    size = 1.0 + sum(float(np.sum(np.abs(g * v))) for g, v in zip(slopes, direction))
    yield "value under jvp, plain value", value, plain, TOLERANCE
    yield "forward, reverse", slope, along, TOLERANCE * size
    yield from _batched(fun, gradient, inputs)
    pushed = jvp(gradient, inputs, direction)[1]
    twice = grad(lambda *xs: sum(np.sum(g * v) for g, v in zip(gradient(*xs), direction)), every)(*inputs)
    mixed = grad(lambda *xs: jvp(fun, xs, direction)[1], every)(*inputs)
    yield "reverse over reverse, forward over reverse", twice, pushed, TOLERANCE * 10
    yield "reverse over forward, forward over reverse", mixed, pushed, TOLERANCE * 10
    yield "graph, plain value", make_graph(fun)(*inputs)(*inputs), plain, TOLERANCE
    yield "graph of the gradient, reverse", make_graph(gradient)(*inputs)(*inputs), slopes, TOLERANCE
    yield from _compiled(fun, gradient, inputs, direction, (plain, slopes, slope), size)
    yield "checkpoint, reverse", grad(checkpoint(fun), every)(*inputs), slopes, TOLERANCE
    if program.smooth:
        yield "finite differences, forward", _differences(fun, inputs, direction, slope), slope, DIFFERENCES * size
    if reference is not None:
        yield from reference(program, (plain, slopes, pushed), direction)


def _compiled(fun: Any, gradient: Any, inputs: tuple, direction: tuple, wanted: tuple, size: float) -> Iterator[Route]:
    plain, slopes, slope = wanted
    every, compiled, steep = tuple(range(len(inputs))), jit(fun), jit(gradient)
    for _ in range(2):
        yield "jit, plain value", compiled(*inputs), plain, TOLERANCE
        yield "jit of the gradient, reverse", steep(*inputs), slopes, TOLERANCE
        yield "gradient of jit, reverse", grad(compiled, every)(*inputs), slopes, TOLERANCE
    yield "forward of jit, forward", jvp(compiled, inputs, direction)[1], slope, TOLERANCE * size
    stacked = [np.stack([x, x * 1.05 + 0.01]) for x in inputs]
    loop = np.stack([fun(*[x[k] for x in stacked]) for k in range(2)])
    yield "vmap of jit, loop", vmap(compiled)(*stacked), loop, TOLERANCE


def _batched(fun: Any, gradient: Any, inputs: tuple) -> Iterator[Route]:
    stacked = [np.stack([x, x * 1.05 + 0.01]) for x in inputs]
    rows = [[x[k] for x in stacked] for k in range(2)]
    yield "vmap, loop", vmap(fun)(*stacked), np.stack([fun(*row) for row in rows]), TOLERANCE
    loops = [gradient(*row) for row in rows]
    yield "vmap of reverse, loop", vmap(gradient)(*stacked), [np.stack(g) for g in zip(*loops)], TOLERANCE


def _differences(fun: Any, inputs: tuple, direction: tuple, expected: Any) -> Any:
    """Finite differences, with smaller steps near a non-smooth point."""
    best = None
    for step in (2e-2, 1e-3, 1e-4, 1e-5):
        (slope,) = difference(lambda *xs: (fun(*xs),), inputs, direction, step=step)
        if best is None or abs(slope - expected) < abs(best - expected):
            best = slope
    return best
