"""Arrays of Python objects hold numbers that have derivatives: a traced value that would become one is refused."""

import numpy as np
import pytest

import covector as cv

NUMBERS = np.array([1.0, 2.0], dtype=object)  # what pandas gives of a column of mixed types
INTO_OBJECTS = {
    "product": lambda x: (x * NUMBERS).sum(),
    "product from the left": lambda x: (NUMBERS * x).sum(),
    "sum": lambda x: (x + NUMBERS).sum(),
    "power": lambda x: np.sum(x**NUMBERS),
    "ufunc": lambda x: np.maximum(x, NUMBERS).sum(),
    "outer": lambda x: np.outer(x, NUMBERS).sum(),
    "einsum": lambda x: np.einsum("i,i", x, NUMBERS),
    "choice": lambda x: np.where([True, False], x, NUMBERS).sum(),
    "reduction by dtype": lambda x: np.sum(x, dtype=object),
    "cast": lambda x: x.astype(object).sum(),
}
DRIVERS = {
    "grad": lambda f, x: cv.grad(f)(x),
    "jvp": lambda f, x: cv.jvp(f, (x,), (np.ones(2),)),
    "grad of vmap": lambda f, x: cv.grad(lambda v: cv.vmap(f)(v[None]).sum())(x),
    "grad of a graph": lambda f, x: cv.grad(lambda v: cv.make_graph(f)(v)(v).sum())(x),
}


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("name", INTO_OBJECTS)
def test_a_traced_value_that_would_become_an_object_is_refused(driver, name):
    with pytest.raises(TypeError, match=r"object.*astype"):
        DRIVERS[driver](INTO_OBJECTS[name], np.array([3.0, 5.0]))


def test_the_message_names_the_line_of_the_user():
    with pytest.raises(TypeError, match=r"dtype object.*; convert it first.*\(at test_object_arrays\.py:\d+ in"):
        cv.grad(lambda x: (x * NUMBERS).sum())(np.ones(2))


def test_arrays_of_objects_that_meet_no_traced_value_are_constants():
    assert cv.grad(lambda x: x * NUMBERS.sum())(2.0) == 3.0
    assert cv.numpy.astype(np.ones(2), object).dtype == object
