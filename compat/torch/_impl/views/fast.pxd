from .....core.slots cimport AvalSlots
from ..types.ndarrays cimport in_order, laid, number, of_shape, reshaped
from ..types.record_slots cimport Record
from ..types.tensor_slots cimport TensorSlots
from ..state.edges cimport edge
from ..graph.recording cimport noted
from ..state.makers cimport history, tensor_of
from ..state.plain cimport (
    bare, bottom_of, current, place, records, simple, untouched, view_record)

cimport cython

@cython.freelist(16)
cdef class Plan:
    cdef public object behind, beside, kept, layout, lies, maker, param, parts, prim, rule, shape, step
    cdef public bint shared
    cdef public int what

cpdef Plan plan_of(object prim, object param, object rule, int what, object beside)
cpdef object planned(dict known, dict newest, object plans, object t, tuple given)
cpdef object view_of(object t, object plan)
cpdef object ambient_view(object t, object m, bint recording, object plan)
cpdef object saved_by(object plan, object x, int front)
cpdef object level_view(object t, object plan)
cpdef object behind_examples(object prim, object param, object size)
cpdef object array_of(object x, object plan)
cpdef object read(object t, object key)
cpdef object shape_of(object t)
cpdef object parted(object t, object plan)
cpdef bint alone(object t) except -1
@cython.locals(aval=AvalSlots)
cpdef AvalSlots aval_here(object x)
