"""Arguments that no rule can take are refused in every transform: nothing is cast, dropped or unmasked silently."""

import functools

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp
from covector.core.errors import BackendError, DtypeError
from covector.core.numpy_api import refusal

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


FOUR = np.arange(1.0, 5.0)
UNDER = {
    "vjp": lambda f: cv.vjp(f, FOUR),
    "jvp": lambda f: cv.jvp(f, (FOUR,), (FOUR,)),
    "vmap": lambda f: cv.vmap(f)(np.stack([FOUR, FOUR])),
    "make_graph": lambda f: cv.make_graph(f)(FOUR),
}
REFUSED = {  # where NumPy refuses, so do we, in its kind and words, with what was given and the user's line
    "roll by a text": (ValueError, lambda np, x: np.roll(x, "a"), r"numpy\.roll refuses.*invalid.*\(f64\[4\], 'a'\)"),
    "pad by a text": (TypeError, lambda np, x: np.pad(x, "a"), r"numpy\.pad refuses.*integral.*\(f64\[4\], 'a'\)"),
    "diagonal far out": (ValueError, lambda np, x: np.diag(x, k=2**70), r"numpy\.diag refuses.*k=1180591620717"),
    "parts without number": (ValueError, lambda np, x: np.split(x, np.inf), r"numpy\.split refuses.*\(f64\[4\], inf\)"),
    "power of a text": (TypeError, lambda np, x: np.float_power(x, "a"), r"'a'"),
    "keepdims by text": (TypeError, lambda np, x: np.sum(x, keepdims="yes"), r"keepdims= is True or False.*'yes'"),
    "keepdims by number": (TypeError, lambda np, x: np.mean(x, axis=0, keepdims=1.5), r"keepdims= is True.*1\.5"),
    "matmul of a number": (ValueError, lambda np, x: np.matmul(x, 3.0), r"at least one axis.*\(4,\) and \(\)"),
    "vecdot without axis": (TypeError, lambda np, x: np.vecdot(x, x, axis=None), r"axis is an integer.*None"),
}
NUMPYS_OWN = {  # NumPy's own words, and a note that says how it was called, and where
    "order": (ValueError, lambda np, x: np.sin(x, order="Q"), r"order must be one of.*'Q'"),
    "casting": (ValueError, lambda np, x: np.add(x, 1.0, casting="bogus"), r"casting must be one of.*'bogus'"),
    "no loop": (TypeError, lambda np, x: np.isnan(x, dtype=np.float16), r"No loop matching.*isnan"),
    "singular": (np.linalg.LinAlgError, lambda np, x: np.linalg.inv(np.outer(x, x) * 0.0), r"Singular matrix"),
}  # fmt: skip


@pytest.mark.parametrize("transform", UNDER)
@pytest.mark.parametrize("library", [np, cnp], ids=["numpy", "covector.numpy"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_numpy_refuses_is_refused_in_its_kind_with_the_line_of_the_user(name, library, transform):
    kind, call, message = REFUSED[name]
    kept = FOUR.copy()
    with pytest.raises(kind, match=message) as caught:
        UNDER[transform](lambda x: call(library, x))
    assert "test_bad_input.py" in str(caught.value)
    np.testing.assert_array_equal(FOUR, kept)
    with pytest.raises((TypeError, ValueError)):
        call(np, FOUR)


@pytest.mark.parametrize("transform", ["vjp", "jvp"])
@pytest.mark.parametrize("name", NUMPYS_OWN)
def test_words_of_numpy_get_a_note_with_the_call_and_the_line(name, transform):
    kind, call, message = NUMPYS_OWN[name]
    with pytest.raises(kind, match=message) as caught:
        UNDER[transform](lambda x: call(np, x))
    assert any("was called as (f64" in note and "test_bad_input.py" in note for note in caught.value.__notes__)


def test_what_numpy_takes_and_traced_values_do_not_says_so():
    with pytest.raises(NotImplementedError, match=r"numpy\.round does not take.*\(f64\[4\], 400\).*test_bad_input"):
        cv.jvp(lambda x: np.round(x, 400), (FOUR,), (FOUR,))


def test_an_error_of_a_function_handed_to_numpy_stays():
    calls = []

    def fails(row):
        calls.append(1)
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match=r"^mine$"):
        cv.jvp(lambda x: np.apply_along_axis(fails, 0, x), (FOUR,), (FOUR,))
    assert len(calls) == 1  # it is not called again to find the words


CALLING = {
    "functions in a list": lambda f, x: np.piecewise(x, [x > 0.0], [f, f]),
    "a function with arguments": lambda f, x: np.apply_along_axis(functools.partial(f), 0, x),
    "a function of an axis": lambda f, x: np.apply_over_axes(lambda a, axis: f(a), x, [0]),
}
WRONG = {
    "of arrays": (ValueError, lambda row: np.reshape(FOUR, (2,)), "^cannot reshape array of size 4 into shape"),
    "of traced values": (TypeError, lambda row: np.pad(row, "a"), r"^numpy\.pad refuses.*in <lambda>"),
}


@pytest.mark.parametrize("name", CALLING)
@pytest.mark.parametrize("wrong", WRONG)
def test_what_numpy_refuses_inside_such_a_function_is_said_of_that_call(name, wrong):
    kind, inner, message = WRONG[wrong]
    calls = []

    def fails(row):
        calls.append(1)
        return inner(row)

    with pytest.raises(kind, match=message):
        cv.vjp(lambda x: CALLING[name](fails, x), FOUR)
    assert len(calls) == 1


class Counted:
    """An object that counts how often somebody asks for its number or its parts."""

    def __init__(self):
        self.asked = 0

    def __iter__(self):
        self.asked += 1
        return iter([1.0])

    def __index__(self):
        self.asked += 1
        return 2**70


@pytest.mark.parametrize("kind", [list, tuple, lambda parts: parts[0]], ids=["list", "tuple", "alone"])
@pytest.mark.parametrize("name", ["diag", "delete", "broadcast_to", "pad"])
def test_objects_are_not_given_to_numpy_a_second_time(name, kind, monkeypatch):
    asked = []
    said = refusal.explain

    def explain(*given):
        asked.append(counted.asked)
        try:
            said(*given)
        finally:
            asked.append(counted.asked)

    monkeypatch.setattr(refusal, "explain", explain)
    counted = Counted()
    with pytest.raises((TypeError, ValueError, IndexError, OverflowError)):
        cv.vjp(lambda x: getattr(np, name)(x, kind([counted])), FOUR)
    assert len(set(asked)) == 1


def test_a_matrix_that_has_no_factors_is_not_factored_again(monkeypatch):
    monkeypatch.setattr(refusal, "_verdict", None)
    with pytest.raises(np.linalg.LinAlgError) as caught:
        cv.vjp(np.linalg.inv, np.zeros((2, 2)))
    assert any("was called as (f64[2,2]" in note for note in caught.value.__notes__)


def test_an_iterator_is_not_used_up_for_the_words():
    rest = iter([2, 3])
    with pytest.raises(TypeError, match=r"numpy\.broadcast_to does not take these.*iterator.*test_bad_input"):
        cv.vjp(lambda x: np.broadcast_to(x, rest), FOUR)
    assert list(rest) == [2, 3]


def test_an_object_that_cannot_be_shown_does_not_hide_the_error():
    class Unfinished:
        def __repr__(self):
            raise KeyError("name")

    with pytest.raises(TypeError, match="<Unfinished>"):
        cv.vjp(lambda x: np.pad(x, Unfinished()), FOUR)


def test_turns_given_as_an_array_are_not_written_to():
    turns = np.array([0, 9])
    with pytest.raises((ValueError, TypeError), match="ambiguous|0-dimensional"):  # of NumPy up to 2.4, and of 2.5
        cv.jvp(lambda x: np.rot90(x, turns), (np.ones((2, 2)),), (np.ones((2, 2)),))
    assert turns.tolist() == [0, 9]
