"""Attributes of tensors that may be set or must not be deleted: data, hooks, and PyTorch's words about each."""

import warnings

from ..... import tree
from ..engine.graph_task import note_hooks
from ..types.tensor_type import Tensor, TensorBase, more, needs_grad
from ..values.core_values import lift, lower
from .facts import edge_or_none, grad_dtype, set_grad_dtype


def forbidden(words):
    """A deleter that refuses."""
    def delete(self):
        raise RuntimeError(words)

    return delete


def set_data(self, value):
    """Take over the memory of another tensor; one that asks for gradients stays of floating or complex dtype."""
    if isinstance(value, TensorBase) and self.wants_grad and not (
            value.dtype.is_floating_point or value.dtype.is_complex):
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    if isinstance(value, TensorBase) and value.other_layout is not self.other_layout:
        raise RuntimeError("Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
                           "incompatible tensor type.")
    _DATA.fset(self, value)


def set_hooks(self, hooks):
    """Put other hooks in the place of a leaf's: a dict of functions, or None. Those of other tensors stay."""
    if edge_or_none(self) is None:
        more(self).hooks = hooks
        if hooks is not None:
            note_hooks(self)


def set_grad_fn(self, value):
    """None drops the history, as `detach_` does."""
    if value is not None:
        raise RuntimeError("_grad_fn can be only set to None")
    self.detach_()


def volatile(self):
    """False, with a warning: long gone from PyTorch."""
    warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
    return False


def set_volatile(self, value):
    """Nothing but a warning."""
    warnings.warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.", UserWarning,
                  stacklevel=2)


def listed(self):
    """The names of attributes that a tensor of the CPU has, too, but for `volatile`, which warns."""
    absent = {"volatile"} if self.is_cuda else {"volatile", "__cuda_array_interface__"}
    return sorted({*object.__dir__(self)} - absent)


Tensor.volatile = property(volatile, set_volatile)
Tensor.__dir__ = listed
Tensor.grad_dtype = property(grad_dtype, set_grad_dtype)
_DATA, _HOOKS = Tensor.data, Tensor._backward_hooks
Tensor.data = property(_DATA.fget, set_data, forbidden("Deleting tensor data is not allowed. Delete tensor instead!"),
                       _DATA.__doc__)
Tensor.requires_grad = Tensor.requires_grad.deleter(forbidden("requires_grad must be a bool"))
Tensor._backward_hooks = property(_HOOKS.fget, set_hooks, forbidden("Deletion of _backwards_hooks not allowed!"))
Tensor._grad_fn = property(lambda self: self.grad_fn if needs_grad(self) else None, set_grad_fn, forbidden(
    "Deletion of _grad_fn not allowed. Detach tensor instead!"))


# Tensors as pytree nodes for covector's own transforms: one array child each.

tree.register(Tensor, lambda t: ((lower(t),), None), lambda aux, children: _of(children[0]))


def _of(child):
    """A tensor over a child; what is no array (a place holder of a structure) stays as it is."""
    return lift(child) if hasattr(child, "dtype") else child
