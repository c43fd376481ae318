"""Placement of the tensors of factories: the given `device`, or the default in force."""

import numpy as np

from ..modes.modes import MODES
from ..state.meta import on_meta
from ..types.arrays import cupy
from ..types.devices import checked


def to_meta(device):
    """Tell whether a factory that was given a device, or none, makes a tensor of device "meta"."""
    if device is None:
        m = MODES.get()
        device = None if m is None else m.device
    return on_meta(device)


def library_for(device, kind):
    """The array library of a factory for a device, or for the default: NumPy, or CuPy; None for device "meta"."""
    if device is None:
        m = MODES.get()
        device = None if m is None else m.device
        if device is None:
            return np
    place = checked(device).type
    return None if place == "meta" else np if place == "cpu" or kind.kind == "V" else cupy()


def place_beside(t):
    """The device of a tensor, for a factory that makes another one beside it; None where that is the default anyway."""
    m = MODES.get()
    return None if type(t.value) is np.ndarray and (m is None or m.device is None) else t.device
