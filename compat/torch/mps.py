"""torch.mps: there is no such device; what asks whether there is learns so, everything else raises."""

from ._impl.dispatch import surface as _surface
from ._impl.platform.absent import without_device as _without_device

globals().update(_without_device(
    "torch.mps", AssertionError,
    "Torch not compiled with MPS enabled: tensors of covector.compat.torch live on the CPU; use device='cpu'",
    "synchronize Event get_rng_state set_rng_state",
    "memory_allocated max_memory_allocated memory_reserved max_memory_reserved manual_seed_all seed_all "
    "ipc_collect is_initialized is_bf16_supported"))
__getattr__ = _surface.getter("mps.", "torch.mps")
_surface.publish(globals())
