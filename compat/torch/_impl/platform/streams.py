"""Streams and events of CuPy as `torch.cuda` has them."""

from ..types.devices import CUDA
from .gpu import located, needed


class Stream:
    """Work of a device in its order; that of several streams has none unless they wait.

    Args:
        device: the device; there is one.
        priority: that of the work; lower numbers come first.
    Raises:
        AssertionError: there is no device.
    """

    def __init__(self, device=None, priority=0, **kwargs):
        library = needed("Stream")
        located(device)
        self.below = library.cuda.Stream(non_blocking=True, priority=priority)

    device = CUDA
    cuda_stream = stream_id = property(lambda self: self.below.ptr)
    priority = property(lambda self: self.below.priority)

    def synchronize(self):
        """Wait until all work in it is done."""
        self.below.synchronize()

    def query(self):
        """Tell whether all work in it is done."""
        return self.below.done

    def record_event(self, event=None):
        """An event at this place in its work: a new one, or the one given."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        """Let later work wait for an event."""
        event.wait(self)

    def wait_stream(self, stream):
        """Let later work wait for all that is in another stream now."""
        self.wait_event(stream.record_event())

    def __eq__(self, other):
        return isinstance(other, Stream) and other.below.ptr == self.below.ptr

    def __hash__(self):
        return hash(self.below.ptr)

    def __repr__(self):
        return f"<torch.cuda.Stream device=cuda:0 cuda_stream={self.below.ptr:#x}>"


def over(below):
    """The stream of PyTorch's interface over one of CuPy."""
    made = Stream.__new__(Stream)
    made.below = below
    return made


class Event:
    """A place in the work of a stream, that one can wait for.

    Args:
        enable_timing: whether the time between two can be asked for.
        blocking: whether `synchronize` sleeps while it waits.
        interprocess: whether other processes may wait for it.
    Raises:
        AssertionError: there is no device.
    """

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        library = needed("Event")
        self.below = library.cuda.Event(block=blocking, disable_timing=not enable_timing, interprocess=interprocess)
        self.timed, self.recorded = enable_timing, False

    device = CUDA

    def record(self, stream=None):
        """Put it behind the work that is in a stream, the current one by default."""
        self.below.record((current_stream() if stream is None else stream).below)
        self.recorded = True

    def wait(self, stream=None):
        """Let later work of a stream, the current one by default, wait for it."""
        if self.recorded:
            (current_stream() if stream is None else stream).below.wait_event(self.below)

    def query(self):
        """Tell whether the work before it is done."""
        return not self.recorded or self.below.done

    def synchronize(self):
        """Wait until the work before it is done."""
        if self.recorded:
            self.below.synchronize()

    def elapsed_time(self, end_event):
        """Milliseconds from this event to another one.

        Raises:
            ValueError: one of them takes no time, or was not recorded.
        """
        if not (self.timed and end_event.timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if not (self.recorded and end_event.recorded):
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return needed("Event").cuda.get_elapsed_time(self.below, end_event.below)

    def __repr__(self):
        return f"<torch.cuda.Event {'recorded' if self.recorded else 'uninitialized'}>"


def current_stream(device=None):
    """The stream that operations of this thread go to."""
    library = needed("current_stream")
    located(device)
    return over(library.cuda.get_current_stream())


def default_stream(device=None):
    """The stream that operations go to unless another one is set."""
    library = needed("default_stream")
    located(device)
    return over(library.cuda.Stream.null)


def set_stream(stream):
    """Let operations of this thread go to a stream; None changes nothing."""
    needed("set_stream")
    if stream is not None:
        stream.below.use()


class StreamContext:
    """A context in which operations of this thread go to a stream; None changes nothing.

    Raises:
        AssertionError: a stream is given, and there is no device.
    """

    def __init__(self, stream):
        if stream is not None:
            needed("stream")
        self.stream, self.before = stream, []

    def __enter__(self):
        if self.stream is not None:
            self.before.append(current_stream())
            set_stream(self.stream)

    def __exit__(self, *exc):
        if self.stream is not None:
            set_stream(self.before.pop())
        return False


def stream(stream):
    """`StreamContext(stream)`."""
    return StreamContext(stream)
