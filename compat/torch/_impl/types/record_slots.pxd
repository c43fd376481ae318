cimport cython

@cython.freelist(256)
cdef class Record:
    cdef public object base, steps, creation, tangent, forward_base, put, relaid
    cdef public object grad, hooks, post, accumulator, cell, grad_dtype, forward_steps, mapped
    cdef public long attr_version, since
    cdef public bint inference, retains
