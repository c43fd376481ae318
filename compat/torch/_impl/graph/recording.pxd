cimport cython

from .....core.slots cimport Node, TracerSlots
from ..types.blank cimport blank_node

@cython.locals(node=Node)
cpdef Node noted(object rule, object parents, object saved)
@cython.locals(out=TracerSlots)
cpdef TracerSlots boxed(object owner, object value, object node, object aval)
