"""torch.utils."""

from ...._engine import LazyModule
from .._impl.dispatch import surface as _surface
from .._impl.tensor.swapping import swap_tensors as swap_tensors
from . import _pytree, checkpoint, dlpack, hooks

_LATER = {"benchmark": LazyModule("covector.compat.torch.utils.benchmark"),
          "data": LazyModule("covector.compat.torch.utils.data"),
          "tensorboard": LazyModule("covector.compat.torch.utils.tensorboard"),
          "safetensors": LazyModule("covector.compat.torch.utils.safetensors")}
__getattr__ = _surface.getter("utils.", "torch.utils", _LATER)
__dir__ = _surface.lister(globals(), _LATER)
del LazyModule, _LATER
