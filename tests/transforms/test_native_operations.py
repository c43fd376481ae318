"""Operations of native code beyond elementwise ones: fused primitives, contractions, running sums, convolutions."""

import numpy as np
import pytest

import covector as cv
from covector.extend import REGISTRY
from covector.transforms.compile.lower.elementwise import elementary

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
RNG = np.random.default_rng(0)
MATRIX, CUBE = RNG.normal(size=(50, 40)), RNG.normal(size=(6, 20, 30))
LABELS = RNG.integers(0, 40, 50)


def native(fun):
    return cv.jit(fun, compiler_options={"printer": "llvm"})


def check(fun, *args, whole=True, slopes=True):
    """Values and gradients agree with those without native code, which has all of them."""
    def total(*xs):
        found = fun(*xs)
        return sum(np.sum(np.sin(x) * np.cos(np.arange(x.size)).reshape(x.shape)) for x in found) if isinstance(
            found, tuple) else np.sum(np.sin(found) * np.cos(np.arange(found.size)).reshape(found.shape))

    places = tuple([k for k, x in enumerate(args) if x.dtype.kind == "f"])
    programs = [fun, cv.grad(total, places)] if slopes and places else [fun]
    for program in programs:
        f = native(program)
        found, wanted = ([*x] if isinstance(x, tuple) else [x] for x in (f(*args), program(*args)))
        for one, other in zip(found, wanted, strict=True):
            assert one.shape == other.shape and one.dtype == other.dtype
            limit = 2e-4 if any(x.dtype == np.float32 for x in args) else 1e-11
            np.testing.assert_allclose(one, other, limit, limit * max(1.0, np.abs(other).max(initial=0.0)))
        assert not whole or not f.lower(*args).source.startswith("def run("), f.lower(*args).source


FUSED = {
    "logsumexp": lambda x: cv.nn.logsumexp(x, -1),
    "logsumexp of all": lambda x: cv.nn.logsumexp(x),
    "softmax": lambda x: cv.nn.softmax(x, -1),
    "softmax of columns": lambda x: cv.nn.softmax(x, 0),
    "log_softmax": lambda x: cv.nn.log_softmax(x, -1),
    "layer norm": lambda x: cv.nn.layer_norm(x, x[0] * 0 + 2, x[1] * 0 + 1),
    "loss": lambda x: REGISTRY["mean_squared_error"].fun(x, x[::-1]),
    "mean": lambda x: x.mean(0) * x.std(),
}
PLACES = {
    "argmax": lambda x: (np.argmax(x, 0), np.argmax(x, -1), np.argmax(x)),
    "argmin": lambda x: (np.argmin(x, 0), np.argmin(x, -1, keepdims=True), np.argmin(x)),
}
RUNNING = {
    "sums": lambda x: (np.cumsum(x, 0), np.cumsum(x, -1), np.cumsum(x)),
    "products": lambda x: (np.cumprod(1 + x / 9, 0), np.cumprod(1 + x / 9, -1)),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("x", [MATRIX, CUBE, CUBE[..., :3], MATRIX[:3, :4]], ids=lambda x: str(x.shape))
@pytest.mark.parametrize("name", [*FUSED, *RUNNING])
def test_fused_and_running(name, x, dtype):
    fun = (FUSED | RUNNING)[name]
    if name == "layer norm" and x.ndim > 2:
        x = x[0]
    check(fun, np.ascontiguousarray(x, dtype))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32])
@pytest.mark.parametrize("name", PLACES)
def test_arguments_of_extremes(name, dtype):
    x = np.round(MATRIX * 3).astype(dtype)  # with ties
    for given in (x, x[:3, :4], x.reshape(2, 25, 40)):
        check(PLACES[name], given, slopes=False)
    if dtype in (np.float64, np.float32):
        x[3, 7], x[3, 9], x[5] = np.nan, np.nan, -np.inf
        check(PLACES[name], x, slopes=False)


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_reductions_of_integers(dtype):
    x = (MATRIX * 9).astype(dtype)
    check(lambda x: (x.max(0), x.min(1), x.max(), x.min(), x[:5, :3].max(1)), x, slopes=False)
    check(lambda x: (np.sum(x, 0), np.sum(x > 0), np.prod(x % 3 + 1, 1), np.mean(x > 3),
                     np.cumsum(x, 0)), x, slopes=False)
    edge = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max] * 40, dtype)
    check(lambda x: (x.max(), x.min()), edge, slopes=False)


@pytest.mark.parametrize("divisor", [1, 3, -3, 7, 2**31 - 1])
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_quotients_of_integers(divisor, dtype):
    x = np.array([-2**63, -7, -6, -1, 0, 1, 5, 6, 7, 2**63 - 1] * 3).astype(dtype)
    check(lambda x: (x % divisor, x // divisor), x, slopes=False)


def test_quotients_that_warn_are_left_to_numpy():
    x = np.array([-2**63, 5, 0] * 9)
    for divisor in (0, -1):
        with pytest.warns(RuntimeWarning):
            native(lambda x, d=divisor: x // d)(x)


@pytest.mark.parametrize("infinite", [-np.inf, np.inf, np.nan])
def test_logsumexp_of_what_is_not_finite(infinite):
    x = np.concatenate([np.full((2, 30), infinite), MATRIX[:3, :30]])
    x[2, 3] = infinite
    with np.errstate(all="ignore"):
        check(lambda x: (cv.nn.logsumexp(x, 1), cv.nn.softmax(x, 1)[2:]), x, slopes=False)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_cross_entropy(dtype):
    x = MATRIX.astype(dtype)
    check(lambda x, k: REGISTRY["cross_entropy"].fun(x, k), x, LABELS)
    check(lambda x, t: REGISTRY["target_cross_entropy"].fun(x, cv.nn.softmax(t)), x, x[::-1].copy())
    with pytest.raises(IndexError):
        native(lambda x, k: REGISTRY["cross_entropy"].fun(x, k))(x, LABELS + 1000)


@pytest.mark.parametrize(("subscripts", "one", "other"), [
    ("kij,nkj->nki", (5, 4, 3), (70, 5, 3)), ("kij,nkj->nki", (25, 10, 10), (100, 25, 10)),
    ("nki,nkj->kij", (100, 25, 10), (100, 25, 10)), ("ij,jk->ik", (30, 40), (40, 50)), ("ij,ij->i", (30, 40), (30, 40)),
    ("bi,bj->jbi", (30, 4), (30, 5)), ("i,j->ji", (30,), (40,)), (",j->j", (), (40,)), ("abc,cb->a", (20, 30, 40),
    (40, 30)), ("abc,cd->dab", (20, 30, 40), (40, 30)), ("abcd,cd->ba", (6, 5, 7, 8), (7, 8)),
    ("abc,bad->dcab", (6, 5, 7), (5, 6, 8)), ("ij,ij->", (300, 40), (300, 40)), ("i,i->", (3,), (3,)),
    ("ij,kj->ki", (3, 2), (4, 2)), ("ij,j->i", (300, 40), (40,)), ("aib,bjc->aijc", (20, 3, 40), (40, 5, 6)),
    ("ij,kl->kijl", (2, 3), (4, 5)), ("ab,ba->", (1, 9), (9, 1))])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_contractions(subscripts, one, other, dtype):
    x, y = [RNG.normal(size=s).astype(dtype) for s in (one, other)]
    check(lambda x, y: np.einsum(subscripts, x, y), x, y)
    check(lambda x, y: np.einsum(subscripts, np.sin(x.T).T, y[::-1] if y.ndim else y) * 2.0, x, y)


TURNED = {
    "a sum over the last axis": lambda y: np.square(y).sum(-1),
    "sums of sums": lambda y: (np.tanh(y).sum(1, keepdims=True) * y).sum(0),
    "a maximum, then elementwise": lambda y: np.exp(y - y.max(2, keepdims=True)).sum(2),
    "in another shape": lambda y: np.sin(np.sin(y).reshape(-1, 2)).sum(0),
    "rows of it": lambda y: np.exp(y)[np.array([3, 1, 3])],
    "sorted": lambda y: np.sort(np.exp(y), 1),
    "turned back": lambda y: np.exp(np.transpose(np.exp(-y), (2, 1, 0))).sum(1),
    "beside one in order": lambda y: np.exp(y) * np.arange(y.size).reshape(y.shape),
}


@pytest.mark.parametrize("name", TURNED)
def test_what_is_computed_of_turned_arrays(name):
    x, y = 0.3 * RNG.normal(size=(5, 6, 7)), 0.3 * RNG.normal(size=(80, 5, 7))
    check(lambda x, y: TURNED[name](np.einsum("abc,dac->dab", x, y)), x, y, whole=name != "sorted")
    check(lambda y: TURNED[name](np.cos(np.transpose(y, (1, 2, 0)))), y[:, :, :6].copy(), whole=name != "sorted")


def test_a_long_sum_of_a_turned_array_in_single_precision():
    x = RNG.normal(size=(3, 2, 30_000)).astype(np.float32)
    check(lambda x: np.cos(np.transpose(x, (2, 0, 1))).sum(0) / 1e3, x, slopes=False)


@pytest.mark.parametrize("size", [511, 512, 513, 527, 4099])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_elementary_functions_of_two_registers_to_a_step(size, dtype):
    check(lambda x: np.tanh(x) * np.exp(-x * x), RNG.normal(size=size).astype(dtype))


def test_a_temporary_lies_as_its_operands_do():
    text = cv.export_c(lambda x, g: (x.T * g) @ x, np.ones((100, 8)), np.ones(100), name="f", folder=None).source
    assert "m6[8 * i1 + i2] = " in text and "x[8 * i1 + i2]" in text


@pytest.mark.parametrize(("x", "w", "stride", "padding", "dilation", "groups"), [
    ((4, 3, 20), (5, 3, 3), 1, 0, 1, 1), ((4, 1, 28, 28), (8, 1, 3, 3), 2, 1, 1, 1),
    ((4, 8, 14, 14), (16, 8, 3, 3), 2, 1, 1, 1), ((4, 8, 15, 14), (16, 4, 3, 2), (2, 1), ((1, 0), (0, 2)), 1, 2),
    ((2, 3, 9, 9), (4, 3, 2, 2), 1, 0, 2, 1), ((2, 2, 5, 6, 7), (3, 2, 2, 2, 2), 1, 1, 1, 1),
    ((3, 4, 30), (4, 1, 3), 1, 1, 1, 4), ((2, 3, 5, 5), (2, 3, 1, 1), 1, 0, 1, 1), ((1, 1, 3), (1, 1, 2), 1, 0, 1, 1),
    ((2, 3, 9, 9), (4, 3, 3, 3), 4, 0, 1, 1)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_convolutions(x, w, stride, padding, dilation, groups, dtype):
    x, w = [RNG.normal(size=s).astype(dtype) for s in (x, w)]
    check(lambda x, w: cv.nn.conv(x, w, stride=stride, padding=padding, dilation=dilation, groups=groups), x, w)
    check(lambda x, w: cv.nn.conv(np.swapaxes(x, 0, 1).copy().swapaxes(0, 1), w * 2.0, stride=stride, padding=padding,
                                  dilation=dilation, groups=groups), x, w)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_pooling(dtype):
    x = RNG.normal(size=(2, 3, 20, 21)).astype(dtype)
    check(lambda x: cv.nn.max_pool(x, 2), x)
    check(lambda x: cv.nn.avg_pool(x, 3, stride=2), x)


def test_operations_in_loops():
    """A loop that holds any of them is native as a whole."""
    w, images = RNG.normal(size=(2, 1, 3, 3)), RNG.normal(size=(4, 2, 1, 8, 8))

    def fun(x, w):
        def step(c, row):
            y = cv.nn.conv(row, w, padding=1).sum(1, keepdims=True)
            p = cv.nn.softmax(y.reshape(2, -1) * c[:, None])
            best = np.argmax(p, 1)
            c = c + cv.nn.logsumexp(y.reshape(2, -1), 1) * 0.1 + np.cumsum(p, 1)[:, 3] + p[np.arange(2), best]
            return np.einsum("i,ij->i", c, p), best

        return cv.scan(step, np.ones(2), x)[0]

    check(fun, images, w)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(5000,), (50, 40), (20, 300)])
def test_one_element_that_is_not_finite_is_noticed(dtype, shape):
    """NumPy computes again, and warns, wherever the element is and whichever way the output was written."""
    for fun in (lambda x: np.log(x) * 2, lambda x: np.log(x).T * 2, lambda x: np.log(x)[..., ::2] * 1,
                lambda x: (np.log(x).sum(), x * 2), lambda x: (x * 2, np.log(x) + 1, x.T * 3)):
        x = np.ones(shape, dtype)
        f = native(fun)
        f(x)
        x[(shape[0] - 2, *[n - 2 for n in shape[1:]])] = 0.0
        with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
            f(x)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_in_loops_with_turned_matrices(dtype):
    w, x = (RNG.normal(size=(40, 60)) / 9).astype(dtype), RNG.normal(size=(12, 9, 40)).astype(dtype)

    def fun(x, w):
        def step(c, row):
            c = np.tanh(c @ w @ w.T + row @ (2.0 * w) @ w.T)
            inner = cv.fori_loop(0, 10, lambda k, d: np.tanh(d @ w.T @ w), c @ w)
            return c + (inner @ w.T) * 0.1, inner

        return cv.scan(step, np.zeros((9, 60), dtype) @ w.T, x)

    def narrow(x, w):
        def step(c, row):
            scale = c.sum() * 0.01
            turned = (w * scale).T  # made in the loop: it is not the same in each turn
            return np.tanh(row @ w @ turned), c[0, 0]

        return cv.scan(step, np.ones((9, 40), dtype), x)

    check(fun, x, w, slopes=dtype is np.float64)
    check(narrow, x, w, slopes=dtype is np.float64)


MATRICES = {
    "solve": lambda a, b: np.linalg.solve(a, b),
    "solve one": lambda a, b: np.linalg.solve(a, b[:, 0]),
    "inverse": lambda a, b: np.linalg.inv(a) @ b,
    "determinant": lambda a, b: np.linalg.det(a) * b,
    "sign and logarithm": lambda a, b: np.linalg.slogdet(a)[0] * np.linalg.slogdet(a)[1] * b,
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", MATRICES)
def test_small_matrices(name, n, dtype):
    rng = np.random.default_rng(n)
    well = (rng.normal(size=(n, n)) + 3.0 * np.eye(n)).astype(dtype)
    turned = np.roll(well, 1, 0)  # its pivots are not on the diagonal
    needed = np.triu(well[::-1, ::-1], -1) if n < 3 else well.copy()
    if n > 1:
        needed[0, 0] = 0.0
    for a in (well, turned, needed, -turned.T.copy()):
        check(MATRICES[name], a, rng.normal(size=(n, 2)).astype(dtype), whole=n < 5, slopes=name != "determinant")


FACTORIZED = {
    "cholesky": lambda a: np.linalg.cholesky(a @ a.swapaxes(-1, -2) + np.eye(a.shape[-1], dtype=a.dtype)),
    "qr": lambda a: tuple(np.linalg.qr(a)), "complete qr": lambda a: tuple(np.linalg.qr(a, "complete")),
    "qr of tall": lambda a: tuple(np.linalg.qr(a[..., : a.shape[-1] // 2 + 1])),
    "r": lambda a: np.linalg.qr(a, "r"),
    "solve": lambda a: np.linalg.solve(a, np.sin(a)), "solve one": lambda a: np.linalg.solve(a, a[..., :1]),
    "solve for all": lambda a: np.linalg.solve(a, np.cos(np.arange(a.shape[-1], dtype=a.dtype))),
    "inverse": np.linalg.inv,
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("lead", [(), (1,), (2, 3)])
@pytest.mark.parametrize("n", [1, 2, 5, 16])
@pytest.mark.parametrize("name", FACTORIZED)
def test_factorizations_of_matrices_and_of_stacks(name, n, lead, dtype):
    rng = np.random.default_rng(n)
    check(FACTORIZED[name], (rng.normal(size=(*lead, n, n)) + 3.0 * np.eye(n)).astype(dtype))


ROWS = {
    "convolve": lambda x, k: cv.vmap(lambda r: np.convolve(r, k))(x), "one": lambda x, k: np.convolve(x[0], k),
    "correlate": lambda x, k: cv.vmap(lambda r: np.correlate(r, k, "same"))(x),
    "valid": lambda x, k: cv.vmap(lambda r: np.correlate(r, k, "valid"))(x),
    "in a loop": lambda x, k: cv.scan(lambda c, r: (0.5 * np.convolve(c, k, "same") + r, c[0]), x[0], x),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (7, 3), (64, 9), (9, 9)])
@pytest.mark.parametrize("name", ROWS)
def test_convolutions_of_rows(name, n, m, dtype):
    check(ROWS[name], RNG.normal(size=(4, n)).astype(dtype), RNG.normal(size=m).astype(dtype))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nan_below_the_diagonal_and_signed_zeros_are_numpys_in_qr():
    for a in ([[1.0, 2.0], [np.nan, 1.0]], [[np.inf, 2.0], [3.0, 1.0]], [[-0.0, 1.0], [1.0, 1.0]],
              [[-0.0, 2.0], [-0.0, 1.0]], [[0.0, 2.0], [-1.0, 1.0]]):
        for found, wanted in zip(native(lambda a: tuple(np.linalg.qr(a)))(np.array(a)), np.linalg.qr(a), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=1e-15)


def test_factorizations_at_zeros_and_far_from_one():
    for a in (np.zeros((3, 2)), np.diag([2.0, 0.0, -1.0]), np.array([[1e200, 2.0], [3e200, 1.0]]),
              np.array([[1e-200, 2e-200], [3e-200, 1e-200]]), np.eye(3, 2)):
        check(lambda a: tuple(np.linalg.qr(a, "complete")), a, slopes=False)
    check(np.linalg.cholesky, np.array([[1e200, 1e150], [1e150, 1e101]]), slopes=False)
    check(np.linalg.cholesky, np.triu(np.ones((3, 3)), 1) * 0.1 + 2.0 * np.eye(3), slopes=False)  # not symmetric


@pytest.mark.parametrize("lead", [(), (2,)])
def test_what_has_no_factorization_or_no_derivative_raises(lead):
    good, bad = np.eye(3), np.ones((3, 3))
    bad = np.stack([good, bad]) if lead else bad
    for fun, message in ((lambda a: np.linalg.cholesky(a - 0.5 * np.eye(3)), "not positive definite"),
                         (lambda a: np.linalg.solve(a, np.ones((3, 1))), "ingular"),
                         (cv.grad(lambda a: np.sum(np.linalg.qr(a)[0])), "full rank, but one of shape .* is singular")):
        f = native(fun)
        f(np.broadcast_to(good, bad.shape).copy())
        with pytest.raises(np.linalg.LinAlgError, match=message):
            f(bad)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["solve", "solve one", "inverse"])
def test_singular_matrices_raise(name, n):
    f = native(MATRICES[name])
    a, b = np.eye(n), np.ones((n, 2))
    f(a, b)
    a[n - 1, n - 1] = 0.0
    for _ in range(20):
        with pytest.raises(np.linalg.LinAlgError, match="ingular"):
            f(a, b)
    assert native(MATRICES["determinant"])(a, b).tolist() == np.zeros((n, 2)).tolist()
    assert [float(x) for x in native(np.linalg.slogdet)(a)] == [0.0, -np.inf]


def test_a_filter_with_small_matrices_is_native():
    """A Kalman filter with two observations: a product of inverses and determinants in each step."""
    steps, model = RNG.normal(size=(30, 2)), np.array([[0.9, 0.1, 0.0], [0.0, 0.8, 0.1], [0.1, 0.0, 0.7]])

    def likelihood(seen, model):
        look = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.2]])

        def step(state, y):
            x, p, total = state
            x, p = model @ x, model @ p @ model.T + 0.1 * np.eye(3)
            s = look @ p @ look.T + 0.2 * np.eye(2)
            gap = y - look @ x
            gain = np.linalg.solve(s, look @ p).T
            total = total - 0.5 * (gap @ np.linalg.solve(s, gap) + np.linalg.slogdet(s)[1])
            return (x + gain @ gap, p - gain @ look @ p, total), None

        return cv.scan(step, (np.zeros(3), np.eye(3), 0.0), seen)[0][2]

    check(likelihood, steps, model, slopes=False)


def test_contractions_to_one_element():
    x, y = np.array([[2.0]]), np.array([[3.0], [4.0]])
    for subscripts in ("ij,ij->", "ij,ij->j", "ij,ij->ij", "ij,kj->k", "ij,kj->ik", "ij,kj->"):
        for a, b in ((x, y), (y[:1], x), (x, x)):
            wanted = np.einsum(subscripts, a, b)
            f = cv.jit(lambda a, b, s=subscripts: np.einsum(s, a, b), compiler_options={"printer": "llvm"})
            np.testing.assert_allclose(f(a, b), wanted)


def test_a_function_of_whole_arrays_is_not_lowered_through_itself(monkeypatch):
    prim, seen = REGISTRY["exponent"], []
    eq = cv.make_graph(prim.fun)(np.ones(3)).equations[0]
    shape = prim.shape
    monkeypatch.setattr(prim, "shape", lambda *args: seen.append(args) or shape(*args))
    assert elementary(eq) is None and len(seen) <= 1
