"""torch.optim.adadelta: Adadelta."""

from .._impl.optim.adaptive import Adadelta as Adadelta
