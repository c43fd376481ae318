"""torch.overrides: for functions of one's own that ask `__torch_function__`, as torch's do."""

import functools

from ..types.tensor_type import Tensor
from .classes import dispatched, overloads


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


