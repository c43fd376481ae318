"""The largest elements of windows and their places, by loops, NumPy and native code, are those of a plain loop."""

import itertools

import numpy as np
import pytest

import covector
from covector import nn
from covector.core.errors import ShapeError
from covector.core.ops.nn import largest_places, pooling, pooling_loops
from covector.extend import REGISTRY

INF = float("inf")


def _window(rng, d):
    kernel, stride, dilation = [tuple(map(int, rng.integers(1, m, d))) for m in (5, 4, 3)]
    padding = tuple([tuple(map(int, rng.integers(0, k // 2 + 1, 2))) for k in kernel])
    size = [max(w * (k - 1) + 1 - a - b, 1) + rng.integers(0, 12) for k, w, (a, b) in zip(kernel, dilation, padding)]
    return tuple(map(int, size)), (kernel, stride, padding, dilation)


def _array(rng, shape, dtype):
    """An array with ties, NaN and windows of -inf."""
    x = rng.integers(0, 5, shape).astype(dtype)
    x[rng.random(shape) < rng.choice([0.0, 0.7])] = -INF
    x[rng.random(shape) < rng.choice([0.0, 0.2])] = np.nan
    return x


def _by_hand(x, kernel, stride, padding, dilation):
    n = len(kernel)
    lead, size = x.shape[: x.ndim - n], x.shape[x.ndim - n :]
    counts = [(m + a + b - w * (k - 1) - 1) // s + 1 for m, k, s, (a, b), w in zip(
        size, kernel, stride, padding, dilation)]
    out = np.zeros((*lead, *counts), np.int64)
    for at in np.ndindex(out.shape):
        best = None
        for place in itertools.product(*map(range, kernel)):
            spot = [c * s - a + k * w for c, s, (a, _), k, w in zip(at[len(lead) :], stride, padding, place, dilation)]
            if all(0 <= q < m for q, m in zip(spot, size)):
                spot = (*at[: len(lead)], *spot)
                if best is None or x[spot] > x[best] or np.isnan(x[spot]):
                    best = spot
        out[at] = np.ravel_multi_index(best, x.shape)
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_loops_and_numpy_find_what_a_plain_loop_finds(d, dtype):
    rng, looped = np.random.default_rng(d), 0
    for _ in range(20):
        size, window = _window(rng, d)
        if not largest_places.all_hold(size, *window):
            continue
        x = _array(rng, (2, 2, *size), dtype)
        wanted = _by_hand(x, *window)
        np.testing.assert_array_equal(largest_places._places(np, x, *window), wanted)
        np.testing.assert_array_equal(pooling._largest(np, x, *window), x.reshape(-1)[wanted])
        for name, found in (("largest_places", wanted), ("max_windows", x.reshape(-1)[wanted])):
            loops = pooling_loops.LARGEST_PLACES if name == "largest_places" else pooling_loops.LARGEST
            out = loops.runner(f"{name} alone")(x, *window)
            if out is not None:
                np.testing.assert_array_equal(out, found)
                looped += 1
    pytest.importorskip("llvmlite", reason="needs the `llvm` extra: pip install 'covector[llvm]'")
    assert looped > 10


@pytest.mark.parametrize("window", [((3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1)), ((2, 2), (2, 2), ((0, 0),) * 2, (1, 1)),
                                    ((2, 3), (1, 2), ((0, 1), (1, 2)), (2, 1))], ids=str)
def test_native_code_finds_the_same(window):
    pytest.importorskip("llvmlite", reason="needs the `llvm` extra: pip install 'covector[llvm]'")
    rng = np.random.default_rng(0)
    for name, dtype in itertools.product(("max_windows", "largest_places"), (np.float32, np.float64)):
        fun = REGISTRY[name].fun
        for _ in range(4):
            x = _array(rng, (2, 3, 9, 8), dtype)
            native = covector.jit(lambda x, fun=fun: fun(x, *window), compiler_options={"printer": "llvm"})
            np.testing.assert_array_equal(native(x), fun(x, *window))
            assert not native.lower(x).source.startswith("def run(")


def test_integers_and_halves_have_their_largest_too():
    rng = np.random.default_rng(0)
    for dtype in (np.int64, np.int8, np.uint8, np.float16):
        x = rng.permutation(100).astype(dtype).reshape(10, 10)
        window = (3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1)
        np.testing.assert_array_equal(REGISTRY["largest_places"].fun(x, *window), _by_hand(x, *window))
        np.testing.assert_array_equal(REGISTRY["max_windows"].fun(x, *window), x.reshape(-1)[_by_hand(x, *window)])


def test_a_window_of_padding_alone_is_lowest_and_hands_nothing_back():
    x = np.array([1.0, 2.0])
    found, pull = covector.vjp(lambda x: nn.max_pool(x, 2, stride=1, padding=2), x)
    np.testing.assert_array_equal(found, [-INF, 1.0, 2.0, 2.0, -INF])
    np.testing.assert_array_equal(pull(np.arange(1.0, 6.0))[0], [2.0, 7.0])
    with pytest.raises(ShapeError, match="have no element of axes of shape"):
        covector.make_graph(lambda x: REGISTRY["max_windows"].fun(x, (2,), (1,), ((2, 2),), (1,)))(x)


def test_strided_arrays_and_arrays_of_another_byte_order():
    x = np.random.default_rng(0).normal(size=(16, 12, 14))
    window = (3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1)
    for other in (x.transpose(0, 2, 1), x[:, ::-1], x[::2], x.astype(">f8")):
        np.testing.assert_array_equal(REGISTRY["largest_places"].fun(other, *window), _by_hand(other, *window))
        np.testing.assert_array_equal(nn.max_pool(other, (3, 3), stride=2, padding=1),
                                      nn.max_pool(np.array(other, "f8"), (3, 3), stride=2, padding=1))
