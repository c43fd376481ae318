"""Elements that a function of Python changes one by one: `apply_`, `map_`, `map2_`; on the CPU alone."""

import numpy as np

from ..dispatch.call import attach
from ..graph import versions
from ..types.tensor_type import needs_grad
from .storage import memory

ndarray = np.ndarray


def apply_(self, callable):  # noqa: A002 (torch's name)
    """Every element becomes `callable(element)`; slow, and without a derivative."""
    return mapped(self, "apply_", (), callable)


def map_(self, tensor, callable):  # noqa: A002
    """Every element becomes `callable(element, other)`."""
    return mapped(self, "map_", (tensor,), callable)


def map2_(self, x, y, callable):  # noqa: A002
    """Every element becomes `callable(element, x, y)`."""
    return mapped(self, "map2_", (x, y), callable)


def mapped(self, name, others, fn):
    """Every element of a tensor becomes `fn` of it and of those of others."""
    for t in (self, *others):
        if needs_grad(t):
            raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() "
                               "instead.")
    for word, t in zip(("other",) if len(others) == 1 else ("x", "y"), others):
        if t.dtype is not self.dtype:
            raise TypeError(f"{name}: expected {self.type()} for '{word}' (got {t.type()})")
    array = memory(self, name)
    if type(array) is not ndarray:
        raise TypeError(f"{name} is only implemented on CPU tensors")
    given = [np.broadcast_to(memory(t, name), array.shape).ravel().tolist() for t in others]
    answers = [fn(*values) for values in zip(array.ravel().tolist(), *given)]
    array[...] = np.array(answers, array.dtype).reshape(array.shape)
    versions.bump(array)
    return self


for _f in (apply_, map_, map2_):
    attach(_f.__name__, _f)
