"""torch.distributed: one process; what asks whether there are more learns so."""

from ...._engine import LazyModule as _LazyModule
from .._impl.dispatch import surface as _surface
from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("distributed", "FileStore HashStore PrefixStore ProcessGroup Store TCPStore Work"))


def is_available():
    """False: there is one process."""
    return False


def is_initialized():
    """False."""
    return False


def is_torchelastic_launched():
    """False."""
    return False


_LATER = {name: _LazyModule(f"covector.compat.torch.distributed.{name}")
          for name in "algorithms autograd device_mesh elastic fsdp nn optim rpc tensor".split()}
__getattr__ = _surface.getter("distributed.", "torch.distributed", _LATER)
