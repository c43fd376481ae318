"""Devices of arrays: their names, and copies from one to another."""

from .arrays import ARRAYS, cupy, ndarray
from .size import CPU, device as Device

CUDA = Device("cuda", 0)
MISSING = ("Torch not compiled with CUDA enabled: device {!r} was asked for, and CuPy is not installed or finds no "
           "device (pip install 'covector[cuda12]' or 'covector[cuda13]'); use device='cpu'")
NO_BFLOAT16 = "bfloat16 on a GPU is not supported: CuPy has no such numbers; use float32 or float16"


def count():
    """The number of devices that tensors can lie on: one, the first of the process."""
    return int(cupy() is not None)


def checked(device):
    """The place that a device, the name of one or its number means: the CPU, "meta" or `CUDA`.

    Raises:
        AssertionError: CUDA, and there is none, as PyTorch without it.
        RuntimeError: another kind of device, or a number that no device here has.
    """
    device = Device(device)
    if device.type in ("cpu", "meta"):
        return device
    if device.type != "cuda":
        raise RuntimeError(f"PyTorch is not linked with support for {device.type} devices: device {str(device)!r} was "
                           "asked for, but tensors of covector.compat.torch live on the CPU, or on a GPU through CuPy")
    if cupy() is None:
        raise AssertionError(MISSING.format(str(device)))
    if device.index:
        raise RuntimeError("CUDA error: invalid device ordinal: tensors lie on the first device of a process, but "
                           f"{str(device)!r} was asked for; CUDA_VISIBLE_DEVICES says which one is the first")
    return CUDA


def device_of(array):
    """The device of an array with memory."""
    return CPU if type(array) is ndarray else CUDA


def beside(array, other):
    """An array of NumPy's as the library of another array takes it; anything else as it is."""
    there = type(other) in ARRAYS and type(other) is not ndarray
    return moved(array, CUDA) if there and type(array) is ndarray else array


def moved(array, device):
    """An array on the CPU or on the GPU: itself if it lies there, else a copy."""
    there = device.type == "cuda"
    if there is (type(array) is not ndarray):
        return array
    if not there:
        return array.get()
    if array.dtype.kind == "V":
        raise NotImplementedError(NO_BFLOAT16)
    return cupy().asarray(array)
