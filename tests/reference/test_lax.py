"""`covector.lax` has JAX's arguments and meaning: each call of this table on both libraries, with derivatives."""

import inspect
import re

import numpy as np
import pytest

import covector
from covector import lax as ours
from covector.core.foreign import LAX

pytestmark = pytest.mark.reference
jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")

RNG = np.random.default_rng(0)
GIVEN = {
    "np": np, "x": RNG.uniform(0.1, 0.9, (3, 4)), "y": RNG.uniform(0.1, 0.9, (3, 4)), "m": RNG.normal(size=(3, 4)),
    "t": RNG.normal(size=(2, 3, 4)), "u": RNG.normal(size=(2, 4, 5)), "k": np.array([[7, -7, 3], [-3, 5, -1]]),
    "d": np.array([[2, 2, -2], [2, -3, 4]]), "b": np.array([[True, False, True], [True, True, True]]),
    "ties": np.array([2.0, 1.0, 2.0, 3.0, 1.0]), "image": RNG.normal(size=(2, 3, 7, 6)),
    "w": RNG.normal(size=(4, 3, 3, 2)), "last": RNG.normal(size=(2, 7, 6, 3)), "hwio": RNG.normal(size=(3, 2, 3, 4)),
    "grouped": RNG.normal(size=(6, 1, 3, 2)), "line": RNG.normal(size=(2, 3, 9)), "w1": RNG.normal(size=(4, 3, 2)),
    "f32": np.arange(6, dtype=np.float32).reshape(2, 3), "i32": np.arange(6, dtype=np.int32).reshape(2, 3),
}
UNARY = ("abs acos asin acosh asinh atan atanh cbrt ceil cos cosh exp exp2 expm1 floor is_finite log log1p logistic "
         "neg reciprocal rsqrt sign sin sinh sqrt square tan tanh erf erfc erf_inv lgamma digamma bessel_i0e "
         "bessel_i1e real imag conj")
BINARY = "add sub mul div rem pow atan2 max min eq ne lt le gt ge igamma igammac nextafter"
CALLS = [f"lax.{name}({'1.0 + x' if name == 'acosh' else 'x + 0.0j' if name in ('real', 'imag', 'conj') else 'x'})"
         for name in UNARY.split()]
CALLS += [f"lax.{name}(x, y)" for name in BINARY.split()]
CALLS += [f"lax.{name}(k, d)" for name in "bitwise_and bitwise_or bitwise_xor div rem max min eq lt".split()]
CALLS += """
lax.bitwise_not(k)
lax.shift_left(k, np.abs(d))
lax.shift_right_arithmetic(k, np.abs(d))
lax.betainc(x, y, x)
lax.polygamma(1.0, x)
lax.zeta(1.5 + x, y)
lax.integer_pow(m, 3)
lax.integer_pow(m, -2)
lax.full((2, 3), 1.5)
lax.full_like(x, 2)
lax.select(m > 0, x, y)
lax.select_n(m > 0, x, y)
lax.select_n(np.array([0, 2, 1], np.int32), x[0, :3], y[0, :3], m[0, :3])
lax.clamp(0.3, x, 0.6)
lax.clamp(x[0], y[0], x[0] + 0.1)
lax.convert_element_type(m, np.float32)
lax.convert_element_type(m, np.int32)
lax.slice(m, (1, 0), (3, 4), (1, 2))
lax.slice(m, (0, 1), (2, 3))
lax.slice_in_dim(m, 1, -1, 2, axis=1)
lax.slice_in_dim(m, None, 2)
lax.index_in_dim(m, -1, 1)
lax.index_in_dim(m, 1, keepdims=False)
lax.dynamic_slice(m, (1, 2), (2, 2))
lax.dynamic_slice(m, (2, 9), (2, 3))
lax.dynamic_slice(m, (-1, -9), (2, 3))
lax.dynamic_slice(m, np.array([1, 1]), (2, 2))
lax.dynamic_slice_in_dim(m, 3, 2, axis=1)
lax.dynamic_slice_in_dim(m, -2, 2, axis=1)
lax.dynamic_index_in_dim(m, 7)
lax.dynamic_index_in_dim(m, -1, 1, False)
lax.dynamic_update_slice(m, x[:2, :2], (2, 2))
lax.dynamic_update_slice(m, x[:2, :2], (-3, 1))
lax.dynamic_update_slice_in_dim(m, x[:, :2], 3, 1)
lax.dynamic_update_index_in_dim(m, x[0], 9, 0)
lax.dynamic_update_index_in_dim(m, x[:, :1], 1, 1)
lax.reshape(m, (4, 3))
lax.reshape(m, (4, 3), (1, 0))
lax.transpose(t, (2, 0, 1))
lax.expand_dims(m, (0, 3))
lax.expand_dims(m, (-1,))
lax.squeeze(t[:1], (0,))
lax.broadcast(m, (2, 1))
lax.broadcast_in_dim(m, (3, 2, 4), (0, 2))
lax.broadcast_in_dim(m[:, :1], (3, 5), (0, 1))
lax.concatenate([m, x], 1)
lax.rev(t, (0, 2))
lax.pad(m, 0.5, [(1, 2, 0), (0, 1, 2)])
lax.pad(m, 0.5, [(-1, 2, 0), (1, -2, 1)])
lax.pad(m, 0.0, [(-1, -1, 1), (0, 0, 0)])
lax.iota(np.int32, 4)
lax.broadcasted_iota(np.float32, (2, 3), 0)
lax.tile(m, (2, 1))
lax.reduce_sum(t, (0, 2))
lax.reduce_sum(i32, (0,))
lax.reduce_prod(m, (1,))
lax.reduce_max(t, (0, 1))
lax.reduce_min(t, (2,))
lax.reduce_and(b, (1,))
lax.reduce_or(b, (0,))
lax.cumsum(m)
lax.cumsum(i32, 1, True)
lax.cumprod(m, axis=1)
lax.cumprod(m, 1, reverse=True)
lax.cummax(m, axis=1)
lax.cummax(ties, reverse=True)
lax.cummin(m)
lax.cumlogsumexp(m, axis=1)
lax.cumlogsumexp(m, 0, reverse=True)
lax.argmax(ties, 0, np.int32)
lax.argmin(m, 1, np.int32)
lax.sort(m)
lax.sort(m, 0)
lax.sort((k, d, d + k), 1)
lax.sort((k // 4, d, d + k), 1, num_keys=2)
lax.sort_key_val(ties, np.arange(5.0))
lax.top_k(ties, 3)
lax.top_k(m, 2)
lax.top_k(np.array([1.0, np.nan, 3.0]), 2)
lax.top_k(f32, 2)
lax.dot(m[0], x[0])
lax.dot(m, x.T)
lax.batch_matmul(t, u)
lax.dot_general(t, u, (((2,), (1,)), ((0,), (0,))))
lax.dot_general(t, m, (((1, 2), (0, 1)), ((), ())))
lax.dot_general(t, t, (((), ()), ((1, 0), (1, 0))))
lax.dot_general(f32, f32, (((1,), (1,)), ((), ())), preferred_element_type=np.float64)
lax.conv(image, w, (1, 1), "VALID")
lax.conv(image, w, (2, 2), "SAME")
lax.conv_general_dilated(last, hwio, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
lax.conv_general_dilated(last, hwio, (1, 1), [(1, 2), (0, 1)], dimension_numbers=("NHWC", "HWIO", "NCHW"))
lax.conv_general_dilated(image, w, (1, 1), [(0, 0), (1, 1)], (2, 3), (2, 1))
lax.conv_general_dilated(image, w, (1, 1), [(-1, 2), (0, -1)])
lax.conv_general_dilated(image, grouped, (1, 1), "VALID", feature_group_count=3)
lax.conv_general_dilated(line, w1, (2,), "SAME")
lax.scan(lambda c, a: (c + a, c * a), 0.0, ties)
lax.fori_loop(0, 4, lambda i, c: c * 2.0, m)
lax.while_loop(lambda c: c < 9.0, lambda c: c * 2.0, 1.0)
lax.cond(True, np.sin, np.cos, m)
lax.switch(5, [np.sin, np.cos], m)
lax.map(lambda a: a * 2.0, m)
lax.associative_scan(np.multiply, ties, reverse=True)
lax.stop_gradient(m)
""".strip().splitlines()


def value(call, lax, arrays=np):
    return covector.tree.leaves(eval(call, GIVEN | {"lax": lax, "np": arrays}))


@pytest.fixture(autouse=True, scope="module")
def float64():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def test_every_name_of_ours_is_one_of_jax():
    assert [name for name in ours.__all__ if not hasattr(jax.lax, name)] == []
    called = {name for name in ours.__all__ for call in CALLS if f"lax.{name}(" in call}
    collectives = {"all_gather", "all_to_all", "axis_index", "axis_size", "pmax", "pmean", "pmin", "ppermute", "psum",
                   "psum_scatter", "custom_root", "custom_linear_solve"}  # test_jax_transforms.py, test_solvers.py
    assert set(ours.__all__) - called == collectives


def test_every_name_of_jax_is_there_or_answered():
    """But for classes, and two operations on the bits of integers."""
    theirs = [name for name in dir(jax.lax) if name[0].islower() and not name.endswith("_p")]
    unknown = [name for name in theirs if name not in ours.__all__ and name not in LAX]
    unknown = [name for name in unknown if name not in ("clz", "mulhi")]
    assert unknown == []


@pytest.mark.parametrize("name", [n for n in ours.__all__ if inspect.isfunction(getattr(ours, n))
                                  and getattr(ours, n).__module__.startswith("covector.lax")])
def test_the_arguments_have_the_names_and_the_order_of_jax(name):
    mine = list(inspect.signature(getattr(ours, name)).parameters)
    theirs = list(inspect.signature(getattr(jax.lax, name)).parameters)
    assert mine == theirs[: len(mine)] or set(mine) <= set(theirs) and mine[:2] == theirs[:2]


@pytest.mark.parametrize("call", CALLS)
def test_the_value_is_that_of_jax(call):
    found, wanted = value(call, ours), value(call, jax.lax, jax.numpy if "np.sin" in call else np)
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        b = np.asarray(b)
        assert np.shape(a) == b.shape
        weak = "scan" in call or "loop" in call  # Python's numbers
        assert weak or np.asarray(a).dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


SMOOTH = [call for call in CALLS if any(f"{name}(" in call for name in (
    "rsqrt", "select", "clamp", "slice", "index_in_dim", "slice_in_dim", "reshape", "transpose", "squeeze", "broadcast",
    "concatenate", "rev", "pad", "reduce_sum", "reduce_prod", "reduce_max", "cumsum", "cumprod", "cummax", "cummin",
    "cumlogsumexp", "sort", "top_k", "dot_general", "batch_matmul", "conv", "conv_general_dilated"))
    and not any(word in call for word in ("i32", "(k", "f32", "ties", "nan", "int32", "iota"))]


@pytest.mark.parametrize("call", SMOOTH)
def test_the_gradient_is_that_of_jax(call):
    name = re.search(r"\b(image|last|line|t|m|x)\b", call.partition("(")[2])[1]

    def loss(lax, numpy):
        def fun(v):
            first = covector.tree.leaves(eval(call, GIVEN | {"lax": lax, name: v}))[0]
            return numpy.sum(numpy.sin(first))
        return fun

    mine, theirs = loss(ours, np), loss(jax.lax, jax.numpy)
    wanted = np.asarray(jax.grad(theirs)(jax.numpy.asarray(GIVEN[name])))
    for gradient in (covector.grad(mine), covector.jit(covector.grad(mine))):
        np.testing.assert_allclose(gradient(GIVEN[name]), wanted, rtol=1e-9, atol=1e-12)


TRACED = {
    "dynamic_slice": lambda lax, m, i: lax.dynamic_slice(m, (i, i), (2, 2)),
    "dynamic_slice of one traced index": lambda lax, m, i: lax.dynamic_slice(m, (0, i), (2, 2)),
    "dynamic_slice_in_dim": lambda lax, m, i: lax.dynamic_slice_in_dim(m, i, 2, axis=1),
    "dynamic_index_in_dim": lambda lax, m, i: lax.dynamic_index_in_dim(m, i, 1, keepdims=False),
    "dynamic_update_slice": lambda lax, m, i: lax.dynamic_update_slice(m, m[:2, :2] ** 2, (i, i)),
    "dynamic_update_slice_in_dim": lambda lax, m, i: lax.dynamic_update_slice_in_dim(m, m[:, :2] ** 2, i, 1),
    "dynamic_update_index_in_dim": lambda lax, m, i: lax.dynamic_update_index_in_dim(m, m[0] ** 2, i, 0),
}


@pytest.mark.parametrize("name", TRACED)
def test_at_a_traced_place_it_is_as_in_jax(name):
    m, places = GIVEN["m"], np.array([-9, -1, 0, 1, 2, 3, 8])
    fun = TRACED[name]
    wanted = np.asarray(jax.vmap(lambda i: fun(jax.lax, jax.numpy.asarray(m), i))(places))
    mapped = covector.vmap(lambda i: fun(ours, m, i))
    np.testing.assert_allclose(mapped(places), wanted)
    np.testing.assert_allclose(covector.jit(mapped)(places), wanted)
    compiled = covector.jit(lambda m, i: fun(ours, m, i))
    slope = covector.jit(covector.grad(lambda m, i: np.sum(fun(ours, m, i) ** 2)))
    theirs = jax.grad(lambda m, i: (fun(jax.lax, m, i) ** 2).sum())
    for k, place in enumerate(places):
        np.testing.assert_allclose(compiled(m, place), wanted[k])
        np.testing.assert_allclose(slope(m, place), theirs(m, place), rtol=1e-12)
