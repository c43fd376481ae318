"""A communicator of NCCL with one rank, on one device: each call that covector makes, `[--real]`; needs no mpiexec."""

import sys
import time

import numpy as np
from on_devices import cupy_or_stand_in

cupy = cupy_or_stand_in()

from covector.backends.cupy_ import CUPY  # noqa: E402 - the library of the arrays is loaded first, as a user loads it


def finished(pending):
    end = time.monotonic() + 60
    while not pending.Test():
        assert time.monotonic() < end, "the work on the stream does not end"


def main():
    carrier = CUPY.carrier(cupy)
    assert carrier.devices() >= 1 and carrier.identity(0)
    carrier.use(0)
    key = carrier.unique_id()
    assert key.shape == (128,) and key.dtype == np.int64
    link = carrier.connect(1, key, 0, carrier.current())
    for name in "int8 uint8 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split():
        values = np.arange(6).reshape(2, 3).astype(name)
        x = cupy.asarray(values)
        assert carrier.device_of(x) == 0 and carrier.sums(x.dtype)
        for aside in (False, True):
            out = cupy.empty(x.shape, x.dtype)
            finished(link.reduce_all(x, out, aside=aside))
            assert np.array_equal(cupy.asnumpy(out), values), name
        if name[0] in "iu":
            for op in ("MAX", "MIN"):
                out = cupy.empty(x.shape, x.dtype)
                finished(link.reduce_all(x, out, op))
                assert np.array_equal(cupy.asnumpy(out), values), name
        for call in (link.reduce_scatter, link.gather_all, link.broadcast):
            out = cupy.empty(x.shape, x.dtype)
            finished(call(x, out))
            assert np.array_equal(cupy.asnumpy(out), values), (name, call)
        out = cupy.empty(x.shape, x.dtype)
        finished(link.exchange([(x[0], 0), (x[1], 0)], [(out[1], 0), (out[0], 0)]))
        assert np.array_equal(cupy.asnumpy(out), values[::-1]), name
        finished(link.exchange([], []))
    assert not any(carrier.sums(np.dtype(name)) for name in ("bool", "int16", "uint16"))
    link.abort()
    try:
        link.reduce_all(x, out)
    except carrier.error:
        sys.stdout.write("one device\n")
    else:
        raise AssertionError("a communicator that was ended did work")


main()
