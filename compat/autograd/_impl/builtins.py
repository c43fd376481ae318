"""autograd.builtins: tuples, lists and dicts, which transforms take as they are, and types of traced values."""

from .spaces import ContainerVSpace as ContainerVSpace
from .tracer import getval

isinstance_, type_ = isinstance, type
tuple_, list_, dict_ = tuple, list, dict
SequenceVSpace = ListVSpace = TupleVSpace = DictVSpace = NamedTupleVSpace = ContainerVSpace


def isinstance(instance, class_or_tuple):
    """Tell whether a value is of a type; a traced one, whether its value is.

    >>> import numpy as np
    >>> from covector.compat.autograd import grad
    >>> from covector.compat.autograd.builtins import isinstance
    >>> grad(lambda x: np.sum(x) if isinstance(x, np.ndarray) else 2 * x)(np.ones(2))
    array([1., 1.])
    """
    return isinstance_(instance, class_or_tuple) or isinstance_(getval(instance), class_or_tuple)


def type(x):
    """The type of a value; of a traced one, that of its value.

    >>> from covector.compat.autograd.builtins import type
    >>> type([1.0])
    <class 'list'>
    """
    return type_(getval(x))


class _OfContainers(type_):
    """The type of classes whose instances are Python's own tuples, lists and dicts."""

    def __instancecheck__(cls, instance):
        return isinstance_(instance, cls.kinds)

    def register(cls, value_type):
        """Nothing: covector.tree.register says what arrays a class is made of."""


class SequenceBox(metaclass=_OfContainers):
    """Tuples and lists, which traced functions receive as they are."""

    kinds = (tuple_, list_)


class DictBox(metaclass=_OfContainers):
    """Dicts, which traced functions receive as they are."""

    kinds = (dict_,)


class tuple(tuple_, metaclass=_OfContainers):
    """Python's tuple, by a class of its own: registries of trees know both."""

    kinds = (tuple_,)

    def __new__(cls, xs=()):
        return tuple_(xs)


class list(list_, metaclass=_OfContainers):
    """Python's list, by a class of its own."""

    kinds = (list_,)

    def __new__(cls, xs=()):
        return list_(xs)


class dict(dict_, metaclass=_OfContainers):
    """Python's dict, by a class of its own."""

    kinds = (dict_,)

    def __new__(cls, *args, **kwargs):
        return dict_(*args, **kwargs)
