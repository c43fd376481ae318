"""Callbacks that hooks queue for the end of the running sweep."""

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
