"""Layers and losses of integers, of nothing, of infinities and NaN, in place and at slope zero."""

from harness import attempt, double, normal, slopes


def script_cosine_similarity_counts_every_element_of_broadcast_vectors(torch):
    x, y = normal(torch, 1, 2, 3), normal(torch, 2, 1, 3, seed=1)
    f = torch.nn.functional.cosine_similarity
    return [slopes(torch, lambda a, b, d=d: f(a, b, dim=d), x, y) for d in (-2, 0, 1, 2)]


def script_circular_padding_repeats_what_negative_widths_leave(torch):
    x = normal(torch, 1, 3, 4, 4)
    pad = torch.nn.functional.pad
    return [slopes(torch, lambda a, p=p: pad(a, p, "circular"), x)
            for p in ([-1, 1, -2, 1], [1, -1, 0, 0], [-2, 2, 1, 1], [-1, -1, -1, 2], [2, -1, 0, 0])]


def script_integers_in_losses_and_layers(torch):
    x, y = torch.tensor([[1, 2, 3], [3, 4, 9]]), torch.tensor([[1, 1, 1], [2, 2, 2]])
    F = torch.nn.functional  # noqa: N806
    return [F.local_response_norm(torch.arange(18).reshape(1, 6, 3), 2), F.pairwise_distance(x, y),
            F.triplet_margin_loss(x, y, y + 1), F.cosine_embedding_loss(x, y, torch.tensor([1, -1])),
            F.poisson_nll_loss(x, y), F.avg_pool2d(torch.arange(-8, 8).reshape(1, 4, 4), 2),
            F.avg_pool1d(torch.arange(16).reshape(1, 16), 3)]


def script_layers_of_numbers_and_of_nothing(torch):
    F = torch.nn.functional  # noqa: N806
    zero, none = torch.tensor(0, dtype=torch.int64), torch.zeros(0)
    return [slopes(torch, lambda a: F.multi_margin_loss(a, zero), double(torch, 0.3)[0]),
            slopes(torch, lambda a: F.multilabel_margin_loss(a, zero), double(torch, 0.3)[0]),
            slopes(torch, lambda a: F.prelu(a, double(torch, 0.2)), double(torch, -2.0)[0]),
            F.batch_norm(none, none, none, None, None, True), F.batch_norm(none, none, none),
            slopes(torch, lambda a: F.avg_pool2d(a, (2, 2), (), (0,), False, True, -2), normal(torch, 1, 1, 4, 4))]


def script_answers_of_slope_zero_have_a_history(torch):
    x, square = normal(torch, 3, 2).requires_grad_(), normal(torch, 2, 2).requires_grad_()
    found = [torch.linalg.vector_norm(x, 0, dim=0), torch.linalg.matrix_power(square, 0),
             torch.linalg.householder_product(x, square[:0, 0]), torch.linalg.lstsq(x, x).residuals]
    for t in found:
        t.sum().backward()
    return [t.detach() for t in found] + [t.requires_grad for t in found]


def script_pools_and_resamplings_keep_nan_and_infinities_where_they_are(torch):
    F = torch.nn.functional  # noqa: N806
    x = normal(torch, 1, 2, 5, 6)
    x[0, 0, 1, 2], x[0, 1, 3, 0], x[0, 1, 0, 5] = float("nan"), float("inf"), -float("inf")
    found = [F.adaptive_avg_pool2d(x, (2, 3)), F.adaptive_avg_pool2d(x, (4, 5)), F.adaptive_avg_pool1d(x[0, 1], 4)]
    for mode, size in (("bilinear", (7, 4)), ("bicubic", (7, 9)), ("area", (3, 3))):
        found.append(F.interpolate(x, size, mode=mode))
    found.append(F.interpolate(x, (9, 3), mode="bilinear", align_corners=True))
    smooth = normal(torch, 1, 2, 5, 6, seed=3)
    return found + [slopes(torch, lambda a, f=f: f(a), smooth) for f in (
        lambda a: F.adaptive_avg_pool2d(a, (4, 5)), lambda a: F.interpolate(a, (7, 4), mode="bilinear"),
        lambda a: F.interpolate(a, (3, 9), mode="bicubic", align_corners=True))]


def script_interpolation_that_smooths(torch):
    F, x = torch.nn.functional, normal(torch, 1, 2, 9, 12)
    found = [F.interpolate(x, mode=mode, antialias=True, **how).detach()
             for mode in ("bilinear", "bicubic", "lanczos")
             for how in ({"size": (4, 5)}, {"size": (11, 3)}, {"scale_factor": (0.3, 1.7)}, {"size": 1})]
    found.append(F.interpolate(x, (3, 9), mode="bilinear", align_corners=True, antialias=True).detach())
    a = x.clone().requires_grad_()
    for mode in ("bilinear", "bicubic", "lanczos"):
        found += torch.autograd.grad((F.interpolate(a, (4, 5), mode=mode, antialias=True) ** 2).sum(), a)
    return found + [attempt(lambda: F.interpolate(x, 3, mode="lanczos"))[:2],
                    attempt(lambda: F.interpolate(x, 3, mode="area", antialias=True))[:2],
                    attempt(lambda: F.interpolate(x, 3, mode="lanczos", antialias=True, align_corners=True))[:2]]


def script_resampling_of_integers_and_of_nothing(torch):
    F = torch.nn.functional  # noqa: N806
    x = torch.arange(16, dtype=torch.uint8).reshape(1, 1, 4, 4) * 16
    return [F.interpolate(x, (8, 8), mode="bilinear", align_corners=False).dtype, F.interpolate(x, (2, 2)),
            F.interpolate(x, (2, 2), mode="bilinear"),
            attempt(lambda: F.interpolate(x.long(), (8, 8), mode="bilinear"))[:2],
            F.grid_sample(torch.ones(0, 3, 2, 2), torch.ones(0, 2, 3, 2), align_corners=True),
            attempt(lambda: F.interpolate(x[..., :0], (2, 2)))[:2], attempt(lambda: F.interpolate(x, "x"))[:2],
            attempt(lambda: F.adaptive_avg_pool2d(torch.ones(2, 3, 4, 0), 2))[:2]]


def script_the_grid_of_nearest_samples_has_a_gradient_of_zeros(torch):
    F, found = torch.nn.functional, []  # noqa: N806
    for n in (2, 3):
        x, grid = normal(torch, 2, 2, *(3,) * n), normal(torch, 2, *(2,) * n, n, seed=1)
        for padding in ("zeros", "border", "reflection"):
            found += slopes(torch, lambda a, g, p=padding: F.grid_sample(a, g, "nearest", p, False), x, grid)
        grid[0, 0, 0] = float("nan")
        found += slopes(torch, lambda g, x=x: F.grid_sample(x, g, "nearest", align_corners=False), grid)
    return found


def script_losses_of_integers_and_of_other_ranks(torch):
    F = torch.nn.functional  # noqa: N806
    x, y = torch.tensor([1, 2, 3]), torch.tensor([4, 2, 1])
    f = normal(torch, 3, 4)
    odd = [lambda: F.soft_margin_loss(x, y), lambda: F.huber_loss(x, f[0, :3]), lambda: F.softmin(x > 1, 0),
           lambda: F.margin_ranking_loss(x > 1, y, y), lambda: F.gaussian_nll_loss(f, f, x),
           lambda: F.multi_margin_loss(f, f[0, :3])]
    return [F.margin_ranking_loss(x, y, torch.tensor([1, -1, 1])), F.multi_margin_loss(f[:0], x[:0]).shape,
            F.multilabel_soft_margin_loss(f[0, :1], f), torch.linalg.vander(x.to(torch.uint8)),
            *[attempt(g)[:2] for g in odd]]


def script_leaky_slopes_in_place(torch):
    F = torch.nn.functional  # noqa: N806
    x = double(torch, -2.0, 0.0, 3.0)
    out = F.rrelu_(x)
    return [x, out is x, F.rrelu_(x.clone(), 0.5, 0.5, True), attempt(lambda: F.rrelu_(x.requires_grad_()))[:2]]


def script_answers_that_are_the_operand_have_a_node_of_their_own(torch):
    def zero(x):
        return x[0, 0] * 1.0

    functions = {
        "cumsum": lambda x: zero(x).cumsum(0), "cumprod": lambda x: zero(x).cumprod(0),
        "cummax": lambda x: zero(x).cummax(0)[0], "logcumsumexp": lambda x: zero(x).logcumsumexp(0),
        "max": lambda x: zero(x).max(0)[0], "median": lambda x: zero(x).median(0)[0],
        "mode": lambda x: zero(x).mode()[0], "topk": lambda x: zero(x).topk(1)[0],
        "msort": lambda x: zero(x).msort(), "diff": lambda x: (x * 1).diff(0), "rot90": lambda x: (x * 1).rot90(0),
        "matrix_power": lambda x: (x * 1).matrix_power(1), "conj_physical": lambda x: (x * 1).conj_physical(),
        "flip": lambda x: (x * 1).flip(()),
    }
    out = {}
    for name, f in functions.items():
        x, seen = double(torch, 0.3, 0.5, 0.2, 0.6).reshape(2, 2).requires_grad_(), []
        y = f(x)
        y.register_hook(lambda g, seen=seen: seen.append(g.sum()) or g * 2)
        (g,) = torch.autograd.grad((y * 3).sum() + x.sum(), x)
        out[name] = [g, seen]
    for name in ("cumsum", "cumprod", "logcumsumexp"):
        x = double(torch, 0.3)[0].clone().requires_grad_()
        y = getattr(x, name)(0)
        out["leaf", name] = [type(y.grad_fn).__name__, torch.autograd.grad(y * 3 + x, [x, y])]
    return out
