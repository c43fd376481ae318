"""torch.distributed.device_mesh: names that programs import; their use is refused."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("distributed.device_mesh", "DeviceMesh", "init_device_mesh"))
