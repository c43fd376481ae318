cdef class Written:
    cdef public object ref, stamps
    cdef public long count

cpdef object root_of(object array)
cpdef object new_stamp()
cpdef object note(object array)
cpdef bint exposed(object array) except -1
cpdef object version(object array)
