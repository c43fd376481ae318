"""`covector.numpy`, and NumPy's own functions, on plain and on traced arrays."""

import numpy as np
import pytest

import covector
import covector.numpy as cnp

RNG = np.random.default_rng(3)
V = RNG.uniform(0.3, 1.7, 4)
W = RNG.uniform(0.3, 1.7, 4)
M = RNG.uniform(0.3, 1.7, (3, 4))
N = RNG.uniform(0.3, 1.7, (4, 3))
T = RNG.uniform(0.3, 1.7, (2, 3, 4))
S = np.array(0.7)
Z = RNG.normal(size=(2, 3)) + 1j * RNG.normal(size=(2, 3))

UNARY = ("negative positive square reciprocal sqrt exp expm1 log log1p sin cos tan tanh absolute fabs conjugate arctan "
         "sinh cosh arcsinh log2 log10 exp2 cbrt deg2rad rad2deg radians degrees sinc floor ceil trunc rint sign isnan "
         "isfinite isinf signbit logical_not real imag angle round fix nan_to_num modf").split()
BINARY = ("add subtract multiply divide power arctan2 hypot maximum minimum fmax fmin logaddexp logaddexp2 copysign "
          "heaviside fmod remainder floor_divide equal not_equal less less_equal greater greater_equal logical_and "
          "logical_or logical_xor isclose allclose float_power divmod array_equal").split()
HOLOMORPHIC = ("exp log sqrt sin cos tan tanh arctan sinh cosh arcsinh square reciprocal absolute real imag angle "
               "sinc log2 log10 exp2").split()

REDUCTIONS = [
    (name, options, x)
    for name in ("sum prod max min mean var std ptp all any argmax argmin count_nonzero nansum nanmean nanmax nanmin "
                 "amax amin median average").split()
    for options, x in (({}, M), ({"axis": 0}, M), ({"axis": -1, "keepdims": True}, M), ({"axis": 1}, T), ({}, V))
] + [
    ("sum", {"axis": (0, 2)}, T), ("var", {"ddof": 1}, M), ("std", {"axis": 0, "ddof": 1}, M),
    ("sum", {"initial": 2.0}, M),
    ("max", {"initial": 1.0}, M), ("cumsum", {}, M), ("cumsum", {"axis": 1}, M), ("diff", {}, M),
    ("diff", {"n": 2, "axis": 0}, M), ("sort", {}, M), ("sort", {"axis": 0}, M), ("sort", {"axis": None}, M),
    ("argsort", {"axis": 0}, M), ("mean", {"axis": (0, 1)}, T), ("prod", {"axis": (0, 2)}, T),
    ("quantile", {"q": 0.3}, M), ("quantile", {"q": np.array([0.1, 0.8]), "axis": 0}, M), ("percentile", {"q": 40}, V),
    ("median", {"axis": (0, 2), "keepdims": True}, T),
]  # fmt: skip

SHAPES = {
    "reshape": lambda xp, x: xp.reshape(x, (2, -1)),
    "ravel": lambda xp, x: xp.ravel(x),
    "transpose": lambda xp, x: xp.transpose(x),
    "swapaxes": lambda xp, x: xp.swapaxes(x, 0, 1),
    "moveaxis": lambda xp, x: xp.moveaxis(x[None], 0, -1),
    "rollaxis": lambda xp, x: xp.rollaxis(x, 1),
    "expand_dims": lambda xp, x: xp.expand_dims(x, (0, 2)),
    "squeeze": lambda xp, x: xp.squeeze(x[None]),
    "atleast_1d": lambda xp, x: xp.atleast_1d(x[0, 0]),
    "atleast_2d": lambda xp, x: xp.atleast_2d(x[0]),
    "atleast_3d": lambda xp, x: xp.atleast_3d(x[0], x),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, 3, 4)),
    "broadcast_arrays": lambda xp, x: xp.broadcast_arrays(x, x[0]),
    "flip": lambda xp, x: xp.flip(x, 1) + xp.flip(x),
    "flipud": lambda xp, x: xp.flipud(x) + xp.fliplr(x),
    "rot90": lambda xp, x: tuple(xp.rot90(x, k) for k in range(4)),
    "roll": lambda xp, x: xp.roll(x, 1) + xp.roll(x, (1, 2), (0, 1)),
    "tile": lambda xp, x: xp.tile(x, (2, 1, 2)),
    "repeat": lambda xp, x: xp.repeat(x, 2, axis=1),
    "repeat counts": lambda xp, x: xp.repeat(x, [1, 0, 2], axis=0),
    "pad": lambda xp, x: xp.pad(x, ((1, 0), (2, 1))),
    "pad edge": lambda xp, x: xp.pad(x, 1, mode="edge") + xp.pad(x, 1, mode="wrap"),
    "pad value": lambda xp, x: xp.pad(x, 1, constant_values=2.0),
    "pad reflect": lambda xp, x: xp.pad(x, (1, 2), mode="reflect") + xp.pad(x, (1, 2), mode="symmetric"),
    "concatenate": lambda xp, x: xp.concatenate([x, x[:1]]),
    "concatenate flat": lambda xp, x: xp.concatenate([x, x], axis=None),
    "stack": lambda xp, x: xp.stack([x, 2 * x], axis=1),
    "stack scalars": lambda xp, x: xp.stack([x[0, 0], x[1, 1], 1.0]),
    "vstack": lambda xp, x: xp.vstack([x, x[0]]),
    "hstack": lambda xp, x: xp.hstack([x, x]),
    "dstack": lambda xp, x: xp.dstack([x, x]),
    "column_stack": lambda xp, x: xp.column_stack([x[0], x[1]]),
    "append": lambda xp, x: xp.append(x, x[0]),
    "split": lambda xp, x: xp.split(x, 2, axis=1),
    "array_split": lambda xp, x: xp.array_split(x, 2) + xp.array_split(x, [1, 3], axis=1),
    "hsplit": lambda xp, x: xp.hsplit(x, 2) + xp.vsplit(x, 3),
    "tril": lambda xp, x: xp.tril(x) + xp.triu(x, 1),
    "diag": lambda xp, x: xp.diag(x) + xp.diag(x, 1),
    "diag of vector": lambda xp, x: xp.diag(x[0], -1),
    "diagflat": lambda xp, x: xp.diagflat(x),
    "diagonal": lambda xp, x: xp.diagonal(x[None], 1, 1, 2),
    "trace": lambda xp, x: xp.trace(x),
    "take": lambda xp, x: xp.take(x, [0, 2, 2], axis=1),
    "take flat": lambda xp, x: xp.take(x, [0, 11]),
    "take clip": lambda xp, x: xp.take(x, [0, 9], axis=0, mode="clip") + xp.take(x, [0, 7], axis=0, mode="wrap"),
    "take_along_axis": lambda xp, x: xp.take_along_axis(x, np.array([[0, 1, 0, 2]]), axis=0),
    "where": lambda xp, x: xp.where(x > 1, x, 0.5),
    "select": lambda xp, x: xp.select([x > 1.2, x > 0.8], [x, x * x], 3.0),
    "clip": lambda xp, x: xp.clip(x, 0.6, 1.2),
    "compress": lambda xp, x: xp.compress([True, False, True], x, axis=0),
    "delete": lambda xp, x: xp.delete(x, 1, axis=0),
    "linspace": lambda xp, x: xp.linspace(x[0], x[1], 5),
    "linspace open": lambda xp, x: xp.linspace(x[0, 0], 2.0, 5, endpoint=False),
    "linspace axis": lambda xp, x: xp.linspace(x[0], x[1], 5, axis=-1),
    "meshgrid": lambda xp, x: tuple(xp.meshgrid(x[0], x[1])),
    "meshgrid ij": lambda xp, x: tuple(xp.meshgrid(x[0], x[1], indexing="ij", sparse=True)),
    "average weights": lambda xp, x: xp.average(x, axis=0, weights=x * x),
    "average 1d weights": lambda xp, x: xp.average(x, axis=0, weights=[1.0, 2.0, 3.0]),
    "nan_to_num": lambda xp, x: xp.nan_to_num(xp.where(x > 1.2, np.nan, x) + xp.where(x < 0.7, np.inf, x), posinf=4.0),
    "unstack": lambda xp, x: xp.unstack(x, axis=1),
}
PRODUCTS = {
    "dot": lambda xp, a, b: xp.dot(a, b),
    "matmul": lambda xp, a, b: xp.matmul(a, b),
    "vdot": lambda xp, a, b: xp.vdot(a, b),
    "inner": lambda xp, a, b: xp.inner(a, b.T),
    "outer": lambda xp, a, b: xp.outer(a, b),
    "tensordot": lambda xp, a, b: xp.tensordot(a, b, 1) + xp.tensordot(a, b, ((1,), (0,))),
    "tensordot 0": lambda xp, a, b: xp.tensordot(a, b, 0),
    "kron": lambda xp, a, b: xp.kron(a, b),
    "cross": lambda xp, a, b: xp.cross(a.T, b),
    "vecdot": lambda xp, a, b: xp.vecdot(a, b.T),
    "multi_dot": lambda xp, a, b: xp.linalg.multi_dot([a, b, a]),
    "einsum ij,jk": lambda xp, a, b: xp.einsum("ij,jk->ik", a, b),
    "einsum implicit": lambda xp, a, b: xp.einsum("ij,jk", a, b),
    "einsum full": lambda xp, a, b: xp.einsum("ij,ji->", a, b),
    "einsum kept": lambda xp, a, b: xp.einsum("ij,ji->ij", a, b),
    "einsum three": lambda xp, a, b: xp.einsum("ij,jk,kl->il", a, b, a),
    "einsum four": lambda xp, a, b: xp.einsum("ij,jk,kl,lm->im", a, b, a, b),
    "einsum one": lambda xp, a, b: xp.einsum("ij->ji", a),
    "einsum sum": lambda xp, a, b: xp.einsum("ij->j", a),
    "einsum diagonal": lambda xp, a, b: xp.einsum("ii->i", a @ b),
    "einsum trace": lambda xp, a, b: xp.einsum("ii", a @ b),
    "einsum repeated": lambda xp, a, b: xp.einsum("ii,ij->j", a @ b, a),
    "einsum ellipsis": lambda xp, a, b: xp.einsum("...j,jk->...k", a, b),
    "einsum ellipses": lambda xp, a, b: xp.einsum("...ij,...jk->...ik", a[None], b),
    "einsum stretched": lambda xp, a, b: xp.einsum("...i,...i->...", a[:, None], b.T[None]),
    "einsum lists": lambda xp, a, b: xp.einsum(a, [0, 1], b, [1, 2], [0, 2]),
    "einsum spaces": lambda xp, a, b: xp.einsum("i j, j k -> k i", a, b),
    "norm": lambda xp, a, b: xp.linalg.norm(a),
    "norm axis": lambda xp, a, b: xp.linalg.norm(a, axis=0),
    "norm 1": lambda xp, a, b: xp.linalg.norm(a, 1) + xp.linalg.norm(a, -1),
    "norm inf": lambda xp, a, b: xp.linalg.norm(a, np.inf) + xp.linalg.norm(a[0], -np.inf),
    "norm 3": lambda xp, a, b: xp.linalg.norm(a, 3, axis=1, keepdims=True) + xp.linalg.norm(a[0], -2),
    "norm 0": lambda xp, a, b: xp.linalg.norm(a[0], 0) * a,
    "norm tensor": lambda xp, a, b: xp.linalg.norm(xp.outer(a, b).reshape(3, 4, 12)),
    "vector_norm": lambda xp, a, b: xp.linalg.vector_norm(a, axis=(0, 1)) + xp.linalg.matrix_norm(a),
    "matrix_power": lambda xp, a, b: xp.linalg.matrix_power(a @ b, 3),
    "matrix_power 0": lambda xp, a, b: xp.linalg.matrix_power(a @ b, 0) @ a,
}
SQUARE = RNG.normal(size=(3, 3)) * 0.3 + 2 * np.eye(3)
TALL = RNG.normal(size=(4, 3))
DECOMPOSITIONS = {
    "solve": (lambda xp, a: xp.linalg.solve(a, a @ a[0]), SQUARE),
    "solve columns": (lambda xp, a: xp.linalg.solve(a, a[:, :2] * a[0, 0]), SQUARE),
    "inv": (lambda xp, a: xp.linalg.inv(a), SQUARE),
    "det": (lambda xp, a: xp.linalg.det(a), SQUARE),
    "slogdet": (lambda xp, a: xp.linalg.slogdet(a)[1], SQUARE),
    "cholesky": (lambda xp, a: xp.linalg.cholesky(a @ a.T), SQUARE),
    "cholesky upper": (lambda xp, a: xp.linalg.cholesky(a @ a.T, upper=True), SQUARE),
    "eigvalsh": (lambda xp, a: xp.linalg.eigvalsh(a + a.T), SQUARE),
    "eigh": (lambda xp, a: xp.linalg.eigh(a + a.T).eigenvectors ** 2, SQUARE),
    "qr": (lambda xp, a: tuple(xp.linalg.qr(a)), TALL),
    "qr square": (lambda xp, a: tuple(xp.linalg.qr(a)), SQUARE),
    "qr wide": (lambda xp, a: tuple(xp.linalg.qr(a)), TALL.T),
    "qr r": (lambda xp, a: xp.linalg.qr(a, mode="r"), TALL),
    "matrix_power -2": (lambda xp, a: xp.linalg.matrix_power(a, -2), SQUARE),
    "solve stacked": (lambda xp, a: xp.linalg.solve(xp.stack([a, 2 * a]), a), SQUARE),
}  # fmt: skip


@pytest.fixture(params=[np, cnp], ids=["numpy", "covector.numpy"])
def xp(request):
    return request.param


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")
@pytest.mark.parametrize("name", UNARY)
def test_function_of_one_operand(xp, name, agrees):
    agrees(getattr(xp, name), M)
    agrees(getattr(xp, name), S)


@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_function_of_a_complex_operand(xp, name, agrees):
    agrees(getattr(xp, name), Z)


@pytest.mark.parametrize("name", ["arcsin", "arccos", "arctanh"])
def test_inverse_function_on_its_interval(xp, name, agrees):
    agrees(getattr(xp, name), M - 0.99)


def test_arccosh_on_its_interval(xp, agrees):
    agrees(xp.arccosh, M + 1)


@pytest.mark.parametrize("name", BINARY)
def test_function_of_two_operands(xp, name, agrees):
    f = getattr(xp, name)
    agrees(f, M, N.T)
    agrees(f, M, V)
    agrees(lambda x: f(x, 0.75), M)
    agrees(lambda x: f(0.75, x), M)


@pytest.mark.parametrize(("name", "options", "x"), REDUCTIONS)
def test_reduction(xp, name, options, x, agrees):
    agrees(lambda a: getattr(xp, name)(a, **options), x)


@pytest.mark.parametrize("name", SHAPES)
def test_shape_function(xp, name, agrees):
    agrees(lambda x: SHAPES[name](xp, x), M)


@pytest.mark.parametrize("name", PRODUCTS)
def test_product(xp, name, agrees):
    agrees(lambda a, b: PRODUCTS[name](xp, a, b), M, N)


@pytest.mark.parametrize("name", DECOMPOSITIONS)
def test_decomposition(xp, name, agrees):
    fun, a = DECOMPOSITIONS[name]
    agrees(lambda a: fun(xp, a), a, tol=1e-5)


@pytest.mark.parametrize("name", sorted(set(UNARY + BINARY) - {"modf", "divmod"}))
def test_plain_arrays_give_what_numpy_gives(name):
    args = (M,) if name in UNARY else (M, V)
    numpys = getattr(np, name) if name != "fix" else np.trunc  # which it is; since NumPy 2.5 it warns
    got, want = getattr(cnp, name)(*args), numpys(*args)
    np.testing.assert_array_equal(got, want)
    assert np.asarray(got).dtype == np.asarray(want).dtype
    as_lists = [x.tolist() for x in args]
    np.testing.assert_array_equal(getattr(cnp, name)(*as_lists), numpys(*as_lists))


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "eye", "identity", "tri"])
def test_creation_like_a_tracer_gives_a_buffer(name):
    def f(x):
        y = getattr(np, name)(3, like=x)
        y[0] = x
        return np.sum(y * y)

    if name in ("zeros", "empty", "ones"):
        np.testing.assert_allclose(covector.grad(f)(2.0), 4.0)
    else:
        np.testing.assert_allclose(covector.grad(f)(2.0), 12.0)


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like", "copy"])
def test_like_functions_give_buffers(xp, name):
    def f(x):
        y = getattr(xp, name)(x)
        y[0] = x[1] * 3
        return np.sum(y[0])

    np.testing.assert_array_equal(covector.grad(f)(np.array([1.0, 2.0])), [0.0, 3.0])


def test_full_holds_a_traced_value():
    g = covector.grad(lambda x: np.sum(cnp.full((2, 3), x)))(1.0)
    assert g == 6.0
    assert covector.grad(lambda x: np.sum(np.full(4, x, like=x)))(1.0) == 4.0
    assert covector.grad(lambda x: np.sum(cnp.full_like(M, x)))(1.0) == 12.0
    assert covector.grad(lambda x: np.sum(np.full_like(x, x[0])))(np.ones(3))[0] == 3.0


def test_array_of_traced_values_stacks():
    np.testing.assert_array_equal(covector.grad(lambda x: cnp.array([[x[0], 1.0], [x[1], x[0]]]).sum())(V[:2]), [2, 1])
    with pytest.raises(TypeError, match="np.stack"):
        covector.grad(lambda x: np.array([x[0], x[1]]).sum())(V)


@pytest.mark.parametrize(
    "fun",
    [lambda x: np.full_like(M, x[0]).sum(), lambda x: np.full(3, x[0]).sum(), lambda x: np.asarray(x).sum(),
     lambda x: np.float64(x[0]), lambda x: np.put_along_axis(M, np.zeros((1, 4), int), x, 0)],
)  # fmt: skip
def test_plain_array_never_swallows_a_traced_value(fun):
    with pytest.raises(TypeError):
        covector.grad(fun)(V)


@pytest.mark.parametrize("xp_", [np, cnp])
def test_out_and_where_are_refused_with_a_remedy(xp_):
    for call in (lambda x: xp_.sum(x, out=np.zeros(())),
                 lambda x: x.sum(out=S.copy()), lambda x: x.mean(out=S.copy()), lambda x: x.cumsum(out=S.copy()),
                 lambda x: xp_.exp(x, where=V > 1)):
        with pytest.raises((NotImplementedError, TypeError), match="where|out"):
            covector.grad(call)(V)


def test_out_is_refused_on_plain_arrays_too():
    with pytest.raises(NotImplementedError, match="assign it"):
        cnp.sin(V, out=V.copy())
    with pytest.raises(NotImplementedError, match=r"np\.where"):
        cnp.exp(V, where=V > 1)


def test_norm_at_zero_has_derivative_zero(xp):
    for ord in (None, 2, 3, 1):
        np.testing.assert_array_equal(covector.grad(lambda x: xp.linalg.norm(x, ord))(np.zeros(3)), np.zeros(3))
    np.testing.assert_array_equal(covector.grad(lambda x: xp.linalg.norm(x))(np.zeros((2, 2))), np.zeros((2, 2)))


def test_degenerate_eigenvalues_are_finite():
    a = np.diag([1.0, 1.0, 2.0])
    g = covector.grad(lambda a: np.sum(np.linalg.eigh(a)[0] ** 2))(a)
    np.testing.assert_allclose(g, 2 * a, atol=1e-12)
    projector = covector.grad(lambda a: np.sum((np.linalg.eigh(a)[1][:, 2] ** 2) * np.array([1.0, 2.0, 3.0])))(a)
    assert np.isfinite(projector).all()


def test_float32_stays_float32(xp):
    x = M.astype(np.float32)
    for f in (lambda x: xp.where(x > 1, x, 0.0), lambda x: xp.mean(x), lambda x: xp.std(x), lambda x: xp.linalg.norm(x),
              lambda x: xp.einsum("ij,ij,ij->", x, x, x), lambda x: xp.clip(x, 0.5, 1.0), lambda x: xp.median(x),
              lambda x: xp.logaddexp(x, 0.0), lambda x: xp.sinc(x), lambda x: xp.linalg.det(x[:, :3])):
        out, pullback = covector.vjp(f, x)
        assert out.dtype == np.float32
        assert pullback(np.ones(out.shape, np.float32))[0].dtype == np.float32
