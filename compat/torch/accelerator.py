"""torch.accelerator: there is none."""

from ._impl.dispatch import surface as _surface
from ._impl.platform.absent import refusing as _refusing


def is_available():
    """False: tensors live on the CPU."""
    return False


def device_count():
    """0."""
    return 0


def current_accelerator(check_available=False):
    """None: there is none."""
    return None


def empty_cache():
    """Nothing: there is no memory of a device."""


for _name in ("synchronize", "current_stream", "set_stream", "current_device_index", "set_device_index",
              "device_index"):
    globals()[_name] = _refusing(f"torch.accelerator.{_name}", RuntimeError,
                                 "Cannot access accelerator device when none is available.")
__getattr__ = _surface.getter("accelerator.", "torch.accelerator")
_surface.publish(globals())
