"""torch.func.jvp."""

import numpy as np

from ..forward_ad import set_tangent, tangent_of
from ..modes import modes, restore, set_modes
from ..state import TensorBase, wrap
from ..views import shape_dtype
from .levels import flatten, grad_level, lifted, lowered, tree_map


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """`func(*primals)` and its derivative along `tangents`.

    >>> import covector.compat.torch as torch
    >>> torch.func.jvp(torch.sin, (torch.tensor(0.0),), (torch.tensor(2.0),))
    (tensor(0.), tensor(2.))
    """
    if not isinstance(primals, tuple):
        raise RuntimeError("jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to "
                           "call "
                           "f(*primals).")
    flat, spec = flatten(primals)
    pushed, other = flatten(tangents)
    if spec != other:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals and tangents to have the same python "
                           "structure. For "
                           "example, if primals is a tuple of 3 tensors, tangents also must be. Got primals with "
                           "structure "
                           f"{spec} and tangents with structure {other}")
    if not flat:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals to be a non-empty tuple")
    with grad_level() as trace:
        before = set_modes(grad=modes().grad)
        try:
            inner = []
            for x, dx in zip(flat, pushed):
                t = lifted(trace, x)
                if isinstance(x, TensorBase):
                    if shape_dtype(x)[0] != shape_dtype(dx)[0]:
                        raise RuntimeError(f"Expected primals and tangents to have the same shape, got {x.shape} and "
                                           f"{dx.shape}")
                    set_tangent(t, dx)
                inner.append(t)
            out = func(*spec.unflatten(inner))
            aux = None
            if has_aux:
                out, aux = out
            outs, out_spec = flatten(out)
            if not outs or not all(isinstance(o, TensorBase) for o in outs):
                raise RuntimeError("jvp(f, primals, tangents): Expected f to be a function that has non-empty "
                                   "output and "
                                   f"returns only tensors (got output = {out})")
            values, dots = [], []
            for o in outs:
                dot = tangent_of(o) if o.trace is trace else None
                values.append(lowered(trace, o))
                dots.append(wrap(np.zeros(*shape_dtype(o))) if dot is None else lowered(trace, dot))
            aux = tree_map(lambda x: lowered(trace, x), aux)
        finally:
            restore(before)
    result = out_spec.unflatten(values), out_spec.unflatten(dots)
    return (*result, aux) if has_aux else result
