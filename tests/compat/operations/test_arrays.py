"""Signs, combinations, parts, statistics: values, dtypes and all derivatives as in PyTorch."""

import numpy as np

from harness import table

rng = np.random.default_rng(1)
A = rng.uniform(0.2, 0.9, (3, 4))
B = rng.uniform(-0.8, 0.8, (3, 4))
V = rng.normal(size=5)
W = rng.normal(size=4)
C3 = rng.normal(size=(2, 3, 4))
Z = B + 1j * A
NAN = np.where(rng.uniform(size=(3, 4)) > 0.6, np.nan, A)
I = np.array([[12, -6, 0], [9, 4, 7]])
J = np.array([[8, 4, 5], [6, 0, -2]])
PLAIN = {"orders": 0, "forward": False, "vmap": False}


def q(name, *args, **named):
    """A call of `torch.name(x, …)`."""
    return lambda m, *x: getattr(m, name)(*x, *args, **named)


CALLS = [
    ("positive", q("positive"), B),
    ("deg2rad", q("deg2rad"), B),
    ("rad2deg", q("rad2deg"), B),
    ("frac", q("frac"), B * 3),
    ("sgn", q("sgn"), B),
    ("sgn complex", q("sgn"), Z),
    ("signbit", q("signbit"), B),
    ("copysign", q("copysign"), A, B),
    ("copysign number", q("copysign", -1.0), A),
    ("copysign rows", q("copysign"), A, W),
    ("heaviside", q("heaviside"), B, A, {"orders": 0, "forward": False}),
    ("logaddexp2", q("logaddexp2"), A, B),
    ("ldexp", lambda m, x, i: m.ldexp(x, i), B[:2, :3], np.abs(J)),
    ("gcd", q("gcd"), I, J),
    ("lcm", q("lcm"), I, J),
    ("nextafter", lambda m, x, y: m.nextafter(x.detach(), y.detach()), A, B, PLAIN),
    ("frexp", lambda m, x: m.frexp(x)[0], B * 9),
    ("frexp exponent", lambda m, x: m.frexp(x.detach())[1], B * 9, PLAIN),
    ("isposinf", q("isposinf"), np.array([np.inf, -np.inf, 1.0])),
    ("isneginf", q("isneginf"), np.array([-np.inf, 1.0])),
    ("isreal", q("isreal"), np.array([1j, 1.0])),
    ("left shift", lambda m, i: i << 2, I),
    ("right shift", lambda m, i: i >> 1, I),
    ("float_power", q("float_power", 2.5), A),
    ("float_power tensors", q("float_power"), A, B),
    ("arctan2", q("arctan2"), A, B),
    ("cartesian_prod", lambda m, x, y: m.cartesian_prod(x, y), V, W),
    ("combinations", q("combinations", 2), V),
    ("combinations 3", q("combinations", 3, True), W),
    ("block_diag", lambda m, x, y, z: m.block_diag(x, y, z), A, W, C3[0]),
    ("diagflat", q("diagflat", 1), A),
    ("tensor_split", q("tensor_split", 3, 1), A),
    ("tensor_split at", q("tensor_split", (1, 3)), V),
    ("hsplit", q("hsplit", 2), A),
    ("vsplit", q("vsplit", [1]), A),
    ("dsplit", q("dsplit", 2), C3),
    ("split_with_sizes", q("split_with_sizes", [1, 3], 1), A),
    ("select_scatter", lambda m, x, y: m.select_scatter(x, y, 1, -1), A, V[:3]),
    ("slice_scatter", lambda m, x, y: m.slice_scatter(x, y, 1, 0, None, 2), A, B[:, :2].copy()),
    ("diagonal_scatter", lambda m, x, y: m.diagonal_scatter(x, y, 1), A, V[:3]),
    ("diagonal_scatter 3", lambda m, x, y: m.diagonal_scatter(x, y, 0, 0, 2), C3, A[:, :2].copy()),
    ("sum_to_size", lambda m, x: x.sum_to_size(3, 1), A),
    ("adjoint", lambda m, z: m.adjoint(z) * 1, Z),
    ("mH", lambda m, z: z.mH @ z, Z),
    ("select_copy", q("select_copy", 0, 1), A),
    ("t_copy", q("t_copy"), A),
    (
        "as_strided_scatter",
        lambda m, x, y: m.as_strided_scatter(x, y, (2, 2), (1, 2)),
        A,
        B[:2, :2].copy(),
        {"vmap": False, "orders": 0},
    ),
    ("cummax", q("cummax", 1), B),
    ("cummin", q("cummin", 0), B),
    ("cummax nan", q("cummax", 1), NAN),
    ("logcumsumexp", q("logcumsumexp", 1), B * 4),
    ("logcumsumexp 0", q("logcumsumexp", 0), V * 30, {"forward": False}),
    ("trapezoid", q("trapezoid"), A),
    ("trapezoid dx", q("trapezoid", dx=0.3, dim=0), A),
    ("trapezoid x", lambda m, y, x: m.trapezoid(y, x), A, W),
    ("trapezoid xx", lambda m, y, x: m.trapezoid(y, x, dim=0), A, B),
    ("cumulative_trapezoid", lambda m, y, x: m.cumulative_trapezoid(y, x), A, W),
    ("quantile", q("quantile", 0.3), A),
    ("quantile dim", q("quantile", 0.7, 1, True), A),
    ("quantile many", lambda m, x, k: m.quantile(x, k, 1), A, np.array([0.1, 0.5, 0.95]), {"vmap": False}),
    *[(f"quantile {i}", q("quantile", 0.4, 0, interpolation=i), A) for i in ("lower", "higher", "midpoint", "nearest")],
    ("quantile nan", q("quantile", 0.3, 1), NAN, PLAIN),
    ("nanquantile", q("nanquantile", 0.3, 1), NAN, PLAIN),
    ("nanquantile all", q("nanquantile", 0.3), NAN, {"vmap": False}),
    ("median nan", q("median", 1), NAN, PLAIN),
    ("median", q("median", 1), A),
    ("median all", q("median"), A),
    ("nanmedian", q("nanmedian", 1), NAN),
    ("nanmedian all", q("nanmedian"), NAN),
    ("mode", q("mode", 1), np.round(A * 3)),
    ("mode int", q("mode"), I),
    ("histc", lambda m, x: m.histc(x.detach(), 4, 0, 1), A, PLAIN),
    (
        "histogram",
        lambda m, x, w: m.histogram(x.detach(), 4, range=(0.0, 1.0), weight=w.detach(), density=True),
        A,
        A,
        PLAIN,
    ),
    ("histogramdd", lambda m, x: (lambda h: (h[0], *h[1]))(m.histogramdd(x.detach(), [2, 3, 2, 2])), A, PLAIN),
    ("cov", q("cov"), A),
    ("cov vector", q("cov", correction=0), V),
    ("cov complex", q("cov"), Z),
    (
        "cov weights",
        lambda m, x, f, a: m.cov(x, fweights=f, aweights=a.detach().abs()),
        A,
        np.array([1, 2, 3, 1]),
        W,
        {"vmap": False},
    ),
    ("corrcoef", q("corrcoef"), A),
    ("gradient", q("gradient"), A),
    ("gradient dim", q("gradient", spacing=2.0, dim=1, edge_order=2), A),
    ("gradient places", lambda m, x, t: m.gradient(x, spacing=(t,), dim=1), A, np.array([0.0, 1.0, 3.0, 4.5])),
    (
        "gradient places 2",
        lambda m, x, t: m.gradient(x, spacing=(t,), dim=1, edge_order=2),
        A,
        np.array([0.0, 1.0, 3.0, 4.5]),
    ),
    ("renorm", q("renorm", 2, 0, 0.8), A),
    ("renorm 1", q("renorm", 1, 1, 1.5), A),
    ("vander", q("vander", 4), V, {"orders": 0}),
    ("linalg.vander", lambda m, x: m.linalg.vander(x), A, {"orders": 0}),
    (
        "unique_consecutive",
        lambda m, i: m.unique_consecutive(i, return_inverse=True, return_counts=True),
        np.array([1, 1, 3, 3, 1]),
        PLAIN,
    ),
    ("unravel_index", lambda m, i: m.unravel_index(i, (3, 4)), np.array([[3, 5], [11, 0]])),
]


def script_elementwise_dtypes_and_refusals(T):
    t = T.tensor
    return table(
        [
            lambda: T.positive(t([True])),
            lambda: T.deg2rad(t([180])),
            lambda: T.deg2rad(t([1j])),
            lambda: T.frac(t([1])),
            lambda: T.sgn(t([-2, 3])),
            lambda: T.signbit(t([-1, 0])),
            lambda: T.signbit(t([-0.0, 0.0])),
            lambda: T.signbit(t([1j])),
            lambda: T.isposinf(t([1, 2])),
            lambda: T.isposinf(t([1j])),
            lambda: T.copysign(t([1, 2]), -1),
            lambda: T.heaviside(t([1.0]), t([1])),
            lambda: T.gcd(t([2.0]), t([1.0])),
            lambda: T.heaviside(t([float("nan")]), t([1.0])),
            lambda: T.ldexp(t([1, 2]), t([3, 4])),
            lambda: T.frexp(t([8])),
            lambda: t([1.0]) << 2,
            lambda: t([1]) << 64,
            lambda: 1 << t([3]),
            lambda: T.ones(2).float_power_(2),
            lambda: T.ones(2).double().float_power_(2),
            lambda: t([1.5]).fix_(),
            lambda: T.float_power(t([2j]), 2),
            lambda: T.float_power(t([2]), 3),
            lambda: T.float_power(2, t([3.0])),
            lambda: t([12]).gcd_(t([8])),
            lambda: t([1, 2]).bitwise_left_shift_(1),
            lambda: t([1.0]).copysign_(-1.0),
            lambda: T.gcd(t([4, 6]), t([6, 9]), out=T.empty(2, dtype=T.int64)),
            lambda: T.greater(T.ones(2), 0),
            lambda: T.func.vmap(T.gcd)(t([4, 6]), t([6, 9])),
            lambda: T.meshgrid(T.ones(2), t([1]), indexing="ij"),
        ]
    )


def script_parts_and_refusals(T):
    t = T.tensor
    return table(
        [
            lambda: T.combinations(t([1, 2, 3]), 0).shape,
            lambda: T.combinations(T.ones(2), -1),
            lambda: T.block_diag(),
            lambda: T.block_diag(T.ones(1, 1, 1)),
            lambda: T.tril_indices(3, 4, 1),
            lambda: T.triu_indices(3, 4, -1),
            lambda: T.tril_indices(-1, 2),
            lambda: T.unravel_index(t([3.0]), (2, 3)),
            lambda: T.tensor_split(t(1), 2),
            lambda: T.tensor_split(T.arange(7), [5, 2, -1, 9]),
            lambda: T.tensor_split(T.arange(4), t([1, 2])),
            lambda: T.tensor_split(T.ones(2), 0),
            lambda: T.hsplit(T.arange(6).view(2, 3), 2),
            lambda: T.vsplit(T.ones(2), 1),
            lambda: T.hsplit(t(1), 1),
            lambda: T.select_scatter(T.zeros(2, 3), T.ones(3), 1, 0),
            lambda: T.slice_scatter(T.zeros(4), T.ones(3), start=2),
            lambda: T.ones(3, 4).sum_to_size(2),
            lambda: T.ones(2).adjoint(),
            lambda: T.cartesian_prod(t([1]), t([1.0])),
            lambda: T.cartesian_prod(t([1, 2])),
            lambda: T.unique_consecutive(t([[1, 1], [1, 1], [2, 3]]), dim=0, return_counts=True),
            lambda: T.hsplit(T.ones(3, requires_grad=True), [1])[0].grad_fn.name(),
            lambda: T.tensor_split(T.ones(3), 2)[1]._is_view(),
        ]
    )


def script_statistics_and_refusals(T):
    t, nan = T.tensor, float("nan")
    return table(
        [
            lambda: T.cummax(t([1.0, nan, 3.0, nan]), 0),
            lambda: T.cummax(t(1.0), 0),
            lambda: T.cummin(t([True, False]), 0),
            lambda: T.logcumsumexp(t([1]), 0),
            lambda: T.trapezoid(t([1, 5, 10])),
            lambda: T.quantile(t([1, 2]), 0.5),
            lambda: T.quantile(t([1.0, 2.0]), 1.5),
            lambda: T.quantile(t([1.0]), t([0.5]).double()),
            lambda: T.quantile(T.ones(0), 0.5),
            lambda: T.quantile(t([1.0]), 0.5, interpolation="x"),
            lambda: T.quantile(t(2.0), 0.5, 0),
            lambda: T.mode(t(3.0)),
            lambda: T.mode(t([2, 2, 1, 1, 0, 1, 2])),
            lambda: T.mode(T.ones(0)),
            lambda: T.median(T.ones(0)),
            lambda: T.median(T.ones(0, 2), 0),
            lambda: T.median(t([3, 1, 2])),
            lambda: T.median(t([True])),
            lambda: T.histc(t([1.0, 1.0]), 3),
            lambda: T.histc(t([1, 2]), 2),
            lambda: T.histc(T.ones(2), 2, 3, 1),
            lambda: T.histc(T.ones(0), 2),
            lambda: T.cov(T.ones(1, 1, 1)),
            lambda: T.cov(t([[1.0, 2.0]]), correction=5),
            lambda: T.cov(t([[1, 2, 4], [3, 3, 1]])),
            lambda: T.cov(t([[1.0, 2.0]]), fweights=T.ones(2)),
            lambda: T.gradient(T.ones(1)),
            lambda: T.gradient(T.ones(3), edge_order=3),
            lambda: T.gradient(T.ones(3, 3), spacing=[1.0]),
            lambda: T.renorm(T.ones(2), 1, 0, 3),
            lambda: T.ones(2, 2).renorm_(2, 0, 1),
            lambda: T.vander(t([1, 2, 3]), 2),
            lambda: T.vander(T.ones(2, 2)),
            lambda: T.linalg.vander(t([1.0]), N=1),
            lambda: T.vander(t([True, False])),
            lambda: T.vander(t([1.0, 2.0]), N=0).shape,
        ]
    )


def script_answers_have_memory_of_their_own(T):
    whole, i = T.arange(4.0).view(2, 2), T.tensor([1, 2])
    for name in ("flip", "fliplr", "flipud", "rot90", "roll"):
        getattr(T, name)(whole, *{"flip": ((0,),), "roll": (0, 0)}.get(name, ())).add_(100)
    for name in ("round", "floor", "ceil", "trunc", "nan_to_num"):
        getattr(T, name)(i).add_(100)
    T.rot90(whole, 2).add_(100)
    T.linalg.matrix_power(whole, 1).add_(100)
    return whole, i, whole.flip(0).stride(), T.conj(whole) is whole


def script_tensors_without_axes(T):
    x, zero = T.tensor(1.5), T.tensor(0)
    return table(
        [
            lambda: x.kthvalue(1),
            lambda: x.topk(1),
            lambda: x.msort(),
            lambda: x.flip(0),
            lambda: x.diff(),
            lambda: x.index_fill(0, zero, 5.0),
            lambda: x.index_add(0, zero, x),
            lambda: x.index_copy(0, zero, x),
            lambda: x.tril(),
            lambda: x.rot90(),
            lambda: x.fliplr(),
            lambda: x.unfold(0, 1, 1),
            lambda: x.chunk(1),
            lambda: x.movedim(0, 0),
            lambda: x.cummax(0),
            lambda: x.mode(),
            lambda: x.bincount(),
            lambda: x.nanmedian(0),
        ]
    )


def script_index_tensors_are_checked(T):
    z, i = T.zeros(3), T.tensor([0, 1])
    return table(
        [
            lambda: T.ones(3).kthvalue(4),
            lambda: z.index_add(0, T.tensor([0, 5]), T.ones(2)),
            lambda: z.index_add(0, i, T.ones(3)),
            lambda: z.index_add(0, i, T.ones(2).double()),
            lambda: z.index_copy(0, i, T.ones(3)),
            lambda: z.index_fill(0, i, T.ones(1)),
            lambda: T.ones(2, 2).flip(0, 0),
            lambda: z.long().index_fill(0, i, 2.5),
            lambda: T.tensor([[1, 2j]]).H.tolist(),
            lambda: T.ones(3).H,
            lambda: T.searchsorted(T.tensor([[1, 3, 5], [2, 4, 6]]), T.tensor([[3, 6], [3, 6]])),
            lambda: T.searchsorted(T.tensor([5, 1, 3]), T.tensor([2]), sorter=T.tensor([1, 2, 0])),
            lambda: T.searchsorted(T.ones(2, 3), T.ones(3, 3)),
            lambda: T.isin(1, T.tensor([1, 2])),
            lambda: T.func.vmap(lambda x: T.searchsorted(T.tensor([1.0, 3.0]), x))(T.tensor([[1.0, 2.0], [4.0, 6.0]])),
            lambda: T.bincount(T.tensor([1, 1]), T.tensor([0.5, 0.25])),
            lambda: T.bincount(T.tensor([-1])),
        ]
    )


def script_whole_axes_behind_an_ellipsis(T):
    x = T.arange(24.0).view(2, 3, 4)
    y = T.zeros(2, 3, 4)
    y[..., 0, :] = 1
    y[..., 1:2, :] += x[..., 2:, :]
    return x[..., :1, :], x[..., 0, :], x[..., 1:, 2, :], x[:, ..., :], x[0, ..., :], x[..., None, :].shape, y


def script_integers_are_not_divided_by_zero(T):
    i, one = T.tensor([3]), T.tensor([1])
    return table(
        [
            lambda: i // 0,
            lambda: T.remainder(i, 0),
            lambda: T.fmod(i, T.tensor([0])),
            lambda: T.div(i, 0, rounding_mode="trunc"),
            lambda: i.floor_divide_(0),
            lambda: i % T.tensor([2, 0]),
            lambda: T.tensor([3.0]) // 0,
            lambda: T.remainder(T.tensor([3.0]), 0.0),
            lambda: T.addcdiv(one, one, i),
            lambda: T.lerp(T.ones(2), T.zeros(2).double(), 0.5),
            lambda: T.dot(T.ones(2).int(), T.ones(2).int()),
            lambda: T.allclose(T.ones(2), T.ones(2).double()),
            lambda: T.allclose(T.ones(2), T.ones(3)),
            lambda: T.cat([]),
            lambda: T.ones(2).equal(3),
        ]
    )


def script_dtypes_that_are_refused(T):
    b, z, i = T.tensor([[True, False], [True, True]]), T.tensor([[1 + 2j, 0.5], [0.1j, 2]]), T.tensor([[3, 1], [0, 2]])
    names = (
        "abs amax amin aminmax mode max min argmax argmin sort argsort msort ceil floor trunc round sign sgn nansum "
    )
    names += "nanmean neg relu erf logdet square conj_physical"
    return [table([lambda n=n, x=x: getattr(x, n)() for n in names.split()]) for x in (b, z, i)]
