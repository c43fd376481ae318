"""Writes in place of sums with products, as averages of weights are kept: where nothing is recorded, NumPy alone."""

import numpy as np


def _add(x, y, alpha):
    np.add(x, np.multiply(y, alpha), x)


def _sub(x, y, alpha):
    np.subtract(x, np.multiply(y, alpha), x)


def _lerp(x, end, weight):
    step = np.subtract(end, x)
    np.multiply(step, weight, step)
    np.add(x, step, x)


def _addcmul(x, y, z, value=1):
    part = np.multiply(y, z)
    np.add(x, part if value == 1 else np.multiply(part, value), x)


def _addcdiv(x, y, z, value=1):
    part = np.divide(y, z)
    np.add(x, part if value == 1 else np.multiply(part, value), x)


KERNELS = {"add": _add, "sub": _sub, "lerp": _lerp, "addcmul": _addcmul, "addcdiv": _addcdiv}  # one write, the last
