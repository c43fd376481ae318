from ..types.tensor_slots cimport TensorSlots
from .level_operands cimport operand
from ..graph.recording cimport noted
from ..state.makers cimport above, made

cpdef bint lives(object x, object trace) except -1
cpdef TensorSlots raised(object trace, object v)
cpdef object pushed(object out, object trace, object dv, object v, object tangents)
