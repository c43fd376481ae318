"""torch.utils.data._utils, as far as other people's modules look at it."""

from . import collate as collate, worker as worker
