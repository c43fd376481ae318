"""Derivatives at kinks and where there is none."""

import importlib

from harness import attempt, double, message, normal, slopes


def script_powers_of_zero_and_of_negative_numbers(torch):
    a = double(torch, 0.0, 0.0, 0.0, 2.0, 0.0).requires_grad_()
    b = double(torch, -1.0, 0.0, 1.0, 0.5, -0.5).requires_grad_()
    e = torch.tensor([0.3 + 0.2j, 0.5 - 0.1j], dtype=torch.complex128, requires_grad=True)
    zero = torch.zeros(3, dtype=torch.float64)
    powers = [a**b, 0**b, (-torch.ones(2, dtype=torch.float64)) ** e, (-1) ** e]
    slopes = [torch.autograd.grad(p.abs().sum(), x) for p, x in zip(powers, ((a, b), b, e, e))]
    return [p.detach() for p in powers], slopes, torch.func.jvp(
        lambda y: zero**y, (double(torch, -1.0, 2.0, 0.0),), (torch.ones(3, dtype=torch.float64),))


def script_the_neighbour_of_a_number(torch):
    a = torch.tensor([1.0, 2.0, 3.0, 0.0], requires_grad=True)
    b = torch.tensor([2.0, 2.0, 1.0, -1.0], requires_grad=True)
    y = torch.nextafter(a, b)
    return y.detach(), torch.autograd.grad(y.sum(), (a, b)), torch.func.jvp(
        lambda x: torch.nextafter(x, b.detach()), (a.detach(),), (torch.ones(4),))


def script_rectifiers_at_nan(torch):
    F, found = torch.nn.functional, []  # noqa: N806
    for copies in (1, 2000):
        x = double(torch, float("nan"), float("inf"), -float("inf"), 0.0, -1.0, 2.0).repeat(copies)
        for f in (F.relu, F.leaky_relu, lambda a: F.leaky_relu(a, 2.0), F.gelu):
            found += [v[:6] for v in slopes(torch, f, x)]
    return found


def script_distinct_values_have_no_gradient_and_say_so(torch):
    found = []
    for f in (torch.unique, torch.unique_consecutive, lambda x: torch.unique(x, dim=0),
              lambda x: torch.unique(x, return_inverse=True)[0]):
        x = torch.tensor([1.0, 1.0, 2.0], requires_grad=True)
        y = f(x)
        found.append([y, attempt(lambda: (y.sum() + x.sum()).backward()), x.grad,
                      attempt(lambda: torch.func.grad(lambda x: f(x).sum())(x.detach()))])
        with torch.no_grad():
            found.append(f(x))
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.ones(3))
            found.append(message(lambda: f(dual))[:70])
    return found


def script_counting_norms_keep_a_history(torch):
    x = torch.tensor([[3.0, 0.0], [1.0, -2.0]], requires_grad=True)
    found = [torch.norm(x, 0), torch.linalg.vector_norm(x, 0, dim=1), torch.cdist(x, x.detach(), p=0.0)]
    sum(f.sum() for f in found).backward()
    return [[f.detach(), f.requires_grad] for f in found]


def script_logarithms_of_sums_of_complex_exponentials_are_principal_values(torch):
    z = normal(torch, 4, 3, dtype="complex") * 9
    return [torch.logsumexp(z, 0), torch.logsumexp(z[:1], 0), torch.masked.logsumexp(z, 1, mask=z.real > 0),
            slopes(torch, lambda a: torch.logsumexp(a, 1), z)]


def script_limits_at_nan(torch):
    """NaN stays, and what it came from has no gradient; neither has anything between limits in the wrong order."""
    nan, found = float("nan"), []
    for copies in (1, 2000):
        x = double(torch, nan, -float("inf"), -1.0, 0.0, 0.5, 1.0, float("inf")).repeat(copies)
        one, low = torch.ones_like(x), torch.full_like(x, -1.0)
        for f in (lambda a: a.clamp(-1, 1), lambda a: a.clamp(min=0.5), lambda a: a.clamp(max=0.5),
                  lambda a: a.clamp(1, -1), lambda a: a.clamp(nan, 1), lambda a: a.clamp(0, nan), lambda a: a.clip(0),
                  lambda a: a.clamp(low, one), lambda a: a.clamp(max=one), lambda a: a.clamp(one, low),
                  lambda a: a.clamp(one * nan, one), lambda a: torch.clamp_min(a, 0.5),
                  lambda a: (a * 1).clamp_(-1, 1), lambda a: torch.clamp_max(a, one),
                  lambda a: torch.nn.functional.hinge_embedding_loss(a, -one, reduction="none")):
            found += [v[:7] for v in slopes(torch, f, x)]
    limits = double(torch, nan, 1.0, -2.0).requires_grad_()
    y = double(torch, 1.0, nan, -3.0).requires_grad_()
    y.clamp(min=limits).sum().backward()
    return [*found, limits.grad, y.grad]


def script_cotangents_that_are_not_finite(torch):
    """What a limit cuts off is cut off whatever arrives."""
    found = []
    for f in (torch.nn.functional.hardtanh, torch.nn.functional.relu6, lambda x: x.clamp(-1, 1),
              torch.nn.functional.hardshrink, torch.nn.functional.softshrink):
        for size in (1, 2000):
            x = double(torch, -7.0, -1.0, 0.25, 1.0, 6.5).repeat(size).requires_grad_()
            for value in (float("nan"), float("inf")):
                found.append(torch.autograd.grad(f(x), x, torch.full_like(x, value))[0][:5])
    return found


def script_losses_far_away(torch):
    """The slope of a linear part is that of the line at infinity, too."""
    F, x = torch.nn.functional, double(torch, -float("inf"), -1e200, -2.0, 0.5, float("inf"))  # noqa: N806
    zero = torch.zeros_like(x)
    return [slopes(torch, f, x) for f in (
        lambda a: F.smooth_l1_loss(a, zero, reduction="none"), lambda a: F.huber_loss(a, zero, reduction="none"),
        lambda a: F.smooth_l1_loss(zero, a, beta=0.3, reduction="sum"), lambda a: F.huber_loss(zero, a, delta=3.0))]


def script_interpolation_from_the_nearer_end(torch):
    """So that it ends at its end."""
    x, y = double(torch, 1e300, -float("inf"), 0.1, 3.0), double(torch, -1.0, 2.0, 0.3, float("inf"))
    return [torch.lerp(x, y, w) for w in (0, 0.25, 0.5, 0.75, 1, 1.0, 2.0)] + [
        torch.lerp(x.float(), y.float(), 1.0), torch.lerp(x * 1j, y * 1j, 1.0)[2:]]


def script_constant_powers(torch):
    """The power 0 is flat everywhere."""
    x = double(torch, float("nan"), float("inf"), 0.0, -2.0)
    return [slopes(torch, lambda a: a**0, x), slopes(torch, lambda a: a.pow(0.0), x)]


def script_comparisons_in_place(torch):
    """Their nodes lead to both operands, with zeros; integers have no history."""
    found = []
    for name in ("eq_", "ne_", "lt_", "le_", "gt_", "ge_", "less_", "greater_", "not_equal_"):
        for other in (0, "tensor"):
            x, y = double(torch, 1.0, -2.0, 0.0).requires_grad_(), double(torch, 1.0, 3.0, -1.0).requires_grad_()
            out = getattr(x * 1, name)(y if other == "tensor" else other)
            out.sum().backward()
            found.append([out, x.grad, y.grad])
    y = double(torch, 1.0, 3.0, -1.0).requires_grad_()
    fresh = double(torch, 1.0, -2.0, 0.0).eq_(y)
    base = (y * 2).clone()
    base[1:].lt_(1)
    fresh.sum().backward()
    return [*found, fresh, y.grad, base, torch.ones(3, dtype=torch.int64).ge_(y.detach()), attempt(lambda: y.gt_(0))]


def script_sums_in_integers(torch):
    """Autograd has no integers: what is recorded refuses them, what is not takes them."""
    x, found = double(torch, 1.5, -2.0, 3.0), []
    for f in (lambda a: a.sum(dtype=torch.int64), lambda a: a.sum(0, dtype=torch.bool),
              lambda a: a.cumsum(0, dtype=torch.int32), lambda a: a.cumprod(0, dtype=torch.int64),
              lambda a: a.prod(dtype=torch.int64), lambda a: a.prod(0, dtype=torch.uint8),
              lambda a: a.nansum(dtype=torch.int64), lambda a: a.mean(dtype=torch.int64)):
        leaf = x.clone().requires_grad_()
        found += [attempt(lambda: f(x)), attempt(lambda: f(leaf)), attempt(lambda: f(leaf * 2))]
        with torch.no_grad():
            found.append(attempt(lambda: f(leaf)))
    return found


def test_quotients_rounded_down_are_in_the_history():
    torch = importlib.import_module("covector.compat.torch")
    for f in (lambda x, y: x // y, lambda x, y: (x * 1).floor_divide_(y), torch.heaviside):
        x, y = torch.tensor([5.0, -3.0, 0.0], requires_grad=True), torch.tensor([2.0, 2.0, 7.0], requires_grad=True)
        for _ in range(3):
            out = f(x, y)
        assert out.requires_grad
        out.sum().backward()
        assert x.grad.tolist() == [0.0] * 3 and y.grad.tolist() == [0.0, 0.0, float(f is torch.heaviside)]
    assert not (torch.tensor([5, 3]) // 2).requires_grad and not (x.detach() // 2).requires_grad
    assert (7.0 // y).requires_grad and torch.heaviside(x, y.detach()).requires_grad
    for _ in range(3):  # a row of numbers beside one
        x, y = torch.zeros(1, requires_grad=True), torch.ones(2, 3, requires_grad=True)
        (torch.heaviside(x, y) + x // y).sum().backward()
    assert x.grad.tolist() == [0.0] and y.grad.tolist() == [[1.0] * 3] * 2


def test_counts_of_weights_have_their_gradient():
    torch = importlib.import_module("covector.compat.torch")
    weights = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    out = torch.bincount(torch.tensor([2, 0, 2]), weights, 4)
    assert out.tolist() == [2.0, 0.0, 5.0, 0.0]
    out.backward(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    assert weights.grad.tolist() == [3.0, 1.0, 3.0]


def script_zeros_keep_their_sign_between_limits(torch):
    F, found = torch.nn.functional, []  # noqa: N806
    for n in (1, 5, 100, 5000):
        for dtype in (torch.float32, torch.float64):
            x, zero = -torch.zeros(n, dtype=dtype), torch.zeros(n, dtype=dtype)
            answers = (x.clamp(min=0), x.clamp(0, 1), x.clamp(max=0), zero.clamp(max=-0.0), x.clone().clamp_(min=0),
                       F.hardtanh(x, 0, 1), F.relu6(x), F.elu(x), F.elu(zero), F.selu(x), F.celu(x, 2.0),
                       F.leaky_relu(x), F.hinge_embedding_loss(zero + 1, -(zero + 1), reduction="none"),
                       F.margin_ranking_loss(zero, zero, zero + 1, reduction="none"))
            found.append([(a.signbit().all().item(), a.signbit().any().item()) for a in answers])
    return found


def script_middle_values_that_are_infinite_or_huge(torch):
    inf, found = float("inf"), []
    for numbers in ((inf, inf, 1.0), (-inf, -inf), (1e308, 1e308), (2.0, 2.0, 1.0, 3.0)):
        for f in (torch.median, torch.nanmedian):
            found += slopes(torch, f, double(torch, *numbers))
    return found


def script_odds_outside_of_probabilities(torch):
    x = double(torch, -float("inf"), -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, float("inf"), float("nan"))
    return slopes(torch, torch.logit, x), slopes(torch, lambda a: torch.logit(a, 0.1), x)
