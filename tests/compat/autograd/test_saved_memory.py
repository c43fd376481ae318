"""What operations save for their gradients, in bytes, beside PyTorch's."""

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import attempt, pytorch

# Composed here of several operations, or saving a mask beside the operand: docs/compat_gaps.md.
MORE = {"abs", "norm"}


def saved(torch):
    """`{operation: bytes of distinct arrays that it saved, inputs aside}`."""
    rng = np.random.default_rng(0)
    functional = torch.nn.functional
    found = {}

    def tensor(*shape, low=-1.0):
        return torch.tensor(rng.uniform(low, 2.0, shape).astype(np.float32), requires_grad=True)

    def measure(name, fun, *leaves):
        seen = {}

        def pack(t):
            if t.numel():
                seen[t.data_ptr()] = max(seen.get(t.data_ptr(), 0), t.numel() * t.element_size())
            return t

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            answer = fun(*leaves)
        inputs = {leaf.data_ptr() for leaf in leaves}
        found[name] = sum(size for at, size in seen.items() if at not in inputs)
        answer.sum().backward()

    x, y, w, b, above = tensor(64, 128), tensor(64, 128), tensor(128, 128), tensor(128), tensor(64, 128, low=0.5)
    for name in "sin cos tanh exp sigmoid relu abs square neg erf expm1 atan sinh cosh".split():
        measure(name, getattr(torch, name), x)
    for name in "log sqrt rsqrt reciprocal log1p".split():
        measure(name, getattr(torch, name), above)
    labels = torch.tensor(rng.integers(0, 64, 64))
    for name, fun in {
        "pow": lambda x: (x + 1) ** 3, "sum": lambda x: (x * 2).sum(0), "mean": lambda x: (x * 2).mean(),
        "amax": lambda x: (x * 2).amax(1), "max": lambda x: (x * 2).max(1)[0], "prod": lambda x: (x * 2).prod(1),
        "softmax": lambda x: torch.softmax(x * 2, 1), "log_softmax": lambda x: torch.log_softmax(x * 2, 1),
        "logsumexp": lambda x: torch.logsumexp(x * 2, 1), "clamp": lambda x: (x * 2).clamp(-1, 1),
        "views": lambda x: (x * 2).t()[3:].reshape(-1).exp(), "index": lambda x: (x * 2)[labels],
        "gather": lambda x: (x * 2).gather(1, labels[:, None]), "cumsum": lambda x: (x * 2).cumsum(0),
        "norm": lambda x: (x * 2).norm(), "std": lambda x: (x * 2).std(1), "var": lambda x: (x * 2).var(1),
        "inplace": lambda x: (x * 2).mul_(3).exp_().add_(1), "dropout": lambda x: functional.dropout(x * 2, 0.5),
        "cross_entropy": lambda x: functional.cross_entropy(x * 2, labels), "gelu": lambda x: functional.gelu(x * 2),
        "silu": lambda x: functional.silu(x * 2), "softplus": lambda x: functional.softplus(x * 2),
        "leaky_relu": lambda x: functional.leaky_relu(x * 2),
        "attention": lambda x: functional.scaled_dot_product_attention((x * 2)[None], x[None], x[None]),
    }.items():
        measure(name, fun, x)
    measure("mul", lambda x, y: (x * 1.5) * y * (x + 1), x, y)
    measure("div", lambda x, y: (x + 1) / (y + 1), x, above)
    measure("maximum", lambda x, y: torch.maximum(x * 2, y), x, y)
    measure("where", lambda x, y: torch.where(x > 0, x * 2, y * 3), x, y)
    measure("cat", lambda x, y: torch.cat([x * 2, y * 2]), x, y)
    measure("mse_loss", lambda x, y: functional.mse_loss(x * 2, y), x, y)
    measure("matmul", lambda x, w: (x * 2) @ w, x, w)
    measure("einsum", lambda x, w: torch.einsum("ij,jk->ik", x * 2, w), x, w)
    measure("linear", lambda x, w, b: functional.linear(x * 2, w, b), x, w, b)
    measure("perceptron", lambda x, w, b: functional.relu(functional.linear(functional.relu(
        functional.linear(x, w, b)), w, b)), x, w, b)
    measure("layer_norm", lambda x, b: functional.layer_norm(x * 2, (128,), b, b), x, b)
    image, kernel = tensor(2, 3, 16, 16), tensor(4, 3, 3, 3)
    measure("conv2d", lambda i, k: functional.conv2d(i * 2, k), image, kernel)
    measure("max_pool2d", lambda i: functional.max_pool2d(i * 2, 2), image)
    measure("avg_pool2d", lambda i: functional.avg_pool2d(i * 2, 2), image)
    measure("batch_norm", lambda i: functional.batch_norm(i * 2, None, None, training=True), image)
    return found


def test_nothing_is_saved_where_nothing_is_needed():
    assert {name: size for name, size in saved(compat).items() if size and name in {
        "neg", "sum", "mean", "cat", "cumsum", "sin", "cos", "square", "erf", "atan", "log"}} == {}


@pytest.mark.reference
def test_no_more_is_saved_than_pytorch_saves():
    torch = pytorch()
    ours, theirs = saved(compat), saved(torch)
    assert sum(ours.values()) <= sum(theirs.values())
    assert {name for name in ours if ours[name] > theirs[name]} <= MORE


def script_answers_are_written_to_before_a_sweep(torch):
    functions = {name: getattr(torch, name) for name in (
        "abs", "acos", "atan", "cos", "digamma", "erf", "erfc", "erfinv", "exp", "log", "logit", "matrix_exp",
        "reciprocal", "rsqrt", "sigmoid", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh")}
    pools = torch.nn.functional
    functions |= {
        "pow half": lambda x: x ** 0.5, "pow third": lambda x: x ** (1 / 3), "pow -half": lambda x: x ** -0.5,
        "pow of number": lambda x: 2.0 ** x, "pow of tensor": lambda x: torch.pow(x, 0.5),
        "max_pool1d": lambda x: pools.max_pool1d(x, 2), "max_pool2d": lambda x: pools.max_pool2d(x[None], 1),
        "max_pool3d": lambda x: pools.max_pool3d(x[None, None], (1, 2, 2)),
        "adaptive_max_pool1d": lambda x: pools.adaptive_max_pool1d(x, 1),
        "lp_pool1d": lambda x: pools.lp_pool1d(x, 2, 2), "pool of a view": lambda x: pools.max_pool1d(x, 2).flatten(),
        "indices": lambda x: pools.max_pool1d(x, 2, return_indices=True)[0]}
    labels, other = torch.tensor([1, 0]), torch.tensor([[0.1, 0.5], [0.25, 0.5]], dtype=torch.float64)
    functions |= {  # losses are weighted in place
        "cross_entropy": lambda x: pools.cross_entropy(x, labels, reduction="none"),
        "nll_loss": lambda x: pools.nll_loss(x, labels, reduction="none"),
        "multi_margin_loss": lambda x: pools.multi_margin_loss(x, labels, reduction="none")} | {
        name: lambda x, f=getattr(pools, name): f(x, other, reduction="none") for name in (
            "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "binary_cross_entropy",
            "binary_cross_entropy_with_logits", "poisson_nll_loss", "soft_margin_loss")} | {
        name: getattr(pools, name) for name in ("gelu", "silu", "mish", "softplus", "hardswish", "logsigmoid", "celu")}
    out = {}
    for name, f in functions.items():
        x = torch.tensor([[0.3, 0.4], [0.2, 0.6]], dtype=torch.float64, requires_grad=True)

        def grad(f=f, x=x):
            y = f(x)
            y.mul_(2.0)
            return torch.autograd.grad(y.sum(), x)[0].tolist()

        out[name] = attempt(grad)
        out[name] = out[name][0] if isinstance(out[name], tuple) else out[name]
    return out
