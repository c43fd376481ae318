"""The sweep of reverse mode against a plain one, on random graphs: shared values, several outputs, buffers, no use."""

from collections import defaultdict
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from rig.fuzz import OURS
from rig.programs import draw_program

import covector as cv
import covector.numpy as cnp
from covector.core.tape.tape import Partial
from covector.transforms.interpreters import gradient
from covector.transforms.reverse import sweep
from covector.transforms.reverse.blocks import sweep_region
from covector.transforms.reverse.mutation_guards import LARGE
from covector.transforms.staging import bodies


def reference_sweep(roots, count, masked=False, **_):
    """The cotangents of the leaves: always the newest node next, on the sum of what arrived there."""
    arrived, results = defaultdict(list), [None] * count
    for node, ct in roots:
        arrived[node].append(ct)
    while arrived:
        node = min(arrived, key=lambda node: node.seq)  # numbers count downwards
        ct = total(arrived.pop(node))
        if node.rule is None:
            results[node.saved] = ct
            continue
        cts = (node.rule.strong if masked else node.rule.back)(ct, node.saved)
        for parent, c in zip(node.parents, cts) if type(node.parents) is tuple else [(node.parents, cts)]:
            if c is not None:
                arrived[parent].append(c)
    return results


def total(cts):
    """The sum of cotangents, lazy ones too, as an array; of a node with several outputs, as a tuple."""
    return dense(reduce(add, [c if type(c) is Partial else dense(c) for c in cts]))


def dense(ct):
    return ct.dense() if hasattr(ct, "dense") else ct


def both(call):
    """What a call gives by the sweep of the library, and by the reference."""
    found = call()
    swept = []

    def counted(*args, **more):
        swept.append(args)
        return reference_sweep(*args, **more)

    with pytest.MonkeyPatch.context() as patch:
        for module in (gradient, bodies):
            patch.setattr(module, "sweep", counted)
        wanted = call()
    assert swept, "the reference was not asked"
    return found, wanted


def assert_agree(found, wanted):
    """Raise where two nests of arrays differ by more than the order of sums explains."""
    if isinstance(wanted, tuple | list):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted):
            assert_agree(a, b)
    else:
        a, b = np.asarray(found), np.asarray(wanted)
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12 * max(1.0, np.abs(b).max(initial=0.0)))


def symmetric(x):
    return x @ x.T + np.diag(np.arange(1.0, 4.0))


def written(x, y):
    """A buffer that is filled, added to at repeated places, scaled and read."""
    b = cnp.zeros_like(x)
    b[0] = y[1]
    b[1:] += x[:2] * y[0, 0]
    b[[0, 0, 2]] += y
    b *= x
    b[2] = b[0] + b[1]
    return b + b[1]


STEPS = {  # name -> a function of two 3×3 matrices that gives one, or several of which some may not be used
    "times": lambda x, y: x * y, "square": lambda x, y: x * x, "sin": lambda x, y: cnp.sin(x) - y,
    "matmul": lambda x, y: x @ y, "row": lambda x, y: x + y[1], "sum": lambda x, y: cnp.sum(x, axis=0) * y,
    "chosen": lambda x, y: x[[2, 0, 0]] + y.T, "constant": lambda x, y: x * 0.5, "written": written,
    "where": lambda x, y: cnp.where(x > y, x, y * y), "halves": lambda x, y: cnp.split(cnp.concatenate([x, y]), 2),
    "eigh": lambda x, y: [cnp.linalg.eigh(symmetric(x))[0] * y], "qr": lambda x, y: cnp.linalg.qr(symmetric(x))[::-1],
    "eigh, both": lambda x, y: [w * v for w, v in [cnp.linalg.eigh(symmetric(x))]],
    "unstacked": lambda x, y: [part[:, None] * y for part in x],
    "slogdet": lambda x, y: cnp.linalg.slogdet(x @ x.T)[1] * y,
}
QUIETLY = settings(derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@st.composite
def graphs(draw):
    """Names of steps, which earlier values they take, which values are results, and a seed of numbers."""
    steps, count = [], 2
    for name in draw(st.lists(st.sampled_from(list(STEPS)), min_size=1, max_size=12)):
        steps.append((name, draw(st.integers(0, 99)), draw(st.integers(0, 99))))
        count += 1
    return steps, draw(st.lists(st.integers(0, 99), min_size=1, max_size=3)), draw(st.integers(0, 99))


def program(graph):
    """The function of two matrices that a graph stands for; values are kept small, so that nothing overflows."""
    steps, results, _ = graph

    def fun(*inputs):
        values = list(inputs)
        for name, first, second in steps:
            out = STEPS[name](values[-1 - first % len(values)], values[-1 - second % len(values)])
            values += [cnp.tanh(v) for v in (out if isinstance(out, tuple | list) else [out])]
        return [values[-1 - k % len(values)] for k in results]

    return fun


@settings(QUIETLY, max_examples=200)
@given(graphs())
def check_graphs(graph):
    fun, rng = program(graph), np.random.default_rng(graph[2])
    inputs = rng.normal(size=(2, 3, 3))
    cotangents = [rng.normal(size=np.shape(v)) for v in fun(*inputs)]
    assert_agree(*both(lambda: cv.vjp(fun, *inputs)[1](cotangents)))


def test_random_graphs_have_the_gradients_of_the_reference():
    check_graphs()


@pytest.mark.parametrize("name", STEPS)
def test_each_step_has_the_derivatives_of_the_reference(name):
    x, y = np.random.default_rng(1).normal(size=(2, 3, 3))
    fun = program(([(name, 1, 0), ("times", 0, 0), (name, 0, 1)], [0, 1], 0))

    def loss(x, y):
        return sum(cnp.sum(v * v) for v in fun(x, y))

    assert_agree(*both(lambda: cv.grad(loss, (0, 1))(x, y)))
    assert_agree(*both(lambda: cv.grad(lambda x: cnp.sum(cv.grad(loss)(x, y) * y))(x)))
    assert_agree(*both(lambda: cv.jacobian(lambda x: fun(x, y)[0])(x)))
    assert_agree(*both(lambda: cv.vmap(cv.grad(loss))(np.stack([x, y]), np.stack([y, x]))))


def test_programs_of_all_operations_have_the_gradients_of_the_reference():
    for seed in range(60):
        drawn = draw_program(np.random.default_rng((11, seed)), OURS)
        every = tuple(range(len(drawn.inputs)))
        call = cv.grad(lambda *xs, drawn=drawn: drawn.run(OURS, xs), every)
        assert_agree(*both(lambda call=call, drawn=drawn: call(*drawn.inputs)))


def test_large_arrays_swept_in_blocks_have_the_gradients_of_the_reference(monkeypatch):
    taken = []
    monkeypatch.setattr(sweep, "sweep_region", lambda *args: taken.append(sweep_region(*args)) or taken[-1])
    x = np.linspace(-1.0, 1.0, LARGE // 4)

    def loss(x, y):
        a = cnp.sin(x * y) + x
        return cnp.sum(cnp.exp(a) * y + a * a * cnp.tanh(x))

    assert_agree(*both(lambda: cv.grad(loss, (0, 1))(x, 0.5 * x)))
    assert any(taken)


@pytest.mark.parametrize("order", [1, -1])
def test_outputs_of_one_node_gather_in_the_first(order):
    parts = [Partial(3, k, float(k)) for k in (2, 0)][::order]
    whole = parts[0].plus(parts[1])
    assert whole is parts[0]
    assert whole.dense() == (0.0, None, 2.0)


def test_outputs_of_one_node_that_meet_in_one_place_are_added():
    assert (Partial(2, 1, 3.0) + Partial(2, 1, 4.0)).dense() == (None, 7.0)
