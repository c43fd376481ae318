cdef class TensorSlots:
    cdef public object autograd_meta, level_trace, node, value
    cdef public int dispatch_key
    cdef public bint wants_grad
    cdef object __weakref__
