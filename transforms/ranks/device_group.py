"""The ranks along a mesh axis, with device-to-device collectives."""

import json
import socket
import sys
from threading import Thread

import numpy as np

from ...core.arrays.backend import BACKENDS, find_backend
from ...core.errors import (
    BackendError,
    CollectiveMismatchError,
    CollectiveTimeoutError,
    DtypeError,
    at_user_line,
    user_place,
)
from ...core.types import Any
from .group import Group, lined
from .timeouts import Call, as_row, as_text, digest, mismatch, packed, unpacked

_WIDE = {"f": np.dtype(np.float64), "F": np.dtype(np.complex128)}
_NOTE = 16
_SEEN_LIMIT = 65536


class DeviceGroup:
    """The ranks along one axis, for arrays of one library that lie on devices.

    `host` is the group of MPI of the same ranks: it numbers the calls, compares those of new lines, and waits. While
    the data of a known line travels, so does a digest of what each rank called; only if all are the same is the result
    given to anyone.
    """

    def __init__(self, host, backend, xp, carrier, device):
        self.host = host
        self.name = backend.name
        self.carrier = carrier
        carrier.start()
        self.xp = xp
        self.device = device
        self.size, self.rank = host.size, host.rank
        self.link: Any = None
        self.seen: dict[Any, bytes] = {}  # what a line calls -> the token of the lines that met
        self.under_way: list[Any] = []  # what was begun, and nobody has waited for yet
        self.notes: Any = None  # the communicator of the digests

    # Collectives: each takes and returns arrays of the library.

    def sum(self, x):
        """The sum over ranks, on every rank."""
        x = self._plain("psum", x)
        if not x.size:
            return x.copy()
        wide = _WIDE.get(x.dtype.char) if self.host.wide else None
        if self.host.ordered or not self.carrier.sums(x.dtype):
            return self._added(self.gather(x, "psum"), wide)
        send = x.astype(wide) if wide else x
        out = self.xp.empty(x.shape, send.dtype)
        self._run("psum", x, (), lambda link: link.reduce_all(send, out))
        return out.astype(x.dtype) if wide else out

    def extreme(self, x, largest):
        """The maximum or minimum over ranks, on every rank."""
        name = "pmax" if largest else "pmin"
        x = self._plain(name, x)
        if not x.size:
            return x.copy()
        if x.dtype.kind not in "iu" or not self.carrier.sums(x.dtype):  # NCCL says nothing of NaN; CuPy does
            parts = self.gather(x, name)
            return parts.max(axis=0) if largest else parts.min(axis=0)
        out = self.xp.empty(x.shape, x.dtype)
        self._run(name, x, (), lambda link: link.reduce_all(x, out, "MAX" if largest else "MIN"))
        return out

    def gather(self, x, name="all_gather"):
        """The values of all ranks along a new first axis, on every rank."""
        x = self._plain(name, x)
        out = self.xp.empty((self.size, *x.shape), x.dtype)
        if out.size:
            self._run(name, x, (), lambda link: link.gather_all(x, out))
        return out

    def scatter(self, x):
        """The sum over ranks of the slice along the first axis that belongs to this rank."""
        x = self._plain("psum_scatter", x)
        if not x.size:
            return self.xp.empty(x.shape[1:], x.dtype)
        wide = _WIDE.get(x.dtype.char) if self.host.wide else None
        if self.host.ordered or not self.carrier.sums(x.dtype):
            return self._added(self.exchange(x, "psum_scatter"), wide)
        send = x.astype(wide) if wide else x
        out = self.xp.empty(x.shape[1:], send.dtype)
        self._run("psum_scatter", x, (), lambda link: link.reduce_scatter(send, out))
        return out.astype(x.dtype) if wide else out

    def exchange(self, x, name="all_to_all"):
        """Slice `j` along the first axis goes to rank `j`; the result has the slice from rank `j` at `j`."""
        x = self._plain(name, x)
        out = self.xp.empty(x.shape, x.dtype)
        if x.size:
            sent, put = x.reshape((self.size, -1)), out.reshape((self.size, -1))
            put[self.rank] = sent[self.rank]
            others = [k for k in range(self.size) if k != self.rank]
            self._run(name, x, (), lambda link: link.exchange([(sent[k], k) for k in others],
                                                              [(put[k], k) for k in others]))
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
            out = self.xp.zeros(x.shape, x.dtype) if source is None else self.xp.empty(x.shape, x.dtype)
        self._run("ppermute", x, perm, lambda link: link.exchange(
            [] if target is None else [(x, target)], [] if source is None else [(out, source)]))
        return out

    def broadcast(self, x):
        """The value of the first rank, on every rank."""
        x = self._plain("replicate", x)
        out = x.copy()
        if x.size:
            self._run("replicate", x, (), lambda link: link.broadcast(x, out))
        return out

    def start_sum(self, x):
        """Begin a sum over ranks on a stream of its own: a function that waits for it and gives the result."""
        x = self._plain("psum", x)
        if not x.size or self.host.ordered or self.host.wide or not self.carrier.sums(x.dtype):
            found = self.sum(x)
            return lambda: found
        out = self.xp.empty(x.shape, x.dtype)
        call, requests = self._begin("psum", x, (), lambda link: link.reduce_all(x, out, aside=True))
        number = self.host.watch.number

        def finish():
            watch = self.host.watch
            now, watch.number = watch.number, number
            try:
                self._finish(call, requests)
            finally:
                watch.number = now
            return out

        return finish

    def close(self):
        """End the communicator, and what is under way on it."""
        link, self.link = self.link, None
        if link is not None:
            self.host.watch.stale += self.under_way
            self.under_way = []
            link.abort()

    # How they are run.

    def _plain(self, name, x):
        if x.dtype.kind not in "biufc" and x.dtype.name != "bfloat16":
            raise DtypeError(f"{name} over {self.host.axis!r} sends numbers and booleans from device to device, but "
                             f"got an array of {x.dtype}; send a numeric view of it{at_user_line()}")
        device = self.carrier.device_of(x)
        if device != self.device:
            raise BackendError(f"{name} over {self.host.axis!r} sends arrays on device {self.device} of this rank, but "
                               f"got one on device {device}; import CuPy before the mesh is made, which then chooses "
                               f"the device, or choose it with Mesh(…, device={device}){at_user_line()}")
        return self.xp.ascontiguousarray(x) if x.ndim else x

    def _added(self, parts, wide):
        """The sum over the first axis, in its order."""
        total = parts[0].astype(wide) if wide else parts[0].copy()
        for part in parts[1:]:
            total += part
        return total.astype(parts.dtype)

    def _run(self, name, x, extra, start):
        self._finish(*self._begin(name, x, extra, start))

    def _begin(self, name, x, extra, start):
        host = self.host
        host.watch.number += 1
        call = Call(name, host.axis, x.shape, f"{self.name}.{x.dtype.name}", extra, host.place or user_place(), lined)
        call.strict = host.check == "always"
        host.check_whole(call)
        known = self._compared(call) if host.check != "never" else False
        if self.link is None:
            self._connect(call)
        try:
            requests = [start(self.link)]
        except self.carrier.error as error:
            self._fail(call, error)
        if known:
            note, notes = np.zeros(_NOTE, np.uint8), np.empty((self.size, _NOTE), np.uint8)
            note[:12] = np.frombuffer(digest(call), np.uint8)
            requests.append(_Notes(self.notes.Iallgather(note, notes), note, notes))
        self.under_way.append(requests)
        return call, requests

    def _compared(self, call):
        """Tell whether its lines met before, so that the digests may travel beside the data; if not they are
        compared."""
        host = self.host
        key = call.name, call.shape, call.dtype, call.extra, call.place
        known = self.seen.get(key) if host.check == "first" else None
        call.token = known
        if known is None or self.link is None:
            token = host.compare(call)
            if known is None and host.check == "first":
                if len(self.seen) >= _SEEN_LIMIT:
                    self.seen.clear()
                call.token = self.seen[key] = token
        return known is not None

    def _finish(self, call, requests):
        """Wait for the data and the digests of a call, in any order."""
        left = list(requests)

        def test():
            for request in tuple(left):
                if request.Test():
                    left.remove(request)
                    if type(request) is _Notes and not request.agree():
                        self._part(call)
            return not left

        self._wait(test, call)
        self.under_way.remove(requests)  # after an error they stay, and keep the memory to which MPI may still write

    def _wait(self, test, call):
        host = self.host
        try:
            host.watch.until_complete(test, call)
        except (self.carrier.error, host.watch.mpi.Exception) as error:
            self._fail(call, error)
        except CollectiveTimeoutError as error:
            self.close()
            host.watch.breaks(str(error))
            raise
        except CollectiveMismatchError as error:
            if self.link is not None:  # found by waiting: messages of others are under way
                self.close()
                host.watch.breaks(str(error))
            raise

    def _part(self, call):
        """All ranks are here, in different calls: end what is under way, and say which."""
        self.close()
        self.notes = None  # one rank may have sent more digests than another
        rows = self.host.told(packed(self.host.watch.number, call), call)
        raise mismatch({self.host.named(rank): unpacked(row)[2] for rank, row in enumerate(rows)})

    def _fail(self, call, error):
        watch = self.host.watch
        self.close()
        words = (f"{call.words()} on rank {watch.rank} of {watch.size} failed in {self.carrier.name}: {error}; a rank "
                 "or the network may have failed, or ranks sent arrays of different sizes: start with NCCL_DEBUG=WARN, "
                 "which prints more, and with Mesh(…, check='always'), which compares each call before")
        watch.breaks(words)
        raise CollectiveMismatchError(words) from error

    def _connect(self, call):
        """Make the communicator, at the first call of all ranks."""
        if self.notes is None:
            self.notes = self.host.comm.Dup()
        place = [socket.gethostname(), self.carrier.identity(self.device)]
        places = [json.loads(as_text(row)) for row in self.host.told(as_row(json.dumps(place)), call)]
        for k, other in enumerate(places):
            if other in places[:k]:
                raise BackendError(f"{self.carrier.name} needs a device for each rank, but ranks {places.index(other)} "
                                   f"and {self.host.named(k)} use the same one, {other[1]} of {other[0]}; start at "
                                   "most as many ranks as devices, choose one with Mesh(…, device=), or let MPI carry "
                                   f"copies with Mesh(…, transport='mpi'){at_user_line()}")
        key = self.carrier.unique_id() if self.rank == 0 else np.empty(128, np.int64)
        self.host.watch.wait(self.notes.Ibcast(key, root=0), call)
        made = _Made(lambda: self.carrier.connect(self.size, key, self.rank, self.device))
        self._wait(made.Test, call)
        self.link = made.found


class _Notes:
    """The digests of what all ranks called, on their way."""

    def __init__(self, request, note, notes):
        self.request, self.note, self.notes = request, note, notes
        self.Test = request.Test

    def agree(self):
        return bool((self.notes == self.notes[0]).all())


class _Made:
    """The result of a function that waits for other ranks inside of a library: a thread of its own waits."""

    def __init__(self, make):
        self.found = self.error = None
        self.thread = Thread(target=self._make, args=(make,), daemon=True)
        self.thread.start()

    def _make(self, make):
        try:
            self.found = make()
        except BaseException as error:
            self.error = error

    def Test(self):  # noqa: N802 - as mpi4py has it
        if self.thread.is_alive():
            return False
        if self.error is not None:
            raise self.error
        return True


# The ranks along a mesh axis for arrays of any library, dispatched to host or device collectives.

ndarray = np.ndarray
TRANSPORTS = (None, "nccl", "mpi")


class RoutedGroup(Group):
    """The ranks along one axis: arrays of NumPy go over MPI, those on devices over NCCL.

    With the transport "mpi" the latter are copied to the host, and back; with "nccl" the former are refused. `devices`
    says which ones this process uses.
    """

    def __init__(self, comm, axis, watch, devices, *, transport=None, **options):
        super().__init__(comm, axis, watch, **options)
        self.transport, self.devices = transport, devices
        self.roads = {}  # name of a library -> DeviceGroup

    def road(self, x, name):
        """The carrier of an array on a device from rank to rank; None for MPI."""
        found = None if isinstance(x, ndarray) else find_backend(type(x))
        if found is None or found[0].carrier is None:
            if self.transport == "nccl" and isinstance(x, ndarray) and x.ndim and name != "collect":
                raise BackendError(f"a collective over {self.axis!r} of a mesh with transport='nccl' got an array of "
                                   f"NumPy of shape {x.shape}, and nothing is moved between devices silently; convert "
                                   "it with cupy.asarray, or let the arrays decide with Mesh(…, transport=None)"
                                   f"{at_user_line()}")
            return None
        backend, xp = found
        road = self.roads.get(backend.name)
        if road is None:
            if self.transport == "mpi":
                road = _Copied(self, backend, xp)
            else:
                road = DeviceGroup(self, backend, xp, *self.devices.of(backend, xp))
            self.roads[backend.name] = road
        return road

    def close(self):
        """End the communicators of devices."""
        for road in self.roads.values():
            road.close()
        self.roads.clear()


def _routed(method):
    """A collective that an array on a device takes by its own road."""
    by_mpi = getattr(Group, method)

    def run(self, x, *rest):
        if type(x) is ndarray and self.transport != "nccl":
            return by_mpi(self, x, *rest)
        road = self.road(x, rest[0] if rest else method)
        return by_mpi(self, x, *rest) if road is None else getattr(road, method)(x, *rest)

    run.__doc__ = by_mpi.__doc__
    return run


for _method in ("sum", "extreme", "gather", "scatter", "exchange", "shift", "broadcast", "start_sum"):
    setattr(RoutedGroup, _method, _routed(_method))


class _Copied:
    """Arrays on devices, of which MPI carries copies in the memory of the host."""

    def __init__(self, group, backend, xp):
        self.group, self.backend, self.xp = group, backend, xp

    def __getattr__(self, method):
        by_mpi = getattr(Group, method)

        def run(x, *rest):
            found = by_mpi(self.group, self.backend.to_numpy(x), *rest)
            return (lambda: self.xp.asarray(found())) if callable(found) else self.xp.asarray(found)

        return run

    def close(self):
        """Nothing is kept."""


# The device of a process in a mesh: the one whose number is its local rank.


class Devices:
    """The devices that this process uses, one of each library that has any and is loaded.

    Args:
        given: the number of the device, None to count.
        local_rank: the number of this process among those of its machine; None where it is the only one of the mesh,
            and keeps the device that it has.
    """

    def __init__(self, given, local_rank):
        self.given, self.local_rank = given, local_rank
        self.chosen = {}  # name of a library -> (carrier, device)
        for backend in BACKENDS.values():
            if backend.carrier is not None and backend.module in sys.modules:
                carrier, device = self.of(backend, sys.modules[backend.module])
                if device is not None:
                    carrier.use(device)

    def of(self, backend, module):
        """`(carrier, device)` of a loaded library."""
        found = self.chosen.get(backend.name)
        if found is None:
            carrier = backend.carrier(module)
            found = self.chosen[backend.name] = carrier, self._counted(carrier)
        return found

    def _counted(self, carrier):
        count = carrier.devices()
        if self.given is not None and not 0 <= self.given < count:
            raise BackendError(f"Mesh was given device={self.given}, but this process sees {count} devices; choose one "
                               f"from 0 on, or leave it out{at_user_line()}")
        if not count:
            return None
        if self.given is not None:
            return self.given
        return carrier.current() if self.local_rank is None else self.local_rank % count

    def require(self):
        """Raise unless a library with devices is loaded, and something carries its arrays."""
        if not self.chosen:
            raise BackendError("Mesh was given transport='nccl', but no library of arrays on devices is loaded; import "
                               f"CuPy before the mesh is made, or leave transport out{at_user_line()}")
        for carrier, _ in self.chosen.values():
            carrier.start()

    def number(self):
        """The device of the first library that has any, else None."""
        return next((device for _, device in self.chosen.values() if device is not None), None)
