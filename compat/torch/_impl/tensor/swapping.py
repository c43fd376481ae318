"""`utils.swap_tensors`: two tensors take each other's place in everything that holds one of them."""

import weakref

from ..types.tensor_type import TensorBase


def swap_tensors(t1, t2):
    """Exchange two tensors: class, attributes, memory, gradient and history, behind the names that hold them.

    Args:
        t1, t2: tensors that no weak reference leads to.

    >>> import covector.compat.torch as torch
    >>> x, y = torch.arange(2), torch.arange(3)
    >>> held = [x]
    >>> torch.utils.swap_tensors(x, y)
    >>> held
    [tensor([0, 1, 2])]
    """
    for name, t in (("t1", t1), ("t2", t2)):
        if not isinstance(t, TensorBase):
            raise TypeError(f"swap_tensors takes two tensors, but {name} is of type {type(t).__name__}")
        if weakref.getweakrefs(t):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    names = [name for name in _slots(t1) if not name.startswith("__")]
    if set(names) != {name for name in _slots(t2) if not name.startswith("__")}:
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    t1.__class__, t2.__class__ = type(t2), type(t1)
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for name in names:
        held = [(t, hasattr(t, name), getattr(t, name, None)) for t in (t1, t2)]
        for (t, _, _), (_, there, value) in zip(held, held[::-1]):
            if there:
                setattr(t, name, value)
            elif hasattr(t, name):
                delattr(t, name)


def _slots(t):
    """The names of the slots of a tensor's class and of those above."""
    return [name for kind in type(t).__mro__ for name in vars(kind).get("__slots__", ())]
