"""torch.cuda: there is none; what asks whether there is gets an output, everything else an error."""

from ._impl.dispatch import surface as _surface


def is_available():
    """False: tensors live on the CPU."""
    return False


def device_count():
    """0."""
    return 0


def is_initialized():
    """False."""
    return False


def manual_seed(seed):
    """Nothing: there is no generator to seed."""


def manual_seed_all(seed):
    """Nothing: there is no generator to seed."""


def current_device():
    """Refused."""
    raise AssertionError("Torch not compiled with CUDA enabled: tensors of covector.compat.torch live on the CPU")


__getattr__ = _surface.getter("cuda.", "torch.cuda")
_surface.publish(globals())
