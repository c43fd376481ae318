"""The operations that native functions are written in, on NumPy arrays: slow and exact."""

from fractions import Fraction

import numpy as np

from covector.transforms.compile.maths import TABLES

COMPARE = {
    "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip


class NumPyLanes:
    """A builder whose values are arrays of one length."""

    def __init__(self, width):
        self.width = width
        self.dtype = np.dtype(f"f{width // 8}").type
        self.whole, self.unsigned = np.dtype(f"i{width // 8}").type, np.dtype(f"u{width // 8}").type
        self.wide = self if width == 64 else NumPyLanes(64)

    def const(self, x):
        return self.dtype(x)

    def iconst(self, i):
        return self.unsigned(i & (1 << self.width) - 1).view(self.whole)

    fadd, fsub, fmul, fdiv = np.add, np.subtract, np.multiply, np.divide
    sqrt, fneg, fabs, copysign = np.sqrt, np.negative, np.absolute, np.copysign
    floor, rint, trunc, isnan, select = np.floor, np.rint, np.trunc, np.isnan, staticmethod(np.where)
    and_, or_, not_ = np.logical_and, np.logical_or, np.logical_not
    iadd, isub, imul = np.add, np.subtract, np.multiply
    iand, ior, ixor, shl, ashr = np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift

    def lshr(self, i, count):
        return (self._like(i, self.unsigned) >> self._like(count, self.unsigned)).view(self.whole)

    def fcmp(self, op, x, y):
        return COMPARE[op](x, y)

    icmp = fcmp

    def bits(self, x):
        return self._like(x, self.whole)

    def from_bits(self, i):
        return self._like(i, self.dtype)

    def to_int(self, x):
        return np.asarray(x).astype(self.whole)

    def to_float(self, i):
        return np.asarray(i).astype(self.dtype)

    def widen(self, x):
        return np.asarray(x).astype(np.float64)

    def narrow(self, x):
        return np.asarray(x).astype(np.float32)

    def fma(self, x, y, z):
        """`x * y + z` with one rounding."""
        x, y, z = np.broadcast_arrays(*(np.asarray(v, self.dtype) for v in (x, y, z)))
        out = x * y + z  # whose zeros have the right sign
        if self.width == 32:
            exact = _odd_sum(x.astype(np.float64) * y, z.astype(np.float64))
            return np.where(exact == 0, out, exact.astype(np.float32))
        # by error-free steps where nothing is near the ends of the range, else by whole numbers, one at a time
        sizes = [np.abs(v) for v in (x, y, z)]
        safe = np.logical_and.reduce([(s < 2.0**400) & ((s > 2.0**-400) | (s == 0)) for s in sizes])
        exact = _fma(*(np.where(safe, v, 0) for v in (x, y, z)))
        out = np.where(safe & (exact != 0), exact, out)
        finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(z) & ~safe
        for at in zip(*np.nonzero(finite)):
            exact = Fraction(float(x[at])) * Fraction(float(y[at])) + Fraction(float(z[at]))
            try:
                out[at] = float(exact) if exact else out[at]
            except OverflowError:
                out[at] = np.copysign(np.inf, float(exact > 0) - 0.5)
        return out

    def looked_up(self, name, place):
        return np.array(list(TABLES[name][2]())).T[:, place]

    def _like(self, x, kind):
        return np.asarray(x).view(kind)


def _two_sum(x, y):
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def _odd_sum(x, y):
    """`x + y`, and where that is not exact, the neighbour with an odd last bit: it may be rounded again."""
    total, lost = _two_sum(x, y)
    even = (total.view(np.int64) & 1) == 0
    away = (lost > 0) == (total > 0)
    moved = (total.view(np.int64) + np.where(away, 1, -1)).view(np.float64)
    return np.where((lost != 0) & even & np.isfinite(lost), moved, total)


def _two_product(x, y):
    product = x * y
    (x_high, x_low), (y_high, y_low) = _halves(x), _halves(y)
    return product, ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def _halves(x):
    big = 134217729.0 * x
    high = big - (big - x)
    return high, x - high


def _fma(x, y, z):
    """Boldo and Melquiond (2008): the small parts are rounded to odd, so that the last sum rounds as the exact one."""
    product, below = _two_product(x, y)
    upper, lower = _two_sum(z, below)
    total, rest = _two_sum(product, upper)
    return total + _odd_sum(rest, lower)
