"""torch.utils.checkpoint: regions whose saved tensors are recomputed in the backward pass."""

from .._impl.checkpoint.checkpoint import (
    CheckpointFunction as CheckpointFunction,
    DefaultDeviceType as DefaultDeviceType,
    check_backward_validity as check_backward_validity,
    checkpoint as checkpoint,
    checkpoint_sequential as checkpoint_sequential,
    detach_variable as detach_variable,
    get_device_states as get_device_states,
    noop_context_fn as noop_context_fn,
    set_checkpoint_debug_enabled as set_checkpoint_debug_enabled,
    set_checkpoint_early_stop as set_checkpoint_early_stop,
    set_device_states as set_device_states,
)
from .._impl.checkpoint.recompute import (
    CheckpointError as CheckpointError,
    GraphExecGroup as GraphExecGroup,
)
from .._impl.checkpoint.selective import (
    CheckpointPolicy as CheckpointPolicy,
    SelectiveCheckpointContext as SelectiveCheckpointContext,
    create_selective_checkpoint_contexts as create_selective_checkpoint_contexts,
)
from .._impl.dispatch import surface as _surface

__getattr__ = _surface.getter("utils.checkpoint.", "torch.utils.checkpoint")
