"""LBFGS: quasi-Newton steps from the last changes of gradients, with a line search if asked for."""

import math
from typing import NamedTuple

import numpy as np

from ..graph import versions
from ..modes.grad_mode import enable_grad, no_grad
from ..modes.modes import restoring
from ..types.arrays import namespace
from ..types.tensor_type import TensorBase, wrap
from .elementwise import number
from .flat import memory, refuse_other_shape
from .optimizer import Optimizer


class LBFGS(Optimizer):
    """L-BFGS: each `step(closure)` takes several iterations of one group of parameters.

    Args:
        params: tensors, or named tensors; no groups.
        lr: the length of a step, or the first one that a line search tries.
        max_iter, max_eval: the most iterations and evaluations of a step; 1.25 evaluations an iteration by default.
        tolerance_grad: the largest entry of the gradient at which it ends.
        tolerance_change: the change of the loss or of a parameter at which it ends.
        history_size: how many changes it remembers.
        line_search_fn: "strong_wolfe" or None.
    """

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
                 history_size=100, line_search_fn=None):
        if isinstance(lr, TensorBase) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(params, {"lr": lr, "max_iter": max_iter, "max_eval": max_eval, "tolerance_grad":
                                  tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
                                  "line_search_fn": line_search_fn})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def arrays(self):
        """The memory of all parameters."""
        return [memory(self, p) for p in self.param_groups[0]["params"]]

    def gradient(self):
        """All gradients as one vector of real numbers."""
        parts = []
        for p in self.param_groups[0]["params"]:
            g = np.zeros_like(p.value) if p.grad is None else memory(self, p.grad.to_dense())
            parts.append(real(namespace(g).ascontiguousarray(g)).reshape(-1))
        return np.concatenate(parts)

    def move(self, starts, t, direction):
        """Set the parameters to a point on the line through where they started."""
        place = 0
        for array, start in zip(self.arrays(), starts):
            n = start.size * (2 if start.dtype.kind == "c" else 1)
            step = direction[place : place + n] * t
            place += n
            array[...] = start + step.astype(real(start).dtype).view(start.dtype).reshape(start.shape)
            versions.bump(array)

    @restoring
    def step(self, closure):
        """Take up to `max_iter` iterations.

        Args:
            closure: computes the loss and its gradients, and returns the loss.
        Returns:
            the loss at the start.
        """
        closure = enable_grad()(closure)
        with no_grad():
            return self.iterate(closure)

    def iterate(self, closure):
        """The implementation of `step`."""
        group = self.param_groups[0]
        state = self.state[group["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = closure()
        loss, evaluations, iterations = float(first), 1, 0
        state["func_evals"] += 1
        g = self.gradient()
        if largest(g) <= group["tolerance_grad"]:
            return first
        for name in ("d", "prev_flat_grad"):
            if name in state:
                refuse_other_shape(self, g.shape, name, state[name])
        past = History.of(state, group["history_size"])
        lr, tolerance = number(group["lr"]), group["tolerance_change"]
        while iterations < group["max_iter"]:
            iterations += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                past.d = -g
            else:
                past.add(g)
                past.d = past.direction(g)
            past.g, past.loss = g, loss
            t = min(1.0, 1.0 / float(np.abs(g).sum())) * lr if state["n_iter"] == 1 else lr
            past.t = t
            slope = float(g @ past.d)
            if slope > -tolerance:
                break
            starts = [a.copy() for a in self.arrays()]

            def along(t, starts=starts):
                self.move(starts, t, past.d)
                found = float(closure())
                gradient = self.gradient()
                return Point(t, found, gradient, float(gradient @ past.d))

            calls = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                best, calls = strong_wolfe(along, Point(0.0, loss, g, slope), t, largest(past.d))
                loss, g, past.t = best.f, best.g, best.t
                self.move(starts, best.t, past.d)
            elif iterations != group["max_iter"]:
                point, calls = along(t), 1
                loss, g = point.f, point.g
            else:
                self.move(starts, t, past.d)
            evaluations += calls
            state["func_evals"] += calls
            if (evaluations >= group["max_eval"] or largest(g) <= group["tolerance_grad"]
                    or largest(past.d * past.t) <= tolerance or abs(loss - past.loss) < tolerance):
                break
        past.into(state)
        return first


def real(array):
    """An array that lies in one piece, as one of real numbers."""
    return array.reshape(-1).view(array.real.dtype) if array.dtype.kind == "c" else array


def largest(x):
    """The largest magnitude of a vector."""
    return float(np.abs(x).max()) if x.size else 0.0


class History:
    """The history of an LBFGS: the last steps and changes of the gradient, and the last iteration."""

    def __init__(self, size):
        self.size = size
        self.changes, self.steps, self.inverses = [], [], []  # y, s, 1 / y·s
        self.scale = 1
        self.d = self.t = self.g = self.loss = None

    @classmethod
    def of(cls, state, size):
        """That of a state."""
        self = cls(size)
        if "old_dirs" in state:
            self.changes = [y.value for y in state["old_dirs"]]
            self.steps = [s.value for s in state["old_stps"]]
            self.inverses = [number(r) for r in state["ro"]]
            self.scale, self.t, self.loss = number(state["H_diag"]), number(state["t"]), state["prev_loss"]
            self.d, self.g = state["d"].value, state["prev_flat_grad"].value
        return self

    def into(self, state):
        """Put it into a state, as tensors."""
        if state["n_iter"] > 1:
            state.setdefault("al", [None] * self.size)
        dtype, asarray = self.g.dtype, namespace(self.g).asarray
        state.update(d=wrap(self.d), t=self.t, old_dirs=[wrap(y) for y in self.changes],
                     old_stps=[wrap(s) for s in self.steps], ro=[wrap(asarray(r, dtype)) for r in self.inverses],
                     H_diag=self.scale if self.scale == 1 else wrap(asarray(self.scale, dtype)),
                     prev_flat_grad=wrap(self.g), prev_loss=self.loss)

    def add(self, g):
        """Remember the last step, unless the curvature along it is not positive."""
        y, s = g - self.g, self.d * self.d.dtype.type(self.t)
        product = float(y @ s)
        if product > 1e-10:
            if len(self.changes) == self.size:
                for kept in (self.changes, self.steps, self.inverses):
                    kept.pop(0)
            self.changes.append(y)
            self.steps.append(s)
            self.inverses.append(1.0 / product)
            self.scale = product / float(y @ y)

    def direction(self, g):
        """Minus the approximate inverse Hessian times the gradient, by the two loops of Nocedal."""
        q, weights = -g, []
        for y, s, r in zip(self.changes[::-1], self.steps[::-1], self.inverses[::-1]):
            weights.append(float(s @ q) * r)
            q = q - y * weights[-1]
        q = q * self.scale
        for y, s, r, w in zip(self.changes, self.steps, self.inverses, weights[::-1]):
            q = q + s * (w - float(y @ q) * r)
        return q


# The line search of LBFGS: a point on a line that satisfies the strong Wolfe conditions, by cubic interpolation.


class Point(NamedTuple):
    """A point on a line: where it is, the loss, its gradient, and its slope along the line."""

    t: float
    f: float
    g: np.ndarray
    slope: float


def between(p, q, low=None, high=None):
    """The minimum of the cubic through two points with their slopes, within bounds (else between them)."""
    if low is None:
        low, high = min(p.t, q.t), max(p.t, q.t)
    a, b = (p, q) if p.t <= q.t else (q, p)
    d1 = p.slope + q.slope - 3 * (p.f - q.f) / (p.t - q.t)
    square = d1 * d1 - p.slope * q.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square)
    bottom = b.slope - a.slope + 2 * d2
    if bottom == 0:
        return high if b.slope + d2 - d1 < 0 else low
    return min(max(b.t - (b.t - a.t) * ((b.slope + d2 - d1) / bottom), low), high)


def strong_wolfe(along, start, t, size, c1=1e-4, c2=0.9, tolerance=1e-9, most=25):
    """A point that satisfies the strong Wolfe conditions, and how many points were tried.

    Nocedal and Wright (2006), algorithms 3.5 and 3.6, with cubic interpolation.

    Args:
        along: the `Point` at a distance.
        start: the point at distance 0.
        t: the first distance to try.
        size: the largest entry of the direction.
    """
    def rises(point):
        return point.f > start.f + c1 * point.t * start.slope

    def flat(point):
        return abs(point.slope) <= -c2 * start.slope

    before, point, tries = start, along(t), 1
    for n in range(most):
        if rises(point) or n > 1 and point.f >= before.f:
            break
        if flat(point):
            return point, tries
        if point.slope >= 0:
            break
        t = between(before, point, point.t + 0.01 * (point.t - before.t), point.t * 10)
        before, point, tries = point, along(t), tries + 1
    else:
        before, n = start, most
    low, high = (before, point) if before.f <= point.f else (point, before)
    stuck = False
    while n < most and abs(high.t - low.t) * size >= tolerance:
        left, right = min(low.t, high.t), max(low.t, high.t)
        t = between(low, high)
        margin = 0.1 * (right - left)
        close = min(right - t, t - left) < margin
        if close and (stuck or t >= right or t <= left):
            t, stuck = right - margin if abs(t - right) < abs(t - left) else left + margin, False
        else:
            stuck = close
        point, tries, n = along(t), tries + 1, n + 1
        if rises(point) or point.f >= low.f:
            low, high = (low, point) if low.f <= point.f else (point, low)
            continue
        if flat(point):
            return point, tries
        if point.slope * (high.t - low.t) >= 0:
            high = low
        low = point
    return low, tries


def _strong_wolfe(obj_func, x, t, d, f, g, gtd, c1=1e-4, c2=0.9, tolerance_change=1e-9, max_ls=25):
    """`strong_wolfe` as programs call it: the loss, its gradient and the distance found, and how many were tried.

    Args:
        obj_func: `(loss, gradient)` of `x + t * d`, from x, t, d.
        f, g, gtd: the loss at x, its gradient, and the slope along d.
    """
    def along(t):
        loss, gradient = obj_func(x, t, d)
        return Point(t, float(loss), (loss, gradient.clone()), float(gradient.dot(d)))

    start = Point(0, float(f), (f, g.clone()), float(gtd))
    best, tries = strong_wolfe(along, start, plain(t), float(d.abs().max()), c1, c2, tolerance_change, max_ls)
    return *best.g, best.t, tries


def _cubic_interpolate(x1, f1, g1, x2, f2, g2, bounds=None):
    """The minimum of a cubic through two points with their values and slopes, within bounds (else between them)."""
    p, q = [Point(plain(x), plain(f), None, plain(g)) for x, f, g in ((x1, f1, g1), (x2, f2, g2))]
    return between(p, q, *(() if bounds is None else map(plain, bounds)))


def plain(x):
    """A number, also one in a tensor, as Python's."""
    return float(x) if isinstance(x, TensorBase) else x
