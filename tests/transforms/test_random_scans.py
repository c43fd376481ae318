"""Random scans in native code: states over the old ones, what is collected, small arrays of many examples."""

import numpy as onp
import pytest

import covector as cv
import covector.numpy as np

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
BINARY = (
    lambda a, b: a + b,
    lambda a, b: a * b * 0.5,
    lambda a, b: np.concatenate([a[1:], b[:1]]),
    lambda a, b: a.at[0].set(b[-1]),
    lambda a, b: np.stack([a, b]).sum(0),
    lambda a, b: a - np.sum(b) * 0.1,
    lambda a, b: np.where(a > b, a, b),
)
UNARY = (
    np.sin,
    np.tanh,
    lambda a: a * 0.5 + 0.1,
    lambda a: np.exp(-a * a),
    lambda a: a[::-1] * 1.0,
    lambda a: np.roll(a, 1),
    lambda a: np.concatenate([np.zeros(1), a[:-1]]),
    lambda a: np.pad(a[1:], (0, 1)),
)


def scan(seed):
    """A loss of a random scan, and its arguments: states of one length, and what goes in at each turn."""
    given = onp.random.default_rng(seed)
    n, states, turns = int(given.choice([2, 3, 5, 17, 40])), int(given.integers(1, 4)), int(given.integers(1, 7))
    init = [given.normal(size=n) * 0.7 for _ in range(states)]

    def body(carry, x):
        chosen = onp.random.default_rng(seed)
        pool = [*[np.asarray(c) for c in carry], np.asarray(x)]

        def one():
            return pool[chosen.integers(len(pool))]

        for _ in range(chosen.integers(3, 14)):
            rule = chosen.integers(len(BINARY) + len(UNARY))
            pool.append(BINARY[rule](one(), one()) if rule < len(BINARY) else UNARY[rule - len(BINARY)](one()))
        collected = [one() for _ in range(chosen.integers(1, 4))]
        return tuple(one() for _ in range(states)), (*collected, np.concatenate([pool[-1], pool[-2]])[1:])

    def loss(init, xs):
        carry, rows = cv.scan(body, tuple(init), xs)
        return sum(np.sum(np.sin(c)) for c in carry) + sum(np.sum(np.tanh(y)) for y in rows)

    return loss, init, given.normal(size=(turns, n))


@pytest.mark.parametrize("seed", range(40))
def test_gradients_of_a_random_scan_are_those_without_jit(seed):
    loss, init, xs = scan(seed)
    fun = cv.value_and_grad(loss, argnums=(0, 1))
    if seed % 2:
        fun = cv.vmap(fun)
        init = [onp.stack([a * (1 + 0.01 * k) for k in range(70)]) for a in init]
        xs = onp.stack([xs * (1 - 0.003 * k) for k in range(70)])
    with onp.errstate(all="ignore"):
        expected = cv.tree.leaves(fun(init, xs))
        found = cv.tree.leaves(cv.jit(fun, compiler_options={"printer": "llvm"})(init, xs))
    for a, b in zip(expected, found, strict=True):
        assert onp.allclose(a, b, rtol=1e-10, atol=1e-11 * (1 + onp.max(onp.abs(a))))
