"""torch.ao, as far as programs import it."""

from . import quantization as quantization
