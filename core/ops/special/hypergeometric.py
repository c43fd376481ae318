"""Hypergeometric functions of real parameters, which are constants to derivatives."""

from ...primitive.families import elementwise
from ..samples import Sample
from .scipy_kernels import scipy_kernel

_REAL = {"complex": "its parameters are real"}
_NO_FORM = "the derivative with respect to a parameter has no closed form"
_hyp2f1, _hyp1f1 = scipy_kernel("hyp2f1"), scipy_kernel("hyp1f1")


def _parameters(rng, count, low, high):
    return [Sample(*[rng.uniform(0.5, 2.0, ()) for _ in range(count)], rng.uniform(low, high, s)) for s in (
        (), (3,), (0,))] + [Sample(*[rng.uniform(0.5, 2.0, s) for s in ((2, 1), (), (3,))[:count]],
                                   rng.uniform(low, high, (2, 3))),
                            Sample(*[rng.uniform(0.5, 2.0, 3).astype("f4") for _ in range(count)],
                                   rng.uniform(low, high, 3).astype("f4"))]


hyp2f1 = elementwise(
    "hyp2f1",
    impl=lambda xp, a, b, c, z: _hyp2f1(xp, a, b, c, z),
    d={"z": lambda a, b, c, z: a * b / c * hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)},  # DLMF 15.5.1
    nondiff="a, b, c",
    refused=dict.fromkeys("abc", _NO_FORM),
    singular=True,
    absent=_REAL,
    samples=lambda rng: _parameters(rng, 3, -2.0, 0.8),
)
hyp1f1 = elementwise(
    "hyp1f1",
    impl=lambda xp, a, b, x: _hyp1f1(xp, a, b, x),
    d={"x": lambda a, b, x: a / b * hyp1f1(a + 1.0, b + 1.0, x)},  # DLMF 13.3.15
    nondiff="a, b",
    refused=dict.fromkeys("ab", _NO_FORM),
    singular=True,
    absent=_REAL,
    samples=lambda rng: _parameters(rng, 2, -2.0, 2.0),
)
_hyp0f1, _hyperu = scipy_kernel("hyp0f1"), scipy_kernel("hyperu")
hyp0f1 = elementwise(
    "hyp0f1",
    impl=lambda xp, v, z: _hyp0f1(xp, v, z),
    d={"z": lambda v, z: hyp0f1(v + 1.0, z) / v},  # DLMF 16.3.1
    nondiff="v",
    refused={"v": _NO_FORM},
    singular=True,
    absent=_REAL,
    samples=lambda rng: _parameters(rng, 1, -2.0, 2.0),
)
hyperu = elementwise(
    "hyperu",
    impl=lambda xp, a, b, x: _hyperu(xp, a, b, x),
    d={"x": lambda a, b, x: -a * hyperu(a + 1.0, b + 1.0, x)},  # DLMF 13.3.22
    nondiff="a, b",
    refused=dict.fromkeys("ab", _NO_FORM),
    singular=True,
    absent=_REAL,
    samples=lambda rng: _parameters(rng, 2, 0.5, 3.0),
)
