"""Dtypes of results where they are not the operands' alone: integers, sums, statistics, half precision."""

import pickle

import pytest

import covector.compat.torch as compat
from harness import rounds_as, table


def script_ranges_of_integers(torch):
    made = [torch.arange(0, end=3), torch.arange(0.0, -8.000001, -4.0, dtype=torch.int64),
            torch.arange(-0.9, 2.1, 2.0, dtype=torch.int32), torch.arange(0, 3.1, dtype=torch.uint8),
            torch.linspace(4.3, -3, 5, dtype=torch.int64), torch.linspace(200, -10, 7, dtype=torch.uint8),
            torch.logspace(0, 1.2, 2, dtype=torch.int64), torch.scalar_tensor(-5, dtype=torch.uint8),
            torch.full_like(torch.ones(2, dtype=torch.uint8), -9)]
    return made + table([lambda: torch.arange(0, float("inf")), lambda: torch.arange(0, 3, 0.5, dtype=torch.int64)])


def script_sums_in_the_dtype_asked_for(torch):
    x = torch.tensor([100, 100, 200], dtype=torch.uint8)
    return [f(x, 0, dtype=d) for f in (torch.sum, torch.prod, torch.nansum, torch.cumsum, torch.cumprod)
            for d in (torch.uint8, torch.int32, torch.int64)] + [x.sum_to_size(1)]


def script_integers_keep_their_dtype(torch):
    m, v = torch.tensor([[1, 2], [3, 4]], dtype=torch.int32), torch.tensor([5, 6], dtype=torch.int32)
    y = torch.tensor([[1, 2, 250], [3, 4, 5]], dtype=torch.uint8)
    return [torch.addmv(v, m, v, alpha=0.6, beta=2.3), torch.addbmm(m, m[None], m[None], alpha=1.9, beta=0.2),
            torch.baddbmm(m[None], m[None], m[None], alpha=1.9), torch.trapezoid(m, m),
            torch.trapezoid(y, torch.tensor([1, 5, 2], dtype=torch.uint8)), torch.cumulative_trapezoid(m, dx=0.5),
            torch.tensor([1, 2]).__rdiv__(3), torch.bitwise_left_shift(2, v),
            *[i.clone() for i in torch.unravel_index(torch.tensor([3, 5], dtype=torch.uint8), (4, 2**30))],
            torch.addr(m != 1, m[0] > 1, m[1] > 3, beta=3, alpha=2),
            torch.tensor(True).scatter(0, torch.tensor(0), False)]


def script_weights_of_cov(torch):
    x, w = torch.tensor([[1.0, 2, 4], [3, 9, 5]]), torch.tensor([1.0, 2.0, 0.5])
    return [torch.cov(x.to(d), fweights=f, aweights=a) for d in (torch.float32, torch.float64, torch.complex64)
            for f in (None, torch.tensor([1, 2, 3])) for a in (None, w, w.double())] + table(
                [lambda: torch.cov(x, aweights=-w), lambda: torch.cov(x, fweights=torch.tensor([1, -1, 1]))])


def script_one_value_in_a_histogram(torch):
    return [torch.histogram(torch.full((3,), 5.0), 4), torch.histogram(torch.zeros(0), 2),
            torch.histogram(torch.tensor([1.0, 2]), 2, range=(2, 2)),
            torch.histogramdd(torch.tensor([[1.0, 1], [1, 1]]), [2, 2])]


def script_spectra_of_all_frequencies_back(torch):
    z = torch.complex(torch.arange(18.0).reshape(6, 3), torch.ones(6, 3)).to(torch.complex128)
    w, x = torch.ones(6, dtype=torch.float64), torch.arange(16.0, dtype=torch.float64)
    return [torch.istft(z, 6, window=w, onesided=False),
            torch.istft(z, 6, window=w, onesided=False, return_complex=True),
            *table([lambda: torch.stft(x, 6, window=w, return_complex=False)])]  # warns once a process


def script_values_that_are_distinct(torch):
    nan = float("nan")
    return [torch.unique(torch.tensor([nan, 1.0, nan]), return_counts=True)[1],
            *torch.unique(torch.tensor(3.0), return_inverse=True),
            *torch.unique_consecutive(torch.tensor(3.0), return_inverse=True),
            *torch.nonzero(torch.tensor(3.0), as_tuple=True), torch.unique(torch.zeros(0, 3), dim=0)] + table(
                [lambda: torch.unique(torch.zeros(0, 3), dim=1), lambda: torch.unique(torch.tensor(3.0), dim=0)])


def script_sums_of_exponentials_of_complex_numbers(torch):
    z = torch.tensor([1 + 4j, 3 - 7.5j, -2 + 1j], dtype=torch.complex128, requires_grad=True)
    out = [torch.logsumexp(z, 0), torch.logsumexp(z[:1], 0), torch.logaddexp(z, z.flip(0)), torch.logcumsumexp(z, 0)]
    total = sum([torch.view_as_real(o).sum() for o in out])
    return [*out, *torch.autograd.grad(total, z)]


@rounds_as("bfloat16", "it computes in bfloat16")
def script_bfloat16_stays_bfloat16(torch):
    x = torch.tensor([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]], dtype=torch.bfloat16)
    m = x @ x.T
    found = [m, torch.einsum("ij,ij->i", x, x), torch.addmm(m, x, x.T, alpha=0.5), torch.bmm(x[None], x.T[None]),
             x.std(), *torch.var_mean(x, 1), x.norm(), x.norm(3.0), torch.sigmoid(x), torch.rsqrt(x * x + 1),
             torch.sinc(x), x.cov(), torch.lerp(x, x, 0.3), torch.deg2rad(x), x.round(decimals=1), torch.nansum(x),
             torch.nan_to_num(x / 0), torch.triu(m), torch.tril(m), torch.unique(x), torch.nonzero(x),
             torch.dist(x, m[:, :1])]
    x = x.requires_grad_()
    for f in (torch.sigmoid, torch.triu, torch.norm):
        found += torch.autograd.grad(f(x).sum(), x)
    return found


def script_powers_of_halves_do_not_overflow(torch):
    x = torch.full((4,), 30.0, dtype=torch.float16)
    return [torch.dist(x, -x, 4), x.norm(5)]


def script_what_is_written_to_itself(torch):
    one = torch.zeros(1).expand(3)
    lines = [lambda f=f: f(torch.ones(3), out=one) for f in (torch.exp, torch.sigmoid)]
    return table([*lines, lambda: torch.cat([torch.ones(1), torch.ones(2)], out=one)])


def script_empty_views_and_numbers(torch):
    x = torch.arange(6.0)
    return [torch.as_strided(x, (0, 3), (0, 1), 5).shape,
            torch.tensor(1.0).clone(memory_format=torch.contiguous_format),
            torch.angle(torch.tensor([-0.0, 0.0, -1.0])), torch.ones(5).gather(0, torch.zeros(2, 0, dtype=torch.uint8)),
            torch.clamp(torch.tensor([1.0, 1.0]), torch.tensor([0.0, float("nan")]), torch.tensor([0.5, 2.0])),
            torch.constant_pad_nd(x > 2, (1, 1), True), torch.constant_pad_nd(x + 0j, (1, 0), 1j),
            torch.masked_scatter(x[:2], torch.tensor([[True, False], [True, True]]), x)]


def script_products_without_an_inner_axis(torch):
    x, y = (torch.zeros(s, dtype=torch.float64, requires_grad=True) for s in ((2, 3, 0), (0, 4)))
    return torch.autograd.grad((x @ y).sum(), (x, y))


def products(torch):
    """Sources multiplied into two examples, each at its own indices."""
    x, s = torch.arange(1.0, 13).reshape(2, 3, 2).double(), torch.tensor([[2.0, 0.5], [0.0, 3.0]]).double()
    return lambda x, index, s: torch.scatter_reduce(x, 0, index, s, "prod"), (
        x, torch.tensor([[[0], [2]], [[1], [1]]]), torch.stack([s, s + 1]))


def script_products_at_indices_that_differ_between_examples(torch):
    f, examples = products(torch)
    return torch.func.vmap(f)(*examples)


def test_gradients_of_products_at_indices_that_differ_are_those_of_each_example():
    f, examples = products(compat)
    slope = compat.func.grad(lambda x, index, s: (f(x, index, s) * x).sum(), argnums=(0, 2))
    mapped = compat.func.vmap(slope)(*examples)
    for i in range(2):
        for a, b in zip(mapped, slope(*[t[i] for t in examples])):
            assert compat.equal(a[i], b)


def script_dtypes_that_only_name(torch):
    names = ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "complex32"]
    kinds = [getattr(torch, name) for name in names]
    limits = [torch.finfo(kind) for kind in kinds[:3]]
    return [[(str(k), k.itemsize, k.is_floating_point, k.is_complex, k.is_signed, k == torch.float32) for k in kinds],
            [(f.bits, f.eps, f.max, f.min, f.tiny) for f in limits], torch.chalf is torch.complex32,
            pickle.loads(pickle.dumps(kinds[0])) is kinds[0]]


def test_tensors_of_dtypes_that_only_name_are_refused():
    for kind, instead in ((compat.float8_e5m2, "bfloat16"), (compat.complex32, "complex64")):
        for make in (lambda: compat.zeros(2, dtype=kind), lambda: compat.ones(2).to(kind)):
            with pytest.raises(NotImplementedError, match=f"{kind.name} are not implemented in .*; use {instead}"):
                make()
