"""functorch.experimental: vmap in a given number of chunks, and names of torch.func."""

import functools

from .._impl.func.batch import batch_size, placed, vmap
from .._impl.func.forward import jvp
from .._impl.func.functional import functionalize
from .._impl.func.jacobian import hessian, jacfwd
from .._impl.func.modules import replace_all_batch_norm_modules_

__all__ = ["chunk_vmap", "functionalize", "hessian", "jacfwd", "jvp", "replace_all_batch_norm_modules_"]


def chunk_vmap(func, in_dims=0, out_dims=0, randomness="error", chunks=2):
    """Return a function that maps `func` over an axis of its arguments, in so many chunks; `torch.vmap` with
    `chunk_size=` says how long they are.

    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch._functorch.experimental import chunk_vmap
    >>> chunk_vmap(torch.sum, chunks=3)(torch.ones(4, 2))
    tensor([2., 2., 2., 2.])
    """
    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        flat, dims, _ = placed(in_dims, args, func)
        longest = -(-batch_size(flat, dims) // chunks)
        return vmap(func, in_dims, out_dims, randomness, chunk_size=max(longest, 1))(*args, **kwargs)

    vmap(func, in_dims, out_dims, randomness)  # refuse what it refuses now
    return wrapped
