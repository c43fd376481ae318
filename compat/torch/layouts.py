"""The memory layout of answers: PyTorch's choice of strides where operands lie in different orders."""

import numpy as np

from ...extend import Ambient
from .state import bottom

ndarray = np.ndarray

# The answers of these lie in the order of the axes, whatever the operands do.
CONTIGUOUS = frozenset("""
    all amax amin any block_diag cat constant_pad_nd cross cummax cummin cumprod cumsum cumulative_trapezoid diag_embed
    dstack fft.fftshift fft.ifftshift hstack linalg.cross log_softmax logcumsumexp logsumexp masked_fill
    masked_scatter mean mvlgamma nansum nn.functional.bilinear nn.functional.conv_transpose1d
    nn.functional.conv_transpose2d nn.functional.conv_transpose3d nn.functional.layer_norm nn.functional.logsigmoid
    nn.functional.pad nn.functional.softmin prod renorm roll softmax softmin stack std sum var vstack
""".split())
ELEMENTWISE = frozenset("""
    addcdiv addcmul argsort atan2 bitwise_and bitwise_or bitwise_xor complex copysign eq flip fliplr flipud
    float_power floor_divide fmax fmin fmod ge gt heaviside hypot index_fill ldexp le lerp logaddexp logaddexp2
    logical_and logical_or logical_xor lt maximum minimum ne nextafter polar pow remainder rsub sort where xlogy
""".split())

# Of these the answers lie as the first operand does.
LIKE_FIRST = frozenset("addr diagonal_scatter index_put msort put".split())
_SIDED = ("linalg.solve", "linalg.solve_ex")
# Of these LAPACK's matrices are the answers, or those of their answers at these places: their columns are contiguous.
COLUMNS = dict.fromkeys("""
    linalg.inv linalg.cholesky linalg.solve linalg.solve_ex linalg.inv_ex linalg.cholesky_ex geqrf lu_solve
    linalg.solve_triangular cholesky cholesky_inverse cholesky_solve ormqr triangular_solve linalg.householder_product
    linalg.lu_factor linalg.lu_factor_ex linalg.lu_solve linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve
""".split(), (0,)) | {
    "linalg.svd": (0, 2), "svd": (0,), "triangular_solve": (0, 1), "linalg.eigh": (1,), "linalg.qr": (0, 1),
    "qr": (0, 1), "linalg.eig": (1,),
}
# The answers of these at these places lie in the order of their axes.
ROWS_OF = {"svd": (2,), "linalg.lu": (0,), "lu_unpack": (0,)}


def settled(name, value, tensors, args=(), named=None):
    """The core value of an answer, in the layout that PyTorch gives it."""
    if name == "pow" and len(tensors) == 1 and args[0] is not tensors[0] or (
            name in _SIDED and named and named.get("left") is False):
        name = "cat"  # in order: powers of a number; solutions from the right, LAPACK's transposed
    if name in COLUMNS:
        if not isinstance(value, tuple):
            return by_columns(value)
        found = [by_columns(v) if i in COLUMNS[name] else by_rows(v) if i in ROWS_OF.get(name, ()) else v
                 for i, v in enumerate(value)]
        return type(value)(*found) if hasattr(value, "_fields") else tuple(found)
    if name in ROWS_OF:
        value = type(value)(*[by_rows(v) if i in ROWS_OF[name] else v for i, v in enumerate(value)])
    if type(value) is not Ambient and isinstance(value, tuple):
        found = [settled(name, v, tensors, args) for v in value]
        return type(value)(*found) if hasattr(value, "_fields") else tuple(found)
    array = value.value if type(value) is Ambient else value
    if type(array) is not ndarray or array.ndim < 2:
        return value
    if name in ("quantile", "nanquantile"):
        q = args[1] if len(args) > 1 else (named or {}).get("q")
        many = getattr(q, "ndim", 0)  # their axis lies innermost
        return replaced(value, array, ordered(array, (*range(1, array.ndim), 0))) if many else value
    if name in LIKE_FIRST:
        found = laid_out(array, bottom(tensors[0]))
    elif name == "rot90":
        found = quarters(array, bottom(tensors[0]), args, named or {})
    elif name in CONTIGUOUS:
        found = array if array.flags.c_contiguous else np.ascontiguousarray(array)
    elif name in ELEMENTWISE:
        found = laid_out(array, *[bottom(t) for t in tensors])
    else:
        return value
    return replaced(value, array, found)


def quarters(array, x, args, named):
    """A rotated array, copied: odd quarter turns are transpositions of what lies as the operand does."""
    k = args[1] if len(args) > 1 else named.get("k", 1)
    first, second = args[2] if len(args) > 2 else named.get("dims", (0, 1))
    if k % 2 == 0:
        return laid_out(array, x) if k % 4 else np.ascontiguousarray(array)
    return laid_out(np.ascontiguousarray(array).swapaxes(first, second), x).swapaxes(first, second)


def replaced(value, array, found):
    """A core value over another array of the same elements."""
    if found is array:
        return value
    if type(value) is Ambient:
        value.value = found
        return value
    return found


def by_columns(value):
    """Matrices whose columns are contiguous."""
    array = value.value if type(value) is Ambient else value
    if type(array) is not ndarray or array.ndim < 2:
        return value
    order = (*range(array.ndim - 2), array.ndim - 1, array.ndim - 2)
    return replaced(value, array, ordered(array, order))


def by_columns_of(value, rows):
    """Matrices whose columns are contiguous, in memory for columns of `rows` numbers."""
    array = value.value if type(value) is Ambient else value
    if type(array) is not ndarray or array.ndim < 2:
        return value
    memory = np.zeros((*array.shape[:-2], array.shape[-1], rows), array.dtype)
    found = memory.swapaxes(-1, -2)[..., : array.shape[-2], :]
    found[...] = array
    return replaced(value, array, found)


def by_rows(value):
    """Matrices in the order of their axes."""
    array = value.value if type(value) is Ambient else value
    return value if type(array) is not ndarray else replaced(value, array, ordered(array, range(array.ndim)))


def ordered(array, order):
    """The elements of an array, its axes laid out in an order, outermost first."""
    turned = array.transpose(order)
    return array if turned.flags.c_contiguous else np.ascontiguousarray(turned).transpose(np.argsort(order))


def laid_out(answer, *operands):
    """The answer of an elementwise operation, copied where its axes lie in another order than PyTorch's."""
    arrays = [a for a in operands if type(a) is ndarray and a.ndim]
    if answer.flags.c_contiguous and all(a.flags.c_contiguous for a in arrays):
        return answer
    out = uninitialised(answer.shape, answer.dtype, arrays)
    if out.strides == answer.strides:
        return answer
    out[...] = answer
    return out


def uninitialised(shape, dtype, arrays):
    """A new array whose axes lie in memory as those of an elementwise answer of operands."""
    if len(arrays) == 1 and arrays[0].flags.c_contiguous and arrays[0].shape == shape:
        return np.empty(shape, dtype)
    order = memory_order(shape, arrays)
    return np.empty([shape[d] for d in order], dtype).transpose(np.argsort(order))


def memory_order(shape, arrays):
    """The axes, outermost first: by the strides of the first operand that tells them apart.

    This is what PyTorch's TensorIterator does (reorder_dimensions): an insertion sort that passes broadcast axes by.
    """
    n = len(shape)
    strides = [(0,) * (n - a.ndim) + tuple(0 if k == 1 and m != 1 else s for s, k, m in
                                           zip(a.strides, a.shape, shape[n - a.ndim :])) for a in arrays]

    def compared(d, e):
        for s in strides:
            if s[d] and s[e]:
                if s[d] != s[e]:
                    return s[d] - s[e]
                if shape[d] > shape[e]:
                    return 1
        return 0

    inner = list(range(n - 1, -1, -1))
    for i in range(1, n):
        at = i
        for k in range(i - 1, -1, -1):
            sign = compared(inner[k], inner[at])
            if sign > 0:
                inner[k], inner[at] = inner[at], inner[k]
                at = k
            elif sign < 0:
                break
    return inner[::-1]


def straightened(t):
    """A tensor whose memory lies in the order of its axes, copied where it does not; expanded axes stay."""
    array = t.value
    if type(array) is ndarray and not array.flags.c_contiguous and 0 not in array.strides:
        return t.contiguous()
    return t
