"""The formulas of optimizers leave what concerns numbers alone to `prepare`: kernels take these as they are."""

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch import optim


class Number:
    """A number that meets arrays alone, and of which nothing can be asked."""

    __hash__ = None

    def __init__(self, value):
        self.value = value

    def __bool__(self):
        raise AssertionError("a formula asks for the value of a number")

    def met(self, ufunc, method, *given, **named):
        """What NumPy's function gives of arrays and numbers."""
        assert any(isinstance(x, np.ndarray) for x in given), "a formula computes with numbers alone"
        given = [x.value if isinstance(x, Number) else x for x in given]
        return getattr(ufunc, method)(*given, **named)

    __array_ufunc__ = met


@pytest.mark.parametrize("kind", "Adam AdamW Adamax NAdam RAdam SGD ASGD Rprop Adagrad Adadelta RMSprop".split())
@pytest.mark.parametrize("options", [
    {}, {"maximize": True, "weight_decay": 0.1, "amsgrad": True, "momentum": 0.9, "nesterov": True, "centered": True,
         "decoupled_weight_decay": True}, {"momentum": 0.5, "dampening": 0.2, "weight_decay": 0.1}])
def test_numbers_meet_arrays_alone(kind, options):
    kind = getattr(optim, kind)
    names = kind.__init__.__code__.co_varnames
    p = torch.tensor([1.0, -2.0], requires_grad=True)
    optimizer = kind([p], **{k: v for k, v in options.items() if k in names})
    group, rng = optimizer.param_groups[0], np.random.default_rng(0)
    for step in range(8):
        numbers = {k: np.full(1, step if k == "step" else v, np.float64) for k, v in optimizer.numbers(group).items()}
        h = optimizer.prepare(group, numbers, step == 0)
        arrays = [np.abs(rng.normal(size=2)) for _ in range(2 + len(optimizer.slots(group)))]
        known = [x.copy() for x in arrays]
        with np.errstate(invalid="ignore"):
            optimizer.formula(np, h, *known)
        for name, value in vars(h).items():
            if value is not None and not isinstance(value, bool):
                setattr(h, name, Number(value))
        with np.errstate(invalid="ignore"):
            optimizer.formula(np, h, *arrays)
        assert all(np.array_equal(x, y, equal_nan=True) for x, y in zip(arrays, known))
