"""Compiled graphs against the same graphs run equation by equation: every bit, and what runs leave behind."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from covector.core.progress import with_progress
from covector.transforms.interpreters.forward import jvp
from covector.transforms.interpreters.gradient import grad
from covector.transforms.interpreters.vmap import vmap
from covector.transforms.staging.graph import Graph
from covector.transforms.staging.staging import make_graph
from rig.fuzz import OURS
from rig.programs import draw_program

RUNS = 3  # the first equation by equation, the second compiled, the third in the same buffers


def layouts(operands: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
    """The same operands as they may lie in memory: in order, by columns, with gaps, backwards, read-only."""
    yield "C", [np.array(x) for x in operands]
    yield "Fortran", [np.array(x, order="F") for x in operands]
    yield "gaps", [np.stack([x, x], -1)[..., 0] for x in operands]
    yield "backwards", [np.flip(np.flip(x).copy()) for x in operands]
    frozen = [np.array(x) for x in operands]
    for x in frozen:
        x.flags.writeable = False
    yield "read-only", frozen


def disagreement(graph: Graph, values: Sequence[Any], evaluate: Any = None, apart: Any = None,
                 runs: int = RUNS) -> str | None:
    """How a compiled graph differs from `graph.interpret(values)`, run after run; None if it does not.

    Args:
        graph: what is run.
        values: its inputs.
        evaluate: what runs the compiled graph, in place of `graph.eval`.
        apart: how two lists of outputs differ, in place of `difference`: bit by bit. Then warnings are not compared.
        runs: how often it runs; from two on, other values run between, and the outputs of runs before are looked at.
    """
    run_compiled, differ = evaluate or graph.eval, apart or difference
    before = [bits(x) for x in values]
    wanted, alarms = _outcome(graph.interpret, values)
    others, kept = [_turned(x) for x in values], []
    for run in range(runs):
        found, noticed = _outcome(run_compiled, values)
        wrong = differ(found, wanted)
        if wrong is None and apart is None and bool(alarms) != bool(noticed):
            wrong = f"warned {noticed} instead of {alarms}"
        if [bits(x) for x in values] != before:
            return f"run {run} wrote to its inputs"
        if wrong is not None:
            return f"run {run}: {wrong}"
        if runs > 1:
            kept.append(found)
            _outcome(run_compiled, others)
    if [bits(x) for x in values] != before:
        return "a run on other values wrote to the inputs of one before it"
    if any(differ(earlier, wanted) is not None for earlier in kept):
        return "a run wrote to the outputs of a run before it"
    return None


def difference(found: Any, wanted: Any) -> str | None:
    """How one list of outputs, or an exception, differs from another."""
    if isinstance(found, Exception) or isinstance(wanted, Exception):
        same = type(found) is type(wanted) and str(found) == str(wanted)
        return None if same else f"{found!r} instead of {wanted!r}"
    if len(found) != len(wanted):
        return f"{len(found)} outputs instead of {len(wanted)}"
    for k, (a, b) in enumerate(zip(found, wanted)):
        if bits(a) != bits(b):
            return f"output {k} is {_shown(a)} instead of {_shown(b)}"
    return None


def roundings(found: Any, wanted: Any, double: float = 1e-13, single: float = 1e-5) -> str | None:
    """How one list of outputs, or an exception, differs from another by more than roundings.

    Numbers may be 10⁻¹³ apart in double precision and 10⁻⁵ in single, of the largest in their array or of a tenth;
    infinities, NaN, dtypes and integers are the same.
    """
    if isinstance(found, Exception) or isinstance(wanted, Exception):
        return difference(found, wanted)
    if len(found) != len(wanted):
        return f"{len(found)} outputs instead of {len(wanted)}"
    for k, (a, b) in enumerate(zip(found, wanted)):
        one, other = np.asarray(a), np.asarray(b)
        if one.dtype != other.dtype or one.shape != other.shape or not _close(one, other, double, single):
            return f"output {k} is {_shown(a)} instead of {_shown(b)}"
    return None


def _close(one: np.ndarray, other: np.ndarray, double: float, single: float) -> bool:
    if one.dtype.kind not in "fc" or not one.size:
        return np.array_equal(one, other)
    finite = np.isfinite(other)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return False
    scale = np.max(np.abs(other[finite]), initial=0.0)
    limit = double if one.dtype.itemsize // (1 + (one.dtype.kind == "c")) == 8 else single
    return bool(np.all(np.abs(one[finite] - other[finite]) <= limit * max(scale, 0.1)))


def bits(x: Any) -> tuple[type, np.dtype, tuple[int, ...], bytes]:
    """All that can be told of a value: type, dtype, shape, and the bits; those of a NaN are not looked at."""
    array = np.asarray(x)
    flat = np.array(array).ravel()
    if flat.dtype.kind in "fc":
        parts = flat.view(flat.real.dtype)
        parts[np.isnan(parts)] = np.nan
    return type(x), array.dtype, array.shape, flat.tobytes()


def compiled_fuzz(programs: int = 200, seed: int = 0, start: int = 0, evaluated: Any = None,
                  apart: Any = None, progress: bool | Callable[[int, int], Any] | None = None) -> list[str]:
    """Stage random programs, their gradients, tangents and batches, and collect where compiled graphs differ.

    Args:
        programs: the number of programs.
        seed: the seed; program k of a seed is always the same.
        start: the number of the first program.
        evaluated: a function of a graph that returns what runs it compiled, in place of its `eval`.
        apart: how two lists of outputs differ, in place of `difference`: bit by bit.
        progress: True shows how many programs are done; or a function of their number and that of all.
    Returns:
        a text for each graph that differs, with its program.
    """
    found = []
    for k in with_progress(range(start, start + programs), progress, "compiled"):
        program = draw_program(np.random.default_rng((seed, k)), OURS)
        for name, fun, values in _staged(lambda *xs, p=program: p.run(OURS, xs), program.inputs):
            try:
                graph = make_graph(fun)(*values)
                wrong = disagreement(graph, values, evaluated and evaluated(graph), apart)
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"
            if wrong is not None:
                found.append(f"seed {(seed, k)}: {name}: {wrong}\n{program}\n")
    return found


def _staged(fun: Callable[..., Any], inputs: tuple) -> Iterator[tuple[str, Callable[..., Any], list[Any]]]:
    """What is staged of a program, and the inputs of each graph."""
    every, count = tuple(range(len(inputs))), len(inputs)
    rng = np.random.default_rng(1)
    direction = [rng.uniform(0.4, 1.0, x.shape) for x in inputs]
    stacked = [np.stack([x, x * 1.05 + 0.01]) for x in inputs]
    yield "value", fun, list(inputs)
    yield "gradient", grad(fun, every), list(inputs)
    yield "tangent", lambda *xs: jvp(fun, xs[:count], xs[count:]), [*inputs, *direction]
    yield "batch", vmap(fun), stacked
    yield "batch of gradients", vmap(grad(fun, every)), stacked


def _outcome(run: Callable[..., Any], values: Sequence[Any]) -> tuple[Any, list[str]]:
    """The outputs or the exception, and the warnings."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
        warnings.simplefilter("always")
        try:
            result = run(list(values))
        except Exception as error:
            result = error
    return result, sorted({str(w.message) for w in caught})


def _turned(x: Any) -> Any:
    """Other elements in the same shape and layout."""
    return x[(slice(None, None, -1),) * x.ndim] if isinstance(x, np.ndarray) else x


def _shown(x: Any) -> str:
    array = np.asarray(x)
    return f"{type(x).__name__}({array.dtype}{list(array.shape)}) {np.array2string(array, threshold=20)}"
