"""The hinge loss of several labels: by loops, by NumPy and by hand it is the same, labels that are named twice too."""

import numpy as np
import pytest

import covector
from covector.core.ops.nn import classification as hinge


def _by_hand(row, labels):
    named = labels[: np.argmax(np.append(labels, -1) < 0)]
    rest = np.setdiff1d(np.arange(row.size), named)
    return sum(max(0, 1 - row[k] + row[c]) for k in named for c in rest) / row.size


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_loops_and_numpy_agree_with_a_loss_by_hand(dtype):
    rng = np.random.default_rng(0)
    x, labels = rng.normal(size=(40, 9)).astype(dtype), rng.integers(-1, 9, (40, 9))
    expected = [_by_hand(row, named) for row, named in zip(x.astype("f8"), labels)]
    weights = rng.normal(size=40).astype(dtype)
    slope = covector.grad(lambda x: (hinge.multilabel_hinge(x, labels) * weights).sum())(x)
    for found in (hinge.multilabel_hinge(x, labels), hinge._loss(np, x, labels)):
        np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == "f4" else 1e-13)
    np.testing.assert_allclose(slope, hinge._slopes(np, x, labels) * weights[:, None], rtol=1e-5, atol=1e-6)
    d = rng.normal(size=x.shape).astype(dtype)
    np.testing.assert_allclose(covector.jvp(lambda x: hinge.multilabel_hinge(x, labels), (x,), (d,))[1] @ weights,
                               (slope * d).sum(), rtol=1e-4 if dtype == "f4" else 1e-12)


def test_a_label_that_is_no_class_raises():
    with pytest.raises(IndexError):
        hinge.multilabel_hinge(np.ones((1, 2)), np.array([[2, -1]]))
