"""torch.autograd.profiler: profile, record_function, and ranges for external profilers."""

from .._impl.dispatch import surface as _surface
from .._impl.profiler.events import (
    MEMORY_EVENT_NAME as MEMORY_EVENT_NAME,
    DeviceType as DeviceType,
    EventList as EventList,
    FunctionEvent as FunctionEvent,
)
from .._impl.profiler.nvprof import (
    EnforceUnique as EnforceUnique,
    load_nvprof as load_nvprof,
    parse_nvprof_trace as parse_nvprof_trace,
)
from .._impl.profiler.profiler import (
    _profiler_enabled as _profiler_enabled,
    emit_itt as emit_itt,
    emit_nvtx as emit_nvtx,
    kineto_available as kineto_available,
    profile as profile,
    record_function as record_function,
)

__getattr__ = _surface.getter("autograd.profiler.", "torch.autograd.profiler")
