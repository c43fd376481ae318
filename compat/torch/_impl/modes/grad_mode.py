"""no_grad, enable_grad, set_grad_enabled, inference_mode: contexts, decorators and functions."""

import functools
import inspect
import warnings

from .context import ModeContext, Switch
from .modes import (
    IN_INFERENCE,
    IN_NO_GRAD,
    INFERENCE,
    MODES,
    NO_GRAD,
    enter,
    enter_still,
    modes,
    set_modes,
)


class ContextDecorator:
    """A context that also decorates functions, generators, coroutines and classes.

    A generator or coroutine has the mode while its own code runs, and its caller the caller's.
    """

    def clone(self):
        """A new context of the same kind, for one call of a decorated function."""
        return type(self)()

    def __call__(self, fun):
        if inspect.isclass(fun):
            warnings.warn("Decorating classes is deprecated and will be disabled in future versions. You should only "
                          "decorate functions or methods. To preserve the current behavior of class decoration, you "
                          "can "
                          "directly decorate the `__init__` method and nothing else.", FutureWarning, stacklevel=2)
            fun.__init__ = self(fun.__init__)
            return fun
        if inspect.isgeneratorfunction(fun):
            return self.around_generator(fun)
        if inspect.isasyncgenfunction(fun):
            return self.around_async_generator(fun)
        if inspect.iscoroutinefunction(fun):
            @functools.wraps(fun)
            async def run(*args, **kwargs):
                return await Stepped(fun(*args, **kwargs), self.clone)
            return run

        @functools.wraps(fun)
        def inside(*args, **kwargs):
            with self.clone():
                return fun(*args, **kwargs)

        return inside

    def around_generator(self, fun):
        """Enter the mode around each step of a generator."""

        @functools.wraps(fun)
        def run(*args, **kwargs):
            steps = fun(*args, **kwargs)
            try:
                with self.clone():
                    got = steps.send(None)
                while True:
                    try:
                        sent = yield got
                    except GeneratorExit:
                        with self.clone():
                            steps.close()
                        raise
                    except BaseException as error:
                        with self.clone():
                            got = steps.throw(error)
                    else:
                        with self.clone():
                            got = steps.send(sent)
            except StopIteration as stop:
                return stop.value

        return run

    def around_async_generator(self, fun):
        """Enter the mode around each step of an asynchronous generator."""

        @functools.wraps(fun)
        async def run(*args, **kwargs):
            steps = fun(*args, **kwargs)
            step = steps.asend(None)
            while True:
                try:
                    got = await Stepped(step, self.clone)
                except StopAsyncIteration:
                    return
                try:
                    sent = yield got
                except GeneratorExit:
                    await Stepped(steps.aclose(), self.clone)
                    raise
                except BaseException as error:
                    step = steps.athrow(error)
                else:
                    step = steps.asend(sent)

        return run


class Stepped:
    """An awaitable whose own code runs in a mode, and whose waits run outside it."""

    def __init__(self, inner, context):
        self.inner = inner
        self.context = context

    def __await__(self):
        steps = self.inner.__await__() if hasattr(self.inner, "__await__") else self.inner
        send, value = steps.send, None
        while True:
            try:
                with self.context():
                    got = send(value)
            except StopIteration as stop:
                return stop.value
            try:
                value = yield got
                send = steps.send
            except BaseException as error:
                send, value = steps.throw, error


class GradContext(ModeContext, ContextDecorator):
    """A context that changes fields of the modes."""

    def changes(self):
        """The fields to change."""
        raise NotImplementedError

    def switch(self):
        """Change the modes; returns what `leave` takes."""
        return enter(**self.changes())


class no_grad(GradContext):  # noqa: N801 (torch's name)
    """Disable recording of operations inside.

    >>> import covector.compat.torch as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __new__(cls, orig_func=None):
        self = super().__new__(cls)
        if orig_func is None:
            return self
        self.__init__()
        return self(orig_func)

    def __init__(self, orig_func=None):
        super().__init__()

    def switch(self):
        return enter_still(IN_NO_GRAD, NO_GRAD)

    def changes(self):
        return NO_GRAD


class enable_grad(no_grad):  # noqa: N801 (torch's name)
    """Enable recording of operations inside, also within `no_grad`.

    >>> import covector.compat.torch as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     (x * 2).requires_grad
    True
    """

    switch = GradContext.switch

    def changes(self):
        return {"grad": True}


class set_grad_enabled(Switch, ContextDecorator):  # noqa: N801 (torch's name)
    """Switch recording on or off immediately; as a context, until it exits.

    Args:
        mode: whether to record.
    Raises:
        TypeError: `mode` is not a bool.

    >>> import covector.compat.torch as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.set_grad_enabled(False):
    ...     (x * 2).requires_grad
    False
    """

    def __init__(self, mode):
        if type(mode).__name__ not in ("bool", "bool_"):
            raise TypeError("set_grad_enabled(): argument 'enabled' (position 1) must be bool, not "
                            f"{type(mode).__name__}")
        self.mode = mode
        self.previous = is_grad_enabled()
        set_modes(grad=bool(mode))

    def __call__(self, fun):
        set_modes(grad=self.previous)
        return super().__call__(fun)

    def begin(self):
        set_modes(grad=bool(self.mode))

    def end(self):
        set_modes(grad=self.previous)

    def clone(self):
        return type(self)(self.mode)

    def __repr__(self):
        return f"{type(self).__module__}.{type(self).__qualname__}(mode={self.mode})"


class inference_mode(GradContext):  # noqa: N801 (torch's name)
    """Disable recording, as `no_grad`; tensors created inside can never be recorded.

    Args:
        mode: False switches it off inside an outer one.

    >>> import covector.compat.torch as torch
    >>> with torch.inference_mode():
    ...     y = torch.ones(2) * 2
    >>> y.is_inference()
    True
    """

    def __new__(cls, mode=True):
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        self.__init__()
        return self(mode)

    def __init__(self, mode=True):
        super().__init__()
        self.mode = mode

    def switch(self):
        return enter_still(IN_INFERENCE, INFERENCE) if self.mode else enter(**self.changes())

    def changes(self):
        return INFERENCE if self.mode else {"inference": False, "grad": True}

    def clone(self):
        return type(self)(self.mode)


def is_grad_enabled():
    """Return whether operations are recorded."""
    return modes().grad


def is_inference(input):
    """Return whether a tensor was created in inference mode."""
    return input.is_inference()


def is_inference_mode_enabled():
    """Return whether inference mode is enabled."""
    m = MODES.get()
    return m is not None and m.inference
