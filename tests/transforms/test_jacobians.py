"""Jacobians of complex values: right in each mode, or refused."""

import numpy as np
import pytest

import covector as cv

X = np.array([0.5, 1.5])
Z = np.array([1.0 + 2.0j, -0.5 + 0.3j])
TURN = np.array([[1.0 + 2.0j, 3.0], [0.5j, -1.0 + 1.0j], [2.0, 4.0j]])
JACOBIANS = {"jacfwd": cv.jacfwd, "jacrev": cv.jacrev, "jacobian": cv.jacobian}


@pytest.mark.parametrize("name", JACOBIANS)
def test_complex_answers_of_real_inputs_keep_both_parts(name):
    jac = JACOBIANS[name]
    np.testing.assert_allclose(jac(lambda x: TURN @ x)(X), TURN)
    found = jac(lambda x: {"turned": TURN @ x, "sum": np.sum(x**2)})(X)
    np.testing.assert_allclose(found["turned"], TURN)
    np.testing.assert_allclose(found["sum"], 2 * X)
    assert found["sum"].dtype == np.float64
    assert jac(lambda x: np.fft.rfft(x))(X.astype(np.float32)).dtype == np.complex64


def test_complex_rows_under_other_transforms():
    batch = np.stack([X, 2 * X])
    found = cv.vmap(cv.jacrev(lambda x: x**2 * (1 + 2j)))(batch)
    np.testing.assert_allclose(found, [np.diag(2 * x * (1 + 2j)) for x in batch])
    second = cv.jacrev(cv.jacrev(lambda x: x**3 * (1 + 2j)))(X)
    np.testing.assert_allclose(second, cv.jacfwd(cv.jacfwd(lambda x: x**3 * (1 + 2j)))(X))


@pytest.mark.parametrize("name", ["jacrev", "jacobian"])
def test_rows_of_a_real_function_of_complex_inputs_are_its_gradients(name):
    def parts(z):
        return np.stack([np.abs(z).sum(), (z.real * z.imag).sum()])

    rows = [cv.grad(lambda z, k=k: parts(z)[k])(Z) for k in range(2)]
    np.testing.assert_allclose(JACOBIANS[name](parts)(Z), rows)


@pytest.mark.parametrize("name", JACOBIANS)
def test_what_has_no_complex_jacobian_is_refused(name):
    with pytest.raises(TypeError, match=rf"{name} got complex input.*holomorphic=True"):
        JACOBIANS[name](lambda z: z * np.abs(z))(Z)
    with pytest.raises(TypeError, match=rf"{name} with holomorphic=True needs complex outputs.*float64.*drop"):
        JACOBIANS[name](np.abs, holomorphic=True)(Z)
    with pytest.raises(TypeError, match=rf"{name} with holomorphic=True needs complex input.*float64.*astype"):
        JACOBIANS[name](lambda x: x * 1j, holomorphic=True)(X)
