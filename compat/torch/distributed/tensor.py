"""torch.distributed.tensor: names that programs import; their use is refused."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts(
    "distributed.tensor",
    "DTensor DeviceMesh Partial Placement Replicate Shard",
    "distribute_module distribute_tensor"))
