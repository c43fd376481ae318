"""torch.distributed._composable.fsdp: the older place of names of torch.distributed.fsdp."""

from ..fsdp import *  # noqa: F403 (an alias)
