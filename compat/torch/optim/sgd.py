"""torch.optim.sgd: SGD."""

from .._impl.optim.gradient_descent import SGD as SGD
