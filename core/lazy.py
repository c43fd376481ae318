"""Lazily imported modules, loaded on first attribute access."""

import os
import threading
from importlib import import_module

_LOCK = threading.RLock()
_IMPORTING = set()  # the threads that import a module
_CHANGED = threading.Condition()
_PATIENCE = 10.0  # seconds that a fork waits for them, which might wait for the one that forks


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
    """Tell whether something of the module that a `LazyModule` stands for was asked for."""
    return len(lazy.__dict__) > 2  # its name and who waits for it


def loaded(lazy):
    """The module that a `LazyModule` stands for, imported now if it was not yet."""
    me = threading.get_ident()
    with _CHANGED:
        outermost = me not in _IMPORTING
        _IMPORTING.add(me)
    try:
        return import_module(lazy._name)
    finally:
        if outermost:
            with _CHANGED:
                _IMPORTING.discard(me)
                _CHANGED.notify_all()


def _before_fork():
    """Wait for other threads that import: a child would wait for ever for a module that such a thread loads."""
    _CHANGED.acquire()
    mine = {threading.get_ident()}
    _CHANGED.wait_for(lambda: _IMPORTING <= mine, _PATIENCE)


def _in_child():
    _IMPORTING.intersection_update({threading.get_ident()})
    _CHANGED.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_CHANGED.release, after_in_child=_in_child)
