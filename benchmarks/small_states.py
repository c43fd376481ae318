"""Loops over small states, compiled: what users of JAX's CPU runtime report as slow; values, gradients, first calls.

Each program is written once, for NumPy's functions and for those of `jax.numpy`. Sizes are those of the reports:
carries of many scalars (jax-ml/jax#40150), a cable of neurons (#26145), filters, Hamiltonian Monte Carlo, orbits.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from case import Timed
from compiled import Library, first, row

STEPS = 614
SHARES = {"leaves-4": 0.67, "leaves-16": 0.1, "leaves-60": 0.05, "cable": 0.1, "kalman": 0.1}  # bounds of gradients
OTHERS = 0.67


def leaves(lib: Library, count: int) -> Callable[..., Any]:
    """Chained filters: each scalar of the state, a leaf of its own, follows the one before it with a learnt rate."""
    def loss(rates, inputs):
        def step(state, u):
            out, before = {}, u
            for k in range(count):
                x = state[f"x{k}"]
                gain = 1.0 / (1.0 + lib.np.exp(-rates[k % 4] * (before - x)))
                before = out[f"x{k}"] = x + 0.1 * gain * (before - x) - 0.01 * x * x
            return out, before

        start = {f"x{k}": rates[0] * 0.0 for k in range(count)}
        _, seen = lib.scan(step, start, inputs)
        return lib.np.sum((seen - inputs) ** 2)

    return loss


def cable(lib: Library) -> Callable[..., Any]:
    """Hodgkin and Huxley's equations (1952, J. Physiol. 117, 500) in eight compartments, explicit Euler steps."""
    xp = lib.np

    def rate(v, scale, at, width):
        z = (v - at) / width
        return scale * width * (z / (1.0 - xp.exp(-z)))

    def loss(conductances, current):
        sodium, potassium, leak, axial = conductances

        def step(state, i):
            v, m, h, n = state
            opening = rate(v, 0.1, -40.02, 10.0), 0.07 * xp.exp(-(v + 65.0) / 20.0), rate(v, 0.01, -55.03, 10.0)
            closing = (4.0 * xp.exp(-(v + 65.0) / 18.0), 1.0 / (1.0 + xp.exp(-(v + 35.0) / 10.0)),
                       0.125 * xp.exp(-(v + 65.0) / 80.0))
            m, h, n = (g + 0.025 * (a * (1.0 - g) - b * g) for g, a, b in zip((m, h, n), opening, closing))
            inward = -sodium * m**3 * h * (v - 50.0) - potassium * n**4 * (v + 77.0) - leak * (v + 54.3)
            around = xp.concatenate((v[1:], v[-1:])) + xp.concatenate((v[:1], v[:-1])) - 2.0 * v
            return (v + 0.025 * (inward + axial * around + i * first_only), m, h, n), v[-1]

        first_only = np.eye(8)[0]
        start = tuple(xp.full(8, x) for x in (-65.0, 0.05, 0.6, 0.32))
        _, seen = lib.scan(step, start, current)
        return xp.mean((seen + 60.0) ** 2)

    return loss


def kalman(lib: Library) -> Callable[..., Any]:
    """The likelihood of a local linear trend (Durbin and Koopman 2012, section 3.2): a state of two numbers."""
    xp = lib.np

    def loss(logs, data):
        level, slope, noise = xp.exp(logs[0]), xp.exp(logs[1]), xp.exp(logs[2])
        move = np.array([[1.0, 1.0], [0.0, 1.0]])
        wander = level * np.diag([1.0, 0.0]) + slope * np.diag([0.0, 1.0])

        def step(state, y):
            mean, cov, total = state
            gap, spread = y - mean[0], cov[0, 0] + noise
            gain = cov[:, 0] / spread
            total = total + 0.5 * (xp.log(spread) + gap * gap / spread)
            mean, cov = mean + gain * gap, cov - gain[:, None] * cov[0][None, :]
            return (move @ mean, move @ cov @ move.T + wander, total), None

        (_, _, total), _ = lib.scan(step, (0.0 * logs[:2], 10.0 * xp.eye(2), 0.0 * logs[0]), data)
        return total

    return loss


def garch(lib: Library) -> Callable[..., Any]:
    """The likelihood of GARCH(1, 1) (Bollerslev 1986, J. Econometrics 31, 307): a state of one number."""
    xp = lib.np

    def loss(params, returns):
        base, last, kept = xp.exp(params[0]), 0.3 / (1.0 + xp.exp(-params[1])), 0.6 / (1.0 + xp.exp(-params[2]))

        def step(state, r):
            spread, total = state
            total = total + 0.5 * (xp.log(spread) + r * r / spread)
            return (base + last * r * r + kept * spread, total), None

        return lib.scan(step, (base / (1.0 - last - kept), 0.0 * params[0]), returns)[0][1]

    return loss


def leapfrog(lib: Library) -> Callable[..., Any]:
    """Fifty leapfrog steps of Hamiltonian Monte Carlo in Rosenbrock's density of four variables; the gradient of the
    log-density is part of the program."""
    def potential(q):
        return lib.np.sum(5.0 * (q[1:] - q[:-1] ** 2) ** 2 + 0.5 * (1.0 - q[:-1]) ** 2)

    def loss(q, p):
        slope = lib.f.grad(potential)

        def step(state, _):
            q, p = state
            p = p - 0.005 * slope(q)
            q = q + 0.01 * p
            return (q, p - 0.005 * slope(q)), None

        (q, p), _ = lib.scan(step, (q, p), None, length=50)
        return potential(q) + 0.5 * lib.np.sum(p * p)

    return loss


def orbit(lib: Library) -> Callable[..., Any]:
    """A planet about two fixed masses in the plane, 1,000 symplectic Euler steps."""
    xp = lib.np
    suns = np.array([[-0.5, 0.0], [0.5, 0.0]])

    def loss(start, masses):
        def step(state, _):
            r, v = state
            pull = r[0] * 0.0
            for k in range(2):
                gap = suns[k] - r
                pull = pull + masses[k] * gap / (xp.sum(gap * gap) + 0.01) ** 1.5
            v = v + 0.01 * pull
            return (r + 0.01 * v, v), None

        (r, v), _ = lib.scan(step, (start[:2], start[2:]), None, length=1000)
        return xp.sum(r * r) + xp.sum(v * v)

    return loss


def cases() -> list[Timed]:
    rng = np.random.default_rng(0)
    inputs, walk = np.sin(np.linspace(0.0, 20.0, STEPS)), np.cumsum(rng.normal(size=500))
    rates, logs = np.array([0.5, 1.0, 1.5, 2.0]), np.array([-1.0, -2.0, 0.1])
    conductances = np.array([120.0, 36.0, 0.3, 2.0])
    programs = [
        (f"leaves-{n}", f"`scan` of {STEPS} steps, {n} scalars in the carry", lambda lib, n=n: leaves(lib, n),
         (rates, inputs)) for n in (4, 16, 60)
    ] + [
        ("cable", "Hodgkin-Huxley cable of 8 compartments, 400 steps", cable, (conductances, np.full(400, 10.0))),
        ("kalman", "Kalman filter of 2 states, 500 observations", kalman, (logs, walk)),
        ("garch", "GARCH(1, 1), 500 observations", garch, (logs, rng.normal(size=500))),
        ("leapfrog", "leapfrog, 50 steps in 4 variables", leapfrog, (np.full(4, 0.2), np.linspace(-1.0, 1.0, 4))),
        ("orbit", "orbit about two masses, 1,000 steps", orbit, (np.array([1.0, 0.2, 0.0, 1.0]), np.array([0.6, 0.4]))),
    ]
    found = []
    for name, title, build, args in programs:
        share = SHARES.get(name, OTHERS)
        found.append(row(f"{name}-value", title, build, args, OTHERS))
        found.append(row(name, f"{title}: gradient", _gradient(build), args, share))
        if name in ("kalman", "garch"):
            found.append(row(f"{name}-hessian", f"{title}: Hessian", _hessian(build), args, OTHERS, tolerance=1e-8))
        found.append(first(name, f"{title}: gradient", _gradient(build), args))
    return found


def _gradient(build: Callable[[Library], Any]) -> Callable[[Library], Any]:
    return lambda lib: lib.f.value_and_grad(build(lib))


def _hessian(build: Callable[[Library], Any]) -> Callable[[Library], Any]:
    return lambda lib: lib.f.hessian(build(lib))
