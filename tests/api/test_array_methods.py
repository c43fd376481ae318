"""Methods of traced arrays that `covector.numpy` adds, against those of `numpy.ndarray`; windows that slide."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import covector
import covector.numpy as cnp


def _load(name):
    spec = importlib.util.spec_from_file_location(f"api_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


measure = _load("measure")
V, M = measure.draw("d", (4,)), measure.draw("d", (3, 4))
windows = np.lib.stride_tricks.sliding_window_view


def _after(write):
    def fun(xp, x, *rest):
        x = x.copy()
        write(x, *rest)
        return x * 1

    return fun


CASES = {
    "searchsorted": [(lambda xp, x, v: x.searchsorted(v, side="right"), np.sort(V), V)],
    "compress": [(lambda xp, x: x.compress([True, False, True], axis=0), M)],
    "argpartition": [(lambda xp, x: x.argpartition(2), V)],
    "partition": [(_after(lambda x: x.partition(1, axis=0)), M)],
    "put": [(_after(lambda x, v: x.put([0, -1], v)), M, V)],
    "cumprod": [(lambda xp, x: x.cumprod(1), M), (lambda xp, x: x.cumprod(), M)],
    "accumulate": [(lambda xp, x, u=u, k=k: u.accumulate(x, axis=k), M) for k in (0, 1)
                   for u in (np.add, np.multiply, np.maximum, np.minimum)]
    + [(lambda xp, x: np.maximum.accumulate(x), np.array([1.0, np.nan, 2.0]).astype("f4"))],
    "reduce": [(lambda xp, x, u=u: u.reduce(x, axis=1, keepdims=True), M)
               for u in (np.add, np.multiply, np.maximum, np.minimum, np.logaddexp, np.logical_and)],
    "out": [(_after(lambda x, v: np.multiply(x, v, out=x)), M, V), (_after(lambda x, v: np.sin(v, out=x)), M, V)],
    "out where": [(_after(lambda x, v: np.exp(v, out=x, where=M > 1)), M, V),
                  (_after(lambda x, v: np.add(x, v, out=x, where=np.array([True, False, True, False]))), M, V)],
    "windows": [(lambda xp, x: windows(x, 2), V), (lambda xp, x: windows(x, (2, 3)), M),
                (lambda xp, x: windows(x, 3, axis=1), M), (lambda xp, x: windows(x, (2, 2), axis=(0, 0)), M)],
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_method_does_what_numpy_does(name):
    found = measure.measure([measure.Case(fun, args) for fun, *args in CASES[name]])
    assert measure.NO not in found.values()


@pytest.mark.parametrize("write", [
    lambda a, t: np.put(a, [0], t), lambda a, t: np.place(a, a > 0, t), lambda a, t: np.putmask(a, a > 0, t),
    lambda a, t: np.fill_diagonal(a, t), lambda a, t: np.copyto(a, t[0]), lambda a, t: a.put([0], t),
    lambda a, t: np.put_along_axis(a, np.zeros((1, 4), int), t, 0),
])  # fmt: skip
@pytest.mark.parametrize("transform", [covector.grad, covector.vmap])
def test_plain_array_is_never_written_with_a_traced_value(write, transform):
    plain = M.copy()
    x = V if transform is covector.grad else np.stack([V, V])
    with pytest.raises(TypeError):
        transform(lambda t: (write(plain, t), t.sum())[1])(x)
    np.testing.assert_array_equal(plain, M)


def test_batched_indices_choose():
    k = np.array([[0, 1, 1, 0], [1, 1, 0, 0]])
    found = covector.vmap(lambda k: k.choose([V, 2 * V]))(k)
    np.testing.assert_array_equal(found, [row.choose([V, 2 * V]) for row in k])


def test_traced_array_names_its_namespace_and_device():
    def fun(x):
        xp = x.__array_namespace__(api_version="2023.12")
        assert xp is cnp
        assert x.device == "cpu"
        return xp.sum(x.to_device("cpu") ** 2)

    np.testing.assert_array_equal(covector.grad(fun)(V), 2 * V)
    np.testing.assert_array_equal(covector.make_graph(fun)(V)(V), np.sum(V**2))
    assert cnp.__array_namespace_info__().default_device() == "cpu"


def test_traced_array_stays_on_its_device():
    with pytest.raises(TypeError, match="'cpu'.*'gpu'.*inputs"):
        covector.grad(lambda x: x.to_device("gpu").sum())(V)
