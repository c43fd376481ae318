cpdef object root_of(object array)
cpdef object note(object array)
cpdef bint exposed(object array) except -1
cpdef object version(object array)
