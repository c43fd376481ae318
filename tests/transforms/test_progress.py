"""`progress=`: what is told of loops and of chunked Jacobians, in every transform, and how it is shown."""

import importlib
import re

import numpy as np
import pytest
from rig.__main__ import main
from rig.audit import audit
from rig.compiled import compiled_fuzz
from rig.fuzz import fuzz
from rig.mutants import run_mutants

import covector as cv
from covector.core import progress

X = np.array([0.1, 0.2, 0.3])


def loop(x, told=None, reverse=False):
    def step(carry, i):
        return np.tanh(carry * x + i), carry

    return np.sum(cv.scan(step, x, np.arange(4.0), reverse=reverse, progress=told)[0])


def fori(x, told=None, reverse=False):
    return np.sum(cv.fori_loop(2, 6, lambda i, c: np.tanh(c * x + i), x, progress=told))


WAYS = {
    "plain": lambda f: f(X), "grad": lambda f: cv.grad(f)(X), "jvp": lambda f: cv.jvp(f, (X,), (X,)),
    "jit": lambda f: cv.jit(f)(X), "jit of grad": lambda f: cv.jit(cv.grad(f))(X),
    "grad of jit": lambda f: cv.grad(cv.jit(f))(X), "vmap": lambda f: cv.vmap(f)(np.stack([X, X])),
    "jit of vmap": lambda f: cv.jit(cv.vmap(f))(np.stack([X, X])), "hessian of jit": lambda f: cv.hessian(cv.jit(f))(X),
    "vmap of grad of jit": lambda f: cv.vmap(cv.grad(cv.jit(f)))(np.stack([X, X])),
    "graph": lambda f: cv.make_graph(f)(X)(X), "linearize": lambda f: cv.linearize(f, X)[1](X),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("fun", "reverse"), [(loop, False), (loop, True), (fori, False)])
def test_each_step_is_told_once_and_changes_no_result(fun, reverse, way):
    seen = []
    found = WAYS[way](lambda x: fun(x, lambda *facts: seen.append(facts), reverse))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    for a, b in zip(cv.tree.leaves(found), cv.tree.leaves(WAYS[way](lambda x: fun(x, None, reverse)))):
        np.testing.assert_allclose(a, b, rtol=1e-9)  # on Python floats the last bit may differ


def test_a_compiled_loop_tells_in_every_run():
    seen = []
    compiled = cv.jit(lambda x: loop(x, lambda done, total: seen.append(done)))
    compiled(X), compiled(X)
    assert seen == [1, 2, 3, 4] * 2


def test_what_nobody_asks_for_leaves_no_trace():
    def equations(told):
        return str(cv.make_graph(lambda x: loop(x, told))(X))

    assert equations(None) == equations(False) and "debug" not in equations(None)
    items = range(3)
    assert progress.with_progress(items, None, "scan") is items


@pytest.mark.parametrize("jacobian", [cv.jacfwd, cv.jacrev, cv.jacobian])
def test_chunks_of_a_jacobian_are_told(jacobian):
    seen = []
    fun = jacobian(lambda x: np.sin(x) * x[0], chunk_size=2, progress=lambda *facts: seen.append(facts))
    np.testing.assert_array_equal(fun(X), jacobian(lambda x: np.sin(x) * x[0], chunk_size=2)(X))
    assert seen == [(1, 2), (2, 2)]


def test_chunks_of_a_hessian_are_told():
    seen = []
    cv.hessian(lambda x: np.sum(np.sin(x) * x[0]), chunk_size=1, progress=lambda *facts: seen.append(facts))(X)
    assert seen == [(1, 3), (2, 3), (3, 3)]


class Missing:
    def __getattr__(self, name):
        raise ImportError("tqdm is not there")


@pytest.fixture
def without_tqdm(monkeypatch):
    monkeypatch.setattr(progress, "tqdm", Missing())


def test_a_line_is_written_without_tqdm(without_tqdm, capsys):
    loop(X, True)
    cv.jit(lambda x: loop(x, True))(X)
    cv.jacrev(np.sin, progress=True)(X)
    lines = capsys.readouterr().err.split("\n")
    assert [re.sub(r"[\d.]+ s$", "s", line.rpartition("\r")[2]) for line in lines] == [
        "scan: 4 of 4, s", "scan: 4 of 4, s", "jacrev: 1 of 1, s", ""]


def test_the_line_is_written_now_and_then_alone(without_tqdm, capsys):
    cv.fori_loop(0, 5000, lambda i, c: c, 0.0, progress=True)
    assert capsys.readouterr().err.count("\r") < 20


def test_a_loop_that_raises_ends_its_line(without_tqdm, capsys):
    def body(i, c):
        return c / (2 - i)

    for run in (lambda: cv.fori_loop(0, 5, body, 1, progress=True),):
        with pytest.raises(ZeroDivisionError):
            run()
    assert capsys.readouterr().err.endswith(" s\n")


def test_a_run_after_one_that_was_left_begins_anew(without_tqdm, capsys):
    report = progress.reporter(True, "scan", 3)
    report(1), report(2), report(1), report(2), report(3)
    lines = capsys.readouterr().err.strip().split("\n")
    assert [line.rpartition("\r")[2].split(",")[0] for line in lines] == ["scan: 2 of 3", "scan: 3 of 3"]


def test_tqdm_shows_a_bar(capsys):
    pytest.importorskip("tqdm", reason="needs tqdm: pip install tqdm")
    importlib.import_module("tqdm")
    loop(X, True)
    shown = capsys.readouterr().err
    assert "scan: 100%" in shown and "4/4" in shown


def test_anything_else_is_refused():
    with pytest.raises(TypeError, match=r"progress= of scan is True, False or a function.*but got 3; give.*\(at"):
        loop(X, 3)
    with pytest.raises(NotImplementedError, match=r"fori_loop was given progress=, but its bounds are traced.*plain"):
        cv.jit(lambda n: cv.fori_loop(0, n, lambda i, c: c, 0.0, progress=True))(3)


def test_fuzzing_and_audit_tell_how_far_they_are(without_tqdm, capsys):
    seen = []
    fuzz(2, progress=lambda *facts: seen.append(facts))
    audit(["sin", "cos"], progress=lambda *facts: seen.append(facts))
    compiled_fuzz(1, progress=lambda *facts: seen.append(facts))
    run_mutants(["sin"], progress=lambda *facts: seen.append(facts))
    assert seen == [(1, 2), (2, 2), (1, 2), (2, 2), (1, 1), (1, 1)]
    assert main(["fuzz", "--programs", "1", "--progress"]) == 0
    assert main(["mutants", "sin", "--progress"]) == 0
    err = capsys.readouterr().err
    assert "fuzz: 1 of 1" in err and "mutants: 1 of 1" in err
