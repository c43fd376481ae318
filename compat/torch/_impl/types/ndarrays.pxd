cpdef bint in_order(x) except -1
cpdef bint dense(x) except -1
cpdef bint writes(x) except -1
cpdef bint alike(x, y) except -1
cpdef object owner(x)
cpdef object reshaped(x, shape)
cpdef object laid(x, by)
cpdef bint of_shape(x, shape) except -1
cpdef bint floats(x) except -1
cpdef object key_of(x)
cpdef object filled(x, v)
cpdef object copied(x, v)
cpdef object number(x)
cpdef bint within(tuple key, tuple shape) except -1
cpdef bint same(x, y) except -1
