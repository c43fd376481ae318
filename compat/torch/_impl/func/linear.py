"""torch.func.linearize."""

from ..... import linearize as core_linearize
from ..modes.modes import MODES, restore, set_modes
from ..state.levels import GradTrace
from ..types.tensor_type import TensorBase
from .levels import flatten


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
