"""covector.nn against PyTorch and JAX in float64: values and gradients."""

import numpy as np
import pytest

import covector as cv
from covector import nn

pytestmark = pytest.mark.reference
jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
torch = pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
jax.config.update("jax_enable_x64", True)
F = torch.nn.functional
RNG = np.random.default_rng(11)
X = np.array([-30.0, -3.0, -2.0, -1.0, -0.3, 0.0, 0.7, 1.0, 3.0, 6.0, 40.0])


def compare(ours, theirs, *args):
    """Values, and gradients of a fixed weighted sum, of a covector function and a torch function."""
    tensors = [torch.tensor(a, requires_grad=True) for a in args]
    want = theirs(*tensors)
    weights = np.random.default_rng(0).normal(size=want.shape)
    got = ours(*args)
    np.testing.assert_allclose(got, want.detach(), rtol=1e-9, atol=1e-11)
    (want * torch.tensor(weights)).sum().backward()
    gradients = cv.grad(lambda *a: (ours(*a) * weights).sum(), argnums=tuple(range(len(args))))(*args)
    for g, t in zip(gradients, tensors, strict=True):
        np.testing.assert_allclose(g, t.grad, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", ["relu", "silu", "elu", "selu", "sigmoid", "tanh"])
def test_activation_is_that_of_torch(name):
    compare(getattr(nn, name), getattr(F, name), X)


def test_activations_of_other_names_are_those_of_torch():
    compare(nn.gelu, lambda x: F.gelu(x, approximate="tanh"), X)
    compare(lambda x: nn.gelu(x, approximate=False), F.gelu, X)
    compare(nn.log_sigmoid, F.logsigmoid, X)
    compare(lambda x: nn.elu(x, 0.5), lambda x: F.elu(x, 0.5), X)
    compare(nn.softplus, lambda x: F.softplus(x, threshold=100.0), X)


@pytest.mark.parametrize("name", (
    "relu silu elu selu softplus sigmoid log_sigmoid tanh celu mish squareplus leaky_relu relu6 hard_tanh hard_sigmoid "
    "hard_silu soft_sign sparse_plus sparse_sigmoid swish hard_swish identity").split())
def test_activation_is_that_of_jax(name):
    ours, theirs = getattr(nn, name), getattr(jax.nn, name)
    np.testing.assert_allclose(ours(X), theirs(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(cv.grad(lambda x: ours(x).sum())(X), jax.grad(lambda x: theirs(x).sum())(X), rtol=1e-9,
                               atol=1e-12)


CONVOLUTIONS = [
    ((2, 3, 9), (4, 3, 3), {"stride": 2, "padding": 1, "dilation": 2}),
    ((2, 4, 6, 5), (6, 2, 3, 2), {"stride": (1, 2), "padding": (2, 1), "dilation": (1, 2), "groups": 2}),
    ((2, 4, 6, 5), (4, 1, 3, 3), {"padding": "same", "groups": 4}),
    ((1, 2, 4, 5, 6), (4, 2, 2, 1, 3), {"padding": 1, "stride": 2}),
]


@pytest.mark.parametrize(("xs", "ws", "facts"), CONVOLUTIONS)
def test_convolution_is_that_of_torch(xs, ws, facts):
    theirs = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[len(xs) - 2]
    args = RNG.normal(size=xs), RNG.normal(size=ws), RNG.normal(size=ws[0])
    compare(lambda *a: nn.conv(*a, **facts), lambda *a: theirs(*a, **facts), *args)


TRANSPOSES = [
    ((2, 3, 5), (3, 4, 3), {"stride": 2, "padding": 1, "output_padding": 1}),
    ((2, 4, 3, 4), (4, 3, 2, 3), {"stride": (2, 3), "padding": (1, 0), "output_padding": (0, 2), "groups": 2}),
    ((2, 2, 4), (2, 2, 3), {"dilation": 3, "output_padding": 2}),
    ((1, 2, 2, 3, 2), (2, 2, 2, 2, 1), {"stride": 2}),
]


@pytest.mark.parametrize(("xs", "ws", "facts"), TRANSPOSES)
def test_transpose_is_that_of_torch(xs, ws, facts):
    theirs = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}[len(xs) - 2]
    args = RNG.normal(size=xs), RNG.normal(size=ws), RNG.normal(size=ws[1] * facts.get("groups", 1))
    compare(lambda *a: nn.conv_transpose(*a, **facts), lambda *a: theirs(*a, **facts), *args)


@pytest.mark.parametrize("strides", [(1, 1), (2, 3)])
@pytest.mark.parametrize("padding", ["same", "valid"])
def test_named_padding_is_that_of_jax(padding, strides):
    x, w = RNG.normal(size=(2, 3, 7, 8)), RNG.normal(size=(4, 3, 3, 2))
    want = jax.lax.conv_general_dilated(x, w, strides, padding.upper())
    np.testing.assert_allclose(nn.conv(x, w, stride=strides, padding=padding), want, atol=1e-12)


@pytest.mark.parametrize(("window", "facts"), [(2, {}), (3, {"stride": 2, "padding": 1})])
def test_pools_are_those_of_torch(window, facts):
    x = np.round(RNG.normal(size=(2, 3, 8, 9)), 1)  # with ties
    for n, largest, mean in ((1, F.max_pool1d, F.avg_pool1d), (2, F.max_pool2d, F.avg_pool2d),
                             (3, F.max_pool3d, F.avg_pool3d)):
        y = x[0] if n == 1 else x if n == 2 else x[None]
        compare(lambda x, n=n: nn.max_pool(x, (window,) * n, **facts), lambda x, f=largest: f(x, window, **facts), y)
        for count in (True, False):
            compare(lambda x, n=n, c=count: nn.avg_pool(x, (window,) * n, count_include_pad=c, **facts),
                    lambda x, f=mean, c=count: f(x, window, count_include_pad=c, **facts), y)


def test_attention_is_that_of_torch():
    q, k, v = RNG.normal(size=(2, 3, 4, 5)), RNG.normal(size=(2, 3, 6, 5)), RNG.normal(size=(2, 3, 6, 2))
    mask, bias = RNG.normal(size=(4, 6)) > 0, RNG.normal(size=(1, 3, 4, 6))
    mask[0] = False
    theirs = F.scaled_dot_product_attention

    def ours(q, k, v, *bias, **facts):
        """Heads stand behind positions."""
        out = nn.dot_product_attention(*[np.swapaxes(x, 1, 2) for x in (q, k, v)], *bias, **facts)
        return np.swapaxes(out, 1, 2)

    compare(ours, theirs, q, k, v)
    compare(lambda *a: ours(*a, is_causal=True), lambda *a: theirs(*a, is_causal=True), q, k, v)
    compare(lambda *a: ours(*a, mask=mask[None, None], scale=0.3),
            lambda *a: theirs(*a, attn_mask=torch.tensor(mask), scale=0.3), q, k, v)
    compare(ours, lambda q, k, v, b: theirs(q, k, v, attn_mask=b), q, k, v, bias)


def test_layer_norm_is_that_of_torch():
    x, w, b = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
    compare(nn.layer_norm, lambda x, w, b: F.layer_norm(x, (3, 4), w, b), x, w, b)
    compare(lambda x: nn.layer_norm(x, axes=2), lambda x: F.layer_norm(x, (3, 4)), x)


def test_standardize_is_that_of_jax():
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    for axis in (-1, 0, (0, 2)):  # JAX takes a difference of squares for the variance
        np.testing.assert_allclose(nn.standardize(x, axis), jax.nn.standardize(x, axis), rtol=1e-11)


def test_cross_entropy_is_that_of_torch():
    x, labels = RNG.normal(size=(4, 3, 2)), RNG.integers(0, 3, (4, 2))
    weights = RNG.uniform(size=(4, 3, 2))
    compare(lambda x: nn.softmax_cross_entropy(x, labels, axis=1),
            lambda x: F.cross_entropy(x, torch.tensor(labels), reduction="none"), x)
    compare(lambda x, t: nn.softmax_cross_entropy(x, t, axis=1),
            lambda x, t: F.cross_entropy(x, t, reduction="none"), x, weights)


@pytest.mark.parametrize("axis", [-1, 0, (0, 1), None])
def test_softmax_is_that_of_jax(axis):
    x = RNG.normal(size=(3, 4)) * 10
    for name in ("softmax", "log_softmax"):
        ours, theirs = getattr(nn, name), getattr(jax.nn, name)
        np.testing.assert_allclose(ours(x, axis), theirs(x, axis), rtol=1e-11, atol=1e-14)
        w = RNG.normal(size=x.shape)
        np.testing.assert_allclose(cv.grad(lambda x, f=ours, w=w: (f(x, axis) * w).sum())(x),
                                   jax.grad(lambda x, f=theirs, w=w: (f(x, axis) * w).sum())(x), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("axis", [-1, 0, (0, 1)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp", "logmeanexp"])
def test_sums_with_a_mask_are_those_of_jax(name, axis):
    x, mask = RNG.normal(size=(4, 5)), RNG.normal(size=(4, 5)) > 0
    mask[1] = False
    ours, theirs = (lambda x, f=getattr(of, name): f(x, axis=axis, where=mask) for of in (nn, jax.nn))
    np.testing.assert_allclose(ours(x), theirs(x), rtol=1e-11, atol=1e-14)


def test_log1mexp_and_glu_are_those_of_jax():
    x = np.array([0.01, 0.5, 0.7, 2.0, 40.0, 3.0])
    np.testing.assert_allclose(nn.log1mexp(x), jax.nn.log1mexp(x), rtol=1e-12)
    np.testing.assert_allclose(cv.grad(lambda x: nn.log1mexp(x).sum())(x),
                               jax.grad(lambda x: jax.nn.log1mexp(x).sum())(x), rtol=1e-12)
    np.testing.assert_allclose(nn.glu(x), jax.nn.glu(x), rtol=1e-12)
