# cython: language_level=3
"""A tensor without its constructor."""

from .tensor_slots cimport TensorSlots

cdef extern from *:
    """
    #define MADE_BY(base, kind, given) ((PyTypeObject *)(base))->tp_new((PyTypeObject *)(kind), given, NULL)
    """
    object MADE_BY(object base, object kind, tuple given)


cpdef TensorSlots blank(object kind):
    """A tensor of a class, whose fields are to be set."""
    return <TensorSlots>MADE_BY(TensorSlots, kind, ())
