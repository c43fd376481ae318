"""The memory layout of outputs: PyTorch's choice of strides where operands lie in different orders."""

import numpy as np

from ....._interpreters import Ambient
from ..types.arrays import namespace
from ..types.memory_formats import ORDERS
from ..types.tensor_type import bottom
from ..views.memory import steps_of

ndarray = np.ndarray

# A layout is a fact of an operation's row: a function of the output, the tensors and the other arguments of a call.


def layout(laid):
    """A layout of a rule for arrays: it looks into tuples and through traced values, and leaves vectors as they are."""

    def settled(value, tensors, args=(), named=None):
        if type(value) is not Ambient and isinstance(value, tuple):
            found = [settled(v, tensors, args, named) for v in value]
            return type(value)(*found) if hasattr(value, "_fields") else tuple(found)
        array = value.value if type(value) is Ambient else value
        if type(array) is not ndarray or array.ndim < 2:
            return value
        return replaced(value, array, laid(array, tensors, args, named))

    return settled


# In the order of the axes, whatever the operands do; so with the strides of new memory; as elementwise operations do;
# in the order of the axes, but with channels last where the first operand lies so; as the first operand lies.
IN_ORDER = layout(lambda array, tensors, args, named: np.ascontiguousarray(array))
REDUCED = layout(lambda array, tensors, args, named: of_reduction(np.ascontiguousarray(array), bottom(tensors[0])))
LIKE_OPERANDS = layout(lambda array, tensors, args, named: laid_out(array, *[bottom(t) for t in tensors]))
BY_FORMAT = layout(lambda array, tensors, args, named: in_format(array, bottom(tensors[0])))
LIKE_FIRST = layout(lambda array, tensors, args, named: laid_out(array, bottom(tensors[0])))


def of_reduction(array, operand):
    """A contiguous array with the strides of a new one: NumPy's follow the operand where an axis is kept."""
    if 1 not in array.shape or type(operand) is not ndarray or operand.flags.c_contiguous:
        return array
    found = np.empty(array.shape, array.dtype)
    if found.strides == array.strides:
        return array
    found[...] = array
    return found


def matrices(*columns, rows=()):
    """A layout of LAPACK's matrices: the outputs at these places have contiguous columns, or rows; others are left."""

    def settled(value, tensors, args=(), named=None):
        if not isinstance(value, tuple):
            return by_columns(value)
        found = [by_columns(v) if i in columns else by_rows(v) if i in rows else v for i, v in enumerate(value)]
        return type(value)(*found) if hasattr(value, "_fields") else tuple(found)

    return settled


def replaced(value, array, found):
    """A core value over another array of the same elements; what lies over `array` by further levels stays as it is."""
    if value is array:
        return found
    if type(value) is Ambient and value.value is array:
        value.value = found
    return value


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
    if turned.flags.c_contiguous:
        return array
    back = sorted(range(array.ndim), key=order.__getitem__)  # a third of the time of argsort
    return np.ascontiguousarray(turned).transpose(back)


def in_format(array, like):
    """The elements of an array in the order of its axes, or channels last where another array lies so."""
    return ordered(array, format_order(like)) if array.ndim == like.ndim else np.ascontiguousarray(array)


def format_order(array):
    """The axes of an array that lies channels last, outermost in memory first; of others in their order."""
    last = next((order for order in ORDERS.values() if len(order) == array.ndim), None)
    if last is None or array.flags.c_contiguous or not array.transpose(last).flags.c_contiguous:
        return tuple(range(array.ndim))
    return last


def by_axis(array, axis):
    """The elements of an array, the axis outermost in memory; in order where it is None."""
    moved = array if axis is None else np.moveaxis(array, axis, 0)
    return np.ascontiguousarray(moved) if axis is None else np.moveaxis(np.ascontiguousarray(moved), 0, axis)


def laid_out(answer, *operands):
    """The output of an elementwise operation, copied where its axes lie in another order than PyTorch's."""
    arrays = [a for a in operands if type(a) is ndarray and a.ndim]
    if answer.flags.c_contiguous and all(a.flags.c_contiguous for a in arrays):
        return answer
    out = uninitialised(answer.shape, answer.dtype, arrays)
    if out.strides == answer.strides:
        return answer
    out[...] = answer
    return out


def uninitialised(shape, dtype, arrays):
    """A new array whose axes lie in memory as those of an elementwise output of operands."""
    if len(arrays) == 1 and arrays[0].flags.c_contiguous and arrays[0].shape == shape:
        return namespace(arrays[0]).empty(shape, dtype)
    if len(shape) == 2:
        xp = namespace(arrays[0])
        return xp.empty(shape[::-1], dtype).T if by_columns_first(shape, arrays) else xp.empty(shape, dtype)
    order = memory_order(shape, arrays)
    return namespace(arrays[0]).empty([shape[d] for d in order], dtype).transpose(np.argsort(order).tolist())


def by_columns_first(shape, arrays):
    """Tell whether `memory_order` of two axes is (1, 0)."""
    rows, columns = shape
    for a in arrays:
        if a.ndim == 2:
            (n, m), (down, right) = a.shape, a.strides
            # An axis that is broadcast counts as one of stride 0, which has no order.
            down, right = 0 if n == 1 and rows != 1 else down, 0 if m == 1 and columns != 1 else right
            if down and right:
                if down != right:
                    return right > down
                if columns > rows:
                    return True
    return False


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


def of_index(out, x, index):
    """Lay out the result of an index with arrays, its axes in memory as PyTorch has them.

    Its iterator sees the array with steps of 0 along the axes of the index, and the index arrays beside axes of 1.
    """
    arrays, marks = [], []  # of each axis that the basic part of the index leaves: whether an array stands for it
    count = sum(k.ndim if is_mask(k) else 1 for k in index if k is not None and k is not Ellipsis)
    basic = []
    for k in index:
        if hasattr(k, "dtype"):
            parts = k.nonzero() if is_mask(k) else (k,)
            arrays += parts
            basic += [slice(None)] * len(parts)
            marks += [True] * len(parts)
        else:
            basic.append(k)
            marks += [False] * (x.ndim - count if k is Ellipsis else not isinstance(k, int))
    whole = x[tuple(basic)]
    marks += [False] * (whole.ndim - len(marks))
    spread = np.broadcast_arrays(*arrays)
    n, first = spread[0].ndim, marks.index(True)
    together = marks[first : first + len(arrays)] == [True] * len(arrays)
    steps = [s * x.itemsize for s, m in zip(steps_of(whole), marks) if not m]
    at = first if together else 0
    seen = [np.lib.stride_tricks.as_strided(whole, out.shape, (*steps[:at], *(0,) * n, *steps[at:]))]
    behind = len(steps) - at
    for a in spread:
        outer = a.shape[0] * a.strides[0] if n else a.itemsize
        seen.append(np.lib.stride_tricks.as_strided(a, (*(1,) * at, *a.shape, *(1,) * behind), (
            *(outer,) * at, *a.strides, *(a.itemsize,) * behind)))
    order = memory_order(out.shape, seen)
    found = np.empty([out.shape[d] for d in order], out.dtype).transpose(np.argsort(order))
    if found.strides == out.strides:
        return out
    found[...] = out
    return found


def is_mask(k):
    """Tell whether part of an index is an array of truth values."""
    return hasattr(k, "dtype") and k.dtype == np.bool_


def straightened(t):
    """A tensor whose memory lies in the order of its axes, copied where it does not; expanded axes stay."""
    array = t.value
    if type(array) is ndarray and not array.flags.c_contiguous and 0 not in array.strides:
        return t.contiguous()
    return t


# torch's error for shapes that do not broadcast.


def check_broadcast(a, b):
    """torch's error for shapes that do not broadcast."""
    x, y = getattr(a, "shape", ()), getattr(b, "shape", ())
    if x == y:
        return
    for i in range(1, min(len(x), len(y)) + 1):
        if x[-i] != y[-i] and x[-i] != 1 and y[-i] != 1:
            raise RuntimeError(f"The size of tensor a ({x[-i]}) must match the size of tensor b ({y[-i]}) at "
                               f"non-singleton dimension {max(len(x), len(y)) - i}")
