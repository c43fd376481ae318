"""Samples of gamma, Dirichlet and binomial distributions; gradients pass through the first two."""

import numpy as np

from .....extend import REGISTRY
from ..dispatch.call import ROWS, operation
from ..dispatch.not_differentiable import refusing
from ..types.dtypes import type_word
from ..types.tensor_type import shape_dtype
from .generator import stream
from .randomness import sample
from .sampling import behind, floating_kind, need


@operation("_standard_gamma", node="StandardGammaBackward0", method=False, register=False)
def moved(input, x):
    """A number drawn from a gamma distribution, as a function of its shape parameter: the quantile that it is."""
    return REGISTRY["gamma_sample"].fun(input, x)


def standard_gamma(input, generator=None):
    """Sample from gamma distributions of scale 1, with the shape parameters of a tensor; gradients pass through."""
    r = stream(generator)
    shape, dtype = shape_dtype(input)
    kind = floating_kind(dtype, "gamma_cpu", complex_too=False)
    tiny = np.finfo(kind).tiny if kind.kind == "f" else 0.0

    def draw(whole, a):
        return np.maximum(r.standard_gamma(np.maximum(a, 0.0).astype(np.float64)), tiny)

    return moved(input, sample(draw, shape, dtype, input))


def sample_dirichlet(input, generator=None):
    """Sample from Dirichlet distributions, with concentrations along the last axis; gradients pass through."""
    shape, dtype = shape_dtype(input)
    floating_kind(dtype, "dirichlet", complex_too=False)
    r = stream(generator)
    above = standard_gamma(input + 1.0, generator)  # that of a is that of a + 1 times u^(1/a): in logarithms, exactly
    logs = sample(lambda whole, _: np.log(1.0 - r.random(whole)), shape, dtype, input)
    return ROWS["softmax"].fun(above.log() + logs / input, -1)


def binomial(count, prob, generator=None):
    """Sample from binomial distributions, with the counts and probabilities of two tensors."""
    r = stream(generator)
    (shape, dtype), (other, second) = shape_dtype(count), shape_dtype(prob)
    need(dtype == second, f"expected scalar type {type_word(dtype)} but found {type_word(second)}")
    floating_kind(dtype, "binomial_cpu", complex_too=False)
    shape = np.broadcast_shapes(shape, other)

    def draw(whole, n, p):
        n, p = behind(np.asarray(n), whole, shape), behind(np.asarray(p), whole, shape)
        need(np.all(n >= 0), "binomial expects all elements of count >= 0")
        lost = ~((p >= 0) & (p <= 1))
        return np.where(lost, np.nan, r.binomial(n.astype(np.int64), np.where(lost, 0.0, p)))

    out = sample(draw, shape, dtype, count, prob)
    for source in (prob, count):
        if out.node is None:
            out = refusing(out, source, "aten::binomial", "torch::autograd::NotImplemented")
    return out


PUBLIC = {"_standard_gamma": standard_gamma, "_sample_dirichlet": sample_dirichlet, "binomial": binomial}
for _name, _fun in PUBLIC.items():
    _fun.__name__ = _fun.__qualname__ = _name
