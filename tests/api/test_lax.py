"""`covector.lax`: what it refuses and how. Values are compared with JAX's in tests/reference/test_lax.py."""

import subprocess
import sys

import numpy as np
import pytest

import covector as cv
from covector import lax

X = np.arange(6.0).reshape(2, 3)
IMAGE, KERNELS = np.ones((1, 8, 8, 3)), np.ones((3, 3, 3, 4))

REFUSED = {
    "slice beyond the end": (lambda: lax.slice(X, (0, 1), (2, 9)), "use dynamic_slice, which clamps"),
    "slice of too few": (lambda: lax.slice(X, (0,), (2,)), "start_indices with one number per axis"),
    "sizes that do not fit": (lambda: lax.dynamic_slice(X, (0, 0), (2, 9)), "needs a slice that fits"),
    "one start": (lambda: lax.dynamic_slice(X, 1, (2, 2)), "needs one start index per axis, but got 1"),
    "a start that is no integer": (lambda: lax.dynamic_slice(X, (0, 1.0), (2, 2)), r"cast it with .astype\(int\)"),
    "an update of another dtype": (lambda: lax.dynamic_update_slice(X, np.ones((1, 1), np.float32), (0, 0)),
                                   r"cast it with .astype\(float64\)"),
    "a condition that is none": (lambda: lax.select(1.0, X, X), "needs a boolean pred, but got dtype float64"),
    "three cases of two": (lambda: lax.select_n(X > 1, X, X, X), "integers, or booleans for two cases"),
    "axes as a number": (lambda: lax.reduce_sum(X, 0), "axes of reduce_sum is a tuple or a list, but got 0"),
    "too many of the largest": (lambda: lax.top_k(X, 4), "k from 0 to the 3 elements of the axis, but got k=4"),
    "no keys": (lambda: lax.sort((X, X), num_keys=3), "from 1 to 2 keys for 2 arrays, but got num_keys=3"),
    "pairs of padding": (lambda: lax.pad(X, 0.0, [(1, 1), (0, 0)]), r"\(low, high, interior\) for each axis"),
    "axes that descend": (lambda: lax.broadcast_in_dim(X, (3, 2), (1, 0)), "needs ascending broadcast_dimensions"),
    "axes that do not match": (lambda: lax.dot_general(X, X, (((1,), (0,)), ((), ()))), "pairs of axes of equal sizes"),
    "two strings": (lambda: lax.conv_general_dilated(IMAGE, KERNELS, (1, 1), "SAME",
                                                     dimension_numbers=("NHWC", "HWIO")),
                    "three strings as dimension_numbers"),
    "a wrong string": (lambda: lax.conv_general_dilated(IMAGE, KERNELS, (1, 1), "SAME",
                                                        dimension_numbers=("NHWC", "HWIX", "NHWC")),
                       "for rhs a string with I and O .* but got 'HWIX' of"),
    "groups of a batch": (lambda: lax.conv_general_dilated(IMAGE, KERNELS, (1, 1), "SAME", batch_group_count=2),
                          "needs batch_group_count=1, but got 2; convolve each group by itself"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_what_to_do(name):
    call, words = REFUSED[name]
    with pytest.raises((ValueError, TypeError, NotImplementedError), match=words) as caught:
        call()
    assert "; " in str(caught.value) and "(at test_lax.py:" in str(caught.value)


def test_control_flow_and_collectives_are_covector_s_own():
    for name in ("scan", "while_loop", "fori_loop", "cond", "switch", "map", "associative_scan", "psum", "custom_root"):
        assert getattr(lax, name) is getattr(cv, name)


def test_numbers_and_lists_are_arrays():
    assert lax.rsqrt([1.0, 4.0]).tolist() == [1.0, 0.5]
    assert lax.cumsum([1, 2, 3]).tolist() == [1, 3, 6]
    assert float(cv.grad(lambda t: lax.select(t > 0.0, t * t, t))(3.0)) == 6.0


def test_a_loop_writes_at_traced_places():
    def steps(x):
        return lax.fori_loop(0, 3, lambda i, c: lax.dynamic_update_index_in_dim(c, i * x[0], i, 0), x)

    x = np.array([2.0, 1.0, 1.0])
    for run in (steps, cv.jit(steps)):
        assert run(x).tolist() == [0.0, 2.0, 4.0]
    wanted = cv.jacobian(steps)(x)
    np.testing.assert_allclose(cv.jit(cv.jacobian(steps))(x), wanted)


def test_it_is_imported_when_it_is_asked_for():
    code = "import sys, covector; assert 'covector.lax' not in sys.modules; covector.lax.cumsum; print('ok')"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "ok\n"
