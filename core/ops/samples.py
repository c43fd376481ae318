"""Sample arguments of primitives; the checker reads them from each declaration."""

import numpy as np


class Sample:
    """Operands, parameters and how to check them.

    Args:
        operands: arrays or scalars, in declared order.
        params: `{name: value}`.
        tol: relative tolerance of the finite difference check.
        smooth: False at a non-smooth point: only the conventions are checked there, not finite differences.
        orders: how many derivatives to check.
        gauge: applied to the output before comparing, for outputs defined up to a sign, a phase or an order.
    """

    __slots__ = ("operands", "params", "tol", "smooth", "orders", "gauge")

    def __init__(self, *operands, params=None, tol=1e-6, smooth=True, orders=2, gauge=None):
        self.operands = operands
        self.params = params or {}
        self.tol = tol
        self.smooth = smooth
        self.orders = orders
        self.gauge = gauge

    def __repr__(self):
        shown = ", ".join(f"{np.asarray(x).dtype.name}{list(np.shape(x))}" for x in self.operands)
        named = "".join(f", {k}={v!r}" for k, v in self.params.items())
        return f"Sample({shown}{named})"


def unary(low=-2.0, high=2.0, complex_too=True, **facts):
    """Samples of a real (and complex) elementwise function on `[low, high]`: shapes (), (3,), (2, 3), (0,)."""

    def samples(rng):
        def draw(*shape):
            return rng.uniform(low, high, shape)

        out = [Sample(draw(*s), **facts) for s in ((), (3,), (2, 3), (0,))]
        out.append(Sample(draw(3).astype(np.float32), **facts))
        if complex_too:
            out.append(Sample(draw(2, 3) + 1j * rng.uniform(-1, 1, (2, 3)), **facts))
            out.append(Sample((draw(3) + 0.5j).astype(np.complex64), **facts))
        return out

    return samples


def binary(low=-2.0, high=2.0, complex_too=True, low_y=None, high_y=None, **facts):
    """Samples of a function of two operands: equal shapes, broadcasting both ways, 0-d, empty, mixed dtypes."""

    def samples(rng):
        def x(*shape):
            return rng.uniform(low, high, shape)

        def y(*shape):
            return rng.uniform(low if low_y is None else low_y, high if high_y is None else high_y, shape)

        out = [
            Sample(x(), y(), **facts),
            Sample(x(3), y(3), **facts),
            Sample(x(2, 3), y(3), **facts),
            Sample(x(3, 1), y(1, 2), **facts),
            Sample(x(), y(2, 2), **facts),
            Sample(x(0), y(0), **facts),
            Sample(x(3), y(), **facts),
            Sample(x(3).astype(np.float32), y(3).astype(np.float32), **facts),
            Sample(x(3).astype(np.float32), y(3), **facts),
        ]
        if complex_too:
            out.append(Sample(x(2) + 0.5j, y(2) - 0.25j, **facts))
            out.append(Sample(x(2, 2), y(2) + 0.5j, **facts))
        return out

    return samples


def arrays(*shapes, complex_too=True, **params_and_facts):
    """Samples with standard normal operands of the given shapes, once in complex too; further keywords: parameters."""
    facts = {k: params_and_facts.pop(k) for k in ("tol", "smooth", "orders", "gauge") if k in params_and_facts}

    def samples(rng):
        out = [Sample(*[rng.normal(size=s) for s in shapes], params=params_and_facts, **facts)]
        out.append(Sample(*[rng.normal(size=s).astype(np.float32) for s in shapes], params=params_and_facts, **facts))
        if complex_too:
            out.append(Sample(*[rng.normal(size=s) + 1j * rng.normal(size=s) for s in shapes],
                              params=params_and_facts, **facts))
        return out

    return samples


def together(*groups):
    """All samples of several groups."""
    return lambda rng: [sample for group in groups for sample in group(rng)]
