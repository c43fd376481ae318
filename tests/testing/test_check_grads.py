"""check_grads passes right derivatives and catches wrong ones, at second order as well."""

import numpy as np
import pytest

import covector
from covector.testing import CheckError, check_grads


def test_right_derivatives_pass():
    check_grads(lambda x, p: np.sum(np.sin(x) * p["a"]) ** 2, (np.array([0.3, 1.0]), {"a": np.array(2.0)}), order=3)


def test_complex_functions_pass():
    check_grads(lambda z: np.exp(z) * np.conj(z), (np.array([0.3 + 1j, -0.2j]),))


@pytest.mark.parametrize(("modes", "factor"), [(("fwd",), 1.0005), (("rev",), 1.0005), (("rev",), -1.0)])
def test_wrong_first_derivative_is_caught(modes, factor):
    @covector.custom_jvp
    def f(x):
        return np.sin(x)

    f.defjvp(lambda primals, tangents: (np.sin(primals[0]), factor * np.cos(primals[0]) * tangents[0]))
    with pytest.raises(CheckError, match="check_grads"):
        check_grads(f, (np.array([0.5, 1.0]),), order=1, modes=modes)


@pytest.mark.parametrize("modes", [("fwd",), ("rev",)])
def test_wrong_second_derivative_is_caught(modes):
    @covector.custom_jvp
    def slope(x):
        return 2.0 * x

    slope.defjvp(lambda primals, tangents: (2.0 * primals[0], 3.0 * tangents[0]))

    @covector.custom_jvp
    def f(x):
        return x * x

    f.defjvp(lambda primals, tangents: (primals[0] * primals[0], slope(primals[0]) * tangents[0]))
    x = (np.array([0.5, 1.0]),)
    check_grads(f, x, order=1, modes=modes)
    with pytest.raises(CheckError, match=r"of the [jv]+p of f|vp of the"):
        check_grads(f, x, order=2, modes=modes)


def test_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="'fwd' and 'rev'.*'forward'"):
        check_grads(np.sin, (1.0,), modes=("forward",))
    with pytest.raises(TypeError, match=r"tuple of arguments, but got ndarray; write check_grads\(f, \(x,\)\)"):
        check_grads(np.sin, np.ones(3))


def test_half_precision_is_refused():
    with pytest.raises(TypeError, match=r"half precision.*give it float32 or float64"):
        check_grads(np.sin, (np.ones(3, np.float16),))


@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_single_precision_has_a_tolerance_of_its_own(dtype):
    x = np.array([0.3, 1.0]).astype(dtype)
    check_grads(lambda x: np.sin(x) * x, (x,), order=1, modes="rev")
    check_grads(lambda x: np.sin(x) * x, (x,), order=1, modes="fwd")
    wrong = covector.custom_vjp(np.sin)
    wrong.defvjp(lambda x: (np.sin(x), x), lambda x, ct: (2 * ct * np.cos(np.conj(x)),))
    with pytest.raises(CheckError, match="the vjp of"):
        check_grads(wrong, (x,), order=1, modes="rev")


def test_constants_among_the_outputs_are_checked():
    check_grads(lambda x: (3.0, x * x, 2), (np.ones(2),))
