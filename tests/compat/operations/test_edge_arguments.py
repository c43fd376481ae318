"""Operands without axes or elements, dtypes that are asked for, and outputs that are operands."""

from harness import attempt, double, table


def script_integrals(torch):
    """A total weighs its ends by one half; integers are summed as int64, neighbors in their own dtype."""
    y = torch.tensor([200, 100, 250], dtype=torch.uint8)
    leaf = double(torch, 1.0, 2.0, 4.0).requires_grad_()
    return table([
        lambda: torch.trapezoid(y), lambda: torch.trapezoid(y, torch.tensor([1, 2, 3], dtype=torch.uint8)),
        lambda: torch.cumulative_trapezoid(y), lambda: torch.trapezoid(leaf, dx=0.5),
        lambda: torch.autograd.grad(torch.trapezoid(leaf, dx=0.5), leaf)[0],
        lambda: torch.trapezoid(torch.zeros(2, 0, dtype=torch.int64)), lambda: torch.trapezoid(torch.tensor(1.0)),
        lambda: torch.cumulative_trapezoid(torch.tensor(1.0)), lambda: torch.trapezoid(torch.tensor([True, False])),
        lambda: torch.cumulative_trapezoid(torch.tensor([True, False])), lambda: torch.diff(torch.ones(2, 2), dim=3),
    ])


def script_no_elements(torch):
    """What no element forbids, or finds."""
    ints = torch.zeros(2, 0, dtype=torch.int8)
    return table([
        lambda: ints // False, lambda: ints % 0, lambda: ints // torch.zeros(2, 1, dtype=torch.int8),
        lambda: torch.median(torch.zeros(0, dtype=torch.int8)), lambda: torch.median(torch.zeros(0, dtype=torch.int32)),
        lambda: torch.zeros(2, 3).scatter_add(1, torch.zeros(0, 3, dtype=torch.int64), torch.ones(2)),
        lambda: torch.zeros(2, 3).scatter(0, torch.zeros(0, 3, dtype=torch.int64), torch.ones(1, 1)),
        lambda: torch.nn.functional.grid_sample(torch.zeros(0, 1, 3, 3), torch.zeros(0, 2, 2, 2), mode="bicubic",
                                                align_corners=True),
    ])


def script_no_axes(torch):
    """Tensors without axes: dtypes of products, and axes that they do not have."""
    number, byte = torch.tensor(1.5), torch.tensor([1], dtype=torch.uint8)
    return table([
        lambda: torch.kron(byte, torch.tensor(3)), lambda: torch.kron(number, torch.tensor(3)),
        lambda: torch.inner(number, torch.tensor([True, False])),
        lambda: torch.inner(torch.tensor([1 + 1j]), torch.tensor(2.0)),
        lambda: torch.lerp(torch.ones(2), torch.zeros(2), torch.tensor(0.5, dtype=torch.float64)),
        lambda: torch.lerp(number, number, torch.tensor(0.5, dtype=torch.float64)),
        lambda: torch.softmax(number, 1), lambda: torch.log_softmax(number, 1), lambda: torch.argsort(number, 1),
        lambda: number.flatten(1), lambda: torch.take_along_dim(number, torch.tensor(0), 0),
        lambda: torch.index_select(number, 0, torch.tensor([0, 0])),
        lambda: torch.all(torch.tensor([1, 0]), dim=()), lambda: torch.any(torch.tensor([[1, 0]]), [], True),
        lambda: torch.fft.fftn(torch.zeros(4), s=(2, 4)), lambda: torch.fft.irfftn(torch.zeros(4), s=(2, 4)),
        lambda: torch.diagonal_scatter(torch.ones(2, 2), torch.ones(2), 0, 1),
    ])


def script_dtypes_and_numbers(torch):
    """Dtypes that means and norms refuse, numbers of the wrong kind, sums of bytes, tables of integers."""
    functional, ones = torch.nn.functional, torch.ones(2)
    ints = torch.tensor([[1, 2], [3, 4]])
    return table([
        lambda: torch.nanmean(ones, dtype=torch.int32), lambda: torch.linalg.vector_norm(ones, dtype=torch.int32),
        lambda: torch.norm(torch.ones(2, dtype=torch.complex64), dtype=torch.float32),
        lambda: torch.linalg.vector_norm(ones, dtype=torch.float64), lambda: torch.add(ones, ones, alpha=True),
        lambda: torch.sub(ints, ints, alpha=True), lambda: torch.addcdiv(ones, ones, ones, value=1j),
        lambda: torch.addcmul(ones, ones, ones, value=1j),
        lambda: [torch.can_cast(torch.int32, torch.uint8), torch.can_cast(torch.float32, torch.int64)],
        lambda: functional.l1_loss(torch.tensor(4, dtype=torch.uint8), torch.tensor([5, 0], dtype=torch.uint8),
                                   reduction="sum"),
        lambda: functional.embedding(torch.tensor([0, 1]), ints, scale_grad_by_freq=True),
        lambda: functional.lp_pool1d(torch.tensor([[[1, 2, 3]]]), 2.0, 2),
        lambda: functional.pad(torch.ones(1, 1, 4), (1, 1), mode="reflect", value=2.0),
        lambda: torch.zeros(3).index_copy(0, torch.tensor([1], dtype=torch.int32), torch.ones(1)),
    ])


def script_infinite_logits(torch):
    """Beside inf a softmax is NaN throughout."""
    x = double(torch, 1.0, float("inf"), 2.0, 3.0, 0.0, float("-inf")).reshape(2, 3)
    return [f(v, d) for f in (torch.softmax, torch.log_softmax) for v in (x, x.float()) for d in (0, 1)]


def script_scattered_numbers(torch):
    """A source without axes is one of one element."""
    index, source = torch.zeros(2, 2, dtype=torch.int64), torch.tensor(1.0)
    return table([
        lambda: torch.zeros(2, 3).scatter_add(1, index, source), lambda: torch.zeros(2, 3).scatter(0, index, source),
        lambda: torch.zeros(3).scatter(0, index[0], source), lambda: torch.zeros(3).scatter_add(0, index[0], source),
        lambda: torch.zeros(3).scatter_add(0, index[0, :1], source),
        lambda: torch.zeros(2, 3).scatter(0, index, torch.tensor(1)), lambda: torch.zeros(2, 3).scatter(0, index, 1.0),
    ])


def script_masked_assignment(torch):
    """One value behind one mask is filled in, cast; so is what True and False name."""
    def written(key, value, dtype=torch.int64):
        x = torch.zeros(3, 4, dtype=dtype)
        x[key] = value
        return x

    mask = torch.tensor([True, False, True])
    return table([
        lambda: written((mask, slice(None, None, 3)), torch.tensor(2, dtype=torch.int32)),
        lambda: written((mask, 1), torch.tensor([[2.7]])), lambda: written(mask, torch.tensor([2], dtype=torch.int32)),
        lambda: written((mask, slice(2)), torch.tensor([2, 3], dtype=torch.int32)),
        lambda: written(True, torch.ones(1, 3, 4, dtype=torch.uint8)), lambda: written(False, torch.zeros(5)),
        lambda: written((True, 0), torch.tensor(2.5)), lambda: written(([0, 1],), torch.tensor(2.5)),
    ])


def script_outputs_that_are_operands(torch):
    """An operand is not resized, and a leaf is not written to, whatever the dtype."""
    x, leaf = torch.ones(2), torch.ones(3, requires_grad=True)
    return [attempt(lambda: torch.mul(torch.ones(3, 2), x, out=x)), x,
            attempt(lambda: torch.sub(torch.tensor([1, 2, 3]), 1, out=leaf)),
            torch.tril(torch.ones(2, 3, 2).permute(2, 0, 1)), torch.median(torch.tensor([[3, 1], [4, 5]]), 1)]


def script_improper_means(torch):
    """A generalized Pareto distribution without a mean or a variance."""
    d = torch.distributions.GeneralizedPareto(torch.tensor(0.0), torch.tensor(1.0), torch.tensor([0.2, 0.7, 2.0]))
    return [d.mean, d.variance]


def script_logarithms_that_are_masked_out(torch):
    """A product with an infinite logarithm has no gradient where nothing arrives."""
    def masked(f, at):
        p = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
        found = f(p, double(torch, *at))
        found[torch.isfinite(found)].sum().backward()
        return p.grad

    beta, gamma = torch.distributions.Beta, torch.distributions.Gamma
    return [masked(lambda p, v: gamma(p, torch.ones_like(p)).log_prob(v), (0.0, 1.0)),
            masked(lambda p, v: beta(p, p.detach()).log_prob(v), (0.0, 1.0)),
            masked(torch.xlogy, (0.0, -1.0)), masked(torch.special.xlog1py, (-1.0, 2.0))]


def script_values_that_are_not_read(torch):
    """A write that no index asks for, and a summand times 0, are in the history: their gradients are zeros."""
    def gradient(f, *shape, dtype=torch.float64):
        p = torch.full(shape, -0.0, dtype=dtype, requires_grad=True)
        out = f(p)
        out.abs().sum().backward()
        return [out.detach(), torch.signbit(out.detach().real), p.grad]

    def assigned(key):
        def f(p):
            x = torch.tensor([-0.0, 1.0], dtype=p.dtype)
            x[key(x)] = p
            return x

        return f

    none, two = torch.zeros(0, dtype=torch.int64), torch.ones(2, 2, dtype=torch.float64)
    x = double(torch, -0.0, 1.0)
    return [gradient(assigned(lambda x: x.abs() > 2)), gradient(assigned(lambda x: none), 0),
            gradient(assigned(lambda x: x.abs() > 2), dtype=torch.complex128),
            gradient(lambda p: x.masked_scatter(x > 2, p), 3), gradient(lambda p: x.scatter(0, none, p), 0),
            gradient(lambda p: (x + 2).index_add(0, none, p), 0),
            gradient(lambda p: torch.addmm(p, two, two, beta=0), 2),
            gradient(lambda p: torch.addmv(p + float("inf"), two, x, beta=0), 2)]


def script_complex_numbers_behind_a_mask(torch):
    """One complex number of another precision is cast."""
    x = torch.zeros(3, dtype=torch.complex128)
    x[torch.tensor([True, False, True])] = torch.tensor([1 + 1j], dtype=torch.complex64)
    return x


def script_power_averages_of_integers(torch):
    """Powers of integers are averaged as integers; a power that is no integer makes floats of them."""
    pool = torch.nn.functional
    x = torch.arange(-3, 13)
    return table([
        lambda: pool.lp_pool1d(x.reshape(1, 1, 16), 2, 2), lambda: pool.lp_pool1d(x.reshape(1, 1, 16), 3, 2),
        lambda: pool.lp_pool1d(x.reshape(1, 1, 16), 2.5, 2), lambda: pool.lp_pool2d(x.reshape(1, 1, 4, 4), 2, 2),
        lambda: pool.lp_pool3d(x.reshape(1, 1, 2, 2, 4), 2, 2), lambda: pool.lp_pool1d(x.reshape(1, 1, 16) > 0, 2, 2),
    ])
