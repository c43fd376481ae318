cimport cython

from ..types.ndarrays cimport within
from ..types.record_slots cimport Record
from ..types.tensor_slots cimport TensorSlots
from ..graph.versions cimport exposed, version
from .edges cimport refresh

cpdef bint records(object m) except -1
cpdef object bottom_of(object t)
cpdef bint untouched(object meta) except -1
cpdef bint current(object t, bint recording) except -1
cpdef bint bare(object t) except -1
cpdef bint hooked(object m) except -1
cpdef Record view_record(object t, object meta, object steps, object array)
cpdef bint simple(object s) except -1
@cython.locals(rank=int, axis=int)
cpdef object place(object key, object shape)
cpdef bint same(object part, object v) except -1
