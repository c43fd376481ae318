from .tensor_slots cimport TensorSlots

cpdef TensorSlots blank(type kind)
