"""Minimax polynomials by Remez exchange on a fixed grid, with mpmath: the same digits on every machine."""

import struct
from functools import cache

from mpmath import cos, lu_solve, matrix, mp, mpf, pi

DIGITS = 50
POINTS = 24  # of the grid, to each coefficient


def minimax(f, low, high, count, weight=None):
    """Return `count` coefficients, lowest first, of the polynomial next to `f` on `[low, high]`, and its largest error.

    `weight(x)` multiplies the error.
    """
    with mp.workdps(DIGITS):
        size = POINTS * count
        middle, half = (mpf(high) + low) / 2, (mpf(high) - low) / 2
        xs = [middle - half * cos(pi * (i + mpf(1) / 2) / size) for i in range(size)]
        weights = [mpf(1)] * size if weight is None else [mpf(weight(x)) for x in xs]
        values = [f(x) for x in xs]
        chosen = [round((size - 1) * i / count) for i in range(count + 1)]
        for _ in range(40):
            rows = matrix(count + 1, count + 1)
            right = matrix(count + 1, 1)
            for row, i in enumerate(chosen):
                for k in range(count):
                    rows[row, k] = weights[i] * xs[i] ** k
                rows[row, count] = (-1) ** row
                right[row] = weights[i] * values[i]
            solved = lu_solve(rows, right)
            found = [solved[k] for k in range(count)]
            errors = [w * (_value(found, x) - v) for w, x, v in zip(weights, xs, values)]
            turned = _extremes(errors, count + 1)
            if turned == chosen:
                break
            chosen = turned
        return found, max(abs(e) for e in errors)


def _value(coefficients, x):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def _extremes(errors, count):
    """The places of `count` extremes of alternating sign, the largest error among them."""
    runs = []
    for i, e in enumerate(errors):
        if runs and (errors[runs[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[runs[-1]]):
                runs[-1] = i
        else:
            runs.append(i)
    while len(runs) > count:
        if len(runs) == count + 1:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        else:
            weak = min(range(len(runs) - 1), key=lambda k: max(abs(errors[runs[k]]), abs(errors[runs[k + 1]])))
            del runs[weak : weak + 2]
    return runs


def number(x, width):
    """`x`, an mpmath number, rounded to a float of `width` bits, as a Python float."""
    if width == 64:
        return float(x)
    with mp.workdps(DIGITS):
        near = struct.unpack("<f", struct.pack("<f", float(x)))[0]
        step = mpf(2) ** (mp.floor(mp.log(abs(x), 2)) - 23) if x else mpf(0)
        return min((near - step, mpf(near), near + step), key=lambda c: abs(c - x)).__float__()


@cache
def split(name, width, parts, short=0):
    """A constant as the sum of `parts` numbers of `width` bits; the first leaves `short` low bits zero."""
    with mp.workdps(450):
        rest, out = CONSTANTS[name](), []
        for k in range(parts):
            bits = (53 if width == 64 else 24) - (short if k == 0 else 0)
            scale = mpf(2) ** (bits - 1 - mp.floor(mp.log(abs(rest), 2)))
            part = mp.nint(rest * scale) / scale
            out.append(float(part))
            rest -= part
        return tuple(out)


@cache
def root():
    """Where the digamma function of a positive number is zero."""
    with mp.workdps(3 * DIGITS):
        return mp.findroot(lambda x: mp.psi(0, x), mpf("1.4616321449683623"))


CONSTANTS = {
    "two_thirds": lambda: mpf(2) / 3,
    "ln2": lambda: mp.log(2),
    "log2e": lambda: 1 / mp.log(2),
    "log10e": lambda: 1 / mp.log(10),
    "log10_2": lambda: mp.log(2) / mp.log(10),
    "pi": lambda: +mp.pi,
    "half_pi": lambda: mp.pi / 2,
    "quarter_pi": lambda: mp.pi / 4,
    "root_two": lambda: mp.sqrt(2),
    "density": lambda: 1 / mp.sqrt(2 * mp.pi),
    "log_pi": lambda: mp.log(mp.pi),
    "stirling": lambda: (mp.log(2 * mp.pi) - 1) / 2,
    "root": root,
    "root_up": lambda: root() - 1,
    "root_down": lambda: root() + 1,
    "two_over_pi": lambda: 2 / mp.pi,
}
