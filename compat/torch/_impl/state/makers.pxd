from .edges cimport accumulator
from ..types.blank cimport blank
from ..types.tensor_slots cimport TensorSlots
from .plain cimport current

cpdef int road(object m) except -1
cpdef bint usable(object x, int way) except -1
cpdef bint of_floats(object x) except -1
cpdef object history(TensorSlots t)
cpdef object number(object c, object dtype)
cpdef TensorSlots tensor_of(object value, object node, object meta, object trace, int key)
cpdef TensorSlots made(object array, object node)
cpdef TensorSlots inferred(object array)
cpdef TensorSlots result(object v, object node, int way)
cpdef TensorSlots above(object trace, object t)
