"""NCCL, as CuPy has it: what carries arrays between the GPUs of several processes."""

from functools import cached_property

import numpy as np

from ..core.errors import BackendError, MissingLibraryError, at_user_line
from ..core.lazy import LazyModule, loaded

# Kind and bytes of a dtype -> NCCL's name of it, and how many of those make one element.
_TYPES = {"i1": ("INT8", 1), "u1": ("UINT8", 1), "i4": ("INT32", 1), "u4": ("UINT32", 1), "i8": ("INT64", 1),
          "u8": ("UINT64", 1), "f2": ("FLOAT16", 1), "f4": ("FLOAT32", 1), "f8": ("FLOAT64", 1), "c8": ("FLOAT32", 2),
          "c16": ("FLOAT64", 2)}
_NCCL = LazyModule("cupy.cuda.nccl")
_ASKED = 256  # looks at an event between two looks at the communicator
INSTEAD = "or let MPI carry copies in the memory of the host with Mesh(…, transport='mpi')"


class Carrier:
    """NCCL of one process: which devices there are, and new communicators.

    Args:
        cupy: the module; NCCL itself is loaded when `nccl` is first asked for.
    """

    name = "NCCL"

    def __init__(self, cupy):
        self.cupy, self.cuda = cupy, cupy.cuda

    @cached_property
    def nccl(self):
        """The module.

        Raises:
            BackendError: there is no device.
            MissingLibraryError: this CuPy has no NCCL.
        """
        if not self.devices():
            raise BackendError("arrays of CuPy travel between processes by NCCL, from GPU to GPU, but CuPy finds no "
                               f"CUDA device in this process; start it where there is one, {INSTEAD}{at_user_line()}")
        try:
            nccl = loaded(_NCCL)
            why = None if nccl.available else "its library libnccl was not found"
        except ImportError as error:
            nccl, why = None, str(error)
        if why is not None:
            version = getattr(self.cupy, "__version__", "of unknown version")
            raise MissingLibraryError(f"arrays of CuPy travel between processes by NCCL, but this CuPy ({version}) has "
                                      f"none: {why}; install it (pip install nvidia-nccl-cu12, or conda install nccl; "
                                      f"there is none for Windows), {INSTEAD}{at_user_line()}")
        return nccl

    def start(self):
        """Load NCCL, or raise what `nccl` raises."""
        return self.nccl

    @property
    def error(self):
        """The exception of NCCL."""
        return self.nccl.NcclError

    def devices(self):
        """The number of devices visible to this process."""
        return self.cuda.runtime.getDeviceCount() if self.cuda.is_available() else 0

    def current(self):
        """The device on which arrays are made now."""
        return self.cuda.runtime.getDevice()

    def use(self, device):
        """Make arrays on this device from now on."""
        self.cuda.Device(device).use()

    def device_of(self, x):
        """The number of the device that holds an array."""
        return x.device.id

    def identity(self, device):
        """The PCI bus id of a device, which does not depend on how a process numbers devices."""
        return self.cuda.Device(device).pci_bus_id

    def sums(self, dtype):
        """Tell whether sums and, of real ones, extremes of arrays of this dtype are made on the way."""
        return self.type(dtype) is not None

    def type(self, dtype):
        """`(NCCL's number of a dtype, how many of those make one element)`, None where it has none."""
        if dtype.name == "bfloat16":
            number = getattr(self.nccl, "NCCL_BFLOAT16", None)
            return None if number is None else (number, 1)
        known = _TYPES.get(f"{dtype.kind}{dtype.itemsize}")
        return known and (getattr(self.nccl, f"NCCL_{known[0]}"), known[1])

    def unique_id(self):
        """The unique id that all ranks of a new communicator share, as integers."""
        return np.array(list(self.nccl.get_unique_id()), np.int64)  # bytes; before CuPy 14 a tuple of integers

    def connect(self, size, unique_id, rank, device):
        """A communicator; returns when all of its ranks have called this."""
        with self.cuda.Device(device):
            key = unique_id.tolist()
            try:
                comm = self.nccl.NcclCommunicator(size, bytes([k % 256 for k in key]), rank)
            except TypeError:  # before CuPy 14
                comm = self.nccl.NcclCommunicator(size, tuple(key), rank)
        return Link(self, comm, device)


class Link:
    """A communicator. Each call puts work on the current stream, or on one `aside`, and returns at once."""

    def __init__(self, carrier, comm, device):
        self.carrier, self.comm, self.device = carrier, comm, device
        self.nccl, self.cuda = carrier.nccl, carrier.cuda
        self.bytes = self.nccl.NCCL_UINT8
        self.stream = None

    def reduce_all(self, x, out, op="SUM", aside=False):
        """The sum or extreme over ranks, in `out`."""
        number, each = self.carrier.type(x.dtype)
        op = getattr(self.nccl, f"NCCL_{op}")
        return self._put((x, out), aside, lambda stream: self.comm.allReduce(
            x.data.ptr, out.data.ptr, x.size * each, number, op, stream))

    def reduce_scatter(self, x, out):
        """Of the sum over ranks, the part along the first axis that belongs to this one."""
        number, each = self.carrier.type(x.dtype)
        return self._put((x, out), False, lambda stream: self.comm.reduceScatter(
            x.data.ptr, out.data.ptr, out.size * each, number, self.nccl.NCCL_SUM, stream))

    def gather_all(self, x, out):
        """The bytes of all ranks, one after the other."""
        return self._put((x, out), False, lambda stream: self.comm.allGather(
            x.data.ptr, out.data.ptr, x.nbytes, self.bytes, stream))

    def broadcast(self, x, out):
        """The bytes of the first rank."""
        return self._put((x, out), False, lambda stream: self.comm.broadcast(
            x.data.ptr, out.data.ptr, x.nbytes, self.bytes, 0, stream))

    def exchange(self, sent, received):
        """The bytes of arrays from rank to rank: pairs of an array and the other rank."""
        def put(stream):
            self.nccl.groupStart()
            try:
                for x, rank in sent:
                    self.comm.send(x.data.ptr, x.nbytes, self.bytes, rank, stream)
                for out, rank in received:
                    self.comm.recv(out.data.ptr, out.nbytes, self.bytes, rank, stream)
            finally:
                self.nccl.groupEnd()

        return self._put([x for x, _ in (*sent, *received)], False, put)

    def abort(self):
        """End what is under way, and the communicator."""
        self.comm.abort()

    def _put(self, arrays, aside, call):
        """Put work on a stream behind all that is on the current one; what says when it is done."""
        cuda = self.cuda
        with cuda.Device(self.device):
            stream = cuda.get_current_stream()
            if aside:
                if self.stream is None:
                    self.stream = cuda.Stream(non_blocking=True)
                ready = cuda.Event(disable_timing=True)
                ready.record(stream)
                self.stream.wait_event(ready)
                stream = self.stream
            call(stream.ptr)
            done = cuda.Event(disable_timing=True)
            done.record(stream)
        return Pending(self.comm, done, arrays)


class Pending:
    """Work on a stream, asked for its end as a request of MPI is. It keeps the arrays alive that it works on."""

    __slots__ = ("comm", "event", "arrays", "asked")

    def __init__(self, comm, event, arrays):
        self.comm, self.event, self.arrays, self.asked = comm, event, arrays, 0

    def Test(self):  # noqa: N802 - as mpi4py has it
        """Tell whether it is done; raises what NCCL found wrong in the meantime."""
        self.asked += 1
        done = self.event.done
        if done or not self.asked % _ASKED:
            self.comm.check_async_error()
        return done
