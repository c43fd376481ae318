"""Native code of `vmap` of small programs: each element of an example is a vector over the examples."""

import numpy as onp
import pytest

import covector as cv
import covector.numpy as np

pytest.importorskip("llvmlite", reason="needs llvmlite")
EXAMPLES = 77  # no multiple of what fits in a vector


def data(*shape, dtype=float):
    return onp.random.default_rng(0).normal(size=(EXAMPLES, *shape)).astype(dtype)


def native(fun):
    return cv.jit(fun, compiler_options={"printer": "llvm"})


def cross(a, b):
    return np.stack((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))


def turned(x):
    """A rotation by Rodrigues' formula, projected."""
    r, p = x[:3], x[3:6]
    angle = np.sqrt(np.sum(r * r) + 1e-3)
    axis = r / angle
    p = p * np.cos(angle) + cross(axis, p) * np.sin(angle) + axis * (np.sum(axis * p) * (1.0 - np.cos(angle)))
    return p[:2] / (3.0 + p[2] ** 2)


def mixed(x):
    """Views in all forms, constants, other dtypes, an array with one element, and what is read twice."""
    y = np.concatenate((x[::-1][:2], np.ones(2), x[2:4] * onp.array([2.0, 3.0])))
    table = np.reshape(y, (2, 3)) - np.array([[1.0], [2.0]])
    turned_table = np.transpose(table)
    large = np.where(turned_table > 0.0, turned_table, -turned_table)
    places = np.stack((np.max(large, 0), np.min(large, 0), np.sum(large, 0)), 1)
    return np.flip(places, 0), np.prod(y), (places > 1.0).any(1), np.sum(np.atleast_1d(x[0]) + y), places[None, 0]


def padded(x):
    return np.pad(x[1:4], (2, 1)) * np.pad(x[:4], (0, 2)), x[-1]


def only_views(x):
    return x[:3], np.stack((x[1], x[0])), np.concatenate((x, x))


def small_system(x):
    a = np.reshape(x[:4], (2, 2)) + 3.0 * np.eye(2)
    return np.linalg.solve(a, x[4:6]), np.linalg.det(a)


PROGRAMS = (turned, mixed, padded, only_views, small_system, lambda x: np.sum(x * onp.arange(6.0)))


def agree(program, *args, relative=1e-12, least=1e-12):
    f = native(program)
    for found, wanted in zip(cv.tree.leaves(f(*args)), cv.tree.leaves(program(*args)), strict=True):
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        onp.testing.assert_allclose(found, wanted, relative, least)
    return f


@pytest.mark.parametrize("fun", PROGRAMS)
def test_examples_are_those_without_native_code(fun):
    def total(x):
        return sum([np.sum(np.sin(y)) for y in cv.tree.leaves(fun(x)) if y.dtype.kind == "f"])

    for one in (fun, cv.grad(total), cv.value_and_grad(total), cv.hessian(total)):
        agree(cv.vmap(one), data(6))
    agree(cv.grad(lambda x: np.sum(cv.vmap(total)(x))), data(6))


@pytest.mark.parametrize("axes", [(1, 0), (0, 1), (None, 0)])
def test_other_axes_of_examples(axes):
    x, y = ([6] if a is None else [EXAMPLES, 6] if a == 0 else [6, EXAMPLES] for a in axes)
    rng = onp.random.default_rng(0)
    program = cv.vmap(lambda x, y: (turned(x) * y[:2], np.sum(y[2:] - x[2:])), axes)
    agree(program, rng.normal(size=x), rng.normal(size=y))


def test_single_precision():
    x = data(6, dtype=onp.float32)
    agree(cv.vmap(cv.jacrev(turned)), x, relative=2e-5, least=2e-5)


def test_a_loop_of_examples():
    """The body of a scan has columns of its own; what it carries is not written over while a slice of it is read."""
    def run(x):
        def step(y, _):
            v = y[3:] - 0.1 * np.sum(y[:3] * y[:3]) * y[:3]
            return np.concatenate((y[:3] + 0.1 * v, v)), (y[1:3], v[0])

        return cv.scan(step, x, None, length=5)

    for program in (run, cv.grad(lambda x: np.sum(run(x)[0]) + np.sum(run(x)[1][1]))):
        agree(cv.vmap(program), data(6))


def test_one_body_in_two_loops():
    def step(y, _):
        return np.stack((y[1], y[0] * 0.5 + y[2], y[2] * y[1])), y[:2]

    def run(x):
        first, some = cv.scan(step, x[:3], None, length=3)
        return cv.scan(step, first + x[3:], None, length=3), some

    agree(cv.vmap(run), data(6))


def test_columns_that_others_read_as_arrays():
    """A product over the examples, sums over them, and rows at places, of what is made column by column."""
    weights = onp.random.default_rng(1).normal(size=(4, 5))

    def run(x, places):
        y = cv.vmap(lambda r: np.stack((r[0] * r[1], np.sum(r), r[2] - r[0], np.sin(r[3]))))(x)
        return y @ weights, np.sum(y, 0), y[places], y[:, 1] + 1.0, np.sum(y * y), y

    agree(run, data(6), onp.array([3, 5, 3]))


def test_infinite_elements_of_split_outputs_warn_as_in_numpy():
    x = data(6)
    x[5, :3] = 0.0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        native(cv.vmap(lambda r: np.stack((r[0], 1.0 / np.sum(r[:3] * r[:3]), r[1] - r[2]))))(x)


def test_random_programs():
    for seed in range(30):
        rng = onp.random.default_rng(seed)
        choices = rng.integers(0, 8, 12), rng.integers(0, 5, 40)

        def run(x, choices=choices):
            values, at = [x], iter(choices[1].tolist() * 3)
            for kind in choices[0].tolist():
                a, b = values[next(at) % len(values)], values[next(at) % len(values)]
                k = 1 + next(at) % 3
                n = min(a.shape[0], b.shape[0])
                values.append((
                    lambda: a[:k] if a.shape[0] > k else np.sin(a), lambda: np.concatenate((a, b))[:7],
                    lambda: a[:n] * b[:n], lambda: np.stack((np.sum(a), np.max(b), b[0])), lambda: np.cos(a) - 0.5,
                    lambda: a[::-1] / (2.0 + np.sum(b * b)), lambda: np.pad(a[:2], (k, 1)),
                    lambda: np.where(a > 0.0, a, 0.5 * a))[kind]())
            return np.sum(values[-1] * 0.1) + np.sum(values[-2]), values[-1]

        agree(cv.vmap(run), data(6))
        agree(cv.vmap(cv.grad(lambda x, run=run: run(x)[0])), data(6))
