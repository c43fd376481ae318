"""Cotangents that are a function which adds them to a buffer: autograd's SparseObject."""


class SparseObject:
    """A cotangent given by `mut_add(zeros) -> zeros with it added`, in the vector space `vs`."""

    __slots__ = ("vs", "mut_add")

    def __init__(self, vs, mut_add):
        self.vs = vs
        self.mut_add = mut_add


def dense(ct):
    """A cotangent as an array."""
    return ct.mut_add(ct.vs.zeros()) if type(ct) is SparseObject else ct
