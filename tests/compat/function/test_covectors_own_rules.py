"""Functions under covector's checkpoint and custom rules, called with tensors that have a history or a tangent."""

import numpy as np
import pytest

import covector
import covector.compat.torch as torch
from covector.compat.torch.autograd import forward_ad


def _tensor(values, requires_grad=False):
    return torch.tensor(values, dtype=torch.float64, requires_grad=requires_grad)


X3 = [0.3, 0.7, 1.1]
CUBE_JVP = covector.custom_jvp(lambda x: x * x * x)
CUBE_JVP.defjvp(lambda primals, tangents: (primals[0] ** 3, tangents[0] * primals[0] ** 2 * 3.0))
CUBE_VJP = covector.custom_vjp(lambda x: x * x * x)
CUBE_VJP.defvjp(lambda x: (x**3, x), lambda x, ct: (ct * 3.0 * x**2,))
CUBES = {"checkpoint": covector.checkpoint(lambda x: x * x * x), "custom_jvp": CUBE_JVP, "custom_vjp": CUBE_VJP}


@pytest.mark.parametrize("name", CUBES)
def test_functions_with_rules_of_tensors_with_a_history(name):
    cube, slopes = CUBES[name], 3.0 * np.array(X3) ** 2
    w = _tensor(X3, True)
    cube(w).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), slopes)
    v = _tensor(X3, True)
    covector.vmap(cube)(v).sum().backward()
    np.testing.assert_allclose(v.grad.numpy(), slopes)
    assert not cube(_tensor(X3)).requires_grad
    with torch.no_grad():
        assert not cube(w).requires_grad
    inner = covector.grad(lambda z: cube(z * w).sum())(_tensor(X3))
    w.grad = None
    inner.sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), 9.0 * np.array(X3) ** 4)


@pytest.mark.parametrize("name", CUBES)
def test_second_derivatives_of_such_functions_are_right_or_refused(name):
    w = _tensor(X3, True)
    if name != "checkpoint":
        with pytest.raises(NotImplementedError, match="only transforms can do that: use grad of grad"):
            torch.autograd.grad(CUBES[name](w).sum(), w, create_graph=True)
        return
    slope, = torch.autograd.grad(CUBES[name](w).sum(), w, create_graph=True)
    slope.sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), 6.0 * np.array(X3))


@pytest.mark.parametrize("name", CUBES)
def test_dual_tensors_of_such_functions_are_right_or_refused(name):
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(_tensor(X3), _tensor([1.0, 1.0, 1.0]))
        if name == "custom_vjp":
            with pytest.raises(NotImplementedError, match="use jvp of the whole function"):
                CUBES[name](dual)
            return
        tangent = forward_ad.unpack_dual(CUBES[name](dual)).tangent
        np.testing.assert_allclose(tangent.numpy(), 3.0 * np.array(X3) ** 2)


def test_a_write_to_the_operand_of_a_checkpoint_is_noticed():
    w = _tensor(X3, True)
    operand = w * 1.0
    out = CUBES["checkpoint"](operand).sum()
    with torch.no_grad():
        operand.mul_(5.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def test_control_flow_takes_conditions_that_are_tensors():
    w = _tensor(0.5, True)
    covector.cond(w > 0, lambda a: a * 2.0, lambda a: a * 3.0, w).backward()
    assert float(w.grad) == 2.0
    w.grad = None
    covector.while_loop(lambda c: c < 4.0, lambda c: c * 2.0, w).backward()
    assert float(w.grad) == 8.0
