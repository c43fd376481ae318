"""The kinds of work of the suites GradBench and ADBench, compiled: a value with its gradient over the value alone.

Each program is written once, for NumPy's functions and for those of `jax.numpy`. The rows compare values and gradients
with JAX; `gradbench` is the geometric mean, over all programs, of the time of both over that of the value.
"""

from collections.abc import Callable
from statistics import geometric_mean, median
from typing import Any, NamedTuple

import mixture
import numpy as np
import recurrent
from case import COVECTOR, Bound as Limit, Measured, Timed
from compiled import OPTIONS, OURS, Library, row
from timing import interleave

import covector

MEAN = 2.0  # of the gradients over their values
SLOWEST = 2.0  # of a row over JAX


class Program(NamedTuple):
    """`build(lib)` is a function of `args`, differentiated by the first; `steep(lib)` what the row times of it."""

    name: str
    title: str
    build: Callable[[Library], Callable[..., Any]]
    args: tuple[Any, ...]
    steep: Callable[[Library], Callable[..., Any]] | None = None

    def slope(self, lib: Library) -> Callable[..., Any]:
        return self.steep(lib) if self.steep is not None else lib.f.value_and_grad(self.build(lib))


def gmm(lib: Library) -> Callable[..., Any]:
    def loss(point, x, lower, identity):
        _, _, scales, factors = point
        prior = 0.5 * ((lib.np.exp(scales) ** 2).sum() + ((factors * lower) ** 2).sum()) - scales.sum()
        return mixture.likelihood(lib.np, lib.logsumexp, x, lower, identity, *point) - prior

    return loss


def _rotated(xp: Any, r: Any, x: Any) -> Any:
    """`x` turned about the axis `r` by its length: Rodrigues' formula."""
    angle = xp.sqrt((r * r).sum(-1, keepdims=True) + 1e-12)
    axis, c, s = r / angle, xp.cos(angle), xp.sin(angle)
    return x * c + _cross(xp, axis, x) * s + axis * ((axis * x).sum(-1, keepdims=True) * (1.0 - c))


def _cross(xp: Any, a: Any, b: Any) -> Any:
    (a0, a1, a2), (b0, b1, b2) = [[v[..., k] for k in range(3)] for v in (a, b)]
    return xp.stack(xp.broadcast_arrays(a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0), -1)


def reprojection(lib: Library) -> Callable[..., Any]:
    """Residuals of bundle adjustment for one observation: camera (11), point (3), weight (1) as one vector."""
    def residual(both, seen):
        camera, x, weight = both[:11], both[11:14], both[14]
        p = _rotated(lib.np, camera[:3], x - camera[3:6])
        p = p[:2] / p[2]
        square = (p * p).sum()
        p = p * (1.0 + camera[9] * square + camera[10] * square * square)
        return weight * (camera[6] * p + camera[7:9] - seen)

    return residual


def bundle(lib: Library) -> Callable[..., Any]:
    one = reprojection(lib)
    return lambda cameras, points, weights, which, places, seen: lib.f.vmap(one)(
        lib.np.concatenate((cameras[which], points[places], weights[:, None]), 1), seen)


def bundle_jacobian(lib: Library) -> Callable[..., Any]:
    one = lib.f.jacrev(reprojection(lib))
    return lambda cameras, points, weights, which, places, seen: lib.f.vmap(one)(
        lib.np.concatenate((cameras[which], points[places], weights[:, None]), 1), seen)


def hand(lib: Library) -> Callable[..., Any]:
    """Hand tracking: five fingers of three joints, vertices that follow weighted bones, squared distance to points."""
    xp = lib.np

    def about_x(a):
        one, zero = xp.ones_like(a), xp.zeros_like(a)
        c, s = xp.cos(a), xp.sin(a)
        return xp.stack((one, zero, zero, zero, c, -s, zero, s, c), -1).reshape((*a.shape, 3, 3))

    def about_z(a):
        one, zero = xp.ones_like(a), xp.zeros_like(a)
        c, s = xp.cos(a), xp.sin(a)
        return xp.stack((c, -s, zero, s, c, zero, zero, zero, one), -1).reshape((*a.shape, 3, 3))

    def loss(theta, bases, offsets, weights, vertices, targets):
        angles = theta[6:].reshape((5, 4))
        turn, at = about_z(angles[:, 0]) @ about_x(angles[:, 1]), bases
        turns, places = [turn], [at]
        for k in (1, 2):
            at = at + (turn @ offsets[k - 1][:, :, None])[:, :, 0]
            turn = turn @ about_x(angles[:, k + 1])
            turns.append(turn)
            places.append(at)
        turns, places = xp.concatenate(turns), xp.concatenate(places)
        bones = xp.einsum("vb,bij->vij", weights, turns)
        skin = (bones @ vertices[:, :, None])[:, :, 0] + weights @ places
        return ((_rotated(xp, theta[:3], skin) + theta[3:6] - targets) ** 2).sum()

    return loss


def kmeans(lib: Library) -> Callable[..., Any]:
    def cost(centres, x):
        return ((x[:, None, :] - centres) ** 2).sum(2).min(1).sum()

    return cost


def lstm(lib: Library) -> Callable[..., Any]:
    return recurrent.loss_in(lib.np, lib.sigmoid, lambda cell, state, xs: lib.scan(
        lambda state, x: (cell(state, x), None), state, xs)[0])


def squares(lib: Library) -> Callable[..., Any]:
    return lambda x, powers, signs: 0.5 * ((signs - powers @ x) ** 2).sum()


def ode(lib: Library) -> Callable[..., Any]:
    """`y0' = x0`, `yk' = xk y(k-1)`, by 50 steps of Runge and Kutta."""
    def last(x):
        def slope(y):
            return lib.np.concatenate((x[:1], x[1:] * y[:-1]))

        def step(y, _):
            h = 1.0 / 50
            a = slope(y)
            b = slope(y + 0.5 * h * a)
            c = slope(y + 0.5 * h * b)
            return y + h / 6.0 * (a + 2.0 * b + 2.0 * c + slope(y + h * c)), None

        return lib.scan(step, 0.0 * x, None, length=50)[0][-1]

    return last


def determinant(lib: Library) -> Callable[..., Any]:
    """The product of the pivots of an elimination."""
    def product(x):
        found = x[0, 0]
        while len(x) > 1:
            x = x[1:, 1:] - x[1:, :1] * (x[:1, 1:] / x[0, 0])
            found = found * x[0, 0]
        return found

    return product


def particle(lib: Library) -> Callable[..., Any]:
    """Where a particle is after 200 Euler steps in the field of two charges; its acceleration is a gradient."""
    def potential(x, charges):
        return (1.0 / lib.np.sqrt(((x - charges) ** 2).sum(1))).sum()

    def miss(w, start):
        charges = lib.np.stack((lib.np.stack((w * 10.0, 10.0 - w)), lib.np.stack((w * 0.0 + 10.0, w * 0.0))))

        def step(state, _):
            x, v = state
            a = -lib.f.grad(potential)(x, charges)
            return (x + 0.05 * v, v + 0.05 * a), None

        (x, _), _ = lib.scan(step, (start, lib.np.array([0.75, 0.0])), None, length=200)
        return (x**2).sum()

    return miss


def saddle(lib: Library) -> Callable[..., Any]:
    """The value at `x` of a minimum over `x` of a maximum over `y`, the inner one by 100 steps along a gradient."""
    def between(x, y):
        return (x**2).sum() - (y**2).sum() + 0.3 * (x * y).sum()

    def best(x, start):
        def climb(y, _):
            return y + 0.05 * lib.f.grad(between, 1)(x, y), None

        return between(x, lib.scan(climb, start, None, length=100)[0])

    return best


def programs() -> list[Program]:
    rng = np.random.default_rng(0)
    point, constants = mixture.data()
    cameras = rng.normal(size=(20, 11)) * 0.1 + np.array([0, 0, 0, 0, 0, -5.0, 1.0, 0, 0, 0, 0])
    points, weights = rng.normal(size=(500, 3)), rng.uniform(0.5, 1.5, 2000)
    which, places = rng.integers(0, 20, 2000), rng.integers(0, 500, 2000)
    share = rng.uniform(size=(544, 15)) ** 8
    hands = (rng.normal(size=(5, 3)), rng.normal(size=(2, 5, 3)), share / share.sum(1, keepdims=True),
             rng.normal(size=(544, 3)), rng.normal(size=(544, 3)))
    line = np.linspace(-1.0, 1.0, 2000)
    return [
        Program("gmm", "Gaussian mixture with a prior, d 10, K 25, n 1000", gmm, (point, *constants)),
        Program("ba", "bundle adjustment, 2000 observations: residuals and their Jacobians", bundle,
                (cameras, points, weights, which, places, rng.normal(size=(2000, 2))), bundle_jacobian),
        Program("hand", "hand tracking, 26 angles, 544 vertices", hand, (0.3 * rng.normal(size=26), *hands)),
        Program("kmeans", "k-means, 10 centres, 1000 points in 8 dimensions", kmeans,
                (rng.normal(size=(10, 8)), rng.normal(size=(1000, 8)))),
        Program("lstm", "LSTM, 50 steps, hidden 128, batch 16", lstm, recurrent.data()),
        Program("lse", "log-sum-exp of 100,000", lambda lib: lambda x: lib.logsumexp(x, 0),
                (rng.normal(size=100_000),)),
        Program("llsq", "least squares, 2000 points, 64 powers", squares,
                (rng.normal(size=64), line[:, None] ** np.arange(64), np.sign(line))),
        Program("ode", "an ODE of 100 variables by 50 Runge-Kutta steps", ode, (rng.uniform(0.5, 1.5, 100),)),
        Program("det", "determinant by elimination, 16 x 16", determinant,
                (np.eye(16) + 0.1 * rng.normal(size=(16, 16)),)),
        Program("particle", "a particle in a field, its acceleration a gradient", particle,
                (np.asarray(0.3), np.array([0.0, 8.0]))),
        Program("saddle", "a minimum of a maximum, the inner one by gradients", saddle,
                (np.array([1.0, 2.0]), np.array([0.5, -0.5]))),
    ]


def cases() -> list[Timed | Measured]:
    found: list[Timed | Measured] = []
    for p in programs():
        found.append(row(f"gradbench-{p.name}-value", p.title, p.build, p.args, SLOWEST, tolerance=1e-8))
        found.append(row(f"gradbench-{p.name}", f"{p.title}: gradient", p.slope, p.args, SLOWEST, tolerance=1e-8))
    found.append(Measured("gradbench", "value and gradient over value, geometric mean of 11 programs", "x", _mean,
                          (Limit(MEAN),)))
    return found


def _mean(quick: bool) -> tuple[float, dict[str, Any]]:
    """The geometric mean of the ratios, and each of them."""
    ratios = {}
    for p in programs():
        value = covector.jit(p.build(OURS), compiler_options=OPTIONS)
        slope = covector.jit(p.slope(OURS), compiler_options=OPTIONS)
        sides = {"value": lambda run=value, p=p: run(*p.args), COVECTOR: lambda run=slope, p=p: run(*p.args)}
        taken = interleave(sides, 5 if quick else 31, 0.5 if quick else 4.0)
        ratios[p.name] = median(a / b for a, b in zip(taken[COVECTOR], taken["value"], strict=True))
    return geometric_mean(ratios.values()), ratios
