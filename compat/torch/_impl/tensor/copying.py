"""Copies of tensors, and their pickles: the class, whether it asks for gradients, and attributes are kept."""

import weakref
from copy import deepcopy

import numpy as np

from ..graph.hooks import warn_if_has_hooks
from ..state.levels import refuse_copy
from ..state.meta import is_meta, meta_tensor, on_device
from ..types.tensor_type import TensorBase, bottom, completes, more, needs_grad, wrap
from ..views.memory import rebuilt, twin
from .facts import edge_or_none


@completes
class Methods:
    """The protocols of copy and pickle."""

    def __deepcopy__(self, memo):
        if edge_or_none(self) is not None:
            raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                               "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
                               "because of a torch.nn.utils.weight_norm usage, see "
                               "https://github.com/pytorch/pytorch/pull/103001")
        if id(self) in memo:
            return memo[id(self)]
        if self.level_trace is not None:
            refuse_copy(self, "deepcopy()")
        memo[id(self)] = t = without_elements(*facts(self)) if is_meta(self) else wrap(
            twin(bottom(self), memo), type(self))
        t.wants_grad = self.wants_grad
        if self.autograd_meta is not None and self.autograd_meta.grad is not None:
            more(t).grad = self.autograd_meta.grad.__deepcopy__(memo)
        if self.__dict__:
            t.__dict__.update(deepcopy(self.__dict__, memo))
        return t

    def __copy__(self):
        if self.level_trace is not None:
            refuse_copy(self, "copy.copy()")
        warn_if_has_hooks(self)
        t = without_elements(*facts(self)) if is_meta(self) else wrap(bottom(self), type(self))
        t.wants_grad = needs_grad(self)
        t.__dict__.update(self.__dict__)
        return t

    def __reduce__(self):
        if self.level_trace is not None:
            refuse_copy(self, "pickling")
        warn_if_has_hooks(self)
        if is_meta(self):
            return without_elements, facts(self), self.__dict__ or None
        if on_device(self):
            return rebuilt, (type(self), bottom(self).get(), needs_grad(self), self.device.type), self.__dict__ or None
        return rebuilt, (type(self), np.array(bottom(self)), needs_grad(self)), self.__dict__ or None


def facts(t):
    """The class, shape, dtype of a tensor of device meta, and whether it asks for gradients."""
    return type(t), tuple(t.shape), t.dtype, needs_grad(t)


def without_elements(kind, shape, dtype, requires_grad):
    """A tensor of device meta, of a class."""
    t = meta_tensor(shape, dtype.numpy, requires_grad)
    t.__class__ = kind
    return t


# `utils.swap_tensors`: two tensors take each other's place in everything that holds one of them.


def swap_tensors(t1, t2):
    """Exchange two tensors: class, attributes, memory, gradient and history, behind the names that hold them.

    Args:
        t1, t2: tensors that no weak reference leads to.

    >>> import covector.compat.torch as torch
    >>> x, y = torch.arange(2), torch.arange(3)
    >>> held = [x]
    >>> torch.utils.swap_tensors(x, y)
    >>> held
    [tensor([0, 1, 2])]
    """
    for name, t in (("t1", t1), ("t2", t2)):
        if not isinstance(t, TensorBase):
            raise TypeError(f"swap_tensors takes two tensors, but {name} is of type {type(t).__name__}")
        if weakref.getweakrefs(t):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    names = [name for name in _slots(t1) if not name.startswith("__")]
    if set(names) != {name for name in _slots(t2) if not name.startswith("__")}:
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    t1.__class__, t2.__class__ = type(t2), type(t1)
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for name in names:
        held = [(t, hasattr(t, name), getattr(t, name, None)) for t in (t1, t2)]
        for (t, _, _), (_, there, value) in zip(held, held[::-1]):
            if there:
                setattr(t, name, value)
            elif hasattr(t, name):
                delattr(t, name)


def _slots(t):
    """The names of the slots of a tensor's class and of those above."""
    return [name for kind in type(t).__mro__ for name in vars(kind).get("__slots__", ())]
