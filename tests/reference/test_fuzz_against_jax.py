"""Random programs against JAX in float64: value, gradient, and Hessian-vector product.

COVECTOR_FUZZ_PROGRAMS=10000 COVECTOR_FUZZ_START=0 pytest -m reference tests/reference/test_fuzz_against_jax.py

A few programs are fastest compiled whole, 0.65 s of processor time each. In a long run the same small operations come
again: compiled one by one and kept, 0.4 s a program after 400 of them. XLA's FFT refuses some transposed operands in
whole programs, which are then evaluated one by one as well.
"""

import os
from types import SimpleNamespace

import numpy as np
import pytest
from rig.fuzz import fuzz
from rig.operations import Library

jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
pytest.importorskip("jax.extend.core")
jax.config.update("jax_enable_x64", True)
pytestmark = pytest.mark.reference
PROGRAMS = int(os.environ.get("COVECTOR_FUZZ_PROGRAMS", "100"))
START = int(os.environ.get("COVECTOR_FUZZ_START", "0"))
OPENED = {"jit", "pjit", "custom_jvp_call", "custom_vjp_call", "closed_call", "core_call", "checkpoint"}
jnp = jax.numpy
Literal = jax.extend.core.Literal


def _write(x, index, value, add):
    part = x[index]
    value = jnp.reshape(value, value.shape[max(0, value.ndim - part.ndim) :])  # NumPy drops leading ones
    return x.at[index].add(value) if add else x.at[index].set(value)


def _standardize(x, axis, eps):
    return jax.nn.standardize(x, axis=axis, epsilon=eps)


def _attention(query, key, value):
    query, key, value = query[:, 0], key[:, 0], value[:, 0]  # JAX's own computes in single precision
    return (jax.nn.softmax(query @ key.T / np.sqrt(query.shape[-1])) @ value)[:, None]


def _conv(x, w, stride, padding):
    return jax.lax.conv_general_dilated(x, w, (stride,), [(padding, padding)], dimension_numbers=("NCH", "OIH", "NCH"))


def _pool(start, reduce, divisor):
    def fun(x, window, stride):
        ones = (1,) * (x.ndim - 1)
        return jax.lax.reduce_window(x, start, reduce, (*ones, window), (*ones, stride), "VALID") / divisor

    return fun


class Numpy:
    """jax.numpy; its `compress` cannot be compiled even for a constant mask."""

    def __getattr__(self, name):
        return getattr(jnp, name)

    def compress(self, mask, x, axis):
        return jnp.take(x, np.flatnonzero(mask), axis=axis)


NN = SimpleNamespace(
    **{name: getattr(jax.nn, name) for name in (
        "relu gelu silu elu selu softplus sigmoid log_sigmoid softmax log_softmax").split()},
    standardize=_standardize, dot_product_attention=_attention, conv=_conv,
    max_pool=_pool(-np.inf, jax.lax.max, 1.0), avg_pool=_pool(0.0, jax.lax.add, 2.0),
)
JAX = Library(Numpy(), jax.scipy.special, NN, jax.grad, jax.jvp, jax.vmap, jax.lax.cond, jax.lax.scan, jax.checkpoint,
              jax.custom_jvp, jax.custom_vjp, jax.lax.psum, jax.lax.stop_gradient, _write)


def evaluate(fun, *args):
    """`fun(*args)`, compiled whole or, in long runs, operation by operation."""
    if PROGRAMS <= 300:
        try:
            return jax.block_until_ready(jax.jit(fun)(*args))
        except jax.errors.JaxRuntimeError:
            pass
    closed, shapes = jax.make_jaxpr(fun, return_shape=True)(*args)
    outs = one_by_one(closed.jaxpr, closed.consts, map(jnp.asarray, jax.tree.leaves(args)))
    return jax.tree.unflatten(jax.tree.structure(shapes), outs)


def one_by_one(jaxpr, consts, args):
    """The answers of a graph: each primitive by itself, functions inside it opened."""
    values = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *args)))
    for eqn in jaxpr.eqns:
        operands = [v.val if isinstance(v, Literal) else values[v] for v in eqn.invars]
        inner = eqn.params.get("jaxpr", eqn.params.get("call_jaxpr"))
        if eqn.primitive.name in OPENED:
            outs = one_by_one(getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()), operands)
        else:
            outs = eqn.primitive.bind(*operands, **eqn.params)
            outs = outs if eqn.primitive.multiple_results else [outs]
        values.update(zip(eqn.outvars, outs))
    return [v.val if isinstance(v, Literal) else values[v] for v in jaxpr.outvars]


def by_jax(program, ours, direction):
    """Routes for `fuzz`: what JAX computes beside what covector computed."""
    every = tuple(range(len(program.inputs)))
    gradient = jax.value_and_grad(lambda *xs: program.run(JAX, xs), every)
    (value, slopes), (_, pushed) = evaluate(lambda xs, vs: jax.jvp(gradient, xs, vs), program.inputs, direction)
    yield "covector value, JAX", ours[0], np.asarray(value), 1e-8
    yield "covector gradient, JAX", ours[1], [np.asarray(v) for v in slopes], 1e-8
    yield "covector Hessian-vector product, JAX", ours[2], [np.asarray(v) for v in pushed], 1e-7


def test_programs_agree_with_jax():
    found = fuzz(programs=PROGRAMS, seed=0, start=START, reference=by_jax)
    assert [str(m) for m in found] == []
