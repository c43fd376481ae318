from ..types.tensor_slots cimport TensorSlots
from .makers cimport above, made

cpdef bint plain(object x) except -1
