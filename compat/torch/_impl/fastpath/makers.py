"""What lanes make: tensors and nodes, natively where there is native code. Ask for them here: names are replaced."""

import functools

from ..... import _engine
from ..graph.node import noted as noted
from ..native import functions as native
from ..types.tensor_type import FAST, INFERENCE, INFERRED, Tensor, new


def made(array, node):
    """A tensor."""
    out = new(Tensor)
    out.value = array
    out.node = node
    out.autograd_meta = out.level_trace = None
    out.wants_grad = False
    out.dispatch_key = FAST
    return out


def inferred(array):
    """A tensor of inference mode."""
    out = made(array, None)
    out.autograd_meta = INFERRED
    out.dispatch_key = INFERENCE
    return out


for _name in ("made", "inferred", "noted"):
    _engine.small_item(globals(), _name, functools.partial(native.function, symbol=_name))
