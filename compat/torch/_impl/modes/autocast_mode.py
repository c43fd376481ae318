"""Tell whether autocast is on, and in which types: a part of the modes."""

import contextlib
from typing import NamedTuple

from .modes import enter, leave, modes, set_modes


class Casting(NamedTuple):
    """Settings of autocast: by kind of device whether it is on and its smaller type, where either was set."""

    on: tuple[str, ...] = ()
    small: tuple[tuple[str, object], ...] = ()
    cached: bool = True
    nesting: int = 0


NEVER = Casting()


def casting():
    """The autocast settings in force."""
    return modes().autocast or NEVER


def cast_by(new):
    """Set autocast."""
    set_modes(autocast=None if new == NEVER else new)


def switched(old, device, enabled):
    """A setting with autocast on or off for a kind of device."""
    others = tuple([d for d in old.on if d != device])
    return old._replace(on=(*others, device) if enabled else others)


def narrowed(old, device, dtype, usual):
    """A setting with a smaller type for a kind of device; the `usual` one is not kept."""
    others = tuple([(d, t) for d, t in old.small if d != device])
    return old._replace(small=others if dtype is usual else (*others, (device, dtype)))


@contextlib.contextmanager
def casting_as(setting):
    """Autocast as it was set before: what is computed again is cast again."""
    entered = enter(autocast=None if setting == NEVER else setting)
    try:
        yield
    finally:
        leave(entered)
