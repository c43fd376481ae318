"""torch.xpu: there is no such device; what asks whether there is learns so, everything else raises."""

from ._impl.dispatch import surface as _surface
from ._impl.platform.absent import without_device as _without_device

globals().update(_without_device(
    "torch.xpu", AssertionError,
    "Torch not compiled with XPU enabled: tensors of covector.compat.torch live on the CPU; use device='cpu'",
    "current_device set_device synchronize current_stream Stream Event get_rng_state set_rng_state",
    "ipc_collect"))
__getattr__ = _surface.getter("xpu.", "torch.xpu")
_surface.publish(globals())
