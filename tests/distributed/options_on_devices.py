"""Every exchange of a group × dtypes × layouts × options, with arrays of CuPy, against NumPy: `[--real]`."""

import sys

import numpy as np
from on_devices import cupy_or_stand_in

cupy = cupy_or_stand_in()

import covector as cv  # noqa: E402 - the library of the arrays is loaded first, as a user loads it
import covector.distributed as dist  # noqa: E402
from covector.core.errors import BackendError  # noqa: E402
from covector.distributed import P  # noqa: E402

DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
SOME = "bool int16 int64 float16 float32 complex128".split()
SHAPES = {"vector": (4,), "matrix": (4, 3), "scalars": (4, 1), "empty": (4, 0)}


def layouts(x):
    """The same values in memory that is laid out otherwise."""
    yield x
    yield cupy.asarray(np.asfortranarray(x.get()))
    doubled = cupy.asarray(np.repeat(x.get(), 2, axis=0))
    yield doubled[::2]
    yield cupy.asarray(x.get()[::-1].copy())[::-1]


def check(found, expected, what):
    assert isinstance(found, cupy.ndarray), (what, type(found))
    found = found.get()
    assert found.dtype == expected.dtype and found.shape == expected.shape, (what, found.dtype, found.shape, expected)
    tolerance = 1e-2 if found.dtype == np.float16 else 1e-6
    np.testing.assert_allclose(found, expected, rtol=tolerance, err_msg=str(what))


def cases(every):
    """`(dtype, shape, number of layouts)`: all dtypes, all shapes, all layouts, but not each with each."""
    yield from [(dtype, SHAPES["matrix"], 1) for dtype in (DTYPES if every else SOME)]
    for dtype in ("float64", "complex64", "int16") if every else ("complex64",):
        yield from [(dtype, shape, 4 if name == "matrix" else 1) for name, shape in SHAPES.items()]


def exchanges(mesh, ordered, every=False):
    """Each method of a group on arrays of all ranks, which every rank knows."""
    group = mesh.group("data")
    n, me = group.size, group.rank
    ring = tuple([(k, (k + 1) % n) for k in range(n)])
    for dtype, shape, kinds in cases(every):
        values = np.random.default_rng(0).integers(0, 2 if dtype == "bool" else 5, (n, n, *shape[1:])).astype(dtype)
        total = values.sum(axis=0, dtype=values.dtype)
        for x in list(layouts(cupy.asarray(values[me])))[:kinds]:
            what = mesh, dtype, shape
            check(group.sum(x), total, what)
            check(group.start_sum(x)(), total, what)
            check(group.gather(x), values, what)
            check(group.exchange(x), values[:, me], what)
            check(group.scatter(x), total[me], what)
            check(group.shift(x, ring), values[me - 1], what)
            check(group.shift(x, ring[:-1]), values[me - 1] if me else np.zeros_like(values[0]), what)
            check(group.broadcast(x), values[0], what)
            if dtype[0] != "c":
                check(group.extreme(x, True), values.max(axis=0), what)
                check(group.extreme(x, False), values.min(axis=0), what)
    for dtype in ("float32", "int16"):
        one = np.array(3).astype(dtype)
        total = np.array([one] * n).sum(axis=0, dtype=one.dtype)
        check(group.sum(cupy.asarray(one)), total, dtype)
        check(group.gather(cupy.asarray(one)), np.array([one] * n), dtype)
    holes = np.where(np.arange(4) == me, np.nan, 1.0)
    expected = np.where(np.arange(4) < n, np.nan, 1.0)
    check(group.extreme(cupy.asarray(holes), True), expected, "nan")
    x = np.array([1e8, 1.0, -1e8, 1.0], np.float32)[:n]
    if ordered:
        total = x[0]
        for value in x[1:]:
            total = total + value
        check(group.sum(cupy.asarray(x[me : me + 1])), np.array([total]), "ordered")
        parts = cupy.asarray(np.repeat(x[me : me + 1], n)[:, None])
        check(group.scatter(parts), np.array([total]), "ordered scatter")


def wide(mesh):
    group = mesh.group("data")
    x = np.array([1e8, 1.0, -1e8, 1.0], np.float32)
    mine = cupy.asarray(x[group.rank : group.rank + 1])
    total = x[: group.size].astype(np.float64).sum().astype(np.float32)
    for dtype in (np.float32, np.complex64):
        check(group.sum(mine.astype(np.dtype(dtype))), np.array([total]).astype(dtype), "wide")
        parts = cupy.asarray(np.full((group.size, 1), x[group.rank])).astype(np.dtype(dtype))
        check(group.scatter(parts), np.array([total]).astype(dtype), "wide scatter")


def main():
    mesh = dist.Mesh((4,), ("data",))
    assert mesh.device == (mesh.rank if "--real" not in sys.argv else mesh.device), mesh.device
    exchanges(mesh, False, every=True)
    exchanges(dist.Mesh((4,), ("data",), ordered=True), True)
    exchanges(dist.Mesh((4,), ("data",), check="always", transport="nccl"), False)
    exchanges(dist.Mesh((4,), ("data",), check="never"), False)
    exchanges(dist.Mesh((4,), ("data",), transport="mpi"), False)
    wide(dist.Mesh((4,), ("data",), accumulate="float64"))
    wide(dist.Mesh((4,), ("data",), accumulate="float64", ordered=True))
    assert mesh.collect(mesh.rank) == list(range(mesh.size))
    values = dist.replicate({"w": cupy.asarray(np.full(3, float(mesh.rank)))}, mesh)
    check(values["w"], np.zeros(3), "replicate")
    mesh.barrier()
    mesh.reconnect()
    total = dist.shard_map(lambda x: cv.psum(x, "data"), mesh, P("data"), P())
    check(total(dist.shard(cupy.asarray(np.arange(4.0)), mesh, P("data"))), np.array([6.0]), "after reconnect")
    numpy_still = total(dist.shard(np.arange(4.0), mesh, P("data")))  # arrays of NumPy go over MPI
    assert type(numpy_still) is np.ndarray and numpy_still.tolist() == [6.0]
    only = dist.Mesh((4,), ("data",), transport="nccl")
    try:
        dist.shard_map(lambda x: cv.psum(x, "data"), only, P("data"), P())(dist.shard(np.ones(4), only, P("data")))
    except BackendError as error:
        assert "cupy.asarray" in str(error) and "options_on_devices.py" in str(error), error
    else:
        raise AssertionError("arrays of NumPy were not refused")
    assert only.collect(1) == [1] * only.size
    only.barrier()


main()
