"""Tensors as pytree nodes for covector's own transforms: one array child each."""

from ..... import tree
from ..types.tensor_type import Tensor
from ..values.core_values import lift, lower

tree.register(Tensor, lambda t: ((lower(t),), None), lambda aux, children: _of(children[0]))


def _of(child):
    """A tensor over a child; what is no array (a place holder of a structure) stays as it is."""
    return lift(child) if hasattr(child, "dtype") else child
