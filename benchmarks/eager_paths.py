"""Paths beside the common ones: Python numbers, tangents of small steps, loops, joined parts, triangular systems."""

from types import ModuleType

import numpy
import rk4
from case import COVECTOR, NUMPY, TORCH, TORCH_FUNC, Bound, Timed, arrays
from libraries import torch

import covector
import covector.scipy.linalg

STEPS, LEAVES, PARTS, POINTS = 1000, 60, 2000, 600


def cases() -> list[Timed]:
    rows = [_python_number(), _pendulum_jvp(), _scan(), _scan_of_many(), _joined()]
    return rows if torch is None else [*rows, _gaussian_process()]


def _python_number() -> Timed:
    """The same chain of 200 products at a Python number and at NumPy's."""
    def power(x):
        y = x
        for _ in range(200):
            y = y * x
        return y

    def by_hand(x):
        y, saved = x, []
        for _ in range(200):
            saved.append(y)
            y = y * x
        ct, gradient = numpy.float64(1.0), numpy.float64(0.0)
        for y in reversed(saved):
            gradient, ct = gradient + ct * y, ct * x
        return gradient + ct

    gradient, x = covector.grad(power), 1.01
    sides = {COVECTOR: lambda: gradient(x), NUMPY: lambda: by_hand(numpy.float64(x))}
    if torch is not None:
        leaf = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        sides[TORCH] = lambda: torch.autograd.grad(power(leaf), leaf)[0]
    return Timed("python-number", "gradient of 200 products at a Python number, per product", sides, arrays,
                 (Bound(0.45, TORCH),), per=200)


def _pendulum_jvp() -> Timed:
    point = numpy.array(0.1), numpy.array([1.0, 0.3])
    tangent = numpy.array(1.0), numpy.array([0.5, 0.2])
    final = rk4.pendulum_in(numpy)
    h = 1e-6

    def by_differences():
        above, below = [final(*[p + s * t for p, t in zip(point, tangent, strict=True)]) for s in (h, -h)]
        return final(*point), (above - below) / (2 * h)

    sides = {COVECTOR: lambda: covector.jvp(final, point, tangent), NUMPY: by_differences}
    if torch is not None:
        theirs = rk4.pendulum_in(torch)
        primals, tangents = [tuple(map(torch.tensor, v)) for v in (point, tangent)]
        sides[TORCH_FUNC] = lambda: torch.func.jvp(theirs, primals, tangents)
    return Timed("rk4-pendulum-jvp", "jvp through 200 RK4 steps on 2-vectors, pendulum", sides, arrays,
                 (Bound(0.3, TORCH_FUNC),), tolerance=1e-6, note="NumPy: differences, three runs")


def _scan() -> Timed:
    xs = numpy.arange(float(STEPS))

    def in_python():
        carry, out = 0.0, []
        for x in xs:
            carry = carry + x
            out.append(carry)
        return carry, numpy.array(out)

    sides = {COVECTOR: lambda: covector.scan(lambda c, x: (c + x, c + x), 0.0, xs), NUMPY: in_python}
    return Timed("scan-step", "eager scan of a sum, per step", sides, arrays, (Bound(15.0, NUMPY),), per=STEPS)


def _scan_of_many() -> Timed:
    start, xs = {f"k{k}": numpy.full(3, float(k)) for k in range(LEAVES)}, numpy.arange(float(STEPS))

    def in_python():
        carry, out = start, []
        for _ in xs:
            carry = dict(carry)
            out.append(carry)
        return carry, {name: numpy.stack([row[name] for row in out]) for name in start}

    sides = {COVECTOR: lambda: covector.scan(lambda c, x: (c, c), start, xs), NUMPY: in_python}
    return Timed("scan-step-60", f"eager scan of a dict of {LEAVES} arrays that collects them, per step", sides, arrays,
                 (Bound(25.0),), per=STEPS)


def _joined() -> Timed:
    parts = [numpy.full(3, float(k)) for k in range(PARTS)]

    def loss_in(np: ModuleType):
        return lambda *parts: (np.concatenate(parts) ** 2).sum()

    gradient = covector.grad(loss_in(numpy), argnums=tuple(range(PARTS)))
    sides = {COVECTOR: lambda: gradient(*parts), NUMPY: lambda: numpy.split(2.0 * numpy.concatenate(parts), PARTS)}
    if torch is not None:
        leaves, theirs = [torch.tensor(p, requires_grad=True) for p in parts], loss_in(torch)
        sides[TORCH] = lambda: torch.autograd.grad(theirs(*leaves), leaves)
    return Timed("joined-parts", f"gradient of {PARTS} arrays joined by concatenate, per array", sides, arrays,
                 (Bound(3.0, TORCH),), per=PARTS)


def _gaussian_process() -> Timed:
    rng = numpy.random.default_rng(0)
    points = rng.normal(size=(POINTS, 3))
    values, eye = numpy.sin(points.sum(axis=1)), numpy.eye(POINTS)
    apart = ((points[:, None] - points) ** 2).sum(axis=-1)

    def likelihood(np, solve, theta, apart, values, eye):
        kernel = np.exp(theta[0] - 0.5 * apart / np.exp(theta[1])) + np.exp(theta[2]) * eye
        factor = np.linalg.cholesky(kernel)
        white = solve(factor, values)
        return -0.5 * (white * white).sum() - np.log(np.diagonal(factor)).sum()

    def ours(factor, values):
        return covector.scipy.linalg.solve_triangular(factor, values, lower=True)

    def theirs(factor, values):
        return torch.linalg.solve_triangular(factor, values[:, None], upper=False)

    theta = numpy.array([0.1, 0.2, -2.0])
    step = covector.value_and_grad(lambda theta: likelihood(numpy, ours, theta, apart, values, eye))
    leaf = torch.tensor(theta, requires_grad=True)
    constants = [torch.tensor(v) for v in (apart, values, eye)]

    def eager():
        value = likelihood(torch, theirs, leaf, *constants)
        return value, torch.autograd.grad(value, leaf)[0]

    return Timed("gaussian-process", f"gradient of the log likelihood of a Gaussian process, {POINTS} points",
                 {COVECTOR: lambda: step(theta), TORCH: eager}, arrays, (Bound(1.0, TORCH),))
