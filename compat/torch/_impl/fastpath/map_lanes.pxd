from ..types.tensor_slots cimport TensorSlots
from ..state.makers cimport above, made

cpdef bint plain(object x) except -1
