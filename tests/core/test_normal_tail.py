"""GELU of large float32 arrays against SciPy in float64."""

import numpy as np
import pytest

from covector.core.ops.special import error_function

special = pytest.importorskip("scipy.special")
PLACES = np.concatenate([np.linspace(-13, 13, 20001), [0.0, -0.0, 1e-30, -1e-30, 1e30, -1e30]]).astype(np.float32)


def test_values_have_a_relative_error_of_some_units_even_in_the_left_tail():
    wide = PLACES.astype(np.float64)
    expected = wide * special.ndtr(wide)
    found = error_function.times_normal_cdf(PLACES)
    steady = np.abs(wide) < 5
    np.testing.assert_allclose(found[steady], expected[steady], rtol=2e-6)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-36)


def test_slopes():
    wide = PLACES.astype(np.float64)
    density = np.exp(-0.5 * wide * wide) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(error_function.slope(PLACES), special.ndtr(wide) + wide * density, atol=4e-7)


def test_nan_stays_and_infinity_is_kept():
    x = np.full(2048, np.nan, np.float32)
    x[1] = np.inf
    assert np.isnan(error_function.times_normal_cdf(x)[0])
    assert error_function.times_normal_cdf(x)[1] == np.inf
    assert np.isnan(error_function.slope(x)[1])  # 0 times infinity, as in the formula of small arrays and in PyTorch


def test_arrays_that_are_written_through_the_operation_take_it():
    assert error_function.fits(PLACES)
    assert not error_function.fits(PLACES[:10])
    assert not error_function.fits(PLACES.astype(np.float64))
