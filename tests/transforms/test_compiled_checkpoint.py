"""A checkpoint where it is compiled."""

import tracemalloc

import numpy as np
import pytest

import covector
from covector.transforms.compile.program import optimised


def test_a_checkpoint_in_compiled_code_is_its_body():
    """In place of a call, and after the pass that would find what is computed again to be computed already."""
    layer = covector.checkpoint(lambda x: np.tanh(np.sin(x) * 1.1))

    def loss(x):
        return np.sum(layer(layer(x)))

    x = np.linspace(-1.0, 1.0, 50)
    draft = optimised(covector.make_graph(covector.grad(loss))(x), frozenset())
    names = [eq.prim.name for eq in draft.equations]
    assert "checkpoint" not in names
    assert names.count("sin") == 3  # of the first layer going forward, and of each again
    compiled = covector.jit(covector.grad(loss))
    np.testing.assert_allclose(compiled(x), covector.grad(loss)(x), rtol=1e-14)


def peak(fun, *args):
    """The memory that a call holds at a time, in units of its first argument."""
    fun(*args)
    tracemalloc.start()
    fun(*args)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return held / args[0].nbytes


@pytest.mark.parametrize("products", [False, True])
def test_a_checkpoint_in_native_code_holds_less(products):
    """Where sums of rows keep layers from being one loop, and where these are products."""
    pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")

    def layer(x, w):
        for _ in range(3):
            x = np.tanh(x @ w) if products else np.sin(x) / np.sum(np.exp(np.cos(x)), axis=1, keepdims=True)
        return x

    def gradient(layer):
        def loss(x, w):
            for _ in range(5):
                x = layer(x, w)
            return np.sum(x)

        return covector.jit(covector.grad(loss), compiler_options={"printer": "llvm"})

    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(200, 200)), rng.normal(size=(200, 200)) / 14
    plain, checkpointed = gradient(layer), gradient(covector.checkpoint(layer))
    np.testing.assert_allclose(checkpointed(x, w), plain(x, w), rtol=1e-10, atol=1e-12)
    assert peak(checkpointed, x, w) < 0.8 * peak(plain, x, w)
