"""`covector.numpy.emath` against NumPy, inside the real domain and beyond it."""

import numpy as np
import pytest

import covector
import covector.numpy as cnp

NAMES = ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"]
INSIDE, BEYOND = np.array([0.3, 0.7, 0.2]), np.array([0.3, -1.7, 1.6])


def differences(fun, x, step=1e-6):
    return (fun(x + step) - fun(x - step)) / (2 * step)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("x", [INSIDE, BEYOND, BEYOND + 0.5j, INSIDE.astype(np.float32), -BEYOND.astype(np.float32)])
@pytest.mark.parametrize("name", NAMES)
def test_function_goes_to_complex_values_as_numpys_does(name, x):
    want = getattr(np.emath, name)(x)
    for xp in (cnp, np):
        fun = getattr(xp.emath, name)
        value, tangent = covector.jvp(fun, (x,), (np.ones_like(x),))
        assert value.dtype == want.dtype
        np.testing.assert_allclose(value, want, rtol=1e-6)
        if x.dtype.itemsize >= 8:
            np.testing.assert_allclose(tangent, differences(getattr(np.emath, name), x), rtol=1e-6, atol=1e-9)
            ct = np.ones(3, want.dtype)
            pulled = covector.vjp(fun, x)[1](ct)[0]
            np.testing.assert_allclose(pulled, tangent if x.dtype.kind == "c" else tangent.real, rtol=1e-12)


def test_functions_of_two_arguments():
    for fun in (
        lambda x: np.emath.logn(2, x),
        lambda x: np.emath.logn(x, 5.0),
        lambda x: np.emath.power(x, 0.5),
        lambda x: np.emath.power([2, -4, 3], x),
        lambda x: np.emath.power(x, np.array([2, -1, 3])),
    ):
        value, tangent = covector.jvp(fun, (BEYOND,), (np.ones(3),))
        np.testing.assert_allclose(value, fun(BEYOND), rtol=1e-12)
        np.testing.assert_allclose(tangent, differences(fun, BEYOND), rtol=1e-6)


def test_data_that_is_not_known_is_refused():
    with pytest.raises(TypeError, match=r"emath\.sqrt.*batched.*np\.where"):
        covector.vmap(cnp.emath.sqrt)(BEYOND)
    with pytest.raises(TypeError, match=r"emath\.log.*not known while the graph is staged"):
        covector.make_graph(cnp.emath.log)(BEYOND)
    np.testing.assert_allclose(covector.vmap(cnp.emath.sqrt)(BEYOND + 0j), np.emath.sqrt(BEYOND))
