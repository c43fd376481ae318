"""The device that is always there, for programs that are written for any."""

import warnings
from contextvars import ContextVar

from ..types.dtypes import bfloat16
from . import autocast as casting, grad_scaler


def is_available():
    """True."""
    return True


def is_initialized():
    """True."""
    return True


def device_count():
    """1."""
    return 1


def current_device():
    """"cpu"."""
    return "cpu"


def set_device(device):
    """Nothing: there is one."""


def synchronize(device=None):
    """Nothing: operations have finished when they return."""


class Stream:
    """Work in its order, which is that of the program.

    Args:
        priority: of no effect.
    """

    def __init__(self, priority=-1):
        pass

    def wait_stream(self, stream):
        """Nothing: work is done when it is asked for."""

    def record_event(self):
        """Nothing: work is done when it is asked for."""

    def wait_event(self, event):
        """Nothing: work is done when it is asked for."""


class Event:
    """A place in the work of a stream, which is always reached."""

    def query(self):
        """True."""
        return True

    def record(self, stream=None):
        """Nothing: work is done when it is asked for."""

    def synchronize(self):
        """Nothing: work is done when it is asked for."""

    def wait(self, stream=None):
        """Nothing: work is done when it is asked for."""


MAIN = Stream()
STREAM: ContextVar[Stream | None] = ContextVar("covector_torch_cpu_stream", default=None)


def current_stream(device=None):
    """The stream of the innermost `stream`."""
    return STREAM.get() or MAIN


class StreamContext:
    """A context in which `current_stream` gives a stream; None changes nothing."""

    def __init__(self, stream):
        self.stream = stream
        self.before = None

    def __enter__(self):
        if self.stream is not None:
            self.before = STREAM.get()
            STREAM.set(self.stream)

    def __exit__(self, *exc):
        if self.stream is not None:
            STREAM.set(self.before)


def stream(stream):
    """`StreamContext(stream)`."""
    return StreamContext(stream)


class GradScaler(grad_scaler.GradScaler):
    """`torch.amp.GradScaler("cpu")`."""

    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        renamed("GradScaler")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


class autocast(casting.autocast):  # noqa: N801 (torch's name)
    """`torch.autocast("cpu")`."""

    def __init__(self, enabled=True, dtype=bfloat16, cache_enabled=True):
        renamed("autocast")
        super().__init__("cpu", dtype, enabled, cache_enabled)


def renamed(name):
    """The warning of a name of `torch.cpu.amp`."""
    warnings.warn(f"`torch.cpu.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cpu', args...)` "
                  "instead.", FutureWarning, stacklevel=3)
