"""Values with leading axes of length 1 written to part of an array, and einsum indices of length 1."""

import numpy as np

import covector


def _write(x, v):
    out = np.copy(x)
    out[0] = v
    return (out * np.arange(1.0, 4.0)).sum()


def test_written_value_may_have_leading_axes_of_length_one():
    x, v = np.ones((1, 3)), np.ones((1, 3))
    gx, gv = covector.grad(_write, (0, 1))(x, v)
    assert gx.tolist() == [[0.0, 0.0, 0.0]] and gv.tolist() == [[1.0, 2.0, 3.0]]
    batched = covector.vmap(_write)(np.ones((2, 1, 3)), np.stack([v, 2 * v]))
    assert batched.tolist() == [6.0, 12.0]


def test_einsum_stretches_an_index_of_length_one_that_is_summed():
    x, y = np.array([1.0, 2.0, 3.0]), np.array([2.0])
    gx, gy = covector.grad(lambda x, y: np.einsum("i,i->", x, y), (0, 1))(x, y)
    assert gx.tolist() == [2.0, 2.0, 2.0] and gy.tolist() == [6.0]
