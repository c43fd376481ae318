"""Copies and casts, with the memory sharing of their NumPy equivalents."""

import numpy as np

from ..checks import check_options
from ..errors import DtypeError, at_user_line
from ..ops import selection
from ..ops.indexing.places import duplicate
from ..trace.buffers import Buffer, make_buffer
from ..trace.device import as_element
from ..trace.tracer import Tracer


def astype(x, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """`x` in `dtype`; the very same where that is its own and `copy` is false."""
    if casting != "unsafe" or order != "K" or subok is not True or copy is not True:
        check_options({"order": order, "casting": casting, "subok": subok, "copy": copy})
        if not np.can_cast(x.dtype, dtype, casting):
            raise DtypeError(f"astype was asked for {np.dtype(dtype)}, to which {x.dtype} is not cast by "
                             f"casting={casting!r}; omit casting, or ask for another dtype{at_user_line()}")
    return x if not copy and x.dtype == dtype else selection.astype(x, dtype)


def copy(x):
    """A boxed copy that may be written to, in the order of the axes."""
    return make_buffer(x, ordered=True)


def copied(x):
    """`x` in memory of its own, where NumPy copies."""
    return make_buffer(x) if type(x) is Buffer else duplicate(x)


def cast_for_write(buffer, value):
    """`value` in the dtype of the buffer, as NumPy casts on assignment; a derivative is never cast away."""
    if not isinstance(value, Tracer):
        return as_element(value, buffer.dtype)
    if type(value) is Buffer:
        value = value.read()  # it may be the very buffer that is written to
        if not isinstance(value, Tracer):
            return as_element(value, buffer.dtype)
    have, want = value.dtype, buffer.dtype
    if have == want:
        return value
    # NumPy would cast, with a warning at most; a derivative lost in silence is worse than an error.
    if have.kind in "fc" and (want.kind in "biu" or have.kind == "c" and want.kind == "f"):
        raise DtypeError(f"a traced value of dtype {have} was written into an array of dtype {want}, which would drop "
                         f"its derivative; make the buffer with dtype={have}{at_user_line()}")
    return selection.astype(value, want)


def cast_in_place(contents, new, casting):
    """The result of an in-place operation in the dtype of the array, where NumPy would cast it to that."""
    have, want = new.dtype, contents.dtype
    if have.kind in "biu" and not np.can_cast(have, want, casting):
        raise DtypeError(f"an in-place operation gives {have}, which NumPy does not cast to the {want} of the array; "
                         f"write x = x + y, or make the array with dtype={have}{at_user_line()}")
    return cast_for_write(contents, new) if isinstance(new, Tracer) else new.astype(want, copy=False)


def unshared(x):
    """`x`, computed by views alone, of which one had to copy."""
    if isinstance(x, Tracer) and x.owner is not None:
        x.state = None
    return x
