"""A transform of a function gives the same bits each time, whatever was called before."""

import hashlib
import json
import subprocess
import sys

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp

FUNCTIONS = {
    "einsum": lambda x, y: cnp.einsum("ij,jk->ki", x, y),
    "einsum of three": lambda x, y: cnp.einsum("ij,jk,lk->il", x, y, y),
    "einsum of rows": lambda x, y: cnp.einsum("ij,ij->i", x, x),
    "matmul": lambda x, y: x @ y,
    "tensordot": lambda x, y: cnp.tensordot(x, y, 1),
    "sum": lambda x, y: cnp.sum(cnp.exp(x), 0),
    "mean": lambda x, y: cnp.mean(x, 1) * 0.3,
    "var": lambda x, y: cnp.var(x, 0),
    "std": lambda x, y: cnp.std(x, 1),
    "prod": lambda x, y: cnp.prod(x, 1),
    "cumsum": lambda x, y: cnp.cumsum(x, 0),
    "cumprod": lambda x, y: cnp.cumprod(x, 1),
    "norm": lambda x, y: cnp.linalg.norm(x, axis=0),
    "softmax": lambda x, y: cv.nn.softmax(x, 1),
    "logsumexp": lambda x, y: cv.nn.logsumexp(x, 0),
    "powers": lambda x, y: cnp.abs(x) ** 1.7 + x**3 + cnp.sqrt(cnp.abs(x)),
    "affine": lambda x, y: cnp.tanh(x @ y + y[0]),
    "sort": lambda x, y: cnp.sort(x, 1) * cnp.max(x, 1, keepdims=True),
    "where": lambda x, y: cnp.where(x > 0, x * x, cnp.sin(x)),
    "solve": lambda x, y: cnp.linalg.solve(x[:4, :4] + 4 * np.eye(4, dtype=x.dtype), x[:4, :2]),
    "inv": lambda x, y: cnp.linalg.inv(x[:4, :4] + 4 * np.eye(4, dtype=x.dtype)),
    "det": lambda x, y: cnp.linalg.det(x[:4, :4]),
    "fft": lambda x, y: cnp.abs(cnp.fft.rfft(x)),
    "index": lambda x, y: x[np.array([0, 1, 1])] * x[:3],
    "concatenate": lambda x, y: cnp.concatenate([x, x * 2], 1),
}
WAYS = {
    "value": lambda f, x, y: f(x, y),
    "grad": lambda f, x, y: cv.grad(lambda x, y: cnp.sum(f(x, y) ** 2), argnums=(0, 1))(x, y),
    "vjp": lambda f, x, y: cv.vjp(lambda x: f(x, y), x)[0],
    "jvp": lambda f, x, y: cv.jvp(lambda x: f(x, y), (x,), (x,)),
    "vmap": lambda f, x, y: cv.vmap(lambda x: f(x, y))(np.stack([x, x * 0.5])),
    "vmap of grad": lambda f, x, y: cv.vmap(cv.grad(lambda x: cnp.sum(f(x, y) ** 2)))(np.stack([x, x * 0.5])),
    "second": lambda f, x, y: cv.grad(lambda x: cnp.sum(cv.grad(lambda x: cnp.sum(f(x, y) ** 2))(x) ** 2))(x),
    "jit": lambda f, x, y: cv.jit(f)(x, y),
}


def bits(answer):
    """The bytes of all arrays of an answer."""
    if isinstance(answer, tuple):
        return b"".join(map(bits, answer))
    return np.asarray(answer).tobytes()


def operands(dtype):
    rng = np.random.default_rng(5)
    return [rng.normal(size=shape).astype(dtype) for shape in ((9, 13), (13, 7))]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_same_call_has_the_same_bits_each_time(name, way, dtype):
    x, y = operands(dtype)
    found = bits(WAYS[way](FUNCTIONS[name], x, y))
    for _ in range(3):
        assert bits(WAYS[way](FUNCTIONS[name], x, y)) == found


def digest(names):
    """The answers of calls, in the order of a list."""
    x, y = operands(np.float64)
    return {f"{name} {way}": hashlib.sha256(bits(WAYS[way](FUNCTIONS[name], x, y))).hexdigest()
            for name in names for way in WAYS}


def test_what_was_called_before_changes_no_bit():
    code = ("import sys; sys.path.insert(0, sys.argv[1]); import test_same_bits as t, json; "
            "names = list(t.FUNCTIONS)[::-1]; t.digest(names[1::2]); print(json.dumps(t.digest(names)))")
    answer = subprocess.run([sys.executable, "-W", "ignore", "-c", code, __file__.rpartition("/")[0]],
                            capture_output=True, text=True, check=True)
    assert json.loads(answer.stdout) == digest(list(FUNCTIONS))
