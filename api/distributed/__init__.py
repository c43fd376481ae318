"""Arrays and functions over several processes: a mesh, `shard_map` over it, and what a training run needs."""

from ..core.errors import (
    CollectiveMismatchError as CollectiveMismatchError,
    CollectiveTimeoutError as CollectiveTimeoutError,
)
from ..transforms.distributed.data_parallel import data_parallel_value_and_grad as data_parallel_value_and_grad
from ..transforms.distributed.jacobian_rows import sharded_jacobian as sharded_jacobian
from ..transforms.distributed.layers import (
    dense_columns as dense_columns,
    dense_rows as dense_rows,
    pipeline as pipeline,
)
from ..transforms.distributed.mesh import Mesh as Mesh
from ..transforms.distributed.placing import gather as gather, replicate as replicate, shard as shard
from ..transforms.distributed.shard_map import shard_map as shard_map
from ..transforms.distributed.specs import PartitionSpec as PartitionSpec
from ..transforms.distributed.state import load as load, save as save

P = PartitionSpec
