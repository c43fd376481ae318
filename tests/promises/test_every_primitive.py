"""The promises, put to every registered primitive: the registry and its samples are read, so a new one is covered.

Promise 1 (each rule against finite differences and its adjoint, mutants of each rule) is tests/core/test_primitives.py
and tests/test_mutants.py; here it is put to what takes its rules from functions.
"""

import copy
import gc
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import covector
from covector.core.errors import RuleError
from covector.core.primitive import REGISTRY, bind
from covector.testing import check_grads
from covector.testing.cases import cases
from covector.testing.fuzz import disagreement

X, Y = np.array([0.3, 0.8, -0.4]), np.array([[0.5, -0.2, 0.9], [0.1, 0.7, 0.4]])


@covector.custom_jvp
def own_jvp(x):
    return np.sin(x)


@covector.custom_vjp
def own_vjp(x):
    return np.sin(x)


own_jvp.defjvp(lambda primals, tangents: (np.sin(primals[0]), np.cos(primals[0]) * tangents[0]))
own_vjp.defvjp(lambda x: (np.sin(x), x), lambda x, ct: (np.cos(x) * ct,))


def on_host(x):
    like = covector.ShapeDtype(x.shape, x.dtype)
    return x * covector.host_callback(lambda v: np.asarray(v) + 1.0, like, covector.stop_gradient(np.ones_like(x)))


def printed(x):
    covector.debug.print("", x) if hasattr(covector.debug, "print") else None
    return x * 2.0


# What takes its rules from the functions it is given.
HIGHER = {
    "checkpoint": (covector.checkpoint(lambda x: np.sin(x) * x), [X]),
    "cond": (lambda x, y: covector.cond(np.sum(x) > 0, lambda a, b: np.sin(a) * b, lambda a, b: a - b, x, y), [X, Y]),
    "custom_jvp": (own_jvp, [X]),
    "custom_vjp": (own_vjp, [X]),
    "debug_print": (printed, [X]),
    "host_callback": (on_host, [X]),
    "scan": (lambda x, y: covector.scan(lambda c, r: (np.tanh(c + r), c * r), x, y), [X, Y]),
}
PRIMITIVES = sorted(name for name, prim in REGISTRY.items() if prim.handlers is None)
NAMES = sorted(REGISTRY)
every_primitive = pytest.mark.parametrize("name", NAMES)


class Subject:
    """One sample as a function of its differentiable operands, which gives a tuple."""

    def __init__(self, fun, xs, label, case=None):
        self.fun = fun
        self.xs = [np.asarray(x) for x in xs]
        self.label = label
        self.case = case
        self.smooth = case is None or case.sample.smooth
        self.orders = 2 if case is None else case.sample.orders
        self.real = all(x.dtype == np.float64 for x in self.xs)

    def total(self, *xs):
        """A scalar: the parts of the answers, weighted."""
        out = 0.0
        for v in self.fun(*xs):
            v = np.reshape(v, (-1,))
            weights = np.linspace(0.5, 1.5, v.shape[0]).astype(np.finfo(v.dtype).dtype)
            out = out + np.sum(np.real(v) * weights)
            if v.dtype.kind == "c":
                out = out + np.sum(np.imag(v) * weights) * 0.7
        return out

    def directions(self, seed=0):
        rng = np.random.default_rng(seed)
        return [rng.uniform(0.4, 1.0, x.shape).astype(x.dtype) for x in self.xs]

    def seeds(self):
        return tuple(np.linspace(0.5, 1.5, v.size).reshape(v.shape).astype(v.dtype) for v in self.answers())

    def answers(self):
        return [np.asarray(v) for v in self.fun(*self.xs)]

    @property
    def gradient(self):
        return covector.grad(self.total, tuple(range(len(self.xs))))


def _tuple(fun):
    def run(*xs):
        out = fun(*xs)
        return tuple(out) if isinstance(out, (tuple, list)) else (out,)

    return run


@cache
def subjects(name):
    """Every sample of a primitive that has a derivative."""
    if name in HIGHER:
        fun, xs = HIGHER[name]
        return [Subject(_tuple(fun), xs, name)]
    return [Subject(case.function(case.live), case.points(case.live), f"{name}, {case}", case)
            for case in cases(REGISTRY[name]) if case.live]


@cache
def chosen(name):
    """A few of them: real and complex, in single precision, empty, at a kink."""
    kinds = {}
    for s in subjects(name):
        kind = (s.smooth, s.xs[0].dtype, s.xs[0].size == 0, len(s.xs))
        kinds.setdefault(kind, s)
    return list(kinds.values())


def plain(name):
    """The first real sample with elements and a derivative, or None: flat maps, and functions of complex values."""
    return [s for s in subjects(name) if s.real and s.smooth and s.orders > 1 and all(x.size for x in s.xs)
            and all(v.dtype in (np.float64, np.complex128) for v in s.answers())][:1]


def same(found, wanted, exact=False):
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        a, b = np.asarray(a), np.asarray(b)
        assert a.shape == b.shape and a.dtype == b.dtype
        tol = 0.0 if exact else 1e-11 if b.dtype.itemsize >= 8 and b.dtype != np.complex64 else 1e-4
        scale = np.abs(b[np.isfinite(b)]).max(initial=1.0)
        np.testing.assert_allclose(a, b, rtol=tol, atol=tol * scale)


def test_higher_order_primitives_are_all_here():
    assert set(HIGHER) == {name for name, prim in REGISTRY.items() if prim.handlers is not None}


@pytest.mark.parametrize("name", sorted(HIGHER))
def test_01_derivatives_are_those_of_finite_differences(name):
    (s,) = subjects(name)
    check_grads(s.total, tuple(s.xs))


@every_primitive
def test_02_routes_agree_in_compositions(name):
    for s in plain(name):
        def run(lib, xs, s=s):
            return np.sin(s.total(*[x + 0.05 * np.sin(x) for x in xs]))

        assert disagreement(SimpleNamespace(run=run, inputs=tuple(s.xs), smooth=True)) is None, s.label


@every_primitive
def test_03_forward_equals_reverse_at_kinks_too(name):
    for s in subjects(name):
        if not s.real or s.smooth or sum(x.size for x in s.xs) > 24:
            continue
        every = tuple(range(len(s.xs)))
        with np.errstate(all="ignore"):
            same(covector.jacfwd(s.total, every)(*s.xs), covector.jacrev(s.total, every)(*s.xs))


@every_primitive
def test_04_second_derivatives_are_finite(name):
    for s in subjects(name):
        if s.orders < 2:
            continue
        with np.errstate(all="ignore"):
            first, second = covector.jvp(s.gradient, tuple(s.xs), tuple(s.directions()))
        assert all(np.isfinite(v).all() for v in (*first, *second)), s.label


# Their value at 0 is beyond their domain, a, b > 0: kernels of the incomplete gamma and beta functions.
BEYOND = {"beta_moment", "gamma_moment"}


@pytest.mark.parametrize("name", sorted(set(NAMES) - BEYOND))
def test_04_derivative_of_a_finite_value_is_never_nan(name):
    """At 0 and 1, where formulas divide by zero; a complex function has no value for an infinite slope but NaN."""
    for s in chosen(name):
        if any(v.dtype.kind == "c" for v in (*s.xs, *s.answers())):
            continue
        for number in (0.0, 1.0):
            xs = [np.full_like(x, number) for x in s.xs]
            with np.errstate(all="ignore"):
                try:
                    usable = all(np.isfinite(v).all() for v in s.fun(*xs))
                except (ValueError, np.linalg.LinAlgError):  # no inverse, no power of zero
                    continue
                if usable:
                    try:
                        slopes = s.gradient(*xs)
                        tangents = covector.jvp(s.fun, tuple(xs), tuple(s.directions()))[1]
                    except np.linalg.LinAlgError:  # refused: undetermined
                        continue
                    assert not any(np.isnan(v).any() for v in (*slopes, *tangents)), (s.label, number)


def without_rules(prim, table, operand):
    """A twin of the primitive that misses the rules of one operand."""
    twin = copy.copy(prim)
    for kind in (table, f"{table}_plain"):
        setattr(twin, kind, {k: rule for k, rule in (getattr(prim, kind) or {}).items() if k != operand})
    twin.rules = {}
    twin.fun = lambda *args: bind(twin, args)  # its fast lanes would be refused when they are made
    return twin


@pytest.mark.parametrize("name", PRIMITIVES)
def test_05_missing_rule_is_refused(name):
    for s in chosen(name)[:1]:
        prim = s.case.prim
        for i in [0] if prim.variadic else s.case.live:
            for table in ("jvp", "vjp"):
                case = copy.copy(s.case)
                case.prim = without_rules(prim, table, i)
                fun = case.function(case.live, "bind")

                def derive(*xs, table=table, fun=fun):
                    if table == "jvp":
                        return covector.jvp(fun, xs, xs)[1]
                    outs, pullback = covector.vjp(fun, *xs)
                    return pullback(outs)

                if prim.collective:  # its rules are those of the mapped function
                    case.prim.collective = False
                    derive = covector.vmap(derive, axis_name="i")
                with pytest.raises(RuleError, match=f"no {table} rule"):
                    derive(*s.xs)


@pytest.mark.parametrize("name", PRIMITIVES)
def test_05_operand_without_derivative_has_none(name):
    """A float in place of an integer or a mask is refused, or the answer is flat in it."""
    prim = REGISTRY[name]
    for case in cases(prim):
        for i in prim.nondiff:
            if i >= len(case.operands) or not case.operands[i].size or prim.variadic:
                continue
            operands = list(case.operands)
            x = operands[i].astype(float)

            def fun(x, operands=operands, i=i, case=case):
                operands[i] = x
                return [v for v in case.raw(operands) if v.dtype.kind in "fc"]

            with np.errstate(all="ignore"):
                try:
                    above, below = fun(x + 1e-6), fun(x - 1e-6)
                except (TypeError, IndexError, ValueError):
                    with pytest.raises((TypeError, IndexError, ValueError)):
                        covector.jvp(fun, (x,), (np.ones_like(x),))
                    continue
                if x.all():
                    for a, b in zip(above, below):
                        np.testing.assert_array_equal(a, b)
        break


@every_primitive
def test_06_writes_after_the_call_do_not_reach_the_pullback(name):
    for s in chosen(name):
        xs = [x.copy() for x in s.xs]
        outs, pullback = covector.vjp(s.fun, *xs)
        seeds = s.seeds()
        wanted = covector.vjp(s.fun, *s.xs)[1](seeds)
        for v in (*xs, *[np.asarray(o) for o in outs]):
            if v.flags.writeable:
                v[...] = 77
        same(pullback(seeds), wanted, exact=True)


@every_primitive
def test_07_gradients_are_arrays_of_their_own(name):
    for s in chosen(name):
        xs = [x.copy() for x in s.xs]
        kept = [x.copy() for x in xs]
        outs, pullback = covector.vjp(s.fun, *xs)
        seeds = s.seeds()
        cts = [*pullback(seeds), *pullback(seeds)]
        for c, x in zip(cts, xs + xs):
            assert type(c) is np.ndarray and c.shape == x.shape and c.dtype == x.dtype, s.label
            assert c.flags.writeable and c.base is None, s.label
        others = [*xs, *seeds, *map(np.asarray, outs)]
        for k, c in enumerate(cts):
            assert not any(np.shares_memory(c, v) for v in (*cts[:k], *others)), s.label
        for x, before in zip(xs, kept):
            np.testing.assert_array_equal(x, before)


LAYOUTS = {
    "reversed": lambda x: np.flip(np.flip(x).copy()),
    "fortran": lambda x: np.array(x, order="F"),
    "every second": lambda x: np.repeat(x, 2, -1)[..., ::2] if x.ndim else x,
    "big-endian": lambda x: x.astype(x.dtype.newbyteorder(">")),
}


@every_primitive
def test_08_layout_does_not_matter(name):
    for s in chosen(name):
        seeds = s.seeds()
        wanted = covector.vjp(s.fun, *s.xs)
        for label, lay in LAYOUTS.items():
            xs = [np.asarray(lay(x)) for x in s.xs]
            for x in xs:
                x.flags.writeable = False
            outs, pullback = covector.vjp(s.fun, *xs)
            for found, want in ((outs, wanted[0]), (pullback(seeds), wanted[1](seeds))):
                native = [np.asarray(v).astype(w.dtype) for v, w in zip(found, want)]
                same(native, want), (s.label, label)


@every_primitive
def test_09_derivatives_are_as_quiet_as_the_function(name):
    for s in subjects(name):
        with np.errstate(all="raise"):
            try:
                s.total(*s.xs)
            except FloatingPointError:
                continue
            s.gradient(*s.xs)
            covector.jvp(s.fun, tuple(s.xs), tuple(s.directions()))
            if s.orders > 1:
                covector.jvp(s.gradient, tuple(s.xs), tuple(s.directions()))


@every_primitive
def test_10_levels_stay_apart(name):
    for s in plain(name):
        every = tuple(range(len(s.xs)))
        slopes = s.gradient(*s.xs)
        size = sum(np.sum(g) for g in slopes)

        def inner(c, s=s, every=every):  # the gradient of c · p(y) in y, summed: c times a constant
            def fun(*ys):
                return c * s.total(*[y + 0.0 * c for y in ys])

            return sum(np.sum(g) for g in covector.grad(covector.checkpoint(fun), every)(*s.xs))

        c = np.array(1.7)
        same([covector.grad(inner)(c), covector.jvp(inner, (c,), (np.array(1.0),))[1]], [size, size])
        same([covector.vmap(covector.grad(inner))(np.stack([c, c]))], [np.stack([size, size])])


class Stop(BaseException):
    pass


@every_primitive
def test_11_exception_in_mid_sweep_leaves_nothing(name):
    for s in plain(name):
        armed = [True]

        @covector.custom_vjp
        def trap(x):
            return x * 1.0

        def spring(saved, ct, armed=armed):
            if armed:
                raise Stop
            return (ct,)

        trap.defvjp(lambda x: (x * 1.0, None), spring)
        _, pullback = covector.vjp(lambda *xs, s=s, trap=trap: s.total(*map(trap, xs)), *s.xs)
        before = np.geterr()
        for _ in range(2):
            with pytest.raises(Stop):
                pullback(1.0)
        armed.clear()
        assert np.geterr() == before
        wanted = s.gradient(*s.xs)
        same(pullback(1.0), wanted)


@every_primitive
def test_12_deep_tapes_do_not_recurse(name):
    for s in plain(name):
        def chain(*xs, s=s):
            last = 0.0
            for _ in range(120):
                last = s.total(xs[0] + 0.0 * last, *xs[1:])
            return last

        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(len(traceback.extract_stack()) + 90)
        try:
            found = covector.grad(chain)(*s.xs)
        finally:
            sys.setrecursionlimit(limit)
        same([found], s.gradient(*s.xs)[:1])


@every_primitive
def test_13_residuals_are_freed_by_reference_counts(name):
    for s in chosen(name)[:2]:
        gc.freeze()  # what is there already is not looked at
        gc.disable()
        try:
            s.gradient(*s.xs)
            if s.orders > 1:
                covector.jvp(s.gradient, tuple(s.xs), tuple(s.directions()))
            covector.vmap(s.gradient)(*[np.stack([x, x]) for x in s.xs])
            assert gc.collect() == 0, s.label
        finally:
            gc.enable()
            gc.unfreeze()


POOL = ThreadPoolExecutor(3)


@every_primitive
def test_14_threads_share_graphs(name):
    for s in chosen(name)[:1]:
        seeds = s.seeds()
        _, pullback = covector.vjp(s.fun, *s.xs)
        wanted = pullback(seeds)
        start = threading.Barrier(3)

        def work(s=s, pullback=pullback, seeds=seeds, start=start):
            start.wait(10)
            return [pullback(seeds), covector.vjp(s.fun, *s.xs)[1](seeds)]

        for future in [POOL.submit(work) for _ in range(3)]:
            for found in future.result(10):
                same(found, wanted, exact=True)


@every_primitive
def test_16_nothing_kept_confuses_types_or_signed_zeros(name):
    for s in chosen(name):
        narrow = [x.astype({"f": np.float32, "c": np.complex64}[x.dtype.kind]) for x in s.xs]
        with np.errstate(all="ignore"):
            fresh = s.gradient(*s.xs), s.answers()
            slim = s.gradient(*narrow)
            assert [g.dtype for g in slim] == [x.dtype for x in narrow], s.label
            for zero in (0.0, -0.0):
                xs = [np.full_like(x, zero) for x in s.xs]
                try:
                    wanted = [np.asarray(v) for v in s.fun(*xs)]
                except (ValueError, np.linalg.LinAlgError):
                    continue
                # As constants of a graph, whose equations may be merged, the zeros keep their signs.
                graph = covector.make_graph(lambda y, s=s, xs=xs: [v + 0 * y for v in s.fun(*xs)])
                held = covector.make_graph(lambda *ys, s=s: s.fun(*ys))(*xs)(*xs)
                for v, h, w in zip(graph(np.array(1.0))(np.array(1.0)), held, wanted):
                    assert np.array_equal(np.isnan(v), np.isnan(w)) and np.array_equal(h, w, equal_nan=True), s.label
                    if w.dtype.kind == "f":
                        assert np.array_equal(np.signbit(h), np.signbit(w)), (s.label, zero)
            same(s.gradient(*s.xs), fresh[0], exact=True)
            same(s.answers(), fresh[1], exact=True)


@every_primitive
def test_17_wrong_rules_are_caught_at_first_and_second_order(name):
    for s in plain(name):
        slopes = s.gradient(*s.xs)
        if not any(np.abs(g).max() > 1e-3 for g in slopes):
            continue

        def planted(first, second, s=s):
            wrong = covector.custom_jvp(s.total)

            def rule(primals, tangents):
                out, slope = covector.jvp(s.total, primals, tangents)
                drift = sum(np.sum(x - covector.stop_gradient(x)) for x in primals)
                return out, slope * first * (1.0 + second * drift)

            wrong.defjvp(rule)
            return wrong

        xs = tuple(s.xs)
        check_grads(planted(1.0, 0.0), xs, order=1, rtol=1e-5)
        with pytest.raises(AssertionError, match="check_grads"):
            check_grads(planted(1.01, 0.0), xs, order=1, rtol=1e-5)
        with pytest.raises(AssertionError, match="check_grads"):
            check_grads(planted(1.0, 0.05), xs, order=2, rtol=1e-5)
