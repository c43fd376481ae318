"""torch._C, as far as other people's modules look at it."""

from enum import Flag as _Flag
from types import SimpleNamespace as _SimpleNamespace

from ...._engine import LazyModule as _LazyModule, loaded as _loaded
from .._impl.dispatch import surface as _surface
from .._impl.dispatch.classes import PLAIN_ONLY as _plain_only
from .._impl.dispatch.overriding import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from .._impl.dispatch.telling import modes_in_force as _modes_in_force
from .._impl.dispatch.unbuilt import (
    UnbuiltError as _UnbuiltError,
    UnbuiltImport as _UnbuiltImport,
    compiled as _compiled,
    parts as _parts,
)
from .._impl.function.function_node import SingleLevelFunction as _FunctionBase
from .._impl.function.once_differentiable import DelayedError as _DelayedError, UndefinedGrad as _UndefinedGrad
from .._impl.graph.node import AccumulateGrad as _AccumulateGrad
from .._impl.graph_view import running as _running
from .._impl.graph_view.graph_tools import saved_tensors_hooks as _saved_tensors_hooks
from .._impl.graph_view.shown_node import shown_class as _shown_class
from .._impl.inplace.lower_errors import LinAlgError as _LinAlgError
from .._impl.modes.engine_switches import (
    _set_fwd_grad_enabled as _switch_forward_mode,
    is_fwd_grad_enabled,
    is_multithreading_enabled,
)
from .._impl.modes.grad_mode import is_grad_enabled as is_grad_enabled
from .._impl.modes.modes import enter as _enter, leave as _leave, modes as _modes, set_modes as _set_modes
from .._impl.module.conversion import parsed as _parse_to
from .._impl.random.generator import Generator as Generator
from .._impl.saved.saved import SavedTensor as _SavedTensor
from .._impl.types.dtypes import dtype as dtype
from .._impl.types.parameter import disabled_torch_function as _disabled_torch_function_impl
from .._impl.types.size import Size as Size, device as device
from .._impl.types.tensor_type import TensorBase as TensorBase
from . import _functorch as _functorch

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "Generator", "Size", "TensorBase",
           "_disabled_torch_function_impl", "device", "dtype", "is_grad_enabled"]


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """A context in which neither function modes nor subclasses of Tensor take over."""

    def __enter__(self):
        super().__enter__()
        self.entered = _enter(functions=())

    def __exit__(self, *exc):
        _leave(self.entered)
        super().__exit__(*exc)


_current_autograd_node = _running.current_autograd_node
_current_graph_task_id = _running.current_graph_task_id
_is_fwd_grad_enabled = is_fwd_grad_enabled
_is_multithreading_enabled = is_multithreading_enabled
_TensorBase = TensorBase
_TensorMeta = type(TensorBase)  # the class of the class


def _set_grad_enabled(enabled):
    """Switch recording on or off."""
    if not isinstance(enabled, bool):
        raise TypeError("set_grad_enabled(): argument 'enabled' (position 1) must be bool, not "
                        f"{type(enabled).__name__}")
    _set_modes(grad=enabled)


def _set_fwd_grad_enabled(enabled):
    """Switch forward mode on or off at the running level."""
    _switch_forward_mode(enabled)


def _are_functorch_transforms_active():
    """Tell whether a transform of `torch.func` is running."""
    return _modes().level is not None or bool(_modes().maps)


def _is_torch_function_enabled():
    """Tell whether subclasses of Tensor are asked for their `__torch_function__`."""
    return not _plain_only.get()


def _len_torch_function_stack():
    """The number of active function modes."""
    return len(_modes_in_force(_modes()))


def _get_function_stack_at(k):
    """A function mode in force, by its place from the outermost."""
    return _modes_in_force(_modes())[k]


def _is_view_replay_enabled():
    """False: the history of a view is made again from the steps that led to it, whatever they are."""
    return False


def _is_torch_function_mode_enabled():
    """Tell whether a `TorchFunctionMode` is in force."""
    return bool(_modes_in_force(_modes()))


def _get_tracing_state():
    """None: nothing is being traced."""
    return None


def _is_tracing():
    """False: nothing is being traced."""
    return False


def _log_api_usage_once(name):
    """Nothing."""


def _push_saved_tensors_default_hooks(pack_hook, unpack_hook):
    """Enter `saved_tensors_hooks`, which `_pop_saved_tensors_default_hooks` leaves."""
    _saved_tensors_hooks(pack_hook, unpack_hook).__enter__()


def _pop_saved_tensors_default_hooks():
    """Leave the innermost `saved_tensors_hooks`."""
    _saved_tensors_hooks(None, None).__exit__()


def _saved_tensors_hooks_is_enabled():
    """Tell whether saved-tensor hooks may be registered now."""
    return _modes().hooks_disabled is None


def _saved_tensors_hooks_get_disabled_error_message():
    """The message given to `disable_saved_tensors_hooks`, or None."""
    return _modes().hooks_disabled


_functions = _SimpleNamespace(AccumulateGrad=_shown_class(_AccumulateGrad, "AccumulateGrad"),
                              DelayedError=_DelayedError, UndefinedGrad=_UndefinedGrad)
_autograd = _SimpleNamespace(
    SavedTensor=_SavedTensor,
    _get_current_graph_task_keep_graph=_running.keeps_graph,
    _push_saved_tensors_default_hooks=_push_saved_tensors_default_hooks,
    _pop_saved_tensors_default_hooks=_pop_saved_tensors_default_hooks,
    _unsafe_set_version_counter=_running.set_version_counters,
    _saved_tensors_hooks_get_disabled_error_message=_saved_tensors_hooks_get_disabled_error_message,
    _saved_tensors_hooks_is_enabled=_saved_tensors_hooks_is_enabled)
_nn = _SimpleNamespace(_parse_to=_parse_to)
DispatchKey = _Flag("DispatchKey", "CPU CUDA Meta Autograd AutogradCPU AutogradCUDA AutocastCPU AutocastCUDA "
                                   "AutocastXPU CompositeImplicitAutograd CompositeExplicitAutograd Functionalize")


def DispatchKeySet(key):  # noqa: N802 (torch's name)
    """The key itself, which joins others by `|`: they are names, and no kernel is found by them."""
    return key


globals().update(_parts("_C", "Argument Block FunctionSchema Graph Node ScriptObject TensorType Type Value "
                              "_ExcludeDispatchKeyGuard _IncludeDispatchKeyGuard"))


_torch = _LazyModule("covector.compat.torch")
_PUBLIC = frozenset("""AcceleratorError Event Future OutOfMemoryError PyTorchFileReader PyTorchFileWriter ScriptFunction
ScriptModule Stream autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache default_generator finfo
get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype get_default_dtype get_num_interop_threads
get_num_threads iinfo is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled is_autocast_cpu_enabled
is_autocast_enabled is_inference_mode_enabled layout memory_format set_anomaly_enabled set_autocast_cache_enabled
set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype
set_flush_denormal set_num_interop_threads set_num_threads""".split())  # which torch has under the same names


def __getattr__(name):
    if name == "_will_engine_execute_node":
        return _running.watched(_running.will_execute)
    if name == "_current_graph_task_execution_order":
        return _running.watched(_running.execution_order)
    if name in _PUBLIC:
        return getattr(_loaded(_torch), name)
    if name.startswith("__"):
        raise AttributeError(f"module 'torch._C' has no attribute '{name}'")
    raise _compiled(name, _UnbuiltImport if _surface.imported() else _UnbuiltError)
_surface.publish(globals())
