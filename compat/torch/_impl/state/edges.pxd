cimport cython

from .....core.slots cimport Node
from ..types.blank cimport blank_node
from ..types.record_slots cimport Record
from ..types.tensor_slots cimport TensorSlots

cpdef object edge(TensorSlots t)
@cython.locals(node=Node)
cpdef object accumulator(TensorSlots t, object kind=*)
cpdef object refresh(TensorSlots t)
cpdef bint is_current(TensorSlots t) except -1
cpdef bint untangled(TensorSlots t) except -1
