"""torch.distributions.mixture_same_family."""

from .._impl.distributions.combined import MixtureSameFamily as MixtureSameFamily
