"""Arrays and functions over several processes: a mesh, `shard_map` over it, and what a training run needs."""

from ..transforms.distributed.mesh import Mesh as Mesh
from ..transforms.distributed.placing import gather as gather, replicate as replicate, shard as shard
from ..transforms.distributed.shard_map import shard_map as shard_map
from ..transforms.distributed.specs import PartitionSpec as PartitionSpec

P = PartitionSpec
