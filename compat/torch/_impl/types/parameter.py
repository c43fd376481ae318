"""nn.Parameter: a leaf that modules register. Operations take it as they take a Tensor."""

import numpy as np

from ..modes.inference import check_leaf
from ..modes.modes import MODES, enter, leave
from .dtypes import Default
from .tensor_type import Tensor, TensorBase, wrap


def disabled_torch_function(func, types, args=(), kwargs=None):
    """The `__torch_function__` of classes that take over nothing: outputs of operations on them are plain tensors."""
    return func(*args, **(kwargs or {}))


class ParameterType(type):
    """The class of Parameter: a tensor of a user's class that `Parameter` made counts as an instance."""

    def __instancecheck__(cls, x):
        return type.__instancecheck__(cls, x) or (
            cls is Parameter and isinstance(x, TensorBase) and getattr(x, "_is_param", False))


class Parameter(Tensor, metaclass=ParameterType):
    """A tensor that a module registers when it is assigned as an attribute.

    Args:
        data: the tensor whose memory it shares; without it an empty one. Of a class of the user's the output is of that
            class too, and still `isinstance(…, Parameter)`.
        requires_grad: whether gradients are computed for it.
    Raises:
        RuntimeError: gradients of integers.

    >>> import covector.compat.torch as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    __module__ = f"{__name__.partition('._impl')[0]}.nn.parameter"
    __slots__ = ()
    __torch_function__ = disabled_torch_function

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = wrap(np.empty(0, Default.float.numpy))
        if type(data) is Tensor or type(data) is Parameter:
            return told_of_nothing(made_subclass, cls, data, requires_grad)
        t = data.detach().requires_grad_(requires_grad)
        if type(t) is not type(data):
            raise RuntimeError(f"Creating a Parameter from an instance of type {type(data).__name__} requires that "
                               f"detach() returns an instance of the same type, but return type {type(t).__name__} was "
                               "found instead. To use the type as a Parameter, please correct the detach() semantics "
                               "defined by its __torch_dispatch__() implementation.")
        t._is_param = True
        return t

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __reduce__(self):
        return rebuilt_parameter, (type(self), self.data, self.requires_grad, dict(self.__dict__))

    def __repr__(self):
        return "Parameter containing:\n" + Tensor.__repr__(self)

    __str__ = __repr__


PLAIN_KINDS = frozenset({Tensor, Parameter})  # the classes whose tensors take the fast roads


def made_subclass(cls, data, require_grad=False):
    """A tensor of a class over the memory of another, without its history; `Tensor._make_subclass`."""
    if require_grad and data.dtype.category < 2:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    t = data.detach()
    t.__class__ = cls
    if require_grad:
        check_leaf(t)
    t.wants_grad = bool(require_grad)
    return t


def told_of_nothing(fun, *args):
    """A call of which function modes are not told."""
    m = MODES.get()
    if m is None or not m.functions:
        return fun(*args)
    entered = enter(functions=())
    try:
        return fun(*args)
    finally:
        leave(entered)


def rebuilt_parameter(cls, data, requires_grad, attributes=None):
    """A parameter that was pickled."""
    t = cls(data, requires_grad)
    t.__dict__.update(attributes or {})
    return t
