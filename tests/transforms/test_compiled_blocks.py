"""Large arrays in blocks: elementwise programs, broadcast operands, sums and results in between, bit by bit."""

import numpy as np
import pytest
from rig.compiled import disagreement, layouts
from rig.fuzz import OURS
from rig.pointwise import POINTWISE

import covector as cv
from covector.transforms.compile.render.numpy import block_fusion as fusion

NAMES = sorted(POINTWISE)
SHAPES = ((1031,), (37, 41), (7, 13, 11), (1500, 2), (2, 1500))


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks as small as sums by pairs allow, so that programs of some thousand elements have many."""
    monkeypatch.setattr(fusion, "LARGE", 1 << 10)
    monkeypatch.setattr(fusion, "BLOCK", 1 << 10)


def draw(rng, length=8):
    """A function of four arrays, and such arrays: one of them broadcast, one a number."""
    shape = SHAPES[rng.integers(len(SHAPES))]
    partial = tuple([n if rng.uniform() < 0.5 else 1 for n in shape])[rng.integers(len(shape)) :]
    inputs = [rng.uniform(-0.9, 0.9, s) for s in (shape, shape, partial, ())]
    constant = rng.uniform(0.1, 0.9, shape)
    steps, count = [], len(inputs) + 1
    for _ in range(length):
        operation = POINTWISE[NAMES[rng.integers(len(NAMES))]]
        steps.append((operation, [int(count * rng.uniform() ** 0.5) for _ in range(operation.arity)],
                      operation.draw(rng)))
        count += 1
    axes = [None, 0, -1, tuple(range(len(shape)))][rng.integers(4)]
    seen = int(rng.integers(len(steps)))

    def fun(*xs):
        values = [*xs, constant]
        for operation, places, params in steps:
            found = operation.fun(OURS, *[values[k] for k in places], *params)
            values.append(np.real(found) if np.iscomplexobj(found) else found)
        last = values[-1] * values[0]
        return last.sum(axis=axes), values[len(inputs) + 1 + seen], np.sum(last)

    return fun, inputs


def check(fun, inputs):
    with np.errstate(all="ignore"):
        graph = cv.make_graph(fun)(*inputs)
    for layout, given in layouts(inputs):
        assert disagreement(graph, given) is None, f"{layout}\n{graph}"
    return graph


@pytest.mark.parametrize("seed", range(60))
def test_programs_in_blocks_give_the_same_bits(seed, small_blocks):
    fun, inputs = draw(np.random.default_rng((5, seed)))
    check(fun, inputs)
    check(cv.grad(lambda *xs: fun(*xs)[2], (0, 1, 2, 3)), inputs)


@pytest.mark.parametrize("name", NAMES)
def test_each_operation_in_blocks(name, small_blocks):
    operation, rng = POINTWISE[name], np.random.default_rng(0)
    params = operation.draw(rng)
    for dtype in (np.float64, np.float32):
        inputs = [rng.uniform(0.2, 0.9, 1031).astype(dtype) for _ in range(operation.arity)]

        def fun(*xs):
            y = operation.fun(OURS, *[x + x for x in xs], *params)
            return y, (y * y).sum()

        check(fun, inputs)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(300_001,), (700, 301), (3, 100_000), (100_000, 3)])
def test_blocks_of_the_size_that_is_used(shape, dtype):
    rng = np.random.default_rng(0)
    x, row = rng.normal(size=shape).astype(dtype), rng.normal(size=shape[-1:]).astype(dtype)
    constant = rng.normal(size=shape).astype(dtype)

    def fun(x, row):
        y = np.maximum(np.tanh(x) * row, 0.0) + constant
        return y, y.sum(), y.sum(axis=0), y.sum(axis=-1), np.mean(np.exp(-y * y))

    graph = check(fun, [x, row])
    assert any(program.groups for program in graph.programs.known.values())
    check(cv.grad(lambda x, row: np.sum(fun(x, row)[0] ** 2), (0, 1)), [x, row])
