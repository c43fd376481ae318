cimport cython

from .....core.slots cimport Node

@cython.locals(seen=set, order=list, node=Node, parent=Node)
cpdef bint walk(list stack, set targets, dict outputs, set needed, set runs, bint every) except -1
@cython.locals(parent=Node)
cpdef bint any_in(tuple parents, set needed) except -1
cpdef object _age(Node node)
