from .call_key cimport key_of

cpdef object quick(object row, object args, object kwargs, object m)
