"""GradBench's particle and saddle: derivatives of descents that end by a test, through loops that hold derivatives.

Each descent takes its slope in forward (F) or reverse (R) mode; the first letter is the mode of the outer one. After
B. A. Pearlmutter and J. M. Siskind (2007), "Using Programming Language Theory to Make Automatic Differentiation Sound
and Efficient".
"""

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from case import Bound, Measured

import covector
import covector.numpy as cnp

STEPS = 1000  # of a loop at most: reverse mode asks for a bound
LIMIT_MS = 10.0
MODES: dict[str, Callable[..., Any]] = {"F": covector.jacfwd, "R": covector.grad}


def descent(f: Callable[..., Any], start: Any, mode: str) -> Any:
    """The place of a minimum, by steps that double after ten that went down, and are halved after one that did not."""
    slope = MODES[mode](f)

    def step(state):
        x, fx, gx, eta, count, _ = state
        done = (cnp.linalg.norm(gx) <= 1e-5) | (count != 10) & (cnp.linalg.norm(eta * gx) <= 1e-5)

        def double():
            return x, fx, gx, 2 * eta, 0 * count, done

        def move():
            new = x - eta * gx
            value = f(new)
            return covector.cond(value < fx, lambda: (new, value, slope(new), eta, count + 1, done),
                                 lambda: (x, fx, gx, eta / 2, 0 * count, done))

        def go_on():
            return covector.cond(count == 10, double, move)

        return covector.cond(done, lambda: (x, fx, gx, eta, count, done), go_on)

    begin = start, f(start), slope(start), 1e-5, 0, False
    return covector.while_loop(lambda state: np.logical_not(state[-1]), step, begin, max_steps=STEPS)[0]


def saddle(outer: str, inner: str) -> Callable[..., Any]:
    """The minimum over p of the maximum over q of `|p|² - |q|²`."""
    def run(start):
        def best(p):
            return descent(lambda q: cnp.sum(q * q) - cnp.sum(p * p), start, inner)

        p = descent(lambda p: cnp.sum(p * p) - cnp.sum(best(p) ** 2), start, outer)
        return cnp.stack([p, best(p)])

    return run


def particle(outer: str, inner: str) -> Callable[..., Any]:
    """The charge's place that brings a particle, moved by Euler's steps through a field, to the origin."""
    def miss(w):
        charges = cnp.stack([cnp.stack([10.0, 10.0 - w[0]]), cnp.asarray([10.0, 0.0])])
        force = MODES[inner](lambda x: cnp.sum(1.0 / cnp.linalg.norm(x - charges, axis=1)))

        def step(state):
            x, v = state
            return x + 0.1 * v, v - 0.1 * force(x)

        x, v = covector.while_loop(lambda s: (s[0] + 0.1 * s[1])[1] > 0, step,
                                   (cnp.asarray([0.0, 8.0]), cnp.asarray([0.75, 0.0])), max_steps=STEPS)
        return (x[0] - x[1] / v[1] * v[0]) ** 2

    return lambda start: descent(miss, start, outer)


PROGRAMS = (("particle", particle, np.zeros(1), np.array([0.20719187464861194])),
            ("saddle", saddle, np.ones(2), np.full((2, 2), 8.246324826140356e-06)))


def cases() -> list[Measured]:
    return [_case(*program, order) for program in PROGRAMS for order in ("FF", "FR", "RF", "RR")]


def _case(name: str, program: Callable[..., Any], start: Any, answer: Any, order: str) -> Measured:
    def measure(quick: bool) -> Any:
        run, times = covector.jit(program(*order)), []
        np.testing.assert_allclose(run(start), answer, rtol=1e-6)
        for _ in range(3 if quick else 31):
            begin = process_time()
            run(start)
            times.append(process_time() - begin)
        return min(times) * 1e3, {}

    return Measured(f"{name}-{order.lower()}", f"GradBench's {name}, {order}: nested descents", "ms", measure,
                    (Bound(LIMIT_MS),))


if __name__ == "__main__":
    for case in cases():
        print(case.title, f"{case.measure(False)[0]:.2f} ms")
