"""Special functions and layers on compat and PyTorch: value, dtype, node, gradient, second derivative, and refusals."""

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import pytorch

rng = np.random.default_rng(3)
X = rng.uniform(0.2, 0.9, (3, 4))
Y = X + 1.0
LINE, MAP, BOX = rng.normal(size=(2, 4, 9)), rng.normal(size=(2, 4, 6, 5)), rng.normal(size=(1, 2, 4, 3, 3))
KINKS = np.array([-2.0, -0.0, 0.0, 1.0])
SCRIPTS = {}


def add(name, script, *arrays):
    SCRIPTS[name] = (script, *arrays)


def F(m):  # noqa: N802
    return m.nn.functional


for n in "lgamma digamma erfinv i0".split():
    add(n, lambda m, x, n=n: getattr(m, n)(x), X)
for n in ("entr ndtr ndtri log_ndtr erfcx i0e i1 i1e digamma psi gammaln erf erfc erfinv i0 exp2 expm1 log1p expit "
          "logit sinc").split():
    add("special." + n, lambda m, x, n=n: getattr(m.special, n)(x), X)
add("xlogy", lambda m, x, y: m.xlogy(x, y), X, Y)
add("xlogy at 0", lambda m, x, y: m.special.xlogy(x, y), np.zeros(2), np.array([2.0, 3.0]))
add("xlogy number", lambda m, x: m.xlogy(2.0, x) + m.xlogy(x, 2.0), X)
add("xlog1py", lambda m, x, y: m.special.xlog1py(x, y), X, Y)
add("mvlgamma", lambda m, x: m.mvlgamma(x, 3), Y)
add("polygamma", lambda m, x: m.polygamma(2, x), X)
add("polygamma method", lambda m, x: x.polygamma(1), X)
add("special.logsumexp", lambda m, x: m.special.logsumexp(x, 1), X)
add("special.softmax", lambda m, x: m.special.softmax(x, 0), X)
add("special.log_softmax", lambda m, x: m.special.log_softmax(x, 1), X)
add("in place", lambda m, x: (x * 1).lgamma_().digamma_().polygamma_(1), Y + 4)
add("conv1d", lambda m, x, w, b: F(m).conv1d(x, w, b, 2, 1, 2, 2), LINE, rng.normal(size=(6, 2, 3)), rng.normal(size=6))
add("conv1d same", lambda m, x, w: F(m).conv1d(x, w, padding="same"), LINE, rng.normal(size=(2, 4, 4)))
add("conv2d", lambda m, x, w: F(m).conv2d(x, w, stride=(2, 1), padding=(0, 2)), MAP, rng.normal(size=(2, 4, 3, 2)))
add("conv2d single", lambda m, x, w, b: F(m).conv2d(x, w, b), MAP[0], rng.normal(size=(2, 4, 3, 3)), np.ones(2))
add("conv3d", lambda m, x, w: F(m).conv3d(x, w, padding=1), BOX, rng.normal(size=(2, 2, 2, 3, 1)))
add("conv_transpose1d", lambda m, x, w, b: F(m).conv_transpose1d(x, w, b, 2, 1, 1, 2), LINE, rng.normal(size=(4, 3, 3)),
    np.ones(6))
add("conv_transpose2d", lambda m, x, w: F(m).conv_transpose2d(x, w, stride=(2, 3), dilation=2), MAP,
    rng.normal(size=(4, 2, 2, 3)))
add("conv_transpose3d", lambda m, x, w: F(m).conv_transpose3d(x, w), BOX, rng.normal(size=(2, 2, 2, 1, 2)))
for n, x in ((1, LINE), (2, MAP), (3, BOX)):
    add(f"max_pool{n}d", lambda m, x, n=n: getattr(F(m), f"max_pool{n}d")(x, 2, stride=1, padding=1), x.round())
    add(f"avg_pool{n}d", lambda m, x, n=n: getattr(F(m), f"avg_pool{n}d")(x, 3, 2, 1, False, False), x)
add("avg_pool2d divisor", lambda m, x: F(m).avg_pool2d(x, 2, padding=1, divisor_override=3), MAP)
add("unfold", lambda m, x: F(m).unfold(x, (2, 3), dilation=2, padding=1, stride=2), MAP)
add("fold", lambda m, x: F(m).fold(x, (4, 5), (2, 3), padding=1, stride=2), rng.normal(size=(2, 12, 9)))
add("layer_norm", lambda m, x, w, b: F(m).layer_norm(x, (6, 5), w, b), MAP, rng.normal(size=(6, 5)), np.ones((6, 5)))
add("layer_norm scale", lambda m, x, w: F(m).layer_norm(x, (5,), w, eps=0.1), MAP, rng.normal(size=5))
add("group_norm", lambda m, x, w: F(m).group_norm(x, 2, w), MAP, rng.normal(size=4))
for n in "relu elu selu celu gelu silu logsigmoid softplus".split():
    add(f"{n} at its kink", lambda m, x, n=n: getattr(F(m), n)(x), KINKS)
add("gelu tanh", lambda m, x: F(m).gelu(x, approximate="tanh"), KINKS)
add("sdpa", lambda m, q, k, v: F(m).scaled_dot_product_attention(q, k, v, is_causal=True), X, X + 0.1, X - 0.2)
add("sdpa mask", lambda m, q, k, v: F(m).scaled_dot_product_attention(
    q, k, v, attn_mask=m.tensor([[True, False, True], [False, False, False], [True, True, True]])), X, X + 0.1, X - 0.2)
add("sdpa bias", lambda m, q, k, b: F(m).scaled_dot_product_attention(q, k, k, attn_mask=b, scale=0.3), X, X + 0.1,
    rng.normal(size=(3, 3)))
# At 0 the second derivative of elu and its kin is that from below here, and 0 in PyTorch.
FACTS = {f"{name} at its kink": {"orders": 1} for name in ("elu", "selu", "celu")}
CALLS = [(name, *SCRIPTS[name], FACTS.get(name, {})) for name in sorted(SCRIPTS)]
REFUSALS = {
    "channels": lambda m: F(m).conv1d(m.ones(1, 3, 5), m.ones(2, 2, 3)),
    "kernel": lambda m: F(m).conv1d(m.ones(1, 2, 5), m.ones(2, 2, 9)),
    "axes": lambda m: F(m).conv1d(m.ones(5), m.ones(2, 2, 3)),
    "groups": lambda m: F(m).conv1d(m.ones(1, 2, 5), m.ones(3, 1, 2), groups=2),
    "stride": lambda m: F(m).conv1d(m.ones(1, 2, 5), m.ones(2, 2, 3), stride=0),
    "same": lambda m: F(m).conv1d(m.ones(1, 2, 5), m.ones(2, 2, 3), padding="same", stride=2),
    "padding": lambda m: F(m).conv1d(m.ones(1, 2, 5), m.ones(2, 2, 3), padding="foo"),
    "bias": lambda m: F(m).conv1d(m.ones(1, 2, 5), m.ones(2, 2, 3), m.ones(3)),
    "transposed": lambda m: F(m).conv_transpose1d(m.ones(1, 2, 5), m.ones(3, 2, 3)),
    "output padding": lambda m: F(m).conv_transpose1d(m.ones(1, 2, 5), m.ones(2, 2, 3), output_padding=1),
    "pool": lambda m: F(m).avg_pool2d(m.ones(1, 1, 3, 3), 5),
    "pool padding": lambda m: F(m).max_pool1d(m.ones(1, 2, 5), 3, padding=2),
    "fold": lambda m: F(m).fold(m.ones(1, 4, 5), (4, 4), 2),
    "class": lambda m: F(m).one_hot(m.tensor([0, 3]), 2),
    "negative class": lambda m: F(m).one_hot(m.tensor([0, -1])),
    "no class": lambda m: F(m).one_hot(m.tensor([0.5])),
    "order": lambda m: m.polygamma(-1, m.ones(2)),
    "fraction": lambda m: m.polygamma(1.0, m.ones(2)),
    "dimension": lambda m: m.mvlgamma(m.ones(2), 0),
}


@pytest.mark.reference
@pytest.mark.parametrize("name", sorted(REFUSALS))
def test_refusal_is_that_of_pytorch(name):
    torch = pytorch()
    found = []
    for module in (torch, compat):
        with pytest.raises((RuntimeError, TypeError)) as caught:
            REFUSALS[name](module)
        found.append((type(caught.value), str(caught.value)[:20]))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_incomplete_gamma_differentiates_by_both_arguments(name):
    a, x = compat.tensor(X, requires_grad=True), compat.tensor(Y, requires_grad=True)
    out = getattr(compat, name)(a, x)
    by_a, by_x = compat.autograd.grad(out.sum(), (a, x))
    h = 1e-6
    fun = getattr(compat, name)
    for got, move in ((by_a, (h, 0.0)), (by_x, (0.0, h))):
        up = fun(compat.tensor(X + move[0]), compat.tensor(Y + move[1]))
        down = fun(compat.tensor(X - move[0]), compat.tensor(Y - move[1]))
        np.testing.assert_allclose(got.numpy(), ((up - down) / (2 * h)).numpy(), rtol=1e-6)


def test_special_functions_of_half_precision_keep_it():
    for dtype in (compat.float16, compat.bfloat16):
        assert compat.lgamma(compat.tensor([2.0, 5.0], dtype=dtype)).dtype is dtype
    assert compat.lgamma(compat.tensor([2, 5])).dtype is compat.float32


def test_derivative_of_zeta_by_its_exponent_is_refused_under_every_transform():
    x, q = (compat.tensor([v, v + 1.0], dtype=compat.float64) for v in (1.5, 2.0))
    func = compat.func
    fun = compat.special.zeta
    assert func.vmap(fun)(x, q).shape == (2,)
    func.vmap(func.grad(fun, argnums=1))(x, q)
    for derive in (
        lambda: func.grad(lambda x: fun(x, q).sum())(x),
        lambda: func.grad(lambda x: func.vmap(fun)(x, q).sum())(x),
        lambda: func.vmap(func.grad(fun))(x, q),
        lambda: func.jvp(lambda x: func.vmap(fun)(x, q), (x,), (x,)),
    ):
        with pytest.raises(NotImplementedError, match="zeta.*first argument.*detach"):
            derive()
