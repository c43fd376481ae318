"""Every wrapper under every pair and triple of transforms, closing over outer values, gives the right derivative."""

import itertools

import numpy as np
import pytest

import covector as cv


def plain(f):
    return f


def by_custom_jvp(f):
    g = cv.custom_jvp(f)
    g.defjvp(lambda primals, tangents: cv.jvp(f, primals, tangents))
    return g


def by_custom_vjp(f):
    g = cv.custom_vjp(f)
    g.defvjp(lambda x: (f(x), x), lambda x, ct: cv.vjp(f, x)[1](ct))
    return g


def by_graph(f):
    return lambda x: cv.make_graph(f)(x)(x)


def by_cond(f):
    return lambda x: cv.cond(x < 100.0, f, lambda z: z, x)


def by_scan(f):
    return lambda x: cv.scan(lambda c, _: (f(c), None), x, None, length=1)[0]


def by_staged_cond(f):
    return by_graph(by_cond(f))


def by_staged_scan(f):
    return by_graph(by_scan(f))


WRAPPERS = {
    "plain": plain, "checkpoint": cv.checkpoint, "custom_jvp": by_custom_jvp, "custom_vjp": by_custom_vjp,
    "make_graph": by_graph, "cond": by_cond, "scan": by_scan, "staged cond": by_staged_cond,
    "staged scan": by_staged_scan,
}  # fmt: skip


def forward(f):
    return lambda x: cv.jvp(f, (x,), (1.0,))[1]


def mapped(f):
    return lambda x: cv.vmap(f)(np.stack([x, 2.0 * x]))[0]


def linearized(f):
    return lambda x: cv.linearize(f, x)[1](1.0)


def two_rows(f):
    return lambda x: cv.jacrev(lambda v: np.stack([f(v), v]))(x)[0]


TRANSFORMS = {
    "grad": cv.grad, "jvp": forward, "vmap": mapped, "linearize": linearized, "jacrev": two_rows,
    "make_graph": by_graph, "checkpoint": cv.checkpoint,
}  # fmt: skip

# What each transform means to a scalar function: its derivative, or the function itself.
ORDER = {"grad": 1, "jvp": 1, "vmap": 0, "linearize": 1, "jacrev": 1, "make_graph": 0, "checkpoint": 0}


def body(w):
    return lambda z: np.sin(z * w) * w


def reference(inner, outer, w, x):
    """d^outer/dw^outer d^inner/dx^inner of sin(x w) w, by complex-free closed forms from plain nested grads."""
    f = lambda w, x: np.sin(x * w) * w  # noqa: E731
    for _ in range(inner):
        f = cv.grad(f, 1)
    g = lambda w: f(w, x)  # noqa: E731
    for _ in range(outer):
        g = cv.grad(g)
    return float(g(w))


def finite(inner, outer, w, x, h=1e-3):
    """The same by central differences of the plain function."""
    def value(w, x):
        return np.sin(x * w) * w

    def differ(f, order, at):
        if order == 0:
            return f(at)
        return (differ(f, order - 1, at + h) - differ(f, order - 1, at - h)) / (2 * h)

    return differ(lambda a: differ(lambda b: value(a, b), inner, x), outer, w)


@pytest.mark.parametrize(("inner", "outer"), [(1, 0), (1, 1), (2, 0), (1, 2), (0, 2)])
def test_the_reference_agrees_with_finite_differences(inner, outer):
    assert reference(inner, outer, 0.7, 0.4) == pytest.approx(finite(inner, outer, 0.7, 0.4), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize(("inner", "outer"), list(itertools.product(TRANSFORMS, TRANSFORMS)))
def test_a_pair_of_transforms_with_a_closure_over_the_outer_value(wrapper, inner, outer):
    wrap = WRAPPERS[wrapper]
    got = TRANSFORMS[outer](lambda w: TRANSFORMS[inner](lambda x: wrap(body(w))(x))(0.4))(0.7)
    assert float(got) == pytest.approx(reference(ORDER[inner], ORDER[outer], 0.7, 0.4), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_triples_of_transforms_with_a_closure_over_the_outer_value(wrapper):
    wrap = WRAPPERS[wrapper]
    wrong = []
    for a, b, c in itertools.product(TRANSFORMS, repeat=3):
        f = TRANSFORMS[a](lambda w: TRANSFORMS[b](TRANSFORMS[c](lambda x: wrap(body(w))(x)))(0.4))
        expected = reference(ORDER[b] + ORDER[c], ORDER[a], 0.7, 0.4)
        try:
            good = float(f(0.7)) == pytest.approx(expected, rel=1e-8, abs=1e-10)
        except Exception as error:  # collected, so that one run shows every pair that fails
            good, expected = False, f"{expected} but {type(error).__name__}: {error}"
        if not good:
            wrong.append(f"{a}(w: {b}({c}(x: {wrapper})): expected {expected}")
    assert not wrong, "\n".join(wrong[:20]) + f"\n{len(wrong)} of {len(TRANSFORMS) ** 3}"


def test_the_example_of_perturbation_confusion():
    assert float(cv.grad(lambda x: x * cv.grad(lambda y: x + y)(2.0))(1.0)) == 1.0
    assert float(cv.jvp(lambda x: x * cv.jvp(lambda y: x + y, (2.0,), (1.0,))[1], (1.0,), (1.0,))[1]) == 1.0


@pytest.mark.parametrize("fun", [lambda x: x * True, lambda x: x / True, lambda x: x**True, lambda x: x + True])
def test_python_booleans_are_numbers_at_every_order(fun):
    assert float(cv.grad(fun)(1.5)) == 1.0
    assert float(cv.grad(cv.grad(fun))(1.5)) == 0.0
    assert cv.hessian(lambda v: fun(v).sum())(np.ones(2)).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_rule_may_take_the_jvp_of_a_checkpoint():
    inner = cv.checkpoint(lambda x: np.sin(x) * x)
    ruled = cv.custom_jvp(lambda x: np.sum(inner(x)))
    ruled.defjvp(lambda primals, tangents: cv.jvp(lambda x: np.sum(inner(x)), primals, tangents))
    x = np.array([0.3, -0.8])
    wanted = np.cos(x) * x + np.sin(x)
    np.testing.assert_allclose(cv.grad(ruled)(x), wanted)
    np.testing.assert_allclose(cv.jvp(ruled, (x,), (np.ones(2),))[1], wanted.sum())
    np.testing.assert_allclose(cv.hessian(ruled)(x), np.diag(2 * np.cos(x) - np.sin(x) * x), atol=1e-15)
