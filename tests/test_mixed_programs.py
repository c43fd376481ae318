"""Random programs of mixed dtypes agree however they are compiled; a planted error is found within a body."""

import numpy as np
import pytest
from rig.__main__ import main
from rig.fuzz import OURS
from rig.mixed import TABLES, admitted, disagreement, draw_mixed, mixed_fuzz
from rig.operations import Operation, no_parameters
from rig.programs import EVERY, Body, Program, Step
from rig.shrink import shrink


def test_programs_agree_by_the_routes_drawn():
    assert [str(d) for d in mixed_fuzz(programs=3, seed=15)] == []


def test_command_counts_programs_and_differences(capsys):
    assert main(["mixed", "--programs", "1"]) == 0
    assert "programs 0 to 0: 0 differences" in capsys.readouterr().out


def test_same_seed_gives_the_same_program():
    first, second = (draw_mixed(np.random.default_rng((3, 4))) for _ in range(2))
    assert str(first) == str(second) and first.steps


@pytest.mark.slow
def test_every_operation_is_drawn():
    drawn, left = set(), {name for table in TABLES for name in table}
    for k in range(1500):
        drawn |= names_of(draw_mixed(np.random.default_rng((1, k))))
        if drawn >= left:
            return
    pytest.fail(f"never drawn: {sorted(left - drawn)}")


def names_of(program):
    bodies = [p for step in program.steps for p in step.params if isinstance(p, Body)]
    return {step.name for step in program.steps}.union(*[names_of(body.program) for body in bodies])


def planted(monkeypatch):
    """A program of which only a statement in the body of its loop is wrong, where it is traced."""
    def wrong(lib, x):
        return lib.np.arcsinh(x) * (1.0 if isinstance(x, np.ndarray) else 1.01)

    monkeypatch.setitem(EVERY, "arcsinh", Operation(1, no_parameters, wrong))
    x, count = np.array([0.3, 0.7]), np.zeros((), np.int64)
    body = Program((x, x, count, x), (Step("sin", (0,), ()), Step("arcsinh", (4,), ()), Step("cos", (5,), ()),
                                      Step("multiply", (6, 3), ())))
    loop = Step("repeated", (0, 2, 0), ("fori_loop", 3, Body(body, (7, 1, 7))))
    return Program((x, np.zeros((0, 2), np.float32)), (Step("cos", (0,), ()), loop, Step("negative", (3,), ())))


def test_planted_error_is_found_and_shortened_within_a_body(monkeypatch):
    def fails(program):
        return disagreement(program, ["jit, numpy"]) is not None

    program = planted(monkeypatch)
    assert fails(program)
    small = shrink(program, OURS, fails, admitted)
    (loop,) = small.steps
    (step,) = loop.params[-1].program.steps
    assert loop.name == "repeated" and step.name == "arcsinh"


def test_programs_print_dtypes_shapes_and_bodies(monkeypatch):
    lines = str(planted(monkeypatch)).splitlines()
    assert lines[:3] == ["v0 = array([0.3, 0.7])", "v1 = array([], float32).reshape((0, 2))", "v2 = cos(v0)"]
    assert lines[3].endswith("(v0, v1, v2, v3 -> v4 = sin(v0); v5 = arcsinh(v4); v6 = cos(v5); v7 = multiply(v6, v3); "
                             "v7, v1, v7))")
