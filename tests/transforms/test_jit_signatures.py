"""Signatures: which calls of a compiled function share what was compiled, and which calls are refused."""

import collections
import functools
import pickle
import re
import warnings

import numpy as np
import pytest
from rig.compiled import bits

import covector as cv

X = np.arange(3.0)
Pair = collections.namedtuple("Pair", "a b")


def counted(fun, **options):
    """A compiled function, and how often it was staged."""
    staged = []

    def run(*args, **kwargs):
        staged.append(None)
        return fun(*args, **kwargs)

    return cv.jit(run, **options), staged


DIFFERENT = {
    "zeros of two signs": (0.0, -0.0),
    "zeros of two signs in a tuple": ((1, 0.0), (1, -0.0)),
    "zeros of two signs in NumPy": (np.float32(0.0), np.float32(-0.0)),
    "zeros of two signs in a named tuple": (Pair(0.0, 1), Pair(-0.0, 1)),
    "complex zeros": (0j, complex(0.0, -0.0)),
    "one of every type": (True, 1, 1.0, 1 + 0j, np.float64(1.0), np.float32(1.0), np.int64(1), np.bool_(True)),
    "one in tuples": ((True,), (1,), (1.0,)),
    "one in named tuples": (Pair(True, 1), Pair(1, 1), Pair(1.0, 1), (1, 1)),
    "strings": ("a", b"a", "b"),
    "none and its like": (None, False, 0, (), ""),
}
SAME = {
    "NaN": (float("nan"), float("nan")),
    "NaN of NumPy": (np.float64("nan"), np.float64("nan")),
    "NaN in a tuple": ((1, float("nan")), (1, float("nan"))),
    "tuples": ((1, (2.0, "a")), (1, (2.0, "a"))),
    "functions": (np.sin, np.sin),
    "dtypes": (np.dtype(float), np.dtype("f8")),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_static_values_that_differ_are_compiled_each(name):
    f, staged = counted(lambda x, s: (x, float(np.copysign(1.0, s)) if isinstance(s, float) else 0.0),
                        static_argnums=1)
    for _ in range(3):
        for s in DIFFERENT[name]:
            sign = f(X, s)[1]
            assert not isinstance(s, float) or sign == np.copysign(1.0, s)
    assert len(staged) == len(DIFFERENT[name]) == f.cache_info().currsize


@pytest.mark.parametrize("name", SAME)
def test_static_values_that_are_the_same_are_compiled_once(name):
    f, staged = counted(lambda x, s: x * 2.0, static_argnums=1)
    for _ in range(3):
        for s in SAME[name]:
            f(X, s)
    assert len(staged) == 1


def test_static_arguments_by_position_and_by_name():
    def power(x, n, *, scale=1):
        assert type(n) is int and type(scale) is int
        return scale * x**n

    for options in ({"static_argnums": (1,), "static_argnames": ("scale",)}, {"static_argnames": ("n", "scale")},
                    {"static_argnums": (-1,), "static_argnames": "scale"}):
        f = cv.jit(power, **options)
        for _ in range(3):
            np.testing.assert_array_equal(f(X, 2, scale=3), 3 * X**2)
            np.testing.assert_array_equal(f(X, 3), X**3)
        if "n" in options.get("static_argnames", ()):
            np.testing.assert_array_equal(f(X, n=2), X**2)
        np.testing.assert_allclose(cv.grad(lambda x, f=f: np.sum(f(x, 3)))(X), 3 * X**2)
        np.testing.assert_array_equal(cv.vmap(lambda x, f=f: f(x, 2))(X), X**2)


ARGUMENTS = {
    "float64": X,
    "float32": X.astype(np.float32),
    "int64": np.arange(3),
    "bool": np.array([True, False, True]),
    "complex128": X + 1j,
    "another shape": np.arange(4.0),
    "a column": X[:, None],
    "no axes": np.array(2.0),
    "no elements": np.zeros(0),
    "a Python float": 2.0,
    "a Python int": 2,
    "a Python bool": True,
    "a Python complex": 2j,
    "a NumPy float64": np.float64(2.0),
    "a NumPy float32": np.float32(2.0),
    "a NumPy int8": np.int8(2),
    "a big integer": 2**40,
    "a reversed view": X[::-1],
    "a strided view": np.arange(6.0)[::2],
    "by columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "read-only": np.broadcast_to(1.5, (3,)),
    "big-endian": X.astype(">f8"),
    "float16": X.astype(np.float16),
    "longdouble": X.astype(np.longdouble),
    "not aligned": np.frombuffer(bytes(25), np.uint8)[1:].view(np.float64),
}


@pytest.mark.parametrize("printer", ["auto", "numpy", "graph"])
def test_arguments_of_every_kind_give_what_they_give_without_jit(printer):
    fun = lambda x: (x * 2, x + x, -x if np.asarray(x).dtype != bool else x)  # noqa: E731
    f = cv.jit(lambda x: (x * 2, x + x, -x if x.dtype != bool else x), compiler_options={"printer": printer})
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "jit compiled")
        for _ in range(3):
            for name, x in ARGUMENTS.items():
                for found, wanted in zip(f(x), fun(x)):
                    found, wanted = np.asarray(found), np.asarray(wanted)
                    assert found.dtype == wanted.dtype, name
                    np.testing.assert_array_equal(found, wanted, err_msg=name)


def test_python_numbers_stay_weak():
    f = cv.jit(lambda x, s: x * s)
    for s in (2.0, 2, True, np.float32(2.0), np.float64(2.0)):
        for x in (X.astype(np.float32), np.arange(3, dtype=np.int8), X):
            for _ in range(3):
                assert f(x, s).dtype == (x * s).dtype
    assert f(X, -0.0)[1] == 0.0 and np.signbit(f(X, -0.0)[1]) and not np.signbit(f(X, 0.0)[1])
    assert np.isnan(f(X, float("nan"))).all()


TREES = {
    "a tuple": (X, 1.0),
    "a list": [X, 1.0],
    "a named tuple": Pair(X, 1.0),
    "a dict": {"b": X, "a": 1.0},
    "with numbers as keys": {1: X, 0: 1.0},
    "with nothing": (X, None, (), {}),
    "nested": {"w": [X, (X, {"v": 1.0})], "u": Pair(None, X)},
}


@pytest.mark.parametrize("name", TREES)
def test_pytrees_keep_their_structure(name):
    def double(tree):
        return cv.tree.map(lambda x: x * 2.0, tree)

    f, staged = counted(double)
    for _ in range(3):
        found, wanted = f(TREES[name]), double(TREES[name])
        assert cv.tree.structure(found) == cv.tree.structure(wanted)
        for a, b in zip(cv.tree.leaves(found), cv.tree.leaves(wanted)):
            np.testing.assert_array_equal(a, b)
    assert len(staged) == 1


def test_trees_of_other_structure_are_compiled_each():
    f, staged = counted(lambda tree: sum(np.sum(x) for x in cv.tree.leaves(tree)))
    for _ in range(2):
        for tree in ((X, X), [X, X], {"a": X, "b": X}, {"a": X, "c": X}, Pair(X, X), (X, (X,)), ((X,), X),
                     (X, X, None)):
            f(tree)
    assert len(staged) == 8


def test_the_order_of_keys_does_not_matter():
    f, staged = counted(lambda tree=None, **named: {k: v * 2.0 for k, v in (tree or named).items()})
    assert f({"a": X, "b": 1.0}).keys() == f({"b": 1.0, "a": X}).keys()
    assert f(a=X, b=1.0).keys() == f(b=1.0, a=X).keys()
    assert len(staged) == 2


def test_defaults_and_starred_arguments():
    f = cv.jit(lambda x, y=3.0, *rest, z=1.0: x * y + sum(rest) + z)
    for _ in range(2):
        assert f(2.0) == 7.0
        assert f(2.0, 4.0) == 9.0
        assert f(2.0, 4.0, 10.0, 20.0, z=2.0) == 40.0
        assert f(2.0, y=5.0) == 11.0


def test_methods_and_names():
    class Model:
        @staticmethod
        @cv.jit
        def run(x):
            """Doubles."""
            return x * 2.0

    assert Model().run(2.0) == 4.0 and Model.run.__name__ == "run" and Model.run.__doc__ == "Doubles."
    named = cv.jit(functools.partial(leak)), cv.jit(Plain())
    assert [f.__name__ for f in named] == ["leak", "Plain"] and "leak" in repr(named[0]) and named[1](2.0) == 4.0


def test_lower_takes_shapes():
    def fun(tree, n):
        return tree["a"] @ tree["b"] * n

    lower = cv.jit(fun, static_argnums=1).lower
    shapes = {"a": cv.ShapeDtype((2, 3)), "b": cv.ShapeDtype((3,))}
    assert lower(shapes, 2).source == lower({"a": np.ones((2, 3)), "b": X}, 2).source


def test_options_of_a_decorator():
    @cv.jit(static_argnames="n")
    def f(x, n):
        return x * n

    assert f(2.0, n=3) == 6.0


def refuse(error, pattern, call):
    """The call is refused, with a message of three parts that names this file."""
    with pytest.raises(error) as caught:
        call()
    assert re.search(pattern, str(caught.value)), str(caught.value)
    assert "test_jit_signatures.py:" in str(caught.value), str(caught.value)
    assert ";" in str(caught.value)


LEAK = []


class Plain:
    """An object that is no pytree."""

    def __call__(self, x):
        return x * 2.0


def leak(x):
    LEAK.append(x * 2.0)
    return x


REFUSED = {
    "if": (lambda x: x if x[0] > 0 else -x, Exception, r"bool|value"),
    "while": (lambda x: [x for _ in range(int(x[0]))], Exception, r"int|value"),
    "a shape": (lambda x: np.zeros(int(x[0])) + x, Exception, r"int"),
    "a mask": (lambda x: x[x > 0], Exception, r"mask"),
    "nonzero": (lambda x: np.nonzero(x), Exception, r"nonzero"),
    "unique": (lambda x: np.unique(x), Exception, r"unique"),
    "float()": (lambda x: float(x[0]) * x, Exception, r"float"),
    "an index": (lambda x: [1.0, 2.0][x[0].astype(int)] * x, Exception, r"."),
    "a string": (lambda x: "abc", TypeError, r"returned 'abc' of type str"),
    "a function": (lambda x: (x, np.sin), TypeError, r"of type ufunc"),
}


@pytest.mark.parametrize("printer", ["auto", "numpy", "graph"])
def test_a_function_may_return_nothing_to_compute(printer):
    seen = []

    def watch(x):
        cv.debug.callback(lambda v: seen.append(float(v)), x[0])

    f = cv.jit(watch, compiler_options={"printer": printer})
    assert [f(X), f(2.0 * X), f(3.0 * X)] == [None] * 3 and seen == [X[0], 2.0 * X[0], 3.0 * X[0]]
    g = cv.jit(lambda x: {"a": None, "b": ()}, compiler_options={"printer": printer})
    assert g(X) == g(2.0) == {"a": None, "b": ()}
    assert cv.grad(lambda x: (g(x), x**2)[1])(3.0) == 6.0 and cv.jit(lambda x: (g(x), x))(2.0)[1] == 2.0


def test_integers_that_do_not_fit_are_named():
    f = cv.jit(lambda x: x + 1)
    assert f(2) == 3
    for _ in range(3):
        refuse(OverflowError, r"jit computes Python numbers in 64 bits, but .* float", lambda: f(2**70))
    assert f(2) == 3


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_compiled_is_refused_and_not_remembered(name):
    fun, error, pattern = REFUSED[name]
    f = cv.jit(fun)
    for _ in range(2):
        refuse(error, pattern, lambda: f(X + 1.0))
        assert f.cache_info().currsize == f.cache_info().misses == 0
    good = cv.jit(lambda x: fun(x) if bad else x * 2.0)
    bad = True
    refuse(error, pattern, lambda: good(X + 1.0))
    bad = False
    np.testing.assert_array_equal(good(X), 2.0 * X)


def test_an_escaped_value_is_refused():
    f = cv.jit(leak)
    f(X)
    refuse(Exception, r"jit|trace|ended|outside", lambda: LEAK[-1] + 1.0)
    again = cv.jit(lambda x: x + LEAK[-1])
    refuse(Exception, r"jit|trace|ended|outside", lambda: again(X))
    assert again.cache_info().currsize == 0


def test_arguments_that_are_refused():
    f, g = cv.jit(lambda *a: X), cv.jit(lambda x, s: x, static_argnums=1)
    refuse(TypeError, r"'abc' of type str; mark the argument static", lambda: f("abc"))
    refuse(TypeError, r"of type object; mark the argument static", lambda: f((X, object())))
    refuse(TypeError, r"argument 1 is \[1\] of type list, which has no hash; pass a tuple", lambda: g(X, [1]))
    refuse(TypeError, r"argument 1 .* has no hash", lambda: g(X, X))
    refuse(TypeError, r"has no hash", lambda: g(X, (1, [2])))
    refuse(TypeError, r"jit takes arrays of numbers .*dtype object; convert it", lambda: f(np.array([None])))
    refuse(TypeError, r"of type Plain; mark the argument static .*, register its class", lambda: f(Plain()))
    refuse(TypeError, r"argument 1 is a traced value \(f64\[\]\); leave it out",
           lambda: cv.grad(lambda s: g(1.0, s))(2.0))
    refuse(TypeError, r"traced value", lambda: cv.vmap(lambda s: g(1.0, (s, 1)))(X))
    for h in (f, g):
        assert h.cache_info().currsize == 0
    refuse(TypeError, r"jit", lambda: cv.jit(3))
    refuse(ValueError, r"static_argnums of jit names argument 5", lambda: cv.jit(lambda x: x, static_argnums=5))
    refuse(ValueError, r"donate_argnums of jit names argument 2", lambda: cv.jit(lambda x: x, donate_argnums=2))
    refuse(ValueError, r"argument 0 of leak is static and donated",
           lambda: cv.jit(leak, static_argnums=0, donate_argnums=0))
    refuse(ValueError, r"static_argnames of jit names 'n'", lambda: cv.jit(lambda x: x, static_argnames="n"))
    refuse(TypeError, r"positions", lambda: cv.jit(lambda x: x, static_argnums=("x",)))
    refuse(ValueError, r"printer=, one of", lambda: cv.jit(lambda x: x, compiler_options={"printer": "fast"}))
    refuse(ValueError, r"printer=, one of", lambda: cv.jit(lambda x: x, compiler_options={"speed": 1}))


def test_an_exception_of_the_function_is_its_own():
    def fun(x):
        raise KeyError("mine")

    f = cv.jit(fun)
    for _ in range(2):
        with pytest.raises(KeyError, match="mine"):
            f(X)
    assert f.cache_info().currsize == 0


def test_the_cache_is_bounded_and_says_what_changes():
    f = cv.jit(lambda x: x * 2.0, compiler_options={"printer": "numpy"})  # 299 programs, which LLVM takes 5 s for
    message = (r"jit compiled <lambda> 16 times; .*leaf 0 .*f64\[16\] where it was f64\[15\]; keep shapes "
               r".*test_jit_signatures.py:")
    with pytest.warns(UserWarning, match=message) as said:
        for n in range(1, 300):
            np.testing.assert_array_equal(f(np.ones(n)), np.full(n, 2.0))
    assert len(said) == 1
    info = f.cache_info()
    assert info.misses == 299 and info.currsize == info.maxsize < 299
    f.clear_cache()
    assert f.cache_info().currsize == 0
    assert f(2.0) == 4.0


def test_the_message_names_a_static_value():
    f = cv.jit(lambda x, n: x * n, static_argnums=1)
    with pytest.warns(UserWarning, match=r"the value of a static argument"):
        for n in range(20):
            assert f(2.0, n) == 2.0 * n


def test_no_signature_is_written_again_and_again(monkeypatch):
    written = []
    module = cv.jit.__globals__
    plain = module["quick_look"]
    monkeypatch.setitem(module, "quick_look", lambda *args: [written.append(None), plain(*args)][1])
    f = cv.jit(lambda x: x * 2.0)
    for _ in range(5):
        for n in range(1, 9):
            f(np.ones(n))
    assert len(written) == 8


def test_lower_shows_every_stage():
    f = cv.jit(lambda x: np.sum(np.sin(x) * 2.0), compiler_options={"printer": "numpy"})
    low = f.lower(X)
    assert "sin" in str(low.graph) and "def run(" in low.source and low.passes[0] == ("staged", repr(low.graph))
    assert isinstance(low.groups, list) and all(isinstance(n, int) for n in low.buffers)
    assert "equations" in repr(low) and low.source in str(low)
    assert f.cache_info().currsize == 0


def test_donated_arguments_give_the_same():
    f, g = cv.jit(lambda x, y: x * y + 1.0, donate_argnums=0), cv.jit(lambda x, y: x * y + 1.0)
    for _ in range(3):
        assert bits(f(X.copy(), X)) == bits(g(X, X))


def test_quick_looks_take_dicts_with_other_keys_apart_and_rebuild_any_tree():
    f = cv.jit(lambda d, **named: {"pair": (d["a"] + 1.0, [d["b"] * named["w"], None]), "again": {"x": d["a"] * 2.0}})
    a, b = np.arange(3.0), np.ones(2)
    for _ in range(3):
        found = f({"a": a, "b": b}, w=2.0)
        assert list(found) == ["pair", "again"] and type(found["pair"]) is tuple and type(found["pair"][1]) is list
        assert found["pair"][1][1] is None
        np.testing.assert_array_equal(found["pair"][0], a + 1.0)
        np.testing.assert_array_equal(found["again"]["x"], a * 2.0)
    with pytest.raises(KeyError):
        f({"a": a, "c": b}, w=2.0)
    with pytest.raises(KeyError):
        f({"a": a, "b": b}, v=2.0)


def test_calls_of_any_signature_after_one_that_is_called_directly():
    runs = []

    def f(x, y=2.0, *more, w=1.0):
        runs.append(None)
        return {"a": x * y + sum(more) + w}

    g = cv.jit(f)
    for _ in range(2):
        for args, named in (((X,), {}), ((X, 3.0), {}), ((X,), {"w": 3.0}), ((), {"x": X}), ((X, 1.0, 4.0), {}),
                            ((2.0,), {}), ((X.astype(np.float32),), {}), ((X, X, X), {"w": X})):
            for _ in range(3):
                np.testing.assert_array_equal(g(*args, **named)["a"], f(*args, **named)["a"])
    assert g.cache_info().misses == 8
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        g()
    g.clear_cache()
    seen = len(runs)
    g(X)
    assert len(runs) == seen + 1


def test_a_key_error_of_the_function_is_raised_once():
    runs = []

    def f(d):
        runs.append(None)
        return d["a"] * d["b"]

    g = cv.jit(f)
    g({"a": X, "b": X}), g({"a": X, "b": X})
    with pytest.raises(KeyError):
        g({"a": X, "c": X})
    assert len(runs) == 2


def test_a_function_that_is_called_directly_binds_as_a_method_and_pickles():
    class Scale:
        @cv.jit
        def by(x, factor):
            return x * factor

    assert Scale.by(X, 2.0) is not None
    named = pickle.loads(pickle.dumps(doubled))
    for _ in range(3):
        np.testing.assert_array_equal(Scale.by(X, 2.0), X * 2.0)
        np.testing.assert_array_equal(doubled(X), X * 2.0)
        assert named is doubled and doubled.__name__ == "doubled"


@cv.jit
def doubled(x):
    return x * 2.0


def test_errors_of_a_function_that_is_called_directly_name_the_line_once():
    f = cv.jit(lambda x, i: x[i] * 2.0)
    f(X, 1), f(X, 1)
    with pytest.raises(IndexError) as raised:
        f(X, 100)
    assert len(raised.value.__notes__) == 1 and "test_jit_signatures.py" in raised.value.__notes__[0]


def test_arrays_in_any_order_run_what_does_not_depend_on_it():
    x = np.arange(24.0).reshape(4, 6)
    flat = cv.jit(lambda x: x + 1.0, compiler_options={"printer": "numpy"})
    ordered = cv.jit(lambda x: np.tanh(np.sin(x)).sum(axis=1), compiler_options={"printer": "numpy"})
    for y in (x, x[::2], x.T, np.asfortranarray(x), x[:, ::-1]):
        for f, want in ((flat, y + 1.0), (ordered, np.tanh(np.sin(y)).sum(axis=1))):
            for _ in range(3):
                np.testing.assert_array_equal(f(y), want)
                assert f(y).flags.c_contiguous == want.flags.c_contiguous
