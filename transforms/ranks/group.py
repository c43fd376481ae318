"""The ranks along one axis of a mesh: each collective of arrays as messages between them."""

import numpy as np

from ...core.errors import (
    BackendError,
    CollectiveMismatchError,
    CollectiveTimeoutError,
    at_user_line,
    line_of,
    user_place,
)
from .trail import Trail
from .waits import TRAIL, Call, as_row, as_text, mismatch, packed, token_of, unpacked

ndarray = np.ndarray
_SUMMED = frozenset("bBhHiIlLqQfdFD")  # dtypes of which MPI makes sums, by NumPy's characters
_EXTREME = frozenset("bBhHiIlLqQfd")
_WIDE = {"f": np.float64, "F": np.complex128}
_SEEN_LIMIT = 65536
_COMPARED = ("barrier", "collect")  # always: what is saved, or waits for all, comes after a look at what was called


class Group:
    """The ranks along one axis.

    `ordered` makes sums in the order of the ranks, so that each rank and each run has the same bits; `wide` makes those
    of single precision in double. `check` is "first" (what each line calls is compared the first time), "always" or
    "never".
    """

    def __init__(self, comm, axis, watch, *, ordered=False, wide=False, check="first"):
        self.comm = comm
        self.axis = axis
        self.watch = watch
        self.size, self.rank = comm.Get_size(), comm.Get_rank()
        self.ordered, self.wide, self.check = ordered, wide, check
        self.seen = {}  # what a line calls -> the token of the lines that met
        self.trail = Trail()
        self.lanes = {}  # name of a collective -> its communicator
        self.broken = None

    def __repr__(self):
        return f"Group({self.axis!r}, rank {self.rank} of {self.size})"

    # Collectives of arrays: each takes and returns plain arrays of NumPy.

    def sum(self, x):
        """The sum over ranks, on every rank."""
        x = self._plain("psum", x)
        if not x.size:
            return x.copy()
        wide = _WIDE.get(x.dtype.char) if self.wide else None
        if self.ordered or x.dtype.char not in _SUMMED:
            parts = self.gather(x, "psum")
            return parts.sum(axis=0, dtype=wide or x.dtype).astype(x.dtype, copy=False)
        send = x.astype(wide) if wide else x
        out = np.empty_like(send)
        self._run("psum", x, (), lambda comm: comm.Iallreduce(send, out))
        return out.astype(x.dtype) if wide else out

    def extreme(self, x, largest):
        """The maximum or minimum over ranks, on every rank."""
        name = "pmax" if largest else "pmin"
        x = self._plain(name, x)
        if not x.size:
            return x.copy()
        if x.dtype.char not in _EXTREME or x.dtype.kind == "f":  # MPI says nothing of NaN; NumPy does
            parts = self.gather(x, name)
            return parts.max(axis=0) if largest else parts.min(axis=0)
        out = np.empty_like(x)
        op = self.watch.mpi.MAX if largest else self.watch.mpi.MIN
        self._run(name, x, (), lambda comm: comm.Iallreduce(x, out, op))
        return out

    def gather(self, x, name="all_gather"):
        """The values of all ranks along a new first axis, on every rank."""
        x = self._plain(name, x)
        out = np.empty((self.size, *x.shape), x.dtype)
        if out.size:
            send, put = _bytes(x), _bytes(out)
            self._run(name, x, (), lambda comm: comm.Iallgather(send, put))
        return out

    def scatter(self, x):
        """The sum over ranks of the slice along the first axis that belongs to this rank."""
        x = self._plain("psum_scatter", x)
        if not x.size:
            return np.empty(x.shape[1:], x.dtype)
        wide = _WIDE.get(x.dtype.char) if self.wide else None
        if self.ordered or x.dtype.char not in _SUMMED:
            parts = self.exchange(x, "psum_scatter")
            return parts.sum(axis=0, dtype=wide or x.dtype).astype(x.dtype, copy=False)
        send = x.astype(wide) if wide else x
        out = np.empty(x.shape[1:], send.dtype)
        self._run("psum_scatter", x, (), lambda comm: comm.Ireduce_scatter_block(send, out))
        return out.astype(x.dtype) if wide else out

    def exchange(self, x, name="all_to_all"):
        """Slice `j` along the first axis goes to rank `j`; the result has the slice from rank `j` at `j`."""
        x = self._plain(name, x)
        out = np.empty_like(x)
        if x.size:
            send, put = _bytes(x), _bytes(out)
            self._run(name, x, (), lambda comm: comm.Ialltoall(send, put))
        return out

    def shift(self, x, perm):
        """The value of the rank that sends to this one; zeros where none does."""
        x = self._plain("ppermute", x)
        if not x.size:
            return x.copy()
        source = next((a for a, b in perm if b == self.rank), None)
        target = next((b for a, b in perm if a == self.rank), None)
        if source == target == self.rank:
            out = x.copy()
            source = target = None
        else:
            out = np.zeros_like(x) if source is None else np.empty_like(x)
        requests = []

        def start(comm):
            if source is not None:
                requests.append(comm.Irecv(_bytes(out), source=source, tag=1))
            if target is not None:
                requests.append(comm.Isend(_bytes(x), dest=target, tag=1))
            return _All(requests)

        self._run("ppermute", x, perm, start)
        return out

    def broadcast(self, x):
        """The value of the first rank, on every rank."""
        x = self._plain("replicate", x)
        out = x.copy()
        if x.size:
            self._run("replicate", x, (), lambda comm: comm.Ibcast(_bytes(out), root=0))
        return out

    def barrier(self):
        """Wait until every rank is here."""
        self._run("barrier", np.zeros(()), (), lambda comm: comm.Ibarrier())

    def start_sum(self, x):
        """Begin a sum over ranks: a function that waits for it and gives the result."""
        x = self._plain("psum", x)
        if not x.size or self.ordered or self.wide or x.dtype.char not in _SUMMED:
            found = self.sum(x)
            return lambda: found
        out = np.empty_like(x)
        call, request = self._begin("psum", x, (), lambda comm: comm.Iallreduce(x, out))
        number = self.watch.number

        def finish():
            now, self.watch.number = self.watch.number, number
            try:
                self._wait(request, call)
            finally:
                self.watch.number = now
            return out

        return finish

    # How they are run.

    def _plain(self, name, x):
        if type(x) is not ndarray:
            if hasattr(x, "get") or hasattr(x, "__cuda_array_interface__"):
                raise BackendError(f"{name} over {self.axis!r} sends arrays of NumPy and of CuPy between processes, "
                                   f"but got a {type(x).__module__}.{type(x).__name__}; convert it first"
                                   f"{at_user_line()}")
            x = np.asarray(x)
        return np.ascontiguousarray(x) if x.ndim else x

    def _run(self, name, x, extra, start):
        call, request = self._begin(name, x, extra, start)
        self._wait(request, call)

    def _begin(self, name, x, extra, start):
        call = self.announced(name, x.shape, x.dtype.name, extra)
        if self.check != "never":
            self.compare(call)
            if name not in self.lanes:  # of its own, so that two kinds of collectives never take each other's messages
                self.lanes[name] = self.comm.Dup()
        return call, start(self.lanes.get(name, self.comm))

    def announced(self, name, shape, dtype, extra):
        """The next collective of this mesh."""
        watch = self.watch
        watch.number += 1
        call = Call(name, self.axis, shape, dtype, extra, user_place(), _lined)
        if self.broken is not None:
            raise CollectiveMismatchError(f"{call.words()} on rank {watch.rank} follows a collective that failed: "
                                          f"{self.broken}; make a new Mesh on all ranks, or end the program")
        return call

    def known(self, call):
        """Whether its line made this call before; with `check="always"` none is known, and the line counts."""
        if self.check == "always":
            call.strict = True
            return False
        call.token = self.seen.get(_key(call))
        return call.token is not None

    def compare(self, call):
        """Compare a call with that of the other ranks: the first time that its line makes it, from time to time with
        the order of the calls since, or always."""
        if self.known(call) and call.name not in _COMPARED and self.trail.extended(call.token, call):
            return
        notes = self.told(packed(self.watch.number, call, self.trail.digest()), call)
        found = [unpacked(note) for note in notes]
        if any(digest != found[0][1] for _, digest, _ in found):
            raise mismatch({self.named(rank): words for rank, (_, _, words) in enumerate(found)})
        if (notes[:, TRAIL] != notes[0, TRAIL]).any():
            raise self._parted(call)
        self.trail.calls.clear()
        if len(self.seen) >= _SEEN_LIMIT:
            self.seen.clear()
        if call.token is None and not call.strict:
            call.token = self.seen[_key(call)] = token_of(notes)

    def _parted(self, call):
        """The error for ranks that called known lines in different order."""
        place = self.trail.parted(self.told(self.trail.row(), call))
        rows = self.told(as_row(self.trail.words(place)), call)
        error = self.trail.error(place, {self.named(rank): as_text(row) for rank, row in enumerate(rows)})
        self.trail.calls.clear()
        return error

    def told(self, row, call):
        """The rows of all ranks, in an array."""
        rows = np.empty((self.size, len(row)), np.uint8)
        self._wait(self.watch.controls[self.axis].Iallgather(row, rows), call)
        return rows

    def named(self, rank):
        """A rank along this axis, in words."""
        return f"{rank} along {self.axis!r}"

    def _wait(self, request, call):
        try:
            self.watch.wait(request, call)
        except (CollectiveMismatchError, CollectiveTimeoutError) as error:
            self.watch.breaks(str(error))
            raise


class _All:
    """Several requests as one."""

    def __init__(self, requests):
        self.requests = list(requests)

    def Test(self):  # noqa: N802 - as mpi4py has it
        self.requests = [r for r in self.requests if not r.Test()]
        return not self.requests


def _key(call):
    return call.name, call.shape, call.dtype, call.extra, call.place


def _bytes(x):
    """The memory of a contiguous array, whatever its dtype."""
    return x.reshape(-1).view(np.uint8)


def _lined(place):
    return f"{line_of(place)} in {place[0].co_name}"
