"""torch.autograd.anomaly_mode: detect_anomaly and set_detect_anomaly."""

import warnings

from .context import Context, Switch
from .modes import enter, leave, modes, set_modes


class detect_anomaly(Context):  # noqa: N801 (torch's name)
    """Show the forward traceback of a node that fails in backward, and raise if a node returns NaN.

    >>> import covector.compat.torch as torch
    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.is_anomaly_enabled()
    True
    """

    def __init__(self, check_nan=True):
        self.check_nan = checked_flag(check_nan, "check_nan", 2)
        self.before = None
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
                      "enabled "
                      "for debugging.", UserWarning, stacklevel=2)

    def begin(self):
        self.before = enter(anomaly=bool(self.check_nan))

    def end(self):
        leave(self.before)


class set_detect_anomaly(Switch):  # noqa: N801 (torch's name)
    """Switch anomaly mode on or off immediately; as a context, until it exits.

    Args:
        mode: whether an error in a backward pass shows the traceback of the operation that it belongs to.
        check_nan: whether a NaN in a gradient is such an error.

    >>> import covector.compat.torch as torch
    >>> x = torch.zeros(1, requires_grad=True)
    >>> with torch.autograd.set_detect_anomaly(True):
    ...     (x * 0.0 / x).sum().backward()
    Traceback (most recent call last):
    RuntimeError: Function 'DivBackward0' returned nan values in its 1th output.
    """

    def __init__(self, mode, check_nan=True):
        self.before = modes().anomaly
        checked_flag(mode, "enabled", 1)
        checked_flag(check_nan, "check_nan", 2)
        set_modes(anomaly=bool(check_nan) if mode else None)

    def end(self):
        set_modes(anomaly=self.before)


def set_anomaly_enabled(enabled, check_nan=True):
    """Switch anomaly mode on or off permanently; use `set_detect_anomaly` for a reversible switch.

    >>> import covector.compat.torch as torch
    >>> torch.set_anomaly_enabled(True)
    >>> torch.is_anomaly_enabled()
    True
    >>> torch.set_anomaly_enabled(False)
    """
    enabled, check_nan = checked_flag(enabled, "enabled", 1), checked_flag(check_nan, "check_nan", 2)
    set_modes(anomaly=bool(check_nan) if enabled else None)


def checked_flag(value, name, position):
    """A flag of anomaly mode, which must be a bool."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError(f"set_anomaly_enabled(): argument '{name}' (position {position}) must be bool, not "
                        f"{type(value).__name__}")
    return value


def is_anomaly_enabled():
    """Return whether anomaly mode is enabled."""
    return modes().anomaly is not None


def is_anomaly_check_nan_enabled():
    """Return whether anomaly mode checks for NaN (or would, while it is disabled)."""
    return modes().anomaly is not False
