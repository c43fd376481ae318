"""What libraries on top of autograd do: subclasses of arrays that are traced, copied namespaces, traces by hand."""

import importlib

import numpy as onp
import pytest

import covector.compat.autograd.numpy as np
from covector.compat.autograd import grad, hessian, jacobian
from covector.compat.autograd.numpy.numpy_boxes import ArrayBox
from covector.compat.autograd.tracer import Box, isbox, new_box, trace_stack


class Flagged(onp.ndarray):
    """Arrays with a flag, which expect an array of `numpy.ndarray.__array_ufunc__`."""

    def __array_finalize__(self, obj):
        self.flag = getattr(obj, "flag", True)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [v.view(onp.ndarray) if isinstance(v, Flagged) else v for v in inputs]
        return onp.asarray(super().__array_ufunc__(ufunc, method, *plain, **kwargs)).view(Flagged)


def flagged(values, flag=True):
    out = onp.asarray(values).view(Flagged)
    out.flag = flag
    return out


def taken(x, *args):
    if not x.flag:
        raise LookupError("not to be differentiated")
    return ArrayBox(x, *args)


@pytest.fixture(autouse=True)
def registered():
    Box.type_mappings[Flagged] = taken
    yield
    del Box.type_mappings[Flagged]


def test_a_registered_subclass_is_traced_and_computes_with_traced_values():
    x, c = flagged([0.3, 1.2]), flagged([2.0, 5.0], flag=False)
    for f in (lambda x: np.sum(x**2 * c), lambda x: np.sum(c * x**2), lambda x: np.sum(onp.multiply(c, x * x))):
        onp.testing.assert_allclose(grad(f)(x), 2 * onp.asarray(x) * onp.asarray(c))
        onp.testing.assert_allclose(hessian(f)(x), onp.diag(2 * onp.asarray(c)))


def test_what_a_type_is_mapped_to_may_refuse_a_value():
    with pytest.raises(LookupError, match="not to be differentiated"):
        grad(np.sum)(flagged([1.0], flag=False))


@pytest.mark.parametrize("name", ["core", "numpy", "numpy.linalg", "numpy.fft", "tracer", "extend"])
def test_namespaces_hold_nothing_that_answers_for_names(name):
    assert "__getattr__" not in vars(importlib.import_module(f"covector.compat.autograd.{name}"))


def test_a_jacobian_is_an_array_always():
    found = jacobian(lambda x: x**2)(3.0)
    assert type(found) is onp.ndarray
    assert found.shape == ()
    assert found == 6.0


def test_a_trace_by_hand_tells_what_depends_on_its_box():
    with trace_stack.new_trace() as trace:
        box = new_box((2.0, onp.ones(3)), trace, None)
        inside, outside = np.sin(box[1]) * box[0], np.ones(3)
    assert isbox(inside)
    assert isinstance(inside, ArrayBox)
    assert inside._trace == box._trace
    assert not isbox(outside)
