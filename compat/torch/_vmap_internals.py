"""torch._vmap_internals: what programs from before torch.func call."""

import functools

from ._impl.func.batch import vmap as vmap
from ._impl.types.tensor_type import TensorBase


def _vmap(func, in_dims=0, out_dims=0, allow_none_pass_through=False):
    """`torch.func.vmap`; with `allow_none_pass_through`, outputs that are None stay None, as gradients may be."""
    if not allow_none_pass_through:
        return vmap(func, in_dims, out_dims)

    @functools.wraps(func)
    def wrapped(*args):
        given = []

        def present(*args):
            out = func(*args)
            given[:] = [out] if isinstance(out, TensorBase) else out
            return tuple([o for o in given if o is not None])

        found = vmap(present, in_dims, out_dims)(*args)
        rest = iter(found)
        return tuple([None if o is None else next(rest) for o in given])

    return wrapped
