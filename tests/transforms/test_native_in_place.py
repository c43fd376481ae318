"""Native code writes results where they are wanted: what loops carry and collect, and parts of arrays."""

import numpy as onp
import pytest

import covector as cv
import covector.numpy as np
from covector.extend import REGISTRY

pytest.importorskip("llvmlite", reason="needs llvmlite")
RNG = onp.random.default_rng(0)
update = REGISTRY["index_update"].fun
LINE, SQUARE = RNG.normal(size=60), RNG.normal(size=(6, 12))


def shifted(x):
    """The next carry reads the old one at other places."""
    return cv.scan(lambda y, _: (np.concatenate((x[:1], 0.5 * y[:-1] + x[1:])), None), x, None, length=5)[0]


def read_after(x):
    """The old carry is read once more after the next one is there."""
    def step(y, _):
        z = 0.5 * y + x
        return z, np.sum(np.roll(z, 1) * y)

    return cv.scan(step, x, None, length=5)


def read_late(x):
    """What is made of the old carry waits while the next one is written."""
    return cv.scan(lambda y, _: (0.5 * y + x, np.sin(y[1:])), x, None, length=5)


def swapped(x):
    """Two carries, each of which is made of the other."""
    def step(state, _):
        a, b = state
        return (b * 0.5 + 1.0, a + b[::-1]), a

    return cv.scan(step, (x, 2.0 * x), None, length=5)


def rotated(x):
    def step(state, _):
        a, b, c = state
        return (b, c, a + np.sin(b)), (a, c)

    return cv.scan(step, (x, 2.0 * x, x + 1.0), None, length=4)


def summed(x):
    """The next carry is a sum over what the old one is read for."""
    def step(y, _):
        table = y[:, None] * x[None, :]
        return 0.1 * table.sum(0) + y, table.max(1)

    return cv.scan(step, x, None, length=4)


def views(x):
    """Nearly all of a value is collected, of a carry, and the same twice."""
    def step(y, _):
        z = np.cos(y) + x
        return z, (z[1:], y[:-1], z[1:], z, z[::-1])

    return cv.scan(step, x, None, length=4)


def rows_set(x):
    """What is carried is written to."""
    def step(y, k):
        y = y * 0.5 + x
        return update(y, y[4:41], slice(3, 40), True, False), y

    return cv.scan(step, x, np.arange(4))


def counted(x):
    return cv.while_loop(lambda s: s[1] < 5, lambda s: (np.concatenate((s[0][1:] + x[1:], x[:1])), s[1] + 1), (x, 0))[0]


def joined(x):
    """One waiting value in two places, and in one result more."""
    y = np.exp(x)
    return np.concatenate((y, x, y)), np.stack((y, 2.0 * y)), y + 1.0


def joined_sums(x):
    table = x[:, None] * x[None, :]
    return np.concatenate((table.sum(0), table.max(1), x)), table


def padded(x):
    return np.pad(np.exp(x), (3, 5)), np.pad(np.sin(x), (0, 1)) + np.pad(x, (1, 0))


PROGRAMS = (shifted, read_after, read_late, swapped, rotated, summed, views, rows_set, counted, joined, joined_sums,
            padded)


def of_slices(x):
    """The gradient is put together of slices that meet, overlap, and leave gaps."""
    return (np.sin(x[:20]).sum() + (x[20:45] ** 3).sum() + np.exp(x[40:50]).sum() + x[55] * x[3]
            + (x[1:] * np.cos(x[:-1])).sum())


def of_columns(x):
    return (np.sin(x[:, 0]) * x[:, 1:3].sum(1)).sum() + (x[1:, 4:] ** 2).sum() + x[2, 3] * x[0, 0]


def of_blocks(x):
    y = x[1:, 1:] - x[1:, :1] * (x[:1, 1:] / (3.0 + x[0, 0]))
    return (y ** 2).sum() * y[0, 0]


def agree(program, x):
    f = cv.jit(program, compiler_options={"printer": "llvm"})
    for found, wanted in zip(cv.tree.leaves(f(x)), cv.tree.leaves(program(x)), strict=True):
        onp.testing.assert_allclose(found, wanted, 1e-12, 1e-13)
    assert not f.lower(x).source.startswith("def run(")


@pytest.mark.parametrize("fun", PROGRAMS)
def test_values_and_gradients_are_those_without_native_code(fun):
    def total(x):
        return sum([np.sum(np.sin(y) * np.cos(np.arange(y.size)).reshape(y.shape)) for y in cv.tree.leaves(fun(x))])

    for program in (fun, *((cv.grad(total),) if fun is not counted else ()), lambda x: cv.jvp(fun, (x,), (x,))):
        agree(program, LINE)


@pytest.mark.parametrize(("fun", "x"), [(of_slices, LINE), (of_columns, SQUARE), (of_blocks, SQUARE)])
def test_gradients_of_slices_are_those_without_native_code(fun, x):
    for program in (cv.grad(fun), cv.value_and_grad(fun), cv.hessian(fun)):
        agree(program, x)


def test_a_sum_with_zeros_is_plus_zero():
    found = cv.jit(lambda x: update(onp.zeros(60), -0.0 * np.abs(x[2:50]), slice(2, 50), True, False),
                   compiler_options={"printer": "llvm"})(LINE)
    assert not onp.signbit(found).any()
