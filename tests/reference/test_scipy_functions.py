"""Gradients of covector.scipy's functions beside those of jax.scipy, where JAX has them."""

import importlib

import numpy as np
import pytest

import covector as cv
from covector import scipy as ours

jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
pytestmark = pytest.mark.reference

RNG = np.random.default_rng(9)
X, W = RNG.normal(size=(5, 6)), RNG.normal(size=(3, 2))
AT = RNG.uniform(0.2, 3.8, (2, 4))
A, E = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3))
GRID = (np.arange(5.0), np.arange(6.0))
U = RNG.uniform(0.3, 0.8, 4)

ROWS = {
    "convolve": (lambda lib, np: lambda x, w: lib.signal.convolve(x, w, mode="same"), (X, W)),
    "correlate": (lambda lib, np: lambda x, w: lib.signal.correlate(x, w, mode="valid"), (X, W)),
    "fftconvolve": (lambda lib, np: lib.signal.fftconvolve, (X, W)),
    "map_coordinates": (lambda lib, np: lambda x, p: lib.ndimage.map_coordinates(x, p, order=1), (X, AT)),
    "dct": (lambda lib, np: lambda x: lib.fft.dct(x, norm="ortho"), (X,)),
    "idctn": (lambda lib, np: lib.fft.idctn, (X,)),
    "grid": (lambda lib, np: lambda v, p: lib.interpolate.RegularGridInterpolator(GRID, v)(p), (X, AT.T)),
    "expm_frechet": (lambda lib, np: lambda a, e: lib.linalg.expm_frechet(a, e)[1], (A, E)),
    "lu_solve": (lambda lib, np: lambda a, b: lib.linalg.lu_solve(lib.linalg.lu_factor(a), b), (A, U[:3])),
    "poch": (lambda lib, np: lambda z: lib.special.poch(z, 1.5), (U,)),
    "truncnorm": (lambda lib, np: lambda x: lib.stats.truncnorm.logpdf(x, -0.5, 1.5), (U,)),
}


@pytest.mark.parametrize("name", ROWS)
def test_gradients_are_those_of_jax(name):
    make, operands = ROWS[name]
    with jax.enable_x64(True):
        jnp, theirs = importlib.import_module("jax.numpy"), jax.scipy
        for room in ("fft", "interpolate", "linalg", "ndimage", "signal", "special", "stats"):
            importlib.import_module(f"jax.scipy.{room}")
        every = tuple(range(len(operands)))
        wanted = jax.grad(lambda *xs: jnp.sin(make(theirs, jnp)(*xs)).sum(), argnums=every)(*map(jnp.asarray, operands))
        wanted = [np.asarray(w) for w in wanted]
    found = cv.grad(lambda *xs: np.sin(make(ours, np)(*xs)).sum(), argnums=tuple(range(len(operands))))(*operands)
    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(f, w, rtol=1e-9, atol=1e-10)
