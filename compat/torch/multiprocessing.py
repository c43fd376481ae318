"""torch.multiprocessing: Python's own; tensors are pickled from one process to another."""

import multiprocessing as _multiprocessing
from multiprocessing import *  # noqa: F403

from ._impl.dispatch import surface as _surface
from ._impl.dispatch.unbuilt import parts as _parts

__all__ = [*_multiprocessing.__all__, "get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy"]


def get_all_sharing_strategies():
    """The ways in which memory is shared: none, which PyTorch has no name for."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy():
    """PyTorch's default."""
    return "file_descriptor"


def set_sharing_strategy(new_strategy):
    """Nothing, for a name that PyTorch knows: tensors are copied."""
    if new_strategy not in get_all_sharing_strategies():
        known = ", ".join(sorted(get_all_sharing_strategies()))
        raise AssertionError(f"invalid sharing strategy {new_strategy!r}: it is one of {known}")


class _ProcessException(Exception):
    """The error of a process that `spawn` started, which is never raised: it starts none."""


class ProcessExitedException(_ProcessException):
    """The error of a process that ended."""


class ProcessRaisedException(_ProcessException):
    """The error of a process that raised one."""


globals().update(_parts("multiprocessing", "ProcessContext SpawnContext", "spawn start_processes"))
__getattr__, __dir__ = _surface.look_up("multiprocessing")
