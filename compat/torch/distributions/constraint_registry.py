"""torch.distributions.constraint_registry: transforms to sets of values."""

from .._impl.distributions.registry import (
    ConstraintRegistry as ConstraintRegistry,
    biject_to as biject_to,
    transform_to as transform_to,
)
