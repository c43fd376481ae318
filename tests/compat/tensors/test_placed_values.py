"""Values written at index arrays and masks: which shapes and dtypes fit, and what is refused."""

import pytest

import covector.compat.torch as compat
from harness import pytorch

VALUES = ["torch.ones(2).double()", "torch.ones(2).long()", "torch.tensor(1.0, dtype=torch.double)",
          "torch.ones(1).double()", "torch.ones(2) * 1j", "torch.tensor([2.0])", "torch.ones(1, 1)", "torch.ones(3)",
          "torch.ones(1, 2)", "torch.ones(2, 1)", "torch.ones(0)", "7.0", "'a'"]
KEYS = ["[0, 1]", "torch.tensor([0, 2])", "torch.tensor([True, False, True])", "slice(0, 2)", "slice(1.5)",
        "slice('a', None)"]


def written(torch, key, value, dtype):
    y = torch.zeros(3, dtype=getattr(torch, dtype))
    try:
        y[eval(key)] = eval(value)
    except Exception as error:
        return type(error).__name__
    return y.tolist()


def test_a_value_of_one_element_fills_a_mask():
    assert written(compat, KEYS[2], "torch.ones(1, 1)", "float32") == [1.0, 0.0, 1.0]


def test_a_value_of_another_dtype_is_refused_at_index_arrays():
    y = compat.zeros(3)
    with pytest.raises(RuntimeError, match="dtypes match, got Float for the destination and Double"):
        y[[0, 1]] = compat.ones(2).double()
    with pytest.raises(RuntimeError, match="it is complex"):
        y[compat.tensor([True, False, True])] = compat.tensor(1j)


def test_a_value_of_another_shape_is_refused():
    y = compat.zeros(3)
    with pytest.raises(RuntimeError, match=r"value tensor of shape \[3\] .* indexing result of shape \[2\]"):
        y[compat.tensor([True, False, True])] = compat.ones(3)


def test_index_arrays_that_do_not_go_together():
    x = compat.zeros(2, 3, requires_grad=True)
    for fails in (lambda: x[[0, 1], [0, 1, 2]], lambda: (x * 1).__setitem__(([0, 1], [0, 1, 2]), 1.0)):
        with pytest.raises(IndexError, match=r"with shapes \[2\], \[3\]"):
            fails()


def test_slices_by_numbers_that_are_no_integers():
    with pytest.raises(TypeError, match="slice indices must be integers"):
        compat.zeros(3)[:1.5]


def test_gradients_of_a_value_with_leading_axes():
    y, v = compat.zeros(3, requires_grad=True) * 1, compat.ones(1, 1, requires_grad=True)
    y[compat.tensor([True, False, True])] = v
    (y * compat.arange(3.0)).sum().backward()
    assert v.grad.tolist() == [[2.0]]


@pytest.mark.reference
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("key", KEYS)
def test_as_pytorch(key, dtype):
    for value in VALUES:
        assert written(compat, key, value, dtype) == written(pytorch(), key, value, dtype), value

