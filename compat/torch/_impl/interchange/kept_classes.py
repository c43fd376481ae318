"""Pickled state of a tensor besides its elements: its class and its attributes."""

import pickle
from collections import OrderedDict

from ..types.parameter import Parameter
from ..types.tensor_type import Tensor, TensorBase


def own_pickle(kind):
    """Tell whether a class of tensors says itself how it is pickled."""
    return kind.__reduce__ not in (Tensor.__reduce__, Parameter.__reduce__) or (
        kind.__reduce_ex__ is not object.__reduce_ex__)


def state_of(t):
    """The pickled state of a tensor: the argument of the class's `__setstate__`, or its attributes, or None."""
    get = type(t).__getstate__ if hasattr(type(t), "__getstate__") else object.__getstate__
    return (t.__dict__ or None) if get is getattr(object, "__getstate__", None) else get(t)


def rebuilt_parameter(data, requires_grad, hooks, state=None):
    """A parameter that was read, with its attributes."""
    return with_state(Parameter(data, requires_grad), state)


def rebuilt_of_class(make, kind, args, state):
    """A tensor of a class that was read, with its attributes."""
    if not isinstance(kind, type) or not issubclass(kind, TensorBase):
        raise pickle.UnpicklingError(f"load() got {kind!r} as the class of a tensor")
    t = make(*args)
    return with_state(t if type(t) is kind else t.as_subclass(kind), state)


def with_state(t, state):
    """A tensor with the attributes that a file has for it."""
    if hasattr(type(t), "__setstate__"):
        t.__setstate__(state)
    elif state:
        if type(state) not in (dict, OrderedDict):
            raise pickle.UnpicklingError(f"load() got a {type(state).__name__} as the attributes of a tensor")
        t.__dict__.update(state)
    return t
