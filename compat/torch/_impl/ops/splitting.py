"""Tensors split into views along an axis, the outputs of one node: `unbind`, `split`, `chunk`."""

from itertools import accumulate
from operator import index as integer

from ....._engine import Scatter
from ....._interpreters import pick_rule
from ..dispatch.call import attach, method
from ..dispatch.signatures import integers
from ..dispatch.telling import by_mode
from ..graph.node_errors import UNDEFINED
from ..graph.node_names import NamedRule
from ..modes.modes import MODES
from ..state.edges import source_aval
from ..state.levels import AMBIENT, BatchTrace, alive
from ..types.tensor_type import Tensor, TensorBase
from ..views.fast import in_parts, parted, viewing
from ..views.views import GETITEM, view
from .axes import shape_of, wrap_dim


def views_of(input, plan):
    """Several views by basic indices at once: the outputs of one node."""
    quick = parted(input, plan)
    if quick is not None:
        return quick
    input = alive(input)
    outs = [view(input, GETITEM, (i,), creation="multi") for i in plan.beside]
    share_node(outs, input, plan.beside, plan.rule.title)
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


def singles(shape, dim=0):
    """The plan of `unbind`: the single indices of an axis."""
    if not shape:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    d = wrap_dim(dim, len(shape))
    return in_parts(tuple([(*EVERY[:d], i, Ellipsis) for i in range(shape[d])]), unbinding("UnbindBackward0"))


EVERY = (slice(None),) * 64


@method(plans=singles)
def unbind(input, dim=0, *, axis=None):
    """Split an axis into views of its single indices."""
    dim = dim if axis is None else axis
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(unbind, (input, dim) if dim else (input,), {})
    return views_of(input, singles(shape_of(input), dim))


def whole_size(n, place):
    """A size of a split as an int."""
    try:
        return integer(n)
    except TypeError:
        raise TypeError("split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, but found "
                        f"element of type {type(n).__name__} at pos {place}") from None


def ranges(sizes, d, name):
    """The plan of views of consecutive ranges of an axis."""
    places = [(*EVERY[:d], slice(end - size, end), Ellipsis) for size, end in zip(sizes, accumulate(sizes))]
    return in_parts(tuple(places), unbinding(name))


def parts(shape, split_size, dim=0):
    """The plan of `split`."""
    if not shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    d = wrap_dim(dim, len(shape))
    n = shape[d]
    size = integers(split_size)
    if isinstance(size, bool):
        raise TypeError("split(): argument 'split_size' must be int, not bool")
    if isinstance(size, int):
        if size < 0 or size == 0 and n:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
        return ranges([min(size, n - k) for k in range(0, n, size)] if n else [0], d, "SplitBackward0")
    sizes = [whole_size(n, place) for place, n in enumerate(size)]
    if sizes and min(sizes) < 0:
        raise RuntimeError("split_with_sizes expects split_sizes have only non-negative entries, but got "
                           f"split_sizes={sizes}")
    if sum(sizes) != n:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at "
                           f"dimension {dim}), but got split_sizes={sizes}")
    return ranges(sizes, d, "SplitWithSizesBackward0")


@method(plans=parts)
def split(tensor, split_size_or_sections, dim=0):
    """Split an axis into views of consecutive ranges."""
    if not isinstance(tensor, TensorBase):
        return tensor.split(split_size_or_sections, dim)  # as torch's, for anything that has such a method
    return views_of(tensor, parts(shape_of(tensor), split_size_or_sections, dim))


def split_method(self, split_size, dim=0):
    """Split an axis into views of consecutive ranges. The method calls the sizes `split_size`, as PyTorch's does."""
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(Tensor.split, (self, split_size), {"dim": dim})
    return split(self, split_size, dim)


attach("split", viewing(parts, split_method))


def equal_parts(shape, chunks, dim=0):
    """The plan of `chunk`."""
    if chunks < 1:
        raise RuntimeError("chunk expects `chunks` to be greater than 0, got: " + str(chunks))
    if not shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    n = shape[wrap_dim(dim, len(shape))]
    return parts(shape, -(-n // chunks) or 1, dim) if n else parts(shape, [0] * chunks, dim)


@method(plans=equal_parts)
def chunk(input, chunks, dim=0, *, axis=None):
    """Split an axis into at most `chunks` views of consecutive ranges."""
    chunks, dim = integers(chunks), dim if axis is None else axis
    if (m := MODES.get()) is not None and m.functions:
        return by_mode(chunk, (input, chunks, dim) if dim else (input, chunks), {})
    return views_of(input, equal_parts(shape_of(input), chunks, dim))
