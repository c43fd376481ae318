"""The reference edition of docs/ as an oracle: on random programs it agrees with the library, to every order."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import covector as cv

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference_edition"
SPEC = importlib.util.spec_from_file_location("edition", FOLDER / "edition.py")
edition = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(edition)

UNARY = {
    "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "exp": lambda x: np.exp(np.sin(x)), "neg": lambda x: -x,
    "log": lambda x: np.log(1.0 + x * x),
}
BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply,
    "divide": lambda x, y: x / (2.0 + np.sin(y)),
}
X = np.array([0.3, -0.7, 1.1])
T = np.array([0.5, 1.0, -0.25])
ROWS = np.stack([X, 2.0 * X, T, T - X])


def random_program(seed, length=6):
    """A scalar-valued function of three numbers, of `length` operations of the edition on arrays of rank 0 to 2."""
    rng = np.random.default_rng(seed)
    steps, shapes = [], [(3,)]
    for _ in range(length):
        step = draw(rng, shapes)
        steps.append(step)
        shapes.append(np.shape(step[0](*[np.ones(shapes[k]) for k in step[1]])))

    def program(x):
        pool = [x]
        for function, operands in steps:
            pool.append(function(*[pool[k] for k in operands]))
        return sum(np.sum(np.tanh(v)) for v in pool[-3:])

    return program


def draw(rng, shapes):
    """`(function, positions of its operands)`, for operands of these shapes."""
    kind = rng.choice(["unary", "binary", "binary", "sum", "reshape", "transpose", "index", "broadcast", "matmul"])
    k, j = (int(v) for v in rng.integers(len(shapes), size=2))
    shape = shapes[k]
    if kind == "binary":
        fitting = [i for i, other in enumerate(shapes) if broadcast(shape, other)]
        return BINARY[rng.choice(list(BINARY))], (k, int(rng.choice(fitting)))
    if kind == "sum" and shape:
        axis = [None, *range(len(shape)), -1][rng.integers(len(shape) + 2)]
        return lambda x: np.sum(x, axis=axis), (k,)
    if kind == "reshape":
        new = [(-1,), (1, -1), (-1, 1)][rng.integers(3)]
        new = tuple(int(np.prod(shape)) if n == -1 else n for n in new)
        return lambda x: np.reshape(x, new), (k,)
    if kind == "transpose":
        return lambda x: np.transpose(x), (k,)
    if kind == "index" and shape:
        at = [0, slice(None, None, -1), slice(1, None) if shape[0] > 1 else 0, (Ellipsis, 0)][rng.integers(4)]
        return lambda x: x[at], (k,)
    if kind == "broadcast" and len(shape) < 2:
        return lambda x: np.broadcast_to(x, (2, *shape)), (k,)
    if kind == "matmul":
        pairs = [(a, b) for a, s in enumerate(shapes) for b, r in enumerate(shapes)
                 if len(s) == len(r) == 2 and s[1] == r[0]]
        if pairs:
            return np.matmul, pairs[rng.integers(len(pairs))]
    return UNARY[rng.choice(list(UNARY))], (k,)


def broadcast(a, b):
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None


# Each computes one array by a library `m`; the last ones are of third order.
LAWS = {
    "value": lambda m, f: f(X),
    "grad": lambda m, f: m.grad(f)(X),
    "jvp": lambda m, f: m.jvp(f, (X,), (T,))[1],
    "jvp of grad": lambda m, f: m.jvp(m.grad(f), (X,), (T,))[1],
    "grad of grad": lambda m, f: m.grad(lambda x: np.sum(m.grad(f)(x) * x))(X),
    "grad of jvp": lambda m, f: m.grad(lambda x: m.jvp(f, (x,), (T,))[1])(X),
    "jvp of jvp": lambda m, f: m.jvp(lambda x: m.jvp(f, (x,), (T,))[1], (X,), (T,))[1],
    "jacobian of grad": lambda m, f: m.jacobian(m.grad(f))(X),
    "vmap": lambda m, f: m.vmap(f)(ROWS),
    "vmap of grad": lambda m, f: m.vmap(m.grad(f))(ROWS),
    "grad of vmap": lambda m, f: m.grad(lambda x: np.sum(m.vmap(f)(x) * np.arange(4.0)))(ROWS),
    "vmap of jvp of grad": lambda m, f: m.vmap(lambda x: m.jvp(m.grad(f), (x,), (x,))[1])(ROWS),
    "staged": lambda m, f: m.jit(f)(X),
    "staged grad": lambda m, f: m.jit(m.grad(f))(X),
    "grad of staged": lambda m, f: m.grad(m.jit(f))(X),
    "staged Hessians of rows": lambda m, f: m.jit(m.vmap(m.jacobian(m.grad(m.jit(f)))))(ROWS),
    "closed over": lambda m, f: m.grad(lambda w: np.sum(m.vmap(lambda r: m.jit(lambda x: f(x * w))(r))(ROWS)))(X),
    "third order": lambda m, f: m.grad(lambda x: np.sum(m.grad(lambda y: m.jvp(f, (y,), (T,))[1])(x) * x))(X),
    "third order, staged": lambda m, f: m.jit(m.jacobian(m.jacobian(m.grad(f))))(X),
}


@pytest.mark.parametrize("seed", range(6))
def test_edition_and_library_agree(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", [100, 110, 120])
def test_edition_and_library_agree_on_more_programs(start):
    for seed in range(start, start + 10):
        check(seed)


def check(seed):
    program = random_program(seed)
    for name, law in LAWS.items():
        np.testing.assert_allclose(law(edition, program), law(cv, program), rtol=1e-9, atol=1e-9, err_msg=name)


def test_every_operation_of_the_edition_is_drawn():
    drawn = set()
    for seed in range(40):
        graph = edition.make_graph(edition.grad(random_program(seed)))(X)
        drawn |= {prim.name for _, prim, _, _ in graph.equations}
    defined = {p.name for p in vars(edition).values() if isinstance(p, edition.Primitive)}
    assert defined - drawn == set()


def test_a_wrong_rule_is_noticed(monkeypatch):
    monkeypatch.setattr(edition.sin.vjp[0], "function", lambda ct, x, **k: edition.multiply(ct, edition.sin(x)))
    with pytest.raises(AssertionError, match="grad"):
        for seed in range(4):
            check(seed)


def test_second_call_of_a_compiled_function_runs_its_source():
    calls = []

    def f(x):
        calls.append(1)
        return np.sum(np.sin(x) * 2.0)

    compiled = edition.jit(f)
    assert compiled(X) == compiled(X) == f(X)
    assert len(calls) == 2  # once staged, once by this test


def test_refusals_say_what_to_do():
    with pytest.raises(NotImplementedError, match="arctan has no rule here; write it in"):
        edition.grad(lambda x: np.sum(np.arctan(x)))(X)
    with pytest.raises(TypeError, match="would drop its derivative"):
        edition.grad(lambda x: np.sum(np.array(x)))(X)
    with pytest.raises(ValueError, match=r"shape \(3,\); use np.sum"):
        edition.grad(np.sin)(X)


def test_it_has_at_most_300_lines():
    lines = (FOLDER / "edition.py").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) <= 300
