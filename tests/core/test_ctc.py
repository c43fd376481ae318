"""The likelihood of labels by connectionist temporal classification, against a sum over all walks."""

from itertools import groupby, product

import numpy as np
import pytest

import covector as cv
from covector.core.ops.nn.ctc import ctc_likelihood as likelihood

STEPS, CLASSES = 5, 3
X = np.random.default_rng(0).normal(size=(STEPS, CLASSES))


def enumerated(x, labels):
    """The logarithm of the sum over all classes of frames that spell `labels`, and how likely each class is."""
    total, shares = 0.0, np.zeros_like(x)
    for walk in product(range(CLASSES), repeat=len(x)):
        if [c for c, _ in groupby(walk) if c] == list(labels):
            weight = np.exp(x[np.arange(len(x)), walk].sum())
            total += weight
            shares[np.arange(len(x)), walk] += weight
    return np.log(total), shares / total


def path_of(labels):
    path = np.zeros((1, 2 * len(labels) + 1), int)
    path[0, 1::2] = labels
    return path, np.array([len(labels)])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("frames", [3, 5])
@pytest.mark.parametrize("labels", [(), (1,), (1, 2), (2, 2), (1, 2, 1)])
def test_likelihood_is_a_sum_over_walks_and_its_gradient_their_share(labels, frames, dtype):
    path, count = path_of(labels)
    value, slope = cv.value_and_grad(lambda x: likelihood(x[:, None], path, np.array([frames]), count)[0])(
        X.astype(dtype))
    expected, shares = enumerated(X[:frames], labels)
    np.testing.assert_allclose(value, expected, rtol=1e-5 if dtype is np.float32 else 1e-12)
    np.testing.assert_allclose(slope, np.concatenate((shares, np.zeros((STEPS - frames, CLASSES)))), atol=1e-6)


def test_labels_that_do_not_fit_are_impossible_and_have_gradient_zero():
    path, count = path_of((2, 2))  # needs a blank between: three frames
    value, slope = cv.value_and_grad(lambda x: likelihood(x[:, None], path, np.array([2]), count)[0])(X)
    assert value < -1e29
    assert not slope.any()


def test_what_cannot_happen_in_a_frame_is_no_nan():
    x = np.array([[-np.inf, 0.0, -np.inf], [0.0, -np.inf, -np.inf]])
    path, count = path_of((1,))
    value, slope = cv.value_and_grad(lambda x: likelihood(x[:, None], path, np.array([2]), count)[0])(x)
    assert value == 0
    np.testing.assert_array_equal(slope, [[0, 1, 0], [1, 0, 0]])
