"""torch.optim.lbfgs: LBFGS."""

from .._impl.optim.lbfgs import LBFGS as LBFGS
