"""torch.optim.adamw: AdamW."""

from .._impl.optim.adam import AdamW as AdamW
