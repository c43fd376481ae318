from ..slots cimport AvalSlots, Node, TracerSlots

cpdef Node make_node(object rule, object parents, object saved)
cpdef TracerSlots traced(object owner, object value, object aval, object node)
cpdef TracerSlots dual(object owner, object value, object aval, object tangent)
cpdef TracerSlots batched(object owner, object value, object aval)
cpdef TracerSlots recorded(object owner, object rule, object parents, object saved, object value, object like)
cpdef TracerSlots with_bias(object x, object y, object v)
