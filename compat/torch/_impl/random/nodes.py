"""The nodes of operations that draw samples: PyTorch's names of them, and gradients that are zeros."""

import numpy as np

from ..dispatch.lowering import lifted
from ..dispatch.signatures import camel
from ..modes.modes import modes
from ..types.tensor_type import TensorBase, needs_grad
from ..values.core_values import lower
from ..views.views import EXPAND, UPDATE


def with_node(samples, name, *parameters):
    """Samples as an output of PyTorch's node, whose gradients are zeros, if a parameter requires grad."""
    tensors = [p for p in parameters if isinstance(p, TensorBase)]
    if not (modes().grad and samples.level_trace is None and any(p.level_trace is None and needs_grad(p)
                                                                 for p in tensors)):
        return samples
    v = lower(samples)
    for p in tensors:
        if needs_grad(p):
            x = lower(p)
            x = x if x.dtype == v.dtype else x.astype(v.dtype)
            x = x if tuple(x.shape) == tuple(v.shape) else EXPAND.fun(x, tuple(v.shape))
            v = UPDATE.fun(x, v, Ellipsis, False, False)
    return lifted(v, name, tensors)


def node_of(name, args, named):
    """PyTorch's name of the node of an operation that fills with samples."""
    number = 0
    if name == "bernoulli_":
        number = 1 if any(isinstance(p, TensorBase | np.ndarray) for p in (*args, *named.values())) else 2
    elif name == "random_":
        number = 2 - len(args) - len(named)
    return camel(name.rstrip("_"))[:-1] + str(number)
