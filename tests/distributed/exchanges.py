"""Native code that calls collectives: the values, warnings and errors are those of the same program without it."""

import signal
import sys
import threading
import time
import warnings

import numpy as np

import covector as cv
import covector.distributed as dist
from covector.core.errors import CollectiveTimeoutError
from covector.distributed import P
from covector.transforms.compile.lower.collectives import Exchange
from covector.transforms.compile.lower.writer import Writer

mesh = dist.Mesh((4,), ("data",), time_limit=4.0)
ring = [(k, (k + 1) % 4) for k in range(4)]
back = [(b, a) for a, b in ring]
calls = []  # of each native function, how many operands its collectives have
write = Writer.__init__


def watched(self, *given):
    write(self, *given)
    calls.append([len(s.inputs) for s in self.kernel.statements if type(s) is Exchange])


Writer.__init__ = watched


def native(f):
    return cv.jit(f, compiler_options={"printer": "llvm"})


def place(f, out=None):
    return dist.shard_map(f, mesh, (P("data"), P("data")), P() if out is None else out)


def heat(u, source):
    for _ in range(5):
        before, after = cv.ppermute(u[-1:], "data", ring), cv.ppermute(u[:1], "data", back)
        wide = np.concatenate([before, u, after])
        u = u + 0.1 * (wide[2:] - 2 * u + wide[:-2]) + 0.01 * source
    return cv.psum(np.sum(u * u), "data")


def others(u, source):
    total = cv.psum(np.sin(u) * source, "data")
    rows = cv.all_gather(u[0] * total[1], "data")
    part = cv.psum_scatter(np.cos(rows) * source[0], "data")
    turned = cv.all_to_all(rows * part, "data", 0, 0)
    return cv.psum((np.tanh(turned) + cv.ppermute(part, "data", [(0, 3)])).sum(), "data")


def on_the_way(u, source):
    """What the second exchange sends depends on the first, and a third on neither."""
    one = cv.ppermute(np.exp(u[0]), "data", ring)
    two = cv.ppermute(np.sin(one), "data", ring)
    three = cv.ppermute(source[0] * 2.0, "data", back)
    return cv.psum((one * two * three).sum(), "data")


def scanned(u, source):
    def body(u, _):
        return np.tanh(u + cv.ppermute(u * source, "data", ring)), cv.psum(u.sum(), "data")

    u, totals = cv.scan(body, u, np.arange(3.0))
    return cv.psum((u * u).sum(), "data") + totals.sum()


def chosen(u, source):
    """Both branches call a collective: a condition that is the same at all places chooses."""
    high = cv.psum(u.sum(), "data") > 1e9
    u = cv.cond(high, lambda u: cv.ppermute(u, "data", ring), lambda u: np.sin(cv.ppermute(u, "data", back)), u)
    return cv.psum((u * source).sum(), "data")


def same(found, expected, rtol=1e-11):
    for a, b in zip(cv.tree.leaves(found), cv.tree.leaves(expected)):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)


def values_and_derivatives():
    for dtype in (np.float64, np.float32):
        rng = np.random.default_rng(0)
        whole = rng.normal(size=(24, 4)).astype(dtype), rng.normal(size=(24, 4)).astype(dtype)
        u, source = dist.shard(whole, mesh, P("data"))
        rtol = 1e-11 if dtype is np.float64 else 3e-4
        for f in (heat, others, on_the_way, scanned, chosen):
            total = place(f)
            two = np.stack([u, 2 * u]), np.stack([source, source])
            for g in (total, cv.grad(total, (0, 1)), lambda u, s, t=total: cv.jvp(t, (u, s), (u, s)),
                      lambda u, s, t=total: cv.jvp(cv.grad(t), (u, s), (u, s))[1]):
                same(native(g)(u, source), g(u, source), rtol)
            for g in (cv.vmap(total), cv.vmap(cv.grad(total))):
                same(native(g)(*two), g(*two), rtol)
    whole = np.arange(96).reshape(24, 4), np.arange(96)[::-1].reshape(24, 4)  # integers
    u, source = dist.shard(whole, mesh, P("data"))
    shifted = place(lambda u, s: cv.ppermute(u * s, "data", ring) + cv.psum(u - s, "data"), P("data"))
    same(native(shifted)(u, source), shifted(u, source))


def pairs_are_under_way_at_once():
    calls.clear()
    u = dist.shard(np.random.default_rng(1).normal(size=(64, 8)), mesh, P("data"))
    same(native(cv.grad(place(heat)))(u, u), cv.grad(place(heat))(u, u))
    if mesh.size == 4:
        assert calls == [[2] * 10], calls  # five steps and back, in one function
        calls.clear()
        native(place(on_the_way))(u, u)
        assert calls == [[1, 2, 1]], calls


def numpy_that_warns_again_exchanges_nothing():
    """Infinities at one place alone: that rank has NumPy do the work again, so that it warns."""
    f, g = native(cv.grad(place(heat))), cv.grad(place(heat))
    u = np.random.default_rng(2).normal(size=(24, 8))
    u[0, 0] = np.inf
    u = dist.shard(u, mesh, P("data"))
    for _ in range(40):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = f(u, u)
        with warnings.catch_warnings(record=True) as expected:
            warnings.simplefilter("always")
            same(found, g(u, u))
        assert bool(told) == bool(expected)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="raise" if mesh.rank == 0 else "warn", under="ignore"):
            try:
                f(np.ones_like(u), np.ones_like(u))
            except FloatingPointError:
                raise AssertionError("nothing is wrong with these") from None


def places_out_of_bounds_after_an_exchange():
    """Native code ends where an index is out of bounds, and NumPy raises; what was exchanged is not sent again."""
    def picked(u, at):
        return np.take(cv.ppermute(u, "data", ring) * 2.0, at.reshape(-1)[0], axis=0)

    f = native(place(picked, P("data")))
    u = dist.shard(np.random.default_rng(3).normal(size=(24, 8)), mesh, P("data"))
    at = dist.shard(np.zeros((4, 1), np.int64), mesh, P("data"))
    f(u, at)
    if mesh.rank == 0:
        at = at + 1000
    try:
        f(u, at)
        assert mesh.rank
    except IndexError:
        assert not mesh.rank
    same(f(u, at * 0), place(picked, P("data"))(u, at * 0))


def errors_leave_native_code():
    if mesh.size == 1:
        return
    f = native(place(heat))
    u = dist.shard(np.ones((24, 8)), mesh, P("data"))

    def known():  # a line that all ranks have called
        return f(u, u)

    expected = known()
    if mesh.rank == 0:  # Ctrl-C while it waits for the others
        threading.Timer(0.5, signal.raise_signal, (signal.SIGINT,)).start()
        try:
            known()
            raise AssertionError("it did not wait")
        except KeyboardInterrupt:
            sys.stdout.write("interrupted\n")
    else:
        time.sleep(1.5)
        try:
            known()
            raise AssertionError("it did not wait")
        except CollectiveTimeoutError as error:
            assert "waited 4.0 s" in str(error)
            sys.stdout.write("too late\n")
    mesh.reconnect()
    assert known() == expected


if __name__ == "__main__":
    values_and_derivatives()
    pairs_are_under_way_at_once()
    numpy_that_warns_again_exchanges_nothing()
    places_out_of_bounds_after_an_exchange()
    errors_leave_native_code()
