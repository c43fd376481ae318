"""What the stand-in for NCCL refuses, or makes visible, one by one."""

import sys

import numpy as np
from on_devices import cupy_or_stand_in

cupy = cupy_or_stand_in()

import strict  # noqa: E402

nccl = cupy.cuda.nccl
comm = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
x, out = cupy.asarray(np.ones(4)), cupy.empty(4)
NULL = cupy.cuda.get_current_stream()
F64, F32 = nccl.NCCL_FLOAT64, nccl.NCCL_FLOAT32


def refused(words, call, *args):
    try:
        call(*args)
    except (nccl.NcclError, AssertionError, RuntimeError) as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{words!r} was not refused")


def reduced(a=x, b=out, count=4, dtype=F64, stream=NULL):
    comm.allReduce(a.data.ptr, b.data.ptr, count, dtype, nccl.NCCL_SUM, stream.ptr)


refused("is no memory of a device", comm.allReduce, np.ones(4).ctypes.data, out.data.ptr, 4, F64, 0, 0)
refused("are not the 32 bytes", reduced, x, out, 3)
refused("are not the 32 bytes", reduced, x, out, 8)
refused("are not the", reduced, cupy.asarray(np.ones(8))[::2])
refused("are not the 32 bytes", reduced, x, out, 4, F32)
refused("sent as INT64", reduced, x, out, 4, nccl.NCCL_INT64)
refused("datatype 77", reduced, x, out, 4, 77)
refused("peer 1", comm.send, x.data.ptr, 4, F64, 1, 0)
refused("outside of a group", comm.send, x.data.ptr, 4, F64, 0, 0)
refused("groupEnd without groupStart", nccl.groupEnd)
nccl.groupStart()
refused("in a group of sends", reduced)
nccl.groupEnd()
with cupy.cuda.Device(1):
    refused("the current device 1", reduced)
    there = strict.Array(np.ones(4))
refused("an array on 1", reduced, there)
refused("invalid device ordinal", cupy.cuda.Device, 9)
aside = cupy.cuda.Stream(non_blocking=True)
refused("without waiting", reduced, x, out, 4, F64, aside)
ready = cupy.cuda.Event()
ready.record()
aside.wait_event(ready)
reduced(stream=aside)
done = cupy.cuda.Event()
done.record(aside)
assert (out.get() != 1).all()  # rubbish until somebody waits
while not done.done:
    pass
assert (out.get() == 1).all()
gone = cupy.empty(4)
reduced(x, gone)
done.record()
del gone
refused("was freed", lambda: any(iter(lambda: done.done, True)))
comm.abort()
refused("aborted", reduced)
refused("aborted", comm.check_async_error)
sys.stdout.write("all refused\n")
