"""torch.utils._foreach_utils: groups of tensors for operations on lists."""

from .._impl.optim import authoring as _authoring

_device_has_foreach_support = _authoring.device_has_foreach_support
_group_tensors_by_device_and_dtype = _authoring.group_tensors_by_device_and_dtype
