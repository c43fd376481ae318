"""Gradients through 200 Runge-Kutta steps of a differential equation in two variables."""

from types import ModuleType

import numpy
from case import AUTOGRAD, COVECTOR, NUMPY, TORCH, TORCH_FUNC, Bound, Timed, arrays
from libraries import autograd, autograd_numpy, torch

import covector

STEPS, H = 200, 0.02


def unrolled(step, s):
    for _ in range(STEPS):
        s = step(s)
    return s


def network_in(np: ModuleType, loop=unrolled):
    """Return the final squared norm under ds/dt = tanh(a @ s): vector operations only."""

    def final(a, s):
        def slope(s):
            return np.tanh(a @ s)

        return _integrate(slope, s, loop)

    return final


def pendulum_in(np: ModuleType):
    """Return the final squared norm of a damped pendulum: scalar reads and a stack a slope."""

    def final(damping, s):
        def slope(s):
            return np.stack((s[1], -np.sin(s[0]) - damping * s[1]))

        return _integrate(slope, s, unrolled)

    return final


def _integrate(slope, s, loop):
    def step(s):
        k1 = slope(s)
        k2 = slope(s + 0.5 * H * k1)
        k3 = slope(s + 0.5 * H * k2)
        k4 = slope(s + H * k3)
        return s + H / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    s = loop(step, s)
    return (s * s).sum()


def gradient_by_hand(slope, pullback, gradient, s):
    """Run the adjoint of `_integrate` in bare NumPy.

    `pullback(ct, s, k)` returns the cotangents of the parameter and of the state.
    """
    saved = []
    for _ in range(STEPS):
        k1 = slope(s)
        s2 = s + 0.5 * H * k1
        k2 = slope(s2)
        s3 = s + 0.5 * H * k2
        k3 = slope(s3)
        s4 = s + H * k3
        k4 = slope(s4)
        saved.append((s, k1, s2, k2, s3, k3, s4, k4))
        s = s + H / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    value, ct = (s * s).sum(), 2.0 * s
    for s, k1, s2, k2, s3, k3, s4, k4 in reversed(saved):
        g4, c4 = pullback(H / 6.0 * ct, s4, k4)
        g3, c3 = pullback(H / 3.0 * ct + H * c4, s3, k3)
        g2, c2 = pullback(H / 3.0 * ct + 0.5 * H * c3, s2, k2)
        g1, c1 = pullback(H / 6.0 * ct + 0.5 * H * c2, s, k1)
        gradient = gradient + (g1 + g2 + g3 + g4)
        ct = ct + c1 + c2 + c3 + c4
    return value, (gradient, ct)


def network_by_hand(a, s):
    def pullback(ct, s, k):
        ct = ct * (1.0 - k * k)
        return ct[:, None] * s, ct @ a

    return gradient_by_hand(lambda s: numpy.tanh(a @ s), pullback, numpy.zeros_like(a), s)


def pendulum_by_hand(damping, s):
    def slope(s):
        return numpy.stack((s[1], -numpy.sin(s[0]) - damping * s[1]))

    def pullback(ct, s, k):
        return -ct[1] * s[1], numpy.stack((-ct[1] * numpy.cos(s[0]), ct[0] - damping * ct[1]))

    return gradient_by_hand(slope, pullback, numpy.zeros_like(damping), s)


def data():
    """Return matrix and start of the network."""
    return numpy.array([[0.1, 1.0], [-1.0, -0.2]]), numpy.array([1.0, 0.3])


def cases() -> list[Timed]:
    matrix, start = data()
    return [
        _row("rk4", "ds/dt = tanh(a s)", network_in, network_by_hand, matrix, start),
        _row("rk4-pendulum", "pendulum", pendulum_in, pendulum_by_hand, numpy.array(0.1), start),
    ]


def _row(name, equation, final_in, by_hand, parameter, start) -> Timed:
    step = covector.value_and_grad(final_in(numpy), argnums=(0, 1))
    sides = {
        COVECTOR: lambda: step(parameter, start),
        NUMPY: lambda: by_hand(parameter, start),
    }
    if torch is not None:
        final = final_in(torch)
        leaves = tuple(torch.tensor(v, requires_grad=True) for v in (parameter, start))
        constants = tuple(torch.tensor(v) for v in (parameter, start))
        functional = torch.func.grad_and_value(final, argnums=(0, 1))

        def eager():
            value = final(*leaves)
            return value, torch.autograd.grad(value, leaves)

        sides[TORCH] = eager
        sides[TORCH_FUNC] = lambda: functional(*constants)[::-1]
    if autograd is not None:
        anp = autograd_numpy
        theirs = autograd.value_and_grad(final_in(anp), (0, 1))
        sides[AUTOGRAD] = lambda: theirs(parameter, start)
    return Timed(
        name,
        f"gradient through 200 RK4 steps on 2-vectors, {equation}",
        sides,
        arrays,
        (Bound(0.4, TORCH),),
    )
