"""Loops of eager operations: they give what NumPy's passes give, to rounding, or leave the call to these."""

import threading

import numpy as np
import pytest

import covector
from covector.compat import torch
from covector.core.arrays.backend import KERNELS
from covector.core.errors import ShapeError
from covector.core.primitive.kernels import KNOWN_LOOPS
from covector.extend import REGISTRY
from covector.testing import check
from covector.testing.cases import cases

pytest.importorskip("llvmlite", reason="needs the `llvm` extra: pip install 'covector[llvm]'")

LARGE = {"scatter_add", "cumsum", "cumprod", "reduce_prod", "triangle", "fmod", "remainder",
         "floor_divide", "conv", "conv_input", "conv_weight", "prelu", "largest_in_parts", "largest_places",
         "max_windows"}  # for more elements than samples have
NAMES = sorted({*KNOWN_LOOPS} & {*REGISTRY} - LARGE)
TOLERANCE = {"f4": 2e-5, "f8": 1e-12}


class _ByNumpy:
    """The scope in which no loops are compiled."""

    def __enter__(self):
        self.makers = dict(KERNELS)
        self.known = {name: dict(kernels) for name, kernels in KNOWN_LOOPS.items()}
        KERNELS.clear()
        for kernels in KNOWN_LOOPS.values():
            kernels.clear()

    def __exit__(self, *error):
        KERNELS.update(self.makers)
        for name, kernels in KNOWN_LOOPS.items():
            kernels.clear()
            kernels.update(self.known[name])


def _flat(found):
    return found if type(found) in (tuple, list) else (found,)


def _alike(found, wanted):
    for a, b in zip(_flat(found), _flat(wanted), strict=True):
        assert type(a) is type(b) is np.ndarray and a.dtype == b.dtype and a.shape == b.shape
        tolerance = TOLERANCE.get(a.dtype.str[1:], 0)
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def _calls(name, dtype):
    """The samples of a primitive, as calls with floats of a dtype."""
    prim = REGISTRY[name]
    for case in cases(prim):
        operands = [np.asarray(x, dtype) if np.asarray(x).dtype.kind == "f" else x for x in case.operands]
        yield lambda operands=operands, named=case.named: prim.fun(*operands, **named)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", NAMES)
def test_samples_are_as_by_numpy(name, dtype):
    for call in _calls(name, dtype):
        found = call()
        with _ByNumpy():
            wanted = call()
        _alike(found, wanted)
    assert any(KNOWN_LOOPS[name].values())


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f8", "f2"])
@pytest.mark.parametrize("rows, places, count", [
    ((256, 32), (256,), 1000), ((2048, 2), (2048,), 3), ((64, 8, 5), (64,), 64), ((32, 16, 9), (32, 16), 7),
    ((4, 400), (4,), 4_000)])
def test_rows_are_added_up_as_by_numpy(rows, places, count, dtype):
    rng = np.random.default_rng(0)
    x, index = rng.normal(size=rows).astype(dtype), rng.integers(-count, count, places)
    for given in (index, index.astype(np.int32), np.asfortranarray(index)):
        found, wanted = _both(lambda given=given: REGISTRY["scatter_add"].fun(x, given, 0, count))
        assert found.base is None and found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-2 if dtype == "f2" else 1e-5, atol=1e-3)
    if dtype in ("f4", "f8") and count < 4_000:  # that few rows of so many places NumPy adds up by itself
        assert any(KNOWN_LOOPS["scatter_add"].values())


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("steps, n, k", [(1, 1, 1), (3, 5, 7), (20, 8, 32), (4, 0, 3), (2, 2, 65)])
def test_layers_of_an_lstm_and_their_derivatives(steps, n, k, dtype):
    rng = np.random.default_rng(0)
    given = [0.5 * rng.normal(size=s).astype(dtype) for s in ((steps, n, 4 * k), (n, k), (n, k), (4 * k, k))]
    ones = [rng.normal(size=s).astype(dtype) for s in ((steps, n, k), (steps, n, k), (steps, n, 4 * k))]
    fun = REGISTRY["lstm_sequence"].fun

    def run():
        outs, pull = covector.vjp(fun, *given)
        alone = covector.vjp(lambda *xs: fun(*xs)[0], *given)[1]
        turned = covector.vjp(lambda *xs: fun(*xs)[0].swapaxes(0, 1), *given)[1]
        return [*outs, *pull(tuple(ones)), *alone(ones[0]), *turned(ones[1].swapaxes(0, 1))]

    for a, b in zip(*_both(run), strict=True):
        assert a.dtype == b.dtype == dtype and a.shape == b.shape and a.flags.owndata == b.flags.owndata
        tolerance = {"f4": 1e-5, "f8": 1e-12}[dtype] * max(np.abs(b).max(initial=0), 1)
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance)


def test_states_of_an_lstm_that_are_not_finite():
    gates, state, w = np.ones((3, 2, 8)), np.zeros((2, 2)), np.ones((8, 2))
    gates[1, 0, 0], gates[2, 1, 3] = np.nan, np.inf
    with np.errstate(all="ignore"):
        found, wanted = _both(lambda: covector.vjp(REGISTRY["lstm_sequence"].fun, gates, state, state, w)[0])
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


@pytest.mark.parametrize("place", [7, -8, 2**40])
def test_a_row_that_is_out_of_bounds_raises(place):
    index = np.zeros(300, int)
    index[-1] = place
    for scope in (pytest.MonkeyPatch.context(), _ByNumpy()):
        with scope, pytest.raises(IndexError, match=f"index {place} is out of bounds for axis 0 with size 7"):
            REGISTRY["scatter_add"].fun(np.ones((300, 16)), index, 0, 7)


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_passes_without_a_compiler(name):
    with _ByNumpy():
        check(REGISTRY[name])


def _positions(n=2, m=70, size=(16, 9)):
    rng = np.random.default_rng(0)
    return np.stack([rng.uniform(-1.5, k + 0.5, (n, m)) for k in size[::-1]], -1)


def _image(n=2, c=3, size=(16, 9)):
    return np.random.default_rng(1).normal(size=(n, c, *size))


def _interpolated(x, at):
    return REGISTRY["interpolated"].fun(x, at)


def _both(run):
    found = run()
    with _ByNumpy():
        return found, run()


@pytest.mark.parametrize("change", [
    lambda x, at: (x.transpose(0, 1, 3, 2).copy().transpose(0, 1, 3, 2), at),
    lambda x, at: (x, np.asfortranarray(at)),
    lambda x, at: (x[::-1], at[::-1]),
    lambda x, at: (x.astype(np.float32), at),
    lambda x, at: (x.astype(np.float16), at.astype(np.float16)),
    lambda x, at: (x.astype(">f8"), at),
    lambda x, at: (np.broadcast_to(x[:1], x.shape), at),
], ids=["strides", "order", "backwards", "mixed", "half", "bytes", "broadcast"])
def test_arrays_in_any_order_and_dtype(change):
    x, at = change(_image(), _positions())
    found, wanted = _both(lambda: _interpolated(x, at))
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-2 if x.dtype == np.float16 else 1e-6)


def test_shapes_that_do_not_belong_together_raise_as_without_a_compiler():
    x = _image()
    for at in (_positions(n=3), _positions()[..., :1], _positions()[0]):
        for scope in (pytest.MonkeyPatch.context(), _ByNumpy()):
            with scope, pytest.raises(ShapeError, match="give an image .n, channels, .size., positions"):
                _interpolated(x, at)


def test_positions_that_are_not_finite_and_pixels_that_are_not():
    x, at = _image(), _positions()
    at[0, :4, 0] = np.nan, np.inf, -np.inf, 1e30
    x[0, 0, 0, 0], x[1, 1, 3, 3] = np.inf, np.nan
    found, wanted = _both(lambda: _interpolated(x, at))
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert np.isnan(found[0, :, :3]).all() and (found[0, :, 3] == 0.0).all()
    ct = np.ones((2, 3, 70))
    found, wanted = _both(lambda: REGISTRY["interpolated_spread"].fun(ct, at, (16, 9)))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_an_error_state_that_asks_for_more_than_warnings_is_left_to_numpy():
    x, at = _image(), _positions()
    wanted = _interpolated(x, at)
    for state in ({"all": "raise"}, {"all": "ignore"}, {"under": "warn"}):
        with np.errstate(**state):
            np.testing.assert_allclose(_interpolated(x, at), wanted, rtol=1e-12)


def test_the_first_call_may_be_made_by_several_threads():
    KNOWN_LOOPS["interpolated"].clear()
    x, at, found = _image(), _positions(), []
    threads = [threading.Thread(target=lambda: found.append(_interpolated(x, at))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for each in found:
        np.testing.assert_array_equal(each, found[0])


def test_long_runs_let_other_threads_run():
    x, at = _image(1, 4, (64, 64)), _positions(1, 100_000, (64, 64))
    found, wanted = _both(lambda: _interpolated(x, at))
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


def test_an_interpolated_image_of_whole_positions_is_the_image():
    x = _image(1, 2, (4, 5))
    rows, columns = np.mgrid[:4, :5].astype(float)
    at = np.stack([columns, rows], -1).reshape(1, 20, 2)
    np.testing.assert_array_equal(_interpolated(x, at).reshape(x.shape), x)


@pytest.mark.parametrize("size", [(5, 4), (3, 4, 2)])
def test_second_derivatives_are_those_of_finite_differences(size):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(1, 2, *size))
    at = np.stack([rng.integers(0, k - 1, (1, 3)) + rng.uniform(0.3, 0.7, (1, 3)) for k in size[::-1]], -1)
    fun = lambda x, at: np.sum(np.sin(_interpolated(x, at)))  # noqa: E731
    for place in (0, 1):
        slope = covector.grad(lambda x, at: np.sum(covector.grad(fun, 1)(x, at) ** 2), place)(x, at)
        ahead = [np.zeros_like(x), np.zeros_like(at)]
        ahead[place] = rng.normal(size=ahead[place].shape) * 1e-6
        value = [np.sum(covector.grad(fun, 1)(x + s * ahead[0], at + s * ahead[1]) ** 2) for s in (1, -1)]
        np.testing.assert_allclose(2 * np.sum(slope * ahead[place]), value[0] - value[1], rtol=1e-6)


def test_expanded_cotangents_take_the_loops():
    x = torch.from_numpy(_image()).requires_grad_()
    grid = torch.from_numpy(np.random.default_rng(3).uniform(-1, 1, (2, 5, 7, 2))).requires_grad_()
    KNOWN_LOOPS["interpolated_spread"].clear()
    torch.nn.functional.grid_sample(x, grid, align_corners=False).sum().backward()
    assert any(KNOWN_LOOPS["interpolated_spread"].values())


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(5000,), (1, 5000), (9, 600), (16, 300), (500, 40, 1), (7, 30, 41), (4100, 2)])
def test_running_sums_and_products_have_the_bits_of_numpy(shape, dtype):
    x = np.random.default_rng(0).uniform(0.9, 1.1, shape).astype(dtype)
    for axis in range(len(shape)):
        for name, plain in (("cumsum", np.cumsum), ("cumprod", np.cumprod)):
            found = REGISTRY[name].fun(x, axis)
            np.testing.assert_array_equal(found, plain(x, axis=axis), strict=True)
            assert found.base is None
    assert KNOWN_LOOPS["cumsum"][np.dtype(dtype),]


def test_running_sums_and_products_of_what_is_not_finite():
    x = np.random.default_rng(0).normal(size=(40, 200))
    x[3, 4], x[7, 8], x[9, 9], x[9, 10] = np.inf, np.nan, np.inf, 0.0
    with np.errstate(all="ignore"):
        for axis in (0, 1):
            for name, plain in (("cumsum", np.cumsum), ("cumprod", np.cumprod)):
                np.testing.assert_array_equal(REGISTRY[name].fun(x, axis), plain(x, axis=axis))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_derivatives_of_products_on_large_arrays(axis, dtype):
    x = np.random.default_rng(0).uniform(0.8, 1.2, (20, 30, 40)).astype(dtype)
    x[3, 4, 5] = x[6, 7, 8] = x[6, 7, 9] = 0.0
    ct = np.random.default_rng(1).normal(size=x.shape).astype(dtype)

    def run():
        products, pull = covector.vjp(lambda x: covector.numpy.cumprod(x, axis=axis), x)
        total, back = covector.vjp(lambda x: covector.numpy.prod(x, axis=axis), x)
        return [products, *pull(ct), covector.jvp(lambda x: covector.numpy.cumprod(x, axis=axis), (x,), (ct,))[1],
                total, *back(ct.sum(axis))]

    found = run()
    with _ByNumpy():
        wanted = run()
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4 if dtype == "f4" else 1e-11, atol=1e-4 if dtype == "f4" else 1e-11)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_products_of_rows_that_overflow_or_vanish_are_those_of_numpy(dtype):
    x = np.random.default_rng(0).uniform(0.9, 1.1, (50, 100)).astype(dtype)
    for axes in ((1,), (0, 1)):
        for keepdims in (False, True):
            found, wanted = REGISTRY["reduce_prod"].fun(x, axes, keepdims), np.prod(x, axis=axes, keepdims=keepdims)
            assert type(found) is type(wanted) and found.dtype == wanted.dtype and found.shape == wanted.shape
            np.testing.assert_allclose(found, wanted, rtol=1e-3 if dtype == "f4" else 1e-11)
    x[:, ::2] *= np.finfo(dtype).max ** 0.25
    x[:, 1::2] *= np.finfo(dtype).max ** -0.25  # in other orders infinite or zero
    x[3, 3], x[4, 4], x[5, 5] = 0.0, np.inf, np.nan
    np.testing.assert_array_equal(REGISTRY["reduce_prod"].fun(x, (1,), False), np.prod(x, axis=1))


@pytest.mark.parametrize("k", [-99, -3, 0, 1, 99])
@pytest.mark.parametrize("upper", [False, True])
def test_triangles_of_large_matrices(k, upper):
    x = np.random.default_rng(0).normal(size=(3, 40, 50))
    for y in (x, x[..., ::-1], x.astype("f4"), (9 * x).astype(int), x > 0, x + 1j, x.astype(">f8"), x[:, 3:]):
        np.testing.assert_array_equal(REGISTRY["triangle"].fun(y, k, upper), (np.triu if upper else np.tril)(y, k),
                                      strict=True)


def _quotients(dtype):
    """Pairs of operands, of ordinary sizes and at the edges of what a quotient rounds to."""
    rng, n, facts = np.random.default_rng(0), 5000, np.finfo(dtype)
    y = rng.normal(size=n).astype(dtype)
    x = (rng.integers(1, 1000, n) * y).astype(dtype)
    known, zero = rng.normal(size=(50, 100)).astype(dtype), facts.dtype.type(0)
    odd = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1, -1, 2.5, facts.max, facts.tiny], dtype)
    yield from [
        (known, rng.normal(size=(50, 100)).astype(dtype)), (known, rng.uniform(1, 2, 100).astype(dtype)),
        (x, y), (np.nextafter(x, zero), y), (np.nextafter(x, zero + np.inf), -y), (known, np.array(0.7, dtype)),
        (np.where(rng.random(n) < 0.3, -zero, x), y), (x * facts.tiny, y * facts.tiny),
        ((2.0 ** rng.uniform(0, facts.nmant + 4, n)).astype(dtype), rng.uniform(0.5, 1, n).astype(dtype)),
        (np.repeat(odd, 500), np.tile(odd, 500)), (known[::-1], known), (known.T, known.T.copy()),
        *[(x, number) for number in (0.7, -0.7, 2, -3, 0.0, 0, float("inf"))]]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide"])
def test_remainders_and_rounded_quotients_have_the_bits_of_numpy(name, dtype):
    plain = getattr(np, name)
    with np.errstate(all="ignore"):
        for x, y in _quotients(dtype):
            found, wanted = REGISTRY[name].impl(np, x, y), plain(x, y)
            np.testing.assert_array_equal(found, wanted, strict=True)
            number = wanted == wanted
            np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(wanted[number]))
    assert all(KNOWN_LOOPS[name][key] for key in ((np.dtype(dtype),) * 2, (np.dtype(dtype), float)))
    with pytest.warns(RuntimeWarning, match="invalid value|divide by zero"):
        REGISTRY[name].impl(np, np.ones(5000), np.zeros(5000))


def test_remainders_of_tensors_on_every_road():
    x, y = np.random.default_rng(0).normal(size=(2, 90, 60)).astype("f4")
    for _ in range(4):
        a, b = torch.from_numpy(x).requires_grad_(), torch.from_numpy(y).requires_grad_()
        for found, plain in ((a % b, np.remainder), (torch.fmod(a, b), np.fmod)):
            np.testing.assert_array_equal(found.detach().numpy(), plain(x, y))
        with torch.no_grad():
            np.testing.assert_array_equal((a % b).numpy(), np.remainder(x, y))
            np.testing.assert_array_equal((a // b).numpy(), np.floor_divide(x, y))
            np.testing.assert_array_equal((a % 0.3).numpy(), np.remainder(x, np.float32(0.3)))
        (a % b).sum().backward()
        np.testing.assert_array_equal(a.grad.numpy(), np.ones_like(x))
        np.testing.assert_allclose(b.grad.numpy(), -np.floor_divide(x, y), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_casts_to_half_precision_and_back_have_the_bits_of_numpy(dtype):
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    cast = lambda x, dtype: REGISTRY["cast"].fun(x, np.dtype(dtype))  # noqa: E731
    exact = halves.astype(dtype)
    np.testing.assert_array_equal(cast(halves, dtype), exact, strict=True)
    finite = np.sort(exact[np.isfinite(exact)])
    middle = ((finite[:-1] + finite[1:]) / 2).astype(dtype)
    up, down = (np.nextafter(middle, np.array(end, dtype)) for end in (np.inf, -np.inf))
    for x in (exact, finite, middle, up, down, finite * 1e-3):
        found, wanted = cast(x, "f2"), x.astype(np.float16)
        np.testing.assert_array_equal(found, wanted, strict=True)
        np.testing.assert_array_equal(np.signbit(found)[wanted == wanted], np.signbit(wanted)[wanted == wanted])
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert np.isinf(cast(np.full(5000, 65520.0, dtype), "f2")).all()
    assert KNOWN_LOOPS[f"half of {dtype[0]}{int(dtype[1]) * 8}"][np.dtype(dtype),]
    assert KNOWN_LOOPS[f"{dtype[0]}{int(dtype[1]) * 8} of half"][np.dtype(np.float16),]


def test_gradients_through_half_precision():
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(80, 60)).astype("f4")).requires_grad_()
    (x.half().float() * 2.0).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full((80, 60), 2.0, np.float32))
