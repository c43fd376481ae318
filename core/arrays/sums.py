"""Sum plain floats over axes as products with ones: BLAS adds in a quarter of the time that NumPy takes."""

import math

import numpy as np

ndarray = np.ndarray
PLAIN = (np.dtype(np.float32), np.dtype(np.float64))
_BLOCK, _DEEP = 256, 128  # elements of a row, and of a column, in one product: its sums round after each few
LEAST, _NARROW = 1 << 12, 64  # elements from which on short rows and few columns pay; how short they are
_MANY, _LONG = 1 << 14, 1 << 15  # from which on others pay, and rows of several blocks
_TRIED = 8  # numbers of blocks
_ONES = {t: np.ones(_BLOCK, t) for t in PLAIN}
_add = np.add.reduce


def by_products(aval):
    """Tell whether sums of arrays like this may go by products, not in NumPy's order."""
    return aval.size >= LEAST and aval.dtype in PLAIN


def sums(x, axes, keepdims=False):
    """`np.add.reduce` over some axes; large arrays of floats are added up in another order, with no larger errors."""
    if type(x) is ndarray and axes and by_products(x):
        out = _sums(x, axes)
        if out is not None:
            if keepdims:
                return shaped(np.asarray(out), tuple([1 if i in axes else n for i, n in enumerate(x.shape)]))
            return out
    return _add(x, axes, None, None, keepdims)


def _sums(x, axes):
    """The sums; None where NumPy's way is as good, and where something is not finite, of which NumPy may warn."""
    if not x.flags.c_contiguous:
        x, axes = x.T, [x.ndim - 1 - a for a in axes]
        if not x.flags.c_contiguous or len(axes) < x.ndim - 1:  # what stays would have its axes in another order
            return None
    first, last = min(axes), max(axes) + 1
    if last - first != len(axes):
        return None
    shape = x.shape
    before, n, behind = math.prod(shape[:first]), math.prod(shape[first:last]), math.prod(shape[last:])
    if before * behind == 1:
        if n < _MANY or len(axes) < x.ndim:
            return None
        out = total(x.reshape(n))
        return out if math.isfinite(out) else None
    if behind == 1:
        if x.size < _MANY and n > _NARROW or x.size < _LONG and n > _BLOCK:
            return None
        out = row_sums(x.reshape(before, n))
    elif before == 1 and (x.size >= _MANY or behind <= _NARROW):
        out = column_sums(x.reshape(n, behind))
    else:
        return None
    return shaped(out, shape[:first] + shape[last:]) if math.isfinite(out.dot(out)) else None


def _even(n):
    """A number of blocks of one length, at most `_BLOCK`, that make up n elements; 0 if it is not found at once."""
    least = -(-n // _BLOCK)
    for blocks in range(least, least + _TRIED):
        if n % blocks == 0:
            return blocks
    return 0


def total(x):
    """The sum of a vector of float32 or float64."""
    n = len(x)
    ones = _ONES[x.dtype]
    if n <= _BLOCK:
        return ones[:n].dot(x)
    rows, rest = divmod(n, _BLOCK)
    whole = total(x[: n - rest].reshape(rows, _BLOCK).dot(ones))
    return whole + ones[:rest].dot(x[n - rest :]) if rest else whole


def row_sums(x):
    """The sum of each row of a matrix of float32 or float64."""
    m, n = x.shape
    ones = _ONES[x.dtype]
    if n <= _BLOCK:
        return x.dot(ones[:n])
    blocks = _even(n)
    if blocks and x.flags.c_contiguous:
        return row_sums(x.reshape(m * blocks, n // blocks).dot(ones[: n // blocks]).reshape(m, blocks))
    if m * _BLOCK < n:
        return np.array([total(row) for row in x])
    parts = np.empty((-(-n // _BLOCK), m), x.dtype)
    for part, start in zip(parts, range(0, n, _BLOCK)):
        block = x[:, start : start + _BLOCK]
        np.matmul(block, ones[: block.shape[1]], part)  # `dot` would copy the block
    return column_sums(parts)


def column_sums(x):
    """The sum of each column, of arrays of a device as well."""
    if type(x) is not ndarray:
        return x.sum(0)
    n, m = x.shape
    ones = _ONES[x.dtype]
    if n <= _DEEP:
        return ones[:n].dot(x)
    wide = n // _DEEP  # rows side by side, so that the products are of long rows
    if wide == 1 or not x.flags.c_contiguous:
        parts = np.empty((-(-n // _DEEP), m), x.dtype)
        for part, start in zip(parts, range(0, n, _DEEP)):
            block = x[start : start + _DEEP]
            ones[: len(block)].dot(block, part)
        return column_sums(parts)
    many = wide * _DEEP
    out = column_sums(ones[:_DEEP].dot(x[:many].reshape(_DEEP, wide * m)).reshape(wide, m))
    if many < n:
        out += ones[: n - many].dot(x[many:])
    return out


def shaped(out, shape):
    """An array of ours in another shape, as itself: what is a view of another would be copied by the sweep."""
    if type(out) is not ndarray:
        return out.reshape(shape)
    if out.shape != shape:
        out.resize(shape, refcheck=False)
    return out
