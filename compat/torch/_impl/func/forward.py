"""torch.func.jvp."""

import numpy as np

from ..graph import versions
from ..modes.modes import MODES
from ..state.levels import lowered
from ..state.meta import zeros_as
from ..types.arrays import ARRAYS, address
from ..types.tensor_type import TensorBase, bottom, more, shape_dtype, wrap
from ..values.tangents import set_tangent, tangent_of
from .levels import (
    check_outputs,
    chosen,
    done,
    enter_grad_level,
    flatten,
    lifted,
    lifted_all,
    lowered_all,
    replaced,
    split_aux,
)

ndarray = np.ndarray
API = "jvp(f, primals, tangents)"


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """Compute `func(*primals)` and its derivative along `tangents`.

    >>> import covector.compat.torch as torch
    >>> torch.func.jvp(torch.sin, (torch.tensor(0.0),), (torch.tensor(2.0),))
    (tensor(0.), tensor(2.))
    """
    return jvp_of(func, primals, tangents, None, strict, has_aux)


def jvp_of(func, primals, tangents, argnums, strict, has_aux):
    """`jvp` with respect to the arguments selected by `argnums`; None for all."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{API}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    pushed, other = flatten(tangents)
    if argnums is None:
        wanted = primals
    else:
        wanted = chosen(primals, argnums)
        wanted = (wanted,) if isinstance(argnums, int) else wanted
    flat, spec = flatten(wanted)
    if spec != other:
        raise RuntimeError(f"{API}: Expected primals and tangents to have the same python structure. For example, if "
                           "primals is a tuple of 3 tensors, tangents also must be. Got primals with structure "
                           f"{spec} and tangents with structure {other}")
    check_tensors(flat, "primals")
    check_tensors(pushed, "tangents")
    before, trace = MODES.get(), None
    try:
        trace = enter_grad_level(hooks=True)
        inner = spec.unflatten([dual(trace, x, dx) for x, dx in zip(flat, pushed)])
        if argnums is not None:
            inner = replaced(lifted_all(trace, primals), argnums, inner)
        out, aux = func(*inner), None
        if has_aux:
            out, aux = split_aux(out, API)
            aux = lowered_all(trace, aux)
        outs, out_spec = flatten(out)
        check_outputs(outs, API)
        pairs = [(lowered(trace, o), derivative(trace, o, strict)) for o in outs]
    finally:
        MODES.set(before)
        done(trace)
    values, dots = zip(*pairs)
    result = out_spec.unflatten(values), out_spec.unflatten(dots)
    return (*result, aux) if has_aux else result


def check_tensors(values, name):
    """Refuse primals or tangents that hold no tensor, or anything else."""
    if not values:
        raise RuntimeError(f"{API}: Expected {name} to contain at least one Tensor.")
    for x in values:
        if not isinstance(x, TensorBase):
            raise RuntimeError(f"{API}: Expected {name} to only contain Tensors, got {type(x)}")


def dual(trace, x, dx):
    """A primal at the level, with its tangent."""
    shape, dtype = shape_dtype(x)
    other, kind = shape_dtype(dx)
    for name, v, d in (("primal", x, dtype), ("tangent", dx, kind)):
        if d.kind not in "fcV":
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {v.dtype}")
    if shape != other:
        raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original "
                           f"Tensor, this is not supported. Tensor is of size {list(shape)} while the given forward "
                           f"gradient is of size {list(other)}.")
    if kind.kind == "c" != dtype.kind:
        raise RuntimeError("Expected the tangent of a real tensor to be real: trying to set a forward gradient of "
                           f"dtype {dx.dtype} on a tensor of dtype {x.dtype}")
    t = lifted(trace, x)
    if not lies_alike(bottom(x), bottom(dx)):
        dx = dx.clone()
    if dtype == kind:
        more(t).tangent = trace, dx, False
    else:
        set_tangent(t, dx)
    return t


def lies_alike(x, dx):
    """Tell whether the memory of a tangent lies as that of its primal, so that a write in place reaches it too.

    Another one is copied, as in PyTorch: the caller's tangent stays.
    """
    if type(x) not in ARRAYS or type(dx) not in ARRAYS:
        return True
    if x.shape != dx.shape or not all(n == 1 or a == b for n, a, b in zip(x.shape, x.strides, dx.strides)):
        return False
    if x.base is None is dx.base:
        return True
    a, b = versions.root_of(x), versions.root_of(dx)
    return a.nbytes == b.nbytes and address(x) - address(a) == address(dx) - address(b)


def derivative(trace, out, strict):
    """The tangent of an output one level down, zeros where it has none."""
    dot = tangent_of(out) if out.level_trace is trace else None
    if dot is not None:
        return lowered(trace, dot)
    if strict:
        raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This "
                           "is not allowed with strict=True.")
    return wrap(zeros_as(out))
