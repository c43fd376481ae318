"""Lanes of views; tests/core/generate_lanes.py writes them from tests/compat/lanes.template.

What `views.view` does for one basic index, reshape or transpose of plain tensors: the nodes are the same, their names
and edges are worked out when somebody asks.
"""

import numpy as np

from ..... import _engine, extend
from ..graph import versions
from ..graph.node import GradNode
from ..modes.modes import MODES
from ..state.edges import accumulator
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import GENERAL, INFERENCE, INFERRED, VIEW, Record, Tensor, new
from ..types.tensor_value import shape_dtype
from ..views.views import GETITEM, RESHAPE, TRANSPOSE, level_view, quick_view
from . import map_views, native_views
from .basic_index import SELECT, SHAPED, TURNED, place, ready, settled
from .map_views import EVERY

ndarray = np.ndarray
next_seq = _engine.next_seq
aval_of = extend.aval_of


def unrecorded_view(t, array, step, m):
    """The view `array` of a tensor that is `ready` in no_grad or inference_mode."""
    if t.dispatch_key == INFERENCE:
        out = new(Tensor)
        out.value = array
        out.node = out.level_trace = None
        out.wants_grad = False
        out.autograd_meta = INFERRED
        out.dispatch_key = INFERENCE
        return out
    out = new(Tensor)
    out.value = array
    out.level_trace = None
    out.wants_grad = False
    out.dispatch_key = VIEW
    out.autograd_meta = meta = Record()
    if t.dispatch_key:
        parent = t.autograd_meta
        meta.base = parent.base
        meta.steps = (*parent.steps, step)
        if parent.creation is not None:
            meta.creation = parent.creation
    else:
        meta.base = t
        meta.steps = (step,)
    if versions.WRITTEN:
        root = array.base
        if type(root) is ndarray and root.base is None:  # `version`, written out
            entry = versions.WRITTEN.get(id(root))
            meta.attr_version = 0 if entry is None else entry.count
        else:
            meta.attr_version = versions.version(array)
    out.node = None
    meta.creation = "inference" if m.inference else "no_grad"
    return out


def indexed(t, index, title, spot=None):
    """The view of a ready tensor by a basic index (with an Ellipsis, so that it is an array).

    `spot` is the same place for the rule, without the Ellipsis: where it names one element the sweep then adds numbers,
    in 0.1 us, and not arrays without axes, in 1.0.
    """
    view = t.value[index]
    m = MODES.get()
    if m is not None and m.still:
        return unrecorded_view(t, view, (GETITEM, (index,)), m)
    out = new(Tensor)
    out.value = view
    out.level_trace = None
    out.wants_grad = False
    out.dispatch_key = VIEW
    out.autograd_meta = meta = Record()
    if t.dispatch_key:
        parent = t.autograd_meta
        meta.base = parent.base
        meta.steps = (*parent.steps, (GETITEM, (index,)))
        if parent.creation is not None:
            meta.creation = parent.creation
    else:
        meta.base = t
        meta.steps = ((GETITEM, (index,)),)
    if versions.WRITTEN:
        root = view.base
        if type(root) is ndarray and root.base is None:  # `version`, written out
            entry = versions.WRITTEN.get(id(root))
            meta.attr_version = 0 if entry is None else entry.count
        else:
            meta.attr_version = versions.version(view)
    p = t.node
    if p is None:
        if not t.wants_grad:
            out.node = None
            return out
        p = accumulator(t)
    out.node = node = GradNode()
    node.rule = SELECT[title]
    node.parents = p
    node.saved = (aval_of(t.value), index if spot is None else spot)
    node.seq = next_seq()
    node.extra = None
    return out


def parted(t, indices, rule):
    """The views of a ready tensor by several basic indices, as the outputs of one node."""
    array = t.value
    m = MODES.get()
    if m is not None and m.still:
        return tuple([unrecorded_view(t, array[index], (GETITEM, (index,)), m) for index in indices])
    p = t.node
    if p is None and t.wants_grad:
        p = accumulator(t)
    whole = None
    if p is not None:
        whole = GradNode()
        whole.rule = rule
        whole.parents = p
        whole.saved = (aval_of(array), indices)
        whole.seq = next_seq()
        whole.extra = None
    outs = []
    for k, index in enumerate(indices):
        view = array[index]
        out = new(Tensor)
        out.value = view
        out.level_trace = None
        out.wants_grad = False
        out.dispatch_key = VIEW
        out.autograd_meta = meta = Record()
        if t.dispatch_key:
            parent = t.autograd_meta
            meta.base = parent.base
            meta.steps = (*parent.steps, (GETITEM, (index,)))
            if parent.creation is not None:
                meta.creation = parent.creation
        else:
            meta.base = t
            meta.steps = ((GETITEM, (index,)),)
        if versions.WRITTEN:
            root = view.base
            if type(root) is ndarray and root.base is None:  # `version`, written out
                entry = versions.WRITTEN.get(id(root))
                meta.attr_version = 0 if entry is None else entry.count
            else:
                meta.attr_version = versions.version(view)
        meta.creation = "multi"
        if whole is None:
            out.node = None
        else:
            out.node = node = GradNode()
            node.rule = _engine.pick_rule(len(indices), k)
            node.parents = whole
            node.saved = None
            node.seq = next_seq()
            node.extra = None
        outs.append(out)
    return tuple(outs)


def reshaped(t, shape, strided="ViewBackward0"):
    """The view of a ready tensor in another shape, or None if the memory does not allow it; `strided` is the node's
    name where the elements do not lie in order."""
    array = t.value
    title = "ViewBackward0"
    if array.flags.c_contiguous:
        array = array.reshape(shape)
        if array.shape == t.value.shape:  # of axes of one element the strides stay
            array = t.value.view()
    else:
        try:
            array = array.reshape(shape, copy=False)
        except ValueError:
            return None
        title = strided
    m = MODES.get()
    if m is not None and m.still:
        return unrecorded_view(t, array, (RESHAPE, (array.shape,)), m)
    out = new(Tensor)
    out.value = array
    out.level_trace = None
    out.wants_grad = False
    out.dispatch_key = VIEW
    out.autograd_meta = meta = Record()
    if t.dispatch_key:
        parent = t.autograd_meta
        meta.base = parent.base
        meta.steps = (*parent.steps, (RESHAPE, (array.shape,)))
        if parent.creation is not None:
            meta.creation = parent.creation
    else:
        meta.base = t
        meta.steps = ((RESHAPE, (array.shape,)),)
    if versions.WRITTEN:
        root = array.base
        if type(root) is ndarray and root.base is None:  # `version`, written out
            entry = versions.WRITTEN.get(id(root))
            meta.attr_version = 0 if entry is None else entry.count
        else:
            meta.attr_version = versions.version(array)
    p = t.node
    if p is None:
        if not t.wants_grad:
            out.node = None
            return out
        p = accumulator(t)
    out.node = node = GradNode()
    node.rule = SHAPED[title]
    node.parents = p
    node.saved = aval_of(t.value)
    node.seq = next_seq()
    node.extra = None
    return out


def turned(t, axes, title):
    """The view of a ready tensor with its axes in another order."""
    array = t.value.transpose(axes)
    m = MODES.get()
    if m is not None and m.still:
        return unrecorded_view(t, array, (TRANSPOSE, (axes,)), m)
    out = new(Tensor)
    out.value = array
    out.level_trace = None
    out.wants_grad = False
    out.dispatch_key = VIEW
    out.autograd_meta = meta = Record()
    if t.dispatch_key:
        parent = t.autograd_meta
        meta.base = parent.base
        meta.steps = (*parent.steps, (TRANSPOSE, (axes,)))
        if parent.creation is not None:
            meta.creation = parent.creation
    else:
        meta.base = t
        meta.steps = ((TRANSPOSE, (axes,)),)
    if versions.WRITTEN:
        root = array.base
        if type(root) is ndarray and root.base is None:  # `version`, written out
            entry = versions.WRITTEN.get(id(root))
            meta.attr_version = 0 if entry is None else entry.count
        else:
            meta.attr_version = versions.version(array)
    p = t.node
    if p is None:
        if not t.wants_grad:
            out.node = None
            return out
        p = accumulator(t)
    out.node = node = GradNode()
    node.rule = TURNED[title]
    node.parents = p
    node.saved = axes
    node.seq = next_seq()
    node.extra = None
    return out


def read(t, key):
    """The view of a tensor by a basic key, or None for what this lane does not take."""
    m = MODES.get()
    if m is not None:
        if m.still:
            return part(t, key, m)
        if m.mapped is not None or m.quick is not None:
            return apart(t, key)
    if not ready(t):
        return apart(t, key)
    kind = type(key)
    if kind is int:
        shape = t.value.shape
        if shape and -shape[0] <= key < shape[0]:
            return indexed(t, (key, Ellipsis), "SelectBackward0", (key,))
        return None
    if kind is slice:
        if not t.value.ndim or not ((key.start is None or type(key.start) is int) and (key.stop is None or type(key.stop) is int) and (key.step is None or type(key.step) is int and key.step > 0)):
            return None
        return indexed(t, (key, Ellipsis), "SliceBackward0")
    if kind is tuple:
        found = place(key, t.value.shape)
        if found is not None:
            return indexed(t, *found)
    return None


def part(t, key, m):
    """`read` in no_grad or inference_mode."""
    way = t.dispatch_key
    if way == GENERAL or type(t) not in PLAIN_KINDS or way == VIEW and not settled(t):
        return None
    array = t.value
    kind = type(key)
    if kind is int:
        if not array.ndim or not -len(array) <= key < len(array):
            return None
        index = (key, Ellipsis)
    elif kind is slice:
        if not array.ndim or not ((key.start is None or type(key.start) is int) and (key.stop is None or type(key.stop) is int) and (key.step is None or type(key.step) is int and key.step > 0)):
            return None
        index = (key, Ellipsis)
    elif kind is tuple and (found := place(key, array.shape)) is not None:
        index = found[0]
    else:
        return None
    if way == INFERENCE:
        out = new(Tensor)
        out.value = array[index]
        out.node = out.level_trace = None
        out.wants_grad = False
        out.autograd_meta = INFERRED
        out.dispatch_key = INFERENCE
        return out
    return unrecorded_view(t, array[index], (GETITEM, (index,)), m)


def read_examples(t, key):
    """`read` of all examples, which lie along the first axis."""
    kind = type(key)
    found = None
    if kind is int:
        shape = shape_dtype(t)[0]
        if len(shape) > 1 and -shape[1] <= key < shape[1]:
            found = native_views.quick_index(t, (EVERY, key, Ellipsis), "SelectBackward0")
    if found is None:
        key = (EVERY, *key) if kind is tuple else (EVERY, key)
        found = native_views.quick_read(t, key)
    return read(t, key) if found is None else found


def apart(t, key):
    """`read` at the innermost level of `func`; None for what is not there, or not taken."""
    m = MODES.get()
    if m is None or type(t) is not Tensor:
        return None
    if m.mapped is not None:
        return None if t.level_trace is not m.mapped else map_views.seen(t, read_examples, key)
    if m.quick is None or t.level_trace is not m.quick:
        return None
    kind = type(key)
    if kind is not int and kind is not slice and kind is not tuple:
        return None
    below = t.value
    shape = below.value.shape if below.level_trace is None else shape_dtype(t)[0]
    found = place((key,) if kind is not tuple else key, shape)
    if found is None:
        return None
    params = (key, Ellipsis) if kind is not tuple else found[0],
    title = "SliceBackward0" if kind is slice else found[1]
    out = level_view(t, GETITEM, params, title, m.quick, m)
    return quick_view(t, GETITEM, params, title) if out is None else out
