"""Sums in fixed order and in double precision, kinds of arrays, and an exchange of values after another, on ranks."""

import numpy as np

import covector as cv
import covector.distributed as dist
from covector.distributed import P


def total(mesh, x):
    f = dist.shard_map(lambda x: cv.psum(x, "data"), mesh, P("data"), P())
    return f(dist.shard(x, mesh, P("data")))


def main():
    mesh = dist.Mesh((4,), ("data",))
    ordered = dist.Mesh((4,), ("data",), ordered=True)
    wide = dist.Mesh((4,), ("data",), accumulate="float64", check="always")
    x = np.array([1e8, 1.0, -1e8, 1.0], np.float32)
    if mesh.size == 4:
        assert total(ordered, x).tolist() == [np.float32(np.float32(np.float32(1e8 + 1) - np.float32(1e8)) + 1)]
    assert total(wide, x).tolist() == [2.0] and total(wide, x).dtype == np.float32 or mesh.size != 4
    rng = np.random.default_rng(0)
    for dtype in ("float16", "float32", "float64", "longdouble", "complex64", "complex128", "int8", "uint16", "int64"):
        for shape in ((8,), (8, 3), (8, 0)):
            values = rng.integers(0, 5, shape).astype(dtype)
            found = total(mesh, values)
            assert found.dtype == values.dtype and np.array_equal(found, values.reshape(4, 2, *shape[1:]).sum(0)), dtype
            if values.size and values.dtype.kind in "iu":
                slices = dist.shard_map(lambda x: cv.psum_scatter(x, "data", tiled=True), mesh, P("data"), P("data"))
                assert slices(dist.shard(np.ones(16, dtype), mesh, P("data"))).dtype == dtype
    y = np.arange(64.0).reshape(8, 8)
    assert np.array_equal(total(mesh, y[:, ::-2]), y[:, ::-2].reshape(4, 2, 4).sum(0))
    f = dist.shard_map(lambda x: cv.pmax(x, "data"), mesh, P("data"), P())
    holes = np.array([1.0, np.nan, 2.0, 3.0])
    assert np.isnan(f(dist.shard(holes, mesh, P("data")))).all()
    assert mesh.collect(mesh.rank) == list(range(mesh.size)) and mesh.agree(f"of rank {mesh.rank}") == "of rank 0"
    values = dist.replicate({"w": np.full(3, float(mesh.rank))}, mesh)
    assert np.array_equal(values["w"], np.zeros(3))
    mesh.barrier()
    mesh.reconnect()
    assert total(mesh, np.ones(4)).tolist() == [4.0]


main()
