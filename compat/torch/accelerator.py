"""torch.accelerator: the device that CuPy finds, by names that are those of any kind of device."""

from ._impl.dispatch import surface as _surface
from ._impl.platform import gpu as _gpu, streams as _streams
from ._impl.types.devices import count as _count
from ._impl.types.size import device as _Device


def is_available():
    """Tell whether CuPy is installed and finds a device."""
    return _count() > 0


def device_count():
    """The number of devices that tensors can lie on: one, or none."""
    return _count()


def current_accelerator(check_available=False):
    """`torch.device("cuda")`, or None where there is no device."""
    return _Device("cuda") if _count() else None


def empty_cache():
    """Give memory that CuPy keeps for later arrays back to the device."""
    _gpu.empty_cache()


def _where_there_is_one(fun, name, doc):
    """A function of the device, or PyTorch's refusal where there is none."""

    def call(*args, **kwargs):
        if not _count():
            raise RuntimeError(f"torch.accelerator.{name}(): Cannot access accelerator device when none is available.")
        return fun(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call


for _name, _fun in {"synchronize": _gpu.synchronize, "current_stream": _streams.current_stream,
                    "set_stream": _streams.set_stream, "current_device_index": _gpu.current_device,
                    "set_device_index": _gpu.set_device, "device_index": _gpu.device,
                    "memory_allocated": _gpu.memory_allocated, "memory_reserved": _gpu.memory_reserved}.items():
    globals()[_name] = _where_there_is_one(_fun, _name, _fun.__doc__)
__getattr__, __dir__ = _surface.look_up("accelerator")
_surface.publish(globals())
