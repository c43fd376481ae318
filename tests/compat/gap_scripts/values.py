"""Rows of docs/compat_gaps.md: what operations compute, and their derivatives."""

import numpy as np
import pytest

from gap_scripts.script import attempt, gradient, leaf, row


@row("random numbers", 0.8506, 0.4963)
def a_random_number(torch):
    torch.manual_seed(0)
    return round(torch.rand(1).item(), 4)


@row("orthogonal polynomials", [8.0, 16.0], "RuntimeError")
def a_polynomial_of_chebyshev(torch):
    return gradient(torch, lambda x: torch.special.chebyshev_polynomial_t(x, 2), leaf(torch))


@row("`interpolate` of `uint8`", 31, 30)
def bytes_between_bytes(torch):
    x = torch.tensor([[[[214, 66, 27, 76]]]], dtype=torch.uint8)
    out = torch.nn.functional.interpolate(x, (1, 7), mode="bilinear").flatten().tolist()
    return next(v for v in out if v in (30, 31))


@row("`special.bessel_j0`, `bessel_j1`", True, False)
def a_slope_of_a_sixth(torch):
    x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    slope = torch.autograd.grad(torch.nn.functional.hardsigmoid(x).sum(), x)[0].item()
    return abs(slope - 1 / 6) < 1e-12


@row("`igamma`, `igammac`", True, "error")
def the_first_argument_of_igamma(torch):
    pytest.importorskip("scipy", reason="special functions need SciPy: pip install -e '.[scipy]'")
    found = gradient(torch, lambda x: torch.igamma(x, torch.ones(2)), leaf(torch))
    return "error" if isinstance(found, str) else True


@row("`floor_divide`, `heaviside`", [[0.0, 0.0], 1.0, [1.0, 1.0]], ["error"] * 3)
def rounded_quotients_and_counts_of_weights(torch):
    x = torch.tensor([5.0, 0.0], requires_grad=True)
    found = [gradient(torch, lambda x: x // 2, x), gradient(torch, lambda v: torch.heaviside(x.detach(), v)[1], x),
             gradient(torch, lambda w: torch.bincount(torch.tensor([1, 0]), w), x)]
    return ["error" if isinstance(f, str) else f[1] if k == 1 else f for k, f in enumerate(found)]


@row("gradients at NaN", ["nan", [0.0, 1.0]], ["0.0", "nan"])
def gradients_at_nan(torch):
    x = torch.tensor([1.0, float("nan")], requires_grad=True)
    (one,) = torch.autograd.grad(x.abs().sum(), x)
    (top,) = torch.autograd.grad(x.amax(), x)
    return [str(one[1].item()), top.tolist() if not top.isnan().any() else "nan"]


@row("gradients of `prod` and `cumprod` with NaN", [[2.0, float("inf")], [float("inf"), 2.0]], "nan")
def gradients_of_a_product_with_an_infinity(torch):
    x = torch.tensor([float("inf"), 2.0], requires_grad=True)
    found = [torch.autograd.grad(x.prod(), x)[0].tolist(), torch.autograd.grad(x.cumprod(0)[1].flip(0), x)[0].tolist()]
    return "nan" if any(v != v for g in found for v in g) else [found[0], found[1][::-1]]


@row("gradients at infinities", [[0.5, 0.5], 1.0], "nan")
def gradients_at_infinities(torch):
    x = torch.full((2,), float("inf"), requires_grad=True)
    shares = torch.autograd.grad(torch.logaddexp(x[0], x[1]), x)[0].tolist()
    sign = torch.autograd.grad(torch.copysign(x, torch.ones(2)).sum(), x)[0][0].item()
    return "nan" if any(v != v for v in (*shares, sign)) else [shares, sign]


@row("slopes of `acosh` below 1", "nan", 0.0)
def a_slope_outside_of_the_domain(torch):
    x = torch.tensor(-float("inf"), requires_grad=True)
    slope = torch.autograd.grad(torch.acosh(x), x)[0].item()
    return "nan" if slope != slope else slope


@row("signs of zeros", [1.0, 1.0, -float("inf")], [-1.0, -1.0, float("inf")])
def signs_of_zeros(torch):
    pytest.importorskip("scipy", reason="special functions need SciPy: pip install -e '.[scipy]'")
    zero = torch.tensor(-0.0, dtype=torch.float64)
    signs = [torch.copysign(torch.ones(()), f(zero)).item() for f in (torch.relu, lambda x: torch.remainder(x, 1.0))]
    return [*signs, torch.lgamma(torch.tensor(-float("inf"))).item()]


@row("second derivative of `elu`", [1.0], [0.0])
def the_second_derivative_of_elu(torch):
    x = torch.zeros(1, requires_grad=True)
    (g,) = torch.autograd.grad(torch.nn.functional.elu(x).sum(), x, create_graph=True)
    return torch.autograd.grad(g.sum(), x)[0].tolist()


@row("`special.xlogy` at (0, 0)", True, False)
def xlogy_at_zero(torch):
    y = torch.zeros(1, requires_grad=True)
    return torch.autograd.grad(torch.special.xlogy(torch.zeros(1), y).sum(), y)[0].item() == 0


@row("dtypes without a kernel", "complex64", "NotImplementedError")
def a_complex_target_of_counts(torch):
    x = torch.ones(2)
    return attempt(lambda: str(torch.nn.functional.poisson_nll_loss(x, x + 0j, full=True).dtype).removeprefix("torch."))


@row("derivatives with respect to", True, False)
def the_derivative_by_class_weights(torch):
    w, scores, target = torch.ones(3, requires_grad=True), torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([0])
    loss = lambda: torch.nn.functional.nll_loss(scores, target, w, reduction="sum")  # noqa: E731
    return attempt(lambda: bool((torch.autograd.grad(loss(), w)[0] != 0).any())) is True


@row("gradient of `embedding_bag(scale", [0.0, 1.0, 1.0], [0.0, 1.0, 0.5])
def bags_by_frequency(torch):
    f = lambda w: torch.nn.functional.embedding_bag(  # noqa: E731
        torch.tensor([[1, 1, 2]]), w, mode="sum", scale_grad_by_freq=True)
    return gradient(torch, f, leaf(torch, [0.0], [0.0], [0.0]))


@row("gradients of values written", [0.0, 1.0], [1.0, 1.0])
def two_values_for_one_place(torch):
    values = leaf(torch)
    out = torch.zeros(2).index_put((torch.tensor([0, 0]),), values)
    return torch.autograd.grad(out.sum(), values)[0].tolist()


@row("which of equal elements", [0, 1], [2, 3])
def the_largest_of_equal_elements(torch):
    return torch.ones(4).topk(2).indices.tolist()


@row("attention of a query with NaN", True, False)
def a_query_with_nan(torch):
    x = torch.ones(1, 1, 2, 4)
    q = torch.where(torch.arange(4) == 0, float("nan"), x)
    return bool(torch.nn.functional.scaled_dot_product_attention(q, x, x).isnan().all())


@row("`hypot` at (0, 0)", 0.0, True)
def the_tip_of_hypot(torch):
    x = torch.zeros(1, requires_grad=True)
    found = torch.autograd.grad(torch.hypot(x, torch.zeros(1)).sum(), x)[0].item()
    return True if found != found else found


@row("Fourier transforms of an", [0, 4], "RuntimeError")
def a_transform_of_nothing(torch):
    return attempt(lambda: list(torch.fft.fft(torch.ones(0, 4)).shape))


@row("`histogram`, `histogramdd` with bin", "RuntimeError", [0.0, 0.0])
def edges_that_do_not_increase(torch):
    return attempt(lambda: torch.histogram(torch.ones(1), torch.tensor([3.0, 1.0, 2.0]))[0].tolist())


@row("operations of several steps on `bfloat16`", 0.796875, 0.804688)
def a_gradient_in_bfloat16(torch):
    return gradient(torch, lambda x: torch.logsumexp(x, 0), torch.tensor([0.5, -1.5, 2.0], dtype=torch.bfloat16,
                                                                          requires_grad=True))[2]


@row("`tensor != array`", "Tensor", "bool")
def a_tensor_unlike_an_array(torch):
    return type(torch.ones(2) != np.ones(2)).__name__


@row("NumPy's arrays and float32 numbers", [1.0, 1.0, 0.0], "TypeError")
def an_array_at_places(torch):
    y = torch.zeros(3)
    return attempt(lambda: y.__setitem__([0, 1], np.ones(2, np.float32)) or y.tolist())


@row("gradient of `scatter_reduce`", 1.0, 0.5)
def a_value_as_large_as_the_one_it_replaces(torch):
    source = torch.tensor([4.0], requires_grad=True)
    torch.tensor([4.0]).scatter_reduce(0, torch.tensor([0]), source, "amax", include_self=False).sum().backward()
    return source.grad.item()


@row("second derivative of `std`", "nan", "0.0")
def a_spread_of_equal_elements(torch):
    x = leaf(torch, 1.0, 1.0)
    slopes, = torch.autograd.grad(x.std(), x, create_graph=True)
    return str(torch.autograd.grad(slopes[0], x)[0][0].item())


@row("gradients of what a selection leaves out", "[0.0, 1.0]", "[nan, 1.0]")
def a_branch_that_is_left_out(torch):
    return str(gradient(torch, lambda x: torch.where(x > 0, x * x.log(), 0), leaf(torch, 0.0, 1.0)))
