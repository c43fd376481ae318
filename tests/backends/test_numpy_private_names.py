"""Where a NumPy lacks the private names that save time, its public functions do the same."""

import subprocess
import sys

PROGRAM = """
import sys
import warnings
import numpy as np
from numpy._core import umath

if sys.argv[1] == "absent":
    del umath._extobj_contextvar, umath._make_extobj, np.linalg._umath_linalg

import covector as cv
import covector.compat.torch as torch
from covector.core.arrays import fp_warnings
from covector.core.ops.linalg import decompositions

assert (fp_warnings.VARIABLE is None) == (decompositions._ROUTINES is None) == (sys.argv[1] == "absent")
warnings.simplefilter("error")
a = np.array([[3.0, 1.0], [1.0, 2.0]])
print(cv.grad(lambda a: np.linalg.inv(a).sum())(a).round(12).tolist())
print(cv.grad(lambda a: np.linalg.cholesky(a).sum())(a).round(12).tolist())
for function, bad in ((np.linalg.inv, np.zeros((2, 2))), (np.linalg.cholesky, -a)):
    try:
        cv.grad(lambda a: function(a).sum())(bad)
    except np.linalg.LinAlgError as error:
        print(error)
with np.errstate(all="raise"):
    print(cv.grad(lambda x: np.sqrt(x))(0.0), np.geterr()["divide"])
    t = torch.tensor([0.0, -1.0], requires_grad=True)
    t.log().sum().backward()
    print(t.grad.tolist(), np.geterr()["divide"])
"""


def said(names):
    """What the program prints where NumPy's private names are present or absent."""
    done = subprocess.run([sys.executable, "-P", "-c", PROGRAM, names], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_private_names_of_numpy_only_save_time():
    with_names = said("present")
    assert with_names == said("absent")
    assert with_names[0] == "[[-0.04, -0.08], [-0.08, -0.16]]"  # minus the outer product of the row sums of a⁻¹
    assert with_names[2:4] == ["Singular matrix", "Matrix is not positive definite"]
    assert with_names[4:] == ["inf raise", "[inf, -1.0] raise"]
