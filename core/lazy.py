"""Modules that few programs need, imported when something of them is first asked for."""

import threading
from importlib import import_module

_LOCK = threading.RLock()


class LazyModule:
    """Stands for a module until it is used: what was read once is an ordinary attribute from then on.

    Args:
        name: of the module, absolute; `tests/test_layers.py` counts it as an import of the file that says so.
    """

    def __init__(self, name):
        self._name = name
        self._waiting = []

    def __getattr__(self, name):
        if name[:2] == "__":  # what others look for in any object loads nothing
            raise AttributeError(name)
        module = loaded(self)
        if self._waiting:
            with _LOCK:
                while self._waiting:
                    self._waiting[-1](module)
                    self._waiting.pop()
        found = getattr(module, name)
        setattr(self, name, found)
        return found

    def __dir__(self):
        return dir(loaded(self))

    def once_loaded(self, act):
        """Call `act(module)` before the module is first used."""
        self._waiting.append(act)


def is_loaded(lazy):
    """Whether something of the module that a `LazyModule` stands for was asked for."""
    return len(lazy.__dict__) > 2  # its name and who waits for it


def loaded(lazy):
    """The module that a `LazyModule` stands for, imported now if it was not yet."""
    return import_module(lazy._name)
