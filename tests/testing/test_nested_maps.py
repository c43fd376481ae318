"""`check` tries maps over different operands inside each other, where a batching rule meets its own outputs."""

import numpy as np
import pytest

import covector as cv
from covector.extend import REGISTRY, Sample, make_aval, primitive
from covector.testing import CheckError, check


def shares(a, x):
    """The shape of `a` times rows `x`: `a` has the axes before that of the rows, or broadcasts to them."""
    return (*np.broadcast_shapes(a.shape, x.shape[:-1]), x.shape[-1])


def aligned(a, x, batched):
    ranks = a.ndim - batched[0], x.ndim - 1 - batched[1]
    if batched[0] and ranks[0] < ranks[1]:
        a = a.reshape(a.shape[0], *[1] * (ranks[1] - ranks[0]), *a.shape[1:])
    if batched[1] and ranks[1] < ranks[0]:
        x = x.reshape(x.shape[0], *[1] * (ranks[0] - ranks[1]), *x.shape[1:])
    return REGISTRY["example_rows"].fun(a, x)


def total(ct, like, axes):
    """The sum over the axes along which an operand was broadcast, and over the last where it has none."""
    ct = np.sum(ct, axis=-1) if axes else ct
    ct = np.sum(ct, axis=tuple(range(ct.ndim - like.ndim)))
    return np.sum(ct, axis=tuple(i for i, n in enumerate(like.shape) if n == 1 != ct.shape[i]), keepdims=True)


@pytest.fixture
def declared():
    def make(batch):
        return primitive(
            "example_rows", impl=lambda xp, a, x: a[..., None] * x, shape=lambda a, x: make_aval(shares(a, x), x.dtype),
            batch=batch, jvp={"a": lambda da, x: REGISTRY["example_rows"].fun(da, x),
                              "x": lambda dx, a: REGISTRY["example_rows"].fun(a, dx)},
            vjp={"a": lambda ct, a, x: total(ct * x, a, True),
                 "x": lambda ct, a, x: total(ct * a[..., None], x, False)},
            samples=lambda rng: [Sample(np.asarray(rng.uniform(0.1, 0.9)), rng.normal(size=4))])

    yield make
    REGISTRY.pop("example_rows", None)


def test_a_rule_that_is_wrong_in_nested_maps_is_found(declared):
    declared(lambda a, x: REGISTRY["example_rows"].fun(a, x))
    with pytest.raises(CheckError, match=r"nested maps of example_rows, 'x' inside of 'a'"):
        check("example_rows")


def test_a_rule_that_aligns_axes_passes(declared):
    rows = declared(aligned)
    assert check("example_rows") == 1
    a, x = np.arange(3.0), np.ones((3, 4))
    found = cv.vmap(cv.vmap(rows, in_axes=(None, 0)), in_axes=(0, None))(a, x)
    np.testing.assert_array_equal(found, a[:, None, None] * x)


@pytest.mark.parametrize("rcond", [[1e-12, 0.1, 1e-6], [1e-12, 1e-6]], ids=["value", "gradient"])
def test_pinv_maps_over_both_operands(rcond):
    def gradient(a, rcond):
        return cv.grad(lambda a: np.sum(np.sin(np.linalg.pinv(a, rcond))))(a)

    f = gradient if len(rcond) == 2 else np.linalg.pinv  # cut off, a value has no derivative
    a = np.eye(2) * [[[1.0], [1e-3]], [[2.0], [1.0]]]
    found = cv.vmap(cv.vmap(f, in_axes=(None, 0)), in_axes=(0, None))(a, np.array(rcond))
    np.testing.assert_allclose(found, [[f(one, r) for r in rcond] for one in a], rtol=1e-12)
