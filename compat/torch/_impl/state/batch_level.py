"""Running a function of the values of a batch: tensors go in with the batch axis in front, and come out so."""

from ..modes.modes import MODES, modes, restore, set_modes
from ..types.tensor_type import Tensor, TensorBase, at_level, more
from ..types.tensor_value import shape_dtype
from .levels import BatchTrace, alive


def within(trace, func, args, kwargs):
    """Run a function of values of a batch; the trace is done when it ends."""
    before = MODES.get()
    try:
        set_modes(maps=(*modes().maps, trace))
        return func(*args, **kwargs)
    finally:
        restore(before)
        trace.done = True


def together(func, *stacked):
    """`func` of each slice of several tensors, all at once, as sweeps with several cotangents run it.

    `func` gives a tuple of tensors; so does this, each with the batch axis in front. None stays None, in and out.
    """
    size = batch_size(stacked, [None if x is None else 0 for x in stacked])
    trace = BatchTrace(size, own=True)
    try:
        outs = func(*[None if x is None else at_level(trace, x) for x in stacked])
    finally:
        trace.done = True
    outs = [alive(o) for o in outs]
    return tuple([None if o is None else lowered(trace, o) if o.level_trace is trace else
                  Tensor.expand(o, size, *shape_dtype(o)[0]) for o in outs])


def batched(trace, x, d):
    """A tensor as a value of the batch: its mapped axis goes in front, and is remembered for Functions."""
    if d is None:
        return x
    t = at_level(trace, Tensor.movedim(x, d, 0) if d else x)
    if d:
        more(t).mapped = x, d
    return t


def lowered(trace, x):
    """A tensor one level down from `trace`; others stay."""
    while isinstance(x, TensorBase) and x.level_trace is trace:
        x = x.value
    return x


def batch_size(flat, dims):
    """The length of the mapped axes."""
    sizes = [shape_dtype(x)[0][d] for x, d in zip(flat, dims) if d is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                         f"{sizes} for the mapped dimension")
    return sizes[0]
