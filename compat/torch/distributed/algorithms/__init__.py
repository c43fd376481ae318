"""torch.distributed.algorithms: names that programs import; their use is refused."""

from . import join as join
