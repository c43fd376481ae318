"""Tensors beside NumPy's arrays and scalars: the operators, NumPy's functions, and what they give."""

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import pytorch

OPERATORS = ["x + n", "x - n", "x * n", "x / n", "x ** n", "x // n", "x % n", "x == n", "n == x", "x @ n", "n / x",
             "x + np.array(2.0)", "x + np.float64(2)", "np.float32(2) * x", "np.int64(2) - x", "x + np.bool_(True)",
             "i & np.array([1, 1])", "i << np.array([1, 1])", "np.add(x, n)", "np.sin(x)", "np.exp(x.double())",
             "np.isnan(x)", "np.maximum(x, 1)", "np.multiply(x, x)", "np.sqrt(x)"]
REFUSED = ["n + x", "n - x", "n * x", "n ** x", "n // x", "n % x", "n @ x", "x < n", "x >= n", "x.add(n)", "x + 'a'",
           "x + None", "x + [1, 2]", "np.prod(x)", "r + n", "np.sin(r)"]


def outcome(torch, program):
    x = torch.tensor([1.5, 2.0])
    given = {"x": x, "n": np.ones(2), "np": np, "i": x.long(), "r": x.clone().requires_grad_()}
    try:
        out = eval(program, given)
    except Exception as error:
        return type(error).__name__
    return type(out).__name__, str(out.dtype), out.tolist()


@pytest.mark.parametrize("program", OPERATORS)
def test_numpy_beside_a_tensor_gives_a_tensor(program):
    kind, _, _ = outcome(compat, program)
    assert kind == "Tensor"


@pytest.mark.parametrize("program", REFUSED)
def test_arrays_that_no_operator_takes_raise(program):
    assert outcome(compat, program) == ("RuntimeError" if "r" in program.split() or "(r)" in program else "TypeError")


def test_writes_of_arrays_into_a_tensor_make_a_new_one():
    x = compat.ones(2)
    first = x
    x += np.ones(2)
    assert x is not first and x.dtype is compat.float64 and first.tolist() == [1.0, 1.0]


def test_a_class_of_its_own_beside_a_tensor_is_asked():
    class Mine:
        def __radd__(self, other):
            return "mine"

    assert compat.ones(2) + Mine() == "mine"


@pytest.mark.reference
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("program", OPERATORS + REFUSED)
def test_as_pytorch(program):
    assert outcome(compat, program) == outcome(pytorch(), program)
