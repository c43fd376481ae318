"""Native code: every primitive and random programs agree with graphs run equation by equation, to rounding."""

import numpy as np
import pytest
from rig.compiled import RUNS, compiled_fuzz, disagreement, layouts, roundings
from rig.fuzz import OURS, fuzz
from rig.pointwise import POINTWISE
from rig.programs import draw_program

import covector as cv
from covector.core.errors import ShapeError
from covector.core.primitive.primitive import REGISTRY
from covector.testing.cases import cases
from covector.transforms.compile.call.native_program import native
from covector.transforms.compile.program import Programs

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
pytest.importorskip("scipy")
NAMES = sorted(REGISTRY)


def compiled(graph):
    """What runs a graph in native code."""
    return Programs(graph, own=True, options={"printer": native}).run


def check(graph, values):
    run = compiled(graph)
    for layout, given in layouts(values):
        runs = RUNS if layout in ("C", "gaps") else 1  # one program, which copies what does not lie in order
        assert disagreement(graph, given, run, roundings, runs) is None, f"{layout}\n{graph}"


def graphs_of(case, pullback):
    """The primitive on all its operands, and its pullback."""
    yield cv.make_graph(lambda *xs: tuple(case.raw(xs)))(*case.operands), case.operands
    if not pullback or not case.live or not case.answers(case.operands):
        return
    points = case.points(case.live)
    cts = [np.ones(np.shape(a), a.dtype) for a in case.answers(case.operands)]
    values = [*points, *cts]
    yield cv.make_graph(lambda *xs: cv.vjp(case.function(case.live), *xs[: len(points)])[1](
        tuple(xs[len(points) :])))(*values), values


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", NAMES)
def test_native_primitive(name, dtype):
    for sample in cases(REGISTRY[name]):
        case = sample if dtype is np.float64 else sample.narrowed()
        if dtype is np.float32 and all(x.dtype == y.dtype for x, y in zip(case.operands, sample.operands)):
            continue  # it is in single precision anyway
        for graph, values in graphs_of(case, pullback=dtype is np.float64):
            check(graph, values)


@pytest.mark.parametrize("name", NAMES)
def test_native_primitive_of_no_elements(name):
    for case in cases(REGISTRY[name]):
        values = [x[:0] if x.ndim and x.dtype.kind in "fc" else x for x in case.operands]
        try:
            graph = cv.make_graph(lambda *xs, case=case: tuple(case.raw(xs)))(*values)
        except (ShapeError, ValueError, IndexError, TypeError):
            continue  # this sample needs the elements that it has
        assert disagreement(graph, values, compiled(graph), roundings) is None, f"{case}\n{graph}"


@pytest.mark.slow
def test_random_programs_agree():
    assert compiled_fuzz(programs=60, seed=4, evaluated=compiled, apart=roundings) == []


@pytest.mark.slow
def test_random_programs_agree_in_single_precision():
    for k in range(60):
        program = draw_program(np.random.default_rng((5, k)), OURS)
        inputs = [x.astype(np.float32) if x.dtype == np.float64 else x for x in map(np.asarray, program.inputs)]

        def fun(*xs, program=program):
            return program.run(OURS, xs)

        for staged in (fun, cv.grad(fun, tuple(range(len(inputs))))):
            graph = cv.make_graph(staged)(*inputs)
            wrong = disagreement(graph, inputs, compiled(graph), lambda a, b: roundings(a, b, single=1e-6))
            assert wrong is None, f"{k}: {wrong}\n{program}"


OPERANDS = [((1,), (2, 1, 9)), ((3,), (2, 3, 4)), ((2, 4, 3), (3,)), ((2, 1, 3), (3, 5)), ((2, 3, 1), (1,)),
            ((1,), (1,)), ((5, 1), (2, 1, 4)), ((1, 1), (3, 1, 4)), ((3, 2, 2), (3, 2, 2)), ((1,), (2, 3, 1, 4)),
            ((4, 1), (1,)), ((2, 1, 20, 30), (4, 30, 25)), ((30,), (3, 30, 20)), ((3, 20, 30), (30,)), ((1,), (1, 5)),
            ((40, 1), (1, 30))]


@pytest.mark.parametrize(("one", "other"), OPERANDS)
def test_products_of_every_rank(one, other):
    rng = np.random.default_rng(0)
    values = [rng.normal(size=one), rng.normal(size=other)]
    check(cv.make_graph(np.matmul)(*values), values)
    check(cv.make_graph(lambda x, y: np.matmul(1.5 * x, np.tanh(y)) - 1.0)(*values), values)


SHAPES = ((1031,), (37, 41), (7, 13, 11), (1500, 2), (2, 1500), (3, 5), (4,), (2, 3, 2))


@pytest.mark.parametrize("seed", range(40))
def test_elementwise_programs_of_many_shapes(seed):
    """Operations on operands that are broadcast, turned and cut, with sums of them."""
    rng, names = np.random.default_rng((6, seed)), sorted(POINTWISE)
    shape = SHAPES[rng.integers(len(SHAPES))]
    partial = tuple([n if rng.uniform() < 0.5 else 1 for n in shape])[rng.integers(len(shape)) :]
    dtype = (np.float64, np.float32)[seed % 2]
    inputs = [rng.uniform(0.1, 0.9, s).astype(dtype) for s in (shape, shape[::-1], partial, ())]
    chosen, count = [], 5
    for _ in range(8):
        operation = POINTWISE[names[rng.integers(len(names))]]
        chosen.append((operation, [int(count * rng.uniform() ** 0.5) for _ in range(operation.arity)],
                       operation.draw(rng)))
        count += 1
    axes = [None, 0, -1, tuple(range(len(shape)))][rng.integers(4)]
    constant = rng.uniform(0.1, 0.9, shape).astype(dtype)

    def fun(x, y, part, number):
        values = [x, y.T, part, number, constant[..., ::-1]]
        for operation, places, params in chosen:
            found = operation.fun(OURS, *[values[k] for k in places], *params)
            found = np.real(found) if np.iscomplexobj(found) else found
            values.append(np.tanh(found * 0.1))
        last = values[-1] * values[0]
        return last.sum(axis=axes), values[7], last[..., ::2].max(axis=axes), np.sum(last.T * y)

    with np.errstate(all="ignore"):
        graph = cv.make_graph(fun)(*inputs)
    assert disagreement(graph, inputs, compiled(graph), roundings) is None, graph
    slope = cv.make_graph(cv.grad(lambda *xs: fun(*xs)[3], (0, 1, 2, 3)))(*inputs)
    assert disagreement(slope, inputs, compiled(slope), roundings) is None, slope


@pytest.mark.parametrize("start", [160, 539])
def test_programs_that_were_wrong(start):
    assert fuzz(programs=1, seed=1, start=start) == []
