"""NumPy's floating-point warnings name the user's line, and one line does not hide another."""

import subprocess
import sys
import warnings
from contextvars import Context

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp
from covector.core.arrays.fp_warnings import enter_error_state, error_state, leave_error_state

ZERO = np.array([0.0, 1.0])
LARGE = np.array([1000.0, 1.0])


def divided(x):
    a = 1.0 / x  # line 1
    b = np.log(x)  # line 2
    c = np.log(x - x)  # line 3
    d = cnp.divide(x, x - x)  # line 4
    return np.sum(a) - np.sum(b) - np.sum(c) + d[0]


def grown(x):
    a = np.exp(x)  # line 1
    b = np.sinh(x) - 1.0  # line 2
    return np.sum(a) - b[1]


@pytest.fixture(autouse=True)
def usual_error_state():
    """That of NumPy, whatever a test before set for its process."""
    before = error_state()
    enter_error_state(Context().run(error_state))
    yield
    leave_error_state(before)


def given(call):
    """The warnings that a program gives under the default filter: (message, lines after that of the function)."""
    globals().pop("__warningregistry__", None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        call()
    assert {w.filename for w in caught} <= {__file__}
    assert {w.category for w in caught} <= {RuntimeWarning}
    return [(str(w.message), w.lineno) for w in caught]


def lines(fun, *found):
    first = fun.__code__.co_firstlineno
    return [(message, first + line) for line, message in found]


DIVIDED = lines(
    divided,
    (1, "divide by zero encountered in divide"),
    (2, "divide by zero encountered in log"),
    (3, "divide by zero encountered in log"),
    (4, "divide by zero encountered in divide"),
    (4, "invalid value encountered in divide"),
)
GROWN = lines(grown, (1, "overflow encountered in exp"), (2, "overflow encountered in sinh"))
TRANSFORMS = {
    "grad": lambda f, x: cv.grad(f)(x),
    "value_and_grad": lambda f, x: cv.value_and_grad(f)(x),
    "vjp": lambda f, x: cv.vjp(f, x),
    "jvp": lambda f, x: cv.jvp(f, (x,), (x,)),
    "vmap": lambda f, x: cv.vmap(f)(x[None]),
    "hessian": lambda f, x: cv.hessian(f)(x),
    "jacobian": lambda f, x: cv.jacobian(f)(x),
    "jacfwd": lambda f, x: cv.jacfwd(f)(x),
    "jit": lambda f, x: cv.jit(f)(x),
    "graph": lambda f, x: cv.jit(f, compiler_options={"printer": "graph"})(x),
    "numpy": lambda f, x: cv.jit(f, compiler_options={"printer": "numpy"})(x),
    "grad of jit": lambda f, x: cv.grad(cv.jit(f))(x),
    "checkpoint": lambda f, x: cv.grad(cv.checkpoint(f))(x),
    "vmap of grad": lambda f, x: cv.vmap(cv.grad(f))(x[None]),
    "make_graph": lambda f, x: cv.make_graph(f)(x)(x),
}


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize(("fun", "x", "wanted"), [(divided, ZERO, DIVIDED), (grown, LARGE, GROWN)])
def test_each_line_is_named(name, fun, x, wanted):
    found = given(lambda: TRANSFORMS[name](fun, x))
    assert [warning for warning in found if warning in wanted] == wanted  # derivatives may have more
    assert len(set(found)) == len(found)  # once a line


def test_a_line_is_named_once():
    f = cv.grad(grown)
    found = given(lambda: [f(LARGE) for _ in range(3)])
    assert found == GROWN


def test_filters_of_the_users_module_hold():
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="overflow", module=__name__.replace(".", r"\."))
        with pytest.raises(RuntimeWarning, match="overflow encountered in exp"):
            cv.grad(grown)(LARGE)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        cv.grad(grown)(LARGE)
    assert caught == []


def test_error_states_of_the_users_hold():
    for transform in (cv.grad, cv.jit, lambda f: cv.vmap(lambda x: f(x))):
        f = transform(grown)
        x = LARGE if transform in (cv.grad, cv.jit) else LARGE[None]
        with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="overflow"):
            f(x)
        with np.errstate(over="ignore"):
            assert given(lambda f=f, x=x: f(x)) == []
        seen = []
        with np.errstate(over="call", call=lambda kind, flag, seen=seen: seen.append(kind)):
            assert given(lambda f=f, x=x: f(x)) == []
        assert seen == ["overflow"] * len(seen) != []


def test_an_error_state_inside_holds():
    def f(x):
        with np.errstate(over="ignore"):
            y = np.exp(x)
        return np.sum(y) - np.sum(np.log(x - x))

    wanted = lines(f, (3, "divide by zero encountered in log"))
    for transform in (cv.grad, cv.jit, lambda f: cv.grad(cv.jit(f))):
        assert given(lambda t=transform: t(f)(LARGE)) == wanted


def test_a_state_that_stays_is_followed_from_the_second_call_on():
    with np.errstate(under="warn"):
        f = cv.grad(grown)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            f(LARGE)
        assert given(lambda: f(LARGE)) == GROWN


def test_plain_operations_inside_name_their_own_line():
    def f(x):
        a = np.log(ZERO)
        return x * a[1]

    assert given(lambda: cv.grad(f)(1.0)) == lines(f, (1, "divide by zero encountered in log"))


def test_the_error_state_is_left_as_it_was():
    before = np.geterr(), np.geterrcall()
    cv.grad(np.sum)(ZERO)
    cv.jit(np.sin)(ZERO)
    for transform in (cv.grad, cv.vmap, cv.jit):
        with pytest.raises(ZeroDivisionError):
            transform(lambda x: 1 / 0)(ZERO)
    assert (np.geterr(), np.geterrcall()) == before


def test_staging_inside_of_a_transform_computes_constants():
    """Where NumPy would have nothing to write to."""
    f = cv.grad(lambda x: cv.jit(lambda y: y * np.log(ZERO)[0])(x))
    assert given(lambda: f(1.0))[0][0] == "divide by zero encountered in log"


def test_under_the_filter_that_python_starts_with(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "import numpy as np, covector as cv\n\n\ndef f(x):\n    a = np.log(x)\n    b = np.log(x)\n"
        "    return np.sum(a - b)\n\n\ncv.grad(f)(np.zeros(2))\ncv.grad(f)(np.zeros(2))\n"
    )
    out = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True).stderr
    shown = [line for line in out.splitlines() if "RuntimeWarning" in line]
    assert [line.split("program.py:")[1] for line in shown][:2] == [
        f"{n}: RuntimeWarning: divide by zero encountered in log" for n in (5, 6)
    ]
    assert "a = np.log(x)" in out
    assert len(shown) == 3  # the third is of the difference


@pytest.mark.parametrize(("fun", "x", "words"), [
    (np.mean, np.zeros(0), "Mean of empty slice"), (np.median, np.zeros((0, 2)), "Mean of empty slice"),
    (np.var, np.zeros(0), "Degrees of freedom <= 0 for slice"), (np.cov, np.ones((2, 1)), "Degrees of freedom <= 0"),
    (lambda x: np.std(x, ddof=1), np.ones(1), "Degrees of freedom <= 0 for slice"),
    (lambda x: np.var(x, axis=0, ddof=3), np.ones((2, 2)), "Degrees of freedom <= 0 for slice"),
])
def test_slices_without_enough_elements_warn_as_numpy_does(fun, x, words):
    for call in (fun, cv.jit(fun), lambda x: cv.vjp(fun, x)[0]):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(x)
        assert [w.category for w in caught if words in str(w.message)] == [RuntimeWarning]
