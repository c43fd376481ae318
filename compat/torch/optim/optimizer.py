"""torch.optim.optimizer: the base class, and hooks of all optimizers."""

from .._impl.optim.optimizer import (
    Optimizer as Optimizer,
    register_optimizer_step_post_hook as register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook as register_optimizer_step_pre_hook,
    required as required,
)
