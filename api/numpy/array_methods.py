"""Methods of traced arrays that are functions of this namespace: `choose`, `searchsorted`, `partition` and others."""

import operator
import sys
from typing import Any

import numpy as np

from ..core.errors import ConversionError, at_user_line
from ..core.numpy_api.methods import named
from ..core.trace.device import library_of
from ..core.trace.tracer import Batched, Tracer, concrete, unwrap
from . import indexing, sorting, writing
from .surface import Array


def _in_place(self: Array, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
    self[...] = sorting.partition(self, kth, axis, kind, order)


def _device(self: Array) -> Any:
    """Return the device of the value; for a staged one, which has none yet, the name of its library."""
    data = unwrap(self)
    if data is not None:
        return getattr(data, "device", "cpu")
    return "cpu" if library_of(self) is None else library_of(self).__name__


def _to_device(self: Array, device: Any, /, *, stream: Any = None) -> Array:
    if device != self.device or stream is not None:
        raise ConversionError(f"to_device was asked to move a traced value from {self.device!r} to {device!r}; move "
                              f"the inputs of the transform{at_user_line()}")
    return self


def _namespace(self: Array, *, api_version: Any = None) -> Any:
    np.empty(0).__array_namespace__(api_version=api_version)  # NumPy knows which versions there are
    return sys.modules[__package__]


_METHODS = {
    "argpartition": lambda x, kth, axis=-1, kind="introselect", order=None: sorting.argpartition(
        x, kth, axis, kind, order),
    "choose": lambda x, choices, out=None, mode="raise": indexing.choose(x, choices, out, mode),
    "compress": lambda x, condition, axis=None, out=None: indexing.compress(condition, x, axis, out),
    "partition": _in_place,
    "put": lambda x, indices, values, mode="raise": writing.put(x, indices, values, mode),
    "searchsorted": lambda x, v, side="left", sorter=None: sorting.searchsorted(x, v, side, sorter),
    "to_device": _to_device,
    "__array_namespace__": _namespace,
}
for _name, _method in _METHODS.items():
    if not _method.__doc__:
        _method.__doc__ = f"As `numpy.ndarray.{_name}`, traced."
    setattr(Tracer, _name, named(_name, _method))
_refused = Tracer.__array__


def _array(self: Array, dtype: Any = None, copy: Any = None) -> Array:
    """Refuse, but for an array of objects: its elements are traced values, which keep their derivatives."""
    if dtype is None or np.dtype(dtype).kind != "O":
        return _refused(self, dtype, copy)
    out = np.empty(self.shape, object)
    for place in np.ndindex(*self.shape):
        out[place] = self[place] if place else self
    return out


def _value_below(self: Array) -> Any:
    """Return the value one level below, as programs written for HIPS autograd ask for it; raises under vmap."""
    value = concrete(self, "_value") if isinstance(self, Batched) or self.owner is None else self.value
    return value[()] if type(value) is np.ndarray and not value.ndim else value


Tracer.__array__ = _array  # type: ignore[method-assign]
Tracer.device = property(_device)  # type: ignore[attr-defined] # attached, as all methods are
Tracer._value = property(_value_below)  # type: ignore[attr-defined]
Tracer._trace = property(operator.attrgetter("owner"))  # type: ignore[attr-defined]
