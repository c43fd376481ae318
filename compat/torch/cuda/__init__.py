"""torch.cuda: there is none; what asks whether there is learns so, everything else raises."""

from collections import OrderedDict as _OrderedDict
from contextlib import nullcontext as _nullcontext

from .._impl.dispatch import surface as _surface
from .._impl.factories.from_data import LEGACY as _TYPED
from .._impl.platform.absent import without_device as _without_device
from .._impl.platform.assertions import AcceleratorError as AcceleratorError, OutOfMemoryError as OutOfMemoryError
from .._impl.types.devices import count as _count
from . import amp

globals().update(_without_device(
    "torch.cuda", AssertionError,
    "Torch not compiled with CUDA enabled: tensors of covector.compat.torch live on the CPU; use device='cpu', or "
    "covector's own transforms on CuPy arrays",
    "current_device set_device get_device_name get_device_properties get_device_capability synchronize current_stream "
    "default_stream set_stream Stream Event mem_get_info get_rng_state set_rng_state init "
    "reset_peak_memory_stats memory_summary CUDAGraph StreamContext MemPool graph graph_pool_handle "
    "make_graphed_callables set_per_process_memory_fraction utilization"))


class device:  # noqa: N801 (torch's name)
    """A context of a device, which changes nothing: there is none."""

    def __init__(self, device):
        self.idx = device

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False


class device_of(device):  # noqa: N801 (torch's name)
    """A context of the device of a tensor, which changes nothing."""

    def __init__(self, obj):
        super().__init__(-1)


def stream(stream):
    """A context of a stream, of which there is none: None changes nothing.

    Raises:
        AssertionError: it is not None.
    """
    if stream is not None:
        set_stream(stream)  # noqa: F821 (which refuses)
    return _nullcontext()


def get_rng_state_all():
    """The states of the generators of all devices: none."""
    return []


def set_rng_state_all(new_states):
    """Set the states of the generators of all devices.

    Raises:
        AssertionError: there are states.
    """
    for state in new_states:
        set_rng_state(state)  # noqa: F821 (which refuses)


def get_arch_list():
    """The kinds of devices that there is code for: none."""
    return []


def memory_stats(device=None):
    """What is known of the memory of a device: nothing."""
    return _OrderedDict()


class _Typed(type):
    """The class of `cuda.FloatTensor` and the like: there are none, which `isinstance` finds out."""

    def __call__(cls, *args):
        raise AssertionError(f"torch.cuda.{cls.__name__}: Torch not compiled with CUDA enabled; use "
                             f"torch.{cls.__name__}")

    def __instancecheck__(cls, other):
        return False


globals().update({name: _Typed(name, (), {"__module__": __name__, "__doc__": "Refused: there is no such device."})
                  for name in _TYPED})


def is_available():
    """Whether CuPy is installed and finds a device."""
    return _count() > 0


def device_count():
    """The number of devices that tensors can lie on: one, the first of the process, or none."""
    return _count()


__getattr__ = _surface.getter("cuda.", "torch.cuda")
_surface.publish(globals())
__all__ = [name for name in globals() if not name.startswith("_")]
