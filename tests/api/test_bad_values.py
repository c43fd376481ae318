"""Each name of `covector.numpy` with each argument replaced by what it is not for: a clean error, or NumPy's answer.

The good calls are those by which the names are compared with NumPy. Of an error it matters that it is none of the code
inside (an attribute of an operand, a key, a recursion), that it says where the user called, or speaks in NumPy's words,
and that nothing was written to.
"""

import contextlib
import importlib.util
import inspect
import warnings
from pathlib import Path

import numpy as np

import covector
import covector.numpy as cnp


def _load(name):
    spec = importlib.util.spec_from_file_location(f"api_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


table = _load("names")


class Odd:
    pass


BAD = [
    None, "abc", ["a", "b"], np.array([1.0, None], object), {1, 2}, {"a": 1.0}, Odd(), np.array(["2020"], "M8[D]"), 1j,
    [[1.0], [1.0, 2.0]], -7, 1.5, float("nan"), np.ones((1, 2, 7)), [], (0, "x"), np.zeros(2, "i4,f8"), slice(0, 1),
    np.ma.array([1.0, 2.0], mask=[True, False]),
]  # fmt: skip
OPTIONS = {
    "axis": [99, 1.0, "x", (0, 0), [0]], "dtype": ["nonsense", "U5", "M8[D]", object], "order": ["Q", 5],
    "keepdims": ["yes", 1.5], "casting": ["bogus", 5], "mode": ["bogus", 5], "method": ["bogus"], "kind": ["bogus", 5],
    "side": ["up"], "ddof": ["a", 1j], "initial": ["a", np.ones(2)], "n": [-1, 1.5, "a"], "k": [1.5, "a"],
    "norm": ["bogus"], "ord": ["bogus"], "shape": [(-2, 3), "a"], "weights": ["a", np.ones(9)], "offset": [1.5, "a"],
    "indexing": ["zz"], "device": ["gpu"], "copy": ["a"], "rowvar": ["a"], "UPLO": ["X"], "rcond": ["a"],
    "bogus_keyword": [1],
}  # fmt: skip
INSIDE = (AssertionError, AttributeError, KeyError, RecursionError, UnboundLocalError, NameError, ZeroDivisionError,
          SystemError, StopIteration)
PYTHONS_OWN = ("positional argument", "unexpected keyword", "multiple values")  # of calls that do not fit
WRITERS = {"put", "place", "putmask", "put_along_axis", "fill_diagonal", "copyto"}  # they write where the call says so
DRIVERS = {
    "jvp": lambda f, x: covector.jvp(f, (x,), (np.ones_like(x),)),
    "vmap": lambda f, x: covector.vmap(f)(np.stack([x, x])),
    "make_graph": lambda f, x: covector.make_graph(f)(x),
}


class Recorder:
    """NumPy, and with which arguments its functions were called."""

    def __init__(self, module, calls, prefix=""):
        self.module, self.calls, self.prefix = module, calls, prefix

    def __getattr__(self, name):
        value = getattr(self.module, name)
        if inspect.ismodule(value):
            return Recorder(value, self.calls, f"{self.prefix}{name}.")
        if not callable(value) or isinstance(value, type):
            return value

        def recorded(*args, **kwargs):
            self.calls.append((self.prefix + name, args, kwargs))
            return value(*args, **kwargs)

        return recorded


@contextlib.contextmanager
def silent():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def good_call(name, cases):
    """The arguments of one call that NumPy takes, with an array of floats among them; None where there is none."""
    best = None
    for case in cases:
        calls = []
        with silent(), contextlib.suppress(Exception):
            case.fun(Recorder(np, calls), *[x.copy() for x in case.args])
        for called, args, kwargs in calls:
            traced = [i for i, x in enumerate(args) if type(x) is np.ndarray and x.dtype == float and 0 < x.size < 100]
            if called == name and traced and (best is None or len(kwargs) > len(best[1])):
                best = args, kwargs, traced[0]
    return best


def variants(reference, args, kwargs):
    """The call with one argument replaced, one option added, one argument too few or too many."""
    for i in range(len(args)):
        for value in BAD:
            yield (*args[:i], value, *args[i + 1 :]), kwargs
    for key in kwargs:
        for value in [*BAD, *OPTIONS.get(key, ())]:
            yield args, {**kwargs, key: value}
    try:
        known = list(inspect.signature(reference).parameters)
    except ValueError:
        known = ["dtype", "casting", "order"] if isinstance(reference, np.ufunc) else []
    for key, values in OPTIONS.items():
        if key not in kwargs and (key in known[len(args) :] or key == "bogus_keyword"):
            for value in values:
                yield args, {**kwargs, key: value}
    yield args[:-1], kwargs
    yield (*args, 3), kwargs


def frozen(values):
    return [x.tobytes() if isinstance(x, np.ndarray) and x.dtype != object else repr(x) for x in values]


def named(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


def test_bad_values_get_clean_errors():
    count, wrong = 0, []
    for name, cases in table.NAMES.items():
        call = good_call(name, cases)
        if call is None or name in WRITERS:
            continue
        reference, ours = named(np, name), named(cnp, name)
        for args, kwargs in variants(reference, *call[:2]):
            place = call[2]
            if place >= len(args) or type(args[place]) is not np.ndarray or args[place].dtype != float:
                continue
            before = frozen([*args, *kwargs.values()])
            for driver, run in DRIVERS.items():
                with silent():
                    complaint = check(name, reference, ours, args, kwargs, place, driver, run)
                wrong += [complaint] if complaint else []
                count += 1
            assert frozen([*args, *kwargs.values()]) == before, f"{name} wrote into its arguments"
    assert count > 20000
    assert not wrong, "\n".join(wrong[:40])
    x = np.array([0.5, 1.0])
    np.testing.assert_array_equal(covector.grad(lambda v: np.sum(np.sin(v)))(x), np.cos(x))


def check(name, reference, ours, args, kwargs, place, driver, run):
    def call(t):
        out = ours(*args[:place], t, *args[place + 1 :], **kwargs)
        return [v for v in (out if isinstance(out, (tuple, list)) else [out]) if hasattr(v, "dtype")]

    try:
        run(call, args[place])
    except Exception as error:
        where = f"{name}{(*args, kwargs)!r:.200} under {driver}: {type(error).__name__}: {error}"
        said = plainly(reference, args, kwargs)
        if isinstance(error, INSIDE) and type(said) is not type(error):
            return where
        words = str(error)
        clean = "test_bad_values.py" in words or getattr(error, "__notes__", None) or words == str(said)
        if not clean and not any(part in words for part in PYTHONS_OWN):
            return where
    return None


def plainly(reference, args, kwargs):
    try:
        reference(*[x.copy() if isinstance(x, np.ndarray) else x for x in args], **kwargs)
    except Exception as error:
        return error
    return None
