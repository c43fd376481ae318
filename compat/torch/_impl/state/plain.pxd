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
cpdef bint simple(slice s) except -1
@cython.locals(axis=int, cut=slice)
cpdef object place(tuple key, tuple shape)
