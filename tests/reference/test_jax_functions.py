"""The NumPy namespace against JAX in float64: values, gradients and Hessian-vector products."""

import numpy as np
import pytest

import covector
import covector.numpy as cnp

jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
pytestmark = pytest.mark.reference

RNG = np.random.default_rng(23)
M = RNG.uniform(0.3, 0.9, (3, 3)) + np.diag([1.0, 2.0, 3.0]) * 0.05
Z = M + 1j * RNG.uniform(-0.5, 0.5, (3, 3))
FUNCTIONS = {
    name: (lambda n: lambda xp, x: getattr(xp, n)(x))(name)
    for name in (
        "sqrt exp expm1 log log1p sin cos tan tanh arcsin arccos arctan sinh cosh arcsinh arctanh "
        "log2 log10 exp2 cbrt sinc square reciprocal absolute cumsum sort ravel median var std "
        "prod max min mean sum"
    ).split()
} | {
    "arccosh": lambda xp, x: xp.arccosh(x + 1),
    "power": lambda xp, x: x ** x.T,
    "integer power": lambda xp, x: x**3 + x**-2,
    "arctan2": lambda xp, x: xp.arctan2(x, x.T + 1),
    "hypot": lambda xp, x: xp.hypot(x, x.T + 1),
    "logaddexp": lambda xp, x: xp.logaddexp(x, 2 * x.T),
    "where": lambda xp, x: xp.where(x > 0.5, x * x, xp.sin(x)),
    "maximum": lambda xp, x: xp.maximum(x, 0.55) * x,
    "clip": lambda xp, x: xp.clip(x, 0.4, 0.8) * x,
    "matmul": lambda xp, x: x @ x.T @ x,
    "einsum": lambda xp, x: xp.einsum("ij,jk,kl->il", x, x, x),
    "einsum diagonal": lambda xp, x: xp.einsum("ii->i", x @ x),
    "einsum trace": lambda xp, x: xp.einsum("ii,ij->j", x, x),
    "norm": lambda xp, x: xp.linalg.norm(x),
    "norm 3": lambda xp, x: xp.linalg.norm(x, 3, axis=0),
    "solve": lambda xp, x: xp.linalg.solve(x + xp.eye(3), x),
    "inv": lambda xp, x: xp.linalg.inv(x + xp.eye(3)),
    "det": lambda xp, x: xp.linalg.det(x),
    "slogdet": lambda xp, x: xp.linalg.slogdet(x + xp.eye(3))[1],
    "cholesky": lambda xp, x: xp.linalg.cholesky(x @ x.T + xp.eye(3)),
    "cholesky of the argument": lambda xp, x: xp.linalg.cholesky(x + 3 * xp.eye(3)) if xp is jnp
    else xp.linalg.cholesky((x + x.T) / 2 + 3 * xp.eye(3)),
    "eigvalsh": lambda xp, x: xp.linalg.eigh(x @ x.T)[0],
    "eigenvectors": lambda xp, x: xp.linalg.eigh(x @ x.T + xp.diag(xp.array([0.0, 1.0, 2.0])))[1] ** 2,
    "qr": lambda xp, x: xp.linalg.qr(x + xp.eye(3))[0],
    "qr r": lambda xp, x: xp.linalg.qr(x + xp.eye(3))[1],
    "fancy index": lambda xp, x: x[np.array([0, 2, 2]), np.array([1, 1, 0])] * x[np.array([0, 0, 1])],
    "roll pad tile": lambda xp, x: xp.tile(xp.pad(xp.roll(x, 1, 0), 1), (1, 2)),
    "kron": lambda xp, x: xp.kron(x, x),
    "tensordot": lambda xp, x: xp.tensordot(x, x, axes=((0,), (1,))),
    "cross": lambda xp, x: xp.cross(x, x.T),
    "interval products": lambda xp, x: xp.prod(x.at[0, 0].set(0.0), axis=0),
    "two zeros": lambda xp, x: xp.prod(x.at[0].set(0.0).at[1, 1].set(0.0)) + xp.prod(x.at[1, 1].set(0.0), axis=1),
    "add at duplicates": lambda xp, x: x.at[np.array([0, 0, 2])].add(x * x),
    "quantile": lambda xp, x: xp.quantile(x, 0.3, axis=1),
    "ties": lambda xp, x: xp.max(xp.concatenate([x, x])) * xp.min(x),
}  # fmt: skip
COMPLEX = ("sqrt exp log sin cos tan tanh arctan sinh cosh arcsinh square reciprocal absolute cumsum mean sum prod var "
           "std matmul einsum norm solve inv det kron").split()


def scalar(xp, fun, x):
    y = fun(xp, x)
    w = np.linspace(0.5, 1.5, y.size).reshape(y.shape)
    return xp.sum(w * (xp.real(y) + (0.3 * xp.imag(y) if xp.iscomplexobj(y) else 0.0)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient_and_second_order(name):
    fun = FUNCTIONS[name]
    v = RNG.normal(size=M.shape)
    value, gradient = covector.value_and_grad(lambda x: scalar(cnp, fun, x))(M)
    want, slope = jax.value_and_grad(lambda x: scalar(jnp, fun, x))(M)
    np.testing.assert_allclose(value, want, rtol=1e-10)
    np.testing.assert_allclose(gradient, slope, rtol=1e-8, atol=1e-10)
    hvp = jax.jvp(jax.grad(lambda x: scalar(jnp, fun, x)), (M,), (v,))[1]
    forward = covector.jvp(covector.grad(lambda x: scalar(cnp, fun, x)), (M,), (v,))[1]
    np.testing.assert_allclose(forward, hvp, rtol=1e-7, atol=1e-9)
    reverse = covector.grad(lambda x: np.sum(covector.grad(lambda x: scalar(cnp, fun, x))(x) * v))(M)
    np.testing.assert_allclose(reverse, hvp, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_gradient(name):
    fun = FUNCTIONS[name]
    gradient = covector.grad(lambda x: scalar(cnp, fun, x))(Z)
    np.testing.assert_allclose(gradient, jax.grad(lambda x: scalar(jnp, fun, x))(Z), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_batched_gradient(name):
    fun = FUNCTIONS[name]
    xs = np.stack([M, M + 0.03 * RNG.uniform(size=M.shape)])
    got = covector.vmap(covector.grad(lambda x: scalar(cnp, fun, x)))(xs)
    np.testing.assert_allclose(got, jax.vmap(jax.grad(lambda x: scalar(jnp, fun, x)))(xs), rtol=1e-8, atol=1e-10)


def _attention_cases():
    """Calls of attention that have the same text in both; a query never loses all its keys, where JAX has a mean."""
    def normal(*shape):
        return RNG.normal(size=shape)

    q, k, v = normal(2, 5, 4, 3), normal(2, 5, 4, 3), normal(2, 5, 4, 3)
    mask = RNG.normal(size=(2, 1, 5, 5)) > 0
    mask[..., 0] = True
    few, lengths = normal(2, 5, 2, 3), np.array([3, 5], np.int32)
    return {
        "plain": ((q, k, v), {}), "one example": ((q[0], k[0], v[0]), {}), "causal": ((q, k, v), {"is_causal": True}),
        "more keys": ((q[:, :3], k, v), {"is_causal": True, "scale": 0.3}), "groups": ((q, few, few + 1), {}),
        "one head of keys": ((q, few[:, :, :1], few[:, :, 1:]), {"is_causal": True}),
        "bias": ((q, k, v, normal(1, 4, 5, 5)), {}), "mask": ((q, k, v, None, mask), {}),
        "bias of one example": ((q[0], k[0], v[0], normal(4, 5, 5)), {}),
        "window": ((q, k, v), {"local_window_size": 1}), "sides": ((q, k, v), {"local_window_size": (2, 0)}),
        "lengths": ((q, k, v), {"query_seq_lengths": lengths, "key_value_seq_lengths": lengths}),
        "keys": ((q, k, v, None, mask), {"key_value_seq_lengths": np.array([1, 4], np.int32), "is_causal": True}),
    }


ATTENTION = _attention_cases()


@pytest.mark.parametrize("name", ATTENTION)
def test_attention_has_the_layout_and_the_arguments_of_jax(name):
    """JAX computes its weights in single precision."""
    args, facts = ATTENTION[name]
    weights = np.cos(np.arange(args[0].size)).reshape(args[0].shape)
    live = [i for i, x in enumerate(args) if x is not None and x.dtype == float]

    def loss(attend, lib):
        def run(*given):
            full = list(args)
            for i, x in zip(live, given):
                full[i] = x
            return (attend(*full, **facts) * weights).sum()

        return lib.value_and_grad(run, tuple(range(len(live))))(*[args[i] for i in live])

    with np.errstate(all="ignore"):
        ours, theirs = loss(covector.nn.dot_product_attention, covector), loss(jax.nn.dot_product_attention, jax)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-4, atol=1e-5)
    for found, want in zip(ours[1], theirs[1]):
        np.testing.assert_allclose(found, want, rtol=1e-3, atol=1e-5)


LAYERS = ("celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh identity leaky_relu log1mexp log_sigmoid "
          "log_softmax logmeanexp logsumexp mish relu relu6 selu sigmoid silu soft_sign softmax softplus sparse_plus "
          "sparse_sigmoid squareplus standardize swish tanh").split()


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_that_jax_has_means_what_it_means_there(name):
    """By its defaults: values and gradients."""
    x = np.abs(M[:2, :2]) + 0.1 if name == "log1mexp" else np.array([[-7.0, -3.0, -1.0, -0.5], [0.3, 1.5, 3.2, 25.0]])
    ours, theirs = getattr(covector.nn, name), getattr(jax.nn, name)
    want = np.asarray(theirs(x))
    np.testing.assert_allclose(ours(x), want, rtol=1e-6, atol=1e-9)
    weights = np.cos(np.arange(want.size)).reshape(want.shape)
    np.testing.assert_allclose(covector.grad(lambda x: (ours(x) * weights).sum())(x),
                               jax.grad(lambda x: (theirs(x) * weights).sum())(x), rtol=1e-6, atol=1e-9)
