"""torch.nn: modules, their parameters, and functions of tensors. Modules are loaded when they are first asked for."""

from .... import _engine
from .._impl.dispatch import surface as _surface
from .._impl.types.parameter import Parameter as Parameter
from . import functional as functional, modules as modules

LazyModule = _engine.LazyModule

common_types = LazyModule("covector.compat.torch.nn.common_types")
grad = LazyModule("covector.compat.torch.nn.grad")
init = LazyModule("covector.compat.torch.nn.init")
parameter = LazyModule("covector.compat.torch.nn.parameter")
utils = LazyModule("covector.compat.torch.nn.utils")
del LazyModule

_HELD = ("Buffer", "UninitializedBuffer", "UninitializedParameter")
__getattr__ = _surface.getter("nn.", "torch.nn", dict.fromkeys(modules.__all__, modules) | dict.fromkeys(
    _HELD, parameter))


def __dir__():  # noqa: N807
    return sorted({*globals(), *modules.__all__, *_HELD})
