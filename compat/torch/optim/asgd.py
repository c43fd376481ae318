"""torch.optim.asgd: ASGD."""

from .._impl.optim.gradient_descent import ASGD as ASGD
