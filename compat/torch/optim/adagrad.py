"""torch.optim.adagrad: Adagrad."""

from .._impl.optim.adaptive import Adagrad as Adagrad
