"""Ufuncs on small arrays: what NumPy gives, bit for bit, with its warnings and errors."""

import operator
import warnings

import numpy as np
import pytest

from covector.core import compiled
from covector.core.arrays.small_ufuncs import small

SHAPES = [(4,), (), (3, 4), (1, 4), (3, 1), (2, 3, 4), (2, 1, 4), (1, 1, 1), (0,), (5, 0), (1,), (70, 70)]
UFUNCS = [getattr(np, name) for name in (
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "arctan2", "hypot", "fmod", "logaddexp",
    "negative", "absolute", "exp", "log", "sqrt", "square", "sin", "cos", "tanh", "reciprocal", "expm1", "floor")]


def layouts(shape, dtype, rng):
    x = np.asarray(rng.normal(size=shape).astype(dtype))
    return [x, np.asarray(x.T), np.repeat(x, 2).reshape(*shape, 2)[..., 0] if shape else x]


def given(ufunc, dtype):
    """Arguments of all kinds: shapes, layouts, numbers, other dtypes."""
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        for x in layouts(shape, dtype, rng):
            if ufunc.nin == 1:
                yield (x,)
                continue
            for other in SHAPES:
                yield from [(x, y) for y in layouts(other, dtype, rng)]
            yield from [(x, 2.0), (2.0, x), (x, np.float64(1.5)), (np.float32(2), x), (x, 3), (x, True),
                        (x, x.astype(np.float64)), (x, x)]
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, 1e-320, -1.0]).astype(dtype)
    yield from [(special,)] if ufunc.nin == 1 else [(special, special), (special, special[::-1].copy())]


def outcome(run, arguments):
    """What a call gives and warns of, as values that compare."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            found = run(*arguments)
        except ValueError as error:
            return ValueError, str(error)
    array = np.asarray(found)
    return (type(found), array.dtype, array.shape, array.tobytes(), array.strides if array.size else None,
            [str(w.message) for w in heard])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
def test_it_does_what_numpy_does(ufunc, dtype):
    run = small(ufunc, ufunc, False)
    quiet = small(ufunc, ufunc, True)
    for arguments in given(ufunc, dtype):
        expected = outcome(ufunc, arguments)
        assert outcome(run, arguments) == expected
        with np.errstate(all="ignore"):
            expected = outcome(ufunc, arguments)
            found = outcome(quiet, arguments)
        assert found[1:] == expected[1:]
        assert found[0] in (expected[0], np.ndarray)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.subtract, np.divide], ids=lambda u: u.__name__)
def test_it_writes_as_numpy_does(ufunc):
    run = small(ufunc, ufunc, True)
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        for x in layouts(shape, np.float64, rng):
            for other in SHAPES:
                for y in layouts(other, np.float64, rng):
                    mine, theirs = x.copy("K"), x.copy("K")
                    expected = outcome(lambda *a: ufunc(*a), (theirs, y, theirs))
                    assert outcome(run, (mine, y, mine)) == expected
                    assert mine.tobytes() == theirs.tobytes()


def test_memory_that_overlaps_is_read_before_it_is_written_to():
    run = small(np.multiply, np.multiply, True)
    mine, theirs = np.arange(1.0, 9.0), np.arange(1.0, 9.0)
    run(mine[1:], mine[:-1], mine[1:])
    np.multiply(theirs[1:], theirs[:-1], theirs[1:])
    assert mine[1] == 2.0  # the views are others each time: nothing was written through the first of them
    whole, view, read = mine.copy(), mine[1:], mine[:-1]
    run(view, read, view)
    expected = whole.copy()
    expected[1:] = whole[1:] * whole[:-1]
    assert np.array_equal(mine, expected)


def targets(shape):
    """Memory to write to: dense, by columns, every other element, backwards, with elements that meet."""
    whole = np.arange(400.0)
    yield np.zeros(shape)
    yield np.zeros(shape[::-1]).T
    yield whole[: 2 * int(np.prod(shape))].reshape(*shape, 2)[..., 0]
    yield whole[: int(np.prod(shape))].reshape(shape)[::-1]
    if len(shape) == 2:
        yield np.lib.stride_tricks.as_strided(whole, shape, (16, 24))
        yield np.lib.stride_tricks.as_strided(whole, shape, (8, 8))
        yield np.lib.stride_tricks.as_strided(whole, shape, (64, 0))


@pytest.mark.parametrize("ufunc", [np.add, np.multiply], ids=lambda u: u.__name__)
def test_targets_of_all_layouts(ufunc):
    run = small(ufunc, ufunc, True)
    rng = np.random.default_rng(0)
    for shape in ((4,), (4, 3), (2, 4, 3)):
        for y in (rng.normal(size=shape), rng.normal(size=shape[-1:]), np.asarray(1.5), rng.normal(size=(2 * shape[0],
                  *shape[1:]))[::2], rng.normal(size=shape[::-1]).T):
            for k in range(len(list(targets(shape)))):
                for inplace in (True, False):
                    results = []
                    for fun in (run, ufunc):
                        target = list(targets(shape))[k]
                        x = target if inplace else np.cos(np.arange(float(np.prod(shape)))).reshape(shape)
                        assert fun(x, y, target) is target
                        results.append(target.copy().tobytes())
                    assert results[0] == results[1]


@pytest.mark.parametrize("ufunc", [np.tanh, np.negative], ids=lambda u: u.__name__)
def test_functions_of_one_array_write_too(ufunc):
    run = small(ufunc, ufunc, True)
    for shape in ((4,), (4, 3), (2, 4, 3)):
        for k in range(len(list(targets(shape)))):
            for x in (None, np.cos(np.arange(float(np.prod(shape)))).reshape(shape)):
                mine, theirs = list(targets(shape))[k], list(targets(shape))[k]
                assert run(mine if x is None else x, mine) is mine
                ufunc(theirs if x is None else x, theirs)
                assert mine.copy().tobytes() == theirs.copy().tobytes()
    shifted, expected = np.arange(9.0), np.arange(9.0)
    run(shifted[:-1], shifted[1:])
    ufunc(expected[:-1], expected[1:])
    assert np.array_equal(shifted, expected)


def test_read_only_memory_is_not_written_to():
    x = np.ones(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        small(np.add, np.add, True)(x, x, x)


def test_operators_of_other_objects_are_asked():
    class Other:
        __array_ufunc__ = None

        def __rmul__(self, x):
            return "mine"

    run = small(np.multiply, operator.mul, False)
    assert run(np.ones(2), Other()) == "mine"
    assert run([1], 2) == [1, 1]
    with pytest.raises(TypeError, match="2"):
        run(1.0)


@pytest.mark.skipif(not compiled(small), reason="without a compiler NumPy's own is called")
@pytest.mark.parametrize("ufunc", [np.equal, np.matmul, np.bitwise_and, np.modf, np.frexp, np.sin])
def test_others_are_called_as_they_are(ufunc):
    assert (small(ufunc, ufunc) is ufunc) is (ufunc is not np.sin)


def test_ufuncs_of_others_are_called_as_they_are():
    mine = np.frompyfunc(lambda x: x, 1, 1)
    assert small(mine, mine) is mine
