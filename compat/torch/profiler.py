"""torch.profiler: profiles of the steps of a loop."""

from ._impl.dispatch import surface as _surface
from ._impl.profiler.scheduled import (
    ProfilerAction as ProfilerAction,
    ProfilerActivity as ProfilerActivity,
    profile as profile,
    schedule as schedule,
    supported_activities as supported_activities,
    tensorboard_trace_handler as tensorboard_trace_handler,
)
from .autograd.profiler import kineto_available as kineto_available, record_function as record_function

__getattr__ = _surface.getter("profiler.", "torch.profiler")
_surface.publish(globals())
