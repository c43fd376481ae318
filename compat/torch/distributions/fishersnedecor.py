"""torch.distributions.fishersnedecor."""

from .._impl.distributions.positive import FisherSnedecor as FisherSnedecor
