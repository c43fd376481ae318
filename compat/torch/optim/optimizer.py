"""torch.optim.optimizer: the base class, and hooks of all optimizers."""

from .._impl.dispatch import surface as _surface
from .._impl.optim import authoring as _authoring
from .._impl.optim.authoring import (
    DeviceDict as DeviceDict,
    DeviceDtypeDict as DeviceDtypeDict,
    ParamsT as ParamsT,
    StateDict as StateDict,
)
from .._impl.optim.optimizer import (
    Optimizer as Optimizer,
    register_optimizer_step_post_hook as register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook as register_optimizer_step_pre_hook,
    required as required,
)

_default_to_fused_or_foreach = _authoring.default_to_fused_or_foreach
_get_scalar_dtype = _authoring.get_scalar_dtype
_get_value = _authoring.get_value
_group_tensors_by_device_and_dtype = _authoring.group_tensors_by_device_and_dtype
_stack_if_compiling = _authoring.stack_if_compiling
_to_scalar = _authoring.to_scalar
_use_grad_for_differentiable = _authoring.use_grad_for_differentiable
_view_as_real = _authoring.view_as_real_

_surface.publish(globals())
