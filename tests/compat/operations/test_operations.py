"""Operations on compat and PyTorch: value, dtype, shape, and gradient, in float64 and float32."""

import numpy as np
import pytest

import covector.compat.torch as compat

rng = np.random.default_rng(0)
A = rng.uniform(0.2, 0.9, (3, 4))
B = rng.uniform(0.3, 0.8, (3, 4))
M = rng.normal(size=(4, 5))
V = rng.normal(size=4)
S = rng.normal(size=(3, 3))
S = S @ S.T + 3 * np.eye(3)
C3 = rng.normal(size=(2, 3, 4))
I = np.array([[0, 1, 2, 1], [2, 0, 1, 0], [1, 1, 0, 2]])
I1 = np.array([2, 0, 1, 0])
MASK = A > 0.5
CASES = []


def c(name, f, *args):
    """One call: its name, the call, and the arrays it is made with."""
    CASES.append((name, f, args))


for n in (
    "abs neg exp log sqrt rsqrt reciprocal square sin cos tan tanh sigmoid asin acos atan sinh cosh "
    "asinh atanh log1p expm1 log2 log10 exp2 floor ceil round trunc sign isnan isfinite isinf cumsum "
    "relu logical_not "
).split():
    if n == "cumsum":
        c(n, lambda m, x: m.cumsum(x, 1), A)
        continue
    c(n, (lambda n: lambda m, x: getattr(m, n)(x))(n), A)
for n in ("add sub mul div maximum minimum atan2 pow fmod remainder fmax fmin eq ne lt le gt ge ").split():
    c(n, (lambda n: lambda m, x, y: getattr(m, n)(x, y))(n), A, B)
    c(n + " bc", (lambda n: lambda m, x, y: getattr(m, n)(x, y))(n), A, B[0])
    if n not in ("maximum", "minimum", "atan2", "fmax", "fmin"):
        c(n + " sc", (lambda n: lambda m, x: getattr(m, n)(x, 2))(n), A)
c("sumd", lambda m, x: m.sum(x, dim=1), A)
c("sumk", lambda m, x: m.sum(x, dim=(0, 1), keepdim=True), A)
c("sum", lambda m, x: x.sum(), A)
c("mean", lambda m, x: x.mean(0), A)
c("prod", lambda m, x: x.prod(), A)
c("prodd", lambda m, x: x.prod(1), A)
c("var", lambda m, x: x.var(), A)
c("var0", lambda m, x: x.var(1, unbiased=False), A)
c("std", lambda m, x: x.std(dim=0, keepdim=True), A)
c("varc", lambda m, x: m.var(x, dim=1, correction=0), A)
c("amax", lambda m, x: m.amax(x, 1), A)
c("amin", lambda m, x: m.amin(x, (0, 1)), A)
c("max", lambda m, x: x.max(), A)
c("maxd", lambda m, x: x.max(1).values, A)
c("mind", lambda m, x: m.min(x, 0)[0], A)
c("maxi", lambda m, x: m.max(x, 0).indices, A)
c("max2", lambda m, x, y: m.max(x, y), A, B)
c("argmax", lambda m, x: x.argmax(), A)
c("argmaxd", lambda m, x: x.argmax(1, keepdim=True), A)
c("all", lambda m, x: (x > 0.3).all(1), A)
c("any", lambda m, x: (x > 0.8).any(), A)
c("logsumexp", lambda m, x: m.logsumexp(x, 1), A)
c("norm", lambda m, x: x.norm(), A)
c("norm1", lambda m, x: x.norm(1, dim=1), A)
c("norm3", lambda m, x: m.norm(x, 3), A)
c("vecnorm", lambda m, x: m.linalg.vector_norm(x, dim=1), A)
c("norminf", lambda m, x: m.linalg.vector_norm(x, float("inf")), A)
c("softmax", lambda m, x: m.softmax(x, 1), A)
c("log_softmax", lambda m, x: x.log_softmax(0), A)
c("matmul", lambda m, x, y: x @ y, A, M)
c("mm", lambda m, x, y: m.mm(x, y), A, M)
c("mv", lambda m, x, y: m.mv(x, y), A, V)
c("dot", lambda m, x, y: m.dot(x, y), V, V + 1)
c("bmm", lambda m, x, y: m.bmm(x, y), C3, C3.transpose(0, 2, 1).copy())
c("matmul3", lambda m, x, y: m.matmul(x, y), C3, M)
c("outer", lambda m, x, y: m.outer(x, y), V, V)
c("einsum", lambda m, x, y: m.einsum("ij,jk->ik", x, y), A, M)
c("einsum3", lambda m, x, y, z: m.einsum("ij,jk,j->ik", x, y, z), A, M, V)
c("tensordot", lambda m, x, y: m.tensordot(x, y, dims=1), A, M)
c("addmm", lambda m, x, y, z: m.addmm(x, y, z, beta=0.5, alpha=2.0), rng.normal(size=(3, 5)), A, M)
c("trace", lambda m, x: m.trace(x), S)
c("trace_method", lambda m, x: x.trace(), S)
c("cat", lambda m, x, y: m.cat([x, y], 1), A, B)
c("stack", lambda m, x, y: m.stack([x, y], -1), A, B)
c("split", lambda m, x: m.split(x, 3, 1)[1], A)
c("chunk", lambda m, x: m.chunk(x, 2, 1)[0], A)
c("unbind", lambda m, x: m.unbind(x, 1)[2], A)
c("reshape", lambda m, x: x.reshape(4, 3), A)
c("view", lambda m, x: x.view(-1), A)
c("flatten", lambda m, x: m.flatten(x, 1), C3)
c("permute", lambda m, x: x.permute(2, 0, 1), C3)
c("transpose", lambda m, x: x.transpose(0, 1), A)
c("t", lambda m, x: x.t(), A)
c("unsqueeze", lambda m, x: x.unsqueeze(1), A)
c("squeeze", lambda m, x: x[:1].squeeze(0), A)
c("expand", lambda m, x: x[:, None].expand(3, 2, 4), A)
c("repeat", lambda m, x: x.repeat(2, 1), A)
c("broadcast_to", lambda m, x: m.broadcast_to(x[0], (3, 4)), A)
c("gather", lambda m, x, i: m.gather(x, 0, i), A, I)
c("scatter", lambda m, x, i, y: x.scatter(0, i, y), A, I[:2], B[:2])
c("scatter_add", lambda m, x, i, y: x.scatter_add(0, i, y), A, I, B)
c("index_select", lambda m, x, i: m.index_select(x, 1, i), A, np.array([2, 0, 2]))
c("getitem", lambda m, x: x[1:, ::2], A)
c("getitemi", lambda m, x, i: x[i], A, np.array([2, 0, 2]))
c("getmask", lambda m, x, k: x[k], A, MASK)
c("where", lambda m, k, x, y: m.where(k, x, y), MASK, A, B)
c("masked_fill", lambda m, x, k: x.masked_fill(k, -1.0), A, MASK)
c("masked_select", lambda m, x, k: m.masked_select(x, k), A, MASK)
c("topk", lambda m, x: x.topk(2, 1).values, A)
c("sort", lambda m, x: x.sort(1, descending=True).values, A)
c("sorti", lambda m, x: x.sort(1, descending=True).indices, A)
c("argsort", lambda m, x: x.argsort(0), A)
c("unique", lambda m, x: m.unique(x), np.array([3, 1, 1, 2]))
c("nonzero", lambda m, x: m.nonzero(x), MASK)
c("triu", lambda m, x: m.triu(x, 1), A)
c("tril", lambda m, x: x.tril(), A)
c("diag", lambda m, x: m.diag(x), S)
c("diagv", lambda m, x: m.diag(x), V)
c("diagonal", lambda m, x: m.diagonal(x), S)
c("flip", lambda m, x: m.flip(x, [0, 1]), A)
c("movedim", lambda m, x: m.movedim(x, 0, 2), C3)
c("meshgrid", lambda m, x, y: m.meshgrid(x, y, indexing="ij")[0], V, V)
c("cdist", lambda m, x, y: m.cdist(x, y), A, B)
c("clamp", lambda m, x: x.clamp(0.4, 0.6), A)
c("clampt", lambda m, x, y: x.clamp(min=y), A, B)
c("cumprod", lambda m, x: x.cumprod(1), A)
c("median", lambda m, x: x.median(1).values, A)
c("roll", lambda m, x: m.roll(x, 1, 1), A)
c("kron", lambda m, x, y: m.kron(x, y), A, B)
c("inv", lambda m, x: m.linalg.inv(x), S)
c("solve", lambda m, x, y: m.linalg.solve(x, y), S, A)
c("det", lambda m, x: m.linalg.det(x), S)
c("cholesky", lambda m, x: m.linalg.cholesky((x + x.mT) / 2), S)
c("eigh", lambda m, x: m.linalg.eigh((x + x.mT) / 2)[0], S)
c("svd", lambda m, x: m.linalg.svd(x, full_matrices=False)[1], A)
c("qr", lambda m, x: m.linalg.qr(x)[1], S)
c("slogdet", lambda m, x: m.linalg.slogdet(x)[1], S)
c("lnorm", lambda m, x: m.linalg.norm(x), S)
for n in (
    "relu gelu silu softplus leaky_relu elu selu celu mish logsigmoid hardtanh relu6 hardswish "
    "hardsigmoid softsign tanhshrink softshrink hardshrink "
).split():
    c("F." + n, (lambda n: lambda m, x: getattr(m.nn.functional, n)(x - 0.5))(n), A * 2)


def F(m):  # noqa: N802
    """The functional namespace."""
    return m.nn.functional


c("F.linear", lambda m, x, w, b: F(m).linear(x, w, b), A, M.T.copy(), M[0].copy())
c("F.conv1d", lambda m, x, w: F(m).conv1d(x, w, padding=1), C3, rng.normal(size=(2, 3, 3)))
c(
    "F.conv2d",
    lambda m, x, w, b: F(m).conv2d(x, w, b, stride=2, padding=1),
    rng.normal(size=(2, 3, 5, 6)),
    rng.normal(size=(4, 3, 3, 3)),
    rng.normal(size=4),
)
c("F.max_pool2d", lambda m, x: F(m).max_pool2d(x, 2), rng.normal(size=(2, 3, 4, 6)))
c("F.avg_pool2d", lambda m, x: F(m).avg_pool2d(x, 2), rng.normal(size=(2, 3, 4, 6)))
c("F.pad", lambda m, x: F(m).pad(x, (1, 2)), A)
c("F.batch_norm", lambda m, x: F(m).batch_norm(x, None, None, training=True), A)
c("F.layer_norm", lambda m, x: F(m).layer_norm(x, (4,)), A)
c("F.embedding", lambda m, i, w: F(m).embedding(i, w), I[:, :2], A)
c("F.cross_entropy", lambda m, x, t: F(m).cross_entropy(x, t), A, np.array([1, 0, 3]))
c("F.ce2", lambda m, x, t: F(m).cross_entropy(x, t, label_smoothing=0.1, reduction="sum"), A, np.array([1, 0, 3]))
c("F.nll", lambda m, x, t: F(m).nll_loss(m.log_softmax(x, 1), t), A, np.array([1, 0, 3]))
c("F.mse", lambda m, x, y: F(m).mse_loss(x, y), A, B)
c("F.l1", lambda m, x, y: F(m).l1_loss(x, y), A, B)
c("F.bce", lambda m, x, y: F(m).binary_cross_entropy(x, y.detach()), A, B)
c("F.bcel", lambda m, x, y: F(m).binary_cross_entropy_with_logits(x, y.detach()), A, B)
c("F.sdpa", lambda m, x, y, z: F(m).scaled_dot_product_attention(x, y, z), C3, C3 + 0.1, C3 - 0.2)
c("F.one_hot", lambda m, i: F(m).one_hot(i, 4), I1)
c("F.normalize", lambda m, x: F(m).normalize(x), A)
c("F.cos", lambda m, x, y: F(m).cosine_similarity(x, y), A, B)
c("F.smooth", lambda m, x, y: F(m).smooth_l1_loss(x, y), A, B)
c("F.kl", lambda m, x, y: F(m).kl_div(x.log(), y), A, B)
c("fft", lambda m, x: m.fft.fft(x).abs(), A)
c("rfft", lambda m, x: m.fft.rfft(x).abs(), A)
c("irfft", lambda m, x: m.fft.irfft(m.fft.rfft(x)), A)
c("ifft", lambda m, x: m.fft.ifft(x).real, A)
c("real", lambda m, x: m.real(x), A + 1j * B)
c("imag", lambda m, x: m.imag(x), A + 1j * B)
c("conj", lambda m, x: m.conj(x), A + 1j * B)
c("absc", lambda m, x: m.abs(x), A + 1j * B)
c("angle", lambda m, x: m.angle(x), A + 1j * B)
c("lerp", lambda m, x, y: m.lerp(x, y, 0.3), A, B)
c("addcmul", lambda m, x, y, z: m.addcmul(x, y, z, value=2), A, B, A)
c("addcdiv", lambda m, x, y, z: m.addcdiv(x, y, z, value=2), A, B, A)
c("erf", lambda m, x: m.erf(x), A)
c("erfc", lambda m, x: m.erfc(x), A)
c("erfinv", lambda m, x: m.erfinv(x), A)
c("lgamma", lambda m, x: m.lgamma(x), A)
c("digamma", lambda m, x: m.digamma(x), A)
c("logit", lambda m, x: m.logit(x), A)
c("xlogy", lambda m, x, y: m.xlogy(x, y), A, B)
c("hypot", lambda m, x, y: m.hypot(x, y), A, B)
c("logaddexp", lambda m, x, y: m.logaddexp(x, y), A, B)
c("nan_to_num", lambda m, x: m.nan_to_num(x), A)
c("cross", lambda m, x, y: m.cross(x, y, dim=0), A, B)
c("diff", lambda m, x: m.diff(x), A)
c("baddbmm", lambda m, x, y, z: m.baddbmm(x, y, z), np.zeros((2, 3, 3)), C3, C3.transpose(0, 2, 1).copy())
c("sinc", lambda m, x: m.sinc(x), A)
c("quantile", lambda m, x: m.quantile(x, 0.3), A)
c("bucketize", lambda m, x, b: m.bucketize(x, b), A, np.array([0.3, 0.5]))
c("searchsorted", lambda m, b, x: m.searchsorted(b, x), np.array([0.3, 0.5]), A)
c("histc", lambda m, x: m.histc(x, 4, 0, 1), A)
c("bincount", lambda m, i: m.bincount(i), I1)
c("diag_embed", lambda m, x: m.diag_embed(x), A)
c("cummax", lambda m, x: m.cummax(x, 1).values, A)
c("matrix_exp", lambda m, x: m.matrix_exp(x), S * 0.1)
c("pinv", lambda m, x: m.linalg.pinv(x), A)
c("matrix_power", lambda m, x: m.linalg.matrix_power(x, 3), S)
c("nn.unfold", lambda m, x: F(m).unfold(x, 2), rng.normal(size=(1, 2, 3, 3)))
c("isclose", lambda m, x, y: m.isclose(x, y), A, B)
c("allclose", lambda m, x, y: m.tensor(m.allclose(x, y)), A, B)
# Of float64, but to fewer digits in PyTorch: the slope of hardsigmoid is the 1/6 of float32, trigamma is good to 5e-10.
ROUGH_IN_PYTORCH = {"F.hardsigmoid", "lgamma", "digamma"}
FACTS = {name: {"rounding": "float32"} for name in ROUGH_IN_PYTORCH}
FACTS["F.hardsigmoid"]["orders"] = 1  # PyTorch has no second derivative of it, nor of cdist
FACTS |= {"cdist": {"orders": 1}, "allclose": {"vmap": False}}
CALLS = [(name, f, *args, FACTS.get(name, {})) for name, f, args in CASES]


def tensors(args):
    """The arguments as tensors; floating ones ask for gradients."""
    return [compat.tensor(a, requires_grad=a.dtype.kind in "fc") for a in args]


TARGETS = {"F.bce", "F.bcel"}  # their last argument is a target, which PyTorch gives no derivative either


def flat(answer):
    """The floating tensors of an answer."""
    parts = answer if isinstance(answer, tuple | list) else (answer,)
    return tuple([t for p in parts for t in (flat(p) if isinstance(p, tuple | list) else (p,))
                  if isinstance(t, compat.Tensor) and (t.is_floating_point() or t.is_complex())])


@pytest.mark.parametrize("name, f, args", CASES)
def test_derivatives_agree_with_differences_in_every_mode(name, f, args):
    given = tensors(args)
    if name in TARGETS:
        given[-1] = given[-1].detach()
    if not any(t.requires_grad for t in given) or not any(o.requires_grad for o in flat(f(compat, *given))):
        return
    check, twice = compat.autograd.gradcheck, compat.autograd.gradgradcheck

    def fun(*args):
        return flat(f(compat, *args))

    assert check(fun, tuple(given), check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True,
                 check_grad_dtypes=True, fast_mode=True)
    assert twice(fun, tuple(given), check_fwd_over_rev=True, check_batched_grad=True, fast_mode=True)
