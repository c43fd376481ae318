"""Tell whether forward mode pushes tangents at a level."""

from .context import Switch
from .grad_mode import ContextDecorator
from .modes import modes, set_modes


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
