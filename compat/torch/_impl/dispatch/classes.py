"""The classes of arguments whose `__torch_function__` is asked, and in which order."""

from contextvars import ContextVar

import numpy as np

from ..types.dtypes import dtype as Dtype
from ..types.parameter import Parameter, disabled_torch_function
from ..types.tensor_type import Tensor, TensorBase

PLAIN_ONLY: ContextVar[bool] = ContextVar("covector_torch_plain", default=False)  # a class's own override is running
WITHOUT = frozenset({Tensor, Parameter, bool, int, float, complex, str, type(None), slice, np.ndarray, np.float64,
                     np.int64, np.bool_, Dtype})


def takes_over(kind):
    """Tell whether a class has a `__torch_function__` that is to be asked."""
    if issubclass(kind, TensorBase) and PLAIN_ONLY.get() and not kind.other_layout:
        return False
    return getattr(kind, "__torch_function__", disabled_torch_function) is not disabled_torch_function


def overloads(args, kwargs=None):
    """The arguments whose classes are to be asked, one each; subclasses before their bases, else in order."""
    found = []
    for x in (*args, *kwargs.values()) if kwargs else args:
        for v in x if type(x) in (list, tuple) else (x,):
            kind = type(v)
            if kind in WITHOUT or not takes_over(kind) or any(type(f) is kind for f in found):
                continue
            place = next((i for i, f in enumerate(found) if issubclass(kind, type(f))), len(found))
            found.insert(place, v)
    return found


def dispatched(found, func, args, kwargs):
    """Ask each class; the first output that is not NotImplemented counts."""
    types = tuple([type(x) for x in found])
    for x in found:
        out = x.__torch_function__(func, types, args, kwargs)
        if out is not NotImplemented:
            return out
    asked = "\n".join(f"  - tensor subclass {kind}" for kind in types)
    raise TypeError(f"Multiple dispatch failed for 'torch.{getattr(func, '__name__', func)}'; all __torch_function__ "
                    f"handlers returned NotImplemented:\n\n{asked}")
