"""Collectives over two axes of a mesh at once, and nestings in which a derivative is taken after the mesh has ended."""

import numpy as np

import covector as cv
import covector.distributed as dist
from covector.distributed import P

BOTH = P(("data", "model"))
AXES = ("data", "model")


def over_two_axes():
    mesh = dist.Mesh((2, 2), AXES)
    x = np.arange(1.0, 9.0)
    local = dist.shard(x, mesh, BOTH)

    def of(f, spec=BOTH):
        return dist.gather(dist.shard_map(f, mesh, BOTH, spec)(local), mesh, spec)

    assert np.array_equal(of(lambda x: x * cv.axis_index(AXES)), x * np.repeat(np.arange(4), 2))
    assert np.array_equal(of(lambda x: cv.psum(x, AXES), P()), x.reshape(4, 2).sum(0))
    assert np.array_equal(of(lambda x: cv.all_gather(x, AXES, tiled=True)), np.tile(x, 4))
    assert np.array_equal(of(lambda x: cv.all_gather(x, AXES)), np.tile(x.reshape(4, 2), (4, 1)))
    assert np.array_equal(of(lambda x: cv.ppermute(x, AXES, [(k, (k + 1) % 4) for k in range(4)])), np.roll(x, 2))
    assert np.array_equal(of(lambda x: cv.ppermute(x, AXES, [(0, 3)])), np.array([0, 0, 0, 0, 0, 0, 1.0, 2.0]))
    wide = np.arange(64.0).reshape(16, 4)
    slices = dist.shard_map(lambda x: cv.psum_scatter(x, AXES), mesh, BOTH, BOTH)(dist.shard(wide, mesh, BOTH))
    assert np.array_equal(dist.gather(slices, mesh, BOTH), wide.reshape(4, 4, 4).sum(0).reshape(16))

    def loss(x):
        return cv.psum((cv.all_gather(x, AXES, tiled=True) ** 2 * cv.axis_index(AXES)).sum(), AXES)

    g = cv.grad(dist.shard_map(loss, mesh, BOTH, P()))(local)
    assert np.allclose(dist.gather(g, mesh, BOTH), 2 * x * 6)


def derivatives_around_loops():
    mesh = dist.Mesh((4,), ("data",))
    x, w = np.random.default_rng(0).normal(size=(8, 3)), np.ones(3)

    def final(mean):
        def f(w, x):
            def body(c, _):
                return np.tanh(c + mean(x)), None

            return (cv.scan(cv.checkpoint(body), w, np.arange(3.0))[0] ** 2).sum()

        return f

    expected = cv.hessian(final(lambda x: x.reshape(4, 2, 3).sum(1).mean(0)))(w, x)
    f = dist.shard_map(final(lambda x: cv.pmean(x.sum(0), "data")), mesh, (P(), P("data")), P())
    local = dist.shard(x, mesh, P("data"))
    for transformed in (cv.hessian(f), cv.jit(cv.hessian(f)), cv.jit(cv.jacrev(cv.grad(f)))):
        assert np.allclose(transformed(w, local), expected)


over_two_axes()
derivatives_around_loops()
