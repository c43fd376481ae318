"""torch.cpu: the device that is always there."""

from ._impl.dispatch import surface as _surface


def is_available():
    """True."""
    return True


def device_count():
    """1."""
    return 1


def current_device():
    """"cpu"."""
    return "cpu"


def synchronize(device=None):
    """Nothing: operations have finished when they return."""


__getattr__, __dir__ = _surface.look_up("cpu")
