"""Calls at the corners of NumPy's functions: traced values answer, and refuse, as plain ones do."""

import numpy as np
import pytest

import covector
import covector as cv
import covector.numpy as cnp


def test_what_is_outside_of_interp_has_the_same_derivative_both_ways():
    tangents = np.ones(()), np.arange(3.0), np.array([2.0, 5.0, 7.0])
    for x in (np.nan, np.inf, -np.inf, -1.0, 4.0, 0.0, 2.0):
        primals = np.asarray(x), np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, -1.0])
        forward = cv.jvp(np.interp, primals, tangents)[1]
        gradients = cv.vjp(np.interp, *primals)[1](np.ones(()))
        np.testing.assert_allclose(forward, sum((g * t).sum() for g, t in zip(gradients, tangents)))
        assert np.isfinite(forward)


INFINITE_KNOTS = [-np.inf, np.inf], [-np.inf, 1.0], [0.0, np.inf], [-np.inf, 0.0, 1.0, np.inf]
INFINITE_VALUES = [0.0, 10.0, 3.0, 2.0], [10.0] * 4, [np.inf] * 4, [-np.inf, 5.0, 5.0, 1.0], [5.0, np.inf, -np.inf, 2.0]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("values", INFINITE_VALUES)
@pytest.mark.parametrize("knots", INFINITE_KNOTS)
@pytest.mark.parametrize("scale", [1.0, 2 - 1j])
def test_interp_between_infinite_points_is_numpys(knots, values, scale):
    x = np.array([0.5, -np.inf, np.inf, 1.0, 0.0, -3.0])
    operands = x, np.array(knots), np.array(values[: len(knots)]) * scale
    want = np.interp(*operands)
    np.testing.assert_array_equal(cv.vjp(np.interp, *operands)[0], want)
    np.testing.assert_array_equal(cv.vmap(np.interp)(*[v[None] for v in operands])[0], want)
    if np.isfinite(values).all():
        assert np.isfinite(cv.vjp(np.interp, *operands)[1](np.ones(6, want.dtype))[2]).all()


def both(fun, x):
    """The Jacobian by reverse mode, after a look that forward mode gives the same."""
    reverse = covector.jacrev(fun)(x)
    np.testing.assert_array_equal(covector.jacfwd(fun)(x), reverse)
    return reverse


def test_sign_of_a_complex_zero_is_flat_and_infinite_parts_are_directions():
    z = np.array([0j, 3 + 4j, complex(np.inf, 1), complex(2, -np.inf)])
    value, tangent = covector.jvp(np.sign, (z,), (np.ones(4, complex),))
    np.testing.assert_allclose(value, np.sign(z), rtol=1e-15)
    np.testing.assert_allclose(tangent, [0, 0.128 - 0.096j, 0, 0])
    np.testing.assert_allclose(covector.vjp(np.sign, z)[1](np.ones(4, complex))[0][[0, 2, 3]], 0)


KNOTS, VALUES = np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, 0.0])


def test_interp_takes_the_slope_to_the_right_of_a_knot():
    slopes = both(lambda x: cnp.interp(x, KNOTS, VALUES), np.array([-1.0, 0.0, 1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_array_equal(np.diag(slopes), [0.0, 2.0, -1.0, -1.0, -1.0, 0.0])


def test_interp_beyond_the_knots_moves_with_the_outer_values():
    moves = both(lambda f: cnp.interp(np.array([-1.0, 4.0]), KNOTS, f), VALUES)
    np.testing.assert_array_equal(moves, [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def test_unique_takes_the_first_of_equal_elements():
    np.testing.assert_array_equal(both(cnp.unique, np.array([2.0, 1.0, 2.0])), [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmedian"])
def test_elements_that_are_nan_have_derivative_zero(name):
    slope = both(getattr(cnp, name), np.array([1.0, np.nan, 2.5]))
    assert slope[1] == 0
    assert np.isfinite(slope).all()


def test_std_of_equal_elements_has_derivative_zero():
    np.testing.assert_array_equal(both(cnp.nanstd, np.array([2.0, np.nan, 2.0])), np.zeros(3))


def test_cumprod_is_exact_at_zeros_to_second_order():
    def slow(x):
        return np.stack([x[0], x[0] * x[1], x[0] * x[1] * x[2], x[0] * x[1] * x[2] * x[3]])

    x = np.array([2.0, 0.0, 0.0, 3.0])
    np.testing.assert_allclose(both(cnp.cumprod, x), both(slow, x))
    np.testing.assert_allclose(covector.hessian(lambda x: cnp.cumprod(x).sum())(x),
                               covector.hessian(lambda x: slow(x).sum())(x))


def test_gradient_by_traced_coordinates_knows_that_they_move():
    """Equal distances of plain coordinates take a shorter formula, whose derivative by each of them would be wrong."""
    f = np.array([0.0, 1.0, 4.0, 9.0])
    x = np.arange(4.0)
    covector.testing.check_grads(lambda x: cnp.gradient(f, x), (x,))


def test_bin_edges_move_with_the_extremes():
    moves = both(lambda x: cnp.histogram(x, 2)[1], np.array([1.0, 5.0, 3.0]))
    np.testing.assert_allclose(moves, [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 1.0, 0.0]])


def test_density_moves_with_the_edges():
    covector.testing.check_grads(lambda x: cnp.histogram(x, 2, density=True)[0], (np.array([1.0, 5.0, 3.4, 1.7]),))


def test_multiple_roots_move_infinitely_fast():
    with np.errstate(all="ignore"):
        moves = covector.jacrev(lambda p: cnp.roots(p).real)(np.array([1.0, -2.0, 1.0]))
    assert not np.isfinite(moves).all() or np.abs(moves).max() > 1e6


def test_running_extreme_belongs_to_the_first_of_equal_elements():
    moves = both(np.maximum.accumulate, np.array([1.0, 1.0, 0.5, 2.0]))
    np.testing.assert_array_equal(moves, [[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]])


CUTS = {
    "arccos": (1.3, -1.3), "arcsin": (1.3, -1.3), "arccosh": (-1.3, 0.4), "arctanh": (1.3, -1.3),
    "arcsinh": (1.3j, -1.3j), "arctan": (1.3j, -1.3j), "sqrt": (-1.3,), "log": (-1.3,), "log2": (-1.3,),
    "log10": (-1.3,), "log1p": (-2.3,),
}  # fmt: skip


@pytest.mark.parametrize("name", CUTS)
def test_derivative_on_a_branch_cut_is_that_of_the_side_which_the_sign_of_zero_names(name):
    fun, step = getattr(np, name), 1e-6
    for place in CUTS[name]:
        for zero in (0.0, -0.0):
            along = 1.0 if isinstance(place, float) else 1j

            def at(shift, place=place, zero=zero):
                if isinstance(place, float):
                    return np.array(complex(place + shift, zero))
                return np.array(complex(zero, place.imag + shift))

            slope = (fun(at(step)) - fun(at(-step))) / (2 * step)
            tangent = covector.jvp(fun, (at(0.0),), (np.array(along + 0j),))[1]
            np.testing.assert_allclose(tangent, slope, rtol=1e-6)
            pulled = covector.vjp(fun, at(0.0))[1](np.array(1.0 + 0j))[0]
            np.testing.assert_allclose(along * pulled, slope, rtol=1e-6)


def test_limits_of_a_correlation_are_no_kinks():
    """At a correlation of 1 rounding is cut off, which must not halve the second derivative."""
    def fun(x):
        return np.corrcoef(np.stack([np.stack([x, 3.0, 3.0 * x + 2.0]), np.array([3.0, 2.0, 1.0])]))[0, 1]

    slope = covector.grad(fun)
    for x in (1.0, -2.0, 0.3):
        difference = (slope(x + 1e-5) - slope(x - 1e-5)) / 2e-5
        np.testing.assert_allclose(covector.grad(slope)(x), difference, rtol=1e-4, atol=1e-9)


def _written_to_later(x):
    z = x * 1.0
    y = np.abs(z)
    z[0] = 7.0
    return np.sum(y**2)


PLANE, FLAT = np.eye(2), np.zeros(2)
SQUARES = {  # smooth at the point, though written with lengths, which are not: and their Hessians there
    "norm": (lambda x: 0.5 * np.linalg.norm(x) ** 2, FLAT, PLANE),
    "norm, float exponent": (lambda x: 0.5 * np.linalg.norm(x) ** 2.0, FLAT, PLANE),
    "norm of rows": (lambda x: np.sum(np.square(np.linalg.norm(x.reshape(2, 1), axis=1))), FLAT, 2 * PLANE),
    "norm of a matrix": (lambda x: np.linalg.norm(x.reshape(1, 2)) ** 2, FLAT, 2 * PLANE),
    "norm to the fourth": (lambda x: np.linalg.norm(x) ** 4, FLAT, 0 * PLANE),
    "root": (lambda x: np.sqrt(np.sum(x * x)) ** 2, FLAT, 2 * PLANE),
    "root to the fourth": (lambda x: np.sqrt(x @ x) ** 4, FLAT, 0 * PLANE),
    "half power": (lambda x: np.exp(np.square((x @ x) ** 0.5)), FLAT, 2 * PLANE),
    "abs": (lambda x: np.sum(np.abs(x) ** 2), np.array([0.0, -1.0]), 2 * PLANE),
    "fabs": (lambda x: np.sum(np.power(np.fabs(x), 2)), FLAT, 2 * PLANE),
    "abs of complex": (lambda x: np.abs(x[0] + 1j * x[1]) ** 2, FLAT, 2 * PLANE),
    "hypot": (lambda x: np.hypot(x[0], x[1]) ** 2, FLAT, 2 * PLANE),
    "std": (lambda x: np.std(x) ** 2, np.ones(2), np.array([[0.5, -0.5], [-0.5, 0.5]])),
    "nanstd": (lambda x: np.nanstd(np.append(x, np.nan)) ** 2, np.ones(2), np.array([[0.5, -0.5], [-0.5, 0.5]])),
    "spectrum": (lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2), FLAT, 4 * PLANE),
    "float32": (lambda x: np.linalg.norm(x.astype(np.float32)) ** 2, FLAT, 2 * PLANE),
    "vmap": (lambda x: np.sum(cv.vmap(np.abs)(x) ** 2) + np.sum(cv.vmap(lambda v: np.abs(v) ** 2)(x)), np.ones(2),
             4 * PLANE),
    "written to later": (_written_to_later, FLAT, 2 * PLANE),
}
SECOND = {
    "hessian": cv.hessian, "forward over reverse": lambda f: cv.jacfwd(cv.grad(f)),
    "forward": lambda f: cv.jacfwd(cv.jacfwd(f)), "jit inside": lambda f: cv.hessian(cv.jit(f)),
    "jit outside": lambda f: cv.jit(cv.hessian(f)),
}


ALL_ORDERS = SECOND | {"reverse over forward": lambda f: cv.jacrev(cv.jacfwd(f)),
                       "reverse": lambda f: cv.jacrev(cv.grad(f))}


@pytest.mark.parametrize("second", ALL_ORDERS)
@pytest.mark.parametrize("name", SQUARES)
def test_squares_of_lengths_have_their_second_derivative_at_zero(name, second):
    fun, x, wanted = SQUARES[name]
    np.testing.assert_allclose(ALL_ORDERS[second](fun)(x), wanted, atol=1e-6)


def test_the_square_of_a_root_keeps_its_domain_and_is_not_the_square_of_a_complex_modulus():
    x = np.array([-1.0, 0.0, 4.0])
    with np.errstate(invalid="ignore"):
        value, slope = cv.value_and_grad(lambda x: np.nansum(np.sqrt(x) ** 2))(x)
        np.testing.assert_array_equal(cv.vjp(lambda x: np.sqrt(x) ** 2, x)[0], [np.nan, 0.0, 4.0])
    assert value == 4 and slope.tolist() == [0.0, 1.0, 1.0]
    z = np.array([1 + 2j])
    for f in (lambda z: np.abs(np.sqrt(z)) ** 2, lambda z: np.sqrt(z) ** 2, lambda z: np.sqrt(z) ** 4):
        np.testing.assert_allclose(cv.vjp(f, z)[0], f(z))


LENGTHS = {
    "abs": lambda x: np.sum(np.abs(x)), "norm": lambda x: np.linalg.norm(x), "std": lambda x: np.std(x),
}
# Their cotangents or tangents are 0 at 0, too: inside a jit, where any may be masked, they contribute 0.
STATIONARY = {
    "cosine": lambda x: np.cos(np.linalg.norm(x)), "product": lambda x: np.linalg.norm(x) * np.linalg.norm(x),
    "softplus by hand": lambda x: np.sum(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))),
}


@pytest.mark.parametrize(("name", "second"), [
    *[(name, second) for name in LENGTHS for second in SECOND],
    *[(name, second) for name in STATIONARY for second in ("hessian", "forward over reverse", "jit outside")]])
def test_second_derivatives_of_lengths_at_zero_are_not_numbers(name, second):
    assert np.isnan(np.diagonal(SECOND[second]((LENGTHS | STATIONARY)[name])(FLAT))).all()


def test_a_length_that_was_written_to_is_squared_as_it_is():
    def fun(x):
        y = np.abs(x)
        y[0] = 3.0 * x[1]
        return np.sum(y**2)

    np.testing.assert_allclose(cv.grad(fun)(np.array([1.0, 2.0])), [0.0, 40.0])


def _huber(x):
    r = np.abs(x)
    return np.sum(np.where(r < 1.0, 0.5 * x**2, r - 0.5))


@pytest.mark.parametrize("second", SECOND)
def test_a_length_in_a_branch_not_taken_does_not_spoil_the_second_derivative(second):
    np.testing.assert_allclose(SECOND[second](_huber)(np.array([0.0, -3.0])), np.diag([1.0, 0.0]))


@pytest.mark.parametrize("second", [lambda f: cv.jacfwd(cv.jacrev(f)), lambda f: cv.jacfwd(cv.jacfwd(f)),
                                    lambda f: cv.jacrev(cv.jacrev(f)), lambda f: cv.jit(cv.jacrev(cv.jacfwd(f)))])
def test_the_deviation_of_a_single_element_is_constant(second):
    x, mask = np.array([[1.0, 2.0, 4.0], [3.0, 5.0, 9.0]]), np.array([[True, False, False], [True, True, True]])
    np.testing.assert_array_equal(second(lambda x: np.std(x, axis=0))(x[:1]), np.zeros((3, 1, 3, 1, 3)))
    found = second(lambda x: np.std(x, axis=1, where=mask))(x)
    np.testing.assert_array_equal(found[0], np.zeros((2, 3, 2, 3)))
    np.testing.assert_allclose(found[1, 1, :, 1], second(np.std)(x[1]), atol=1e-12)


OF_SINGULAR_VALUES = {
    "the nuclear norm": lambda x: np.linalg.norm(x, "nuc"),
    "its square": lambda x: np.linalg.matrix_norm(x, ord="nuc") ** 2,
    "the sum of squares": lambda x: np.sum(np.linalg.svdvals(x) ** 2),
    "the smallest one": lambda x: np.linalg.norm(x, -2) ** 2,
    "the condition number": lambda x: np.linalg.cond(x),
    "its inverse": lambda x: np.linalg.cond(x, -2),
    "their product": lambda x: np.prod(np.linalg.svd(x, compute_uv=False)),
}


@pytest.mark.filterwarnings("ignore:.*encountered")
@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("name", OF_SINGULAR_VALUES)
def test_functions_of_a_singular_value_of_0_have_no_second_derivative(name, second):
    f = OF_SINGULAR_VALUES[name]
    for x in (np.zeros((2, 2)), np.diag([2.0, 0.0]), np.outer([1.0, 2.0], [3.0, 1.0]), np.zeros((3, 2))):
        with pytest.raises(np.linalg.LinAlgError):
            SECOND[second](f)(x)
        with pytest.raises(np.linalg.LinAlgError):
            cv.vmap(SECOND[second](f))(x[None])
    regular = np.array([[2.0, 0.3], [-0.4, 1.0]])
    cv.testing.check_grads(f, (regular,))


@pytest.mark.parametrize("second", SECOND)
def test_the_largest_singular_value_asks_nothing_of_the_others(second):
    x = np.outer([1.0, 2.0], [3.0, 1.0])
    found = SECOND[second](lambda x: np.linalg.norm(x, 2) ** 2)(x).reshape(2, 2, 2, 2)
    step = 1e-5
    for i, j in np.ndindex(2, 2):
        e = np.zeros((2, 2))
        e[i, j] = step
        slopes = [cv.grad(lambda x: np.linalg.norm(x, 2) ** 2)(x + s * e) for s in (1, -1)]
        np.testing.assert_allclose(found[..., i, j], (slopes[0] - slopes[1]) / (2 * step), atol=1e-7)
    for x in (np.zeros((2, 2)), np.eye(2)):
        with pytest.raises(np.linalg.LinAlgError):
            SECOND[second](lambda x: np.linalg.norm(x, 2) ** 2)(x)
    with pytest.raises(np.linalg.LinAlgError):
        SECOND[second](np.linalg.cond)(np.eye(2))


@pytest.mark.parametrize("fun", [lambda x: np.sum(x * np.abs(x)), lambda x: np.linalg.norm(x, 1) ** 2,
                                 lambda x: np.linalg.norm(x) ** 3, lambda x: np.sum(x * np.hypot(x, 0.0 * x))])
def test_forward_mode_twice_finds_slopes_of_choices_undefined_too(fun):
    for second in (cv.hessian(fun), cv.jacfwd(cv.jacfwd(fun)), cv.jit(cv.jacfwd(cv.jacfwd(fun)))):
        assert np.isnan(second(np.zeros(2))).all()


@pytest.mark.parametrize("f", [lambda t: +t, lambda t: t**1], ids=["plus", "first power"])
def test_what_gives_its_operand_keeps_the_sign_of_zero(f):
    def sign(t):
        return np.copysign(1.0, f(t))

    assert covector.value_and_grad(sign)(-0.0)[0] == covector.jit(sign)(-0.0) == -1.0
    assert covector.jvp(sign, (-0.0,), (1.0,))[0] == covector.vmap(sign)(np.array([-0.0]))[0] == -1.0
