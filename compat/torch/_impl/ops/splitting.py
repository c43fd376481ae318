"""Tensors split into views along an axis, the outputs of one node: `unbind`, `split`, `chunk`."""

from functools import lru_cache
from itertools import accumulate
from operator import index as integer

from ....._engine import Scatter, pick_rule
from ..dispatch.call import attach
from ..dispatch.kinds import integers
from ..dispatch.telling import by_mode
from ..graph.node_names import NamedRule
from ..graph.undefined import UNDEFINED
from ..modes.modes import MODES
from ..state.edges import source_aval
from ..state.levels import AMBIENT, BatchTrace, alive
from ..types.tensor_type import TensorBase
from ..views.fast import parted
from ..views.views import GETITEM, view
from .axes import shape_of, wrap_dim
from .publishing import method


@lru_cache(256)
def singles(n, d):
    """The indices of each place of the axis `d`, of length `n`."""
    return tuple([((slice(None),) * d + (i, Ellipsis)) for i in range(n)])


@lru_cache(256)
def ranges(sizes, d):
    """The indices of consecutive ranges of the axis `d`."""
    return tuple([(slice(None),) * d + (slice(end - size, end), Ellipsis)
                  for size, end in zip(sizes, accumulate(sizes))])


@lru_cache(256)
def equal(n, size):
    """The sizes of ranges of an axis of length `n`, each but the last one `size`."""
    return tuple([min(size, n - k) for k in range(0, n, size)] if size else [0]) or (0,)


@lru_cache(256)
def even(n, size, d):
    """The indices of consecutive ranges of the axis `d`, of length `n`, each but the last one of length `size`."""
    return ranges(equal(n, size), d)


def _multiple(indices, input, name):
    """Several views by basic indices at once: the outputs of one node."""
    rule = unbinding(name)
    quick = parted(input, indices, rule)
    if quick is not None:
        return quick
    input = alive(input)
    outs = [view(input, GETITEM, (i,), creation="multi") for i in indices]
    share_node(outs, input, indices, name)
    return tuple(outs)


def share_node(outs, t, indices, name):
    """Make several views the outputs of one node, at every level."""
    while True:
        level = t.level_trace or AMBIENT
        parents = [o.node.parents for o in outs if o.node is not None]
        if parents:
            aval = source_aval(t)
            node = level.node(unbinding(name), parents[0], (aval, indices))
            for k, o in enumerate(outs):
                o.node = level.node(pick_rule(len(outs), k), node, None)
        if not isinstance(t.value, TensorBase):
            return
        if isinstance(level, BatchTrace):
            indices = [(slice(None), *i) for i in indices]
        t, outs = t.value, [o.value for o in outs]


_UNBINDING = {}


def unbinding(name):
    """The rule of a node whose outputs are parts of its operand: the parts' cotangents, each in its place."""
    rule = _UNBINDING.get(name)
    if rule is None:
        rule = _UNBINDING[name] = NamedRule(GETITEM.rule((0,), True), name)
        rule.prim = rule.collect = None
        rule.names = rule.origins = rule.active = ()
        rule.back = rule.strong = gathered
    return rule


def gathered(cts, saved):
    """The cotangent of a tensor from those of its parts."""
    aval, indices = saved
    whole = None
    for c, index in zip(cts, indices):
        if c is not None and c is not UNDEFINED:
            if whole is None:
                whole = Scatter(aval, index, c)
            else:
                whole.add_at(index, c)
    return UNDEFINED if whole is None else whole


@method()
def unbind(input, dim=0, *, axis=None):
    """Split an axis into views of its single indices."""
    dim = dim if axis is None else axis
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(unbind, (input, dim) if dim else (input,), {})
    shape = shape_of(input)
    if not shape:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    d = wrap_dim(dim, len(shape))
    return _multiple(singles(shape[d], d), input, "UnbindBackward0")


def whole_size(n, place):
    """A size of a split as an int."""
    try:
        return integer(n)
    except TypeError:
        raise TypeError("split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, but found "
                        f"element of type {type(n).__name__} at pos {place}") from None


@method()
def split(tensor, split_size_or_sections, dim=0):
    """Split an axis into views of consecutive ranges."""
    if not isinstance(tensor, TensorBase):
        return tensor.split(split_size_or_sections, dim)  # as torch's, for anything that has such a method
    shape = shape_of(tensor)
    if not shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    d = wrap_dim(dim, len(shape))
    n = shape[d]
    size = integers(split_size_or_sections)
    if isinstance(size, int):
        if size < 0 or size == 0 and n:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
        return _multiple(even(n, int(size), d), tensor, "SplitBackward0")
    sizes = [whole_size(n, place) for place, n in enumerate(size)]
    if sizes and min(sizes) < 0:
        raise RuntimeError("split_with_sizes expects split_sizes have only non-negative entries, but got "
                           f"split_sizes={sizes}")
    if sum(sizes) != n:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at "
                           f"dimension {dim}), but got split_sizes={sizes}")
    return _multiple(ranges(tuple(sizes), d), tensor, "SplitWithSizesBackward0")


def split_method(self, split_size, dim=0):
    """Split an axis into views of consecutive ranges. The method calls the sizes `split_size`, as PyTorch's does."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(split_method, (self, split_size), {"dim": dim})
    return split(self, split_size, dim)


attach("split", split_method)


@method()
def chunk(input, chunks, dim=0, *, axis=None):
    """Split an axis into at most `chunks` views of consecutive ranges."""
    chunks, dim = integers(chunks), dim if axis is None else axis
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(chunk, (input, chunks, dim) if dim else (input, chunks), {})
    if chunks < 1:
        raise RuntimeError("chunk expects `chunks` to be greater than 0, got: " + str(chunks))
    shape = shape_of(input)
    if not shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    d = wrap_dim(dim, len(shape))
    n = shape[d]
    if type(chunks) is int and n:
        return _multiple(even(n, -(-n // chunks), d), input, "SplitBackward0")
    size = -(-n // chunks)
    return split(input, size or 1, dim) if n else split(input, [0] * chunks, dim)
