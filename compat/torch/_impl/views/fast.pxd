from ..types.record_slots cimport RecordSlots
from ..types.tensor_slots cimport TensorSlots
from ..state.edges cimport edge
from ..graph.recording cimport noted
from ..state.makers cimport history, tensor_of
from ..state.plain cimport (
    bare, bottom_of, current, place, records, simple, untouched, view_record)

cpdef object view_of(object t, object prim, object param, object rule, int what, object beside, object maker=*)
cpdef object ambient_view(object t, object m, bint recording, object prim, object param, object rule, int what, object beside, object maker)
cpdef object level_view(object t, object prim, object param, object rule, int what, object beside, object maker)
cpdef object behind_examples(object prim, object param, object size)
cpdef object source_aval(object t)
cpdef object array_of(object x, object prim, object param, object maker)
cpdef object read(object t, object key)
cpdef object shape_of(object t)
cpdef object indexed(object t, object index, object title)
cpdef object sizes_of(object given)
cpdef bint alone(object t) except -1
