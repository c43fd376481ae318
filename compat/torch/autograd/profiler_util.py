"""torch.autograd.profiler_util: events of a profile, alone, averaged and in lists."""

from .._impl.profiler.events import (
    MEMORY_EVENT_NAME as MEMORY_EVENT_NAME,
    DeviceType as DeviceType,
    EventList as EventList,
    FormattedTimesMixin as FormattedTimesMixin,
    FunctionEvent as FunctionEvent,
    FunctionEventAvg as FunctionEventAvg,
    Interval as Interval,
    Kernel as Kernel,
    _format_time as _format_time,
)
