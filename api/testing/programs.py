"""Random programs: a small language over arrays that NumPy, covector and JAX can each interpret."""

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .algebra import ALGEBRA
from .control import CONTROL
from .operations import Library, one_axis, some_axes
from .pointwise import POINTWISE
from .structural import STRUCTURAL

OPERATIONS = {**POINTWISE, **STRUCTURAL, **ALGEBRA, **CONTROL}
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

    def run(self, lib: Library, inputs: Sequence[Any]) -> Any:
        """The scalar output."""
        values = list(inputs)
        for step in self.steps:
            values.append(OPERATIONS[step.name].fun(lib, *[values[k] for k in step.args], *step.params))
        last = lib.np.reshape(values[-1], (-1,))
        if last.dtype.kind == "c":
            last = lib.np.real(last) + 0.7 * lib.np.imag(last)
        return lib.np.sum(lib.np.sin(last) * np.linspace(0.5, 1.5, last.shape[0]))

    def __str__(self) -> str:
        lines = [f"v{k} = array({x.tolist()!r})" for k, x in enumerate(self.inputs)]
        for k, step in enumerate(self.steps, len(self.inputs)):
            shown = [f"v{a}" for a in step.args] + [repr(p) for p in step.params]
            lines.append(f"v{k} = {step.name}({', '.join(shown)})")
        return "\n".join(lines)

    @property
    def smooth(self) -> bool:
        """Whether finite differences see what the derivative sees."""
        return not any(step.name == "stop_gradient" for step in self.steps)


def draw_program(rng: np.random.Generator, plain: Library, length: int = 8) -> Program:
    """A program whose values stay finite and small; operations that NumPy refuses on the values at hand are redrawn."""
    inputs = tuple(rng.normal(size=SHAPES[rng.integers(len(SHAPES))]) for _ in range(rng.integers(1, 4)))
    values: list[Any] = list(inputs)
    steps: list[Step] = []
    names = list(OPERATIONS)
    while len(steps) < length:
        name = names[rng.integers(len(names))]
        operation = OPERATIONS[name]
        # Later values are likelier, so that programs are deep.
        args = tuple(int(len(values) * rng.uniform() ** 0.5) for _ in range(operation.arity))
        step = Step(name, args, operation.draw(rng))
        value = attempt(step, values, plain)
        if value is not None:
            steps.append(step)
            values.append(value)
    return Program(inputs, tuple(steps))


def count_operations(plain: Library, programs: int, seed: int = 0, start: int = 0) -> Counter[str]:
    """How often each operation occurs in the programs `start`, `start + 1`, … of a seed."""
    drawn = (draw_program(np.random.default_rng((seed, k)), plain) for k in range(start, start + programs))
    return Counter(step.name for program in drawn for step in program.steps)


def attempt(step: Step, values: Sequence[Any], plain: Library) -> Any:
    """The value of one statement on plain arrays, or None: refused, empty, large, not finite, or near a jump."""
    operation = OPERATIONS[step.name]
    operands = [values[k] for k in step.args]
    if any(np.iscomplexobj(x) for x in operands) and not operation.complex_too:
        return None
    on_axis = operation.draw in (one_axis, some_axes) and step.params[0] is not None
    if on_axis and any(np.ndim(x) == 0 for x in operands):
        return None  # NumPy lets axis=0 of a 0-d array pass; covector and JAX do not
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error")  # statistics of too few elements, deprecated forms
            value = np.asarray(operation.fun(plain, *operands, *step.params))
            if operation.margin is not None and np.abs(operation.margin(*operands, *step.params)).min() < _MARGIN:
                return None
    except (ValueError, IndexError, TypeError, Warning):
        return None
    if value.dtype not in (np.float64, np.complex128) or not 0 < value.size <= _LARGEST:
        return None
    if not np.isfinite(value).all() or np.abs(value).max() > _BOUND:
        return None
    return value
