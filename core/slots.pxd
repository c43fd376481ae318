cimport cython

cdef class AvalSlots:
    cdef public object shape, dtype, ndim, size, strong, consts
    cdef public bint plain, weak

cdef class TraceSlots:
    cdef public object level
    cdef public bint masked, done
    cdef object __weakref__

cdef class TracerSlots:
    cdef public object owner, value, aval, node, tangent, state, link, radicand
    cdef object __weakref__

@cython.freelist(512)
cdef class Node:
    cdef public object extra, rule, parents, saved, seq
    cdef object __weakref__
