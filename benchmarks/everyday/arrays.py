"""Sorting and searching, scatters and segments, convolutions, special functions, everyday arithmetic."""

import numpy as np
from everyday.programs import between, normal, positive, program

ROOM = "sorting and searching"
LABELS = np.arange(1000) * 7 % 10


@program(ROOM, normal(1000))
def order_statistics(L, x):
    return L.np.sum(L.np.sort(x) * np.arange(1000.0))


@program(ROOM, normal(1000))
def the_median(L, x):
    return L.np.median(x) * 1.0


@program(ROOM, normal(1000))
def quantiles(L, x):
    return L.np.sum(L.np.quantile(x, np.array([0.1, 0.5, 0.9])))


@program(ROOM, np.sort(normal(1000)), normal(100))
def interpolation(L, xp, x):
    return L.np.sum(L.np.interp(x, xp, np.arange(1000.0)))


@program(ROOM, normal(100), np.sort(normal(1000)))
def places_in_order(L, x, xp):
    return L.np.sum(L.np.searchsorted(xp, x) * 1.0 * x)


@program(ROOM, normal(1000))
def counts_in_bins(L, x):
    return L.np.sum(L.np.histogram(x, bins=20, range=(-3.0, 3.0))[0] * 1.0) * x[0]


@program(ROOM, normal(64, 100))
def largest_ten(L, x):
    return L.np.sum(L.lax.top_k(x, 10)[0] ** 2)


@program(ROOM, normal(1000))
def running_maximum(L, x):
    return L.np.sum(L.lax.cummax(x) * x)


@program(ROOM, normal(100, 20))
def places_of_the_largest(L, x):
    return L.np.sum(L.np.take_along_axis(x, L.np.argmax(x, 1)[:, None], 1) ** 2)


@program(ROOM, normal(200))
def pairs_in_order(L, x):
    order = L.np.argsort(x)
    return L.np.sum(L.np.diff(x[order]) * np.arange(199.0))


@program(ROOM, normal(60, 3), normal(40, 3))
def nearest_neighbours(L, x, y):
    return L.np.sum(L.np.min(L.np.sum((x[:, None] - y[None]) ** 2, -1), 1))


ROOM = "scatters and segments"


@program(ROOM, normal(1000, 8))
def sums_of_segments(L, x):
    return L.np.sum(L.ops.segment_sum(x, LABELS, num_segments=10) ** 2)


@program(ROOM, normal(1000))
def largest_of_segments(L, x):
    return L.np.sum(L.ops.segment_max(x, LABELS, num_segments=10) ** 2)


@program(ROOM, normal(1000))
def weighted_counts(L, x):
    return L.np.sum(L.add(L.np.zeros(10), LABELS, x) ** 2)


@program(ROOM, normal(50, 16))
def embeddings(L, w):
    return L.np.sum(L.np.tanh(w[LABELS]) ** 2)


@program(ROOM, normal(200))
def additions_at_places(L, x):
    return L.np.sum(L.add(0.0 * x, np.arange(200) * 3 % 200, x * 2.0) ** 3)


@program(ROOM, normal(100, 4))
def messages_on_a_graph(L, h):
    left, right = np.arange(400) % 100, np.arange(400) * 7 % 100
    for _ in range(3):
        h = L.np.tanh(h + 0.3 * L.ops.segment_sum(h[left] - h[right], right, num_segments=100))
    return L.np.sum(h)


@program(ROOM, normal(30, 30))
def upper_triangle(L, x):
    return L.np.sum(x[np.triu_indices(30)] ** 2 * np.arange(465.0))


@program(ROOM, normal(20))
def writes_in_a_scan(L, x):
    def step(a, i):
        return L.set(a, i, L.np.sin(a[i - 1]) + x[i]), None

    return L.np.sum(L.lax.scan(step, x, np.arange(1, 20))[0])


@program(ROOM, normal(100))
def gathers_in_a_scan(L, x):
    return L.lax.scan(lambda c, i: (c * 0.9 + x[i] * x[(i * 7) % 100], None), 0.0, np.arange(100))[0]


@program(ROOM, normal(64, 10))
def one_hot_of_labels(L, x):
    return L.np.mean(L.np.sum(L.nn.log_softmax(x) * L.nn.one_hot(np.arange(64) % 10, 10), -1))


ROOM = "convolutions"


@program(ROOM, normal(32, 64), normal(9))
def rows_with_one_kernel(L, x, k):
    return L.np.sum(L.f.vmap(lambda r: L.np.convolve(r, k))(x) ** 2)


@program(ROOM, normal(500), normal(21))
def moving_average(L, x, k):
    return L.np.sum(L.np.convolve(x, k, mode="same") ** 2)


@program(ROOM, normal(2, 1, 16, 16), normal(1, 1, 3, 3))
def one_channel_in_a_scan(L, x, w):
    def step(c, _):
        return L.np.tanh(L.lax.conv_general_dilated(c, w, (1, 1), ((1, 1), (1, 1)))), None

    return L.np.sum(L.lax.scan(step, x, None, length=10)[0])


@program(ROOM, normal(8, 3, 5, 5), normal(4, 3, 28, 28))
def features_of_images(L, w, x):
    y = L.np.maximum(L.lax.conv_general_dilated(x, w, (2, 2), ((2, 2), (2, 2))), 0.0)
    return L.np.mean(y ** 2)


@program(ROOM, normal(16, 8, 5), normal(4, 8, 100))
def signals_with_channels(L, w, x):
    return L.np.sum(L.np.tanh(L.lax.conv_general_dilated(x, w, (1,), ((2, 2),))))


@program(ROOM, normal(64, 64))
def blur_by_slices(L, x):
    for _ in range(3):
        x = (x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 5.0
    return L.np.sum(x ** 2)


ROOM = "special functions"


@program(ROOM, normal(1000))
def i0e(L, x):
    return L.np.sum(L.special.i0e(x))


@program(ROOM, normal(1000))
def i1(L, x):
    return L.np.sum(L.special.i1(x))


@program(ROOM, normal(1000))
def expit(L, x):
    return L.np.sum(L.special.expit(x))


@program(ROOM, between(1000))
def logit(L, x):
    return L.np.sum(L.special.logit(x))


@program(ROOM, between(1000))
def ndtri(L, x):
    return L.np.sum(L.special.ndtri(x))


@program(ROOM, normal(1000))
def log_ndtr(L, x):
    return L.np.sum(L.special.log_ndtr(x))


@program(ROOM, positive(1000))
def gammaln(L, x):
    return L.np.sum(L.special.gammaln(x))


@program(ROOM, positive(1000))
def digamma(L, x):
    return L.np.sum(L.special.digamma(x))


@program(ROOM, positive(1000))
def polygamma(L, x):
    return L.np.sum(L.special.polygamma(1, x))


@program(ROOM, positive(1000) + 1.0)
def zeta(L, x):
    return L.np.sum(L.special.zeta(2.5, x))


@program(ROOM, normal(1000))
def erf(L, x):
    return L.np.sum(L.special.erf(x) * L.special.erfc(x))


@program(ROOM, between(1000))
def erfinv(L, x):
    return L.np.sum(L.special.erfinv(x))


@program(ROOM, normal(100))
def erf_and_i0e_in_a_scan(L, x):
    return L.lax.scan(lambda c, v: (L.special.erf(c) * 0.9 + L.special.i0e(v), None), 0.1, x)[0]


@program(ROOM, between(1000))
def xlogy_and_entropy(L, x):
    return L.np.sum(L.special.xlogy(x, x) + L.special.entr(1.0 - x))


@program(ROOM, positive(200), positive(200))
def betaln(L, a, b):
    return L.np.sum(L.special.betaln(a, b))


@program(ROOM, positive(200))
def gammainc(L, x):
    return L.np.sum(L.special.gammainc(2.5, x))


ROOM = "arithmetic"


@program(ROOM, normal(1000))
def floor_mod_rint(L, x):
    return L.np.sum(L.np.floor(x * 3) + L.np.mod(x, 0.7) + L.np.rint(x))


@program(ROOM, np.arange(200) * 7 % 11, slope=False)
def products_of_integers(L, x):
    return L.np.sum(L.np.outer(x, x) @ L.np.outer(x, x) % 17)


@program(ROOM, normal(200, 50))
def standard_scores(L, x):
    return L.np.sum(((x - L.np.mean(x, 0)) / L.np.std(x, 0)) ** 3)


@program(ROOM, normal(100, 20))
def correlations(L, x):
    return L.np.sum(L.np.corrcoef(x, rowvar=False) ** 2)


@program(ROOM, normal(128, 10))
def cross_entropy(L, x):
    return -L.np.mean(L.nn.log_softmax(x, axis=-1)[np.arange(128), np.arange(128) % 10])


@program(ROOM, normal(64, 32), normal(64, 32, seed=1), normal(64, 32, seed=2))
def causal_attention(L, q, k, v):
    s = L.np.where(np.tri(64) > 0, q @ k.T / 5.6, -1e9)
    return L.np.sum((L.nn.softmax(s, axis=-1) @ v) ** 2)


@program(ROOM, normal(32, 64), normal(64))
def layer_normalisation(L, x, g):
    y = x - L.np.mean(x, -1, keepdims=True)
    return L.np.sum((y / L.np.sqrt(L.np.mean(y * y, -1, keepdims=True) + 1e-5) * g) ** 3)


@program(ROOM, normal(20, 20), normal(20, 20, seed=1))
def einsum_of_three(L, a, b):
    return L.np.einsum("ij,jk,ki->", a, b, L.np.tanh(a))


@program(ROOM, positive(50, 8))
def products_over_an_axis(L, x):
    return L.np.sum(L.np.prod(x, axis=1))


@program(ROOM, normal(300))
def polynomials(L, x):
    return L.np.sum(L.np.polyval(np.arange(1.0, 9.0), L.np.tanh(x)))


@program(ROOM, normal(100, 3), normal(100, 3, seed=1))
def angles_between(L, a, b):
    c = L.np.cross(a, b)
    return L.np.sum(L.np.arctan2(L.np.linalg.norm(c, axis=-1), L.np.sum(a * b, -1)))
