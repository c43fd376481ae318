"""`profile`: the value, what is counted, the table and the timeline."""

import json

import numpy as np
import pytest

import covector as cv

X = np.linspace(0.0, 1.0, 1000)


def steps(x):
    y = x
    for _ in range(20):
        y = y + 0.1 * np.sin(y)
    return np.sum(y)


def test_the_value_is_that_of_the_function():
    report = cv.profile(cv.value_and_grad(lambda tree: steps(tree["x"])))({"x": X})
    value, gradient = cv.value_and_grad(steps)(X)
    assert report.value[0] == value
    np.testing.assert_array_equal(report.value[1]["x"], gradient)
    assert len(report.events) == len(cv.make_graph(cv.value_and_grad(steps))(X).equations)
    assert report.seconds == pytest.approx(sum(event.seconds for event in report.events))


def test_memory_is_what_is_needed_at_one_time():
    forward = cv.profile(steps)(X)
    backward = cv.profile(cv.grad(steps))(X)
    assert 2 * X.nbytes <= forward.peak <= 4 * X.nbytes  # temporaries die at once
    assert 20 * X.nbytes <= backward.peak <= 25 * X.nbytes  # each step keeps one array for the pass backward
    assert cv.profile(lambda x: x.reshape(10, 100)[::2].T.sum())(X).peak <= 16  # views have no memory of their own
    twice = cv.profile(lambda x: (x * 2.0, x * 3.0))(X)
    assert twice.peak == twice.events[-1].live == 2 * X.nbytes


def test_the_table_has_the_longest_first_and_adds_the_rest_up():
    slope = cv.grad(lambda x: np.sum(np.tanh(np.outer(x, x)) ** 2 / (1.0 + np.cosh(x))))
    lines = str(cv.profile(slope)(X)).splitlines()
    assert len(lines) <= 11 and lines[1].split() == ["time", "share", "calls", "memory", "operation", "line"]
    assert lines[0].startswith("<lambda>: ") and "operations" in lines[0]
    shares = [float(line.split("%")[0].split()[-1]) for line in lines[2:-1]]
    assert shares == sorted(shares, reverse=True)
    assert any("test_profile.py:" in line for line in lines)
    assert " others" in lines[-1]


def test_the_timeline_is_json(tmp_path):
    report = cv.profile(cv.grad(steps))(X)
    report.save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    assert len(spans) == len(report.events)
    assert all(a["ts"] + a["dur"] <= b["ts"] for a, b in zip(spans, spans[1:]))
    assert max(event["args"]["bytes"] for event in events if event["ph"] == "C") <= report.peak


def test_effects_happen_once(capsys):
    cv.profile(lambda x: (cv.debug.print("seen {}", x), x * 2.0)[1])(1.0)
    assert capsys.readouterr().out == "seen 1.0\n"


def test_an_error_names_the_line():
    with pytest.raises(TypeError, match="profile"):
        cv.profile(3.0)
    with pytest.raises(TypeError, match="test_profile.py"):
        cv.profile(lambda x: x if x > 0 else -x)(1.0)
