"""TorchFunctionMode: a context that takes over every operation in it, whatever its arguments are."""

from ..modes.modes import MODES, enter, leave
from .telling import begin_telling, end_telling


class TorchFunctionMode:
    """A context whose `__torch_function__` gets the calls of torch's functions, factories included.

    Inside `__torch_function__` the mode itself is off, and those around it are on: `func(*args, **kwargs)` hands the
    call to them. Asked are operations, functions, factories, methods and attributes of tensors.

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
        """Handle a call and return its result; each mode defines it."""
        raise NotImplementedError(f"{type(self).__name__} has no __torch_function__(self, func, types, args, kwargs), "
                                  "which says what a call gives")

    def __enter__(self):
        m = MODES.get()
        entered = enter(functions=(*(() if m is None else m.functions), self))
        self.__dict__.setdefault("_entered", []).append(entered)
        begin_telling()
        return self

    def __exit__(self, *exc):
        end_telling()
        leave(self.__dict__["_entered"].pop())

    @classmethod
    def push(cls, *args, **kwargs):
        """A mode; the old spelling of `cls(...)`."""
        return cls(*args, **kwargs)


BaseTorchFunctionMode = type("BaseTorchFunctionMode", (TorchFunctionMode,), {
    "__doc__": "A mode that hands every call on.",
    "__torch_function__": lambda self, func, types, args=(), kwargs=None: func(*args, **(kwargs or {}))})
