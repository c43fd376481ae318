"""`x.at[index]` with `mode=`: what an index outside of the array stands for."""

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp

X = np.arange(12.0).reshape(3, 4) + 1.0
KEYS = {
    "a row": (5, 2),
    "a row from the end": (-1, -1),
    "before the first": (-7, 0),
    "rows": (np.array([0, 5, -9]), np.array([0, 2, 0])),
    "pairs": ((np.array([0, 7]), np.array([1, 1])), (np.array([0, 2]), np.array([1, 1]))),
    "columns": ((slice(None), np.array([1, 9])), (slice(None), np.array([1, 3]))),
    "after dots": ((Ellipsis, np.array([0, -8])), (Ellipsis, np.array([0, 0]))),
    "a new axis": ((None, np.array([5])), (None, np.array([2]))),
    "a slice backwards": ((slice(2, None, -1), 9), (slice(2, None, -1), 3)),
    "truth values": ((np.array([True, False, True]), 6), (np.array([True, False, True]), 3)),
}
WAYS = {
    "plain": lambda f: f(cnp.at(X)),
    "jit": lambda f: cv.jit(lambda x: f(x.at))(X),
    "vmap": lambda f: cv.vmap(lambda x: f(x.at))(X[None])[0],
}


def inside(key):
    """Whether each place that the index names is one of X, in the shape of what it reads."""
    return cnp.at(np.ones_like(X))[key].get(mode="fill", fill_value=0.0) == 1.0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", KEYS)
def test_places_outside_are_those_at_the_end_or_none(name, way):
    key, nearest = KEYS[name]
    run = WAYS[way]
    np.testing.assert_array_equal(run(lambda at: at[key].get(mode="clip")), X[nearest])
    np.testing.assert_array_equal(run(lambda at: at[key].get(mode="fill")), np.where(inside(key), X[nearest], np.nan))
    for op, number in (("set", 7.0), ("add", 2.0), ("multiply", 3.0), ("divide", 2.0), ("power", 2.0), ("min", 2.0),
                       ("max", 5.0), ("subtract", 1.0)):
        wanted = getattr(cnp.at(X)[nearest], op)(number)
        np.testing.assert_array_equal(run(lambda at: getattr(at[key], op)(number, mode="clip")), wanted)
        for mode in ("drop", "fill"):
            found = run(lambda at: getattr(at[key], op)(number, mode=mode))
            assert found.shape == X.shape and found.dtype == X.dtype
            touched = np.zeros(X.shape, bool)
            touched[nearest] = True
            np.testing.assert_array_equal(found[~touched], X[~touched])
            if inside(key).all():
                np.testing.assert_array_equal(found, wanted)
            elif not inside(key).any():
                np.testing.assert_array_equal(found, X)


def test_of_several_writes_those_outside_are_left_out():
    x, places = np.arange(3.0), np.array([9, 1, 1, -4])
    np.testing.assert_array_equal(cnp.at(x)[places].add(np.arange(4.0) + 1.0, mode="drop"), [0.0, 6.0, 2.0])
    np.testing.assert_array_equal(cnp.at(x)[places].apply(lambda v: v + 3.0, mode="drop"), [0.0, 7.0, 2.0])
    np.testing.assert_array_equal(cnp.at(x)[[2, 5]].set(np.array([8.0, 9.0]), mode="drop"), [0.0, 1.0, 8.0])
    set_at = cv.jit(lambda x, i: x.at[i].set(9.0, mode="drop"))
    np.testing.assert_array_equal(set_at(x, places), [0.0, 9.0, 2.0])


def test_what_is_dropped_has_no_gradient():
    def f(x, v):
        return np.sum(cnp.at(x)[np.array([1, 9])].set(v, mode="drop") ** 2)

    dx, dv = cv.grad(f, (0, 1))(np.arange(3.0), np.array([4.0, 5.0]))
    np.testing.assert_array_equal(dx, [0.0, 0.0, 4.0])
    np.testing.assert_array_equal(dv, [8.0, 0.0])
    dx = cv.grad(lambda x: np.sum(x.at[np.array([1, 9])].get(mode="fill", fill_value=0.0) ** 2))(np.arange(3.0))
    np.testing.assert_array_equal(dx, [0.0, 2.0, 0.0])


def test_what_is_read_outside():
    for dtype, value in ((float, np.nan), (np.int8, -128), (np.uint8, 255), (bool, True)):
        np.testing.assert_array_equal(cnp.at(np.zeros(3, dtype))[5].get(mode="fill"), value)
    assert cnp.at(np.zeros(3, int))[5].get(mode="fill", fill_value=-1) == -1
    with pytest.raises(IndexError):
        cnp.at(np.zeros(3))[5].get(mode="promise_in_bounds")


def test_other_modes_are_refused():
    with pytest.raises(ValueError, match=r"mode is one of 'promise_in_bounds', 'clip', .* but got 'wrap'; choose"):
        cnp.at(X)[0].set(1.0, mode="wrap")
