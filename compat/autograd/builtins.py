"""autograd.builtins: Python's containers, which covector's transforms take as they are, and types of traced values."""

from ._impl.missing import refusing
from ._impl.spaces import ContainerVSpace as ContainerVSpace
from .tracer import getval

isinstance_, type_ = isinstance, type
tuple_, list_, dict_ = tuple, list, dict
tuple, list, dict = tuple, list, dict  # noqa: PLW0127 - names of this module
SequenceVSpace = ListVSpace = TupleVSpace = DictVSpace = NamedTupleVSpace = ContainerVSpace


def isinstance(instance, class_or_tuple):
    """Whether a value is of a type; a traced one, whether its value is.

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


_PLAIN = "traced functions receive ordinary tuples, lists and dicts: use them as they are"
__getattr__ = refusing("builtins", dict_.fromkeys(
    ["SequenceBox", "DictBox", "container_take", "container_untake", "sequence_extend_left", "sequence_extend_right",
     "make_sequence", "grad_container_take", "grad_sequence_extend_left", "grad_sequence_extend_right",
     "fwd_grad_make_sequence", "TupleMeta", "ListMeta", "DictMeta"], _PLAIN))
