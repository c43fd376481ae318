"""The class Tensor: its slots. Attributes, methods and operations attach themselves to it (`tensor/`, `ops/`)."""


FAST, VIEW, GENERAL = range(3)


class TensorBase:
    """The slots of a tensor.

    `value` is an array at the ambient level (`level_trace` None), the tensor one level down at a level of `func`, or a
    traced value of covector's own transforms (`level_trace` FOREIGN). `dispatch_key` says which
    paths a tensor may take: FAST, ambient, float32 or float64, its history `node` and nothing else; VIEW, the same but
    a view; GENERAL, everything else.
    """

    __slots__ = (
        "__dict__", "__weakref__", "autograd_meta", "dispatch_key", "level_trace", "node", "value", "wants_grad")


class Tensor(TensorBase):
    """An array with torch's methods, gradients and history.

    Made by `torch.tensor`, the factories, and operations; `Tensor(2, 3)` gives an uninitialized one, `Tensor([…])` one
    of the default dtype.

    >>> import covector.compat.torch as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __slots__ = ()
    __array_priority__ = 1000
    __hash__ = object.__hash__

    def __init__(self, *args, **kwargs):
        pass


def completes(methods):
    """Give Tensor the attributes and methods that the body of a class holds."""
    for name, value in vars(methods).items():
        if name not in _OF_EVERY_CLASS:
            for fun in (value, *[getattr(value, part, None) for part in ("fget", "fset", "fdel")]):
                if hasattr(fun, "__qualname__"):
                    fun.__qualname__ = f"Tensor.{name}"
            setattr(Tensor, name, value)
    return methods


_OF_EVERY_CLASS = frozenset(vars(type("Empty", (), {}))) | {"__qualname__"}
