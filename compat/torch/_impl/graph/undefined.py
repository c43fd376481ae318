"""UNDEFINED: the cotangent that torch calls undefined; DECLINED: no cotangent, a quick road gave way."""


class Undefined:
    """The cotangent that torch calls undefined: it reached a node, and carries nothing."""

    __slots__ = ()
    __array_ufunc__ = None
    absent = True

    def __add__(self, other):
        return other

    __radd__ = __add__

    def __repr__(self):
        return "UNDEFINED"


UNDEFINED = Undefined()
DECLINED = object()
