"""torch.distributions.studentT."""

from .._impl.distributions.location_scale import StudentT as StudentT
