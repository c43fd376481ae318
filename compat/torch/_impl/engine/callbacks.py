"""Callbacks that hooks queue for the end of the running sweep."""

import threading
from contextvars import copy_context
from threading import get_ident

from .graph_task import RUNNING

PENDING = {}  # thread -> the functions queued by the sweep that runs in it


class Engine:
    """The namespace `Variable._execution_engine`."""

    @staticmethod
    def queue_callback(callback):
        """Call `callback()` when the running sweep has ended."""
        sweep = RUNNING.get()
        if sweep is None or not sweep.backward:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        PENDING.setdefault(get_ident(), []).append(callback)


def begin():
    """Take the callbacks queued by an outer backward pass, so that they wait while an inner one runs."""
    return PENDING.pop(get_ident(), ())


def run():
    """Call what the sweep has queued; a callback may queue another."""
    queued = PENDING.get(get_ident(), ())
    for callback in queued:
        callback()


def end(waiting):
    """Forget the queue of an ended sweep, and put back that of the outer one."""
    if waiting:
        PENDING[get_ident()] = waiting
    else:
        PENDING.pop(get_ident(), None)


# Sweeps inside sweeps: each 32nd runs in a thread of its own, whose stack is empty, as PyTorch's engine does.

DEEP = 32
_HERE = threading.local()


def nested(sweep, *args):
    """`sweep(*args)`, called inside another sweep."""
    depth = getattr(_HERE, "depth", 0)
    if depth >= DEEP:
        return elsewhere(sweep, args)
    _HERE.depth = depth + 1
    try:
        return sweep(*args)
    finally:
        _HERE.depth = depth


def elsewhere(sweep, args):
    """The output of a function that runs in a new thread, in the modes of this one."""
    found = []

    def run():
        try:
            found.append((sweep(*args), None))
        except BaseException as error:
            found.append((None, error))

    thread = threading.Thread(target=copy_context().run, args=(run,), name="covector nested sweep")
    thread.start()
    thread.join()
    answer, error = found[0]
    if error is not None:
        raise error
    return answer
