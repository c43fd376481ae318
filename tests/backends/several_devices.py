"""A stand-in for CuPy with several devices and NCCL: what it sends travels between the processes of MPI.

`install()` puts it into `sys.modules`. Arrays are the strict ones. Work on a stream is done while somebody asks an
event for its end, and until then the memory that it writes to holds rubbish. What NCCL checks, or what hangs or goes
wrong with it, is an error here, or hangs: memory that is no device's, too short or freed meanwhile; another current
device than that of the communicator; a stream that does not wait for what makes the operands; groups that are not
closed; two ranks of one device; ranks in different operations.
"""

import contextlib
import os
import sys
import threading
import types
import weakref

import numpy as np
import strict

TYPES = ("INT8", "UINT8", "INT32", "UINT32", "INT64", "UINT64", "FLOAT16", "FLOAT32", "FLOAT64")
DTYPES = [np.dtype(name.lower()) for name in TYPES]
OPS = {"SUM": np.add, "PROD": np.multiply, "MAX": np.maximum, "MIN": np.minimum}
RUBBISH = 0xAB
COUNT = int(os.environ.get("STAND_IN_DEVICES", "4"))
FAULTS = []  # what the next look at a communicator finds wrong
CALLS = []  # the operations that were put on streams, for tests
_HANDED = {}  # address -> the array that lies there
_QUEUES = []  # communicators
_GROUPS = threading.local()
_ROOM = {"ids": 0, "mpi": None}


class NcclError(RuntimeError):
    def __init__(self, status, words=""):
        super().__init__(f"NCCL_ERROR_{status}: {words}")


class Device:
    """A number, and the context in which it is the current one."""

    def __init__(self, id=None):
        self.id = strict.NOW.device.id if id is None else id
        if not 0 <= self.id < COUNT:
            raise RuntimeError(f"cudaErrorInvalidDevice: invalid device ordinal {self.id}")
        self.before = []

    pci_bus_id = property(lambda self: f"0000:{self.id:02X}:00.0")

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    __hash__ = None

    def use(self):
        strict.NOW.device = self

    def __enter__(self):
        self.before.append(strict.NOW.device)
        strict.NOW.device = self
        return self

    def __exit__(self, *error):
        strict.NOW.device = self.before.pop()


class Stream:
    """Work in order; `after` is the newest array that it waited for, if it is not the stream that makes arrays."""

    def __init__(self, null=False, non_blocking=False):
        self.ptr = 0 if null else id(self)
        self.work, self.after = [], None if null else 0
        STREAMS[self.ptr] = self

    def wait_event(self, event):
        self.work += event.work
        if self.after is not None:
            self.after = max(self.after, event.at)


STREAMS = {}
NULL = Stream(null=True)


class Event:
    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.work, self.at = [], 0

    def record(self, stream=None):
        self.work = list((stream or NULL).work)
        self.at = next(strict.WORK)

    @property
    def done(self):
        for comm in tuple(_QUEUES):
            comm.progress()
        return all(op.done for op in self.work)


class Memory:
    """What CuPy calls the data of an array: an address."""

    def __init__(self, array):
        self.ptr = array._data.__array_interface__["data"][0]
        _HANDED[self.ptr] = weakref.ref(array)


class Buffer:
    """Memory that an operation reads or writes."""

    def __init__(self, address, count, type_, comm, stream):
        if not 0 <= type_ < len(DTYPES):
            raise NcclError("INVALID_ARGUMENT", f"datatype {type_}")
        found = _HANDED.get(address)
        self.array = found
        array = found and found()
        if array is None:
            raise NcclError("INVALID_ARGUMENT", f"{address:#x} is no memory of a device")
        if array.device.id != comm.device.id or strict.NOW.device.id != comm.device.id:
            raise NcclError("INVALID_ARGUMENT", f"an array on {array.device.id} and the current device "
                            f"{strict.NOW.device.id} for a communicator of device {comm.device.id}")
        data = array._data
        if not data.flags.c_contiguous or count * DTYPES[type_].itemsize != data.nbytes or not count:
            raise NcclError("INVALID_ARGUMENT", f"{count} of {TYPES[type_]} are not the {data.nbytes} bytes of an "
                            f"array with strides {data.strides}")
        if data.dtype.kind != "c" and DTYPES[type_] != np.uint8 and DTYPES[type_] != data.dtype:
            raise NcclError("INVALID_ARGUMENT", f"{data.dtype} sent as {TYPES[type_]}")
        if stream.after is not None and stream.after < array.made:
            raise AssertionError("a stream reads memory without waiting for the one that fills it")
        self.dtype = DTYPES[type_]

    def bytes(self):
        array = self.array()
        assert array is not None, "memory was freed while an operation works on it"
        return array._data.reshape(-1).view(np.uint8)


class Operation:
    """A collective: the ranks compare what it is, then all of them get all of the data."""

    def __init__(self, comm, name, head, sent, put, finish):
        self.comm, self.name, self.sent, self.put, self.finish = comm, name, sent, put, finish
        self.done = self.begun = self.stuck = False
        self.head = np.array([sum(map(ord, name)), *head], np.int64)
        if put is not None:
            put.bytes()[:] = RUBBISH
        CALLS.append(name)

    def step(self):
        mpi = self.comm.mpi
        if not self.begun:
            self.begun = True
            self.heads = np.empty((self.comm.n, len(self.head)), np.int64)
            self.request, self.data = mpi.Iallgather(self.head, self.heads), None
        if self.stuck or not self.request.Test():
            return
        if self.data is None:
            if (self.heads != self.heads[0]).any():
                self.stuck = True  # as NCCL would be, or worse
                return
            mine = self.sent.bytes().copy()
            self.data = np.empty((self.comm.n, len(mine)), np.uint8)
            self.request = mpi.Iallgather(mine, self.data)
            return
        self.put.bytes()[:] = self.finish([row.view(self.sent.dtype) for row in self.data]).view(np.uint8)
        self.done = True


class Exchange:
    """The sends and receives of a group."""

    def __init__(self, comm, sends, receives):
        self.comm, self.sends, self.receives = comm, sends, receives
        self.done = self.begun = self.stuck = False
        for buffer, _ in receives:
            buffer.bytes()[:] = RUBBISH
        CALLS.append(f"{len(sends)} sends, {len(receives)} receives")

    def step(self):
        mpi = self.comm.mpi
        if not self.begun:
            self.begun = True
            self.kept = [buffer.bytes().copy() for buffer, _ in self.sends]
            self.requests = [mpi.Isend(data, rank, tag=3) for data, (_, rank) in zip(self.kept, self.sends)]
        if self.stuck:
            return
        for pair in tuple(self.receives):
            buffer, rank = pair
            status = _ROOM["mpi"].Status()
            if mpi.Iprobe(rank, 3, status):
                if status.Get_count(_ROOM["mpi"].BYTE) != len(buffer.bytes()):
                    self.stuck = True
                    return
                mpi.Recv(buffer.bytes(), rank, 3)
                self.receives.remove(pair)
        self.requests = [r for r in self.requests if not r.Test()]
        self.done = not self.receives and not self.requests


class NcclCommunicator:
    """One rank of a communicator, as CuPy has it."""

    def __init__(self, ndev, commId, rank):
        if type(commId) is not bytes:
            raise TypeError(f"Argument 'commId' has incorrect type (expected bytes, got {type(commId).__name__})")
        assert len(commId) == 128
        mpi, world = _ROOM["mpi"], _ROOM["world"]
        self.n, self.rank, self.device = ndev, rank, strict.NOW.device
        root, tag = commId[:2]
        mine = np.array([rank, world.Get_rank(), self.device.id, ndev])
        if world.Get_rank() == root:
            rows = np.empty((ndev, 4), int)
            rows[rank] = mine
            for _ in range(ndev - 1):
                row = np.empty(4, int)
                world.Recv(row, mpi.ANY_SOURCE, 1000 + tag)
                rows[row[0]] = row
            for row in rows:
                if row[1] != root:
                    world.Send(rows, row[1], 2000 + tag)
        else:
            world.Send(mine, root, 1000 + tag)
            rows = np.empty((ndev, 4), int)
            world.Recv(rows, root, 2000 + tag)
        if len(set(rows[:, 2].tolist())) < ndev:
            raise NcclError("INVALID_USAGE", "Duplicate GPU detected")
        self.mpi = world.Create_group(world.Get_group().Incl(rows[:, 1].tolist()), tag)
        self.queue, self.aborted = [], False
        _QUEUES.append(self)

    def progress(self):
        while self.queue:
            self.queue[0].step()
            if not self.queue[0].done:
                return
            self.queue.pop(0)

    def check_async_error(self):
        if self.aborted:
            raise NcclError("INVALID_ARGUMENT", "the communicator was aborted")
        if FAULTS:
            raise FAULTS.pop()

    def abort(self):
        self.aborted = True
        for op in self.queue:
            op.done = True
        self.queue.clear()
        if self in _QUEUES:
            _QUEUES.remove(self)

    destroy = abort

    def _put(self, op, stream):
        self.check_async_error()
        self.queue.append(op)
        STREAMS[stream].work.append(op)

    def _collective(self, name, head, sent, put, finish, stream):
        if getattr(_GROUPS, "depth", 0):
            raise AssertionError("a collective in a group of sends and receives")
        self._put(Operation(self, name, head, sent, put, finish), stream)

    def _buffers(self, stream, *given):
        return [Buffer(address, count, type_, self, STREAMS[stream]) for address, count, type_ in given]

    def allReduce(self, sendbuf, recvbuf, count, datatype, op, stream):  # noqa: N802 - all as CuPy has them
        sent, put = self._buffers(stream, (sendbuf, count, datatype), (recvbuf, count, datatype))
        self._collective("allReduce", [count, datatype, op], sent, put,
                         lambda rows: _reduced(op, rows), stream)

    def reduceScatter(self, sendbuf, recvbuf, recvcount, datatype, op, stream):  # noqa: N802
        sent, put = self._buffers(stream, (sendbuf, recvcount * self.n, datatype), (recvbuf, recvcount, datatype))
        part = slice(self.rank * recvcount, (self.rank + 1) * recvcount)
        self._collective("reduceScatter", [recvcount, datatype, op], sent, put,
                         lambda rows: _reduced(op, rows)[part].copy(), stream)

    def allGather(self, sendbuf, recvbuf, count, datatype, stream):  # noqa: N802
        sent, put = self._buffers(stream, (sendbuf, count, datatype), (recvbuf, count * self.n, datatype))
        self._collective("allGather", [count, datatype, 0], sent, put, np.concatenate, stream)

    def broadcast(self, sendbuff, recvbuff, count, datatype, root, stream):
        sent, put = self._buffers(stream, (sendbuff, count, datatype), (recvbuff, count, datatype))
        self._collective("broadcast", [count, datatype, root], sent, put, lambda rows: rows[root], stream)

    def send(self, sendbuf, count, datatype, peer, stream):
        self._alone("sends", sendbuf, count, datatype, peer, stream)

    def recv(self, recvbuf, count, datatype, peer, stream):
        self._alone("receives", recvbuf, count, datatype, peer, stream)

    def _alone(self, kind, address, count, datatype, peer, stream):
        if not 0 <= peer < self.n:
            raise NcclError("INVALID_ARGUMENT", f"peer {peer}")
        (buffer,) = self._buffers(stream, (address, count, datatype))
        if not getattr(_GROUPS, "depth", 0):
            raise AssertionError("a send or receive outside of a group waits for its peer")
        _GROUPS.calls.append((self, stream, kind, (buffer, peer)))


def _reduced(op, rows):
    with np.errstate(all="ignore"):
        return list(OPS.values())[op].reduce(rows, dtype=rows[0].dtype)


def groupStart():  # noqa: N802
    if not getattr(_GROUPS, "depth", 0):
        _GROUPS.depth, _GROUPS.calls = 0, []
    _GROUPS.depth += 1


def groupEnd():  # noqa: N802
    if not getattr(_GROUPS, "depth", 0):
        raise NcclError("INVALID_USAGE", "groupEnd without groupStart")
    _GROUPS.depth -= 1
    if _GROUPS.depth or not _GROUPS.calls:
        return
    calls, _GROUPS.calls = _GROUPS.calls, []
    comm, stream = calls[0][:2]
    assert all(call[:2] == (comm, stream) for call in calls)
    comm._put(Exchange(comm, *[[pair for _, _, kind, pair in calls if kind == wanted]
                               for wanted in ("sends", "receives")]), stream)


def get_unique_id():
    _ROOM["ids"] += 1
    return bytes([_ROOM["world"].Get_rank(), _ROOM["ids"] % 200, *range(126)])


def _as_cupy(self, function, types_, args, kwargs):
    return getattr(sys.modules["cupy"], function.__name__)(*args, **kwargs)


def install(nccl=True, devices=None):
    """CuPy is loaded from now on; every process of MPI calls this."""
    global COUNT
    from mpi4py import MPI

    if devices is not None:
        COUNT = devices
    _ROOM.update(mpi=MPI, world=MPI.COMM_WORLD.Dup())
    strict.Now.device = Device(0) if COUNT else None  # of every thread
    strict.Array.data = property(Memory)
    strict.Array.flags = property(lambda self: self._data.flags)
    strict.Array.__array_function__ = _as_cupy
    cupy, cuda, found = strict.Namespace("cupy"), types.ModuleType("cupy.cuda"), types.ModuleType("cupy.cuda.nccl")
    vars(cuda).update(
        Device=Device, Stream=Stream, Event=Event, get_current_stream=lambda: NULL, is_available=lambda: COUNT > 0,
        runtime=types.SimpleNamespace(getDeviceCount=lambda: COUNT, getDevice=lambda: strict.NOW.device.id))
    vars(found).update(
        available=nccl, NcclError=NcclError, NcclCommunicator=NcclCommunicator, get_unique_id=get_unique_id,
        groupStart=groupStart, groupEnd=groupEnd, **{f"NCCL_{name}": k for k, name in enumerate(TYPES)},
        **{f"NCCL_{name}": k for k, name in enumerate(OPS)})
    cupy.cuda, cuda.nccl, cupy.__version__ = cuda, found, "14.0 (stand-in)"
    cupy.is_available, cupy.asnumpy = cuda.is_available, lambda a: a.get()
    cupyx = types.ModuleType("cupyx")
    cupyx.errstate = lambda **named: contextlib.nullcontext()  # NumPy's functions of matrices always raise
    sys.modules |= {"cupy": cupy, "cupy.cuda": cuda, "cupy.cuda.nccl": found, "cupyx": cupyx}
    return cupy
