"""Every primitive, staged: a compiled graph gives every bit that its equations give one by one."""

import numpy as np
import pytest
from rig.compiled import RUNS, disagreement, layouts, roundings

import covector as cv
from covector.core.errors import ShapeError
from covector.core.primitive.primitive import REGISTRY, ZERO
from covector.extend import elementwise
from covector.testing.cases import cases

pytest.importorskip("scipy")
NAMES = sorted(REGISTRY)


def graphs_of(case):
    """The primitive on all its operands, and its pullback."""
    yield "value", cv.make_graph(lambda *xs: tuple(case.raw(xs))), case.operands
    if not case.live or not case.answers(case.operands):
        return
    points = case.points(case.live)
    cts = [np.ones(np.shape(a), a.dtype) for a in case.answers(case.operands)]
    yield "pullback", cv.make_graph(lambda *xs: cv.vjp(case.function(case.live), *xs[: len(points)])[1](
        tuple(xs[len(points) :]))), [*points, *cts]


def singles(case):
    """The sample in single precision, unless it is."""
    narrow = case.narrowed()
    return [narrow] if any(x.dtype != y.dtype for x, y in zip(narrow.operands, case.operands)) else []


@pytest.mark.parametrize("name", NAMES)
def test_compiled_primitive_gives_the_same_bits(name):
    prim = REGISTRY[name]
    apart = roundings if prim.host else None  # LAPACK's last bits depend on where in memory matrices lie
    for sample in cases(prim):
        # Kernels of NumPy for single precision round in another way where numbers lie apart.
        for case, runs in ((sample, {"C": RUNS, "gaps": RUNS}),
                           *[(narrow, {"C": RUNS, "gaps": 2 * prim.elementwise}) for narrow in singles(sample)]):
            for what, make, values in graphs_of(case):
                graph = make(*values)
                for layout, given in layouts(values):
                    times = runs.get(layout, case is sample)  # the others run a program that is there once more
                    wrong = times and disagreement(graph, given, apart=apart, runs=times)
                    assert not wrong, f"{case}, {what}, {layout}: {wrong}\n{graph}"


@pytest.mark.parametrize("name", NAMES)
def test_compiled_primitive_of_no_elements(name):
    prim = REGISTRY[name]
    staged = 0
    for case in cases(prim):
        values = [x[:0] if x.ndim and x.dtype.kind in "fc" else x for x in case.operands]
        try:
            graph = cv.make_graph(lambda *xs, case=case: tuple(case.raw(xs)))(*values)
        except (ShapeError, ValueError, IndexError, TypeError):
            continue  # this sample needs the elements that it has
        assert disagreement(graph, values) is None, f"{case}\n{graph}"
        staged += 1
    assert staged or not prim.elementwise or prim.nondiff or prim.flat


def test_a_bug_in_a_lowering_that_is_written_out_surfaces(monkeypatch):
    monkeypatch.setattr(REGISTRY["softmax"], "lower", lambda x, axis: x.no_such_method())
    with pytest.raises(AttributeError, match="no_such_method"):
        cv.export_c(lambda x: cv.nn.softmax(x, axis=1), np.ones((2, 3)), name="rows", folder=None)


def test_an_implementation_that_asks_for_arrays_stays_one_operation():
    fun = elementwise("example_backwards", impl=lambda xp, x: xp.asarray(x.tolist()), d=ZERO,
                      samples=lambda rng: [(rng.normal(size=3), {})])
    try:
        x = np.linspace(0.0, 1.0, 4)
        np.testing.assert_array_equal(cv.jit(lambda x: fun(x) * 2.0)(x), x * 2.0)
    finally:
        del REGISTRY["example_backwards"]
