"""Tell whether the elements of a tensor can be read, and the array that holds them."""

from ..types.tensor_type import FOREIGN, TensorBase
from ..types.tensor_value import bottom
from .levels import BatchTrace, GradTrace
from .meta import is_meta

ESCAPED = ("Either your tensor may have escaped from inside a function being vmapped, or it is used in another thread "
           "than that vmap's: it stands for one example of a batch of which the vmap has ended. Return it from the "
           "mapped function instead")


def concrete(t, what):
    """The array of a tensor whose value is known, below all levels but vmap."""
    u = t
    while True:
        if isinstance(u.level_trace, BatchTrace):
            if u.level_trace.done:
                raise RuntimeError(ESCAPED)
            raise RuntimeError(f"vmap: It looks like you're calling .{what}() on a Tensor. We don't support vmap over "
                               f"calling .{what}() on a Tensor, please try to rewrite what you're doing with other "
                               "operations. If error is occurring somewhere inside PyTorch internals, please file a "
                               "bug report.")
        if not isinstance(u.value, TensorBase):
            break
        u = u.value
    if u.level_trace is FOREIGN:
        return foreign_value(u, what)
    return u.value


def foreign_value(t, what):
    """Read a traced value of covector's own transforms: its bool for control flow, else a refusal."""
    if is_meta(t):
        if what in ("item", "numpy", "tolist"):
            raise RuntimeError(f"Tensor.{what}() cannot be called on meta tensors: they have a shape and a dtype, and "
                               "no elements")
    value = t.value
    if not hasattr(value, what):
        raise RuntimeError(f"{what}() of a value that a covector transform traces is not possible: it stands for many "
                           "values, or its derivative would be lost; use torch's operations, or detach() outside of it")
    return getattr(value, what)()


def all_true(t):
    """Tell whether all elements hold, those of every example that a running vmap maps included: for checks of
    arguments."""
    return bool(bottom(t).all())


def refuse_copy(t, what):
    """Refuse to copy the memory of a value of a running transform: the copy would be a constant to its derivative."""
    while isinstance(t.level_trace, GradTrace) and t.level_trace.done:
        t = t.value
    if t.level_trace is None or is_meta(t):
        return
    if isinstance(t.level_trace, BatchTrace) and t.level_trace.done:
        raise RuntimeError(ESCAPED)
    raise NotImplementedError(f"{what} of a value of a running transform is not supported: its derivative or its batch "
                              "would be lost; use clone(), or copy it outside of the transform")


def mapped(t):
    """Tell whether a running vmap maps a tensor."""
    while True:
        if isinstance(t.level_trace, BatchTrace) and not t.level_trace.done:
            return True
        if not isinstance(t.value, TensorBase):
            return False
        t = t.value
