"""What programs call in native code: a tensor of an array, a node of a rule, a value of the tape."""

from .language.words import PyType_GenericAlloc, filled, lane
from .objects import node, tensor, tensor_of
from .things import GENERAL, Ambient


@lane
def made(array, its_node):
    """A tensor."""
    return tensor(array, its_node, False)


@lane
def general(array, its_node):
    """A tensor of another dtype than float32 and float64."""
    return tensor_of(array, its_node, None, GENERAL)


@lane
def inferred(array):
    """A tensor of inference mode."""
    return tensor(array, None, True)


@lane
def noted(rule, parents, saved):
    """A node."""
    return node(rule, parents, saved)


@lane
def boxed(owner, value, its_node, aval):
    """A value of the tape without a tangent."""
    return filled(PyType_GenericAlloc(Ambient, 0), boxed_owner=owner, boxed_value=value, boxed_node=its_node,
                  boxed_aval=aval, boxed_tangent=None)
