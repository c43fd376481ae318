"""Placement of the storages of a file: by the tags that they were saved with, or as `map_location` says."""

import pickle
import re

from ..tensor.storage import TypedStorage, UntypedStorage
from ..types.arrays import ndarray
from ..types.devices import CUDA, count, moved
from ..types.size import CPU, device as Device

_DEVICES = re.compile(r"(cuda|xpu|mps|hpu)(?::?(\d+))?")
_BFLOAT16 = ("load() was to put a tensor of bfloat16 on a GPU, which CuPy has not; load it with map_location='cpu' and "
             "convert it")


def tag(array):
    """The tag of memory in a file: "cpu" or "cuda:0"."""
    return str(CPU if type(array) is ndarray else CUDA)


def mapping(map_location):
    """A function of the bytes that were read, their dtype and their tag, which gives the bytes where they belong.

    Args:
        map_location: as of `load`; not "meta".
    """

    def place(array, dtype, location):
        if isinstance(map_location, str | bytes | Device):
            location = map_location.decode() if isinstance(map_location, bytes) else str(map_location)
        elif isinstance(map_location, dict):
            location = map_location.get(location, location)
        elif map_location is not None:
            found = map_location(UntypedStorage(array), location)
            if found is not None:
                if not isinstance(found, UntypedStorage | TypedStorage):
                    raise TypeError("load(): map_location gave neither a storage nor None, but a "
                                    f"{type(found).__name__}")
                return fitting(found.untyped().bytes(), dtype)
        if map_location is None and location != "cpu" and not (
                isinstance(location, str) and _DEVICES.fullmatch(location)):
            raise pickle.UnpicklingError(f"load() got a storage that was saved on {location!r}, which is no device: "
                                         "the file is damaged, or was written by another program; save it anew")
        return fitting(restored(array, str(location)), dtype)

    return place


def fitting(array, dtype):
    """Bytes of a dtype that their device has; others are refused."""
    if type(array) is not ndarray and dtype.numpy.kind == "V":
        raise NotImplementedError(_BFLOAT16)
    return array


def default_restore_location(storage, location):
    """A storage on the device of a tag, as `load` places it without `map_location`; for functions given as that.

    >>> import covector.compat.torch as torch
    >>> torch.serialization.default_restore_location(torch.ones(2).untyped_storage(), "cpu").nbytes()
    8
    """
    return storage if location == "cpu" else UntypedStorage(restored(storage.bytes(), location))


def restored(array, location):
    """Bytes on the device of a tag.

    Raises:
        RuntimeError: there is no such device.
    """
    if location == "cpu":
        return array
    found = _DEVICES.fullmatch(location)
    if found is None:
        raise RuntimeError("don't know how to restore data location of torch.storage.UntypedStorage (tagged with "
                           f"{location})")
    check(found[1], int(found[2] or 0))
    return moved(array, CUDA)


def check(kind, index):
    """Refuse a device that is not here."""
    if kind != "cuda" or not count():
        raise RuntimeError(f"Attempting to deserialize object on a {kind.upper()} device but torch.{kind}.is_available"
                           "() is False. If you are running on a CPU-only machine, please use torch.load with "
                           "map_location=torch.device('cpu') to map your storages to the CPU.")
    if index >= count():
        raise RuntimeError(f"Attempting to deserialize object on CUDA device {index} but torch.cuda.device_count() is "
                           f"{count()}. Please use torch.load with map_location to map your storages to an existing "
                           "device.")
