cdef class RecordSlots:
    cdef public object base, steps, creation, tangent, forward_base, put, relaid
    cdef public long attr_version
    cdef public bint inference
