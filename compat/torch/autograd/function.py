"""torch.autograd.function."""

from .._impl.dispatch import surface as _surface
from .._impl.function.function import Function, InplaceFunction, NestedIOFunction
from .._impl.function.function_node import (
    BackwardCFunction,
    FunctionCtx,
    FunctionMeta,
)
from .._impl.function.once_differentiable import once_differentiable

_ContextMethodMixin = FunctionCtx  # the name of older documentation

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "NestedIOFunction",
           "once_differentiable"]

_surface.publish(globals())
