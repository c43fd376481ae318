from .....core.slots cimport Node
from .tensor_slots cimport TensorSlots

cpdef TensorSlots blank(object kind)
cpdef Node blank_node(object kind)
