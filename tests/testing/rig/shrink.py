"""Shrinking: the program without what a disagreement does not need."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rig.operations import Library
from rig.programs import Body, Program, attempt


def shrink(program: Program, plain: Library, fails: Callable[[Program], bool],
           admits: Callable[[Any], bool] | None = None) -> Program:
    """The program without those statements, also within its bodies, that it does not need to fail."""
    for k in range(1, len(program.steps)):
        shorter = Program(program.inputs, program.steps[:k])
        if fails(shorter):
            program = shorter
            break
    k = len(program.steps) - 1
    while k >= 0:
        for simpler, _ in _simpler(Body(program, ()), k, plain):
            if simpler.steps and _runs(simpler, plain, admits) and fails(simpler):
                k += len(simpler.steps) == len(program.steps)  # a body became shorter: once more
                program = simpler
                break
        k -= 1
    return program


def _simpler(body: Body, k: int, plain: Library) -> Iterator[Body]:
    """The program with statement k dropped, its uses given another value, or with one of its bodies simpler."""
    program, results = body
    step, later, gone = program.steps[k], program.steps[k + 1 :], len(program.inputs) + k
    used = gone in results or any(gone in after.args for after in later)
    for stand_in in range(gone if used else 1):
        moved = tuple(after._replace(args=_moved(after.args, gone, stand_in)) for after in later)
        yield Body(Program(program.inputs, program.steps[:k] + moved), _moved(results, gone, stand_in))
    for place, inner in enumerate(step.params):
        if isinstance(inner, Body):
            for j in reversed(range(len(inner.program.steps))):
                for simpler in _simpler(inner, j, plain):
                    if _form(simpler, plain) == _form(inner, plain):  # what goes around in a loop keeps it
                        params = (*step.params[:place], simpler, *step.params[place + 1 :])
                        steps = (*program.steps[:k], step._replace(params=params), *later)
                        yield Body(Program(program.inputs, steps), results)


def _form(body: Body, plain: Library) -> list[tuple[Any, Any]] | None:
    """Shape and dtype of its results; None if it does not run."""
    if not _runs(body.program, plain, lambda value: True):
        return None
    return [(np.shape(x), x.dtype) for x in body(plain, *body.program.inputs)]


def _moved(places: tuple[int, ...], gone: int, stand_in: int) -> tuple[int, ...]:
    stood_in = (stand_in if a == gone else a for a in places)
    return tuple(a - 1 if a > gone else a for a in stood_in)


def _runs(program: Program, plain: Library, admits: Callable[[Any], bool] | None) -> bool:
    values: list[Any] = list(program.inputs)
    for step in program.steps:
        value = attempt(step, values, plain, admits)
        if value is None:
            return False
        values.append(value)
    return True
