"""Switches of PyTorch's engine, which one sweep in the caller's thread knows but does not need."""

from contextvars import ContextVar

from .context import Switch
from .grad_mode import ContextDecorator
from .modes import modes, set_modes

_SWITCHES: ContextVar[tuple[bool, ...]] = ContextVar("covector_torch_switches", default=(True, True, False))


class EngineSwitch(Switch, ContextDecorator):
    """One of the switches: a function that sets it, and a context that puts it back."""

    place = 0

    def __init__(self, mode):
        before = _SWITCHES.get()
        self.previous = before[self.place]
        self.mode = bool(mode)
        self.turn(self.mode)

    def turn(self, mode):
        """Set the switch."""
        before = list(_SWITCHES.get())
        before[self.place] = mode
        _SWITCHES.set(tuple(before))

    def end(self):
        self.turn(self.previous)

    def __call__(self, fun):
        self.turn(self.previous)  # a decorator sets it for its function alone
        return super().__call__(fun)

    def clone(self):
        """The same switch again."""
        return type(self)(self.mode)


class set_multithreading_enabled(EngineSwitch):  # noqa: N801 (torch's name)
    """Tell whether a sweep may run in threads of its own. It runs in the caller's here in any case.

    >>> import covector.compat.torch as torch
    >>> with torch.autograd.set_multithreading_enabled(False):
    ...     torch.autograd.is_multithreading_enabled()
    False
    """


class enforce_grad_layout_policy(EngineSwitch):  # noqa: N801 (torch's name)
    """Tell whether gradients take their parameter's strides, which they do here in any case."""

    place = 1

    def __init__(self, enable=True):
        super().__init__(enable)


class force_original_view_tracking(EngineSwitch):  # noqa: N801 (torch's name)
    """Tell whether views are made again by the functions that made them, which they are here in any case."""

    place = 2


def is_multithreading_enabled():
    """The last argument of `set_multithreading_enabled`; True at first."""
    return _SWITCHES.get()[0]


def is_view_replay_enabled():
    """The last argument of `_force_original_view_tracking`; False at first."""
    return _SWITCHES.get()[2]


def set_warn_on_accumulate_grad_stream_mismatch(enabled):
    """Accepted without effect: there are no streams on the CPU."""


# Tell whether forward mode pushes tangents at a level.


class _set_fwd_grad_enabled(Switch, ContextDecorator):  # noqa: N801 (torch's name)
    """Switch forward mode on or off at the running level immediately; as a context, until it exits.

    Off, operations compute without tangents, at the level and at those below it; views and what is written to keep
    theirs.
    """

    def __init__(self, mode):
        m = modes()
        self.mode, self.previous = bool(mode), m.frozen
        others = tuple([level for level in m.frozen if level is not m.level])
        set_modes(frozen=others if mode else (*others, m.level))

    def clone(self):
        """A context of the same kind."""
        return type(self)(self.mode)

    def __call__(self, fun):
        set_modes(frozen=self.previous)  # a decorator sets it for its function alone
        return super().__call__(fun)

    def begin(self):
        set_modes(frozen=self.previous)
        self.__init__(self.mode)

    def end(self):
        set_modes(frozen=self.previous)


def is_fwd_grad_enabled():
    """Tell whether forward mode is on at the running level."""
    m = modes()
    return m.level not in m.frozen
