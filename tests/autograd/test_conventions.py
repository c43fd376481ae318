"""Results in autograd's conventions: scalars, warnings, errors."""

import warnings

import numpy as onp
import pytest

import covector.compat.autograd as autograd
import covector.compat.autograd.numpy as np
from covector.compat.autograd.misc.tracers import const_graph
from covector.compat.autograd.test_util import check_grads


def test_gradients_at_numbers_are_numpy_scalars():
    assert type(autograd.grad(np.sin)(1.0)) is onp.float64
    value, gradient = autograd.value_and_grad(lambda x: np.sum(x["a"]) * x["b"])({"a": onp.ones(2), "b": 2.0})
    assert type(value) is onp.float64
    assert type(gradient["b"]) is onp.ndarray and gradient["b"].shape == ()  # in containers they are arrays


def test_an_output_that_does_not_depend_on_the_input_warns():
    with pytest.warns(UserWarning, match="Output seems independent of input"):
        assert autograd.grad(lambda x: 3.0)(1.0) == 0.0
    x = onp.array([1.0, 2.0])
    for constant in (autograd.jacobian(lambda x: 2.0 * onp.ones(2)), autograd.hessian(lambda x: np.sum(3.0 * x)),
                     lambda x: autograd.make_jvp(lambda x: onp.ones(2))(x)(x)[1]):
        with pytest.warns(UserWarning, match="Output seems independent of input"):
            assert not constant(x).any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        autograd.grad(autograd.grad(lambda x: x**3))(1.0)
        autograd.hessian(lambda x: np.sum(x**2))(x)
        autograd.make_jvp(np.sin)(x)(x)


def test_no_vector_space_of_an_int():
    with pytest.raises(TypeError, match="Can't find vector space for value 3 of type <class 'int'>"):
        autograd.grad(lambda x: x * 2.0)(3)


def test_grad_wants_one_number():
    with pytest.raises(TypeError, match="Grad only applies to real scalar-output functions"):
        autograd.grad(lambda x: x)(onp.ones(2))
    with pytest.raises(TypeError, match="Grad only applies to real scalar-output functions"):
        autograd.grad(lambda x: x * 1j)(1.0)


def test_argnum_is_a_position():
    with pytest.raises(TypeError, match="argnum must be an int"):
        autograd.grad(np.sin, "x")


def test_multigrad_dict():
    found = autograd.multigrad_dict(lambda x, y, z=2.0: x * y * z)(3.0, y=4.0)
    assert {name: float(g) for name, g in found.items()} == {"x": 8.0, "y": 6.0, "z": 12.0}


def test_const_graph_is_traced_once():
    calls = []

    def f(x):
        calls.append(1)
        return np.sin(x) * 2.0

    g = const_graph(f)
    onp.testing.assert_allclose([float(g(0.3)), float(g(0.7))], 2 * onp.sin([0.3, 0.7]))
    assert len(calls) == 1


def test_check_grads_notices_a_wrong_rule():
    wrong = autograd.extend.primitive(onp.sin)
    autograd.extend.defvjp(wrong, lambda ans, x: lambda g: g * 2.0 * np.cos(x))
    with pytest.raises(AssertionError, match="Derivative \\(VJP\\) check"):
        check_grads(wrong, modes=["rev"], order=1)(0.3)


def test_the_deprecated_methods_of_a_primitive():
    f = autograd.primitive(lambda x: x**2)
    with pytest.warns(UserWarning, match="deprecated"):
        f.defvjp(lambda g, ans, vs, gvs, x: 2 * x * g)
    assert autograd.grad(f)(3.0) == 6.0


def test_arguments_that_are_not_there_are_named():
    def loss(x, y):
        return x * y

    with pytest.raises(IndexError, match="grad of loss was asked for argument 2, but got 2 by position; pass it by"):
        autograd.grad(loss, 2)(1.0, 2.0)
    with pytest.raises(IndexError, match=r"value_and_grad of loss was asked for argument \(0, 1\), but got 1 by pos"):
        autograd.value_and_grad(loss, (0, 1))(1.0, y=2.0)


def test_cotangents_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"of shape \(2,\) was given for a value of shape \(3,\); give one of the"):
        autograd.make_vjp(np.sin)(onp.ones(3))[0](onp.ones(2))
    with pytest.raises(ValueError, match=r"of shape \(2,\) was given for a value of shape \(3,\)"):
        autograd.make_jvp(np.sin)(onp.ones(3))(onp.ones(2))
