"""What calls of NumPy and operations on floats take, and how well the compiler chooses between the two by it.

`python benchmarks/printers.py` prints both; the first are the constants in `transforms/compile/analysis/cost.py`.
"""

import sys
import time
import timeit
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import chain
import mlp
import numpy as np
import rk4
import rosenbrock

import covector
from covector.core.errors import RuleError

MARGIN, PROGRAMS, LENGTH = 1.2, 60, 8
UNARY = (np.sin, np.exp, np.tanh, np.square, np.negative, np.sqrt, lambda x: 1.0 / (1.0 + x * x), np.abs)
BINARY = (np.add, np.multiply, np.subtract, np.maximum, lambda x, y: x / (2.0 + y * y), np.hypot)


def by_rows() -> Iterator[tuple[str, Callable[..., Any], tuple]]:
    """The rows of the table with few elements: names, functions, arguments."""
    four = np.linspace(0.1, 0.9, 4)
    bumps = chain.chain_in(np)
    network = rk4.network_in(np, lambda step, s: covector.scan(lambda s, _: (step(s), None), s, None, length=50)[0])
    yield "chain", bumps, (four,)
    yield "chain, gradient", covector.value_and_grad(bumps), (four,)
    for n in (2, 4, 10, 20, 40, 100):
        x = np.linspace(-1.2, 1.4, n)
        yield f"Rosenbrock {n}", rosenbrock.rosenbrock_in(np), (x,)
        yield f"Rosenbrock {n}, gradient", covector.grad(rosenbrock.rosenbrock_in(np)), (x,)
        if n <= 20:
            yield f"Rosenbrock {n}, Hessian", covector.hessian(rosenbrock.rosenbrock_in(np)), (x,)
    yield "RK4, gradient", covector.value_and_grad(network, argnums=(0, 1)), rk4.data()
    yield "MLP, gradient", covector.grad(mlp.squared_error_in(np)), (
        mlp.parameters(mlp.SMALL, np.float64), *mlp.regression(np.float64))
    for n in (2, 3, 4, 6, 8):
        a, b = np.eye(n) * 0.9 + 0.1, np.linspace(0.1, 1.0, n)
        yield f"{n} x {n} matrix", lambda a, b: np.tanh(a @ b) @ b, (a, b)
        yield f"{n} x {n} product", lambda a, b: a @ a @ a, (a, b)
        yield f"{n} x {n} matrix, gradient", covector.grad(lambda a, b: np.tanh(a @ b) @ b), (a, b)
        yield f"{n} x {n} matrix, loop", lambda a, b: covector.fori_loop(0, 50, lambda i, c: np.tanh(a @ c), b), (a, b)
    yield "Newton", lambda x: covector.while_loop(lambda c: abs(c * c - x) > 1e-9, lambda c: 0.5 * (c + x / c), x), (
        2.0,)
    yield "Newton, forward", covector.jacfwd(lambda x: covector.while_loop(
        lambda c: abs(c * c - x) > 1e-9, lambda c: 0.5 * (c + x / c), x)), (2.0,)


def drawn(seed: int) -> tuple[str, Callable[..., Any], tuple]:
    """A random program of 1 to 64 elements: elementwise operations, products, sums, parts, half of them in a loop."""
    rng = np.random.default_rng(seed)
    n = int(np.exp(rng.uniform(0.0, np.log(64.5))))
    count, scale = int(rng.integers(1, 4)), 0.5 / np.sqrt(n)
    inputs = tuple(rng.uniform(0.1, 0.9, n) if not k or rng.random() < 0.6 else rng.uniform(0.1, 0.9)
                   for k in range(count))
    matrix = scale * rng.normal(size=(n, n))
    length = int(rng.integers(2, LENGTH + 1))
    steps = [(int(rng.integers(6)), int(rng.integers(8)), rng.random(2)) for _ in range(length)]

    def body(*values):
        values = list(values)
        for kind, which, places in steps:
            x, y = (values[int(len(values) * p**0.5)] for p in places)
            if kind == 0 and n <= 16 and np.ndim(x):
                values.append(matrix @ x)
            elif kind == 1 and np.ndim(x):
                values.append(x.sum() * 0.1 + y)
            elif kind == 2 and np.ndim(x) and n > 1:
                values.append(np.concatenate([x[1:], x[:1]]))
            elif kind < 5:
                values.append(UNARY[which % len(UNARY)](x))
            else:
                values.append(BINARY[which % len(BINARY)](x, y))
        return values[-1] + 0.3 * values[-2] * values[len(inputs)]

    name, fun = f"drawn {seed}, n {n}", body
    if rng.random() < 0.4:
        def fun(x, *rest):
            return covector.fori_loop(0, 30, lambda i, c: 0.5 * c + 0.1 * body(c, *rest), x)

        name += ", loop"
    if rng.random() < 0.5:
        return f"{name}, gradient", covector.grad(lambda *xs: np.sum(fun(*xs))), inputs
    return name, fun, inputs


def programs() -> Iterator[tuple[str, Callable[..., Any], tuple]]:
    """All programs that the choice is looked at on."""
    yield from by_rows()
    for seed in range(PROGRAMS):
        yield drawn(seed)


def microseconds(runs: dict[Any, Callable[[], Any]], rounds: int) -> dict[Any, float]:
    """The least time of a call of each, in turns: what slows one down slows all."""
    timers = {name: timeit.Timer(run, timer=time.process_time) for name, run in runs.items()}
    counts = {name: max(8, int(0.004 / max(timer.timeit(8) / 8, 1e-6))) for name, timer in timers.items()}
    found = [{name: timer.timeit(counts[name]) / counts[name] for name, timer in timers.items()} for _ in range(rounds)]
    return {name: min(turn[name] for turn in found) * 1e6 for name in runs}


def fitted(rounds: int) -> dict[str, float]:
    """What each kind of equation and statement takes in a program, in microseconds: the slopes of longer programs."""
    number, four, many = np.float64(0.9), np.linspace(0.5, 0.9, 4), np.linspace(0.5, 0.9, 64)
    flags, matrix, large = np.arange(64) % 2 > 0, 0.3 * np.eye(4) + 0.01, 0.3 * np.eye(16) + 0.01
    builds: dict[str, tuple[Callable[[int], Any], int, int]] = {}
    for kind, printer, op, x, y in (
        ("number", "numpy", lambda z, y: z * y, number, number),
        ("function of a number", "numpy", lambda z, y: np.sin(z), number, number),
        ("call on numbers", "numpy", lambda z, y: np.hypot(z, y), number, number),
        ("ufunc of 4", "numpy", lambda z, y: z * y, four, four),
        ("ufunc of 64", "numpy", lambda z, y: z * y, many, many),
        ("function of 4", "numpy", lambda z, y: np.sin(z), four, four),
        ("function of 64", "numpy", lambda z, y: np.sin(z), many, many),
        ("view", "numpy", lambda z, y: z[::-1], four, four),
        ("sum and ufunc", "numpy", lambda z, y: z.sum() * y, four, four),
        ("where", "numpy", lambda z, y: np.where(flags, z, y), many, many[::-1]),
        ("concatenate and view", "numpy", lambda z, y: np.concatenate([z, y])[2:6], four, four),
        ("product 4 x 4", "numpy", lambda z, y: y @ z, four, matrix),
        ("plain", "scalar", lambda z, y: z * y, number, number),
        ("call", "scalar", lambda z, y: np.sin(z), number, number),
        ("product 16 x 16 on floats", "scalar", lambda z, y: y @ z, large[0], large),
    ):
        many_times = 16 if kind.endswith("floats") else 40
        builds[kind] = partial(_repeated, op, printer, x, y), 4, many_times
    for printer in ("numpy", "scalar"):
        builds[f"turn and multiplication, {printer}"] = partial(_loop, printer, number), 20, 100
    for kind, x in (("number", number), ("array of 1", four[:1]), ("array of 64", many)):
        builds[f"in: {kind}"] = partial(_arguments, x), 1, 9
        builds[f"out: {kind}"] = partial(_results, x), 1, 9
    runs = {(kind, n): build(n) for kind, (build, *counts) in builds.items() for n in counts}
    took = microseconds(runs, rounds)
    return {kind: (took[kind, many] - took[kind, few]) / (many - few) for kind, (_, few, many) in builds.items()}


def _compiled(fun, printer, *args):
    compiled = covector.jit(fun, compiler_options={"printer": printer})
    compiled(*args)
    return partial(compiled, *args)


def _repeated(op, printer, x, y, count):
    def fun(x, y):
        for _ in range(count):
            x = op(x, y)
        return x

    return _compiled(fun, printer, x, y)


def _loop(printer, x, steps):
    return _compiled(lambda x: covector.scan(lambda c, _: (c * x, None), x, None, length=steps)[0], printer, x)


def _arguments(x, count):
    return _compiled(lambda *xs: sum(x[-1] if x.ndim else x for x in xs), "scalar", *[x] * count)


def _results(x, count):
    return _compiled(lambda x: [x[::-1] if x.ndim else x + 1.0 for _ in range(count)], "scalar", x)


def choices(quick: bool) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Of each program: its name, what was chosen, and what each way of writing it takes."""
    for name, fun, args in islice(programs(), 5 if quick else None):
        runs, texts = {}, {}
        for printer in ("numpy", "scalar", "auto"):
            compiled = covector.jit(fun, compiler_options={"printer": printer})
            try:
                texts[printer] = compiled.lower(*args).source
            except RuleError:
                continue
            runs[printer] = partial(compiled, *args)
        chosen = next(printer for printer, text in texts.items() if text == texts["auto"])
        if chosen != "auto":
            del runs["auto"]
        yield name, chosen, microseconds(runs, 2 if quick else 7)


def report(quick: bool) -> None:
    """Print what each kind of operation takes, and where the choice that follows from it costs time."""
    for kind, took in fitted(2 if quick else 25).items():
        print(f"{kind:34} {took:7.3f}")
    wrong = total = 0
    for name, chosen, took in choices(quick):
        lost = took[chosen] / min(took.values())
        total += 1
        wrong += lost > MARGIN
        shown = "  ".join(f"{printer} {t:8.2f}" for printer, t in took.items())
        print(f"{name:34} {shown:48} {chosen:7} {lost:5.2f}{' <--' if lost > MARGIN else ''}")
    print(f"{wrong} of {total} programs take more than {MARGIN} times the faster one")


if __name__ == "__main__":
    np.seterr(all="ignore")
    report("--quick" in sys.argv)
