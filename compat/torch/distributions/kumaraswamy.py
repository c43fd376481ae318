"""torch.distributions.kumaraswamy."""

from .._impl.distributions.transformed import Kumaraswamy as Kumaraswamy
