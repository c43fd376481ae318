"""Every rule of every primitive against its primal: the one checker, over the whole registry."""

import numpy as np
import pytest

import covector
from covector.core.primitive import REGISTRY
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
