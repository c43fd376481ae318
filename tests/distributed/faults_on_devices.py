"""What goes wrong with arrays of CuPy: `faults_on_devices.py NAME [--always]`, on the stand-in, on two ranks."""

import os
import sys
import time

import numpy as np
from on_devices import cupy_or_stand_in

NAME = sys.argv[1]
cupy = cupy_or_stand_in(nccl=NAME != "without_nccl", devices={"without_device": 0, "one_device": 1}.get(NAME, 4))

import several_devices  # noqa: E402
import strict  # noqa: E402

import covector as cv  # noqa: E402
import covector.distributed as dist  # noqa: E402
from covector.core.errors import BackendError  # noqa: E402
from covector.distributed import P  # noqa: E402

mesh = dist.Mesh((2,), ("data",), time_limit=3.0, check="always" if "--always" in sys.argv else "first",
                 transport="mpi" if "--mpi" in sys.argv else None, device=1 if NAME == "same_device" else None)
first = mesh.rank == 0
X = np.arange(4.0)


def at_all(f):
    return dist.shard_map(f, mesh, P("data"), P())


def total(x):
    return cv.psum(x, "data")


def doubled(x):
    return cv.psum(2 * x, "data")


def largest(x):
    return cv.pmax(x, "data")


def mine(x=X):
    return dist.shard(cupy.asarray(x), mesh, P("data"))


def told(call, *errors, goes_on=True):
    """Run what fails on all ranks, say how, and go on."""
    begun = time.perf_counter()
    try:
        found = call()
    except errors as error:
        sys.stdout.write(f"{type(error).__name__}: {error}\n")
        assert time.perf_counter() - begun < 8
    else:
        raise AssertionError(f"nothing failed: {found}")
    if goes_on:
        assert at_all(total)(mine()).get().tolist() == [2.0, 4.0]
        sys.stdout.write(f"rank {mesh.rank} goes on\n")


def known(*fs):
    for _ in range(2):
        for f in fs:
            at_all(f)(mine())


def new_lines():
    told(lambda: at_all(largest if first else total)(mine()), dist.CollectiveMismatchError)


def other_shape():
    told(lambda: at_all(total)(cupy.asarray(np.ones(3 if first else 2))), dist.CollectiveMismatchError)


def other_library():
    told(lambda: at_all(total)(mine() if first else dist.shard(X, mesh, P("data"))), dist.CollectiveMismatchError)


def known_lines():
    known(total, largest)
    told(lambda: at_all(largest if first else total)(mine()), dist.CollectiveMismatchError)


def swapped():
    """Two known lines of one kind: seen before the first result of them is given to anyone."""
    known(total, doubled)
    told(lambda: at_all(total if first else doubled)(mine()), dist.CollectiveMismatchError)


def known_and_new():
    known(total)
    told(lambda: at_all(total if first else doubled)(mine()), dist.CollectiveMismatchError, goes_on=False)


def known_and_numpy():
    """One rank waits in NCCL, the other in MPI."""
    at_all(total)(dist.shard(X, mesh, P("data")))
    known(total)
    told(lambda: at_all(total)(mine() if first else dist.shard(X, mesh, P("data"))), dist.CollectiveMismatchError,
         goes_on=False)
    mesh.reconnect()
    assert at_all(total)(mine()).get().tolist() == [2.0, 4.0]
    sys.stdout.write(f"rank {mesh.rank} goes on\n")


def in_buckets():
    """A bucket that another rank has not got, while others are under way."""
    group = mesh.group("data")
    x = cupy.asarray(np.ones(3))

    def one():
        return group.start_sum(x)

    def other():
        return group.start_sum(2 * x)

    def sums(*begin):
        return [wait() for wait in [start() for start in begin]]

    for _ in range(2):
        sums(one, other, one)
    told(lambda: sums(*((one, one, other) if first else (one, other, one))), dist.CollectiveMismatchError)


def one_more():
    known(total)
    if first:
        told(lambda: at_all(total)(mine()), dist.CollectiveTimeoutError, goes_on=False)
        told(lambda: at_all(total)(mine()), dist.CollectiveMismatchError, goes_on=False)  # follows one that failed
    else:
        time.sleep(5)
    mesh.reconnect()
    assert at_all(total)(mine()).get().tolist() == [2.0, 4.0]
    sys.stdout.write(f"rank {mesh.rank} goes on\n")


def not_started():
    """A rank that never comes to make the communicator with the others."""
    if first:
        told(lambda: at_all(total)(mine()), dist.CollectiveTimeoutError, goes_on=False)
        sys.stdout.flush()
        os._exit(0)
    time.sleep(5)


def in_nccl():
    known(total)
    several_devices.FAULTS.append(several_devices.NcclError("REMOTE_ERROR", "a rank is gone"))
    told(lambda: at_all(total)(mine()), dist.CollectiveMismatchError, goes_on=False)
    mesh.reconnect()
    assert at_all(total)(mine()).get().tolist() == [2.0, 4.0]
    sys.stdout.write(f"rank {mesh.rank} goes on\n")


def wrong_device():
    x = mine()
    with several_devices.Device(3):
        other = strict.Array(x.get())
    told(lambda: mesh.group("data").sum(other), BackendError)


def one_device():
    if "--mpi" in sys.argv:  # copies in the memory of the host need neither NCCL nor a device each
        assert at_all(total)(mine()).get().tolist() == [2.0, 4.0] and not several_devices.CALLS
        sys.stdout.write(f"rank {mesh.rank} goes on\n")
    else:
        told(lambda: at_all(total)(mine()), BackendError, goes_on=False)


same_device = one_device


def without_nccl():
    told(lambda: at_all(total)(strict.Array(X[:2])), ImportError, goes_on=False)


def without_device():
    told(lambda: at_all(total)(strict.Array(X[:2])), BackendError, goes_on=False)


if __name__ == "__main__":
    {name: f for name, f in globals().items() if callable(f)}[NAME]()
