"""Random programs agree by every route; a planted error is found and its program shortened."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from covector.core.primitive import REGISTRY
from covector.testing import fuzz
from covector.testing.fuzz import OURS, disagreement
from covector.testing.programs import OPERATIONS, Program, Step, attempt, draw_program


@settings(max_examples=250, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32 - 1), length=st.integers(1, 10))
def check_random_programs(seed, length):
    program = draw_program(np.random.default_rng(seed), OURS, length)
    assert disagreement(program) is None, f"{disagreement(program)}\n{program}"


@pytest.mark.slow
def test_random_programs_agree_by_every_route():
    check_random_programs()


@pytest.mark.slow
def test_seeded_programs_have_no_mismatch():
    assert [str(m) for m in fuzz(programs=200, seed=7)] == []


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


def test_planted_error_is_found_and_shortened(monkeypatch):
    rule = REGISTRY["tanh"].rule((0,), True)
    right = rule.back
    monkeypatch.setattr(rule, "back", lambda ct, saved: 1.01 * right(ct, saved))
    found = fuzz(programs=20, seed=0)
    assert found
    shortest = min(found, key=lambda m: len(m.program.steps))
    assert len(shortest.program.steps) <= 2
    assert "seed (0, " in str(shortest) and "v0 = array(" in str(shortest)
