"""torch.func.functionalize."""

import functools

from ..ops.copying import clone
from ..types.pytree import tree_map
from ..types.tensor_type import TensorBase


def functionalize(func, *, remove="mutations"):
    """Return a function that computes the same as `func`, including its writes to arguments.

    Writes are always recorded as operations on new values, so none have to be removed: with
    `remove="mutations"` the function runs as it is; with `"mutations_and_views"` outputs that are views are copied.

    >>> import covector.compat.torch as torch
    >>> def f(x):
    ...     y = x + 1
    ...     y.view(-1).add_(1)
    ...     return y
    >>> torch.func.functionalize(f)(torch.ones(2))
    tensor([3., 3.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. "
                           f"Valid "
                           "options are:\n"
                           "     remove='mutations': all inplace and out= operators will be removed from the program, "
                           "and replaced with their out-of-place equivalents.\n"
                           "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} "
                           "will be replaced with their non-aliasing counterparts, {view}_copy.\n")

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        found = func(*args, **kwargs)
        if remove == "mutations":
            return found
        return tree_map(lambda x: clone(x) if isinstance(x, TensorBase) and x._is_view() else x, found)

    return wrapped
