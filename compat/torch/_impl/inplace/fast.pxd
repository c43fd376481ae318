cimport cython

from .....core.slots cimport Node
from ..types.record_slots cimport Record
from ..types.tensor_slots cimport TensorSlots
from ..state.edges cimport edge
from ..graph.recording cimport noted
from ..state.makers cimport history, tensor_of
from ..state.plain cimport (
    bare, current, hooked, place, records, untouched)
from ..graph.versions cimport exposed, note
from ..types.ndarrays cimport alike, copied, dense, filled, floats, owner, same, writes

@cython.freelist(8)
cdef class Target:
    cdef public object holder, node, tensor, x
    cdef public bint recorded, recording
    cdef public int front

cpdef Target target(object t, object m)
cpdef bint alone_below(object t) except -1
@cython.locals(node=Node)
cpdef bint unheard(object node) except -1
@cython.locals(node=Node)
cpdef bint silent(object node, bint recording) except -1
cpdef object operand(object value, object to)
cpdef bint fits(object value, object dtype) except -1
cpdef bint lies_elsewhere(object v, object x) except -1
cpdef object spot_of(object key, object x, int front)
cpdef bint put(object t, object key, object value) except -1
cpdef object wrote(object to)
cpdef bint assign(object t, object value, object rules) except -1

cdef class Write:
    cdef public object alike, names, needs, op, order, rules
    cdef public int kind, count
    cdef public bint closed, direct, saves

cpdef bint performed(object write, object t, tuple given, dict named) except -1
cpdef bint update(object t, object other, object write, object alpha) except -1
cpdef bint apply(object t, tuple numbers, object write) except -1
cpdef object history_of(object to, object rule, object parents, object q, object saved)
@cython.locals(node=Node, fn=Node, before=Node)
cpdef object through_view(object t, object base, object rule, object q, object saved)
cpdef Target opened(object t, object operands)
