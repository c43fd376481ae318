"""Matrices and layers at the edges of what they take: broadcast, negative widths, one triangle, zeros, tolerances."""


from harness import attempt, double, normal, slopes, table


def script_cosine_similarity_counts_every_element_of_broadcast_vectors(torch):
    x, y = normal(torch, 1, 2, 3), normal(torch, 2, 1, 3, seed=1)
    f = torch.nn.functional.cosine_similarity
    return [slopes(torch, lambda a, b, d=d: f(a, b, dim=d), x, y) for d in (-2, 0, 1, 2)]


def script_circular_padding_repeats_what_negative_widths_leave(torch):
    x = normal(torch, 1, 3, 4, 4)
    pad = torch.nn.functional.pad
    return [slopes(torch, lambda a, p=p: pad(a, p, "circular"), x)
            for p in ([-1, 1, -2, 1], [1, -1, 0, 0], [-2, 2, 1, 1], [-1, -1, -1, 2], [2, -1, 0, 0])]


def script_pseudo_inverse_counts_rounding_as_zero(torch):
    thin = normal(torch, 30, 2)
    return [torch.linalg.pinv(thin @ thin.mT), torch.linalg.pinv((thin @ thin.mT).float()).abs().max() < 10,
            torch.linalg.matrix_rank(thin @ thin.mT)]


def script_hermitian_pseudo_inverse_reads_one_triangle(torch):
    x = normal(torch, 2, 3, 3)
    even = x + x.mT
    return [torch.linalg.pinv(x, hermitian=True), [v.contiguous() for v in slopes(
        torch, lambda a: torch.linalg.pinv(a, hermitian=True), even)]]


def script_eigenvalues_of_one_triangle_with_gradients(torch):
    x = normal(torch, 2, 3, 3)
    return [slopes(torch, lambda a, u=u: torch.linalg.eigvalsh(a, UPLO=u), x) for u in "LU"] + [
        slopes(torch, lambda a: torch.linalg.eigh(a, UPLO="U")[1].abs(), x),
        torch.func.vmap(lambda a: torch.linalg.eigvalsh(a, UPLO="U"))(x),
        attempt(lambda: torch.linalg.eigh(x, UPLO="Q"))[:2]]


def script_eigenvalues_of_real_matrices_come_in_the_order_of_the_real_solver(torch):
    return [torch.linalg.eigvals(normal(torch, 5, 5, seed=k)) for k in range(8)]


def script_ranks_with_a_tolerance_for_each_matrix(torch):
    x = normal(torch, 2, 3, 3)
    each = double(torch, 0.2, 3.0)
    rank = torch.linalg.matrix_rank
    return table([lambda: rank(x, rtol=each), lambda: rank(x, atol=each), lambda: rank(x, atol=each, rtol=each / 10),
                  lambda: rank(x, each), lambda: rank(x[0], atol=each), lambda: rank(x[:0], atol=each[:0]),
                  lambda: torch.linalg.pinv(x, atol=each), lambda: torch.linalg.pinv(x, rtol=each / 4),
                  lambda: torch.func.vmap(lambda a, t: rank(a, atol=t))(x, each)])


def script_norms_at_zero_for_small_and_negative_orders(torch):
    norm = torch.linalg.vector_norm
    return [slopes(torch, lambda a, p=p: norm(a, p, dim=-1), double(torch, *row)[None])
            for p in (0.5, -0.5, -1, -3.5, 1.5, 3) for row in ((0.0, 0.0), (0.0, 2.0), (1.0, -2.0))] + [
        norm(double(torch, float("inf"), float("inf")), -1), norm(double(torch, 1.0, float("inf")), -2)]


def script_powers_of_a_number(torch):
    return [torch.linalg.vander(torch.tensor(3.0), N=2), attempt(lambda: torch.linalg.vander(torch.tensor(3.0)))[:2]]


def script_least_squares_of_complex_numbers_has_real_residuals(torch):
    a, b = normal(torch, 4, 2, dtype="complex"), normal(torch, 4, 2, seed=1, dtype="complex")
    found = torch.linalg.lstsq(a, b, driver="gelsd")
    return [found.residuals, found.singular_values.dtype, torch.linalg.lstsq(a, b).residuals.dtype]


def script_integers_in_losses_and_layers(torch):
    x, y = torch.tensor([[1, 2, 3], [3, 4, 9]]), torch.tensor([[1, 1, 1], [2, 2, 2]])
    F = torch.nn.functional  # noqa: N806
    return [F.local_response_norm(torch.arange(18).reshape(1, 6, 3), 2), F.pairwise_distance(x, y),
            F.triplet_margin_loss(x, y, y + 1), F.cosine_embedding_loss(x, y, torch.tensor([1, -1])),
            F.poisson_nll_loss(x, y), F.avg_pool2d(torch.arange(-8, 8).reshape(1, 4, 4), 2),
            F.avg_pool1d(torch.arange(16).reshape(1, 16), 3)]


def script_masked_reductions_of_every_kind(torch):
    mask = torch.tensor([[True, False, True], [False, False, True]])
    out = []
    for name in ("sum", "prod", "amax", "amin", "argmax", "argmin"):
        for dtype in (torch.float32, torch.int32, torch.bool):
            x = torch.tensor([[1, 0, 3], [0, 5, 0]]).to(dtype)
            for mode in ({}, {"dim": 1}, {"dim": 1, "keepdim": True}):
                out.append(attempt(lambda n=name, v=x, m=mode: getattr(torch.masked, n)(v, mask=mask, **m)))
    return out


def script_masked_statistics_of_complex_numbers_and_integers(torch):
    z, x = normal(torch, 3, 4, dtype="complex"), torch.tensor([[1, 2, 3], [3, 4, 9]])
    m = torch.masked
    return [m.var(z, 1), m.std(z, 1), m.std(z, 0, mask=z.real > 0), m.var(normal(torch, 3, 4), 1, correction=1.3),
            m.logsumexp(z, 1), m.logsumexp(z, 1, mask=z.real > 0), m.logsumexp(x, 1), m.logsumexp(x, 1, mask=x > 2),
            slopes(torch, lambda a: m.var(a, 1), z)]


def script_layers_of_numbers_and_of_nothing(torch):
    F = torch.nn.functional  # noqa: N806
    zero, none = torch.tensor(0, dtype=torch.int64), torch.zeros(0)
    return [slopes(torch, lambda a: F.multi_margin_loss(a, zero), double(torch, 0.3)[0]),
            slopes(torch, lambda a: F.multilabel_margin_loss(a, zero), double(torch, 0.3)[0]),
            slopes(torch, lambda a: F.prelu(a, double(torch, 0.2)), double(torch, -2.0)[0]),
            F.batch_norm(none, none, none, None, None, True), F.batch_norm(none, none, none),
            slopes(torch, lambda a: F.avg_pool2d(a, (2, 2), (), (0,), False, True, -2), normal(torch, 1, 1, 4, 4))]


def script_refusals_of_layers(torch):
    F = torch.nn.functional  # noqa: N806
    x = torch.ones(1, 4, 4)
    return [call[:2] for call in table([
        lambda: F.avg_pool1d(x, 2, padding=-1), lambda: F.avg_pool2d(x, 2, padding=4),
        lambda: F.prelu(torch.tensor(1.0), torch.ones(2)), lambda: F.prelu(x, torch.ones(2, 2)),
        lambda: F.multilabel_margin_loss(torch.ones(0), torch.ones(0, dtype=torch.int64))])]


def script_memory_of_factors_and_spectra(torch):
    a, x = normal(torch, 2, 4, 3), normal(torch, 3, 4, 5, 6)
    p, low, up = torch.linalg.lu(a)
    packed = torch.linalg.lu_factor(a)
    fft = torch.fft
    return [p, p.stride(), torch.lu_unpack(*packed)[0], torch.svd(a)[2].abs(), torch.svd(a.mT)[2].stride(),
            *[fft.ihfftn(x, dim=d) for d in (None, (0, 2), (2,), (3, 0, 1), (0, 3))], fft.ihfft2(x), fft.ihfft(x)]


def script_axes_of_masked_reductions(torch):
    x, m = normal(torch, 2, 3), torch.masked
    names = "sum prod amax amin mean var std logsumexp".split()
    found = [attempt(lambda n=n, d=d: getattr(m, n)(x, d)) for n in names
             for d in (None, (), 0, (0, 1), (1, 0), (0, 0), 5, -3)]
    found += [attempt(lambda n=n, d=d: getattr(m, n)(x, d)) for n in ("softmax", "cumsum", "cumprod", "median")
              for d in (None, (1,), (0, 0), 2)]
    return [f[:2] if isinstance(f, tuple) else f for f in found] + [
        m.prod(x, 1, keepdim=1), m.cumsum(x.to(torch.uint8), 0).dtype, m.sum(x.to(torch.uint8), 0).dtype]


def script_refusals_of_factors(torch):
    a, packed = normal(torch, 3, 3), torch.linalg.lu_factor(normal(torch, 3, 3))
    odd = [lambda: torch.lu_unpack(a, packed[1].long()), lambda: torch.lu_unpack(a[0], packed[1]),
           lambda: torch.linalg.lu_solve(packed[0], packed[1].double(), a), lambda: torch.linalg.cond(a[0]),
           lambda: torch.linalg.cond(a[:0]),
           lambda: torch.nn.functional.max_unpool1d(a, packed[1].expand(3, 3).float(), 2)]
    return [attempt(f) if k == 4 else attempt(f)[:2] for k, f in enumerate(odd)]


def script_answers_of_slope_zero_have_a_history(torch):
    x, square = normal(torch, 3, 2).requires_grad_(), normal(torch, 2, 2).requires_grad_()
    found = [torch.linalg.vector_norm(x, 0, dim=0), torch.linalg.matrix_power(square, 0),
             torch.linalg.householder_product(x, square[:0, 0]), torch.linalg.lstsq(x, x).residuals]
    for t in found:
        t.sum().backward()
    return [t.detach() for t in found] + [t.requires_grad for t in found]


def script_logarithms_of_sums_of_complex_exponentials_are_principal_values(torch):
    z = normal(torch, 4, 3, dtype="complex") * 9
    return [torch.logsumexp(z, 0), torch.logsumexp(z[:1], 0), torch.masked.logsumexp(z, 1, mask=z.real > 0),
            slopes(torch, lambda a: torch.logsumexp(a, 1), z)]


def script_least_squares_of_mapped_matrices(torch):
    a, b = normal(torch, 2, 4, 3), normal(torch, 2, 4, 2, seed=1)
    return table([lambda d=d: torch.func.vmap(lambda x, y: tuple(torch.linalg.lstsq(x, y, driver=d))[:2])(a, b)
                  for d in ("gels", "gelsd")], contiguous=True)


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


def script_resampling_of_integers_and_of_nothing(torch):
    F = torch.nn.functional  # noqa: N806
    x = torch.arange(16, dtype=torch.uint8).reshape(1, 1, 4, 4) * 16
    return [F.interpolate(x, (8, 8), mode="bilinear", align_corners=False).dtype, F.interpolate(x, (2, 2)),
            F.interpolate(x, (2, 2), mode="bilinear"),
            attempt(lambda: F.interpolate(x.long(), (8, 8), mode="bilinear"))[:2],
            F.grid_sample(torch.ones(0, 3, 2, 2), torch.ones(0, 2, 3, 2), align_corners=True),
            attempt(lambda: F.interpolate(x[..., :0], (2, 2)))[:2], attempt(lambda: F.interpolate(x, "x"))[:2],
            attempt(lambda: F.adaptive_avg_pool2d(torch.ones(2, 3, 4, 0), 2))[:2]]


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
