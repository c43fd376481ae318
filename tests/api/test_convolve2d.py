"""convolve2d and correlate2d of covector.scipy.signal, against SciPy."""

import numpy as np
import pytest

import covector as cv
from covector.testing import check_grads

theirs = pytest.importorskip("scipy.signal")
ours = pytest.importorskip("covector.scipy.signal")

RNG = np.random.default_rng(8)
IMAGE = RNG.normal(size=(5, 4))
KERNELS = [RNG.normal(size=shape) for shape in ((3, 3), (2, 2), (1, 4), (4, 3))]


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("around", [{}, {"fillvalue": 1.5}, {"boundary": "wrap"}, {"boundary": "symm"}])
def test_values_and_derivatives(name, mode, around):
    for kernel in (*KERNELS, KERNELS[0] * (1 + 2j)):
        def call(lib, x, y):
            return getattr(lib, name)(x, y, mode, **around)

        expected = call(theirs, IMAGE, kernel)
        np.testing.assert_allclose(call(ours, IMAGE, kernel), expected, atol=1e-12)
        np.testing.assert_allclose(cv.jit(lambda x, y: call(ours, x, y))(IMAGE, kernel), expected, atol=1e-12)
    check_grads(lambda x, y: call(ours, x, y), (IMAGE, KERNELS[3]), order=2)


def test_the_larger_array_may_come_second():
    for name in ("convolve2d", "correlate2d"):
        np.testing.assert_allclose(getattr(ours, name)(KERNELS[0], IMAGE, "valid"),
                                   getattr(theirs, name)(KERNELS[0], IMAGE, "valid"))


def test_what_does_not_fit_is_said():
    with pytest.raises(ValueError, match=r"convolve2d needs two matrices, but got shapes \(4,\) and \(3, 3\); use"):
        ours.convolve2d(IMAGE[0], KERNELS[0])
    with pytest.raises(ValueError, match="boundary of correlate2d is one of .*'symm'.*'reflect'"):
        ours.correlate2d(IMAGE, KERNELS[0], boundary="reflect")
    with pytest.raises(ValueError, match="mode of convolve2d is one of .*'all'"):
        ours.convolve2d(IMAGE, KERNELS[0], "all", "wrap")
