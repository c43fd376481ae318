"""covector.nn against loops and definitions: values, kinks, geometry, and the messages of what does not fit."""

import itertools
import math

import numpy as np
import pytest

import covector as cv
from covector import nn
from covector.core.errors import DtypeError, ShapeError
from covector.testing import check_grads

RNG = np.random.default_rng(5)
ACTIVATIONS = ["relu", "gelu", "silu", "elu", "selu", "softplus", "sigmoid", "log_sigmoid", "tanh", "celu", "mish",
               "squareplus", "leaky_relu", "relu6", "hard_tanh", "hard_sigmoid", "hard_silu", "soft_sign",
               "sparse_plus", "sparse_sigmoid", "swish", "hard_swish", "identity"]


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation_has_the_derivatives_of_its_values(name):
    fun = getattr(nn, name)
    check_grads(fun, (np.array([-2.8, -0.4, 0.3, 2.5]),))
    x = np.array([-1.5, 0.5], np.float32)
    assert fun(x).dtype == np.float32
    assert cv.grad(lambda x: fun(x).sum())(x).dtype == np.float32
    np.testing.assert_allclose(cv.vmap(fun)(x), fun(x))


def test_slopes_at_the_kinks():
    slopes = {name: float(cv.grad(getattr(nn, name))(0.0)) for name in ("relu", "elu", "selu")}
    assert slopes == {"relu": 0.0, "elu": 1.0, "selu": pytest.approx(1.0507009873554805 * 1.6732632423543772)}


@pytest.mark.parametrize("name", [name for name in ACTIVATIONS if name != "relu"])
@pytest.mark.parametrize("x", [-1e4, 1e4])
def test_activations_overflow_nowhere(name, x):
    fun = getattr(nn, name)
    assert np.isfinite(fun(x))
    assert np.isfinite(cv.grad(fun)(x))


def test_parameters_of_activations_have_derivatives():
    x = np.array([-3.0, -0.4, 0.3, 2.5])
    for fun, parameter in ((nn.leaky_relu, 0.2), (nn.celu, 0.7), (nn.squareplus, 3.0), (nn.elu, 0.7)):
        check_grads(fun, (x, np.array(parameter)))


def test_log1mexp_is_precise_at_both_ends():
    x = np.array([1e-300, 1e-9, 0.3, math.log(2.0), 1.0, 30.0, 700.0])
    np.testing.assert_allclose(np.expm1(nn.log1mexp(x))[2:], -np.exp(-x)[2:], rtol=1e-14)
    np.testing.assert_allclose(nn.log1mexp(x)[:2], np.log(x[:2]), rtol=1e-9)
    check_grads(nn.log1mexp, (x[2:5],))
    with np.errstate(divide="ignore", invalid="ignore"):
        np.testing.assert_array_equal(nn.log1mexp([0.0, -1.0]), [-np.inf, np.nan])


def test_squareplus_loses_no_digits_where_it_is_small():
    np.testing.assert_allclose(nn.squareplus(-1e9), 1e-9, rtol=1e-15)
    np.testing.assert_allclose(nn.squareplus([-2.0, 0.0, 3.0], 0.0), [0.0, 0.0, 3.0])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_glu_is_gated_by_the_second_half(axis):
    x = RNG.normal(size=(4, 6))
    a, b = np.split(x, 2, axis)
    np.testing.assert_allclose(nn.glu(x, axis), a / (1 + np.exp(-b)))
    check_grads(lambda x: nn.glu(x, axis), (x,))
    with pytest.raises(ShapeError, match=r"glu needs an axis of even length.*\(4, 5\).*pad"):
        nn.glu(x[:, :5])


@pytest.mark.parametrize("axis", [None, -1, 0, (0, 1)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp", "logmeanexp"])
def test_what_takes_no_part_in_a_sum_of_exponentials_has_no_derivative(name, axis):
    fun = getattr(nn, name)
    x = RNG.normal(size=(3, 4))
    mask = np.array([[True, False, True, True], [False] * 4, [True, True, False, False]])
    kept = np.where(mask, x, -np.inf)

    some = mask.any(axis=axis, keepdims=True)
    with np.errstate(all="ignore"):
        weight = np.exp(kept)
        total = weight.sum(axis=axis, keepdims=True)
        number = mask.sum(axis=axis, keepdims=True)
        want = {"softmax": np.where(mask, weight / total, 0.0),
                "log_softmax": np.where(mask, x - np.log(total), -np.inf),
                "logsumexp": np.log(total), "logmeanexp": np.where(some, np.log(total / number), np.nan)}[name]
    got = fun(x, axis, where=mask) if name.endswith("softmax") else fun(x, axis, where=mask, keepdims=True)
    np.testing.assert_allclose(got, want, atol=1e-15)
    finite = np.isfinite(want)
    weights = np.where(finite, RNG.normal(size=want.shape), 0.0)

    def of(x):
        out = fun(x, axis, where=mask) if name.endswith("softmax") else fun(x, axis, where=mask, keepdims=True)
        return (np.where(finite, out, 0.0) * weights).sum()

    check_grads(of, (x,))
    assert not cv.grad(of)(x)[~mask].any()
    with pytest.raises(DtypeError, match=rf"{name} needs a boolean where=.*float64.*compare"):
        fun(x, axis, where=x)


def test_the_mean_of_exponentials_is_the_sum_less_the_number():
    x = RNG.normal(size=(3, 4))
    for axis in (None, 0, (0, 1)):
        np.testing.assert_allclose(nn.logmeanexp(x, axis), np.log(np.exp(x).mean(axis=axis)))
        check_grads(lambda x, axis=axis: nn.logmeanexp(x, axis), (x,))
    assert np.isnan(nn.logmeanexp(x, where=np.zeros((3, 4), bool)))


@pytest.mark.parametrize("axis", [None, -1, (0, 2), (2, 0)])
def test_softmax_over_several_axes_adds_up_to_one(axis):
    x = RNG.normal(size=(2, 3, 4))
    y = nn.softmax(x, axis)
    np.testing.assert_allclose(y.sum(axis=axis), 1.0)
    np.testing.assert_allclose(np.log(y), nn.log_softmax(x, axis))
    np.testing.assert_allclose(nn.logsumexp(x, axis, keepdims=True) + nn.log_softmax(x, axis), x)
    check_grads(lambda x: nn.log_softmax(x, axis), (x,))


def direct_conv(x, w, stride, padding, dilation, groups):
    """The definition, place by place."""
    n = w.ndim - 2
    x = np.pad(x, ((0, 0), (0, 0), *padding))
    out = [(x.shape[2 + i] - dilation[i] * (w.shape[2 + i] - 1) - 1) // stride[i] + 1 for i in range(n)]
    y = np.zeros((x.shape[0], w.shape[0], *out))
    per_in, per_out = w.shape[1], w.shape[0] // groups
    for f, place, k in itertools.product(range(w.shape[0]), np.ndindex(*out), np.ndindex(*w.shape[2:])):
        at = tuple(p * s + j * d for p, s, j, d in zip(place, stride, k, dilation, strict=True))
        channels = x[(slice(None), slice(f // per_out * per_in, (f // per_out + 1) * per_in), *at)]
        y[(slice(None), f, *place)] += channels @ w[(f, slice(None), *k)]
    return y


GEOMETRIES = [
    ((2, 3, 9), (4, 3, 3), {"stride": (2,), "padding": ((1, 2),), "dilation": (2,), "groups": 1}),
    ((2, 4, 6, 5), (6, 2, 3, 2), {"stride": (1, 2), "padding": ((1, 1), (0, 0)), "dilation": (1, 2), "groups": 2}),
    ((1, 2, 4, 4, 3), (2, 1, 2, 2, 3), {"stride": (1, 1, 1), "padding": ((0, 0), (1, 0), (1, 1)),
                                        "dilation": (2, 1, 1), "groups": 2}),
]


@pytest.mark.parametrize(("xs", "ws", "facts"), GEOMETRIES)
def test_conv_is_its_definition(xs, ws, facts):
    x, w, b = RNG.normal(size=xs), RNG.normal(size=ws), RNG.normal(size=ws[0])
    want = direct_conv(x, w, **facts)
    got = nn.conv(x, w, b, **facts)
    np.testing.assert_allclose(got, want + b.reshape((-1,) + (1,) * (w.ndim - 2)), atol=1e-12)
    np.testing.assert_allclose(nn.conv(x[0], w, **facts), want[0], atol=1e-12)
    check_grads(lambda *a: nn.conv(*a, **facts), (x, w, b))


@pytest.mark.parametrize(("xs", "ws", "facts"), GEOMETRIES)
def test_conv_transpose_is_the_transpose_of_conv(xs, ws, facts):
    x, w = RNG.normal(size=xs), RNG.normal(size=ws)
    y = RNG.normal(size=nn.conv(x, w, **facts).shape)
    more = [(n + a + b - d * (k - 1) - 1) % s for n, k, s, d, (a, b) in zip(
        xs[2:], ws[2:], facts["stride"], facts["dilation"], facts["padding"], strict=True)]
    back = nn.conv_transpose(y, w, output_padding=more, **facts)
    assert back.shape == x.shape
    np.testing.assert_allclose(np.vdot(nn.conv(x, w, **facts), y), np.vdot(x, back))
    check_grads(lambda *a: nn.conv_transpose(*a, output_padding=more, **facts), (y, w, RNG.normal(size=xs[1])))


def test_output_padding_beyond_the_last_kernel_is_zero():
    x, w = np.ones((1, 1, 2)), np.ones((1, 1, 2))
    np.testing.assert_array_equal(nn.conv_transpose(x, w, stride=1, output_padding=2)[0, 0], [1, 2, 1, 0, 0])
    np.testing.assert_array_equal(nn.conv_transpose(x, w, padding=1, output_padding=2)[0, 0], [2, 1, 0])


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("kernel", [1, 2, 3, 4])
def test_same_padding_keeps_size_over_stride(stride, kernel):
    for n in (4, 5, 6, 7):
        y = nn.conv(np.ones((1, 1, n)), np.ones((1, 1, kernel)), stride=stride, padding="same")
        assert y.shape[2] == -(-n // stride)


def test_ensembles_of_weights_are_mapped():
    x, w = RNG.normal(size=(3, 2, 5)), RNG.normal(size=(4, 6, 2, 3))
    got = cv.vmap(lambda w: nn.conv(x, w))(w)
    np.testing.assert_allclose(got, np.stack([nn.conv(x, v) for v in w]))
    grads = cv.vmap(cv.grad(lambda w, x: (nn.conv(x[None], w) ** 2).sum()), in_axes=(None, 0))(w[0], x)
    np.testing.assert_allclose(grads.sum(axis=0), cv.grad(lambda w: (nn.conv(x, w) ** 2).sum())(w[0]))


@pytest.mark.parametrize(("window", "facts"), [
    (2, {}), (3, {"stride": 1, "padding": 1}), ((2, 3), {"stride": (2, 1)}), ((2, 2), {"padding": ((1, 0), (0, 1))}),
])
def test_pools_are_those_of_each_window(window, facts):
    x = RNG.normal(size=(2, 3, 6, 7))
    kernel = window if isinstance(window, tuple) else (window,)
    n = len(kernel)
    stride = facts.get("stride", kernel)
    stride = stride if isinstance(stride, tuple) else (stride,) * n
    padding = facts.get("padding", 0)
    pairs = padding if isinstance(padding, tuple) else ((padding, padding),) * n
    for fun, reduce, fill in ((nn.max_pool, np.max, -np.inf), (nn.avg_pool, np.mean, 0.0)):
        wide = np.pad(x, ((0, 0),) * (4 - n) + pairs, constant_values=fill)
        seen = np.lib.stride_tricks.sliding_window_view(wide, kernel, axis=tuple(range(4 - n, 4)))
        seen = seen[(..., *[slice(None, None, s) for s in stride], *(slice(None),) * n)]
        np.testing.assert_allclose(fun(x, window, **facts), reduce(seen, axis=tuple(range(-n, 0))))
        check_grads(lambda x, fun=fun: fun(x, window, **facts), (x,))


def test_first_of_equal_values_has_the_derivative_of_max_pool():
    np.testing.assert_array_equal(cv.grad(lambda x: nn.max_pool(x, 3)[0])(np.array([1.0, 2.0, 2.0])), [0, 1, 0])


def test_means_may_leave_out_the_padding():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(nn.avg_pool(x, 2, padding=1, count_include_pad=False), [1.0, 2.5, 4.0])
    np.testing.assert_allclose(nn.avg_pool(x, 2, padding=1), [0.5, 2.5, 2.0])


def test_attention_is_its_definition():
    q, k, v = RNG.normal(size=(2, 4, 2, 3)), RNG.normal(size=(2, 5, 2, 3)), RNG.normal(size=(2, 5, 2, 6))
    mask, bias = RNG.normal(size=(1, 1, 4, 5)) > -0.5, RNG.normal(size=(2, 2, 1, 5))
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(3) + bias
    weights = np.exp(scores) * mask
    want = np.einsum("bhqk,bkhw->bqhw", weights / weights.sum(axis=-1, keepdims=True), v)
    np.testing.assert_allclose(nn.dot_product_attention(q, k, v, bias=bias, mask=mask), want)
    check_grads(lambda *a: nn.dot_product_attention(*a[:3], bias=a[3], mask=mask), (q, k, v, bias))


def test_query_without_keys_gives_zero_and_no_nan():
    q, k, v = np.ones((2, 1, 1)), np.ones((3, 1, 1)), np.ones((3, 1, 1))
    mask = np.array([[[True, False, True], [False, False, False]]])
    out, back = cv.vjp(lambda *a: nn.dot_product_attention(*a, mask=mask), q, k, v)
    np.testing.assert_allclose(out[:, 0], [[1.0], [0.0]])
    assert all(np.isfinite(g).all() for g in back(np.ones((2, 1, 1))))


def test_causal_attention_sees_no_later_key():
    q, k, v = RNG.normal(size=(3, 1, 2)), RNG.normal(size=(3, 1, 2)), RNG.normal(size=(3, 1, 2))
    jacobian = cv.jacobian(lambda v: nn.dot_product_attention(q, k, v, is_causal=True).sum(axis=(1, 2)))(v)
    assert not np.triu(np.abs(jacobian).sum(axis=(2, 3)), 1).any()
    np.testing.assert_allclose(nn.dot_product_attention(q, k, v, is_causal=True)[0], v[0])


def test_standardize_takes_given_moments():
    x = RNG.normal(size=(3, 4))
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    want = (x - mean) / np.sqrt(variance + 1e-5)
    for facts in ({}, {"mean": mean}, {"variance": variance}, {"mean": mean, "variance": variance}):
        np.testing.assert_allclose(nn.standardize(x, **facts), want)
    np.testing.assert_allclose(nn.standardize(x, (0, 1)), (x - x.mean()) / np.sqrt(x.var() + 1e-5))


@pytest.mark.parametrize("given", [(), ("scale",), ("shift",), ("scale", "shift")])
def test_layer_norm_is_its_definition(given):
    x = RNG.normal(size=(2, 3, 4))
    facts = {name: RNG.normal(size=(3, 4)) for name in given}
    mean, variance = x.mean(axis=(1, 2), keepdims=True), x.var(axis=(1, 2), keepdims=True)
    want = (x - mean) / np.sqrt(variance + 1e-5) * facts.get("scale", 1.0) + facts.get("shift", 0.0)
    np.testing.assert_allclose(nn.layer_norm(x, axes=2, **facts), want)
    check_grads(lambda x, *rest: nn.layer_norm(x, axes=2, **dict(zip(given, rest, strict=True))), (x, *facts.values()))


def test_one_hot_puts_the_axis_anywhere():
    x = np.array([[0, 2], [1, 5]])
    for axis in (0, 1, 2, -1):
        want = np.moveaxis(np.eye(6)[x][..., :3], -1, axis)
        np.testing.assert_array_equal(nn.one_hot(x, 3, axis=axis), want)
    assert nn.one_hot(x, 3, dtype=np.float32).dtype == np.float32
    np.testing.assert_array_equal(cv.vmap(lambda k: nn.one_hot(k, 3))(x), nn.one_hot(x, 3))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_cross_entropy_is_its_definition(axis):
    x = RNG.normal(size=(2, 3, 4))
    shape = x.shape[:axis] + x.shape[axis + 1 :]
    labels = RNG.integers(0, x.shape[axis], shape)
    hot = nn.one_hot(labels, x.shape[axis], axis=axis)
    want = -(hot * nn.log_softmax(x, axis)).sum(axis=axis)
    np.testing.assert_allclose(nn.softmax_cross_entropy(x, labels, axis), want)
    np.testing.assert_allclose(nn.softmax_cross_entropy(x, hot, axis), want)
    check_grads(lambda x: nn.softmax_cross_entropy(x, labels, axis), (x,))
    check_grads(lambda x, t: nn.softmax_cross_entropy(x, t, axis), (x, np.abs(hot - 0.2)))


def test_excluded_class_of_weight_zero_costs_nothing():
    x, t = np.array([0.0, -np.inf]), np.array([1.0, 0.0])
    assert float(nn.softmax_cross_entropy(x, t)) == 0.0
    np.testing.assert_array_equal(cv.grad(nn.softmax_cross_entropy)(x, t), [0.0, 0.0])


SEQ = np.ones((2, 4, 2, 3))
ONE, TWO = np.ones((1, 2, 4)), np.ones((3, 2, 2))
REFUSED = {
    "axes": (lambda: nn.conv(np.ones(3), TWO), ShapeError, r"conv needs x of shape.*\(3,\) and \(3, 2, 2\)"),
    "channels": (lambda: nn.conv(ONE, TWO[:, :1]), ShapeError, r"1 groups needs.*\(1, 2, 4\).*\(3, 1, 2\)"),
    "kernel": (lambda: nn.conv(ONE, np.ones((3, 2, 5))), ShapeError, r"kernel of shape \(5,\).*padded size \(4,\)"),
    "bias": (lambda: nn.conv(ONE, TWO, np.ones(2)), ShapeError, r"shape \(3,\), but has shape \(2,\)"),
    "stride": (lambda: nn.conv(ONE, TWO, stride=(1, 1)), ShapeError, r"stride needs one number.*\(1, 1\)"),
    "padding": (lambda: nn.conv(ONE, TWO, padding=-1), ShapeError, "padding needs integers of at least 0, but got -1"),
    "padding name": (lambda: nn.conv(ONE, TWO, padding="full"), ValueError, "\"same\", but got 'full'"),
    "transpose": (lambda: nn.conv_transpose(ONE, TWO), ShapeError, r"conv_transpose with 1 groups.*\(3, 2, 2\)"),
    "cut": (lambda: nn.conv_transpose(ONE, TWO[:2], padding=3), ShapeError, r"crops 3 from an output of size \(5,\)"),
    "attention": (lambda: nn.dot_product_attention(np.ones(3), np.ones((2, 3)), np.ones((2, 3))), ShapeError,
                  r"query \(…, queries, heads, depth\).*\(3,\).*one head with query\[:, None, :\]"),
    "attention without heads": (lambda: nn.dot_product_attention(np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 3))),
                                ShapeError, r"\(…, queries, heads, depth\).*\(2, 3\).*add axes"),
    "heads in front": (lambda: nn.dot_product_attention(np.ones((4, 7, 3)), np.ones((4, 5, 3)), np.ones((4, 5, 3))),
                       ShapeError, r"divides that of the query, 7, but got 5.*swapaxes"),
    "mask of a batch": (lambda: nn.dot_product_attention(SEQ, SEQ, SEQ, mask=np.ones((2, 4, 4), bool)), ShapeError,
                        r"mask with the axes \(…, heads, queries, keys\).*\(2, 2, 4, 4\).*\(2, 4, 4\).*reshape"),
    "bias of a matrix": (lambda: nn.dot_product_attention(SEQ, SEQ, SEQ, np.ones((4, 4))), ShapeError,
                         r"a bias with.*\(4, 4\)"),
    "lengths": (lambda: nn.dot_product_attention(SEQ, SEQ, SEQ, query_seq_lengths=np.ones(2)), DtypeError,
                r"query_seq_lengths of integers, but got float64.*astype"),
    "length": (lambda: nn.dot_product_attention(SEQ, SEQ, SEQ, key_value_seq_lengths=4), ShapeError,
               r"key_value_seq_lengths of shape \(2,\).*got \(\)"),
    "half an axis": (lambda: nn.layer_norm(ONE, axes=1.5), TypeError, r"axes of layer_norm is an integer.*1\.5"),
    "classes": (lambda: nn.one_hot([0], "3"), TypeError, r"num_classes of one_hot is an integer.*'3'"),
    "window": (lambda: nn.max_pool(ONE, 5), ShapeError, r"windows of shape \(5,\).*into axes of shape \(4,\)"),
    "window axes": (lambda: nn.avg_pool(ONE, (1, 1, 1, 1)), ShapeError, r"as many axes, but x has shape \(1, 2, 4\)"),
    "scale": (lambda: nn.layer_norm(ONE, np.ones(3)), ShapeError, r"over, \(4,\), but got \(3,\)"),
    "one hot": (lambda: nn.one_hot(1.0, 3), DtypeError, r"needs integers, but got float64.*astype\(int\)"),
    "labels": (lambda: nn.softmax_cross_entropy(ONE, [0, 1]), ShapeError, r"\(1, 2\) examples.*shape \(2,\)"),
    "label": (lambda: nn.softmax_cross_entropy(ONE, [[0, 4]]), IndexError, "from 0 to 4, but there are 4 classes"),
    "stride of 0": (lambda: nn.conv(ONE, TWO, stride=0), ShapeError, "stride needs integers of at least 1, but got 0"),
    "fraction": (lambda: nn.conv(ONE, TWO, stride=1.5), DtypeError, "stride needs integers, but got 1.5; round"),
    "groups": (lambda: nn.conv_transpose(ONE, TWO[:2], groups=0), ShapeError, "groups needs integers of at least 1"),
    "three": (lambda: nn.conv(ONE, TWO, padding=[(1, 2, 3)]), ShapeError, r"before and after.*\(1, 2, 3\)"),
    "pairs": (lambda: nn.conv(ONE, TWO, padding=[(1, 2)] * 2), ShapeError, r"one pair, or one for each of 1 axes"),
    "output padding": (lambda: nn.conv_transpose(ONE, TWO[:2], output_padding=-1), ShapeError,
                       "at least 0, but got -1"),
    "window of 0": (lambda: nn.max_pool(ONE, 0), ShapeError, "window needs integers of at least 1, but got 0"),
    "mask of numbers": (lambda: nn.dot_product_attention(ONE, ONE, ONE, mask=np.zeros((2, 1, 1))), DtypeError,
                        r"boolean mask.*float64.*bias="),
    "no axes": (lambda: nn.layer_norm(ONE, axes=0), ShapeError, r"axes=0 of x of shape \(1, 2, 4\)"),
    "float labels": (lambda: nn.softmax_cross_entropy(np.ones((4, 4)), np.ones(4)), ShapeError,
                     r"\(4,\).*astype\(int\)"),
    **{name: (lambda f=getattr(nn, name), more=more: f(ONE * 1j, *more), DtypeError,
              f"{name} takes real values.*x.real")
       for name, more in (("relu", ()), ("elu", ()), ("selu", ()), ("softplus", ()), ("log_sigmoid", ()),
                          ("max_pool", (2,)), ("softmax_cross_entropy", ([[0, 1]],)))},
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refusal_says_what_was_given(name):
    call, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        call()


LAYERS = {
    "conv": lambda x: nn.conv(x, np.ones((3, 2, 2))), "transpose": lambda x: nn.conv_transpose(x, np.ones((2, 3, 2))),
    "max_pool": lambda x: nn.max_pool(x, 2, padding=1), "avg_pool": lambda x: nn.avg_pool(x, 2, padding=1),
    "attention": lambda x: nn.dot_product_attention(x, x + 1.0, x * x, is_causal=True, local_window_size=(1, 0)),
    "layer_norm": lambda x: nn.layer_norm(x, np.arange(4.0)), "standardize": lambda x: nn.standardize(x, (0, 1)),
    "loss": lambda x: nn.softmax_cross_entropy(x, np.array([[0, 3], [1, 2], [2, 2]])[: len(x)]),
    "softmax": lambda x: nn.softmax(x, (0, 2)), "gelu": nn.gelu,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_layer_is_mapped_and_staged(name):
    layer, x = LAYERS[name], RNG.normal(size=(5, 3, 2, 4))
    np.testing.assert_allclose(cv.vmap(layer)(x), np.stack([layer(v) for v in x]), atol=1e-12)
    slope = cv.grad(lambda x: (layer(x) ** 2).sum())
    np.testing.assert_allclose(cv.vmap(slope)(x), np.stack([slope(v) for v in x]), atol=1e-12)
    graph = cv.make_graph(slope)(x[0])
    np.testing.assert_allclose(graph(x[1]), slope(x[1]), atol=1e-12)


def test_labels_may_be_mapped():
    x, labels = RNG.normal(size=(4, 3)), np.array([0, 2, 1, 1])
    np.testing.assert_allclose(cv.vmap(nn.softmax_cross_entropy)(x, labels), nn.softmax_cross_entropy(x, labels))
