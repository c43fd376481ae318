"""torch.optim.rmsprop: RMSprop."""

from .._impl.optim.adaptive import RMSprop as RMSprop
