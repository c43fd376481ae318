"""Names for annotations, imprecise rather than wrong; shapes and dtypes stand in docstrings."""

from collections.abc import Callable as Callable
from typing import TYPE_CHECKING, Any as Any, ParamSpec, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    Array: TypeAlias = Any  # an array of a registered backend, a number, or a tracer
    PyTree: TypeAlias = Any  # a pytree of arrays, or a bare array
else:  # classes, so that `help` shows their names; those of `builtins` are shown without a module

    class Array:
        """An array, a tracer, or what NumPy makes an array of."""

        __module__ = "builtins"

    class PyTree:
        """A pytree of arrays, or a bare array."""

        __module__ = "builtins"


Fun = TypeVar("Fun", bound=Callable[..., Any])  # a function, where the one made of it has its signature
P = ParamSpec("P")  # the arguments of a function, where the one made of it takes the same


class Operation(Protocol):
    """The public function of a primitive."""

    prim: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
