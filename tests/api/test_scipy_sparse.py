"""`covector.scipy.sparse`: plain sparse matrices beside traced values, matrices with traced values, solvers."""

import pickle

import numpy as np
import pytest

import covector as cv
from covector.scipy import sparse as traced

sp = pytest.importorskip("scipy.sparse")
spl = pytest.importorskip("scipy.sparse.linalg")
RNG = np.random.default_rng(0)
N = 6
P = (sp.random_array((N, N), density=0.4, rng=RNG) + 5 * sp.eye_array(N)).tocsr()
P = (P + P.T).tocsr()
D, DATA = P.toarray(), P.data
B = {"vector": RNG.normal(size=N), "matrix": RNG.normal(size=(N, 3))}
WIDE = sp.random_array((4, 3), density=0.6, rng=RNG)
X, Y = RNG.normal(size=3), RNG.normal(size=4)
FORMATS = [kind(WIDE).asformat(f) for f in ("csr", "csc", "coo", "dia", "lil", "dok", "bsr")
           for kind in (sp.csr_array, sp.csr_matrix)]


def matrix(data):
    """The dense matrix with values in the pattern of P, without this library's sparse arrays."""
    rows, columns = P.nonzero()
    units = np.zeros((len(DATA), N, N))
    units[np.arange(len(DATA)), rows, columns] = 1.0
    return np.einsum("e,eij->ij", data, units)


@pytest.mark.parametrize("a", FORMATS, ids=lambda a: type(a).__name__)
def test_products_with_plain_matrices_need_no_wrapper(a):
    d = a.toarray()
    for fun, want, v in (
        (lambda t: a @ t, lambda t: d @ t, X), (lambda t: t @ a, lambda t: t @ d, Y), (lambda t: a.T @ t,
            lambda t: d.T @ t, Y),
        (lambda t: a @ np.outer(t, t), lambda t: d @ np.outer(t, t), X),
        (lambda t: np.outer(t, t) @ a, lambda t: np.outer(t, t) @ d, Y),
    ):
        np.testing.assert_allclose(cv.jacfwd(fun)(v), cv.jacfwd(want)(v), atol=1e-12)
        np.testing.assert_allclose(cv.jacrev(fun)(v), cv.jacrev(want)(v), atol=1e-12)
        np.testing.assert_allclose(cv.jit(fun)(v), want(v), atol=1e-12)
        np.testing.assert_allclose(cv.vmap(fun)(np.stack([v, 2 * v])), cv.vmap(want)(np.stack([v, 2 * v])), atol=1e-12)
        np.testing.assert_allclose(cv.hessian(lambda t: np.sum(fun(t) ** 2))(v),
            cv.hessian(lambda t: np.sum(want(t) ** 2))(v),
                                   atol=1e-12)


def test_the_star_of_matrices_is_their_product():
    a = sp.csr_matrix(WIDE)
    np.testing.assert_allclose(cv.jacfwd(lambda t: a * t)(X), a.toarray())
    np.testing.assert_allclose(cv.jacfwd(lambda t: a.dot(t))(X), a.toarray())


@pytest.mark.parametrize(("fun", "error", "message"), [
    (lambda t: WIDE.tocsr() + t, RuntimeError,
        r"add of a scipy.sparse csr_array and a traced value .*use A.toarray\(\)"),
    (lambda t: WIDE.tocsr() * t, TypeError, r"was given to scipy.sparse.*covector.scipy.sparse.csr_array\(A\)"),
    (lambda t: WIDE.tocsr() @ t[:2], ValueError, r"needs a vector \(3,\) or a matrix \(3, k\), but got shape \(2,\)"),
    (lambda t: WIDE.tocoo().dot(t), TypeError, "was given to scipy.sparse.*use products A @ t and t @ A"),
])
def test_other_operations_with_plain_matrices_are_refused(fun, error, message):
    with pytest.raises(Exception, match=message):
        cv.grad(lambda t: np.sum(fun(t)))(X)


TIGHT = {"rtol": 1e-13}
SOLVERS = {
    "spsolve": lambda d, b: traced.linalg.spsolve(traced.with_data(P, d), b),
    "splu": lambda d, b: traced.linalg.splu(traced.with_data(P, d)).solve(b),
    "splu, transposed": lambda d, b: traced.linalg.splu(traced.with_data(P, d)).solve(b, trans="T"),
    "cg": lambda d, b: traced.linalg.cg(traced.with_data(P, d), b, **TIGHT)[0],
    "cg, preconditioned": lambda d, b: traced.linalg.cg(
        traced.with_data(P, d), b, M=sp.diags_array(1 / P.diagonal()), x0=np.ones(N) if b.ndim == 1 else None,
            **TIGHT)[0],
    "gmres": lambda d, b: traced.linalg.gmres(traced.with_data(P, d), b, **TIGHT)[0],
    "bicgstab": lambda d, b: traced.linalg.bicgstab(traced.with_data(P, d), b, **TIGHT)[0],
}


def dense_solve(name, d, b):
    a = matrix(d)
    return np.linalg.solve(a.T if "transposed" in name else a, b)


@pytest.mark.parametrize("b", B.values(), ids=B)
@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_agree_with_dense_ones_under_all_transforms(name, b):
    fun, want = SOLVERS[name], lambda d, b: dense_solve(name, d, b)
    close = {"atol": 1e-8, "rtol": 1e-8}
    for transform in (cv.jacfwd, cv.jacrev):
        for k in (0, 1):
            np.testing.assert_allclose(transform(fun, k)(DATA, b), transform(want, k)(DATA, b), **close)
    second, wanted = (cv.jacfwd(cv.jacrev(lambda d, f=f: np.sum(f(d, b) ** 2))) for f in (fun, want))
    np.testing.assert_allclose(second(DATA), wanted(DATA), **close)
    np.testing.assert_allclose(cv.hessian(lambda d: np.sum(fun(d, b) ** 2))(DATA), wanted(DATA), **close)
    np.testing.assert_allclose(cv.jit(fun)(DATA, b), want(DATA, b), **close)
    slopes, wanted = (cv.grad(lambda d, b, f=f: np.sum(f(d, b) ** 2), (0, 1)) for f in (fun, want))
    for u, v in zip(cv.jit(slopes)(DATA, b), wanted(DATA, b)):
        np.testing.assert_allclose(u, v, **close)
    for axes in ((0, None), (None, 0), (0, 0)):
        args = [np.stack([x, 2 * x]) if a == 0 else x for x, a in zip((DATA, b), axes)]
        np.testing.assert_allclose(cv.vmap(fun, axes)(*args), cv.vmap(want, axes)(*args), **close)
        for u, v in zip(cv.vmap(slopes, axes)(*args), cv.vmap(wanted, axes)(*args)):
            np.testing.assert_allclose(u, v, **close)


@pytest.mark.parametrize("trans", ["N", "T", "H"])
def test_complex_systems(trans):
    data, b = DATA * (1 + 0.3j), B["vector"] + 1j
    lu = traced.linalg.splu(traced.with_data(P, data))
    np.testing.assert_allclose(lu.solve(B["vector"], trans),
                               spl.splu(sp.csr_array((data, P.indices, P.indptr)).tocsc()).solve(B["vector"] + 0j,
                                   trans))

    def solve(d, b):
        return traced.linalg.splu(traced.with_data(P, d)).solve(b, trans)

    def dense(d, b):
        a = matrix(d)
        return np.linalg.solve({"N": a, "T": a.T, "H": a.T.conj()}[trans], b)

    np.testing.assert_allclose(cv.grad(lambda d: np.sum(np.abs(solve(d, b)) ** 2))(data),
                               cv.grad(lambda d: np.sum(np.abs(dense(d, b)) ** 2))(data), atol=1e-12)
    np.testing.assert_allclose(cv.grad(lambda b: np.sum(np.abs(solve(data, b)) ** 2))(b),
                               cv.grad(lambda b: np.sum(np.abs(dense(data, b)) ** 2))(b), atol=1e-12)


def test_arithmetic_of_sparse_arrays():
    b = B["vector"]
    parts = {
        "product of two": (lambda a: (a @ a).toarray(), lambda a: a @ a), "transpose": (lambda a: a.T.toarray(),
            lambda a: a.T),
        "with a plain one": (lambda a: (a @ P).toarray(), lambda a: a @ D),
            "and before": (lambda a: (P @ a).toarray(), lambda a: D @ a),
        "sum": (lambda a: a.sum(), np.sum), "columns": (lambda a: a.sum(0), lambda a: a.sum(0)),
        "rows": (lambda a: a.sum(1), lambda a: a.sum(1)), "diagonal": (lambda a: a.diagonal(),
            lambda a: np.diagonal(a)),
        "linear": (lambda a: (a + 2 * a - P - a / 3).toarray(), lambda a: a + 2 * a - D - a / 3),
        "from": (lambda a: (P - a).toarray(), lambda a: D - a), "elements": (lambda a: (a * a).toarray(),
            lambda a: a * a),
        "scaled": (lambda a: a.multiply(b).toarray(), lambda a: a * b),
        "rows scaled": (lambda a: a.multiply(b[:, None]).toarray(), lambda a: a * b[:, None]),
        "from the left": (lambda a: b @ a, lambda a: b @ a), "dot": (lambda a: a.dot(B["matrix"]),
            lambda a: a @ B["matrix"]),
    }
    a = traced.csr_array(P)
    for name, (fun, want) in parts.items():
        np.testing.assert_allclose(fun(a), want(D), err_msg=name, atol=1e-12)
        found = cv.grad(lambda a, f=fun: np.sum(f(a) ** 2))(a)
        np.testing.assert_allclose(found.toarray(), cv.grad(lambda a, f=want: np.sum(f(a) ** 2))(D) * (D != 0),
            err_msg=name,
                                   atol=1e-10)


def test_matrices_are_made_as_in_scipy():
    c = P.tocsc()
    coo = P.tocoo()
    rows, columns = coo.coords
    twice = (np.concatenate([coo.data, coo.data]), (np.tile(rows, 2), np.tile(columns, 2)))
    for made, want in (
        (traced.csr_array((P.data, P.indices, P.indptr)), D), (traced.csc_array((c.data, c.indices, c.indptr)), D),
        (traced.coo_array(twice, (N, N)), 2 * D), (traced.csr_array(D), D), (traced.csr_array(c), D),
        (traced.csr_array((P.data, P.indices[::1], P.indptr), shape=(N, N + 2)), np.pad(D, ((0, 0), (0, 2)))),
        (traced.diags_array([np.ones(3), 2 * np.ones(2)], offsets=[0, -1]), np.eye(3) + 2 * np.eye(3, k=-1)),
        (traced.diags_array(np.ones(2), offsets=1), np.eye(3, k=1)),
    ):
        np.testing.assert_array_equal(made.toarray(), want)
        assert isinstance(made.to_scipy(), sp.csr_array)
    unsorted = (np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 2]))
    np.testing.assert_array_equal(traced.csr_array(unsorted).toarray(), [[2.0, 1.0]])


def test_sparse_arrays_are_pytrees():
    a = traced.csr_array(P)
    again = pickle.loads(pickle.dumps(a.pattern))
    assert again == a.pattern and hash(again) == hash(a.pattern)
    calls = []
    product = cv.jit(lambda a, x: (calls.append(1), a @ x)[1])
    for k in range(3):
        np.testing.assert_allclose(product(traced.csr_array(P * (k + 1.0)), B["vector"]), (k + 1.0) * D @ B["vector"])
    assert len(calls) == 1
    doubled = cv.tree.map(lambda x: 2 * x, a)
    np.testing.assert_allclose(doubled.toarray(), 2 * D)


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: traced.linalg.spsolve(sp.csr_array(np.ones((2, 2))), np.ones(2)), np.linalg.LinAlgError,
     "SciPy's factorization says 'Factor is exactly singular'; change the matrix"),
    (lambda: traced.linalg.splu(np.ones((2, 2))), np.linalg.LinAlgError, "Factor is exactly singular"),
    (lambda: cv.grad(lambda b: traced.linalg.cg(P, b, maxiter=1, rtol=1e-14)[0].sum())(B["vector"]),
        np.linalg.LinAlgError,
     r"cg did not solve .*convergence to tolerance not achieved, number of iterations 1.*give a larger maxiter"),
    (lambda: traced.linalg.spsolve(P, sp.csr_array(B["matrix"])), Exception, "sparse right-hand side.*use b.toarray"),
    (lambda: traced.linalg.spsolve(P, np.ones(4)), ValueError,
        r"needs a right-hand side of shape \(6,\) or \(6, k\), but got"),
    (lambda: traced.linalg.spsolve(traced.csr_array(np.ones((2, 3))), np.ones(2)), ValueError,
        "needs a square matrix, but got"),
    (lambda: traced.linalg.splu(spl.aslinearoperator(P)), Exception,
     "needs a matrix to factorize.*cg, gmres or bicgstab"),
    (lambda: cv.grad(lambda x: traced.linalg.cg(P, B["vector"], x0=x)[0].sum())(B["vector"]), Exception,
        "got a traced x0"),
    (lambda: traced.csr_array(P) + D, Exception, r"would have no zeros; use A.toarray\(\)"),
    (lambda: cv.grad(lambda d: traced.with_data(P, d).to_scipy().sum())(DATA), Exception,
        "cannot hold those; compute with"),
    (lambda: traced.with_data(P, DATA[:3]), ValueError, r"needs the \d+ values of a pattern, but got shape \(3,\)"),
    (lambda: traced.coo_array((np.ones(2), ([0, 1], [0, 5])), (2, 2)), ValueError,
        "places outside of a matrix of shape"),
    (lambda: traced.coo_array((np.ones(3), ([0, 1], [0, 1]))), ValueError, "as many rows and columns as values"),
    (lambda: traced.csr_array((np.ones(2), np.array([0, 1]), np.array([0, 1]))), ValueError,
        "one index for each value"),
    (lambda: traced.csr_array(np.ones(3)), ValueError, r"needs a matrix, but got shape \(3,\)"),
    (lambda: traced.diags_array([np.ones(3)], offsets=[0], shape=(2, 2)), ValueError,
        "a vector of length 2 for the diagonal 0"),
    (lambda: traced.csr_array(P) @ traced.csr_array(WIDE), ValueError, "needs as many columns as rows"),
    (lambda: traced.csr_array(P) @ np.ones(4), ValueError, r"needs a vector \(6,\)"),
    (lambda: traced.linalg.splu(P).solve(np.ones(6), trans="X"), ValueError, 'trans="N", "T" or "H", but got'),
    (lambda: cv.jit(lambda i: traced.coo_array((np.ones(2), (i, i))).sum())(np.array([0, 1])), ValueError,
        "rows .* are traced"),
])
def test_bad_input_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_plain_arrays_get_what_scipy_gives():
    b = B["vector"]
    x, info = traced.linalg.cg(P, b, maxiter=2, rtol=1e-14)
    theirs, code = spl.cg(P, b, maxiter=2, rtol=1e-14)
    np.testing.assert_allclose(x, theirs)
    assert info == code > 0
    seen = []
    traced.linalg.gmres(P, b, callback=seen.append, callback_type="pr_norm")
    assert seen
    np.testing.assert_allclose(traced.linalg.spsolve(P, b), spl.spsolve(P, b))


def test_a_pullback_uses_the_factorization_again(monkeypatch):
    counted = []
    real = spl.splu
    monkeypatch.setattr(spl, "splu", lambda *args, **kwargs: (counted.append(1), real(*args, **kwargs))[1])
    cv.grad(lambda d: np.sum(traced.linalg.spsolve(traced.with_data(P, d), B["vector"]) ** 2))(DATA)
    assert len(counted) <= 1


def test_single_precision_stays():
    a = traced.csr_array(P.astype(np.float32))
    b = B["vector"].astype(np.float32)
    for out in (a @ b, traced.linalg.spsolve(a, b), traced.linalg.cg(a, b)[0], (a @ a).data, a.toarray()):
        assert out.dtype == np.float32


def test_patterns_of_sparse_operations_are_sparse():
    assert cv.sparsity(lambda x: P @ x)(B["vector"]).nnz == P.nnz
    assert cv.sparsity(lambda d: traced.with_data(P, d) @ B["vector"])(DATA).nnz == P.nnz
    found = cv.sparse_jacobian(lambda x: P @ x**2)(B["vector"])
    np.testing.assert_allclose(found.toarray(), D * 2 * B["vector"])


def test_a_shape_gives_zeros_as_in_scipy():
    for make in (traced.csr_array, traced.csc_array, traced.coo_array):
        found = make((2, 3))
        assert found.shape == (2, 3) and found.nnz == 0
        np.testing.assert_array_equal(found @ np.ones(3), np.zeros(2))


def test_numbers_fill_a_diagonal_as_in_scipy():
    given = [1.0, -2.0, [3.0]], {"offsets": [-1, 0, 2], "shape": (4, 5)}
    np.testing.assert_array_equal(traced.diags_array(given[0], **given[1]).toarray(),
                                  sp.diags_array(given[0], **given[1]).toarray())
    slope = cv.grad(lambda h: (traced.diags_array([h, -2.0 * h], offsets=[1, 0], shape=(4, 4)) @ np.ones(4)).sum())
    assert slope(3.0) == 3 - 8


def test_numpy_sums_a_sparse_array():
    matrix = traced.csr_array(np.array([[2.0, 0.0], [1.0, 3.0]]))
    assert np.sum(matrix) == 6.0
    np.testing.assert_array_equal(np.sum(matrix, axis=0), [3.0, 3.0])
    assert matrix.sum(dtype=np.float32).dtype == np.float32


@pytest.mark.parametrize("places", [([-1], [0]), 3.0, ([0],)])
def test_places_that_are_none_are_named(places):
    with pytest.raises(ValueError, match="coo_array"):
        traced.coo_array((np.array([1.0]), places))


@pytest.mark.parametrize("form", ["matrix", "function"])
@pytest.mark.parametrize("preconditioned", [False, True])
@pytest.mark.parametrize("name", ["cg", "gmres", "bicgstab"])
def test_iterative_solvers_do_not_depend_on_the_scale_of_cotangents(name, preconditioned, form):
    n = 20
    dense = (np.diag(np.linspace(1.0, 50.0, n)) - 0.5 * np.eye(n, k=1) - 0.5 * np.eye(n, k=-1)).astype(np.float32)
    matrix = traced.csr_array(dense)
    given = matrix if form == "matrix" else lambda x: dense @ x
    inverse = np.diag(1.0 / np.diag(dense)).astype(np.float32)
    options = {"M": (inverse if form == "matrix" else lambda x: inverse @ x) if preconditioned else None, "rtol": 1e-5}
    b, ones = np.ones(n, np.float32), np.ones(n, np.float32)
    _, pullback = cv.vjp(lambda b: getattr(cv.scipy.sparse.linalg, name)(given, b, **options)[0], b)
    for scale in (1.0, 1e-12, 1e-25, 1e-35, 1e25):
        (found,) = pullback(ones * np.float32(scale))
        np.testing.assert_allclose(found / np.float32(scale), np.linalg.solve(dense.T, ones), rtol=1e-3)


def few(m, **options):
    return traced.linalg.eigsh(traced.with_data(P, (m + m.T)[P.nonzero()]), 3, **options)


@pytest.mark.parametrize("options", [{}, {"sigma": 1.5}, {"which": "SA"}])
def test_eigenvalues_and_vectors_are_those_of_scipy_and_of_eigh(options):
    w, v = few(D / 2, **options)
    there, vectors = spl.eigsh(P, 3, **options)
    np.testing.assert_allclose(w, there)
    np.testing.assert_allclose(v**2, vectors**2, atol=1e-10)
    at = np.searchsorted(np.linalg.eigvalsh(D), np.asarray(w) - 1e-6)
    for fun, dense in ((lambda m: few(m, **options)[0], lambda m: np.linalg.eigh(m + m.T)[0][at]),
                       (lambda m: few(m, **options)[1] ** 2, lambda m: np.linalg.eigh(m + m.T)[1][:, at] ** 2),
                       (lambda m: few(m, return_eigenvectors=False, **options), lambda m: np.linalg.eigvalsh(
                           m + m.T)[at])):
        mask = D != 0  # what lies beyond the pattern is not read
        for how in (cv.jacrev, cv.jacfwd):
            np.testing.assert_allclose(how(fun)(D / 2), np.where(mask, how(dense)(D / 2), 0.0), atol=1e-8)
        cv.testing.check_grads(fun, (D / 2,))
        np.testing.assert_allclose(cv.vmap(fun)(np.stack([D / 2, D])), np.stack([fun(D / 2), fun(D)]), atol=1e-9)
        np.testing.assert_allclose(cv.jit(cv.jacrev(fun))(D / 2), cv.jacrev(fun)(D / 2), atol=1e-9)


def test_vectors_of_a_repeated_eigenvalue_have_no_derivative_and_the_values_do():
    data, where = np.array([1.0, 2.0, 3.0, 3.0]), (np.arange(4), np.arange(4))
    for k in (1, 2):
        def fun(d, k=k):
            return (traced.linalg.eigsh(traced.coo_array((d, where)), k)[1] * X[:1]).sum()

        with pytest.raises(np.linalg.LinAlgError):
            cv.grad(fun)(data)
        with pytest.raises(np.linalg.LinAlgError):
            cv.jvp(fun, (data,), (np.arange(4.0),))
    slopes = cv.grad(lambda d: traced.linalg.eigsh(traced.coo_array((d, where)), 2, return_eigenvectors=False).sum())
    np.testing.assert_allclose(slopes(data), [0.0, 0.0, 1.0, 1.0], atol=1e-12)


def test_a_csc_array_is_the_array_itself():
    a = traced.csr_array(P)
    assert a.tocsc() is a
