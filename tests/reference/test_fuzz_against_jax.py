"""Random programs against JAX in float64: value, gradient, and Hessian-vector product."""

import os

import numpy as np
import pytest

from covector.testing import fuzz
from covector.testing.programs import Library

jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
jax.config.update("jax_enable_x64", True)
pytestmark = pytest.mark.reference
PROGRAMS = int(os.environ.get("COVECTOR_FUZZ_PROGRAMS", "100"))
START = int(os.environ.get("COVECTOR_FUZZ_START", "0"))


def _write(x, index, value, add):
    value = jax.numpy.reshape(value, value.shape[max(0, value.ndim - x[index].ndim) :])  # NumPy drops leading ones
    return x.at[index].add(value) if add else x.at[index].set(value)


def _scan(step, carry, rows):
    return jax.lax.scan(step, carry, rows)


JAX = Library(jax.numpy, jax.grad, jax.jvp, jax.vmap, jax.lax.cond, _scan, jax.checkpoint, jax.lax.stop_gradient,
              _write)


def by_jax(program, ours, direction):
    """Routes for `fuzz`: what JAX computes beside what covector computed."""
    value, slopes, pushed = ours
    inputs = tuple(map(jax.numpy.asarray, program.inputs))
    every = tuple(range(len(inputs)))
    gradient = jax.grad(lambda *xs: program.run(JAX, xs), every)
    yield "covector value, JAX", value, np.asarray(program.run(JAX, inputs)), 1e-8
    theirs, theirs_pushed = jax.jvp(gradient, inputs, tuple(map(jax.numpy.asarray, direction)))
    yield "covector gradient, JAX", slopes, [np.asarray(v) for v in theirs], 1e-8
    yield "covector Hessian-vector product, JAX", pushed, [np.asarray(v) for v in theirs_pushed], 1e-7


def test_programs_agree_with_jax():
    found = fuzz(programs=PROGRAMS, seed=0, start=START, reference=by_jax)
    assert [str(m) for m in found] == []
