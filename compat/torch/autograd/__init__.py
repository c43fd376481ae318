"""torch.autograd: the engine, modes, Function, and the tools around the graph."""

from .._impl.dispatch import surface as _surface
from .._impl.dispatch.backward_calls import backward, grad
from .._impl.function.function import Function, NestedIOFunction
from .._impl.graph_view.running import unsafe_preserve_version_counter as _unsafe_preserve_version_counter
from .._impl.modes.engine_switches import (
    enforce_grad_layout_policy,
    force_original_view_tracking as _force_original_view_tracking,
    is_multithreading_enabled,
    is_view_replay_enabled,
    set_multithreading_enabled,
)
from .._impl.modes.grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)
from .._impl.saved.saved import SavedTensor
from . import anomaly_mode, forward_ad, function, functional, grad_mode, graph, profiler, profiler_util, variable
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .gradcheck import gradcheck, gradgradcheck
from .profiler import _profiler_enabled as _profiler_enabled, kineto_available
from .profiler_util import DeviceType
from .variable import Variable

__getattr__ = _surface.getter("autograd.", "torch.autograd")
__all__ = [
    "DeviceType",
    "Function",
    "NestedIOFunction",
    "SavedTensor",
    "Variable",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "enforce_grad_layout_policy",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_multithreading_enabled",
    "is_view_replay_enabled",
    "kineto_available",
    "no_grad",
    "profiler",
    "profiler_util",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]
