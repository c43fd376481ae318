"""torch.distributions.relaxed_bernoulli."""

from .._impl.distributions.categorical import (
    LogitRelaxedBernoulli as LogitRelaxedBernoulli,
    RelaxedBernoulli as RelaxedBernoulli,
)
