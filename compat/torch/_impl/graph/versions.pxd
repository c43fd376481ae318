from ..types.ndarrays cimport key_of, owner

cdef class Written:
    cdef public object ref
    cdef public list stamps
    cdef public long count

    cpdef object note(self, object stamp)

cpdef object root_of(object array)
cpdef object new_stamp()
cpdef object numbered()
cpdef object note(object array)
cpdef bint exposed(object array) except -1
cpdef object version(object array)
