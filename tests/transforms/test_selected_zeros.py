"""What a selection leaves out contributes exactly zero, through every rule, in every mode: as if it were not there."""

import numpy as np
import pytest

import covector
import covector.scipy.special
from covector.testing.cases import cases, find

X = np.array([0.0, 0.3, 0.0, 0.7, 1.2])
KEPT = np.array([1, 3, 4])
MATRIX = np.random.default_rng(0).normal(size=(5, 4))


def _where(h):
    return lambda p: np.sum(np.where(p > 0, h(np, p), 0.0))


def _alone(h):
    return lambda p: np.sum(h(np, p))


SINGULAR = {
    "a product with a logarithm": lambda np, p: p * np.log(p),
    "a square of a quotient": lambda np, p: (1 / p) ** 2 - 1 / p,
    "a product of three": lambda np, p: np.exp(p) * np.sqrt(p) * np.log(p),
    "abs and square": lambda np, p: np.square(np.abs(np.log(p))),
    "a sine of a pole": lambda np, p: np.sin(1 / p) * p,
    "a power of a variable": lambda np, p: np.power(p, np.log(p)),
    "hypot": lambda np, p: np.hypot(np.log(p), p) * p,
}
MODES = {
    "grad": lambda f: covector.grad(f),
    "jacrev": lambda f: covector.jacrev(f),
    "jacfwd": lambda f: covector.jacfwd(f),
    "vmap": lambda f: lambda x: covector.vmap(covector.grad(f))(np.stack([x, x]))[1],
    "jit": lambda f: covector.jit(covector.grad(f)),
    "grad of jit": lambda f: covector.grad(covector.jit(f)),
    "checkpoint": lambda f: covector.grad(covector.checkpoint(f)),
    "hessian": lambda f: covector.hessian(f),
    "reverse over reverse": lambda f: covector.jacrev(covector.jacrev(f)),
    "reverse over forward": lambda f: covector.jacrev(covector.jacfwd(f)),
    "forward over forward": lambda f: covector.jacfwd(covector.jacfwd(f)),
    "hessian, compiled": lambda f: covector.jit(covector.hessian(f)),
}


def _scattered(found):
    out = np.zeros((len(X),) * found.ndim)
    out[np.ix_(*[KEPT] * found.ndim)] = found
    return out


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SINGULAR)
def test_masked_elements_contribute_nothing(name, mode):
    h = SINGULAR[name]
    with np.errstate(all="ignore"):
        found = MODES[mode](_where(h))(X)
        wanted = _scattered(MODES[mode](_alone(h))(X[KEPT]))
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


SELECTIONS = {
    "an index": lambda y: y[KEPT],
    "a mask": lambda y: y[X > 0],
    "where=": lambda y: np.sqrt(np.sum(y**2, where=X > 0)),
    "overwriting": lambda y: covector.numpy.asarray(y).at[X == 0].set(0.0),
    "a slice of a product": lambda y: np.concatenate([y[1:2], y[3:]]),
    "select": lambda y: np.select([X > 0], [y], 0.0),
}


@pytest.mark.parametrize("mode", ["grad", "jacfwd", "hessian", "jit"])
@pytest.mark.parametrize("name", SELECTIONS)
def test_every_selection_counts(name, mode):
    def f(p):
        return np.sum(SELECTIONS[name](p * np.log(p)) ** 2)

    with np.errstate(all="ignore"):
        found = MODES[mode](f)(X)
        wanted = _scattered(MODES[mode](lambda p: np.sum((p * np.log(p)) ** 2))(X[KEPT]))
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


ROWS = np.array([[1.0, np.nan], [2.0, 3.0], [np.inf, 0.5]])
LAYERS = {
    "a matrix product": lambda w: ROWS @ w,
    "einsum": lambda w: np.einsum("ij,jk->ik", ROWS, w),
    "an affine map": lambda w: ROWS @ w + w[0],
    "a vector": lambda w: (ROWS @ w[:, 0])[:, None],
    "layer_norm": lambda w: covector.nn.layer_norm(ROWS, w[0], w[1]),
    "softmax of a product": lambda w: covector.nn.softmax(ROWS @ w, axis=-1) ** 2,
    "cross entropy": lambda w: covector.nn.softmax_cross_entropy(ROWS @ w, [0, 1, 1])[:, None],
    "cross entropy of weights": lambda w: covector.nn.softmax_cross_entropy(ROWS @ w, np.ones((3, 2)))[:, None],
}


@pytest.mark.parametrize("mode", ["grad", "jacfwd", "jit", "hessian", "grad of jit"])
@pytest.mark.parametrize("name", LAYERS)
def test_rows_left_out_contribute_nothing_to_products(name, mode):
    """Rows of NaN, as of padded examples, that `where` drops behind a layer."""
    keep = np.array([False, True, False])[:, None]
    w = np.array([[0.1, 0.2], [0.3, -0.4]])

    def f(w):
        return np.sum(np.where(keep, np.exp(LAYERS[name](w)), 0.0))

    def wanted(w):
        return np.sum(np.exp(LAYERS[name](w)[1]))

    with np.errstate(all="ignore"):
        found = MODES[mode](f)(w)
        rows = ROWS.copy()
        rows[[0, 2]] = 0.0
        LAYERS_ROWS, ROWS[:] = ROWS.copy(), rows
        try:
            right = MODES[mode](wanted)(w)
        finally:
            ROWS[:] = LAYERS_ROWS
    np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-9)


def test_what_is_selected_stays_nan():
    x = np.array([0.0, 0.5, 2.0])
    with np.errstate(all="ignore"):
        found = covector.grad(lambda p: np.sum(np.where(p > 0, p * np.log(p - 1), 0.0)))(x)
    assert found[0] == 0.0 and np.isnan(found[1]) and np.isclose(found[2], 2.0)


def test_unit_tangents_do_not_meet_infinities():
    with np.errstate(all="ignore"):
        for transform in (covector.jacfwd, covector.jacrev):
            for wrap in (lambda f: f, covector.jit):
                found = wrap(transform(lambda a: a[0] * np.exp(-a[1])))(np.array([1.0, -1e3]))
                np.testing.assert_array_equal(found, [np.inf, -np.inf])


def test_a_masked_diagonal_gives_finite_forces():
    x = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.3]])
    i, j = np.nonzero(~np.eye(3, dtype=bool))

    def energy(r2):
        i6 = 1 / r2**3
        return i6**2 - i6

    def masked(x):
        d = x[:, None] - x[None]
        return np.sum(np.where(np.eye(3) == 1, 0.0, energy(np.sum(d * d, -1))))

    def pairs(x):
        d = x[i] - x[j]
        return np.sum(energy(np.sum(d * d, -1)))

    with np.errstate(all="ignore"):
        np.testing.assert_allclose(covector.grad(masked)(x), covector.grad(pairs)(x))
        np.testing.assert_allclose(covector.hessian(masked)(x), covector.hessian(pairs)(x), atol=1e-9)


BRANCHES = {
    "cond": lambda x: covector.cond(x > 0, lambda x: x * np.log(x), lambda x: 0.0 * x, x),
    "switch": lambda x: covector.switch((x > 0) * 1 + (x > 1), [
        lambda x: 0.0 * x, lambda x: x * np.log(x), lambda x: 1 / np.sqrt(x - 1)], x),
    "while_loop": lambda x: covector.while_loop(
        lambda s: s[0] > 1.0, lambda s: (s[0] - 1, s[1] * np.log(s[0] - 1) + x / np.sqrt(s[0] - 1)), (x + 0.5, x))[1],
}


@pytest.mark.parametrize("mode", [covector.grad, covector.jacfwd, covector.hessian, lambda f: f])
@pytest.mark.parametrize("name", BRANCHES)
def test_examples_do_not_hear_of_branches_that_they_do_not_take(name, mode):
    x = np.array([0.0, 0.25, 1.75, 2.75, -1.0])
    one = mode(BRANCHES[name])
    wanted = np.stack([one(v) for v in x])
    with np.errstate(all="raise"):
        np.testing.assert_allclose(covector.vmap(one)(x), wanted, rtol=1e-12)
        np.testing.assert_allclose(covector.vmap(covector.vmap(one))(x[None])[0], wanted, rtol=1e-12)


REFUSING = {
    "inv": lambda a: np.linalg.inv(a).sum(),
    "cholesky": lambda a: np.linalg.cholesky(a).sum(),
    "solve": lambda a: np.linalg.solve(a, np.ones(2)).sum(),
    "a read": lambda a: covector.numpy.take(np.arange(3.0), (4 - 2 * a[0, 0]).astype(int)) * np.sum(a),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("regular", [[True, False, True], [False, False, False], [True, True, True]])
@pytest.mark.parametrize("name", REFUSING)
def test_a_branch_raises_at_no_example_that_does_not_take_it(name, regular, compiled):
    matrices = np.stack([np.eye(2), np.zeros((2, 2)), np.ones((2, 2)) + np.eye(2)])
    matrices[1] += regular[1] * np.eye(2)

    def f(regular, a):
        return covector.cond(regular, REFUSING[name], np.sum, a)

    for one in (f, covector.grad(f, 1), covector.jacfwd(f, 1)):
        wanted = np.stack([one(r, a) for r, a in zip(regular, matrices)])
        many = covector.vmap(one)
        found = (covector.jit(many) if compiled else many)(np.array(regular), matrices)
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_rules_of_users_take_no_part_in_what_is_left_out():
    @covector.custom_vjp
    def f(p):
        return p * np.log(p)

    f.defvjp(lambda p: (p * np.log(p), p), lambda p, ct: (ct * (np.log(p) + 1),))
    with np.errstate(all="ignore"):
        for mode in ("grad", "jit", "vmap", "jacfwd"):
            found = MODES[mode](lambda p: np.sum(np.where(p > 0, f(p), 0.0)))(X)
            np.testing.assert_allclose(found, _scattered(np.log(X[KEPT]) + 1))


CLOSURES = {  # each is 3 x where x <= 0, and x log x elsewhere
    "cond": lambda x: covector.cond(x > 0, lambda: x * np.log(x), lambda: x * 3.0),
    "cond of an operand, too": lambda x: covector.cond(x > 0, lambda y: y * np.log(x), lambda y: x * 3.0, x),
    "cond of what was computed before": lambda x: _before(np.log(x), x),
    "switch": lambda x: covector.switch((x > 0).astype(int), [lambda: x * 3.0, lambda: x * np.log(x)]),
    "while_loop": lambda x: 3.0 * x + covector.while_loop(lambda c: c[0] < (x > 0), lambda c: (
        c[0] + 1, x * np.log(x) - 3.0 * x), (0, 0.0 * x), max_steps=2)[1],
}


def _before(log, x):
    return covector.cond(x > 0, lambda: x * log, lambda: x * 3.0)


@pytest.mark.filterwarnings("ignore:.*encountered")
@pytest.mark.parametrize("name", CLOSURES)
@pytest.mark.parametrize("transform", [
    lambda f: covector.vmap(covector.grad(f)),
    lambda f: covector.vmap(covector.jacfwd(f)),
    lambda f: covector.jit(covector.vmap(covector.grad(f))),
    lambda f: covector.vmap(covector.jit(covector.grad(f))),
    lambda f: covector.grad(lambda xs: covector.jit(covector.vmap(f))(xs).sum()),
    lambda f: covector.jit(lambda xs: covector.jvp(covector.vmap(f), (xs,), (np.ones_like(xs),))[1]),
    lambda f: lambda xs: covector.vmap(covector.vmap(covector.grad(f)))(xs[None])[0],
    lambda f: covector.jit(lambda xs: covector.vmap(covector.vmap(covector.grad(f)))(xs[:, None])[:, 0]),
])
def test_what_an_untaken_branch_closes_over_contributes_nothing(name, transform):
    found = transform(CLOSURES[name])(np.array([-1.0, 0.0, 2.0]))
    np.testing.assert_allclose(found, [3.0, 3.0, np.log(2.0) + 1.0])


@pytest.mark.filterwarnings("ignore:.*encountered")
@pytest.mark.parametrize("call", [
    lambda w: covector.jit(lambda x: np.where(x > 0, x, np.log(w)))(2.0),
    lambda w: covector.jit(lambda x, w: np.where(x > 0, x, w))(2.0, np.log(w)),
    lambda w: covector.checkpoint(lambda x, w: np.where(x > 0, x, w))(2.0, np.log(w)),
    lambda w: covector.jit(covector.checkpoint(lambda x: np.where(x > 0, x, np.log(w))))(2.0),
    lambda w: covector.jit(lambda x: covector.cond(x > 0, lambda: x, lambda: np.log(w)))(2.0),
    lambda w: covector.jit(lambda x: covector.scan(lambda c, x: (
        c + covector.cond(x > 0, lambda: x, lambda: np.log(w)), None), 0.0, x)[0])(np.ones(3)),
    lambda w: covector.vmap(lambda x: covector.cond(x > 0, lambda: x, lambda: np.log(w)))(np.ones(3)).sum(),
], ids=range(7))
def test_what_a_call_leaves_out_contributes_nothing_to_what_came_before(call):
    assert covector.grad(call)(0.0) == covector.jacfwd(call)(0.0) == covector.jit(covector.grad(call))(0.0) == 0.0
    assert covector.grad(lambda w: np.inf * call(w))(0.0) == covector.jacfwd(lambda w: np.inf * call(w))(0.0) == 0.0


SECOND = [
    covector.hessian, lambda f: covector.jacrev(covector.jacrev(f)), lambda f: covector.jacfwd(covector.jacfwd(f)),
    lambda f: covector.jacfwd(covector.grad(f)), lambda f: covector.jit(covector.hessian(f)),
]


@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("length", [np.abs, lambda x: np.hypot(0.6 * x, 0.8 * x), lambda x: np.linalg.norm(
    x * np.ones(1))])
def test_a_weight_that_is_zero_keeps_its_mixed_derivative_with_a_selected_length(second, length):
    h = second(lambda p: np.where(p[0] < 1.0, p[1] * length(p[0]), 0.0))(np.array([-3.0, 0.0]))
    np.testing.assert_allclose(h, [[0.0, -1.0], [-1.0, 0.0]], atol=1e-15)


@pytest.mark.parametrize("second", [SECOND[0], SECOND[1], SECOND[3], SECOND[4]])
def test_a_choice_at_a_kink_is_no_zero_of_a_selection(second):
    assert np.isnan(second(lambda x: np.sum(x * np.abs(x)))(np.zeros(2))[0, 0])
    assert np.isnan(second(lambda x: np.sum(np.abs(x)) ** 2)(np.zeros(2))[0, 0])


def test_a_finite_constant_factor_needs_no_strong_zero():
    x = np.array([-1.0, 2.0])

    def staged(factor):
        slope = covector.grad(lambda x: np.sum(np.where(x > 0, factor * x, 0.0)))
        np.testing.assert_array_equal(covector.jit(slope)(x), [0.0, np.broadcast_to(factor, 2)[1]])
        return repr(covector.make_graph(slope)(x)).count("strong_")

    assert staged(2.0) == staged(np.array([4.0, 3.0])) == 0
    assert staged(np.array([np.inf, 3.0])) == staged(np.array([np.nan, 3.0])) == 1


ALONE = [np.abs, np.square, np.exp, np.sin, np.tanh, np.arctan, lambda x: np.hypot(x, 1.5 * x), lambda x: x**3,
         lambda x: np.maximum(x, 0.0), lambda x: np.linalg.norm(np.stack([x, 2.0 * x]), axis=0)]
TOGETHER = [np.multiply, np.multiply, np.add, np.maximum, np.hypot, np.logaddexp, lambda x, y: np.where(x > 0, y, 0.0),
            lambda x, y: np.where(y != 0, x * y, 0.0)]


def _program(rng, depth):
    if not depth:
        k = int(rng.integers(3))
        return lambda p: p[k]
    first, second = _program(rng, depth - 1), _program(rng, depth - 1)
    if rng.random() < 0.5:
        fun = ALONE[rng.integers(len(ALONE))]
        return lambda p: fun(first(p))
    pair = TOGETHER[rng.integers(len(TOGETHER))]
    return lambda p: pair(first(p), second(p))


@pytest.mark.parametrize("seed", range(30))
def test_second_derivatives_at_zeros_under_a_selection_are_the_same_in_all_modes_or_undefined(seed):
    rng = np.random.default_rng(seed)
    fun = _program(rng, 3)
    x = rng.choice([-3.0, -0.5, 0.0, 0.0, 1.0], 3)
    with np.errstate(all="ignore"):
        found = [second(lambda p: np.where(p[0] < 9.0, fun(p), 0.0))(x) for second in SECOND]
    found += [h.T for h in found]
    for h in found[1:]:
        known = np.isfinite(h) & np.isfinite(found[0])
        np.testing.assert_allclose(h[known], found[0][known], rtol=1e-7, atol=1e-9)


FUNCTIONS_OF_ROWS = {  # what arrives at a row that is left out is NaN
    "length": lambda x: np.linalg.norm(x, axis=-1, keepdims=True) * x,
    "deviation": lambda x: np.std(np.std(x, -1, keepdims=True) * x, -1, keepdims=True) * x,
    "hypot": lambda x: np.hypot(x, x[..., ::-1]) * x[..., ::-1] ** 2,
    "outer product": lambda x: np.einsum("...i,...j->...ij", np.arcsin(x), np.arcsin(x)).sum(-1),
    "power": lambda x: np.abs(x) ** x * np.sum(x, -1, keepdims=True),
    "product": lambda x: np.log1p(x) * np.exp(x),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("left_out", [[-1.0, 1.0, np.inf], [0.0, 2.0, 0.0], [np.nan, 0.3, 1e300]])
@pytest.mark.parametrize("name", FUNCTIONS_OF_ROWS)
def test_a_row_left_out_is_left_out_of_second_derivatives(name, left_out):
    kept = np.array([0.3, 0.5, 0.9])

    def total(x):
        return np.sum(np.where(np.array([[True], [False]]), FUNCTIONS_OF_ROWS[name](x), 0.0))

    want = np.zeros((2, 3, 2, 3))
    want[0, :, 0] = covector.hessian(lambda x: np.sum(FUNCTIONS_OF_ROWS[name](x)))(kept)
    x = np.array([kept, left_out])
    for second in (covector.hessian(total), covector.jacrev(covector.jacrev(total)), covector.jit(
            covector.hessian(total)), covector.jacfwd(covector.jacfwd(total)), covector.hessian(covector.jit(total))):
        np.testing.assert_allclose(second(x), want, rtol=1e-9, atol=1e-12)


RUNNING = {
    "products": np.cumprod,
    "log-sums": np.logaddexp.accumulate,
    "lengths": np.hypot.accumulate,
    "quotients": np.divide.accumulate,
    "products from the end": lambda x: np.cumprod(x[::-1])[::-1],
}


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("mode", ["grad", "jacfwd", "jit", "vmap", "grad of jit"])
@pytest.mark.parametrize("name", RUNNING)
def test_what_runs_along_an_axis_is_not_moved_by_what_comes_after(name, mode, bad):
    x, keep = np.array([0.5, 0.3, 0.7, 0.4]), np.array([True, False, True, False])
    factors = np.array([1.0, 1.0, 1.0, bad])
    turned = name.endswith("end")
    if turned:
        keep, factors = keep[::-1], factors[::-1]

    def total(x):
        return np.sum(np.where(keep, RUNNING[name](x * factors), 0.0))

    part = slice(1, None) if turned else slice(3)
    want = np.zeros(4)
    want[part] = covector.grad(lambda x: np.sum(RUNNING[name](x)[keep[part]]))(x[part])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(MODES[mode](total)(x), want, rtol=1e-12)


POLES = {  # each has no second derivative by the last argument at 0: what is rooted is 0 there, and so is its slope
    "a root of squares": lambda p: np.sqrt(np.sum(p * p)),
    "a root of a square": lambda p: p[0] + np.sqrt(p[1] * p[1]),
    "a power": lambda p: (p[0] * p[0] + p[1] * p[1]) ** 0.5,
    "an inverse cosine": lambda p: p[0] + np.arccos(np.cos(p[1])),
    "a logarithm": lambda p: np.log(p[1] ** 2),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("second", [*SECOND, lambda f: covector.jacrev(covector.jacfwd(f)), lambda f: covector.jit(
    covector.jacrev(covector.jacfwd(f))), lambda f: covector.jacrev(covector.jit(covector.jacfwd(f)))])
@pytest.mark.parametrize("name", POLES)
def test_a_tangent_that_is_zero_by_chance_is_no_constant(name, second):
    assert not np.isfinite(second(POLES[name])(np.zeros(2))[1, 1])


ENDS = {"arctan": np.arctan, "arcsinh": np.arcsinh, "cbrt": np.cbrt, "erf": covector.scipy.special.erf,
        "a product": lambda x: np.arctan(x) * np.arctan(x), "an inverse square": lambda x: 1.0 / (x * x),
        "a logarithm": lambda x: np.log(1.0 + x * x), "a root": lambda x: np.sqrt(x * x),
        "a tanh": lambda x: np.tanh(x * x), "a quotient": lambda x: np.arctan(x) / (1.0 + x * x)}
# finite slopes at infinity, where the next is 0 * inf


@pytest.mark.filterwarnings("ignore:.*encountered")
@pytest.mark.parametrize("wrap", [lambda f: f, covector.jit, lambda f: lambda x: covector.vmap(f)(x[None])[0]])
@pytest.mark.parametrize("name", ENDS)
def test_gradients_of_gradients_hear_nothing_of_what_the_inner_one_left_out(name, wrap):
    def total(x):
        return np.sum(np.where(x < 9.0, ENDS[name](x), 0.0))

    found = wrap(covector.grad(lambda x: np.sum(covector.grad(total)(x) ** 2)))(np.array([0.7, np.inf]))
    wanted = covector.grad(lambda x: covector.grad(ENDS[name])(x) ** 2)(0.7)
    np.testing.assert_allclose(found, [wanted, 0.0], rtol=1e-12)


OF_EXAMPLES = ["batch_norm", "ctc_likelihood", "ctc_posterior", "eliminate", "factor_solve", "filter_at_rest",
               "interpolated", "interpolated_slopes", "interpolated_spread", "lfilter", "lstm_sequence"]


@pytest.mark.filterwarnings("ignore:.*encountered")
@pytest.mark.parametrize("wrap", [lambda f: f, covector.jit])
@pytest.mark.parametrize("name", OF_EXAMPLES)
def test_an_example_left_out_contributes_nothing(name, wrap):
    case = cases(find(name), 0)[0]
    operands = [np.asarray(x) for x in case.operands]
    active = [i for i, x in enumerate(operands) if x.dtype.kind == "f"]

    def total(*xs):
        outs = case.prim.fun(*xs, *case.params)
        return sum(np.sum(np.exp(0.1 * y)) for y in (outs if isinstance(outs, tuple) else (outs,)))

    def chosen(*xs):
        return np.sum(np.where([True, False], covector.vmap(total)(*xs), 0.0))

    two = [np.stack([x, np.full_like(x, np.nan) if i in active else x]) for i, x in enumerate(operands)]
    wanted = covector.grad(total, tuple(active))(*operands)
    for found, want in zip(wrap(covector.grad(chosen, tuple(active)))(*two), wanted):
        np.testing.assert_allclose(found, np.stack([want, np.zeros_like(want)]), rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*encountered")
def test_positions_left_out_contribute_nothing_to_an_image():
    rng = np.random.default_rng(0)
    image, at = rng.normal(size=(1, 2, 4, 4)), rng.uniform(0.1, 2.9, (1, 3, 2))
    keep = np.array([True, False, True])
    at[0, 1] = np.nan

    def total(image, at, keep):
        return np.sum(np.where(keep, find("interpolated").fun(image, at), 0.0) ** 2)

    found = covector.grad(total, (0, 1))(image, at, keep)
    wanted = covector.grad(total, (0, 1))(image, at[:, keep], np.ones(2, bool))
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-12)
    np.testing.assert_allclose(found[1], np.insert(wanted[1], 1, 0.0, axis=1), rtol=1e-12)


def _nested(x, a):
    held = {"a": a, "pair": (a, 2.0)}
    return covector.cond(x > 0, lambda: np.linalg.inv(held["a"]).sum() * _scaled(held["pair"]), lambda: 0.0)


def _scaled(pair):
    return pair[1] * np.linalg.det(pair[0])


def _own_loop(x, a):
    return covector.while_loop(lambda c: c[0] < 2 * (x > 0), lambda c: (
        c[0] + 1, c[1] + x * np.linalg.inv(a).sum()), (0, 0.0 * x), max_steps=2)[1]


ENCLOSED = {
    "cond": lambda x, a: covector.cond(x > 0, lambda: x * np.linalg.inv(a).sum(), lambda: 0.0),
    "cond of an operand, too": lambda x, a: covector.cond(
        x > 0, lambda y: y * np.linalg.cholesky(a).sum(), lambda y: 0.0 * y, x),
    "switch": lambda x, a: covector.switch((x > 0) * 1, [lambda: 0.0 * x, lambda: np.linalg.solve(a, a[0]).sum()]),
    "containers": _nested,
    "a loop": _own_loop,
    "cond in a loop": lambda x, a: covector.fori_loop(0, 2, lambda i, c: c + covector.cond(
        x > 0, lambda: np.linalg.inv(a).sum() * np.log(x), lambda: 0.0), 0.0 * x),
    "cond in cond": lambda x, a: covector.cond(x > 0, lambda: covector.cond(
        x > 1.5, lambda: np.linalg.inv(a).sum(), lambda: x), lambda: 0.0),
}


@pytest.mark.parametrize("transform", [
    covector.vmap,
    lambda f: lambda x, a: covector.vmap(covector.vmap(f))(x[None], a[None])[0],
    lambda f: covector.vmap(covector.grad(f)),
    lambda f: covector.vmap(covector.jacfwd(f, 1)),
    lambda f: covector.jit(covector.vmap(covector.grad(f))),
    lambda f: covector.vmap(covector.jit(f)),
    lambda f: covector.grad(lambda x, a: covector.jit(covector.vmap(f))(x, a).sum(), 1),
    lambda f: covector.grad(lambda x, a: covector.vmap(f)(x, a).sum(), 1),
])
@pytest.mark.parametrize("name", ENCLOSED)
def test_an_untaken_branch_raises_at_nothing_that_it_closes_over(name, transform):
    x = np.array([1.0, -1.0, 2.0])
    a = np.stack([2.0 * np.eye(2), np.zeros((2, 2)), np.ones((2, 2)) + np.eye(2)])
    kept = np.array([0, 2])
    with np.errstate(all="raise"):
        found = transform(ENCLOSED[name])(x, a)
        np.testing.assert_allclose(found[kept], transform(ENCLOSED[name])(x[kept], a[kept]), rtol=1e-12)
    assert not np.any(found[1])


@pytest.mark.parametrize("name", ENCLOSED)
def test_a_compiled_branch_computes_what_it_closes_over_where_it_is_taken(name):
    fun = covector.jit(covector.grad(ENCLOSED[name], (0, 1)))
    with np.errstate(all="raise"):
        assert not any(map(np.any, fun(-1.0, np.zeros((2, 2)))))
        for found, want in zip(fun(2.0, 2.0 * np.eye(2)), covector.grad(ENCLOSED[name], (0, 1))(2.0, 2.0 * np.eye(2))):
            np.testing.assert_allclose(found, want, rtol=1e-12)


def test_products_with_a_mask_keep_single_precision():
    def fun(x):
        return np.sum(np.sin(np.inner(x > 0, x))) + np.sum(np.cross(x > 0, x) ** 2)

    x = np.float32([[0.3, -1.2, 2.0], [-0.1, 0.5, 0.7], [1.1, -0.4, -0.9]])
    for slope in (covector.grad(fun), covector.jit(covector.grad(fun))):
        assert slope(x).dtype == np.float32
    np.testing.assert_allclose(covector.jit(covector.grad(fun))(x), covector.grad(fun)(x), 1e-5)
