from ..state.edges cimport accumulator, edge, untangled
from ..types.tensor_slots cimport TensorSlots

cpdef tuple operand(object x, object trace)
cpdef bint bare(TensorSlots t) except -1
cpdef bint is_untracked(TensorSlots t) except -1
