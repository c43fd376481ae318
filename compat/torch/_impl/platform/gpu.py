"""The device of CuPy as `torch.cuda` asks about it: its number, what it is, its memory and its random numbers."""

import sys
from collections import OrderedDict
from typing import NamedTuple

from ..random import generator
from ..types.arrays import cupy
from ..types.devices import CUDA, checked, count
from ..types.size import device as Device

NO_DEVICE = ("Torch not compiled with CUDA enabled: CuPy is not installed or finds no device (pip install "
             "'covector[cuda12]' or 'covector[cuda13]'); use device='cpu'")


def needed(name):
    """CuPy; a refusal where it finds no device."""
    library = cupy()
    if library is None:
        raise AssertionError(f"torch.cuda.{name}(): {NO_DEVICE}")
    return library


def located(device):
    """The number of a device: that of none given, of a number, a name or a `torch.device`."""
    if device is None:
        return 0
    place = checked(device)
    if place.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {Device(device)}")
    return place.index


class Properties(NamedTuple):
    """Properties of a device, as `get_device_properties` returns them."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int

    def __repr__(self):
        return (f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
                f"total_memory={self.total_memory // 2**20}MB, multi_processor_count={self.multi_processor_count})")


def init():
    """Raise where there is no device; else nothing."""
    needed("init")


def is_initialized():
    """Tell whether a device was found; where CuPy was not loaded yet, nobody looks for one."""
    return "cupy" in sys.modules and count() > 0


def current_device():
    """The number of the device that tensors lie on: 0."""
    needed("current_device")
    return 0


def set_device(device):
    """Choose the device: there is one, number 0.

    Raises:
        RuntimeError: another one.
    """
    needed("set_device")
    if device is not None and not (isinstance(device, int) and device < 0):
        located(device)


def get_device_properties(device=None):
    """Name, compute capability, memory and number of multiprocessors of a device."""
    library = needed("get_device_properties")
    found = library.cuda.runtime.getDeviceProperties(located(device))
    name = found["name"]
    return Properties(name.decode() if isinstance(name, bytes) else name, found["major"], found["minor"],
                      found["totalGlobalMem"], found["multiProcessorCount"])


def get_device_name(device=None):
    """The name of a device."""
    needed("get_device_name")
    return get_device_properties(device).name


def get_device_capability(device=None):
    """The compute capability of a device: `(9, 0)`."""
    needed("get_device_capability")
    return get_device_properties(device)[1:3]


def get_arch_list():
    """The kinds of devices that there is code for: that of the device, for which CuPy compiles; none without one."""
    return ["sm_{}{}".format(*get_device_capability())] if count() else []


def is_bf16_supported(including_emulation=True):
    """False: CuPy has no bfloat16."""
    return False


def synchronize(device=None):
    """Wait until the device has done all that was asked of it."""
    library = needed("synchronize")
    library.cuda.Device(located(device)).synchronize()


def empty_cache():
    """Give memory that CuPy keeps for later arrays back to the device."""
    if is_initialized():
        cupy().get_default_memory_pool().free_all_blocks()


def memory_allocated(device=None):
    """Bytes of arrays on the device, in CuPy's default pool."""
    return cupy().get_default_memory_pool().used_bytes() if is_initialized() else 0


def memory_reserved(device=None):
    """Bytes that CuPy's default pool has taken of the device."""
    return cupy().get_default_memory_pool().total_bytes() if is_initialized() else 0


def memory_stats(device=None):
    """The bytes of arrays and of the pool by PyTorch's names; nothing where there is no device."""
    if not is_initialized():
        return OrderedDict()
    return OrderedDict({"allocated_bytes.all.current": memory_allocated(device),
                        "reserved_bytes.all.current": memory_reserved(device)})


def mem_get_info(device=None):
    """Bytes of a device that are free, and all of them."""
    library = needed("mem_get_info")
    return tuple(library.cuda.Device(located(device)).mem_info)


def peak(name):
    """`max_memory_allocated` and related functions: 0 without a device, refused with one."""

    def largest(device=None):
        if not is_initialized():
            return 0
        raise NotImplementedError(f"torch.cuda.{name}() is not supported: CuPy's pool does not keep its peak; ask "
                                  f"torch.cuda.{name.removeprefix('max_')}() where memory is largest")

    largest.__name__ = largest.__qualname__ = name
    largest.__doc__ = "0 where there is no device; refused with one, since CuPy's pool does not keep its peak."
    return largest


max_memory_allocated, max_memory_reserved = peak("max_memory_allocated"), peak("max_memory_reserved")


def reset_peak_memory_stats(device=None):
    """Raise: CuPy's pool does not keep its peak."""
    needed("reset_peak_memory_stats")
    raise NotImplementedError("torch.cuda.reset_peak_memory_stats() is not supported: CuPy's pool does not keep its "
                              "peak; ask torch.cuda.memory_allocated() where memory is largest")


def manual_seed(seed):
    """Seed the random numbers of tensors on the device, which the default generator of the host draws: it is seeded.

    Without a device nothing happens.
    """
    if count():
        generator.manual_seed(seed)


def manual_seed_all(seed):
    """`manual_seed`: there is one device."""
    manual_seed(seed)


def seed():
    """Seed the random numbers of the device, which the default generator of the host draws, from the system."""
    if count():
        generator.seed()


def seed_all():
    """`seed`: there is one device."""
    seed()


def initial_seed():
    """The seed of the generator that draws the random numbers of the device: the default one of the host."""
    needed("initial_seed")
    return generator.initial_seed()


def get_rng_state(device="cuda"):
    """The state of the generator that draws the random numbers of the device: the default one of the host."""
    needed("get_rng_state")
    located(device)
    return generator.get_rng_state()


def set_rng_state(new_state, device="cuda"):
    """Set the state of the generator that draws the random numbers of the device: the default one of the host."""
    needed("set_rng_state")
    located(device)
    generator.set_rng_state(new_state)


def get_rng_state_all():
    """The states of the generators of all devices: a list of one, or of none."""
    return [get_rng_state()] if count() else []


def set_rng_state_all(new_states):
    """Set the states of the generators of all devices.

    Raises:
        AssertionError: there are states, and no device.
    """
    for state in new_states:
        set_rng_state(state)


class device:  # noqa: N801 (torch's name)
    """A context of a device: there is one, so it changes nothing."""

    def __init__(self, device):
        self.idx = located(device) if count() and not (isinstance(device, int) and device < 0) else device

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False


class device_of(device):  # noqa: N801 (torch's name)
    """A context of the device of a tensor, which changes nothing."""

    def __init__(self, obj):
        super().__init__(CUDA if count() and obj.is_cuda else -1)
