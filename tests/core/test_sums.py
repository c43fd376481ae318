"""Sums over axes: in blocks, by products, with no larger errors than pairwise ones, and where NumPy has to do them."""

import numpy as np
import pytest

import covector
import covector.numpy as cnp
from covector.core.arrays.sums import column_sums, row_sums, sums, total
from covector.extend import REGISTRY

SHAPES = [(4096,), (16384,), (300_001,), (500, 600), (64, 257), (300, 263), (3, 70_001), (257, 64), (5000, 3),
          (3, 5000), (20_000, 7), (6, 7, 400), (400, 6, 7), (4, 4096), (256, 256)]


def _axes(shape):
    ndim = len(shape)
    return [(k,) for k in range(ndim)] + [tuple(range(ndim))] + [(0, 1), (1, 2)] * (ndim == 3)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_round_no_more_than_pairwise_ones(shape, dtype):
    rng = np.random.default_rng(0)
    for x in (rng.normal(size=shape), rng.uniform(0.1, 1.0, shape), np.full(shape, 0.1)):
        x = x.astype(dtype)
        for axes in _axes(shape):
            size = np.abs(x.astype("g")).sum(axes)
            for keepdims in (False, True):
                found, wanted = sums(x, axes, keepdims), np.add.reduce(x, axes, keepdims=keepdims)
                assert type(found) is type(wanted) and found.dtype == wanted.dtype and found.shape == wanted.shape
                error = np.abs(found - x.astype("g").sum(axes, keepdims=keepdims))
                assert (error <= 16 * np.finfo(dtype).eps * size.reshape(error.shape)).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_results_lie_in_memory_of_their_own(shape):
    x = np.ones(shape, np.float32)
    for axes in _axes(shape):
        found = sums(x, axes, False)
        assert found.ndim == 0 or found.base is None and found.flags.writeable


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f8", "f2", "c8", "c16", "i4", "?", "g"])
def test_arrays_in_any_layout_and_dtype(dtype):
    x = (10 * np.random.default_rng(0).normal(size=(300, 70, 4))).astype(dtype)
    for view in (x, x.T, x[::2], x[:, ::-1], x.transpose(1, 0, 2), np.asfortranarray(x), x[:, :, 0], x[:0],
                 x[..., None], np.broadcast_to(x[0], x.shape), x[5, 5, 3]):
        for axes in _axes(view.shape)[: 5 if view.ndim else 0] + [()]:
            found, wanted = sums(view, axes, False), np.add.reduce(view, axes)
            assert found.dtype == wanted.dtype and found.strides == wanted.strides
            np.testing.assert_allclose(found, wanted, rtol=1e-5 if view.dtype.itemsize < 8 else 1e-12, atol=1e-2)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite(bad):
    x = np.ones((500, 600), np.float32)
    x[3, 5] = bad
    for axes in ((0,), (1,), (0, 1)):
        np.testing.assert_array_equal(sums(x, axes, False), np.add.reduce(x, axes))


def test_an_overflow_is_reported_as_numpy_does():
    x = np.full((500, 600), 3e38, np.float32)
    for axes in ((0,), (1,), (0, 1)):
        with pytest.warns(RuntimeWarning, match="overflow encountered in reduce"):
            assert np.isinf(cnp.sum(x, axis=axes)).all()
        with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="overflow"):
            sums(x, axes, False)
        with np.errstate(all="raise"):
            sums(x / 1e38, axes, False)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (1, 1), (3, 1000), (1000, 3), (2000, 257), (600, 300), (2, 70_000)])
def test_rows_and_columns_of_matrices_in_any_layout(shape, dtype):
    x = np.random.default_rng(0).normal(size=shape).astype(dtype)
    tolerance = 1e-4 if dtype == "f4" else 1e-12
    for given in (x, np.asfortranarray(x), np.repeat(x, 2, 1)[:, ::2], np.repeat(x, 2, 0)[::2]):
        np.testing.assert_allclose(row_sums(given), x.sum(1), rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(column_sums(given), x.sum(0), rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(total(given.reshape(-1)), x.sum(), rtol=tolerance, atol=10 * tolerance)


def test_programs_add_up_as_graphs_do():
    x = np.random.default_rng(0).normal(size=(500, 600)).astype(np.float32)
    for axes in ((0,), (1,), (0, 1)):
        compiled = covector.jit(lambda x, axes=axes: cnp.sum(cnp.tanh(x), axis=axes),
                                compiler_options={"printer": "numpy"})
        np.testing.assert_array_equal(compiled(x), REGISTRY["reduce_sum"].fun(np.tanh(x), axes, False))


def test_gradients_of_sums_and_sums_of_cotangents():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(5000, 3)), rng.normal(size=3)
    np.testing.assert_allclose(covector.grad(lambda w: cnp.sum((x + w) * x))(w), x.sum(0), rtol=1e-12)
    np.testing.assert_array_equal(covector.grad(lambda x: cnp.sum(cnp.sum(x, axis=1) ** 2))(x),
                                  2 * np.broadcast_to(cnp.sum(x, axis=1)[:, None], x.shape))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("shape, axes", [((300,), (0,)), ((20, 30), (0,)), ((20, 30), (1,)), ((17, 40), (0, 1)),
                                         ((4, 9, 16), (1,)), ((4, 9, 16), (0, 1)), ((4, 9, 16), (0, 2))])
def test_products_of_all_others_are_those_of_prefixes_and_suffixes(shape, axes, dtype):
    x = np.random.default_rng(0).uniform(0.5, 1.5, shape).astype(dtype)
    for zeros in range(3):
        x.flat[:zeros] = 0
        for given in (x, np.asfortranarray(x), x[::-1]):
            rows = np.moveaxis(given, axes, range(-len(axes), 0))
            flat = rows.reshape(*rows.shape[: given.ndim - len(axes)], -1)
            one = np.ones((*flat.shape[:-1], 1), dtype)
            before = np.concatenate([one, flat[..., :-1].cumprod(-1, dtype)], -1)
            behind = np.concatenate([one, flat[..., :0:-1].cumprod(-1, dtype)], -1)[..., ::-1]
            wanted = np.moveaxis((before * behind).reshape(rows.shape), range(-len(axes), 0), axes)
            np.testing.assert_array_equal(covector.grad(lambda x: np.sum(np.prod(x, axis=axes)))(given), wanted)
