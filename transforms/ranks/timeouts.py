"""Waits for other ranks with a time limit, and reports of what the others wait for."""

import time
from hashlib import blake2b
from itertools import islice
from os import sched_yield

import numpy as np

from ...core.errors import CollectiveMismatchError, CollectiveTimeoutError

STALLED = 0.5  # seconds of waiting after which a rank tells the others what it waits for
WIDTH = 512  # bytes of a note: digests, and words
DIGEST, TRAIL, SAME = slice(8, 20), slice(20, 32), slice(8, 32)  # where digests lie in it: of call, trail, and both
_TAG = 7
_SPINS = 8  # questions before the core is given away: two ranks on one core then take as long as MPI's blocking calls
_YIELDS = 256  # and those before the clock is looked at


class Watch:
    """The messages of the ranks of a mesh beside the data: which collective each is in.

    Each collective of a mesh has a number, the same on all ranks if all call the same ones in the same order. A rank
    that has waited for `STALLED` seconds sends a note with number, digest and words to all others, and compares the
    notes that it got: two of one number with different digests can never meet.
    """

    def __init__(self, comm, mpi, limit):
        self.comm = comm
        self.mpi = mpi
        self.limit = limit
        self.number = 0
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self.notes = {}  # rank -> (number, digest, words), the newest of each
        self.sent = []  # requests and their buffers
        self.stale = []  # likewise, of collectives that failed: MPI may still write there
        self.controls = {}  # axis -> the communicator on which calls are compared
        self.groups = []

    def wait(self, request, call):
        """Return when the request is complete.

        Raises:
            CollectiveMismatchError: another rank waits for another collective.
            CollectiveTimeoutError: the time limit is over.
        """
        try:
            self.until_complete(request.Test, call)
        except self.mpi.Exception as error:
            self.failed(error, call)

    def failed(self, error, call):
        """Say that MPI gave an error."""
        raise CollectiveMismatchError(f"{call.words()} on rank {self.rank} of {self.size} failed in MPI: {error}; "
                                      "the ranks may have sent arrays of different sizes: Mesh(…, check='always') "
                                      "compares each call") from error

    def until_complete(self, test, call):
        """Ask again and again, until it says yes."""
        begun = time.perf_counter()
        told = False
        while not soon(test):
            waited = time.perf_counter() - begun
            if waited > STALLED:
                if not told:
                    self.tell(call)
                    told = True
                self.listen(call)
                time.sleep(0.002)
            if waited > self.limit:
                raise CollectiveTimeoutError(self.overdue(call, waited))

    def breaks(self, why):
        """No collective of this mesh can be trusted from now on: ranks wait for each other in different ones."""
        for group in self.groups:
            group.broken = why

    def tell(self, call):
        """Send the others what this rank waits for."""
        self.sent = [(r, b) for r, b in self.sent if not r.Test()]
        note = packed(self.number, call)
        for other in range(self.size):
            if other != self.rank:
                self.sent.append((self.comm.Isend(note, dest=other, tag=_TAG), note))

    def listen(self, call):
        """Read the notes that arrived; raise if one shows that this collective can never meet."""
        status = self.mpi.Status()
        while self.comm.Iprobe(source=self.mpi.ANY_SOURCE, tag=_TAG, status=status):
            note = np.empty(WIDTH, np.uint8)
            other = status.Get_source()
            self.comm.Recv(note, source=other, tag=_TAG)
            self.notes[other] = unpacked(note)
        mine = digest(call)
        for other, (number, theirs, words) in self.notes.items():
            if number == self.number and theirs != mine:
                raise mismatch({self.rank: call.words(), other: words})

    def overdue(self, call, waited):
        """The words for a wait that took too long."""
        known = [f"rank {other} waits in {words}" for other, (number, _, words) in sorted(self.notes.items())
                 if number >= self.number]
        rest = "; ".join(known) if known else "no other rank said that it waits: they compute, have ended, or are stuck"
        return (f"{call.words()} on rank {self.rank} of {self.size} waited {waited:.1f} s for the other ranks, which "
                f"is the time limit; {rest}; let every rank call the same collectives, or raise the limit with "
                "Mesh(…, time_limit=)")


def soon(test):
    """Tell whether something is complete now or in a moment."""
    for _ in range(_SPINS):
        if test():
            return True
    for _ in range(_YIELDS):
        sched_yield()
        if test():
            return True
    return False


class Call:
    """One collective as a rank calls it: what must be the same on all of them."""

    __slots__ = ("name", "axis", "shape", "dtype", "extra", "place", "lined", "token", "strict", "text", "mark")

    def __init__(self, name, axis, shape, dtype, extra, place, lined):
        self.name, self.axis, self.shape, self.dtype, self.extra = name, axis, shape, dtype, extra
        self.place = place
        self.lined = lined
        self.token = None  # stands for the lines that met when this one was first called
        self.strict = False  # whether the line counts, too
        self.text = self.mark = None  # what `words` and `digest` found

    def words(self):
        """`psum over 'data' of f64[3] (train.py:12 in loss)`."""
        if self.text is None:
            line = f" ({self.lined(self.place)})" if self.place is not None else ""
            self.text = f"{self.name} over {self.axis!r} of {self.dtype}[{','.join(map(str, self.shape))}]{line}"
        return self.text


def digest(call):
    """Twelve bytes that tell calls apart."""
    if call.token is not None:
        return call.token
    if call.mark is None:
        line = (call.lined(call.place), _columns(*call.place)) if call.strict and call.place is not None else None
        text = repr((call.name, call.axis, call.shape, call.dtype, call.extra, line))
        call.mark = blake2b(text.encode(), digest_size=12).digest()
    return call.mark


def _columns(code, at):
    """The columns of a call in its line: two functions may be written in one."""
    return next(islice(code.co_positions(), at // 2, None), None)


def token_of(notes):
    """Twelve bytes that stand for the lines that met in a call, the same on all ranks."""
    return blake2b(notes.tobytes(), digest_size=12).digest()


def as_row(text):
    """Words in a row of bytes."""
    return np.frombuffer(text.encode()[:WIDTH].ljust(WIDTH, b"\0"), np.uint8)


def as_text(row):
    """The words in a row of bytes."""
    return row.tobytes().rstrip(b"\0").decode(errors="replace")


def packed(number, call, trail=b""):
    """A note: number, digest, digest of the trail, words."""
    note = number.to_bytes(8, "little") + digest(call) + trail.ljust(12, b"\0") + call.words().encode()
    return np.frombuffer(note[:WIDTH].ljust(WIDTH, b"\0"), np.uint8)


def unpacked(note):
    """`(number, digest, words)` of a note."""
    raw = note.tobytes()
    return int.from_bytes(raw[:8], "little"), raw[8:20], raw[32:].rstrip(b"\0").decode(errors="replace")


def mismatch(words):
    """The error for ranks that are in different collectives."""
    told = "; ".join(f"rank {rank} is in {text}" for rank, text in sorted(words.items()))
    return CollectiveMismatchError(f"the ranks of a mesh are in different collectives: {told}; let every rank call the "
                                   "same ones in the same order, with the same shapes and dtypes")
