"""torch._utils, as far as other people's modules look at it: lists of tensors as one flat tensor."""

from ._impl.module import flat_lists as _flat_lists

_element_size = _flat_lists.element_size
_flatten_dense_tensors = _flat_lists.flatten_dense_tensors
_unflatten_dense_tensors = _flat_lists.unflatten_dense_tensors
