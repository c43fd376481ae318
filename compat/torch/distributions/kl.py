"""torch.distributions.kl: Kullback-Leibler divergences."""

from .._impl.distributions import cross_divergences as _cross, divergences as _own
from .._impl.distributions.divergence import kl_divergence as kl_divergence, register_kl as register_kl

_FILLED = _own, _cross  # loaded for what they register
