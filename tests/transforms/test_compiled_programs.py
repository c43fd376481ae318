"""Random programs, staged: compiled graphs give every bit that their equations give one by one."""

import numpy as np
import pytest
from rig.__main__ import main
from rig.compiled import compiled_fuzz, difference, disagreement

import covector as cv


@pytest.mark.slow
def test_random_programs_give_the_same_bits():
    assert compiled_fuzz(programs=50, seed=3) == []


def test_command_counts_programs(capsys):
    assert main(["compiled", "--programs", "2"]) == 0
    assert "seed 0, programs 0 to 1: 0 differences" in capsys.readouterr().out


def test_other_bits_are_noticed():
    one = [np.array([0.0, np.nan])]
    assert difference(one, [np.array([0.0, -np.nan])]) is None
    assert "output 0" in difference(one, [np.array([-0.0, np.nan])])
    assert "float64(" in difference([np.float64(1.0)], [np.array(1.0)])
    assert "outputs" in difference([], one)
    assert difference([ValueError("a")], [ValueError("b")]) is not None


def test_a_run_that_writes_to_an_earlier_output_is_noticed(monkeypatch):
    graph = cv.make_graph(lambda x: x * 2.0)(np.arange(3.0))
    shared, plain = np.empty(3), graph.interpret

    def careless(values):
        shared[:] = plain(values)[0]
        return [shared]

    monkeypatch.setattr(graph, "eval", careless, raising=False)
    assert "outputs of a run before" in disagreement(graph, [np.arange(3.0)])
