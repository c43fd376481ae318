"""torch.fx.experimental, as far as other people's modules look at it."""

from . import proxy_tensor as proxy_tensor
