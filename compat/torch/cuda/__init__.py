"""torch.cuda: the device that CuPy finds; without one, what asks learns so, and everything else raises."""

from .._impl.dispatch import surface as _surface
from .._impl.factories.from_data import LEGACY as _LEGACY
from .._impl.platform.assertions import AcceleratorError as AcceleratorError, OutOfMemoryError as OutOfMemoryError
from .._impl.platform.gpu import (
    NO_DEVICE as _NO_DEVICE,
    current_device,
    device,
    device_of,
    empty_cache,
    get_arch_list,
    get_device_capability,
    get_device_name,
    get_device_properties,
    get_rng_state,
    get_rng_state_all,
    init,
    initial_seed,
    is_bf16_supported,
    is_initialized,
    manual_seed,
    manual_seed_all,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_peak_memory_stats,
    seed,
    seed_all,
    set_device,
    set_rng_state,
    set_rng_state_all,
    synchronize,
)
from .._impl.platform.streams import (
    Event,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    set_stream,
    stream,
)
from .._impl.types.devices import count as _count
from . import amp


def _refused(name):
    """A stand-in for a name without device support here: a function that raises, or a class that cannot be called."""
    words = (f"torch.cuda.{name}() is not supported on a GPU: operations run one by one, in CuPy and in its memory "
             "pool")

    def refuse(*args, **kwargs):
        if not _count():
            raise AssertionError(f"torch.cuda.{name}(): {_NO_DEVICE}")
        raise NotImplementedError(words)

    doc = "Refused: operations run one by one, in CuPy and in its memory pool."
    if name[0].isupper():
        return type(name, (), {"__new__": refuse, "__module__": __name__, "__doc__": doc})
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = doc
    return refuse


globals().update({name: _refused(name) for name in (
    "CUDAGraph MemPool graph graph_pool_handle make_graphed_callables memory_summary set_per_process_memory_fraction "
    "utilization").split()})


def ipc_collect():
    """Nothing: no memory is shared between processes."""


class _Typed(type):
    """The class of `cuda.FloatTensor` and the like: `isinstance` asks for the dtype, and whether a tensor lies on a
    GPU."""

    def __call__(cls, *args):
        made = _LEGACY[cls.__name__](*args)
        if not _count():
            raise AssertionError(f"torch.cuda.{cls.__name__}: Torch not compiled with CUDA enabled; use "
                                 f"torch.{cls.__name__}")
        return made.cuda()

    def __instancecheck__(cls, other):
        return getattr(other, "is_cuda", False) and other.type() == f"torch.cuda.{cls.__name__}"


globals().update({name: _Typed(name, (), {"__module__": __name__, "__doc__": "Tensors of a dtype on a GPU."})
                  for name in _LEGACY})


def is_available():
    """Tell whether CuPy is installed and finds a device."""
    return _count() > 0


def device_count():
    """The number of devices that tensors can lie on: one, the first of the process, or none."""
    return _count()


_others, __dir__ = _surface.look_up("cuda")


def __getattr__(name):
    """The other names; programs that keep random numbers read the variable behind `is_initialized`, too."""
    return is_initialized() if name == "_initialized" else _others(name)


_surface.publish(globals())
__all__ = [name for name in globals() if not name.startswith("_")]
