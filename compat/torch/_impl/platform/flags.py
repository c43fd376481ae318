"""Switches of a backend that is not here: attributes of its module, which change nothing."""

from contextlib import contextmanager


def flags_of(module):
    """The function `flags` of a backend's module: a context in which some of its switches are others.

    Args:
        module: its namespace, in which the switches are.
    """
    switches = [name for name, value in module.items() if not name.startswith("_") and not callable(value)]

    @contextmanager
    def flags(**names):
        """A context in which some switches are others; they change nothing here."""
        for name in names:
            if name not in switches:
                raise TypeError(f"flags() got an unexpected keyword argument {name!r}; it takes {', '.join(switches)}")
        before = {name: module[name] for name in names}
        module.update(names)
        try:
            yield
        finally:
            module.update(before)

    flags.__module__, flags.__qualname__ = module["__name__"], "flags"
    return flags
