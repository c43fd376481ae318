"""What `covector.numpy` does with one name, measured: values, derivatives, batches and graphs against plain NumPy."""

import warnings
import zlib

import numpy as np

import covector
import covector.numpy as cnp
from covector.core.errors import ConversionError, DtypeError, RuleError
from covector.testing import check_grads

COLUMNS = ("value", "forward", "reverse", "second order", "vmap", "make_graph", "plain numpy")
YES, NO, NONE = "yes", "refused", "—"
SHAPES = ((), (3,), (2, 3), (0,))
REFUSALS = (ConversionError, DtypeError, RuleError)
TOLERANCE = {"f": 2e-5, "F": 2e-5}
NESTED = 4  # how many cases of a name are batched and staged with their derivatives
ORDERS = 2  # how many cases of a name are checked to the second order


class Case:
    """One call: `fun(xp, *args)`, its arguments, and whether it is smooth there."""

    def __init__(self, fun, args, smooth=True, batch=True, label=""):
        self.fun, self.args, self.smooth, self.batch, self.label = fun, args, smooth, batch, label

    def __repr__(self):
        shown = ", ".join(f"{x.dtype}{list(x.shape)}" for x in self.args)
        return f"({shown}{' ' + self.label if self.label else ''})"


def draw(kind, shape, low=0.3, high=1.7):
    """Values of one kind (a dtype character), the same for the same kind and shape."""
    rng = np.random.default_rng(zlib.crc32(f"{kind}{shape}".encode()))
    if kind == "?":
        return rng.random(shape) > 0.4
    if np.dtype(kind).kind in "iu":
        return np.asarray(rng.integers(int(np.floor(low)), int(high) + 3, shape)).astype(kind)
    x = np.asarray(rng.uniform(low, high, shape))
    if kind in "FD":
        x = x + 1j * rng.uniform(-0.9, 0.9, shape)
    return x.astype(kind)


def leaves(out):
    """The arrays of an answer, and apart from them what is no array."""
    if isinstance(out, (tuple, list)):
        return [leaf for part in out for leaf in leaves(part)]
    return [out]


def is_array(x):
    return isinstance(x, (bool, int, float, complex)) or (
        hasattr(x, "dtype") and hasattr(x, "shape") and not isinstance(x, type)
    )


class Outcome:
    """The arrays of an answer and the rest of it; or the error that came instead."""

    def __init__(self, run):
        self.error = None
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                self.arrays, self.rest = run()
            except Exception as error:
                self.error = error


def plainly(case):
    def run():
        found = leaves(case.fun(np, *[x.copy() for x in case.args]))
        return [np.asarray(x) for x in found if is_array(x)], [x for x in found if not is_array(x)]

    return Outcome(run)


def traced(case, xp, how):
    """The same by covector: `how(function of arrays, arrays)` gives the arrays."""

    def run():
        rest = []

        def fun(*args):
            found = leaves(case.fun(xp, *args))
            rest[:] = [x for x in found if not is_array(x)]
            return [x for x in found if is_array(x)]

        return how(fun, case.args), list(rest)

    return Outcome(run)


def staged(fun, args):
    graph = covector.make_graph(fun)(*args)
    outs = graph(*args)
    for out, aval in zip(outs, graph.out_avals, strict=True):
        assert (np.shape(out), np.asarray(out).dtype) == (aval.shape, aval.dtype), "the graph's avals are wrong"
    return outs


def pushed(fun, args):
    """Inside of jvp: every value is known, as under grad."""
    live = [k for k, x in enumerate(args) if x.dtype.kind in "fc"]
    if not live:
        return fun(*args)

    def some(*xs):
        full = list(args)
        for k, x in zip(live, xs):
            full[k] = x
        return fun(*full)

    xs = [args[k] for k in live]
    return covector.jvp(some, xs, [np.ones_like(x) for x in xs])[0]


def close(x, y, tol, *what):
    """Compare values; `what` is written out where they differ."""
    if not np.array_equal(x, y):
        np.testing.assert_allclose(x, y, rtol=tol, atol=tol, err_msg=" ".join(map(str, what)))


def same(got, want, tol, *what):
    assert got.error is None, f"{what}: {type(got.error).__name__}: {got.error}"
    assert len(got.arrays) == len(want.arrays), f"{what}: {len(got.arrays)} arrays in place of {len(want.arrays)}"
    for x, y in zip(got.arrays, want.arrays):
        x = np.asarray(x)
        assert x.shape == y.shape, f"{what}: shape {x.shape} in place of {y.shape}"
        assert x.dtype == y.dtype, f"{what}: dtype {x.dtype} in place of {y.dtype}"
        close(x, y, tol, *what)
    assert got.rest == want.rest, f"{what}: {got.rest} in place of {want.rest}"


def refused(outcome, plain=False):
    """Whether covector refused; NumPy's functions that do not dispatch may also miss an attribute."""
    return isinstance(outcome.error, (*REFUSALS, TypeError, AttributeError) if plain else REFUSALS)


def tolerance(case, want):
    return max([TOLERANCE.get(x.dtype.char, 1e-12) for x in (*case.args, *want.arrays)], default=1e-12)


def measure_values(cases, found):
    for case in cases:
        want = plainly(case)
        for column, xp, how in (
            ("value", cnp, pushed),
            ("make_graph", cnp, staged),
            ("plain numpy", np, pushed),
            ("plain numpy", np, staged),
        ):
            got = traced(case, xp, how)
            if want.error is not None:
                assert got.error is not None, f"{case}: NumPy raises {want.error!r}"
                continue
            if column != "value" and not case.args:
                continue
            if column == "plain numpy" and found.get("make_graph") == NO and how is staged:
                continue
            if refused(got, xp is np):
                found[column] = NO
            else:
                same(got, want, tolerance(case, want), case, column, how.__name__)
                found.setdefault(column, YES)


def live_part(case):
    """The case as a function of its floating arguments with floating answers; None where there are none."""
    live = [k for k, x in enumerate(case.args) if x.dtype.kind in "fc"]
    want = plainly(case)
    if not live or want.error is not None or not any(x.dtype.kind in "fc" for x in want.arrays):
        return None
    single = any(x.dtype.char in "fF" for x in [*want.arrays, *case.args])

    def fun(*xs):
        full = list(case.args)
        for k, x in zip(live, xs):
            full[k] = x
        found = [x if hasattr(x, "dtype") else np.asarray(x) for x in leaves(case.fun(cnp, *full)) if is_array(x)]
        return tuple(x for x in found if x.dtype.kind in "fc")

    return fun, [case.args[k] for k in live], single


def measure_derivatives(cases, found):
    checked = 0
    for case in cases:
        part = live_part(case)
        if part is None:
            continue
        fun, args, single = part
        if single:
            outs, pull = covector.vjp(fun, *args)
            for ct, x in zip(pull(tuple(np.ones_like(v) for v in outs)), args):
                assert (ct.shape, ct.dtype) == (x.shape, x.dtype), f"{case}: cotangent {ct.dtype}{ct.shape}"
            continue
        if not case.smooth or not all(x.size for x in args):
            continue
        check_grads(fun, tuple(args), order=1, atol=2e-6, rtol=2e-6, eps=2e-3)
        found["forward"] = found["reverse"] = YES
        if checked < ORDERS:
            checked += 1
            check_grads(fun, tuple(args), order=2, atol=1e-5, rtol=1e-5, eps=2e-3)
            found["second order"] = YES


def other(x):
    """Another array of the same kind: what a second example holds."""
    if x.dtype.kind in "fc":
        return (x * 1.01).astype(x.dtype)
    return x[::-1].copy() if x.ndim else x


def measure_batches(cases, found):
    for case in cases:
        second = Case(case.fun, tuple(map(other, case.args)), label=case.label)
        alone = [plainly(case), plainly(second)]
        if not case.batch or not case.args or any(one.error is not None for one in alone):
            continue
        if [x.shape for x in alone[0].arrays] != [x.shape for x in alone[1].arrays]:
            pass  # a shape that depends on the data: vmap must refuse it
        stacks = [np.stack(pair) for pair in zip(case.args, second.args)]
        got = traced(Case(case.fun, stacks), cnp, lambda fun, args: covector.vmap(fun)(*args))
        if refused(got):
            found["vmap"] = NO
            continue
        assert got.error is None, f"{case} vmap: {type(got.error).__name__}: {got.error}"
        for k, one in enumerate(alone):
            for x, y in zip(got.arrays, one.arrays, strict=True):
                assert np.asarray(x).dtype == y.dtype, f"{case} vmap: dtype {x.dtype} in place of {y.dtype}"
                close(x[k], y, tolerance(case, one), case, "vmap")
        found.setdefault("vmap", YES)


def measure_nested(cases):
    """`vmap` and `make_graph` around both derivatives, against a loop; raises where they differ."""
    done = 0
    for case in cases:
        part = live_part(case)
        if part is None or part[2] or not case.smooth or done == NESTED:
            continue
        fun, args, _ = part
        done += 1
        weights = [draw("d", np.shape(v)) for v in fun(*args)]

        def push(*xs, fun=fun):
            return covector.jvp(fun, xs, xs)[1]

        def pull(*xs, fun=fun, weights=weights):
            outs, pullback = covector.vjp(fun, *xs)
            return pullback(tuple(w * np.ones_like(v) for w, v in zip(weights, outs)))

        pairs = [(x, other(x)) for x in args]
        stacks = [np.stack(pair) for pair in pairs]
        for rule in (push, pull):
            want = [np.stack(both) for both in zip(*[rule(*xs) for xs in zip(*pairs)])]
            runs = [lambda rule=rule: [np.stack(both) for both in zip(*[
                covector.make_graph(rule)(*xs)(*xs) for xs in zip(*pairs)])]]
            if case.batch:
                runs.append(lambda rule=rule: covector.vmap(rule)(*stacks))
            for run in runs:
                try:
                    got = run()
                except REFUSALS:
                    continue
                for x, y in zip(got, want, strict=True):
                    close(x, y, 1e-9, case, rule.__name__, "nested")


def measure(cases):
    """`{column: entry}` of one name; raises where an answer is wrong."""
    found = {}
    measure_values(cases, found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as NumPy's own evaluations above
        measure_derivatives(cases, found)
        with np.errstate(all="ignore"):
            measure_nested(cases)
    measure_batches(cases, found)
    return {column: found.get(column, NONE) for column in COLUMNS}
