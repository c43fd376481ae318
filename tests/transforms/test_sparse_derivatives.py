"""Sparse Jacobians and Hessians: patterns, colourings, plans, and what is refused."""

import sys

import numpy as np
import pytest

import covector
import covector.numpy as cnp
from covector import sparse_hessian, sparse_jacobian, sparsity

sparse = pytest.importorskip("scipy.sparse")
RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 1.5, 12)


def brusselator(y):
    n = int((y.size // 2) ** 0.5)
    u, v = y[: n * n].reshape(n, n), y[n * n :].reshape(n, n)

    def diffused(w):
        return np.roll(w, 1, 0) + np.roll(w, -1, 0) + np.roll(w, 1, 1) + np.roll(w, -1, 1) - 4 * w

    return np.concatenate([(1 + u**2 * v - 4.4 * u + diffused(u)).ravel(), (3.4 * u - u**2 * v + diffused(v)).ravel()])


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


@covector.custom_vjp
def halved(x):
    return np.floor(x)


halved.defvjp(lambda x: (np.floor(x), None), lambda res, ct: (0.5 * ct,))


@covector.custom_jvp
def passed(x):
    return np.floor(x)


passed.defjvp(lambda primals, tangents: (passed(*primals), tangents[0]))


def scanned(x):
    carry, ys = covector.scan(lambda c, v: (0.5 * c + v[0] * v[1], c * v[0]), x[0], x[2:].reshape(-1, 2))
    return cnp.concatenate([ys, cnp.stack([carry])])


def looped(x):
    def body(s):
        k, y = s
        return k + 1, cnp.concatenate([y[:1], y[1:] * y[:-1]])

    return covector.while_loop(lambda s: s[0] < 3, body, (0, x))[1]


FUNCTIONS = {
    "stencil": lambda x: x[2:] - 2 * x[1:-1] ** 2 + x[:-2],
    "gather": lambda x: np.sin(x[np.array([3, 3, 0, 7])]) * x[:4],
    "mask": lambda x: x * np.where(np.arange(12) % 3 == 0, 0.0, 1.0) * x[::-1],
    "chosen": lambda x: np.where(x > 1.0, x**2, x[::-1]),
    "known product": lambda x: np.eye(12, k=1) @ np.exp(x),
    "rows of a product": lambda x: (x.reshape(4, 3) @ RNG_MATRIX).ravel(),
    "einsum": lambda x: np.einsum("ij,ij->i", x.reshape(4, 3), np.cos(x.reshape(4, 3))),
    "reduced": lambda x: np.max(x.reshape(4, 3), axis=1) + np.mean(x.reshape(4, 3), axis=1),
    "softmax": lambda x: covector.nn.softmax(x.reshape(3, 4), axis=1).ravel(),
    "sorted": lambda x: np.sort(x.reshape(3, 4), axis=1).ravel(),
    "convolution": lambda x: np.convolve(x, np.array([1.0, 0.0, -2.0]), mode="same") ** 2,
    "cumulated": lambda x: np.cumsum(x.reshape(3, 4), axis=1).ravel() * x,
    "scattered": lambda x: covector.grad(lambda y: np.sum(y[np.array([0, 1, 1, 4])] * x[:4] ** 2))(np.zeros(5)),
    "jit": covector.jit(lambda x: np.sin(x[1:]) * x[:-1]),
    "vmap": lambda x: covector.vmap(lambda r: r * r.sum())(x.reshape(4, 3)).ravel(),
    "solve": lambda x: covector.vmap(lambda r: np.linalg.solve(np.eye(2) * 3 + np.outer(r, r), r))(
        x.reshape(6, 2)).ravel(),
    "scan": scanned,
    "while": looped,
    "fori": lambda x: covector.fori_loop(0, 3, lambda i, y: cnp.roll(y, 1) * x, x),
    "cond": lambda x: covector.cond(x[0] > 1.0, lambda v: v * v[::-1], lambda v: 2.0 * v, x),
    "checkpoint": covector.checkpoint(lambda x: np.sin(x[1:]) * x[:-1]),
    "custom_vjp": lambda x: halved(x[1:]) * x[:-1],
    "custom_jvp": lambda x: passed(x[1:]) * x[:-1],
    "constant": lambda x: np.ones(3),
    "scalar": lambda x: x[3] * x[5],
    "integers": lambda x: {"a": np.argsort(x), "b": x[:2] ** 2},
    "full row and column": lambda x: np.concatenate([[x.sum() ** 2] * 1, x[1:] * x[0]]) if False else cnp.concatenate(
        [cnp.stack([(x**2).sum()]), x[1:] ** 2 * x[0]]),
}
RNG_MATRIX = RNG.normal(size=(3, 3))


def dense(fun, x):
    """The Jacobian by the dense transform, outputs one below the other, zeros for integer ones."""
    rows = []
    jacobian = covector.jacrev(lambda x: [v for v in covector.tree.leaves(fun(x)) if v.dtype.kind in "fc"])(x)
    jacobian = iter(jacobian)
    for v in covector.tree.leaves(fun(x)):
        rows.append(np.asarray(next(jacobian)).reshape(-1, x.size) if v.dtype.kind in "fc" else np.zeros((v.size,
            x.size)))
    return np.concatenate(rows)


@pytest.mark.parametrize("mode", ["auto", "fwd", "rev", "both"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_sparse_jacobian_is_the_dense_one(name, mode):
    fun = FUNCTIONS[name]
    if (name, mode) in {("custom_vjp", "fwd"), ("custom_vjp", "both"), ("while", "rev"), ("while", "both")}:
        mode = "auto"
    if name == "while":
        want = covector.jacfwd(fun)(X)
    else:
        want = dense(fun, X)
    found = sparse_jacobian(fun, mode=mode, check=True)(X)
    assert isinstance(found, sparse.csr_array) and found.has_sorted_indices
    np.testing.assert_allclose(found.toarray(), want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "nonzeros"), [
    ("stencil", 30), ("gather", 8), ("mask", 20), ("chosen", 24), ("known product", 11), ("rows of a product", 36),
    ("einsum", 12), ("softmax", 48), ("jit", 22), ("vmap", 36), ("solve", 24), ("cond", 24), ("custom_vjp", 22),
    ("constant", 0), ("scattered", 4), ("convolution", 22), ("full row and column", 34)])
def test_patterns_are_no_larger_than_needed(name, nonzeros):
    assert sparsity(FUNCTIONS[name])(X).nnz == nonzeros


@pytest.mark.parametrize("mode", ["auto", "both"])
@pytest.mark.parametrize("compiled", [False, True])
def test_compiled_loop_with_a_condition_on_values_takes_forward_passes(mode, compiled):
    def sums(x):  # two rows and five columns: rows would need fewer passes
        y = covector.while_loop(lambda s: np.sum(s) < 100, lambda s: s * 1.5, x)
        return np.stack([y.sum(), (y**2).sum()])

    x = np.arange(1.0, 6.0)
    for fun in (sums, covector.jit(sums)):
        found = sparse_jacobian(fun, mode=mode, jit=compiled)(x).toarray()
        np.testing.assert_allclose(found, covector.jacfwd(sums)(x), rtol=1e-12)


def test_steps_of_a_scan_depend_on_earlier_rows_alone():
    pattern = sparsity(scanned)(X).toarray()
    ys = pattern[:5]
    assert not np.any(np.triu(ys[:, 2::2], 1))
    assert pattern[5].sum() == 11


@pytest.mark.parametrize("colouring", ["star", "acyclic", "columns"])
@pytest.mark.parametrize("fun", [
    pytest.param(rosenbrock, id="rosenbrock"),
    pytest.param(lambda x: np.sum(brusselator(x[:8]) ** 2) + x[11] * x[8], id="brusselator"),
    pytest.param(lambda x: np.sum(x) ** 2 + x[3] ** 3, id="full"),
    pytest.param(lambda x: x[0] * np.sum(np.sin(x[1:])), id="arrow"),
    pytest.param(covector.jit(rosenbrock), id="jit"),
    pytest.param(lambda x: np.sum(x), id="linear"),
    pytest.param(lambda x: np.sum(halved(x) * x), id="loop"),
    pytest.param(lambda x: np.sum(scanned(x)), id="scan"),
    pytest.param(lambda x: 1.0, id="constant"),
])
def test_sparse_hessian_is_the_dense_one(fun, colouring):
    found = sparse_hessian(fun, colouring=colouring, check=True)(X)
    np.testing.assert_allclose(found.toarray(), covector.hessian(fun)(X), rtol=1e-10, atol=1e-10)


def random_symmetric(n, density, seed):
    a = sparse.random_array((n, n), density=density, rng=np.random.default_rng(seed))
    return (a + a.T + sparse.eye_array(n)).tocsr()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("colouring", ["star", "acyclic"])
def test_random_hessians_are_recovered(seed, colouring):
    a = random_symmetric(40, 0.02 * (seed + 1), seed)
    i, j = a.nonzero()
    weights = a.data

    def energy(x):
        return 0.5 * np.sum(weights * x[i] * x[j])

    plan = sparse_hessian(energy, colouring=colouring).plan(np.ones(40))
    np.testing.assert_allclose(plan(np.ones(40)).toarray(), a.toarray(), atol=1e-10)
    columns = sparse_hessian(energy, colouring="columns").plan(np.ones(40))
    assert plan.passes[0] <= columns.passes[0]


def test_symmetry_saves_sweeps():
    def arrow(x):
        return x[0] * np.sum(x**2)

    x = np.ones(50)
    assert sparse_hessian(arrow).plan(x).passes == (2, 0)
    assert sparse_hessian(arrow, colouring="columns").plan(x).passes == (50, 0)
    assert sparse_hessian(rosenbrock, colouring="acyclic").plan(x).passes == (2, 0)
    assert sparse_hessian(rosenbrock).plan(x).passes == (3, 0)


def test_full_rows_and_columns_take_sweeps_of_both_kinds():
    def arrow(x):
        return cnp.concatenate([cnp.stack([(x**2).sum()]), x[1:] ** 2 * x[0]])

    x = RNG.uniform(1, 2, 80)
    plan = sparse_jacobian(arrow).plan(x)
    assert sum(plan.passes) == 3 and all(plan.passes)
    np.testing.assert_allclose(plan(x).toarray(), covector.jacobian(arrow)(x))


def test_a_plan_is_used_again():
    y = RNG.uniform(1, 2, 72)
    plan = sparse_jacobian(brusselator).plan(y)
    assert plan.pattern.nnz == 72 * 6 and plan.passes[1] == 0
    for scale in (1.0, 2.0):
        np.testing.assert_allclose(plan(scale * y).toarray(), covector.jacfwd(brusselator)(scale * y), atol=1e-12)


def test_a_plan_needs_shapes_alone():
    plan = sparse_jacobian(brusselator).plan(covector.ShapeDtype((32,)))
    y = RNG.uniform(1, 2, 32)
    np.testing.assert_allclose(plan(y).toarray(), covector.jacfwd(brusselator)(y), atol=1e-12)


@pytest.mark.parametrize("chunk_size", [1, 2, 5])
@pytest.mark.parametrize("mode", ["fwd", "rev", "both"])
def test_chunks_give_the_same(chunk_size, mode):
    y = RNG.uniform(1, 2, 32)
    found = sparse_jacobian(brusselator, mode=mode, chunk_size=chunk_size)(y)
    np.testing.assert_allclose(found.toarray(), covector.jacfwd(brusselator)(y), atol=1e-12)


def test_results_share_no_memory_with_the_plan():
    plan = sparse_jacobian(FUNCTIONS["stencil"]).plan(X)
    first = plan(X)
    first.indices[:] = 0
    first.indptr[:] = 0
    np.testing.assert_allclose(plan(X).toarray(), covector.jacfwd(FUNCTIONS["stencil"])(X))


def test_other_arguments_may_change_unless_they_are_integers():
    def fun(x, w, index, scale=1.0):
        return x[index] * w * scale

    x, w = RNG.normal(size=5), RNG.normal(size=3)
    plan = sparse_jacobian(fun).plan(x, np.zeros(3), np.array([0, 3, 1]), scale=2.0)
    found = plan(x, w, np.array([0, 3, 1]), scale=3.0).toarray()
    np.testing.assert_allclose(found, covector.jacfwd(fun)(x, w, np.array([0, 3, 1]), scale=3.0))
    with pytest.raises(ValueError, match=r"plan of sparse_jacobian was made for .*, on which the pattern may depend, "
                                         r"but got .*make another plan"):
        plan(x, w, np.array([0, 3, 2]), scale=3.0)


def test_pytrees_stand_side_by_side():
    def fun(p, q):
        return {"sum": p["a"] + q[0], "product": p["b"] * q[1].sum()}

    p, q = {"a": np.ones(2), "b": np.full((2, 2), 3.0)}, (np.ones(2), np.ones(3))
    found = sparse_jacobian(fun, argnums=(0, 1))(p, q).toarray()
    want = covector.jacfwd(fun, argnums=(0, 1))(p, q)
    rows = [np.concatenate([np.asarray(b).reshape(np.prod(s, dtype=int), -1) for b in covector.tree.leaves(want[k])], 1)
            for k, s in (("product", (2, 2)), ("sum", (2,)))]
    order = ("sum", "product") if list(covector.tree.leaves({"sum": 1, "product": 2})) == [1, 2] else ("product", "sum")
    rows = rows if order[0] == "product" else rows[::-1]
    np.testing.assert_allclose(found, np.concatenate(rows))
    swapped = sparse_jacobian(fun, argnums=(1, 0))(p, q).toarray()
    np.testing.assert_allclose(swapped, np.concatenate([found[:, 6:], found[:, :6]], 1))


def test_values_are_differentiated_batched_and_compiled():
    y = RNG.uniform(1, 2, 8)
    plan = sparse_jacobian(brusselator).plan(y)

    def of(y):
        return covector.jacfwd(brusselator)(y)[plan.rows, plan.columns]

    np.testing.assert_allclose(plan.values(y), of(y))
    np.testing.assert_allclose(covector.jit(plan.values)(y), of(y))
    np.testing.assert_allclose(covector.jacrev(plan.values)(y), covector.jacfwd(of)(y), atol=1e-12)
    batch = RNG.uniform(1, 2, (3, 8))
    np.testing.assert_allclose(covector.vmap(plan.values)(batch), np.stack([of(b) for b in batch]))


@pytest.mark.parametrize("colouring", ["star", "acyclic", "columns"])
def test_values_of_a_hessian_are_differentiated_batched_and_compiled(colouring):
    x = RNG.uniform(1, 2, 6)
    plan = sparse_hessian(rosenbrock, colouring=colouring).plan(x)

    def of(x):
        return covector.hessian(rosenbrock)(x)[plan.rows, plan.columns]

    np.testing.assert_allclose(covector.jit(plan.values)(x), of(x), atol=1e-9)
    np.testing.assert_allclose(covector.jacfwd(plan.values)(x), covector.jacfwd(of)(x), atol=1e-9)
    np.testing.assert_allclose(covector.jacrev(plan.values)(x), covector.jacfwd(of)(x), atol=1e-9)
    batch = RNG.uniform(1, 2, (3, 6))
    np.testing.assert_allclose(covector.vmap(plan.values)(batch), np.stack([of(b) for b in batch]), atol=1e-9)


def test_traced_results_are_refused_with_a_way_out():
    with pytest.raises(covector.core.errors.RuleError if hasattr(covector, "core") else Exception,
                       match=r"cannot hold those; use the elements themselves, plan.values"):
        covector.jit(lambda x: sparse_jacobian(FUNCTIONS["stencil"])(x))(X)


def test_complex_functions():
    z = RNG.normal(size=4) + 1j * RNG.normal(size=4)

    def fun(z):
        return z[1:] * np.exp(z[:-1])

    for mode in ("fwd", "rev"):
        found = sparse_jacobian(fun, holomorphic=True, mode=mode, check=True)(z)
        np.testing.assert_allclose(found.toarray(), covector.jacfwd(fun, holomorphic=True)(z))
        real = sparse_jacobian(lambda x: fun(x + 2j * x**2), mode=mode, check=True)(z.real)
        np.testing.assert_allclose(real.toarray(), covector.jacfwd(lambda x: fun(x + 2j * x**2))(z.real))
    hessian = sparse_hessian(lambda z: np.sum(z[1:] * z[:-1] ** 2), holomorphic=True, colouring="acyclic")(z)
    np.testing.assert_allclose(hessian.toarray(), covector.hessian(
        lambda z: np.sum(z[1:] * z[:-1] ** 2), holomorphic=True)(z), atol=1e-12)
    with pytest.raises(TypeError,
        match=r"needs real inputs without holomorphic=True, but got .*; pass holomorphic=True"):
        sparse_jacobian(fun)(z)


def test_single_precision_stays():
    x = X.astype(np.float32)
    for fun, made in ((FUNCTIONS["stencil"], sparse_jacobian), (rosenbrock, sparse_hessian)):
        assert made(fun, check=True)(x).dtype == np.float32


def test_a_wrong_pattern_is_found_by_a_random_product():
    right = sparsity(brusselator)(np.ones(32))
    wrong = right.copy()
    wrong.data[5] = False
    y = RNG.uniform(1, 2, 32)
    for mode in ("fwd", "rev", "auto"):
        with pytest.raises(Exception, match=r"pattern of sparse_jacobian lacks an element of (row|column) \d+.*; "
                                            r"leave pattern out, give one with all elements, or pass check=False"):
            sparse_jacobian(brusselator, pattern=wrong, mode=mode)(y)
    assert sparse_jacobian(brusselator, pattern=wrong, check=False)(y).nnz == 191
    np.testing.assert_allclose(sparse_jacobian(brusselator, pattern=right.tocoo())(y).toarray(),
                               covector.jacfwd(brusselator)(y), atol=1e-12)
    with pytest.raises(Exception, match="pattern of sparse_hessian lacks"):
        sparse_hessian(rosenbrock, pattern=sparse.eye_array(12))(X)
    with pytest.raises(ValueError, match=r"needs a pattern of shape \(32, 32\) .* but got \(2, 2\)"):
        sparse_jacobian(brusselator, pattern=np.eye(2))(y)


def test_colourings_of_users():
    fun = FUNCTIONS["stencil"]
    want = covector.jacfwd(fun)(X)
    np.testing.assert_allclose(sparse_jacobian(fun, colouring=np.arange(12) % 3)(X).toarray(), want)
    np.testing.assert_allclose(sparse_jacobian(fun, mode="rev", colouring=np.arange(10) % 5)(X).toarray(), want)
    with pytest.raises(ValueError, match=r"gives columns 0 and 2 the same colour 0, but both have an element in row 0"):
        sparse_jacobian(fun, colouring=np.arange(12) % 2)(X)
    with pytest.raises(ValueError, match="gives no colour to column 1, which has elements"):
        sparse_jacobian(fun, colouring=np.where(np.arange(12) == 1, -1, np.arange(12)))(X)
    with pytest.raises(ValueError, match=r"one integer for each column, 12 here, but got an array of shape \(3,\)"):
        sparse_jacobian(fun, colouring=np.arange(3))(X)
    for colours in (np.arange(12) % 3, np.arange(12) % 2):
        found = sparse_hessian(rosenbrock, colouring=colours)(X)
        np.testing.assert_allclose(found.toarray(), covector.hessian(rosenbrock)(X), atol=1e-10)
    with pytest.raises(ValueError, match="gives rows 0 and 1 the same colour 0, but their element is not 0"):
        sparse_hessian(rosenbrock, colouring=np.zeros(12, int))(X)

    def ring(x):
        return np.sum((x * np.roll(x, 1)) ** 2)

    with pytest.raises(ValueError, match=r"two colours make a cycle; give a star or an acyclic colouring"):
        sparse_hessian(ring, colouring=np.arange(12) % 2)(X)


def test_other_shapes_are_refused():
    plan = sparse_jacobian(FUNCTIONS["stencil"]).plan(X)
    with pytest.raises(ValueError,
        match=r"made for an argument of shape \(12,\), but got shape \(13,\); make another plan"):
        plan(np.ones(13))
    with pytest.raises(TypeError, match="made for 1 positional arguments, but got 2"):
        plan(X, X)
    with pytest.raises(ValueError, match=r"made for arguments .* but got .*; make another plan"):
        plan({"x": X})
    with pytest.raises(TypeError, match="needs floating or complex inputs"):
        sparse_jacobian(FUNCTIONS["stencil"])(np.arange(12))


def test_choices_by_values_are_refused():
    with pytest.raises(TypeError, match=r"use np.where or covector.cond"):
        sparse_jacobian(lambda x: x if x[0] > 0 else 2 * x)(X)


def test_a_full_pattern_is_refused_before_memory_is():
    with pytest.raises(ValueError,
        match=r"nonzeros came up, and more than \d+ are not kept; .*use jacobian, or products"):
        sparsity(lambda x: x - np.mean(x))(np.ones(20_000))


def test_modes_and_rules_that_do_not_go_together():
    with pytest.raises(ValueError, match='needs mode "auto", "fwd", "rev" or "both"'):
        sparse_jacobian(rosenbrock, mode="columns")
    with pytest.raises(ValueError, match='needs colouring "star", "acyclic", "columns"'):
        sparse_hessian(rosenbrock, colouring="rows")
    with pytest.raises(Exception, match=r"has a custom_vjp, which has none; use mode=\"rev\", or custom_jvp"):
        sparse_jacobian(FUNCTIONS["custom_vjp"], mode="fwd")(X)


def test_empty_inputs_and_outputs():
    assert sparse_jacobian(lambda x: x[:0])(X).shape == (0, 12)
    assert sparse_jacobian(lambda x: x * 2)(np.zeros(0)).shape == (0, 0)
    assert sparse_hessian(lambda x: np.sum(x**2))(np.zeros(0)).shape == (0, 0)


@pytest.mark.parametrize("seed", range(6))
def test_random_patterns_in_all_modes(seed):
    rng = np.random.default_rng(seed)
    a = sparse.random_array((30, 20), density=0.05 + 0.05 * seed, rng=rng).tocoo()
    rows, columns = a.coords

    def fun(x):
        return covector.grad(lambda y: np.sum(y[rows] * a.data * x[columns] ** 2))(np.zeros(30))

    x = rng.uniform(1, 2, 20)
    for mode in ("auto", "fwd", "rev", "both"):
        plan = sparse_jacobian(fun, mode=mode).plan(x)
        np.testing.assert_allclose(plan(x).toarray(), covector.jacfwd(fun)(x), atol=1e-12)
        assert plan.pattern.nnz == a.nnz


def test_compiled_plans_give_the_same():
    y = RNG.uniform(1, 2, 32)
    for chunk_size in (None, 3):
        plan = sparse_jacobian(brusselator, jit=True, check=True, chunk_size=chunk_size).plan(y)
        for scale in (1.0, 2.0):
            np.testing.assert_allclose(plan(scale * y).toarray(), covector.jacfwd(brusselator)(scale * y), atol=1e-12)
    plan = sparse_hessian(rosenbrock, jit=True, colouring="acyclic").plan(X)
    for scale in (1.0, 2.0):
        np.testing.assert_allclose(plan(scale * X).toarray(), covector.hessian(rosenbrock)(scale * X), atol=1e-9)


def test_derivatives_flow_to_values_that_are_closed_over():
    def total(w):
        return np.sum(sparse_jacobian(lambda x: w * x[1:] ** 2).plan(X).values(X))

    assert np.isclose(covector.grad(total)(2.0), np.sum(2 * X[1:]))
    assert np.isclose(covector.jit(total)(2.0), np.sum(4 * X[1:]))
    np.testing.assert_allclose(covector.vmap(total)(np.array([1.0, 3.0])), np.array([2.0, 6.0]) * np.sum(X[1:]))


def test_scipy_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    for made in (sparse_jacobian, sparse_hessian, sparsity):
        with pytest.raises(ImportError, match=r"needs SciPy, but importing it failed .*'covector\[scipy\]'"):
            made(rosenbrock)(X)


@pytest.mark.parametrize("dtype", [int, bool])
def test_a_plan_needs_the_values_of_integers(dtype):
    with pytest.raises(TypeError, match="needs the values of integer and boolean .*; pass the array"):
        sparse_jacobian(lambda x, i: x[i]).plan(np.ones(3), covector.ShapeDtype((3,), dtype))
