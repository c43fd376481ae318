"""Arguments that no rule can take are refused in every transform: nothing is cast, dropped or unmasked silently."""

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp
from covector.core.errors import BackendError, DtypeError

X = np.array([0.5, 2.0])
MASKED = np.ma.array([1.0, 2.0], mask=[True, False])
MATRIX = np.array([[1.0, 2.0], [3.0, 4.0]]).view(np.matrix)
OBJECTS = np.array([1.0, 2.0], object)
SPANS = np.array([1, 2], "m8[s]")
TEXTS = np.array(["a", "b"])
RECORDS = np.zeros(2, "i4,f8")

TRANSFORMS = {
    "grad": lambda f: cv.grad(lambda x: np.sum(f(x)))(X),
    "vjp": lambda f: cv.vjp(f, X),
    "jvp": lambda f: cv.jvp(f, (X,), (X,)),
    "vmap": lambda f: cv.vmap(f)(np.stack([X, X])),
    "make_graph": lambda f: cv.make_graph(f)(X),
    "linearize": lambda f: cv.linearize(f, X),
}
ARRAYS = {  # arrays that are no plain arrays of numbers, where an operation meets them
    "objects": (DtypeError, lambda x: x * OBJECTS, r"dtype object.*\.astype\(float\)"),
    "objects to the left": (DtypeError, lambda x: OBJECTS * x, r"dtype object.*\.astype\(float\)"),
    "cast to objects": (DtypeError, lambda x: x.astype(object), r"dtype object.*\.astype\(float\)"),
    "sum in objects": (DtypeError, lambda x: np.sum(x, dtype=object), r"dtype object.*\.astype\(float\)"),
    "joined objects": (DtypeError, lambda x: np.concatenate([x, OBJECTS]), r"dtype object.*\.astype\(float\)"),
    "texts": (DtypeError, lambda x: cnp.stack([x, TEXTS]), r"dtype <U.*\.astype\(float\)"),
    "cast to text": (DtypeError, lambda x: x.astype(str), r"dtype <U.*\.astype\(float\)"),
    "dates": (DtypeError, lambda x: x.astype("M8[Y]"), r"dtype datetime64\[Y\].*\.astype\(float\)"),
    "spans of time": (DtypeError, lambda x: x * SPANS, r"dtype timedelta64\[s\].*\.astype\(float\)"),
    "records": (DtypeError, lambda x: np.concatenate([x, RECORDS]), r"dtype|could not be promoted"),
    "masked": (BackendError, lambda x: x + MASKED, r"MaskedArray.*np\.asarray\(a\), or a\.filled\(value\)"),
    "joined masked": (BackendError, lambda x: np.concatenate([x, MASKED]), r"MaskedArray.*a\.filled\(value\)"),
    "matrix": (BackendError, lambda x: x * MATRIX, r"matrix.*np\.asarray\(a\)"),
    "matrix to the left": (BackendError, lambda x: MATRIX @ x, r"matrix.*np\.asarray\(a\)"),
}  # fmt: skip


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_no_plain_array_of_numbers_is_refused(transform, name):
    kind, fun, message = ARRAYS[name]
    with pytest.raises(TypeError, match=message) as caught:
        TRANSFORMS[transform](fun)
    assert isinstance(caught.value, kind) or name == "records"


def test_the_data_of_such_arrays_are_taken():
    assert cv.grad(lambda x: np.sum(x * OBJECTS.astype(float)))(X).tolist() == [1.0, 2.0]
    assert cv.grad(lambda x: np.sum(x * MASKED.filled(0.0)))(X).tolist() == [0.0, 2.0]
    assert cv.grad(lambda x: np.sum(np.asarray(MATRIX) @ x))(X).tolist() == [4.0, 6.0]


def test_a_memory_map_is_a_plain_array(tmp_path):
    held = np.memmap(tmp_path / "held", np.float64, "w+", shape=(2,))
    held[:] = 3.0
    assert cv.grad(lambda x: np.sum(x * held))(X).tolist() == [3.0, 3.0]
    assert cv.grad(np.sum)(held).tolist() == [1.0, 1.0]
