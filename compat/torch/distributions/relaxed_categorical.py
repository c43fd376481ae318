"""torch.distributions.relaxed_categorical."""

from .._impl.distributions.categorical import (
    ExpRelaxedCategorical as ExpRelaxedCategorical,
    RelaxedOneHotCategorical as RelaxedOneHotCategorical,
)
