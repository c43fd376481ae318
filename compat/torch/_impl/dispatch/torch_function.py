"""torch.overrides: for functions of one's own that ask `__torch_function__`, as torch's do."""

import functools

from ..modes.modes import MODES, enter, leave
from ..types.tensor_type import Tensor
from .classes import dispatched, overloads
from .overriding import UNASKED
from .signatures import signatures
from .surface import FACTORIES
from .telling import begin_telling, end_telling


def has_torch_function(relevant_args):
    """Tell whether an argument is of a class with a `__torch_function__`, Tensor itself aside.

    >>> import covector.compat.torch as torch
    >>> torch.overrides.has_torch_function((torch.ones(2), 1.0))
    False
    """
    return bool(overloads(tuple(relevant_args)))


def has_torch_function_unary(tensor):
    """`has_torch_function((tensor,))`."""
    return has_torch_function((tensor,))


def has_torch_function_variadic(*args):
    """`has_torch_function(args)`."""
    return has_torch_function(args)


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Let the first class that outputs take over `public_api(*args, **kwargs)`.

    Raises:
        TypeError: none did.
    """
    return dispatched(overloads(tuple(relevant_args)), public_api, args, kwargs)


def wrap_torch_function(dispatcher):
    """A decorator: `dispatcher(*args, **kwargs)` gives the arguments whose classes are asked first."""

    def decorate(fun):
        @functools.wraps(fun)
        def asked(*args, **kwargs):
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(asked, relevant, *args, **kwargs)
            return fun(*args, **kwargs)

        return asked

    return decorate


def is_tensor_like(inp):
    """Tell whether an object is a tensor, or has a `__torch_function__`."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


# TorchFunctionMode: a context that takes over every operation in it, whatever its arguments are.


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


# The functions that a `__torch_function__` may get, and the names by which programs reach them.

NAMESPACES = "", "nn.functional", "linalg", "fft", "special"
_TENSORS = frozenset({"Tensor", "Tensors", "duck", "operand"})


def makes_alone(name):
    """Tell whether a function of torch makes tensors of other things alone: a factory."""
    return name in FACTORIES and not any(p.kind in _TENSORS for way in signatures(name) for p in way.parameters)


def asks_classes(fun):
    """Tell whether a function asks the classes of its arguments: itself, or as an operation."""
    row = getattr(fun, "row", None)
    return getattr(fun, "asks_classes", False) or row is not None and row.asks


def functions_of(torch):
    """Namespace -> its functions that ask classes, and name by function, of the public module torch."""
    names, found = {}, {}
    for below in NAMESPACES:
        home = functools.reduce(getattr, below.split("."), torch) if below else torch
        members = found[home] = []
        for name in sorted(dir(home)):
            fun = getattr(home, name, None)
            if name.startswith("_") or not callable(fun) or isinstance(fun, type):
                continue
            full = f"{below}.{name}".lstrip(".")
            names.setdefault(fun, f"torch.{full}")
            if not name.endswith("_") and asks_classes(fun) and not makes_alone(full):
                members.append(fun)
    members = found[Tensor] = []
    for name, member in sorted(vars(Tensor).items()):
        if name in UNASKED or isinstance(member, type | staticmethod | classmethod):
            continue
        if isinstance(member, property):
            found[member] = [member.__get__]
            names[member.__get__] = f"torch.Tensor.{name}.__get__"
            names[member.__set__] = f"torch.Tensor.{name}.__set__"
            names[member.__delete__] = f"torch.Tensor.{name}.__delete__"
        elif callable(member):
            names.setdefault(member, f"torch.Tensor.{name}")
            members.append(member)
    return found, names
