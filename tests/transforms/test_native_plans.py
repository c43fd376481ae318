"""Programs that call NumPy between native parts are divided in the first process alone, and found by others."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import covector as cv
from covector.transforms.compile.program import optimised
from covector.transforms.native import partition, plans, program
from covector.transforms.native.machine import object_cache
from covector.transforms.native.machine.engine import Machine, machine
from covector.transforms.native.machine.object_files import SUPPORTED
from covector.transforms.native.recall import Recall
from covector.transforms.native.segments import Segment

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
pytestmark = pytest.mark.skipif(not SUPPORTED, reason="object files are loaded by LLVM here")
X = np.linspace(0.1, 0.9, 20)


def solved(x):
    return np.sin(np.linalg.solve(np.diag(x) + np.ones((x.size, x.size)), x)).sum()


def looped(x):
    """A loop that is not native as a whole, with a native part in its body."""
    def step(s, _):
        s = np.sort(np.tanh(s) * 1.01 + np.cos(s))
        return s, np.exp(s).sum()
    return cv.scan(step, x, None, length=5)[1]


def shared(x):
    """A view that a native part and NumPy read."""
    y = x.reshape(4, 5).T
    return np.tanh(y) * 2.0, np.sort(y, axis=0), np.linalg.eigh(np.outer(x, x) + np.diag(x))[0] ** 2


def plain(x):
    return np.sort(x)[::-1]


PROGRAMS = {f.__name__: f for f in (solved, looped, shared, plain)}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setenv("COVECTOR_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(object_cache, "_TOLD", set())
    return tmp_path


@pytest.fixture
def divided(monkeypatch):
    """How often a draft was divided."""
    seen = []
    known = partition.with_segments
    monkeypatch.setattr(partition, "with_segments", lambda *args, **how: seen.append(args) or known(*args, **how))
    monkeypatch.setattr(program, "_PARTITION", partition)
    return seen


def forget():
    """Forget what this process has loaded."""
    machine().loaded.clear()
    machine().elementary.clear()


def jitted(fun, printer):
    return cv.jit(fun, compiler_options={"printer": printer})


def same(found, wanted):
    for one, other in zip(cv.tree.leaves(found), cv.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


@pytest.mark.parametrize("printer", ["auto", "llvm"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_was_divided_once_is_not_again(name, printer, files, divided):
    f = PROGRAMS[name]
    wanted = f(X)
    forget()
    once, again = jitted(f, printer), jitted(f, printer)
    for x in (X, np.repeat(X, 2)[::2], X[::-1].copy()[::-1]):
        same(once(x), wanted)
    count = len(divided)
    forget()
    compiled = machine().compiled
    for x in (X, np.repeat(X, 2)[::2], X[::-1].copy()[::-1]):
        same(again(x), wanted)
    assert len(divided) == count and machine().compiled == compiled


PROGRAM = textwrap.dedent("""
    import sys
    import numpy as np
    import covector as cv
    f = cv.jit(cv.value_and_grad(lambda x: np.sin(np.linalg.solve(np.diag(x) + np.ones((9, 9)), x)).sum()))
    value, slope = f(np.linspace(0.1, 0.9, 9))
    print([name for name in sys.modules if ".native.lower" in name or ".partition" in name or "llvmlite" in name] == [],
          value.tobytes().hex(), slope.tobytes().hex())
    assert "define" in f.lower(np.linspace(0.1, 0.9, 9)).source
""")


def test_a_second_process_loads_nothing_that_writes(files):
    def run():
        return subprocess.run([sys.executable, "-P", "-c", PROGRAM], capture_output=True, text=True, check=True,
                              env={**os.environ}).stdout.split()

    first, second = run(), run()
    assert first[0] == "False" and second[0] == "True"
    assert first[1:] == second[1:]


def test_a_part_whose_code_is_gone_is_compiled_again(files, monkeypatch):
    compiled = []
    plain_code = Machine.object_code
    monkeypatch.setattr(Machine, "object_code", lambda self, text, *how: compiled.append(1) or plain_code(
        self, text, *how))
    forget()
    jitted(solved, "llvm")(X)
    count = len(compiled)
    for path in files.glob("*.o"):
        if b"\x7fELF" in path.read_bytes()[:100]:
            path.unlink()
    forget()
    same(jitted(solved, "llvm")(X), solved(X))
    assert len(compiled) == 2 * count > 0


def plan(fun):
    """`(draft, plan)` of a function."""
    graph = cv.make_graph(fun)(X)
    draft = optimised(graph, frozenset())
    return draft, plans.plan_of(draft, partition.with_segments(draft, {})[0])


def shape(equations):
    """What the equations are, those of bodies, too."""
    return [(eq.prim.name, len(eq.inputs), len(eq.outputs), [part.prim.name for part in eq.equations])
            if type(eq) is Segment else (eq.prim.name, [shape(body.graph.equations) for body in eq.bodies()])
            for eq in equations]


@pytest.mark.parametrize("name", PROGRAMS)
def test_plans_say_how_a_draft_was_divided(name):
    draft, numbers = plan(PROGRAMS[name])
    found, segments = plans.planned(draft, numbers)
    wanted, others, _ = partition.with_segments(draft, {})
    assert shape(found) == shape(wanted.equations)
    assert [s.boxed for s in segments] == [s.boxed for s in others]


@pytest.mark.parametrize("name", PROGRAMS)
def test_plans_of_other_drafts_are_refused(name):
    numbers = plan(PROGRAMS[name])[1]
    for other in set(PROGRAMS) - {name}:
        with pytest.raises(plans.Unplanned):
            plans.planned(plan(PROGRAMS[other])[0], numbers)


def test_plans_that_leave_something_out_are_refused():
    draft, numbers = plan(solved)
    for k in range(len(numbers)):
        for spoilt in (numbers[:k], numbers[:k] + numbers[k + 1 :], [*numbers[:k], 10**6, *numbers[k + 1 :]],
                       [*numbers[:k], -1, *numbers[k + 1 :]]):
            try:
                equations, _ = plans.planned(draft, spoilt)
            except plans.Unplanned:
                continue
            made = {v for eq in equations for v in eq.outputs} | set(draft.inputs)
            assert made.issuperset(draft.outputs)


def test_a_plan_that_does_not_fit_is_made_anew(files, divided, monkeypatch):
    same(jitted(solved, "llvm")(X), solved(X))
    count = len(divided)
    noted = []
    monkeypatch.setattr(plans, "planned", lambda *_: (_ for _ in ()).throw(plans.Unplanned))
    monkeypatch.setattr(program, "_PLANS", plans)
    note = Recall.note_plan
    monkeypatch.setattr(Recall, "note_plan", lambda self, numbers: noted.append(numbers) or note(self, numbers))
    same(jitted(solved, "llvm")(X), solved(X))
    assert len(divided) == count + 1 and len(noted) == 1


def test_nothing_worth_native_code_is_remembered(files, divided):
    f = jitted(plain, "auto")
    same(f(X), plain(X))
    count = len(divided)
    assert count and machine().files().listed()
    same(jitted(plain, "auto")(X), plain(X))
    assert len(divided) == count


def test_what_acts_has_no_plan(files, divided):
    def fun(x):
        cv.debug.callback(lambda y: seen.append(float(y)), x[0])
        return np.sort(np.tanh(x))

    for k in range(1, 3):
        seen = []
        same(jitted(fun, "llvm")(X), np.sort(np.tanh(X)))
        assert seen == [X[0]] and len(divided) == k


