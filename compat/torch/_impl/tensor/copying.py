"""Copies of tensors, and their pickles: the class, whether it asks for gradients, and attributes are kept."""

from copy import deepcopy

import numpy as np

from ..graph.hooks import warn_if_has_hooks
from ..state.concrete import refuse_copy
from ..state.history import edge_or_none
from ..state.meta import is_meta, meta_tensor, on_device
from ..types.tensor_type import completes, more, needs_grad, wrap
from ..types.tensor_value import bottom
from ..views.memory import rebuilt, twin


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
