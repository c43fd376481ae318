"""torch.func: functionalize, linearize and debug_unwrap."""

import functools

from ..... import linearize as core_linearize
from ..modes.modes import MODES, restore, set_modes
from ..ops.copying import clone
from ..state.levels import GradTrace
from ..types.pytree import tree_map
from ..types.tensor_type import TensorBase
from .levels import flatten


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


# torch.func.linearize.


def linearize(func, *primals):
    """Compute `func(*primals)` and its derivative there as a linear function, which does not run `func` again.

    `func` runs twice.

    >>> import covector.compat.torch as torch
    >>> out, push = torch.func.linearize(torch.sin, torch.tensor(0.0))
    >>> push(torch.tensor(2.0))
    tensor(2.)
    """
    output = func(*primals)
    outs, out_spec = flatten(output)
    flat, spec = flatten(primals)
    for x in flat:
        if not isinstance(x, TensorBase):
            raise TypeError(f"linearize takes functions of tensors, but got {type(x)} among its primals")
        if not (x.is_floating_point() or x.is_complex()):
            raise ValueError(f"Expected primal to be floating point or complex, but got: {x.dtype}")
    tensors = [i for i, o in enumerate(outs) if isinstance(o, TensorBase)]

    def of_tensors(*given):
        before = MODES.get()
        try:
            set_modes(foreign=GradTrace(ambient=False).level)
            found = flatten(func(*spec.unflatten(given)))[0]
        finally:
            restore(before)
        return [found[i] for i in tensors]

    push = core_linearize(of_tensors, *flat)[1] if tensors else None
    shapes = [x.shape for x in flat]
    kinds = [x.dtype for x in flat]

    def jvp_fn(*tangents):
        given, tangent_spec = flatten(tangents)
        if tangent_spec != spec:
            raise RuntimeError(f"Expected the tangents {tangent_spec} to have the same argspec as the primals {spec}")
        for i, (t, shape, dtype) in enumerate(zip(given, shapes, kinds)):
            for word, got, wanted in (("shape", t.shape, shape), ("dtype", t.dtype, dtype)):
                if got != wanted:
                    raise RuntimeError(f"tangent:{i} with {word} {got} in flattened pytree doesn't match the {word} "
                                       f"{wanted} of the corresponding primal.")
        found = list(outs)
        for i, t in zip(tensors, push(*given) if push is not None else ()):
            found[i] = t if t.dtype is outs[i].dtype else t.to(outs[i].dtype)  # of integers: zeros
        return out_spec.unflatten(found)

    return output, jvp_fn


# torch.func.debug_unwrap.


def debug_unwrap(tensor, *, recurse=True):
    """Return the tensor beneath a value of a transform: as it came into `vmap`, `grad`, `jvp`, with all examples.

    For inspection only: operations on it bypass the transform, its derivatives and its batch.

    Args:
        tensor: a tensor; one that belongs to no running transform is returned as it is.
        recurse: unwrap all transforms, or one.
    Returns:
        the tensor itself, not a copy.

    >>> import covector.compat.torch as torch
    >>> seen = []
    >>> _ = torch.func.vmap(lambda row: seen.append(torch.func.debug_unwrap(row)) or row.sum())(torch.ones(2, 3))
    >>> seen[0].shape
    torch.Size([2, 3])
    """
    if not isinstance(tensor, TensorBase):
        raise TypeError(f"debug_unwrap(): argument 'tensor' (position 1) must be Tensor, not {type(tensor).__name__}")
    while isinstance(tensor.value, TensorBase):
        mapped = None if tensor.autograd_meta is None else tensor.autograd_meta.mapped
        tensor = tensor.value if mapped is None else mapped[0]
        if not recurse:
            break
    return tensor
