"""Buffers of modules, and uninitialized parameters and buffers, whose shape is not known yet."""

import numpy as np

from ..dispatch.overriding import default_torch_function
from ..factories.creation import new_leaf
from ..tensor import tensor
from ..types import dtypes
from ..types.parameter import Parameter, made_subclass
from ..types.tensor_type import Tensor, TensorBase, wrap

ATTACHED = tensor  # what the classes below inherit is looked at when they are made


class BufferType(type(Tensor)):
    """The class of Buffer: tensors that it made are plain ones with a mark."""

    def __instancecheck__(cls, x):
        return type.__instancecheck__(cls, x) or (
            cls is Buffer and isinstance(x, TensorBase) and getattr(x, "_is_buffer", False))


class Buffer(Tensor, metaclass=BufferType):
    """A tensor that a module registers as a buffer when it is assigned as an attribute.

    Args:
        data: the tensor whose memory it shares; without it an empty one.
        persistent: whether `state_dict` holds it.

    >>> import covector.compat.torch as torch
    >>> m = torch.nn.Module()
    >>> m.mean = torch.nn.Buffer(torch.zeros(2))
    >>> list(m.state_dict())
    ['mean']
    """

    __slots__ = ()

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = wrap(np.empty(0, dtypes.Default.float.numpy))
        t = data.detach().requires_grad_(data.requires_grad)
        t.persistent = persistent
        t._is_buffer = True
        return t


class UninitializedTensorMixin:
    """The common part of uninitialized parameters and buffers: `materialize` gives them a shape.

    Raises:
        RuntimeError: any other use of their values.
    """

    _allowed = frozenset("""
        __get__ __set__ __delete__ copy_ size char short int long half float double bfloat16 cpu cuda to is_complex
        is_floating_point get_device""".split())

    def materialize(self, shape, device=None, dtype=None):
        """Give it a shape: memory whose values are still to be set."""
        dtype = self.dtype if dtype is None else dtype
        fresh = new_leaf(np.empty(tuple(shape), dtype.numpy), device=self.device if device is None else device)
        self.value = fresh.value
        self.dispatch_key = fresh.dispatch_key
        self.__class__ = self.cls_to_become

    @property
    def shape(self):
        """Raise: there is none yet."""
        raise RuntimeError("Can't access the shape of an uninitialized parameter or buffer. This error usually happens "
                           "in `load_state_dict` when trying to load an uninitialized parameter into an initialized "
                           "one. Call `forward` to initialize the parameters before accessing their attributes.")

    def share_memory_(self):
        """Raise: there is no memory yet."""
        raise RuntimeError("Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize "
                           "the parameters before calling `module.share_memory()`.")

    def __repr__(self):
        return f"<{type(self).__name__}>"

    __str__ = __repr__

    def __reduce__(self):
        return type(self), (self.requires_grad,)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ in cls._allowed:
            return default_torch_function(cls, func, types, args, kwargs)
        raise ValueError(f"Attempted to use an uninitialized parameter in {func}. This error happens when you are "
                         "using a `LazyModule` or explicitly manipulating `torch.nn.parameter."
                         f"{cls.__name__}` objects. When using LazyModules Call `forward` with a dummy batch to "
                         "initialize the parameters before calling torch functions")


def uninitialized(cls, requires_grad, device, dtype):
    """A tensor of a class without a shape; its memory is empty."""
    dtype = dtypes.Default.float if dtype is None else dtype
    return made_subclass(cls, new_leaf(np.empty(0, dtype.numpy), device=device), requires_grad)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape is not known yet: lazy modules give it one when they are first called.

    >>> import covector.compat.torch as torch
    >>> p = torch.nn.UninitializedParameter()
    >>> p.materialize((2, 3))
    >>> type(p).__name__, p.shape
    ('Parameter', torch.Size([2, 3]))
    """

    __slots__ = ()
    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return uninitialized(cls, requires_grad, device, dtype)

    def __init__(self, requires_grad=True, device=None, dtype=None):
        pass

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape is not known yet."""

    __slots__ = ()
    cls_to_become = Tensor

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        t = uninitialized(cls, requires_grad, device, dtype)
        t.persistent = persistent
        t._is_buffer = True
        return t

    def __init__(self, requires_grad=False, device=None, dtype=None, persistent=True):
        pass


def is_lazy(param):
    """Tell whether a parameter or buffer has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)
