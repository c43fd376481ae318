"""torch._C, as far as other people's modules look at it."""

from types import SimpleNamespace as _SimpleNamespace

from ._impl.dispatch.overriding import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from ._impl.graph.node import AccumulateGrad as _AccumulateGrad
from ._impl.modes.grad_mode import is_grad_enabled as is_grad_enabled
from ._impl.modes.modes import modes as _modes, set_modes as _set_modes
from ._impl.module.conversion import parsed as _parse_to
from ._impl.random.generator import Generator as Generator
from ._impl.types.dtypes import dtype as dtype
from ._impl.types.parameter import disabled_torch_function as _disabled_torch_function_impl
from ._impl.types.size import Size as Size, device as device
from ._impl.types.tensor_type import TensorBase as TensorBase

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "Generator", "Size", "TensorBase",
           "_disabled_torch_function_impl", "device", "dtype", "is_grad_enabled"]
DisableTorchFunction = DisableTorchFunctionSubclass
_TensorMeta = type(TensorBase)  # the class of the class


def _set_grad_enabled(enabled):
    """Switch recording on or off."""
    _set_modes(grad=bool(enabled))


def _are_functorch_transforms_active():
    """Whether a transform of `torch.func` is running."""
    return _modes().level is not None or bool(_modes().maps)


def _get_tracing_state():
    """None: nothing is being traced."""
    return None


def _log_api_usage_once(name):
    """Nothing."""


def _saved_tensors_hooks_is_enabled():
    """Whether saved-tensor hooks may be registered now."""
    return _modes().hooks_disabled is None


def _saved_tensors_hooks_get_disabled_error_message():
    """What `disable_saved_tensors_hooks` was given, or None."""
    return _modes().hooks_disabled


_functions = _SimpleNamespace(AccumulateGrad=_AccumulateGrad)
_autograd = _SimpleNamespace(
    _saved_tensors_hooks_get_disabled_error_message=_saved_tensors_hooks_get_disabled_error_message,
    _saved_tensors_hooks_is_enabled=_saved_tensors_hooks_is_enabled)
_nn = _SimpleNamespace(_parse_to=_parse_to)
