"""TorchFunctionMode: a context that takes over every operation in it, whatever its arguments are."""

import functools

from ..modes.modes import MODES, enter, leave, restore, set_modes
from ..types.tensor_type import Tensor


class TorchFunctionMode:
    """A context whose `__torch_function__` gets the calls of torch's functions, factories included.

    Inside `__torch_function__` the mode itself is off, and those around it are on: `func(*args, **kwargs)` hands the
    call to them. Asked are operations, functions and factories; not what only looks at a tensor, such as `size`.

    >>> import covector.compat.torch as torch
    >>> class Log(torch.overrides.TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return func(*args, **(kwargs or {}))
    >>> with Log():
    ...     _ = torch.ones(2).exp() + 1
    ones
    exp
    add
    """

    def __init__(self):
        pass

    def __torch_function__(self, func, types, args=(), kwargs=None):
        """What a call gives; to be written by each mode."""
        raise NotImplementedError(f"{type(self).__name__} has no __torch_function__(self, func, types, args, kwargs), "
                                  "which says what a call gives")

    def __enter__(self):
        m = MODES.get()
        entered = enter(functions=(*(() if m is None else m.functions), self))
        self.__dict__.setdefault("_entered", []).append(entered)
        return self

    def __exit__(self, *exc):
        leave(self.__dict__["_entered"].pop())

    @classmethod
    def push(cls, *args, **kwargs):
        """A mode; the old spelling of `cls(...)`."""
        return cls(*args, **kwargs)


BaseTorchFunctionMode = type("BaseTorchFunctionMode", (TorchFunctionMode,), {
    "__doc__": "A mode that hands every call on.",
    "__torch_function__": lambda self, func, types, args=(), kwargs=None: func(*args, **(kwargs or {}))})


def by_mode(func, args, kwargs):
    """A call by the innermost mode, which is off meanwhile."""
    *outer, mode = MODES.get().functions
    before = set_modes(functions=tuple(outer))
    try:
        kinds = dict.fromkeys([type(x) for x in (*args, *kwargs.values()) if isinstance(x, Tensor)])
        types = tuple([kind for kind in kinds if kind is not Tensor])
        out = mode.__torch_function__(func, types, args, kwargs)
    finally:
        restore(before)
    if out is NotImplemented:
        raise TypeError(f"Multiple dispatch failed for 'torch.{getattr(func, '__name__', func)}'; all "
                        f"__torch_function__ handlers returned NotImplemented:\n\n  - mode object {mode!r}")
    return out


def asks_modes(fun):
    """A factory that asks the modes first."""

    @functools.wraps(fun)
    def made(*args, **kwargs):
        m = MODES.get()
        if m is not None and m.functions:
            return by_mode(made, args, kwargs)
        return fun(*args, **kwargs)

    return made
