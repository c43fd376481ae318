"""torch.distributions.kumaraswamy."""

from .._impl.distributions.transformed_families import Kumaraswamy as Kumaraswamy
