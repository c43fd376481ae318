"""Random programs: a small language over arrays that NumPy, covector and JAX can each interpret."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

SHAPES = ((), (3,), (2, 3), (3, 3), (1, 3), (2, 1, 3))
_LARGEST = 64
_BOUND = 20.0


class Library(NamedTuple):
    """What an interpreter offers beside the NumPy namespace `np`."""

    np: Any
    grad: Callable[..., Any]
    jvp: Callable[..., Any]
    vmap: Callable[..., Any]
    cond: Callable[..., Any]
    scan: Callable[..., Any]
    checkpoint: Callable[..., Any]
    stop_gradient: Callable[..., Any]
    write: Callable[..., Any]  # write(x, index, value, add): a copy of x with x[index] = value, or += value


class Step(NamedTuple):
    """One statement: an operation, the values it takes (inputs first, then earlier steps), its static parameters."""

    name: str
    args: tuple[int, ...]
    params: tuple[Any, ...]


class Program(NamedTuple):
    """Inputs and statements; the answer is `sum(sin(last value) * weights)`."""

    inputs: tuple[Any, ...]
    steps: tuple[Step, ...]

    def run(self, lib: Library, inputs: Sequence[Any]) -> Any:
        """The scalar answer."""
        values = list(inputs)
        for step in self.steps:
            values.append(OPERATIONS[step.name].fun(lib, *[values[k] for k in step.args], *step.params))
        last = lib.np.sin(lib.np.reshape(values[-1], (-1,)))
        return lib.np.sum(last * np.linspace(0.5, 1.5, last.shape[0]))

    def __str__(self) -> str:
        lines = [f"v{k} = array({x.tolist()!r})" for k, x in enumerate(self.inputs)]
        for k, step in enumerate(self.steps, len(self.inputs)):
            shown = [f"v{a}" for a in step.args] + [repr(p) for p in step.params]
            lines.append(f"v{k} = {step.name}({', '.join(shown)})")
        return "\n".join(lines)

    @property
    def smooth(self) -> bool:
        """Whether finite differences see what the derivative sees."""
        return not any(step.name == "stop_gradient" for step in self.steps)


class Operation(NamedTuple):
    """How many values an operation takes, how its parameters are drawn, and what it computes."""

    arity: int
    draw: Callable[[np.random.Generator], tuple]
    fun: Callable[..., Any]


def _none(rng: np.random.Generator) -> tuple:
    return ()


def _axis(rng: np.random.Generator) -> tuple:
    return (int(rng.integers(-2, 2)),)


def _axes(rng: np.random.Generator) -> tuple:
    return ([None, 0, -1, (0, 1)][rng.integers(4)], bool(rng.integers(2)))


_INDICES = (0, -1, slice(None, None, -1), slice(1, None), (Ellipsis, slice(0, 2)), (Ellipsis, None), (slice(None), 1),
            (Ellipsis, np.array([0, 2, 0])), np.array([1, 1, 0]), (0, np.array([2, 0])),
            (np.array([0, 1, 0]), np.array([1, 2, 1])))


def _index(rng: np.random.Generator) -> tuple:
    return (_INDICES[rng.integers(len(_INDICES))],)


def _place(rng: np.random.Generator) -> tuple:
    return (_INDICES[rng.integers(7)], bool(rng.integers(2)))


def _target(rng: np.random.Generator) -> tuple:
    return ([(-1,), (3, -1), (1, -1), (-1, 1), (2, 3)][rng.integers(5)],)


def _subscripts(rng: np.random.Generator) -> tuple:
    return (["ij,jk->ik", "ij,ij->i", "i,j->ij", "ij,j->i", "ij,kj->ki", "i,i->"][rng.integers(6)],)


def _logsumexp(lib: Library, x: Any, axis: int) -> Any:
    top = lib.np.max(x, axis=axis, keepdims=True)
    return lib.np.log(lib.np.sum(lib.np.exp(x - top), axis=axis)) + lib.np.squeeze(top, axis=axis)


def _cond(lib: Library, x: Any, y: Any) -> Any:
    return lib.cond(lib.np.sum(x) > 0.1, lambda a, b: lib.np.sin(a) * b, lambda a, b: a + lib.np.tanh(b), x, y)


def _scan(lib: Library, x: Any, y: Any) -> Any:
    def step(carry: Any, row: Any) -> Any:
        new = lib.np.tanh(carry + row * y[0])
        return new, new * carry

    if y[0].shape != x[0].shape:
        raise ValueError("a carry keeps its shape")
    carry, rows = lib.scan(step, y[0], x)
    return rows + carry


def _where(lib: Library, x: Any, y: Any) -> Any:
    return lib.np.where(x > y, lib.np.sin(x), y * 0.5)


def _masked_log(lib: Library, x: Any) -> Any:
    return lib.np.where(x > 0.3, lib.np.log(lib.np.where(x > 0.3, x, 1.0)), x)


def _unary(fun: Callable[[Any, Any], Any]) -> Operation:
    return Operation(1, _none, lambda lib, x: fun(lib.np, x))


def _binary(fun: Callable[[Any, Any, Any], Any]) -> Operation:
    return Operation(2, _none, lambda lib, x, y: fun(lib.np, x, y))


OPERATIONS = {
    "sin": _unary(lambda np, x: np.sin(x)), "cos": _unary(lambda np, x: np.cos(x)),
    "tanh": _unary(lambda np, x: np.tanh(x)), "exp": _unary(lambda np, x: np.exp(np.tanh(x))),
    "log": _unary(lambda np, x: np.log(x * x + 0.5)), "log1p": _unary(lambda np, x: np.log1p(np.square(x))),
    "sqrt": _unary(lambda np, x: np.sqrt(np.abs(x) + 0.1)), "reciprocal": _unary(lambda np, x: 1.0 / (2.0 + x * x)),
    "expm1": _unary(lambda np, x: np.expm1(-np.abs(x))), "cube": _unary(lambda np, x: 0.3 * x**3),
    "tan": _unary(lambda np, x: np.tan(0.5 * np.tanh(x))), "relu": _unary(lambda np, x: np.maximum(x, 0.0)),
    "sign": _unary(lambda np, x: np.sign(x) * x), "clip": _unary(lambda np, x: np.clip(x, -0.7, 0.9)),
    "add": _binary(lambda np, x, y: x + y), "subtract": _binary(lambda np, x, y: x - y),
    "multiply": _binary(lambda np, x, y: x * y), "divide": _binary(lambda np, x, y: x / (1.5 + y * y)),
    "maximum": _binary(lambda np, x, y: np.maximum(x, y)), "minimum": _binary(lambda np, x, y: np.minimum(x, y)),
    "arctan2": _binary(lambda np, x, y: np.arctan2(x, y * y + 0.5)), "hypot": _binary(lambda np, x, y: np.hypot(x, y)),
    "power": _binary(lambda np, x, y: (x * x + 0.5) ** np.tanh(y)), "matmul": _binary(lambda np, x, y: np.matmul(x, y)),
    "dot": _binary(lambda np, x, y: np.dot(x, y)), "remainder": _binary(lambda np, x, y: x % (y * y + 1.0)),
    "outer": _binary(lambda np, x, y: np.reshape(x, (-1, 1)) * np.reshape(y, (1, -1))),
    "masked_log": Operation(1, _none, _masked_log), "where": Operation(2, _none, _where),
    "sum": Operation(1, _axes, lambda lib, x, axis, keep: lib.np.sum(x, axis=axis, keepdims=keep)),
    "mean": Operation(1, _axes, lambda lib, x, axis, keep: lib.np.mean(x, axis=axis, keepdims=keep)),
    "max": Operation(1, _axes, lambda lib, x, axis, keep: lib.np.max(x, axis=axis, keepdims=keep)),
    "min": Operation(1, _axes, lambda lib, x, axis, keep: lib.np.min(x, axis=axis, keepdims=keep)),
    "prod": Operation(1, _axes, lambda lib, x, axis, keep: lib.np.prod(x, axis=axis, keepdims=keep)),
    "var": Operation(1, _axes, lambda lib, x, axis, keep: lib.np.var(x, axis=axis, keepdims=keep)),
    "cumsum": Operation(1, _axis, lambda lib, x, axis: lib.np.cumsum(x, axis=axis)),
    "sort": Operation(1, _axis, lambda lib, x, axis: lib.np.sort(x, axis=axis)),
    "flip": Operation(1, _axis, lambda lib, x, axis: lib.np.flip(x, axis)),
    "logsumexp": Operation(1, _axis, _logsumexp),
    "transpose": _unary(lambda np, x: np.transpose(x)),
    "reshape": Operation(1, _target, lambda lib, x, shape: lib.np.reshape(x, shape)),
    "broadcast": Operation(1, _none, lambda lib, x: lib.np.broadcast_to(x, (2, *x.shape))),
    "concatenate": Operation(2, _axis, lambda lib, x, y, axis: lib.np.concatenate([x, y], axis=axis)),
    "stack": Operation(2, _axis, lambda lib, x, y, axis: lib.np.stack([x, y], axis=axis)),
    "einsum": Operation(2, _subscripts, lambda lib, x, y, subscripts: lib.np.einsum(subscripts, x, y)),
    "index": Operation(1, _index, lambda lib, x, index: x[index]),
    "write": Operation(2, _place, lambda lib, x, y, index, add: lib.write(x, index, y, add)),
    "cond": Operation(2, _none, _cond), "scan": Operation(2, _none, _scan),
    "stop_gradient": Operation(1, _none, lambda lib, x: x * lib.stop_gradient(lib.np.cos(x))),
    "checkpoint": Operation(2, _none, lambda lib, x, y: lib.checkpoint(lambda a: lib.np.sin(a * y) + a)(x)),
    "inner_grad": Operation(2, _none, lambda lib, x, y: lib.grad(lambda a: lib.np.sum(lib.np.sin(a * x)) ** 2)(y)),
    "inner_jvp": Operation(2, _none, lambda lib, x, y: lib.jvp(
        lambda a: lib.np.tanh(a * y), (x,), (lib.np.cos(x),))[1]),
    "inner_vmap": Operation(2, _none, lambda lib, x, y: lib.vmap(lambda a: lib.np.sin(a) * lib.np.sum(y))(x)),
}  # fmt: skip


def draw_program(rng: np.random.Generator, plain: Library, length: int = 8) -> Program:
    """A program whose values stay finite and small; operations that NumPy refuses on the values at hand are redrawn."""
    inputs = tuple(rng.normal(size=SHAPES[rng.integers(len(SHAPES))]) for _ in range(rng.integers(1, 4)))
    values: list[Any] = list(inputs)
    steps: list[Step] = []
    names = list(OPERATIONS)
    while len(steps) < length:
        name = names[rng.integers(len(names))]
        operation = OPERATIONS[name]
        # Later values are likelier, so that programs are deep.
        args = tuple(int(len(values) * rng.uniform() ** 0.5) for _ in range(operation.arity))
        step = Step(name, args, operation.draw(rng))
        value = attempt(step, values, plain)
        if value is not None:
            steps.append(step)
            values.append(value)
    return Program(inputs, tuple(steps))


def attempt(step: Step, values: Sequence[Any], plain: Library) -> Any:
    """The value of one statement on plain arrays, or None where it is refused, empty, large or not finite."""
    if not any(p is None for p in step.params) and any(
        np.ndim(values[k]) == 0 for k in step.args) and OPERATIONS[step.name].draw in (_axis, _axes):
        return None  # NumPy lets axis=0 of a 0-d array pass; covector and JAX do not
    try:
        with np.errstate(all="ignore"):
            value = OPERATIONS[step.name].fun(plain, *[values[k] for k in step.args], *step.params)
    except (ValueError, IndexError, TypeError):
        return None
    value = np.asarray(value)
    if not 0 < value.size <= _LARGEST or not np.isfinite(value).all() or np.abs(value).max() > _BOUND:
        return None
    return value
