"""torch.overrides: for functions of one's own that ask `__torch_function__`, as torch's do."""

import functools as _functools

from ..._engine import LazyModule as _LazyModule, loaded as _loaded
from ._impl.dispatch import surface as _surface
from ._impl.dispatch.telling import modes_in_force as _modes_in_force
from ._impl.dispatch.torch_function import (
    BaseTorchFunctionMode as BaseTorchFunctionMode,
    TorchFunctionMode as TorchFunctionMode,
    functions_of as _functions_of,
    handle_torch_function as handle_torch_function,
    has_torch_function as has_torch_function,
    has_torch_function_unary as has_torch_function_unary,
    has_torch_function_variadic as has_torch_function_variadic,
    is_tensor_like as is_tensor_like,
    wrap_torch_function as wrap_torch_function,
)
from ._impl.modes.modes import modes as _modes
from ._impl.types.tensor_type import Tensor as _Tensor

_torch = _LazyModule("covector.compat.torch")


@_functools.cache
def _functions():
    """The functions that ask classes by their namespaces, and names by function: looked for when first asked for."""
    return _functions_of(_loaded(_torch))


def get_overridable_functions():
    """The functions that a class with a `__torch_function__` takes over, in lists by the namespace that they are in.

    >>> import covector.compat.torch as torch
    >>> torch.add in torch.overrides.get_overridable_functions()[torch]
    True
    """
    return _functions()[0]


def resolve_name(f):
    """The name under which programs reach a function that a `__torch_function__` got; None for others.

    A function of torch that is a method as well is named as the function.

    >>> import covector.compat.torch as torch
    >>> torch.overrides.resolve_name(torch.Tensor.shape.__get__)
    'torch.Tensor.shape.__get__'
    """
    return _functions()[1].get(f)


def is_tensor_method_or_property(func):
    """Tell whether a function is one of Tensor's alone, or `__get__` of an attribute.

    >>> import covector.compat.torch as torch
    >>> torch.overrides.is_tensor_method_or_property(torch.Tensor.view)
    True
    """
    return func.__name__ == "__get__" or (resolve_name(func) or "").startswith("torch.Tensor.")


def get_default_nowrap_functions():
    """The functions whose outputs the default `__torch_function__` leaves of the class that they have.

    >>> import covector.compat.torch as torch
    >>> torch.Tensor.grad.__get__ in torch.overrides.get_default_nowrap_functions()
    True
    """
    return {_Tensor.grad.__get__, _Tensor._base.__get__}


def _get_current_function_mode_stack():
    """The function modes in force, innermost last."""
    return _modes_in_force(_modes())


def _get_current_function_mode():
    """The innermost function mode, or None."""
    return next(reversed(_modes_in_force(_modes())), None)


__getattr__, __dir__ = _surface.look_up("overrides")
_surface.publish(globals())
