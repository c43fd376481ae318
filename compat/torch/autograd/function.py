"""torch.autograd.function."""

from .._impl.function.function import (
    BackwardCFunction,
    Function,
    FunctionCtx,
    FunctionMeta,
    InplaceFunction,
    NestedIOFunction,
)
from .._impl.function.once_differentiable import once_differentiable

_SingleLevelFunction = Function  # PyTorch tells the two apart for its transforms
_ContextMethodMixin = FunctionCtx  # the name of older documentation

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "NestedIOFunction",
           "once_differentiable"]
