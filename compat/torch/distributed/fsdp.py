"""torch.distributed.fsdp: names that programs import; their use is refused."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts(
    "distributed.fsdp",
    "CPUOffload FSDPModule FullStateDictConfig FullyShardedDataParallel MixedPrecision MixedPrecisionPolicy "
    "ShardingStrategy StateDictType",
    "fully_shard"))
