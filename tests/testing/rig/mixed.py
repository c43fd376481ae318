"""Random programs on values of mixed dtypes, with programs as bodies of loops: compiled in every way, and eager."""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from covector.core.arrays.backend import installed
from covector.core.errors import ConversionError, DtypeError, RuleError
from covector.core.progress import with_progress
from covector.testing.compare import random_direction
from covector.transforms.compile.call.jit import jit
from covector.transforms.control.checkpoint import checkpoint
from covector.transforms.interpreters.forward import jvp
from covector.transforms.interpreters.gradient import value_and_grad
from covector.transforms.interpreters.vmap import vmap
from rig.compiled import layouts, roundings
from rig.fuzz import OURS
from rig.nested import NESTED
from rig.programs import EVERY, OPERATIONS, Body, Program, Step, extended, later, weighed
from rig.shrink import shrink
from rig.typed import KEYS, TYPED

SHAPES = ((), (1,), (3,), (2, 3), (3, 3), (1, 3), (3, 1), (2, 1, 3), (17,), (5,), (4, 5), (0,), (0, 3), (40,), (20, 3),
          (3, 20), (2, 17), (1, 1))
DTYPES = ("float64", "float64", "float64", "float32", "float32", "complex128", "int64", "bool")
NATIVE = "llvm" if installed("llvmlite") else None
PRINTERS = (None, NATIVE, "numpy", "scalar")
ROUTES = 5  # of each program, which are drawn
BATCH = 3
LIMIT, LIMIT_SINGLE = 1e-9, 1e-4
REFUSALS = (ConversionError, RuleError)
UNDIFFERENTIATED = (*REFUSALS, DtypeError, np.linalg.LinAlgError)  # a program that reverse mode refuses is dropped
ADMITTED = tuple(np.dtype(name) for name in ("float64", "float32", "complex128", "complex64", "int64", "int32", "bool"))
LARGEST, BOUNDS = 700, {"f": 50.0, "c": 50.0, "i": 1e6, "b": 1.0}
# They have kin in `TYPED` and `NESTED` that take all dtypes.
UNDRAWN = {"select", "write", "cond", "scan", "scan_of_branches"}
TABLES = ([name for name in OPERATIONS if name not in UNDRAWN], [*TYPED, *9 * list(KEYS)], list(NESTED))
SHARES = (0.45, 0.47, 0.08)

Arrays = list[Any]
Routes = dict[str, Callable[[], tuple[Arrays, Arrays]]]  # what is found, what eager evaluation gives


class Difference(NamedTuple):
    """A route that gives something else than eager evaluation of a program, which has been reduced."""

    seed: tuple[int, int]
    route: str
    program: Program
    what: str

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.route}: {self.what}\n{self.program}\n"


def mixed_fuzz(programs: int = 1000, seed: int = 0, start: int = 0,
               progress: bool | Callable[[int, int], Any] | None = None) -> list[Difference]:
    """Evaluate random programs on values of mixed dtypes and collect where compiled or batched ones differ.

    Beside the operations of `fuzz` the programs draw casts, integers, masks, random keys that are read and written,
    places that are not known when they are staged, and loops, branches, maps and derivatives whose bodies are random
    programs. Values are floating and complex in both precisions, integer and boolean; some are empty, some are long.
    Results have the dtypes of eager evaluation, which is that of NumPy. Each program goes through five of these
    routes: jit of it and of its gradient by every printer, also with inputs that lie otherwise in memory; forward mode
    and jit of it; the gradients of jit and of checkpoint; jit where all inputs but one are constants; vmap of the
    gradient, of jit, over some of the inputs, and jit of these. Programs that a rounding of their inputs changes by
    more than roundings are dropped, and refusals by transforms are no differences. With COVECTOR_CACHE_DIR set, a
    second run recalls what the first compiled.

    Args:
        programs: the number of programs.
        seed: the seed; program k of a seed is always the same, and so are its routes.
        start: the number of the first program.
        progress: True shows how many programs are done; or a function of their number and that of all.
    Returns:
        the differences, each with a reduced program.
    Raises:
        ImportError: SciPy, which computes the special functions, is missing.
    """
    found = []
    for k in with_progress(range(start, start + programs), progress, "mixed"):
        rng = np.random.default_rng((seed, k))
        program = draw_mixed(rng)
        names = [NAMES[i] for i in rng.permutation(len(NAMES))[:ROUTES]]
        wrong = disagreement(program, names)
        if wrong is not None:
            small = shrink(program, OURS, partial(_fails, routes=wrong[:1]), admitted)
            found.append(Difference((seed, k), wrong[0], small, (disagreement(small, wrong[:1]) or wrong)[1]))
    return found


def draw_mixed(rng: np.random.Generator) -> Program:
    """A program of inputs of all dtypes, one of which is floating."""
    shapes = [SHAPES[k] for k in rng.integers(len(SHAPES), size=rng.integers(1, 5))]
    names = [DTYPES[k] for k in (rng.integers(5), *rng.integers(len(DTYPES), size=len(shapes) - 1))]
    inputs = tuple(_draw_input(rng, shape, name) for shape, name in zip(shapes, names))
    return _draw_body(rng, inputs, int(rng.integers(3, 14)), 0)[0]


def _draw_input(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    x = rng.normal(size=shape)
    if dtype == "int64":
        return rng.integers(-4, 5, size=shape)
    return np.asarray(x > 0 if dtype == "bool" else x + 1j * rng.normal(size=shape) if dtype == "complex128" else x,
                      dtype)


def _draw_body(rng: np.random.Generator, inputs: tuple[Any, ...], length: int, depth: int) -> tuple[Program, Arrays]:
    return extended(inputs, lambda values: _draw_step(rng, values, depth), OURS, length, admitted, 60 * length)


def _draw_step(rng: np.random.Generator, values: Sequence[Any], depth: int) -> Step | None:
    table = TABLES[rng.choice(3, p=SHARES) if depth < 2 else int(rng.integers(2))]
    name = table[rng.integers(len(table))]
    operation = EVERY[name]
    args = []
    for kinds in operation.kinds or ["*"] * operation.arity:
        fit = [k for k, v in enumerate(values) if v.dtype.kind in kinds or kinds == "*"]
        if not fit:
            return None
        args.append(fit[later(rng, len(fit))])
    params = operation.draw(rng)
    if operation.bodies is None:
        return Step(name, tuple(args), params)
    try:
        bodies = [_draw_results(rng, tuple(map(np.asarray, inputs)), carried, depth + 1)
                  for inputs, carried in operation.bodies(*[values[k] for k in args])]
    except (ValueError, IndexError):  # there is nothing to loop over, or nothing goes around
        return None
    return Step(name, tuple(args), (*params, *bodies))


def _draw_results(rng: np.random.Generator, inputs: tuple[Any, ...], carried: int, depth: int) -> Body:
    """A body whose first results are like its first inputs, computed from them where there is such a value."""
    program, values = _draw_body(rng, inputs, int(rng.integers(2, 7)), depth)
    results = []
    for k in range(carried):
        alike = [i for i, v in enumerate(values) if v.shape == inputs[k].shape and v.dtype == inputs[k].dtype]
        computed = [i for i in alike if i >= len(inputs)]
        results.append(int(rng.choice(computed or alike)))
    return Body(program, (*results, len(values) - 1))


def admitted(value: Any) -> bool:
    """Tell whether a statement may give this value."""
    if value.dtype not in ADMITTED or value.size > LARGEST or value.ndim > 4:
        return False
    return bool(np.isfinite(value).all() and np.abs(value).max(initial=0) <= BOUNDS[value.dtype.kind])


def disagreement(program: Program, names: Sequence[str]) -> tuple[str, str] | None:
    """The first of the routes of these names that differs, and how; an exception counts."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        routes = _routes(program, program.inputs)
        for name in ["reverse", *names]:
            try:
                found, wanted = routes[name]()
                if roundings(found, wanted, LIMIT, LIMIT_SINGLE) is not None:
                    wrong = _beyond_roundings(program, name, found, wanted)
                    if wrong is not None:
                        return name, wrong
            except Exception as error:
                if not isinstance(error, UNDIFFERENTIATED if name == "reverse" else REFUSALS):
                    return name, f"{type(error).__name__}: {error}"
                if name == "reverse":
                    return None
    return None


def _fails(program: Program, routes: Sequence[str]) -> bool:
    return disagreement(program, routes) is not None


def _beyond_roundings(program: Program, name: str, found: Arrays, wanted: Arrays) -> str | None:
    """How they differ by more than what roundings, of the inputs and of what is single inside, make."""
    limit, size = (LIMIT_SINGLE, 2e-7) if _single(program) else (LIMIT, 3e-13)
    rng = np.random.default_rng(2)
    for _ in range(4):
        nearby = [(x * (1.0 + size * rng.uniform(-1.0, 1.0, x.shape))).astype(x.dtype) if x.dtype.kind in "fc" else x
                  for x in program.inputs]
        if roundings(_routes(program, nearby)[name]()[1], wanted, limit * 10.0, LIMIT_SINGLE) is not None:
            return None
    return roundings(found, wanted, limit, LIMIT_SINGLE)


def _single(program: Program) -> bool:
    """Tell whether a value of a program, or of one of its bodies, has single precision."""
    values = program.values(OURS, program.inputs)
    return any(x.dtype in (np.float32, np.complex64) for x in values) or any(
        _single(body.program) for step in program.steps for body in step.params if isinstance(body, Body))


def _routes(program: Program, inputs: Sequence[Any]) -> Routes:
    """The routes by name; nothing is computed before one is taken."""
    rng = np.random.default_rng(1)
    wrt = [k for k, x in enumerate(inputs) if x.dtype.kind in "fc"]
    points = tuple(inputs[k] for k in wrt)
    direction = tuple(random_direction(rng, x) for x in points)
    turned = dict(layouts(inputs))
    middle = len(inputs) + len(program.steps) // 2

    def fun(*xs: Any) -> Arrays:
        values = program.values(OURS, xs)
        return [values[middle], values[-1]]

    def loss(*xs: Any) -> Any:
        inexact = [x for x in program.values(OURS, xs) if x.dtype.kind in "fc"]
        return sum(weighed(OURS, x) for x in inexact[-3:])

    def slopes(*xs: Any, of: Any = loss) -> Arrays:
        value, found = value_and_grad(of, tuple(wrt))(*xs)
        return [value, *found]

    def pushed(*args: Any) -> Arrays:
        def along(*moved: Any) -> Any:
            placed = dict(zip(wrt, moved))
            return loss(*[placed.get(k, x) for k, x in enumerate(inputs)])

        return list(jvp(along, args[: len(wrt)], args[len(wrt) :]))

    def forward() -> tuple[Arrays, Arrays]:
        value, *found = slopes(*inputs)
        parts = [np.real(g * v) for g, v in zip(found, direction)]
        size = 1.0 + sum(float(np.sum(np.abs(p))) for p in parts)  # what cancels sets the scale
        wanted = np.asarray(sum(np.sum(p) for p in parts)).astype(np.asarray(value).dtype)
        got, slope = pushed(*points, *direction)
        return [got, slope / size], [value, wanted / size]

    def alone(x: Any) -> Arrays:
        return slopes(*[x if k == wrt[-1] else constant for k, constant in enumerate(turned["Fortran"])])

    def compiled(f: Callable[..., Arrays], xs: Sequence[Any], printer: str | None) -> tuple[Arrays, Arrays]:
        return _twice(f, xs, printer), 2 * f(*inputs)

    routes: Routes = {
        "reverse": lambda: ([loss(*inputs)], slopes(*inputs)[:1]), "forward": forward,
        "jit of forward": lambda: (_twice(pushed, (*points, *direction), NATIVE), 2 * pushed(*points, *direction)),
        "jit around constants": lambda: (_twice(alone, points[-1:], NATIVE), 2 * slopes(*inputs)),
        "gradient of jit": lambda: (slopes(*inputs, of=jit(loss)), slopes(*inputs)),
        "gradient of checkpoint": lambda: (slopes(*inputs, of=checkpoint(loss)), slopes(*inputs)),
    }
    for printer in PRINTERS:
        for name, f in (("jit", fun), ("jit of the gradient", slopes)):
            routes[f"{name}, {printer}"] = partial(compiled, f, inputs, printer)
    for (layout, moved), printer in zip(list(turned.items())[1:], PRINTERS):
        routes[f"jit of the gradient, {layout}, {printer}"] = partial(compiled, slopes, moved, printer)
    everything = tuple(0 if k in wrt else None for k in range(len(inputs)))
    some = tuple(0 if k in wrt and (k == wrt[-1] or rng.integers(2)) else None for k in range(len(inputs)))
    for name, f, axes in (("the gradient", slopes, everything), ("some inputs", fun, some)):
        routes |= _batched(name, f, axes, inputs)
    return routes


def _batched(name: str, fun: Callable[..., Arrays], axes: tuple[int | None, ...], inputs: Sequence[Any]) -> Routes:
    given = [x if axis is None else np.stack([x * x.dtype.type(1.0 + 0.02 * k) for k in range(BATCH)])
             for x, axis in zip(inputs, axes)]

    def loop() -> Arrays:
        rows = [fun(*[x if axis is None else x[k] for x, axis in zip(given, axes)]) for k in range(BATCH)]
        return [np.stack([np.asarray(x) for x in parts]) for parts in zip(*rows)]

    mapped = vmap(fun, in_axes=axes)
    return {f"vmap of {name}": lambda: (mapped(*given), loop()),
            f"jit of vmap of {name}": lambda: (_twice(mapped, given, None), 2 * loop()),
            f"jit of vmap of {name}, native": lambda: (_twice(mapped, given, NATIVE), 2 * loop()),
            f"vmap of jit of {name}": lambda: (vmap(jit(fun), in_axes=axes)(*given), loop())}


def _twice(fun: Callable[..., Arrays], inputs: Sequence[Any], printer: str | None) -> Arrays:
    """The results of a first call, and of one that finds everything compiled."""
    compiled = jit(fun, compiler_options={"printer": printer} if printer else None)
    return [*compiled(*inputs), *compiled(*inputs)]


NAMES = tuple(_routes(Program((np.ones(1),), ()), [np.ones(1)]))
