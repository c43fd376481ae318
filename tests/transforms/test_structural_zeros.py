"""Structural zeros of cotangents in loops and calls: cut where a selection made them, and looked for only there."""

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp


def _unrolled(body, carry, rows):
    ys = []
    for k in range(len(rows)):
        carry, y = body(carry, rows[k])
        ys.append(y)
    return carry, cnp.stack(ys)


def _plain(scan, x):
    return scan(lambda c, w: (cnp.tanh(c * w), c), cnp.sin(x[0]), x)[0]


def _unused_state_that_overflows(scan, x):
    (a, _), _ = scan(lambda c, w: ((c[0] * w, c[1] * cnp.exp(1e3 * c[0] * w)), w), (x[0], x[1]), x)
    return a


def _selected_in_the_body(scan, x):
    return scan(lambda c, w: (c + cnp.where(w > 0.5, w * c, cnp.where(w > 0.5, cnp.log(w - 0.5), 0.0)), w), x[0], x)[0]


def _selected_behind(scan, x):
    y = scan(lambda c, w: (c * cnp.exp(300.0 * w), c), x, x[:3])[0]
    return cnp.sum(cnp.where(y < 1e100, y, 0.0))


def _one_row_of_all(scan, x):
    return scan(lambda c, w: (c * w, cnp.log(c)), x[0], cnp.array([1.0, 0.5, 0.0]))[1][1]


def _one_element_of_the_state(scan, x):
    return scan(lambda c, w: (cnp.concatenate([c[1:], c[:1] * w]) ** 1.5, w), x, x)[0][1]


def _shifted(scan, x):
    def body(c, w):
        buffer = cnp.zeros(4)
        buffer[1:] = c[:-1]
        buffer[0] += w
        return cnp.sqrt(buffer), cnp.sum(buffer)

    return cnp.sum(scan(body, cnp.square(x), x)[1])


def _products_of_matrices(scan, x):
    a = cnp.outer(x, x)
    return cnp.sum(scan(lambda c, w: (cnp.tanh(a @ c) * w, c[0]), x, x)[0])


def _nested(scan, x):
    return scan(lambda c, w: (scan(lambda d, v: (d * cnp.cos(v), v), c, x * w)[0], c), x[0], x)[0]


def _two_outputs_one_used(scan, x):
    last, seen = scan(lambda c, w: (c * w, cnp.exp(1e3 * c)), x[0], x)
    return last


PROGRAMS = [_plain, _unused_state_that_overflows, _selected_in_the_body, _selected_behind, _one_row_of_all,
            _one_element_of_the_state, _shifted, _products_of_matrices, _nested, _two_outputs_one_used]
POINT = np.array([0.6, 0.3, 0.9, 1.2])


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("program", PROGRAMS)
def test_loops_and_calls_have_the_derivatives_of_their_unrolled_bodies(program):
    def unrolled(x):
        return program(_unrolled, x)

    def loop(x):
        return program(cv.lax.scan, x)

    want = cv.grad(unrolled)(POINT)
    assert np.isfinite(want).all()
    for found in (cv.grad(loop), cv.jit(cv.grad(loop)), cv.grad(cv.jit(loop)), cv.grad(cv.jit(unrolled)),
                  lambda x: cv.vmap(cv.grad(loop))(np.stack([x, x]))[1], cv.jacfwd(loop)):
        np.testing.assert_allclose(found(POINT), want, rtol=1e-12, atol=1e-300)
    second = cv.hessian(unrolled)(POINT)
    for found in (cv.hessian(loop), cv.jit(cv.hessian(loop)), cv.hessian(cv.jit(loop)), cv.jacrev(cv.grad(loop))):
        np.testing.assert_allclose(found(POINT), second, rtol=1e-10, atol=1e-12)


def test_a_loop_that_selects_nothing_looks_for_no_zeros():
    def staged(fun):
        return str(cv.make_graph(cv.grad(fun))(POINT))

    for program in (_plain, _products_of_matrices):
        assert "strong" not in staged(lambda x, program=program: program(cv.lax.scan, x))
        assert "strong" not in staged(lambda x, program=program: cv.jit(lambda x: program(cv.lax.scan, x))(x))
    assert "strong" in staged(lambda x: _selected_behind(cv.lax.scan, x))
