"""torch.distributed._tensor.experimental: names that programs import; their use is refused."""

from ..._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("distributed.tensor.experimental", "", "implicit_replication local_map"))
