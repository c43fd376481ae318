"""What goes wrong on one rank: `faults.py NAME`. Where all ranks catch the error, they go on and say so."""

import os
import signal
import sys
import time

import numpy as np

import covector as cv
import covector.distributed as dist
from covector.distributed import P

mesh = dist.Mesh((4,), ("data",), time_limit=4.0, check="always" if "--always" in sys.argv else "first")
first = mesh.rank == 0
X = np.ones(4)


def at_all(f):
    return dist.shard_map(f, mesh, P("data"), P())


def total(x):
    return cv.psum(x.sum(), "data")


def largest(x):
    return cv.pmax(x.sum(), "data")


def handed(x):
    ring = [(k, (k + 1) % 4) for k in range(4)]
    return cv.pmean(cv.ppermute(x.sum(), "data", ring) if mesh.size == 4 else cv.all_to_all(
        cv.all_gather(x.sum(), "data"), "data", 0, 0), "data").sum()


def goes_on(found):
    """Every rank goes on after an error that it caught."""
    assert np.isfinite(found)
    again = at_all(total)(dist.shard(X, mesh, P("data")))
    assert float(again) == 4.0
    sys.stdout.write(f"rank {mesh.rank} goes on\n")


def other_operation():
    try:
        found = at_all(largest if first else total)(dist.shard(X, mesh, P("data")))
    except dist.CollectiveMismatchError as error:
        sys.stdout.write(f"{error}\n")
        found = 0.0
    goes_on(found)


def other_shape():
    x = np.ones(8 if first else 4)
    try:
        found = dist.shard_map(lambda x: cv.psum(x, "data"), mesh, P("data"), P())(x).sum()
    except dist.CollectiveMismatchError as error:
        sys.stdout.write(f"{error}\n")
        found = 0.0
    goes_on(found)


def other_dtype():
    x = np.ones(2, np.float32 if first else np.float64)
    try:
        found = dist.shard_map(lambda x: cv.psum(x, "data"), mesh, P("data"), P())(x).sum()
    except dist.CollectiveMismatchError as error:
        sys.stdout.write(f"{error}\n")
        found = 0.0
    goes_on(found)


def known_lines():
    """Both lines were called before by all ranks, so nothing is compared: the wait notices it."""
    x = dist.shard(X, mesh, P("data"))
    both = at_all(total), at_all(handed)
    for _ in range(2):
        for f in both:
            f(x)
    both[first](x)
    try:
        both[not first](x)
    except dist.CollectiveMismatchError as error:
        sys.stdout.write(f"{error}\n")
        raise


def swapped():
    """Two known lines of one kind, which one rank calls in the other order: their values meet all the same."""
    def line_a(x):
        return cv.psum(x.sum(), "data")

    def line_b(x):
        return cv.psum(2 * x.sum(), "data")

    x = dist.shard(X, mesh, P("data"))
    both = at_all(line_a), at_all(line_b)
    if "--jit" in sys.argv:  # called from one line, as compiled functions
        both = cv.jit(both[0]), cv.jit(both[1])
    if "--many" in sys.argv:  # as on so many ranks that MPI's own collectives are used
        group = mesh.group("data")
        group.direct = group.doubles = False
    if "--apart" in sys.argv:  # other lines meet on purpose, in the same way each time
        for _ in range(600):
            both[first](x)
        mesh.barrier()
        goes_on(1.0)
        return
    for _ in range(3):
        for f in both:
            f(x)
    try:
        for f in (both[first], both[not first]):
            f(x)
        if "--barrier" in sys.argv:
            mesh.barrier()
        for _ in range(300):
            both[0](x)
        found = 0.0
    except dist.CollectiveMismatchError as error:
        sys.stdout.write(f"{error}\n")
        found = 1.0
        mesh.reconnect()
    assert found
    goes_on(found)


def known_shapes():
    """One line, called before with both shapes by all ranks: its messages do not meet, and the wait notices it."""
    both = np.ones(4), np.ones(2)
    add = mesh.group("data").sum
    for _ in range(2):
        for x in both:
            add(x)
    try:
        add(both[first])
    except dist.CollectiveMismatchError as error:
        sys.stdout.write(f"{error}\n")
    mesh.reconnect()
    assert mesh.group("data").sum(both[0])[0] == mesh.size
    sys.stdout.write(f"rank {mesh.rank} goes on\n")


def one_more():
    f = at_all(total)
    x = dist.shard(X, mesh, P("data"))
    f(x)
    if first:
        f(x)
    else:
        time.sleep(30)


def raises():
    f = at_all(total)
    x = dist.shard(X, mesh, P("data"))
    f(x)
    if mesh.rank == mesh.size - 1:
        raise ValueError("something of the user's")
    f(x)


def dies():
    f = at_all(total)
    x = dist.shard(X, mesh, P("data"))
    f(x)
    if mesh.rank == mesh.size - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    f(x)


if __name__ == "__main__":
    known = other_operation, other_shape, other_dtype, known_lines, known_shapes, swapped, one_more, raises, dies
    {f.__name__: f for f in known}[sys.argv[1]]()
