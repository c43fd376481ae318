"""jit inside and outside of every transform, and of every two: values and derivatives are those without it."""

import itertools

import numpy as np
import pytest

import covector as cv

V, W = np.array([0.3, -1.0, 0.5]), np.array([1.0, 0.5, -2.0])
X = np.array([0.4, -0.7, 1.1])


def twice_jvp(f):
    g = cv.custom_jvp(f)
    g.defjvp(lambda primals, tangents: (f(*primals), 2.0 * cv.jvp(f, primals, tangents)[1]))
    return g


def twice_vjp(f):
    g = cv.custom_vjp(f)
    g.defvjp(lambda x: (f(x), x), lambda x, ct: (2.0 * cv.vjp(f, x)[1](ct)[0],))
    return g


def through_scan(f):
    def run(x):
        last, seen = cv.scan(lambda c, t: (f(c) * t, c), x, np.array([0.5, 1.5]))
        return last + seen.sum(axis=0)

    return run


# Each makes a function of three numbers to three numbers of another one.
TRANSFORMS = {
    "grad": lambda f: cv.grad(lambda x: np.sum(f(x) * W)),
    "jvp": lambda f: lambda x: cv.jvp(f, (x,), (V,))[1],
    "vjp": lambda f: lambda x: cv.vjp(f, x)[1](V)[0],
    "vmap": lambda f: lambda x: cv.vmap(f)(np.stack([x, 0.5 * x])).sum(axis=0),
    "jacfwd": lambda f: lambda x: cv.jacfwd(f)(x) @ V,
    "jacrev": lambda f: lambda x: cv.jacrev(f)(x) @ V,
    "hessian": lambda f: lambda x: cv.hessian(lambda x: np.sum(f(x) * W))(x) @ V,
    "linearize": lambda f: lambda x: cv.linearize(f, x)[1](V),
    "checkpoint": lambda f: cv.checkpoint(f),
    "custom_jvp": twice_jvp,
    "custom_vjp": twice_vjp,
    "scan": through_scan,
    "cond": lambda f: lambda x: cv.cond(x[0] > 0.0, f, lambda x: 2.0 * f(x), x),
    "fori_loop": lambda f: lambda x: cv.fori_loop(0, 2, lambda i, c: f(c) + i, x),
    "while_loop": lambda f: lambda x: cv.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, f(c[1])), (0, x))[1],
    "make_graph": lambda f: lambda x: cv.make_graph(f)(x)(x),
    "host_callback": lambda f: lambda x: f(x) + cv.host_callback(np.round, cv.ShapeDtype((3,)), cv.stop_gradient(x)),
}


def base(x):
    return np.sin(x) * x[::-1] + 0.3 * np.cos(x * W)


def outcome(f):
    """The value, or what kind of exception."""
    try:
        return f(X)
    except Exception as error:
        return type(error)


def agree(compiled, plain):
    wanted = outcome(plain)
    for _ in range(3):
        found = outcome(compiled)
        if isinstance(wanted, type) or isinstance(found, type):
            assert found is wanted
        else:
            assert found.dtype == wanted.dtype
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_jit_inside_and_outside_of(name):
    transform = TRANSFORMS[name]
    assert not isinstance(outcome(transform(base)), type)
    agree(cv.jit(transform(base)), transform(base))
    agree(transform(cv.jit(base)), transform(base))
    agree(cv.jit(transform(cv.jit(base))), transform(base))


@pytest.mark.parametrize(("outer", "inner"), list(itertools.product(TRANSFORMS, repeat=2)))
def test_jit_around_between_and_within(outer, inner):
    first, second = TRANSFORMS[outer], TRANSFORMS[inner]
    plain = first(second(base))
    agree(cv.jit(plain), plain)
    agree(first(cv.jit(second(base))), plain)
    agree(first(second(cv.jit(base))), plain)


def test_closed_over_tracers_are_not_remembered():
    def f(w):
        return cv.jit(lambda x: x * w * w)(2.0)

    assert cv.grad(f)(3.0) == 12.0
    assert cv.jvp(f, (3.0,), (1.0,))[1] == 12.0
    np.testing.assert_array_equal(cv.vmap(f)(np.arange(3.0)), [0.0, 2.0, 8.0])
    assert cv.jit(cv.grad(f))(3.0) == 12.0
    shared = cv.jit(lambda x: x * box[0])
    for box in ([1.0], [2.0]):
        assert cv.grad(lambda w: [box.__setitem__(0, w), shared(2.0)][1])(5.0) == 2.0


def test_levels_stay_apart():
    f = cv.jit(lambda x, y: x * y)
    assert cv.grad(lambda x: x * cv.grad(lambda y: f(x, y) * y)(3.0))(2.0) == 24.0
    g = cv.jit(lambda x: cv.grad(lambda y: x * y * y)(x))
    assert cv.grad(g)(3.0) == 12.0


def test_collectives_of_an_axis_around():
    rows = np.arange(6.0).reshape(3, 2)
    share = lambda x: x / cv.psum(x, "i")  # noqa: E731
    wanted = cv.vmap(share, axis_name="i")(rows)
    np.testing.assert_array_equal(cv.vmap(cv.jit(share), axis_name="i")(rows), wanted)
    np.testing.assert_array_equal(cv.jit(cv.vmap(share, axis_name="i"))(rows), wanted)
    place = cv.jit(lambda x: x + cv.axis_index("i"))
    for n in (2, 3):
        np.testing.assert_array_equal(cv.vmap(lambda _: place(1.0), axis_name="i", axis_size=n)(np.zeros(n)),
                                      1.0 + np.arange(n))
    size = cv.jit(lambda x: x * cv.axis_size("i"))
    for n in (2, 3):
        np.testing.assert_array_equal(cv.vmap(lambda x: x + size(1.0), axis_name="i")(np.zeros(n)), np.full(n, n))
