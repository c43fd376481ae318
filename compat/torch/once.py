"""Warnings that are given once a process, or always: `set_warn_always`."""

_ALWAYS = [False]
_GIVEN = set()  # which of them were given


def first(key):
    """Whether a warning is to be given now: the first time, or always."""
    if _ALWAYS[0]:
        return True
    if key in _GIVEN:
        return False
    _GIVEN.add(key)
    return True


def set_warn_always(b):
    """Give warnings each time that PyTorch gives once a process.

    >>> import covector.compat.torch as torch
    >>> torch.set_warn_always(False)
    >>> torch.is_warn_always_enabled()
    False
    """
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _ALWAYS[0] = b


def is_warn_always_enabled():
    """What `set_warn_always` was given last; False at first."""
    return _ALWAYS[0]
