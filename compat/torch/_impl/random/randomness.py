"""Random numbers under vmap: one draw for all examples or one for each."""

import numpy as np

from ..dispatch.lowering import lifted
from ..dispatch.signatures import camel
from ..factories.creation import new_leaf, to_meta
from ..modes.modes import MODES, grad_levels, modes
from ..state.levels import BatchTrace
from ..state.meta import is_meta, meta_tensor, on_device
from ..types.devices import CUDA, moved
from ..types.size import CPU
from ..types.tensor_type import TensorBase, at_level, bottom, needs_grad
from ..values.core_values import lower
from ..views.views import EXPAND, UPDATE


def maps_of(t):
    """The running vmaps that a tensor is a value of."""
    found = []
    while isinstance(t, TensorBase):
        if isinstance(t.level_trace, BatchTrace) and not t.level_trace.done:
            found.append(t.level_trace)
        t = t.value
    return found


def drawn_apart(*parameters):
    """The running vmaps whose examples get numbers of their own, outermost first; refuses where `randomness` does."""
    maps = modes().maps
    for trace in maps:
        if trace.randomness == "error":
            raise RuntimeError("vmap: called random operation while in randomness error mode. Please either use the "
                               "'same' or 'different' randomness flags on vmap or perform the randomness operation out "
                               "of vmap")
        if trace.randomness == "same" and any(trace in maps_of(p) for p in parameters):
            raise RuntimeError("Vmap does not currently support same randomness with a batched tensor input. Please "
                               "file an issue with functorch")
    return [trace for trace in maps if trace.randomness == "different"]


def aligned(p, apart):
    """The array of a parameter with one axis in front for each of several vmaps; numbers stay."""
    if not isinstance(p, TensorBase):
        return p
    mine = maps_of(p)
    array = moved(bottom(p), CPU)
    index = tuple([slice(None) if trace in mine else None for trace in apart])
    shape = tuple([trace.size for trace in apart])
    rest = array.shape[len(mine):]
    return np.broadcast_to(array[index], (*shape, *rest)) if apart else array


def sample(draw, shape, dtype, *parameters, requires_grad=False, device=None):
    """A tensor of what `draw(shape, *parameters)` gives, of its own for each example where vmap asks for that.

    Args:
        draw: from a shape and arrays of parameters to an array.
        shape: of one example.
        dtype: NumPy's.
        parameters: tensors or numbers; those of tensors reach `draw` with the axes of the vmaps in front.
    """
    if device is None and ((m := MODES.get()) is None or m.still) and (
            not any(isinstance(p, TensorBase) for p in parameters)):
        return new_leaf(np.asarray(draw(shape, *parameters)).astype(dtype, copy=False), requires_grad)
    if to_meta(device) or any(isinstance(p, TensorBase) and is_meta(p) for p in parameters):
        return meta_tensor(shape, dtype, requires_grad)
    apart = drawn_apart(*parameters)
    lead = tuple([trace.size for trace in apart])
    if device is None and any(isinstance(p, TensorBase) and on_device(p) for p in parameters):
        device = CUDA
    numbers = np.asarray(draw((*lead, *shape), *[aligned(p, apart) for p in parameters])).astype(dtype, copy=False)
    t = new_leaf(numbers, requires_grad, device)
    if not apart:
        return t
    while isinstance(t.value, TensorBase):
        t = t.value
    for trace in sorted([*apart, *grad_levels(modes())], key=lambda trace: trace.level):
        t = at_level(trace, t)
    return t


# The nodes of operations that draw samples: PyTorch's names of them, and gradients that are zeros.


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
