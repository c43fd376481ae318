"""torch.nn: modules, their parameters, and functions of tensors. Modules are loaded when they are first asked for."""

from ...._engine import LazyModule
from .._impl.dispatch import surface as _surface
from .._impl.types.parameter import Parameter as Parameter
from . import functional as functional, modules as modules

_LATER = {
    "attention": LazyModule("covector.compat.torch.nn.attention"),
    "common_types": LazyModule("covector.compat.torch.nn.common_types"),
    "grad": LazyModule("covector.compat.torch.nn.grad"),
    "init": LazyModule("covector.compat.torch.nn.init"),
    "parameter": LazyModule("covector.compat.torch.nn.parameter"),
    "parallel": LazyModule("covector.compat.torch.nn.parallel"),
    "utils": LazyModule("covector.compat.torch.nn.utils"),
}
_PARTS = dict.fromkeys(modules.__all__, modules) | dict.fromkeys(
    ("Buffer", "UninitializedBuffer", "UninitializedParameter"), _LATER["parameter"])
_PARTS["DataParallel"] = _LATER["parallel"]
__all__ = ["Parameter", "functional", "modules", *_LATER, *_PARTS]  # for `from torch.nn import *`
__getattr__ = _surface.getter("nn.", "torch.nn", _LATER, _PARTS)
__dir__ = _surface.lister(globals(), {**_LATER, **_PARTS})
del LazyModule, _LATER, _PARTS
