"""What calls of compiled functions leave behind: memory of outputs, threads, exceptions, warnings."""

import threading
import warnings

import numpy as np
import pytest
from rig.compiled import bits

import covector as cv
from covector.core.errors import MutationError
from covector.core.primitive.primitive import REGISTRY
from covector.testing.cases import cases

pytest.importorskip("scipy")
PRINTERS = ("auto", "numpy", "scalar", "graph")
CONSTANT = np.arange(3.0)
printers = pytest.mark.parametrize("printer", PRINTERS)


def leaves(out):
    return [a for a in cv.tree.leaves(out) if isinstance(a, np.ndarray) and a.size]


def check_own(f, args, others=()):
    """Outputs share no memory with inputs, constants, each other, or outputs of other calls, and stay as they are."""
    earlier = []
    for _ in range(3):
        out = leaves(f(*args))
        before = list(map(bits, out))
        for k, a in enumerate(out):
            assert a.flags.writeable
            assert not any(np.may_share_memory(a, b) for b in [*leaves(args), *others, *out[:k], *earlier])
        for a in out:
            a[...] = np.zeros((), a.dtype)
        again = leaves(f(*args))
        assert list(map(bits, again)) == before
        earlier += [*out, *again]


SHARING = {
    "an input": lambda x, y: x,
    "the same twice": lambda x, y: (x * 2.0,) * 2,
    "an input twice": lambda x, y: (x, x, y),
    "a view of an input": lambda x, y: (x[1:], x.T, x.reshape(3, 1), np.broadcast_to(x, (2, 3))),
    "a view of a result": lambda x, y: (lambda z: (z, z[1:], z[::-1], np.broadcast_to(z, (2, 3))))(x + y),
    "a constant": lambda x, y: (x * 2.0, CONSTANT),
    "a constant twice": lambda x, y: (CONSTANT, CONSTANT, CONSTANT[1:]),
    "a number": lambda x, y: (1.0, x),
    "an element": lambda x, y: (x[0], x[0], np.sum(x)),
    "an element at many places": lambda x, y: np.broadcast_to(x + y, (2, 3)),
    "what a callback keeps": lambda x, y: cv.host_callback(lambda x: CONSTANT, cv.ShapeDtype((3,)), x),
    "what a callback was given": lambda x, y: cv.host_callback(lambda x: x, cv.ShapeDtype((3,)), x),
    "a chosen one": lambda x, y: cv.cond(x[0] > 0.0, lambda x, y: (x, x), lambda x, y: (y, x), x, y),
    "a carry": lambda x, y: cv.scan(lambda c, t: (c, c), x, y),
    "a swapped carry": lambda x, y: cv.fori_loop(0, 3, lambda i, c: (c[1], c[0]), (x, y)),
    "a carry and what is collected": lambda x, y: cv.scan(lambda c, t: (c + t, (c, c + t)), x, y),
    "no change": lambda x, y: (x * 1.0, np.real(x), x.astype(x.dtype), x / 1.0),
    "a gradient": cv.grad(lambda x, y: np.sum(x * y)),
    "a value and its gradient": cv.value_and_grad(lambda x, y: np.sum(x), (0, 1)),
}


UNFIT = {"a chosen one", "what a callback keeps", "what a callback was given"}  # for Python floats


@pytest.mark.parametrize(("name", "printer"), [(n, p) for n in SHARING for p in PRINTERS
                                               if p != "scalar" or n not in UNFIT])
def test_outputs_are_memory_of_their_own(name, printer):
    f = cv.jit(SHARING[name], compiler_options={"printer": printer})
    check_own(f, (np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])), [CONSTANT])
    np.testing.assert_array_equal(CONSTANT, np.arange(3.0))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_outputs_of_every_primitive_are_memory_of_their_own(name):
    for case in cases(REGISTRY[name]):
        check_own(cv.jit(lambda *xs, case=case: tuple(case.raw(xs))), case.operands)


@printers
def test_threads_do_not_meet(printer):
    f = cv.jit(lambda x: np.sum(np.tanh(x @ x.T) * np.sin(x), axis=0) * 2.0, compiler_options={"printer": printer})
    inputs = [np.random.default_rng(k).normal(size=(4, 4)) for k in range(8)]
    wanted = [f(x) for x in inputs]
    wrong, start = [], threading.Barrier(8)

    def work(k):
        start.wait()
        for _ in range(300):
            if bits(f(inputs[k])) != bits(wanted[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_threads_that_compile_at_the_same_time():
    for _ in range(10):
        f, found, start = cv.jit(lambda x: np.sin(x) * 2.0), [], threading.Barrier(8)

        def work(f=f, found=found, start=start):
            start.wait()
            found.append(f(np.ones(3)))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert len({bits(x) for x in found}) == 1 and len(found) == 8
        assert f.cache_info().currsize == 1


@pytest.mark.parametrize("printer", [p for p in PRINTERS if p != "scalar"])
def test_a_function_that_calls_itself(printer):
    depth = []

    def again(x):
        if len(depth) < 3:
            depth.append(None)
            return np.asarray(f(x + 1.0))
        return x

    def fun(x):
        y = np.sin(x) * 2.0
        z = cv.host_callback(again, cv.ShapeDtype((3,)), x * 1.5)
        return y + z * 3.0

    f = cv.jit(fun, compiler_options={"printer": printer})
    for _ in range(3):
        depth.clear()
        found = f(np.arange(3.0))
        depth.clear()
        np.testing.assert_array_equal(found, cv.jit(fun, compiler_options={"printer": "graph"})(np.arange(3.0)))


@printers
def test_an_exception_in_the_middle_leaves_nothing_behind(printer):
    fail = [False]

    def check(x):
        if fail[0]:
            raise ZeroDivisionError("on purpose")
        return x

    @cv.jit
    def f(x):
        y = np.exp(x) + 1.0
        z = cv.host_callback(check, cv.ShapeDtype((3,)), y * 2.0)
        return z * y

    wanted = f(np.arange(3.0))
    kept = bits(wanted)
    for _ in range(3):
        fail[0] = True
        with pytest.raises(ZeroDivisionError, match="on purpose"):
            f(np.arange(3.0))
        fail[0] = False
        assert bits(f(np.arange(3.0))) == bits(wanted) == kept


def test_a_singular_matrix_raises_as_without_jit():
    f = cv.jit(lambda a, b: np.linalg.solve(a * 1.0, b) + 1.0)
    b = np.ones(2)
    wanted = f(np.eye(2), b)
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError):
            f(np.ones((2, 2)), b)
        np.testing.assert_array_equal(f(np.eye(2), b), wanted)


def warned(f, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f(*args)
    return {str(w.message) for w in caught}


LOUD = {
    "divide": (lambda x: 1.0 / x, np.zeros(3)),
    "log": (lambda x: np.log(x) + 1.0, np.array([-1.0, 0.0, 1.0])),
    "overflow": (lambda x: np.exp(x * 2.0), np.array([1000.0])),
    "number": (lambda x: 1.0 / x, np.zeros(())),
    "gradient": (cv.grad(lambda x: np.sum(np.sqrt(x))), np.zeros(3)),
    "masked": (lambda x: np.where(x > 0, x, 0.0), np.array([np.nan])),
}


@printers
@pytest.mark.parametrize("name", LOUD)
def test_warnings_are_those_of_a_run_without_jit(name, printer):
    fun, x = LOUD[name]
    f = cv.jit(fun, compiler_options={"printer": printer})
    with np.errstate(all="warn"):
        for _ in range(3):
            assert warned(f, x) == warned(fun, x)
    with np.errstate(all="ignore"):
        assert warned(f, x) == set()


def test_compiling_in_a_quiet_place_does_not_silence_later_calls():
    f = cv.jit(lambda x: 1.0 / x)
    g = cv.custom_vjp(lambda x: x * 2.0)
    g.defvjp(lambda x: (x * 2.0, None), lambda _, ct: (f(ct),))
    with np.errstate(all="warn"):
        cv.grad(lambda x: g(x) * 1.0)(np.array(3.0))
        assert warned(f, np.zeros(()))


@printers
def test_debug_nans_names_the_line(printer):
    def f(x):
        y = x - 1.0
        z = np.log(y)
        return np.sum(z * 2.0)

    line = f.__code__.co_firstlineno + 2
    slope = cv.jit(cv.grad(f), compiler_options={"printer": printer})
    slope(np.full(3, 2.0))
    with np.errstate(all="ignore"):
        assert np.isnan(f(np.zeros(3)))
        for run in (slope, cv.grad(f), cv.grad(cv.jit(f)), cv.jit(cv.vmap(f))):
            with cv.debug_nans(), pytest.raises(FloatingPointError, match=rf"log .*test_jit_memory.py:{line}"):
                run(np.zeros((3, 3) if run is not slope else 3))
        assert np.isnan(f(np.zeros(3)))


def test_large_constants_are_guarded():
    big = np.arange(100_000.0)
    f = cv.jit(lambda x: np.sum(big * x))
    assert f(2.0) == f(2.0) == 2.0 * big.sum()
    big[:] = 5.0
    message = r"shape \(100000,\).* that jit of <lambda> needs was written to .*; copy it .*call its clear_cache\(\)"
    for _ in range(2):
        with pytest.raises(MutationError, match=message):
            f(2.0)
    f.clear_cache()
    assert f(2.0) == f(2.0) == 1_000_000.0


def test_small_constants_are_copied():
    small = np.ones(3)
    f = cv.jit(lambda x: small * x)
    for _ in range(3):
        np.testing.assert_array_equal(f(2.0), np.full(3, 2.0))
        small[:] = 7.0


def silenced(x):
    with np.errstate(divide="ignore"):
        y = np.log(x)
    return y * 2.0


def raising(x):
    with np.errstate(all="raise"):
        y = np.log(x)
    return y * 2.0


def silent_loop(x):
    with np.errstate(divide="ignore"):
        y = cv.scan(lambda c, _: (np.log(c), None), x, None, length=2)[0]
    return np.sqrt(y)


def nested(x):
    with np.errstate(all="ignore"):
        y = np.log(-np.log(x))
        with np.errstate(divide="warn"):
            z = np.log(x)
    return np.minimum(y, z)


def library(x):
    return cv.scipy.stats.poisson.logpmf(x, 0.0)


@pytest.mark.parametrize("fun", [silenced, raising, silent_loop, nested, library])
@pytest.mark.parametrize("shape", [(), (3,), (300,), (200_000,)])
def test_error_states_within_a_function_hold_where_it_runs(fun, shape):
    def outcome(f):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                f(np.zeros(shape))
            except FloatingPointError as error:
                return str(error)
        return {str(w.message) for w in said}

    want = outcome(fun)
    stacked = cv.jit(lambda x: cv.vmap(fun)(np.stack([x, x])))
    summed = cv.jit(cv.value_and_grad(lambda x: np.sum(fun(x))))
    numpy = cv.jit(fun, compiler_options={"printer": "numpy"})
    for f in (cv.jit(fun), numpy, cv.make_graph(fun)(np.zeros(shape)), stacked, summed, cv.jit(lambda x: numpy(x))):
        assert [outcome(f) for _ in range(3)] == [want] * 3
