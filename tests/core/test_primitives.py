"""Every rule of every primitive against its primal: the one checker, over the whole registry."""

import numpy as np
import pytest

import covector
import covector.scipy.sparse
from covector.core.primitive.primitive import REGISTRY
from covector.testing import check

# Higher-order primitives take their rules from the functions they are given; tests/transforms holds them.
NAMES = sorted(name for name, prim in REGISTRY.items() if prim.handlers is None)


@pytest.mark.parametrize("name", NAMES)
def test_rules_agree_with_the_primal(name):
    assert check(REGISTRY[name]) > 0


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_float32_extremes_keep_float32_cotangents(name):
    fun = getattr(np, name)
    x, y = np.array([1.0, 2.0], np.float32), np.array([2.0, 2.0], np.float32)
    gradients = covector.grad(lambda x, y: fun(x, y).sum(), argnums=(0, 1))(x, y)
    assert [g.dtype for g in gradients] == [np.float32, np.float32]



def test_sign_of_complex_values_is_not_flat():
    z, dz = np.array(0.5 + 1j), np.array(1.0 - 0.5j)
    h = 1e-6
    slope = (np.sign(z + h * dz) - np.sign(z - h * dz)) / (2 * h)
    np.testing.assert_allclose(covector.jvp(np.sign, (z,), (dz,))[1], slope, rtol=1e-8)


PAIRS = sorted(name for name, prim in REGISTRY.items()
               if len(prim.operands) == 2 and type(prim.lower) is np.ufunc and not prim.flat)


@pytest.mark.parametrize("name", PAIRS)
def test_single_precision_numbers_beside_python_ones_keep_their_dtype(name):
    """A 0-d value meets a Python number as it is, not as an array, and rules see it so, too."""
    prim = REGISTRY[name]
    for k in (0, 1):
        if k in prim.nondiff or name == "ldexp":
            continue
        fun = (lambda x: prim.fun(x, 1.5)) if k == 0 else (lambda y: prim.fun(1.5, y))
        for x in (np.float32(0.5), np.array(0.5, np.float32)):
            tangents = covector.jvp(covector.grad(fun), (x,), (x,)), covector.jvp(fun, (x,), (x,))
            for found in (covector.grad(fun)(x), covector.grad(covector.grad(fun))(x), *tangents[0], *tangents[1]):
                assert found.dtype == np.float32
