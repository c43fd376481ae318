"""The table of docs/scipy_support.md: each function of covector.scipy in each way that it says, against SciPy.

`python tests/api/test_scipy_support.py` writes the table.
"""

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

import covector as cv
from covector import scipy as ours

scipy = pytest.importorskip("scipy", reason="needs the extra `scipy`: pip install -e '.[scipy]'")
for _room in ("fft", "interpolate", "linalg", "ndimage", "signal", "special", "stats", "sparse.linalg"):
    importlib.import_module(f"scipy.{_room}")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scipy_support.md"
WAYS = ("jvp", "vjp", "second", "vmap", "jit")
RNG = np.random.default_rng(11)


def draw(*shape, low=None, high=None):
    return RNG.normal(size=shape) if low is None else RNG.uniform(low, high, shape)


A = 0.3 * draw(3, 3) + np.diag([2.0, 3.0, 4.0])
LINES = np.array([[0.0, 0.5, 0.3, 0.2], [3.0, 2.5, 3.5, 4.0], [0.4, 0.6, 0.1, 0.0]])
X = np.cumsum(draw(6, low=0.4, high=1.0))
AT = draw(4, low=X[0] + 0.1, high=X[-1] - 0.1)
GRID = tuple(np.cumsum(draw(n, low=0.4, high=1.0)) for n in (5, 6))
INSIDE = np.stack([draw(3, low=p[0] + 0.1, high=p[-1] - 0.1) for p in GRID], -1)
SOS = scipy.signal.butter(4, 0.3, output="sos")
HALF = draw(3, low=0.2, high=0.8)


def symmetric(a):
    return (a + a.swapaxes(-1, -2)) / 2


ROWS = {}  # name -> (function of a namespace like `scipy`, operands)


def row(name, operands, fun=None):
    if fun is None:
        room, short = name.split(".")[:2]
        fun = lambda lib, *xs: getattr(getattr(lib, room), short)(*xs)  # noqa: E731
    ROWS[name] = (fun, operands)


row("linalg.solve", (A, draw(3)))
row("linalg.solve, positive definite", (A, draw(3)), lambda lib, a, b: lib.linalg.solve(
    a @ a.swapaxes(-1, -2), b, assume_a="pos"))
row("linalg.inv", (A,))
row("linalg.det", (A,))
row("linalg.norm", (A,))
row("linalg.eigh", (A,), lambda lib, a: abs(lib.linalg.eigh(symmetric(a))[1]))
row("linalg.eigh of two matrices", (A, draw(3, 3)), lambda lib, a, b: abs(
    lib.linalg.eigh(symmetric(a), b @ b.swapaxes(-1, -2) + np.eye(3))[1]))
row("linalg.eigvalsh", (A,), lambda lib, a: lib.linalg.eigvalsh(symmetric(a)))
row("linalg.svd", (A,), lambda lib, a: abs(lib.linalg.svd(a)[0]))
row("linalg.svdvals", (A,))
row("linalg.qr", (A,), lambda lib, a: lib.linalg.qr(a)[1] ** 2)  # signs are free; |x| has a kink where R is 0
row("linalg.lu", (A,), lambda lib, a: lib.linalg.lu(a)[1])
row("linalg.pinv", (A[:, :2],))
row("linalg.lstsq", (A[:, :2], draw(3)), lambda lib, a, b: lib.linalg.lstsq(a, b)[0])
row("linalg.lu_factor", (A,), lambda lib, a: lib.linalg.lu_factor(a)[0])
row("linalg.lu_solve", (A, draw(3)), lambda lib, a, b: lib.linalg.lu_solve(lib.linalg.lu_factor(a), b))
for _side in ("right", "left"):
    row(f"linalg.polar, {_side}", (A,), lambda lib, a, side=_side: np.stack(lib.linalg.polar(a, side)))
row("linalg.polar of a tall matrix", (A[:, :2],), lambda lib, a: lib.linalg.polar(a)[0])
row("linalg.ldl", (A - np.diag([4.0, 2.0, 0.0]),), lambda lib, a: np.stack(lib.linalg.ldl(symmetric(a))[:2]))
row("linalg.schur", (A,), lambda lib, a: lib.linalg.schur(a)[0] ** 2)
row("linalg.sqrtm", (A,))
row("linalg.logm", (A,))
row("linalg.expm_frechet", (A, draw(3, 3)), lambda lib, a, e: lib.linalg.expm_frechet(a, e)[1])
row("linalg.solve_banded", (LINES, draw(4)), lambda lib, ab, b: lib.linalg.solve_banded((1, 1), ab, b))
row("linalg.solveh_banded", (LINES[:2], draw(4)))
row("linalg.cholesky_banded", (LINES[1:],), lambda lib, ab: lib.linalg.cholesky_banded(ab, lower=True)[..., :3])
row("linalg.solve_sylvester", (A, A[:2, :2], draw(3, 2)))
row("linalg.solve_continuous_lyapunov", (A, draw(3, 3)))
row("linalg.solve_discrete_lyapunov", (0.2 * A, draw(3, 3)))
for _name in ("solve_continuous_are", "solve_discrete_are"):
    row(f"linalg.{_name}", (A, draw(3, 2), A @ A.T, np.eye(2) + 0.1),
        lambda lib, a, b, q, r, name=_name: getattr(lib.linalg, name)(a, b, symmetric(q), symmetric(r)))
for _bc in ("not-a-knot", "natural", "clamped"):
    row(f"interpolate.CubicSpline, {_bc}", (X, draw(6), AT),
        lambda lib, x, y, t, bc=_bc: lib.interpolate.CubicSpline(x, y, bc_type=bc)(t))
row("interpolate.CubicSpline, periodic", (X, draw(5), AT), lambda lib, x, y, t: lib.interpolate.CubicSpline(
    x, np.concatenate([y, y[:1]]), bc_type="periodic")(t))
row("interpolate.PchipInterpolator", (X, np.cumsum(draw(6) ** 2), AT),
    lambda lib, x, y, t: lib.interpolate.PchipInterpolator(x, y)(t))
for _name in ("akima", "makima"):
    row(f"interpolate.Akima1DInterpolator, {_name}", (X, draw(6), AT), lambda lib, x, y, t, name=_name:
        lib.interpolate.Akima1DInterpolator(x, y, method=name)(t))
for _k in (2, 3):
    row(f"interpolate.make_interp_spline, k={_k}", (X, draw(6), AT),
        lambda lib, x, y, t, k=_k: lib.interpolate.make_interp_spline(x, y, k)(t))
row("interpolate.PPoly", (draw(3, 5), X, AT), lambda lib, c, x, t: lib.interpolate.PPoly(c, x)(t))
row("interpolate.BSpline", (X, draw(3), 0.5 * (X[2:3] + X[3:4])),
    lambda lib, t, c, x: lib.interpolate.BSpline(t, c, 2)(x))
for _kind in ("linear", "cubic"):
    row(f"interpolate.interp1d, {_kind}", (X, draw(6), AT),
        lambda lib, x, y, t, kind=_kind: lib.interpolate.interp1d(x, y, kind)(t))
row("interpolate.RegularGridInterpolator, linear", (*GRID, draw(5, 6), INSIDE),
    lambda lib, p, q, v, t: lib.interpolate.RegularGridInterpolator((p, q), v)(t))
row("interpolate.RegularGridInterpolator, cubic", (*GRID, draw(5, 6), INSIDE),
    lambda lib, p, q, v, t: lib.interpolate.RegularGridInterpolator((p, q), v, "cubic", **(
        {} if lib is ours else {"solver": scipy.sparse.linalg.spsolve}))(t))
row("signal.convolve2d", (draw(4, 5), draw(2, 3)))
row("signal.correlate2d, wrapped", (draw(4, 5), draw(2, 3)),
    lambda lib, x, y: lib.signal.correlate2d(x, y, "same", "wrap"))
row("signal.convolve", (draw(5), draw(3)))
row("signal.correlate", (draw(4, 5), draw(2, 3)))
row("signal.fftconvolve", (draw(4, 5), draw(2, 3)))
row("signal.lfilter", (draw(3), np.array([1.2, 0.3, -0.2]), draw(2, 6)))
row("signal.lfilter, zi", (draw(3), np.array([1.2, 0.3, -0.2]), draw(6), draw(2)),
    lambda lib, b, a, x, zi: lib.signal.lfilter(b, a, x, zi=zi)[1])
row("signal.hilbert", (draw(7),))
row("signal.lfilter_zi", (draw(3), np.array([1.2, 0.3, -0.2])))
for _pad in ("odd", "even", "constant"):
    row(f"signal.filtfilt, {_pad}", (draw(2), np.array([1.2, 0.3, -0.2]), draw(8)),
        lambda lib, b, a, x, pad=_pad: lib.signal.filtfilt(b, a, x, padtype=pad, padlen=5))
row("signal.sosfilt", (draw(8),), lambda lib, x: lib.signal.sosfilt(SOS, x))
for _name in ("fft", "ifft", "hfft", "fft2", "ifft2", "hfft2", "fftn", "ifftn", "hfftn", "irfft", "irfft2", "irfftn"):
    row(f"fft.{_name}", (draw(3, 4) + 1j * draw(3, 4),))
for _name in ("rfft", "ihfft", "rfft2", "ihfft2", "rfftn", "ihfftn", "dct", "idct", "dst", "idst", "dctn", "idctn",
              "dstn", "idstn", "fftshift", "ifftshift"):
    row(f"fft.{_name}", (draw(3, 4),))
for _order in (1, 3):
    row(f"ndimage.map_coordinates, order={_order}", (draw(5, 6), draw(2, 4, low=0.6, high=3.4)),
        lambda lib, x, at, order=_order: lib.ndimage.map_coordinates(x, at, order=order))
row("ndimage.gaussian_filter", (draw(6, 5), np.array(1.2)),
    lambda lib, x, s: lib.ndimage.gaussian_filter(x, s if lib is ours else float(s), radius=4))
row("ndimage.convolve", (draw(5, 5), draw(3, 3)))
row("ndimage.correlate", (draw(5, 5), draw(3, 3)))
for _name, _xs in {
    "loggamma": (HALF,), "poch": (HALF, HALF + 1), "binom": (HALF + 2, HALF + 0.3), "ellipk": (HALF,),
    "ellipkm1": (HALF,), "ellipe": (HALF,), "ellipkinc": (HALF, HALF - 0.1), "ellipeinc": (HALF, HALF - 0.1),
    "wrightomega": (HALF,),
    "erfi": (HALF,), "voigt_profile": (HALF, HALF + 0.3, HALF + 0.5), "betaincc": (HALF + 1, HALF + 2, HALF),
    "chdtr": (HALF + 1, HALF), "chdtrc": (HALF + 1, HALF), "chdtri": (HALF + 1, HALF),
    "fdtr": (HALF + 1, HALF + 2, HALF),
    "fdtrc": (HALF + 1, HALF + 2, HALF), "fdtri": (HALF + 1, HALF + 2, HALF), "gdtr": (HALF, HALF + 1, HALF),
    "gdtrc": (HALF, HALF + 1, HALF), "inv_boxcox": (HALF, HALF), "inv_boxcox1p": (HALF, HALF), "exp10": (HALF,),
    "pseudo_huber": (HALF, HALF + 1), "huber": (HALF, HALF + 1), "cosm1": (HALF,), "ndtri_exp": (-HALF,),
    "comb": (HALF + 4, HALF + 1), "perm": (HALF + 4, HALF + 1)}.items():
    row(f"special.{_name}", _xs)
for _name, _first in {"hyp0f1": 1.3, "spherical_jn": 2, "spherical_yn": 1, "spherical_in": 2, "spherical_kn": 1,
                      "pdtr": 3, "pdtrc": 2}.items():
    row(f"special.{_name}", (HALF + 1,), lambda lib, x, name=_name, n=_first: getattr(lib.special, name)(n, x))
row("special.hyperu", (HALF + 1,), lambda lib, x: lib.special.hyperu(0.7, 1.4, x))
row("special.airy", (HALF,), lambda lib, x: lib.special.airy(x)[2])
row("special.shichi", (HALF,), lambda lib, x: lib.special.shichi(x)[1])
row("special.lambertw", (HALF + 0.5j,), lambda lib, z: lib.special.lambertw(z, 1))
row("special.wofz", (HALF + 0.5j,))
row("special.sph_harm_y", (HALF, HALF + 1), lambda lib, t, p: lib.special.sph_harm_y(3, 1, t, p))
for _name, _ps in {"halfnorm": (), "halfcauchy": (), "f": (3.2, 4.5), "truncnorm": (-0.5, 2.0)}.items():
    for _method in ("logpdf", "cdf", "ppf"):
        row(f"stats.{_name}.{_method}", (HALF, *[np.array(p) for p in _ps]),
            lambda lib, *xs, name=_name, method=_method: getattr(getattr(lib.stats, name), method)(*xs))
row("stats.multivariate_t.logpdf", (draw(4, 3), draw(3), A @ A.T, np.array(3.5)),
    lambda lib, x, m, s, df: lib.stats.multivariate_t.logpdf(x, m, symmetric(s), df))
row("stats.multivariate_normal.entropy", (A @ A.T,), lambda lib, s: lib.stats.multivariate_normal.entropy(
    None, symmetric(s)))
row("stats.multivariate_normal.logpdf, singular", (draw(3, 2), draw(2)),
    lambda lib, low, z: lib.stats.multivariate_normal.logpdf(low @ z, np.zeros(3), low @ low.T, allow_singular=True))


def of(name):
    """The function of covector, that of SciPy, and the operands."""
    fun, operands = ROWS[name]
    return lambda *xs: fun(ours, *xs), lambda *xs: fun(scipy, *xs), operands


def directions(operands, seed=1):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=x.shape) + (1j * rng.normal(size=x.shape) if x.dtype.kind == "c" else 0.0)
            for x in operands]


def slope(fun, operands, along):
    """A central difference of order 6."""
    h = 2e-3
    total = 0.0
    for k, weight in ((1, 0.75), (2, -0.15), (3, 1 / 60)):
        up, down = (fun(*[x + s * k * h * d for x, d in zip(operands, along)]) for s in (1, -1))
        total = total + weight * (np.asarray(up) - np.asarray(down))
    return total / h


def total(fun, operands):
    """A real number of the answers."""
    w = directions([np.asarray(fun(*operands))], 2)[0]
    return lambda *xs: (fun(*xs) * w).sum().real


@pytest.mark.parametrize("name", ROWS)
def test_value_is_that_of_scipy(name):
    fun, theirs, operands = of(name)
    np.testing.assert_allclose(fun(*operands), theirs(*operands), rtol=1e-11, atol=1e-12)
    assert np.asarray(fun(*operands)).dtype == np.asarray(theirs(*operands)).dtype


@pytest.mark.parametrize("name", ROWS)
def test_jvp_is_the_difference_of_scipys_values(name):
    fun, theirs, operands = of(name)
    along = directions(operands)
    scale = 0.05 if name.startswith(("stats.truncnorm", "interpolate", "ndimage.map", "special")) else 0.2
    along = [scale * d for d in along]
    found = cv.jvp(fun, operands, along)[1]
    wanted = slope(theirs, operands, along)
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("name", ROWS)
def test_vjp_is_the_transpose_of_jvp(name):
    fun, _, operands = of(name)
    along = directions(operands)
    scalar = total(fun, operands)
    slopes = cv.grad(scalar, argnums=tuple(range(len(operands))))(*operands)
    found = sum((g * d).sum().real for g, d in zip(slopes, along))
    np.testing.assert_allclose(found, cv.jvp(scalar, operands, along)[1], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", ROWS)
def test_second_derivative_is_the_difference_of_the_first(name):
    fun, _, operands = of(name)
    along = [0.1 * d for d in directions(operands)]
    scalar = total(fun, operands)
    first = lambda *xs: cv.grad(scalar, argnums=tuple(range(len(xs))))(*xs)  # noqa: E731
    found = cv.jvp(first, operands, along)[1]
    for k, part in enumerate(found):
        wanted = slope(lambda *xs, k=k: first(*xs)[k], operands, along)
        np.testing.assert_allclose(part, wanted, rtol=1e-6, atol=1e-7 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("name", ROWS)
def test_vmap_is_a_loop(name):
    fun, _, operands = of(name)
    pairs = [np.stack([x, x + 0.01 * d]) for x, d in zip(operands, directions(operands))]
    found = cv.vmap(fun)(*pairs)
    for i in range(2):
        np.testing.assert_allclose(found[i], fun(*[p[i] for p in pairs]), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", ROWS)
def test_jit_computes_the_same(name):
    fun, _, operands = of(name)
    np.testing.assert_allclose(cv.jit(fun)(*operands), fun(*operands), rtol=1e-11, atol=1e-12)
    scalar = cv.grad(total(fun, operands), argnums=len(operands) - 1)
    np.testing.assert_allclose(cv.jit(scalar)(*operands), scalar(*operands), rtol=1e-9, atol=1e-10)


def table():
    """The rows of the page."""
    lines = ["| function | " + " | ".join(WAYS) + " |", "| --- |" + " --- |" * len(WAYS)]
    return "\n".join(lines + [f"| `{name}` |" + " yes |" * len(WAYS) for name in ROWS])


def test_page_has_this_table():
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^\| .*$", text, re.MULTILINE) == table().splitlines()


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    start = page.index("| function |")
    PAGE.write_text(page[:start] + table() + "\n", encoding="utf-8")  # the table is the end of the page
