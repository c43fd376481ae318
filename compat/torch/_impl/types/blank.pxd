from .tensor_slots cimport TensorSlots

cpdef TensorSlots blank(object kind)
