"""The fast road of views: of plain tensors, and of values of levels over plain ones. Compiled with fast.pxd beside it.

The meaning of a view is `compute_view` of views/views.py: the nodes are the same, their names and edges are worked out
when somebody asks. Each function gives None for what it leaves to the general road.
"""

import functools

import numpy as np

from ..... import _engine, extend
from ..graph.node_names import NamedRule
from ..graph.recording import noted
from ..modes.modes import MODES
from ..state.edges import edge
from ..state.levels import BatchTrace, GradTrace
from ..state.makers import history, tensor_of
from ..state.plain import (
    OPEN,
    RECORDED,
    bare,
    bottom_of,
    current,
    place,
    records,
    simple,
    untouched,
    view_record,
)
from ..types.parameter import Parameter
from ..types.record_slots import RecordSlots
from ..types.tensor_slots import TensorSlots
from ..types.tensor_type import FAST, GENERAL, INFERENCE, INFERRED, VIEW, Record, Tensor
from ..types.tensor_value import shape_dtype
from .rules import EXPANDED, SELECT, SHAPED, TURNED
from .views import EXPAND, GETITEM, RESHAPE, TRANSPOSE

ndarray = np.ndarray
aval_of = extend.aval_of
EVERY = slice(None)
PAIR, AVAL, GIVEN = range(3)  # what the node of a view saves: the tensor's aval with something, the aval, something
SELECTED, SLICED, ALIASED, INSERTED = (SELECT[f"{name}Backward0"] for name in ("Select", "Slice", "Alias", "Unsqueeze"))
VIEWED, SWAPPED, SPREAD = SHAPED["ViewBackward0"], TURNED["TransposeBackward0"], EXPANDED["ExpandBackward0"]
_CLONED = NamedRule(extend.REGISTRY["duplicate"].rule((0,), True), "CloneBackward0")
_RESHAPED = NamedRule(RESHAPE.rule((0,), True), "UnsafeViewBackward0")
if (_CLONED.names, _RESHAPED.names) != ((), ("x_aval",)):
    raise AssertionError(f"the rules of copies save other things than this road writes: {_CLONED.names}, "
                         f"{_RESHAPED.names}")


def view_of(t, prim, param, rule, what, beside, maker=None):
    """The view of a tensor by a primitive with one parameter.

    Args:
        rule: that of the node; None for none.
        what: which of PAIR, AVAL and GIVEN it saves, with what is `beside`.
        maker: makes the array, where that is not the primitive.
    """
    kind = type(t)
    if kind is not Tensor and kind is not Parameter or not OPEN[0]:
        return None
    u: TensorSlots = t
    m = MODES.get()
    try:
        if u.level_trace is None:
            recording = m is None or not m.still
            if recording and m is not None and not records(m):
                return None
            return ambient_view(t, m, recording, prim, param, rule, what, beside, maker)
        return level_view(t, prim, param, rule, what, beside, maker) if records(m) else None
    except (IndexError, ValueError):  # NumPy's, of arguments that do not fit
        return None


def ambient_view(t, m, recording, prim, param, rule, what, beside, maker):
    """`view_of` a tensor of no level."""
    u: TensorSlots = t
    x = u.value
    meta: RecordSlots = u.autograd_meta
    made: RecordSlots
    key = u.dispatch_key
    if type(x) is not ndarray:
        return None
    if key == FAST:
        pass
    elif key == VIEW:
        if recording and meta.creation not in RECORDED or not current(t, recording):
            return None
    elif key == INFERENCE:
        if recording:
            return None
        return tensor_of(array_of(x, prim, param, maker), None, INFERRED, None, INFERENCE)
    elif not bare(t):
        return None
    if prim is RESHAPE and x.flags.c_contiguous:
        array = x.reshape(param)
        rule = VIEWED
        if array.shape == x.shape:  # of axes of one element the strides stay
            array = x.view()
    else:
        array = array_of(x, prim, param, maker)
    if meta is not None and meta.inference:
        made = Record()
        made.inference = True
        return tensor_of(array, None, made, None, GENERAL)
    made = view_record(t, meta, (prim, (array.shape if prim is RESHAPE else param,)), array)
    node = None
    if not recording:
        made.creation = "inference" if m.inference else "no_grad"
    elif rule is not None:
        p = history(t)
        if p is not None:
            node = noted(rule, p, beside if what == GIVEN else aval_of(x) if what == AVAL else (aval_of(x), beside))
    return tensor_of(array, node, made, None, VIEW if key != GENERAL else GENERAL)


def level_view(t, prim, param, rule, what, beside, maker):
    """`view_of` a value of levels, which are all recorded: the view below it, and what the level adds."""
    u: TensorSlots = t
    trace = u.level_trace
    if trace is None:
        return ambient_view(t, None, True, prim, param, rule, what, beside, maker)
    if type(trace) is BatchTrace:
        if trace.done or maker is not None or prim is EXPAND and len(param) != len(shape_of(t)):
            return None
        param = behind_examples(prim, param, trace.size)
        below = level_view(u.value, prim, param, rule, what, param, None)
        return None if below is None else tensor_of(below, None, None, trace, GENERAL)
    meta: RecordSlots = u.autograd_meta
    if type(trace) is not GradTrace or trace.done or meta is not None and (
            not untouched(meta) or meta.forward_base is not None or meta.inference or meta.creation is not None or (
                meta.base is not None and not untouched(meta.base.autograd_meta))):
        return None
    below = level_view(u.value, prim, param, rule, what, beside, maker)
    if below is None:
        return None
    array = bottom_of(below)[0]
    made: RecordSlots = view_record(t, meta, (prim, (param,)), array)
    node = u.node
    if meta is None:
        node = history(t)
    elif node is None or meta.base is not None and meta.attr_version != made.attr_version:
        node = edge(t)
    if node is not None and rule is not None:
        node = noted(rule, node, beside if what == GIVEN else source_aval(t) if what == AVAL else (
            source_aval(t), beside))
    return tensor_of(below, None if rule is None else node, made, trace, GENERAL)


def behind_examples(prim, param, size):
    """The parameter of a view of all examples, which lie along the first axis: what `batch_params` gives."""
    if prim is GETITEM:
        return (EVERY, *param)
    if prim is TRANSPOSE:
        return (0, *[axis + 1 for axis in param])
    return (size, *param)


def source_aval(t):
    """Shape and dtype of a value as its level sees them."""
    u: TensorSlots = t
    return aval_of(u.value) if u.level_trace is None else extend.make_aval(*shape_dtype(t))


def array_of(x, prim, param, maker):
    """The array of a view."""
    if maker is not None:
        return maker(x)
    if prim is GETITEM:
        return x[param]
    if prim is TRANSPOSE:
        return x.transpose(param)
    if prim is RESHAPE:
        array = x.reshape(param, copy=False)
        return array if array.shape != x.shape else x.view()
    if not x.flags.c_contiguous or not x.size:
        return prim.impl(np, x, param)
    strides = []
    lead = len(param) - len(x.shape)
    for n, length, stride in zip(param[lead:], x.shape, x.strides):
        strides.append(stride if n == length else 0)
    array = ndarray(param, x.dtype, x, 0, (0,) * lead + tuple(strides))
    array.flags.writeable = False
    return array


def read(t, key):
    """The view by a basic key."""
    kind = type(key)
    if kind is int:
        return view_of(t, GETITEM, (key, Ellipsis), SELECTED, PAIR, (key,))
    if kind is slice:
        index = key, Ellipsis
        return view_of(t, GETITEM, index, SLICED, PAIR, index) if simple(key) else None
    if kind is tuple:
        shape = shape_of(t)
        found = None if shape is None else place(key, shape)
        return None if found is None else view_of(t, GETITEM, found[0], SELECT[found[1]], PAIR, found[2])
    if key is Ellipsis:
        return view_of(t, GETITEM, (key,), ALIASED, PAIR, (key,))
    if key is None:
        return view_of(t, GETITEM, (key, Ellipsis), INSERTED, PAIR, (key, Ellipsis))
    return None


def shape_of(t):
    """The shape of a tensor over an array of NumPy; None for all else."""
    if type(t) is not Tensor and type(t) is not Parameter:
        return None
    u: TensorSlots = t
    if u.level_trace is None:
        return u.value.shape if type(u.value) is ndarray else None
    found = bottom_of(t)
    return None if found is None else found[0].shape[found[1]:]


def indexed(t, index, title):
    """The view by an index that ends with an Ellipsis, and the name of its node."""
    return view_of(t, GETITEM, index, SELECT[title], PAIR, index)


def sizes_of(given):
    """The sizes among arguments, which may be one sequence; None where they are no ints of at least -1."""
    if len(given) == 1 and type(given[0]) is not int:
        given = given[0]
        if not isinstance(given, tuple):
            return None
    for n in given:
        if type(n) is not int or n < -1:
            return None
    return given


def reshaped(t, given, strided="ViewBackward0"):
    """The view in another shape, given as the arguments of `view` are; `strided` is the node's name where the elements
    do not lie in order."""
    sizes = sizes_of(given)
    if sizes is None or type(t) is not Tensor and type(t) is not Parameter:
        return None
    u: TensorSlots = t
    rule = SHAPED[strided]
    if u.level_trace is not None:
        found = bottom_of(t)
        if found is None:
            return None
        x = found[0]
        if x.flags.c_contiguous:
            rule = VIEWED
        if -1 in sizes:
            count = 1
            for n in x.shape[found[1]:]:
                count *= n
            for n in sizes:
                if n != -1:
                    if not n or count % n:
                        return None
                    count //= n
            sizes = tuple([count if n == -1 else n for n in sizes])
    return view_of(t, RESHAPE, sizes, rule, AVAL, None)


def turned(t, axes, title):
    """The view with all axes in another order, none of them negative."""
    if type(axes) is not tuple:
        return None
    for a in axes:
        if type(a) is not int or a < 0:
            return None
    return view_of(t, TRANSPOSE, axes, TURNED[title], GIVEN, axes)


def swapped(t, first, second):
    """The view with two axes exchanged."""
    shape = shape_of(t)
    if shape is None or type(first) is not int or type(second) is not int:
        return None
    rank = len(shape)
    first = first + rank if first < 0 else first
    second = second + rank if second < 0 else second
    if not (0 <= first < rank and 0 <= second < rank):
        return None
    axes = list(range(rank))
    axes[first], axes[second] = second, first
    order = tuple(axes)
    return view_of(t, TRANSPOSE, order, SWAPPED, GIVEN, order)


def expanded(t, given):
    """The view in a larger shape, given as the arguments of `expand` are."""
    sizes, shape = sizes_of(given), shape_of(t)
    if sizes is None or shape is None:
        return None
    lead = len(sizes) - len(shape)
    if lead < 0:
        return None
    target = []
    for i, n in enumerate(sizes):
        if i >= lead:
            length = shape[i - lead]
            if n == -1:
                n = length
            elif n != length and length != 1:
                return None
        elif n < 0:
            return None
        target.append(n)
    return view_of(t, EXPAND, tuple(target), SPREAD, AVAL, None)


def placed(t, maker, step, rule, shared):
    """The view that `maker` makes of an array, `step` in its record; elements of it may be `shared`."""
    u: TensorSlots = t
    if shared and u.level_trace is not None:
        return None
    prim, params = step
    out: TensorSlots = view_of(t, prim, params[0], rule, PAIR, params[0], maker)
    if shared and out is not None and out.dispatch_key == VIEW:
        out.dispatch_key = GENERAL
    return out


def parted(t, indices, rule):
    """The views by a tuple of indices, as the outputs of one node."""
    if type(t) is not Tensor and type(t) is not Parameter:
        return None
    u: TensorSlots = t
    m = MODES.get()
    if u.level_trace is not None and not alone(u.value):
        return None
    outs = []
    for index in indices:
        out = view_of(t, GETITEM, index, None, PAIR, None)
        if out is None:
            return None
        outs.append(out)
    if m is not None and m.still:
        return tuple(outs)
    p = edge(t)
    whole = None if p is None else noted(rule, p, (source_aval(t), indices))
    for k, out in enumerate(outs):
        if out.autograd_meta is not None and not out.autograd_meta.inference:
            out.autograd_meta.creation = "multi"
        if whole is not None:
            out.node = noted(picks(len(indices))[k], whole, None)
    return tuple(outs)


def alone(t):
    """Tell whether neither a tensor nor any below it has a history."""
    while isinstance(t, TensorSlots):
        meta = t.autograd_meta
        if t.node is not None or t.wants_grad or meta is not None and meta.base is not None and (
                meta.base.node is not None or meta.base.wants_grad):
            return False
        t = t.value
    return True


@functools.lru_cache(256)
def picks(count):
    """The rules of the outputs of a node."""
    return tuple([_engine.pick_rule(count, k) for k in range(count)])


def copied(t, shape=None):
    """A copy of a tensor in the order of its axes, in another shape if one is given."""
    u: TensorSlots = t
    if type(t) is not Tensor and type(t) is not Parameter or u.level_trace is not None or not OPEN[0]:
        return None
    m = MODES.get()
    recording = m is None or not m.still
    key = u.dispatch_key
    if key == GENERAL or key == INFERENCE and recording or recording and m is not None and not records(m) or (
            key == VIEW and not (current(t, recording) and (not recording or u.autograd_meta.creation in RECORDED))):
        return None
    array = u.value.copy()
    if shape is not None:
        array.resize(shape, refcheck=False)
    if not recording:
        return tensor_of(array, None, INFERRED if m.inference else None, None, INFERENCE if m.inference else FAST)
    p = history(t)
    node = None if p is None else noted(_CLONED, p, None) if shape is None else noted(_RESHAPED, p, aval_of(u.value))
    return tensor_of(array, node, None, None, FAST)
