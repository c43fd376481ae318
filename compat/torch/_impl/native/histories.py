"""Tell whether the history of a tensor is up to date, as far as native code sees."""

from .language.words import (
    NULL,
    Bool,
    Borrowed,
    Int,
    Object,
    PyDict_GetItemWithError,
    PyDict_Size,
    PyLong_AsSsize_t,
    PyLong_FromVoidPtr,
    PyTuple_Size,
)
from .objects import RECORDING, has_history, is_tensor, numpy_array, root
from .things import EXPOSED, FAST, INFERENCE, VIEW, WRITTEN, is_current, untangled


def version(given: Object) -> Int:
    """How often the memory of an array was written to."""
    if PyDict_Size(WRITTEN) == 0:
        return 0
    known = PyDict_GetItemWithError(WRITTEN, PyLong_FromVoidPtr(root(given)))
    return 0 if known is NULL else PyLong_AsSsize_t(known.count)


def exposed(x: Object) -> Bool:
    """Tell whether NumPy arrays of `.numpy()` may share an array's memory."""
    if PyDict_Size(EXPOSED) == 0:
        return False
    return PyDict_GetItemWithError(EXPOSED, PyLong_FromVoidPtr(root(x))) is not NULL


def untouched(meta: Object) -> Bool:
    """Tell whether a record has no tangent, and its tensor did not change its shape in place."""
    return meta is None or (meta.tangent is None and PyTuple_Size(meta.relaid) == 0)


def current(t: Object, now: Int) -> Bool:
    """Tell whether a view of floats is seen to have an up-to-date history and no tangent; else Python may know more."""
    meta = t.autograd_meta
    if meta.tangent is not None:
        return False
    base = meta.base
    if not untouched(base.autograd_meta):
        return False
    if now != RECORDING:
        return True
    if exposed(t.value):
        return False
    if t.node is None:  # where its base has no history either, there is none to bring up to date
        return base.node is None and base.wants_grad is False
    return version(t.value) == PyLong_AsSsize_t(meta.attr_version)


def usable(t: Object, now: Int) -> Bool:
    """Tell whether a tensor is a plain one of floats whose history is up to date.

    Python is asked of views where `current` does not see that.
    """
    key = t.dispatch_key
    if key is FAST:
        return True
    if key is VIEW:
        if current(t, now):
            return True
        return is_current(t) is True if now == RECORDING else untangled(t) is True
    return key is INFERENCE and now != RECORDING


def unrecorded(t: Object) -> Bool:
    """Tell whether a tensor is an ambient one of floats without history and tangent, made where all is recorded."""
    if not is_tensor(t):
        return False
    if t.level_trace is not None or has_history(t):
        return False
    if t.dispatch_key is FAST:
        return True
    if t.dispatch_key is not VIEW:
        return False
    return current(t, RECORDING) and t.autograd_meta.creation is None


def plain(t: Object, now: Int) -> Bool:
    """Tell whether an object is a tensor, and `usable`."""
    return is_tensor(t) and usable(t, now)


def plain_array(t: Object, now: Int) -> Borrowed:
    """The array of a plain tensor, if it is one of NumPy's; else null."""
    if not plain(t, now):
        return NULL
    return numpy_array(t)
