"""Random programs agree by every route; a planted error is found and its program shortened."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, find, given, settings, strategies as st
from rig.__main__ import main
from rig.fuzz import OURS, disagreement, fuzz
from rig.programs import OPERATIONS, SHAPES, Program, Step, attempt, count_operations, draw_program

from covector.core.primitive.primitive import REGISTRY

QUIETLY = settings(derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))


class Choices:
    """Stands in for a random generator: hypothesis makes the choices, and shortens what they lead to."""

    def __init__(self, draw):
        self.draw = draw

    def integers(self, low, high=None):
        low, high = (0, low) if high is None else (low, high)
        return self.draw(st.integers(low, high - 1))


@st.composite
def programs(draw, most=8):
    """Programs of up to `most` statements. Values are those of a seed: at round numbers there are kinks."""
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    inputs = tuple(rng.normal(size=shape) for shape in shapes)
    values, steps = list(inputs), []
    for name in draw(st.lists(st.sampled_from(list(OPERATIONS)), min_size=1, max_size=most)):
        operation = OPERATIONS[name]
        # Counted from the last value, which is the simplest choice, so that what is shortened stays connected.
        args = tuple(len(values) - 1 - draw(st.integers(0, len(values) - 1)) for _ in range(operation.arity))
        step = Step(name, args, operation.draw(Choices(draw)))
        value = attempt(step, values, OURS)
        if value is not None:
            steps.append(step)
            values.append(value)
    assume(steps)
    return Program(inputs, tuple(steps))


@settings(QUIETLY, max_examples=100)  # the command `fuzz` runs as many as one likes
@given(programs())
def check_compositions(program):
    assert disagreement(program) is None, f"{disagreement(program)}\n{program}"


@pytest.mark.slow
def test_compositions_agree_by_every_route():
    check_compositions()


@pytest.mark.slow
def test_seeded_programs_have_no_mismatch():
    assert [str(m) for m in fuzz(programs=50, seed=7)] == []


def test_programs_draw_all_of_more_than_eighty_operations():
    assert set(count_operations(OURS, 1000)) == set(OPERATIONS) and len(OPERATIONS) >= 80


def test_command_counts_programs_operations_and_mismatches(capsys):
    assert main(["fuzz", "--programs", "3"]) == 0
    assert "programs 0 to 2, " in (out := capsys.readouterr().out) and "distinct operations: 0 mismatches" in out


def test_same_seed_gives_the_same_program():
    first, second = (draw_program(np.random.default_rng((3, 4)), OURS) for _ in range(2))
    assert str(first) == str(second) and first.steps


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_every_operation_occurs_in_small_programs(name):
    rng = np.random.default_rng(0)
    for _ in range(400):
        shapes = [((2, 3), (3,), (3, 3), ())[rng.integers(4)] for _ in range(2)]
        inputs = tuple(rng.normal(size=s) for s in shapes)
        step = Step(name, tuple(range(OPERATIONS[name].arity)), OPERATIONS[name].draw(rng))
        program = Program(inputs, (step,))
        if attempt(step, inputs, OURS) is None:
            continue
        assert disagreement(program) is None
        return
    pytest.fail("no sample found")


def plant_error(monkeypatch):
    rule = REGISTRY["tanh"].rule((0,), True)
    right = rule.back
    monkeypatch.setattr(rule, "back", lambda ct, saved: 1.01 * right(ct, saved))


def test_planted_error_is_found_and_shortened(monkeypatch):
    plant_error(monkeypatch)
    found = fuzz(programs=40, seed=0)
    assert found
    shortest = min(found, key=lambda m: len(m.program.steps))
    assert len(shortest.program.steps) <= 2
    assert "seed (0, " in str(shortest) and "v0 = array(" in str(shortest)


@pytest.mark.slow
def test_planted_error_is_found_and_shortened_by_hypothesis(monkeypatch):
    plant_error(monkeypatch)
    shortest = find(programs(), lambda p: disagreement(p) is not None, settings=settings(QUIETLY, max_examples=300))
    assert len(shortest.steps) == 1 and len(shortest.inputs) == 1
