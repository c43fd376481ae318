from ..state.edges cimport is_current, untangled
from ..types.record_slots cimport Record
from ..types.tensor_slots cimport TensorSlots

cpdef object key_of(object args, object kwargs, object m, object blind, list tensors)
cpdef bint described(object args, list key, list tensors, bint recording, object blind) except -1
cpdef bint described_by_name(object kwargs, list key, list tensors, bint recording, object blind) except -1
cpdef bint whole(object t, bint recording) except -1
cpdef bint settled(object t, bint recording, object blind) except -1
cpdef bint here(object t, bint recording) except -1
