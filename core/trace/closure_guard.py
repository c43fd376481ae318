"""Guard against writes to closed-over arrays while a function is staged."""

from contextvars import ContextVar

from ..errors import ConversionError
from .tracer import next_level


class ClosureGuard:
    """While a function is staged, or called for both outcomes of a condition: `begin()`, then `check()`."""

    __slots__ = ("level", "captured", "staging", "buffered")

    def __init__(self, level=None):
        self.staging = level is not None  # or it stands in a function that is staged
        self.level = next_level() if level is None else level  # buffers of older stamps were made outside
        self.captured = []  # tracers of the graph that stand for values which the function closes over
        self.buffered = []  # weakly, older traced values that were made buffers, and the lines of the user

    def capture(self, tracer):
        """Count a tracer among the values made outside; return it."""
        self.captured.append(tracer)
        return tracer

    def begin(self):
        """Hold from now on, until the caller restores `CLOSURE_GUARD`, also after a signal."""
        before = CLOSURE_GUARD.get()
        self.staging = self.staging or before is not None and before.staging
        CLOSURE_GUARD.set(self)
        return self

    def check(self):
        """Raise if a value that was written to is still held, by those who made it outside; to be called at the end."""
        for tracer, line in self.buffered:
            if tracer() is not None:
                self.refuse(line)

    def refuse(self, line):
        raise ConversionError(
            "an in-place write in a function that is staged, or called for both outcomes of a condition, met an array "
            "made outside of it, which would be written to once, however often the function runs; write to a copy, or "
            f"let the function take the array and return it, as in the carry of a loop{line}")


CLOSURE_GUARD: ContextVar[ClosureGuard | None] = ContextVar("covector_closure_guard", default=None)


def is_staging():
    """Tell whether the code that runs stands in a function that is staged, whatever its operands are."""
    guard = CLOSURE_GUARD.get()
    return guard is not None and guard.staging
