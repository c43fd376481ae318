"""autograd.numpy.numpy_vjps: what rules of users are written with."""

import numpy as _np

from .... import numpy as anp
from ....extend import Tracer
from .._impl.missing import refusing as _refusing
from .._impl.spaces import SparseObject
from .numpy_wrapper import metadata


def unbroadcast(x, target_meta, broadcast_idx=0):
    """Sum `x` over the axes along which something of `target_meta = np.metadata(target)` was broadcast.

    New axes are those from `broadcast_idx` on; a complex `x` for a real target gives its real part.
    """
    shape, ndim, _, complex_target = target_meta
    while _np.ndim(x) > ndim:
        x = anp.sum(x, axis=broadcast_idx)
    for axis, n in enumerate(shape):
        if n == 1 and _np.shape(x)[axis] != 1:
            x = anp.sum(x, axis=axis, keepdims=True)
    return anp.real(x) if metadata(x)[3] and not complex_target else x


def unbroadcast_f(target, f):
    """The function `f` of a cotangent, followed by `unbroadcast` to `target`."""
    meta = metadata(target)
    return lambda g: unbroadcast(f(g), meta)


def match_complex(target, x):
    """`x`, real where the target is, complex where it is."""
    wanted, found = metadata(target)[3], metadata(x)[3]
    if found and not wanted:
        return anp.real(x)
    return x + 0j if wanted and not found else x


def repeat_to_match_shape(g, shape, dtype, axis, keepdims):
    """`(g repeated along the axes that a reduction removed, how often)`."""
    if shape == ():
        return g, 1
    axes = tuple(range(len(shape))) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple([k % len(shape) for k in axes])
    kept = tuple([1 if k in axes else n for k, n in enumerate(shape)])
    times = int(_np.prod([shape[k] for k in axes]))
    return anp.broadcast_to(anp.reshape(g, kept), shape), times


def balanced_eq(x, z, y):
    """1 where `x` equals `z`, one half where `y` does so too, 0 elsewhere."""
    return (x == z) / (1.0 + (x == y))


def replace_zero(x, val):
    """`x` with `val` in place of zeros."""
    return anp.where(x, x, val)


def untake(x, idx, vs):
    """A cotangent that is `x` at the places `idx` and zero elsewhere, in the vector space `vs`."""

    def mut_add(A):
        if isinstance(x, Tracer):
            return A + anp.zeros(A.shape, A.dtype).at[idx].add(x) if isinstance(A, Tracer) else _scattered(x, idx, A)
        _np.add.at(A, idx, x)
        return A

    return SparseObject(vs, mut_add)


def _scattered(x, idx, A):
    out = anp.zeros_like(x, shape=A.shape)
    out[idx] += x
    return out + A


_RULES = "the rules of NumPy's functions are covector's primitives (covector.extend.REGISTRY)"
_refusing("numpy.numpy_vjps", dict.fromkeys(
    ["grad_transpose", "grad_broadcast_to", "grad_np_sum", "grad_np_mean", "grad_np_prod", "grad_np_var", "grad_np_std",
     "grad_chooser", "grad_np_cumsum", "grad_inner", "grad_sort", "grad_partition", "grad_einsum", "grad_diff",
     "grad_gradient", "grad_repeat", "grad_tile", "grad_kron", "grad_rollaxis", "grad_reshape_list",
     "grad_concatenate_args", "matmul_adjoint_0", "matmul_adjoint_1", "matmul_vjp_0", "matmul_vjp_1", "dot_adjoint_0",
     "dot_adjoint_1", "dot_vjp_0", "dot_vjp_1", "tensordot_adjoint_0", "tensordot_adjoint_1", "tensordot_vjp_0",
     "tensordot_vjp_1", "wrapped_reshape", "reverse_axis", "unpermuter", "unbroadcast_einsum", "pad_vjp",
     "array_from_args_gradmaker", "array_from_scalar_or_array_gradmaker", "nograd_functions", "np_abs_vjp",
     "np_conj_vjp"], _RULES))
