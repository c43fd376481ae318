"""Registration of 0-d traced values with the `numbers` ABCs, where they stand for scalars."""

import numbers
import sys

import numpy as np

from ..errors import ConversionError, at_user_line


class _Length:
    """`__len__` that values which stand for numbers do not have, as `hasattr` asks."""

    def __init__(self, length):
        self.length = length

    def __get__(self, traced, kind=None):
        if traced is None:
            return self.length
        # A LengthError is an AttributeError too, so `hasattr(x, '__len__')` is False, as of a Python number.
        if not traced.shape and traced.__class__ is not kind:
            raise LengthError("len() of a traced 0-d array: it has no axis to count; use .size or .reshape(-1)"
                              f"{at_user_line()}")
        return self.length.__get__(traced, kind)


class LengthError(TypeError, AttributeError):
    """A number was asked for its length."""


def length(traced):
    """The length of the first axis."""
    shape = traced.shape
    if not shape:
        raise TypeError("len() of a traced 0-d array: it has no axis to count; use .size or .reshape(-1)"
                        f"{at_user_line()}")
    return shape[0]


class Scalar:
    """A mixin of traced values: one without axes is an instance of the class of `numbers` that the value is of.

    Untraced code tells numbers from arrays by `np.isscalar` and `isinstance(x, numbers.Real)`, and both take another
    branch. Both look at `__class__`, as does every `isinstance` that the type itself does not settle. Python's own
    `float`, and NumPy's classes, are not claimed: their code reads memory that a traced value does not have.
    """

    __slots__ = ()

    @property
    def __class__(self):
        kind = type(self)
        return kind if self.aval.shape else _CLASSES.get(_number_of(self), kind)

    @__class__.setter
    def __class__(self, kind):
        _set_class(self, kind)

    __len__ = _Length(length)


_set_class = object.__dict__["__class__"].__set__


class _OfNumbers(type):
    """The class of these classes: `functools.singledispatch` asks for `__mro__` where it has no function for one."""

    @property
    def __mro__(cls):
        asking = sys._getframe(1)
        if asking.f_globals.get("__name__") == "functools":
            types = [t for t in asking.f_locals.get("types", ()) if t is not object]
            lost = [t for t in types if any(issubclass(number, t) for number in cls.stands_for)]
            if lost and not any(issubclass(cls, t) for t in types):
                raise ConversionError(
                    f"functools.singledispatch has a function for {lost[0].__name__}, and was given a traced number, "
                    f"which is none; register it for numbers.{cls.__name__[6:]}{at_user_line()}")
        return type.__dict__["__mro__"].__get__(cls)


class TracedNumber(metaclass=_OfNumbers):
    """Stands for the class of a traced number, as `__class__`; `type` gives its own."""

    stands_for: tuple[type, ...] = ()


class TracedComplex(TracedNumber):
    """Stands for the class of a traced complex number."""

    stands_for = complex, np.complex128, np.complex64


class TracedReal(TracedNumber):
    """Stands for the class of a traced real number."""

    stands_for = float, np.float64, np.float32


class TracedIntegral(TracedNumber):
    """Stands for the class of a traced integer."""

    stands_for = int, np.int64, np.int32


numbers.Complex.register(TracedComplex)
numbers.Real.register(TracedReal)
numbers.Integral.register(TracedIntegral)
_CLASSES = {"c": TracedComplex, "f": TracedReal, "i": TracedIntegral, "u": TracedIntegral, "b": TracedIntegral}


def _number_of(traced):
    """The kind of the number that a traced value stands for; None where it stands for an array, or a `np.bool_`."""
    aval, inner = traced.aval, traced
    while isinstance(inner, Scalar):
        if inner.owner.is_array(inner):
            return None
        value = inner.value
        if value is None or getattr(value, "ndim", 0) > inner.aval.ndim:  # staged, or one of each example
            break
        inner = value
    else:
        if type(inner) is np.ndarray:
            return None
    kind = aval.dtype.kind
    return None if kind == "b" and not aval.weak else kind
