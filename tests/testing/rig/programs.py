"""Random programs: a small language over arrays that NumPy, covector and JAX can each interpret."""

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rig.algebra import ALGEBRA
from rig.control import CONTROL
from rig.nested import NESTED
from rig.operations import Library, one_axis, some_axes
from rig.pointwise import POINTWISE
from rig.structural import STRUCTURAL
from rig.typed import TYPED

OPERATIONS = {**POINTWISE, **STRUCTURAL, **ALGEBRA, **CONTROL}
EVERY = {**OPERATIONS, **TYPED, **NESTED}  # with those of covector alone, on all dtypes
SHAPES = ((), (3,), (2, 3), (3, 3), (1, 3), (2, 1, 3))
_LARGEST = 64
_BOUND = 20.0
_MARGIN = 1e-3


class Step(NamedTuple):
    """One statement: an operation, the values it takes (inputs first, then earlier steps), its static parameters."""

    name: str
    args: tuple[int, ...]
    params: tuple[Any, ...]


class Program(NamedTuple):
    """Inputs and statements; the output is `sum(sin(last value) * weights)`, of parts where that value is complex."""

    inputs: tuple[Any, ...]
    steps: tuple[Step, ...]

    def values(self, lib: Library, inputs: Sequence[Any]) -> list[Any]:
        """The inputs and what each statement gives."""
        values = list(inputs)
        for step in self.steps:
            values.append(EVERY[step.name].fun(lib, *[values[k] for k in step.args], *step.params))
        return values

    def run(self, lib: Library, inputs: Sequence[Any]) -> Any:
        """The scalar output."""
        return weighed(lib, self.values(lib, inputs)[-1])

    def __str__(self) -> str:
        lines = [f"v{k} = {_literal(x)}" for k, x in enumerate(self.inputs)]
        return "\n".join(lines + self.statements())

    def statements(self) -> list[str]:
        """A line for each statement."""
        lines = []
        for k, step in enumerate(self.steps, len(self.inputs)):
            shown = [f"v{a}" for a in step.args] + [repr(p) for p in step.params]
            lines.append(f"v{k} = {step.name}({', '.join(shown)})")
        return lines

    @property
    def smooth(self) -> bool:
        """Tell whether finite differences see what the derivative sees."""
        return not any(step.name == "stop_gradient" for step in self.steps)


class Body(NamedTuple):
    """A program as a function of its inputs, which some of its values are the results of."""

    program: Program
    results: tuple[int, ...]

    def __call__(self, lib: Library, *inputs: Any) -> list[Any]:
        values = self.program.values(lib, inputs)
        return [values[k] for k in self.results]

    def __repr__(self) -> str:
        given = ", ".join(f"v{k}" for k in range(len(self.program.inputs)))
        lines = "; ".join([*self.program.statements(), ", ".join(f"v{k}" for k in self.results)])
        return f"({given} -> {lines})"


def weighed(lib: Library, x: Any) -> Any:
    """The scalar that is differentiated."""
    flat = lib.np.reshape(x, (-1,))
    if flat.dtype.kind == "c":
        flat = lib.np.real(flat) + 0.7 * lib.np.imag(flat)
    return lib.np.sum(lib.np.sin(flat) * np.linspace(0.5, 1.5, flat.shape[0], dtype=flat.dtype))


def _literal(x: Any) -> str:
    dtype = "" if x.dtype == np.float64 else f", {x.dtype}"
    return f"array({x.tolist()!r}{dtype})" + (f".reshape({x.shape})" if not x.size else "")


def draw_program(rng: np.random.Generator, plain: Library, length: int = 8) -> Program:
    """A program whose values stay finite and small; operations that NumPy refuses on the values at hand are redrawn."""
    inputs = tuple(rng.normal(size=SHAPES[rng.integers(len(SHAPES))]) for _ in range(rng.integers(1, 4)))
    names = list(OPERATIONS)

    def draw(values: Sequence[Any]) -> Step:
        name = names[rng.integers(len(names))]
        operation = OPERATIONS[name]
        return Step(name, tuple(later(rng, len(values)) for _ in range(operation.arity)), operation.draw(rng))

    return extended(inputs, draw, plain, length)[0]


def later(rng: np.random.Generator, count: int) -> int:
    """One out of `count` values. Later ones are likelier, so that programs are deep."""
    return int(count * rng.uniform() ** 0.5)


def extended(inputs: tuple[Any, ...], draw: Callable[[Sequence[Any]], Step | None], plain: Library, length: int,
             admits: Callable[[Any], bool] | None = None, tries: int = 100_000) -> tuple[Program, list[Any]]:
    """A program of statements that `draw` proposes for the values so far, and its values; some may be refused."""
    values: list[Any] = list(inputs)
    steps: list[Step] = []
    for _ in range(tries):
        if len(steps) == length:
            break
        step = draw(values)
        value = None if step is None else attempt(step, values, plain, admits)
        if step is not None and value is not None:
            steps.append(step)
            values.append(value)
    return Program(inputs, tuple(steps)), values


def count_operations(plain: Library, programs: int, seed: int = 0, start: int = 0) -> Counter[str]:
    """How often each operation occurs in the programs `start`, `start + 1`, … of a seed."""
    drawn = (draw_program(np.random.default_rng((seed, k)), plain) for k in range(start, start + programs))
    return Counter(step.name for program in drawn for step in program.steps)


def attempt(step: Step, values: Sequence[Any], plain: Library, admits: Callable[[Any], bool] | None = None) -> Any:
    """The value of one statement on plain arrays, or None: refused, near a jump, or not admitted.

    `admits` takes another value than arrays of a few elements in double precision that are finite and small.
    """
    operation = EVERY[step.name]
    operands = [values[k] for k in step.args]
    if not operation.takes(*operands):
        return None
    on_axis = operation.draw in (one_axis, some_axes) and step.params[0] is not None
    if on_axis and any(np.ndim(x) == 0 for x in operands):
        return None  # NumPy lets axis=0 of a 0-d array pass; covector and JAX do not
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error")  # statistics of too few elements, deprecated forms
            value = np.asarray(operation.fun(plain, *operands, *step.params))
            if operation.margin is not None and any(x.dtype.kind in "fc" for x in operands) and np.abs(
                    operation.margin(*operands, *step.params)).min() < _MARGIN:
                return None
    except (ValueError, IndexError, TypeError, ArithmeticError, NotImplementedError, Warning):
        return None
    return value if (admits or _ordinary)(value) else None


def _ordinary(value: Any) -> bool:
    if value.dtype not in (np.float64, np.complex128) or not 0 < value.size <= _LARGEST:
        return False
    return bool(np.isfinite(value).all() and np.abs(value).max() <= _BOUND)
