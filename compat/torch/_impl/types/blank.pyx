# cython: language_level=3
"""A tensor, or a node, without its constructor."""

from .....core.slots cimport Node
from .tensor_slots cimport TensorSlots

cdef extern from *:
    """
    #define MADE_BY(base, kind, given) ((PyTypeObject *)(base))->tp_new((PyTypeObject *)(kind), given, NULL)
    """
    object MADE_BY(object base, object kind, tuple given)


cpdef TensorSlots blank(object kind):
    """A tensor of a class, whose fields are to be set."""
    return <TensorSlots>MADE_BY(TensorSlots, kind, ())


cpdef Node blank_node(object kind):
    """A node of a class, whose fields are to be set."""
    return <Node>MADE_BY(Node, kind, ())
