"""The memory layout of answers: PyTorch's choice of strides where operands lie in different orders."""

import numpy as np

from ...extend import Ambient
from .state import bottom

ndarray = np.ndarray

# The answers of these lie in the order of the axes, whatever the operands do.
CONTIGUOUS = frozenset("""
    all amax amin any cat cummax cummin cumprod cumsum dstack fft.fftshift fft.ifftshift hstack log_softmax
    logcumsumexp logsumexp masked_fill masked_scatter mean nansum nn.functional.layer_norm
    nn.functional.logsigmoid nn.functional.pad prod roll softmax softmin stack std sum var vstack
""".split())
ELEMENTWISE = frozenset("""
    addcdiv addcmul atan2 bitwise_and bitwise_or bitwise_xor complex copysign eq flip fliplr flipud float_power
    floor_divide fmax fmin fmod ge gt heaviside hypot index_fill ldexp le lerp logaddexp logaddexp2 logical_and
    logical_or logical_xor lt maximum minimum ne nextafter pow remainder rsub sort where xlogy
""".split())


def settled(name, value, tensors):
    """The core value of an answer, in the layout that PyTorch gives it."""
    if isinstance(value, tuple):
        found = [settled(name, v, tensors) for v in value]
        return type(value)(*found) if hasattr(value, "_fields") else tuple(found)
    array = value.value if type(value) is Ambient else value
    if type(array) is not ndarray or array.ndim < 2:
        return value
    if name in CONTIGUOUS:
        found = array if array.flags.c_contiguous else np.ascontiguousarray(array)
    elif name in ELEMENTWISE:
        found = laid_out(array, *[bottom(t) for t in tensors])
    else:
        return value
    if found is array:
        return value
    if type(value) is Ambient:
        value.value = found
        return value
    return found


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
