"""Names for annotations: they say less rather than anything wrong; shapes and dtypes stand in docstrings."""

from collections.abc import Callable as Callable
from typing import Any as Any, TypeAlias, TypeVar

Array: TypeAlias = Any  # an array of a registered backend, a number, or a tracer
PyTree: TypeAlias = Any  # a pytree of arrays, or a bare array
Fun = TypeVar("Fun", bound=Callable[..., Any])  # a function, where the one made of it has its signature
