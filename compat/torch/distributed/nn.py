"""torch.distributed.nn: names that programs import; their use is refused."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts(
    "distributed.nn",
    "RemoteModule",
    "all_gather all_reduce all_to_all all_to_all_single broadcast gather reduce reduce_scatter scatter"))
