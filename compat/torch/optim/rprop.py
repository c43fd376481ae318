"""torch.optim.rprop: Rprop."""

from .._impl.optim.gradient_descent import Rprop as Rprop
