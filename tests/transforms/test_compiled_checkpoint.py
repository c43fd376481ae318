"""A checkpoint where it is compiled."""

import numpy as np

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
