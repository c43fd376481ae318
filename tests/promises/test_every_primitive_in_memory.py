"""The promises on arrays, memory, exceptions and threads, put to every registered primitive."""

import gc
import importlib.util
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import covector


def beside(name):
    """A module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(f"promises_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


table = beside("subjects")
chosen, plain, same = table.chosen, table.plain, table.same
of, ask = table.promises()
every_primitive = of(table.NAMES)


@every_primitive
def promise_06_writes_after_the_call_do_not_reach_the_pullback(name):
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
def promise_07_gradients_are_arrays_of_their_own(name):
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
def promise_08_layout_does_not_matter(name):
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


class Stop(BaseException):
    pass


@every_primitive
def promise_11_exception_in_mid_sweep_leaves_nothing(name):
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
def promise_12_deep_tapes_do_not_recurse(name):
    for s in plain(name):
        def chain(*xs, s=s):
            last = 0.0
            for _ in range(100):
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
def promise_13_residuals_are_freed_by_reference_counts(name):
    def run(s):
        s.gradient(*s.xs)
        if s.orders > 1:
            covector.jvp(s.gradient, tuple(s.xs), tuple(s.directions()))
        covector.vmap(s.gradient)(*[np.stack([x, x]) for x in s.xs])

    for s in chosen(name)[:2]:
        run(s)  # what is imported and compiled when it is first needed is there then
        gc.freeze()  # what is there already is not looked at
        gc.disable()
        try:
            run(s)
            assert gc.collect() == 0, s.label
        finally:
            gc.enable()


POOL = ThreadPoolExecutor(3)


@every_primitive
def promise_14_threads_share_graphs(name):
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
def promise_16_nothing_kept_confuses_types_or_signed_zeros(name):
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


@pytest.mark.parametrize("name", table.NAMES)
def test_every_promise_is_kept(name):
    ask(name)
