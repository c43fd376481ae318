"""Variable, the old name of a tensor."""

import warnings

from ..engine.callbacks import Engine
from ..types.tensor_type import Tensor, TensorBase

ImperativeEngine = Engine


class VariableMeta(type):
    """`isinstance(t, Variable)` holds for every tensor."""

    def __instancecheck__(cls, other):
        return isinstance(other, TensorBase)


class Variable(metaclass=VariableMeta):
    """`Variable(tensor, requires_grad)` returns a tensor that shares memory with `tensor`.

    >>> import covector.compat.torch as torch
    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    _execution_engine = Engine()

    def __new__(cls, data=None, requires_grad=False, volatile=None):
        if volatile:
            warnings.warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                          stacklevel=2)
        if data is not None and not isinstance(data, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        out = Tensor() if data is None else data.detach()
        return out.requires_grad_() if requires_grad else out
