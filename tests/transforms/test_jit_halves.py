"""The halves of a derivative of a compiled function: what they keep between them, effects, the same values."""

import tracemalloc

import numpy as np
import pytest

import covector as cv
from covector.core.errors import MutationError

RNG = np.random.default_rng(0)
ROWS, WIDTH, STEPS = 200, 40, 6
W, X = 0.3 * RNG.normal(size=(WIDTH, WIDTH)), RNG.normal(size=(ROWS, WIDTH))
MATRIX, SLACK = X.nbytes, X.nbytes // 2  # of one layer; of all that is small


def layers(w, x):
    for _ in range(4):
        x = np.tanh(np.sin(x @ w))
    return x


def blocks(w, x, block):
    return np.sum(block(w, block(w, block(w, x))) ** 2)


def plain(w, x):
    return blocks(w, x, layers)


def recomputed(w, x):
    return blocks(w, x, cv.checkpoint(layers))


def products(w, x):
    return blocks(w, x, cv.checkpoint(layers, policy=cv.checkpoint_policies.dots_saveable))


def loop(step):
    return lambda w, x: np.sum(cv.scan(lambda h, _: (step(w, h), None), x, length=STEPS)[0] ** 2)


def held(fun, *args):
    """The bytes that a derivative holds between its forward and its backward half, once both are compiled."""
    for _ in range(3):
        cv.vjp(fun, *args)[1](1.0)
    tracemalloc.start()
    try:
        out, pullback = cv.vjp(fun, *args)
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def close(found, wanted, printer="numpy"):
    for a, b in zip(found, wanted, strict=True):  # native code adds up in another order
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * (np.abs(b).max() if printer == "auto" else 1.0))


def test_a_checkpoint_keeps_its_operands_alone():
    assert held(cv.jit(recomputed), W, X) < 3 * MATRIX + SLACK  # between blocks, and what is squared
    assert held(cv.jit(plain), W, X) > 20 * MATRIX


def test_a_checkpoint_keeps_what_its_policy_saves():
    assert 12 * MATRIX < held(cv.jit(products), W, X) < 16 * MATRIX + SLACK


def test_a_loop_over_a_checkpoint_keeps_the_carry_alone():
    assert held(cv.jit(loop(cv.checkpoint(layers))), W, X) < (STEPS + 1) * MATRIX + SLACK
    assert held(cv.jit(loop(layers)), W, X) > 6 * STEPS * MATRIX


def test_a_checkpoint_of_a_compiled_function_keeps_its_operands_alone():
    assert held(lambda w, x: blocks(w, x, cv.checkpoint(cv.jit(layers))), W, X) < 5 * MATRIX


def test_the_forward_half_computes_nothing_for_the_other():
    assert held(cv.jit(lambda x: np.sum(np.sin(x) * x)), X) < 2.5 * MATRIX  # eager: sin(x) and what the tape holds


def test_the_backward_half_recomputes_one_block_after_the_other():
    def peak(blocks):
        def fun(w, x):
            for _ in range(blocks):
                x = cv.checkpoint(layers)(w, x)
            return np.sum(x)

        jitted = cv.jit(fun)
        cv.vjp(jitted, W, large)[1](1.0)  # compiles
        out, pullback = cv.vjp(jitted, W, large)
        tracemalloc.start()
        try:
            pullback(1.0)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    large = RNG.normal(size=(1500, WIDTH))
    assert peak(8) < peak(2) + 4 * large.nbytes  # of which a block keeps eight


@pytest.mark.parametrize("printer", ["numpy", "auto"])
@pytest.mark.parametrize("fun", [recomputed, products, loop(cv.checkpoint(layers)), loop(layers)])
def test_values_are_those_without_jit(fun, printer):
    compiled = cv.jit(fun, compiler_options={"printer": printer})
    for _ in range(3):
        close(cv.grad(compiled, (0, 1))(W, X), cv.grad(fun, (0, 1))(W, X), printer)
    close(cv.grad(cv.jit(lambda w, x: compiled(w, x) ** 2, compiler_options={"printer": printer}), (0, 1))(W, X),
          cv.grad(lambda w, x: fun(w, x) ** 2, (0, 1))(W, X), printer)


@pytest.mark.parametrize("fun", [recomputed, products, loop(cv.checkpoint(layers))])
def test_values_of_nested_derivatives_are_those_without_jit(fun):
    compiled, w, x, v = cv.jit(fun), W[:3, :3], X[:4, :3], RNG.normal(size=(3, 3))

    def pushed(f):
        return cv.jvp(lambda w: cv.grad(f)(w, x), (w,), (v,))

    def pulled(f):
        return cv.vjp(lambda w: cv.grad(f)(w, x), w)[1](v)

    def batched(f):
        return [cv.vmap(lambda x: cv.grad(f)(w, x[None]))(x)]

    for nesting in (pushed, pulled, batched):
        close(nesting(compiled), nesting(fun))
        close(cv.jit(lambda f=fun, n=nesting: n(f))(), nesting(fun))


def test_a_derivative_of_a_derivative_recomputes_too():
    def held_by(f):
        return held(lambda w: np.sum(cv.jvp(lambda w: f(w, X), (w,), (W,))[1]), W)

    assert held_by(cv.jit(recomputed)) < 0.4 * held_by(cv.jit(plain))


def test_what_is_recomputed_acts_on_the_way_back(capsys):
    def fun(x):
        def noisy(x):
            cv.debug.print("at {}", x)
            return np.sin(x) * 2.0

        return cv.checkpoint(noisy)(x) ** 2

    def shown(f):
        out, pullback = cv.vjp(f, 1.0)
        forward = capsys.readouterr().out
        pullback(1.0)
        return forward, capsys.readouterr().out

    wanted = shown(fun)
    compiled = cv.jit(fun)
    assert wanted == ("at 1.0\n", "at 1.0\n")
    assert shown(compiled) == wanted and shown(compiled) == wanted


def test_large_constants_are_watched_in_derivatives():
    table = np.arange(10_000.0)
    compiled = cv.jit(lambda x: np.sum(table * x * x))
    for derivative in (cv.grad(compiled), lambda x: cv.jvp(compiled, (x,), (1.0,))[1],
                       lambda x: cv.vmap(compiled)(np.array([x, x]))):
        table[:] = np.arange(10_000.0)
        derivative(1.0)
        table[:] = 0.0
        with pytest.raises(MutationError, match="jit of"):
            derivative(1.0)
