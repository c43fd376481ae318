"""The fast road of views: of plain tensors, and of values of levels over plain ones. Compiled with fast.pxd beside it.

The meaning of a view is `compute_view` of views/views.py: the nodes are the same, their names and edges are worked out
when somebody asks. Each function gives None for what it leaves to the general road.
"""

import functools

import numpy as np

from ..... import _interpreters, extend
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
from ..types.ndarrays import in_order, laid, layout, number, of_shape, reshaped
from ..types.parameter import Parameter
from ..types.record_slots import Record
from ..types.tensor_slots import TensorSlots
from ..types.tensor_type import FAST, GENERAL, INFERENCE, INFERRED, VIEW, Tensor
from .rules import EXPANDED, SELECT, SHAPED, TURNED
from .views import EXPAND, GETITEM, PICK, RESHAPE, TRANSPOSE, titled, view

ndarray = np.ndarray
get_modes = MODES.get
aval_of = extend.aval_of
make_aval = extend.make_aval
EVERY = slice(None)
PAIR, AVAL, GIVEN = range(3)  # what the node of a view saves: the tensor's aval with something, the aval, something
SELECTED, SLICED, ALIASED, INSERTED = (SELECT[f"{name}Backward0"] for name in ("Select", "Slice", "Alias", "Unsqueeze"))
VIEWED, SPREAD = SHAPED["ViewBackward0"], EXPANDED["ExpandBackward0"]
AS_NUMPY = object()  # of a plan whose layout NumPy finds
MISSING = object()
NEWEST = [aval_of(np.zeros(()))]
MOST = 256  # plans of a function
_CLONED = NamedRule(extend.REGISTRY["duplicate"].rule((0,), True), "CloneBackward0")
_RESHAPED = NamedRule(RESHAPE.rule((0,), True), "UnsafeViewBackward0")
if (_CLONED.names, _RESHAPED.names) != ((), ("x_aval",)):
    raise AssertionError(f"the rules of copies save other things than this road writes: {_CLONED.names}, "
                         f"{_RESHAPED.names}")


class Plan:
    """A view as far as its arguments and the shape of the tensor decide it.

    `prim` with the parameter `param` gives it, or `maker`, where the primitive would copy; the node has the `rule`,
    None for none, and saves what `what` says: the tensor's aval, what is `beside`, or both (PAIR). `shared` says that
    elements of the view may lie in the same place. Of several views at once there are the plans alone, in `parts`. The
    rest is kept once it is known: how the view lies in memory, the step of its record, what nodes save of the last
    dtype, and the plan below a vmap.
    """

    __slots__ = ("behind", "beside", "kept", "layout", "lies", "maker", "param", "parts", "prim", "rule", "shape",
                 "shared", "step", "what")


def plan_of(prim, param, rule, what, beside):
    """The plan of one view."""
    made: Plan = Plan.__new__(Plan)
    made.prim = prim
    made.param = param
    made.rule = rule
    made.what = what
    made.beside = beside
    made.step = made.kept = made.behind = made.parts = made.maker = made.layout = made.lies = made.shape = None
    made.shared = False
    return made


def by_index(index, title):
    """The plan of a view by a basic index."""
    # With an Ellipsis NumPy gives an array even where every axis is named, and no scalar.
    index = (*index, Ellipsis)
    return plan_of(GETITEM, index, SELECT[title], PAIR, index)


def in_shape(shape, title):
    """The plan of a view in another shape; `title` is its node's name where the elements do not lie in order."""
    return plan_of(RESHAPE, shape, SHAPED[title], AVAL, None)


def by_axes(axes, title):
    """The plan of a view with its axes in another order, none of them negative."""
    return plan_of(TRANSPOSE, axes, TURNED[title], GIVEN, axes)


def spread(shape):
    """The plan of a view in a larger shape."""
    return plan_of(EXPAND, shape, SPREAD, AVAL, None)


def by_maker(maker, places, title, shared, layout):
    """The plan of a view at places of the tensor, as `maker` makes it of an array, and as it lies in memory."""
    made: Plan = plan_of(PICK, places, titled(PICK, title), PAIR, places)
    made.maker = maker
    made.layout = layout
    made.shared = shared
    return made


def in_parts(indices, rule):
    """The plan of the views by a tuple of indices, which are the outputs of one node."""
    made: Plan = plan_of(GETITEM, None, rule, PAIR, indices)
    made.parts = tuple([plan_of(GETITEM, index, None, PAIR, index) for index in indices])
    return made


def viewing(plans, general, alike=False):
    """The function of a view: at once where its arguments are ints, and else what is `general`.

    `plans(shape, *arguments)` gives the plan; where it raises, or gives None, the general function says more. A plan is
    kept for its shape and arguments. What asks modes and classes first is put behind this (`ahead`). The argument is
    another tensor, and its shape counts, if the view is `alike`.
    """
    known, newest = {}, {}

    def fun(input=MISSING, *rest, **named):
        if input is MISSING:
            return general(*rest, **named)
        if not named:
            given = tuple(map(shape_of, rest)) if alike else rest
            plan: Plan = planned(known, newest, plans, input, given)
            if plan is not None:
                out = view_of(input, plan) if plan.parts is None else parted(input, plan)
                if out is not None:
                    return out
        return general(input, *rest, **named)

    functools.update_wrapper(fun, general)
    fun.ahead = functools.partial(viewing, plans, alike=alike)
    return fun


def planned(known, newest, plans, t, given):
    """The plan of a view for arguments, or None. It is `known` by these and the shape, and `newest` has that of the
    last shape, which is commonly this one."""
    kind = type(t)
    if kind is not Tensor and kind is not Parameter:
        return None
    u: TensorSlots = t
    plan: Plan
    for x in given:
        kind = type(x)
        if kind is not int:
            if kind is list:
                return planned(known, newest, plans, t, tuple([tuple(y) if type(y) is list else y for y in given]))
            if not isinstance(x, tuple):
                return None
            for n in x:
                if type(n) is not int:
                    return None
    x = u.value
    plan = newest.get(given)
    if plan is not None and type(x) is ndarray and of_shape(x, plan.shape):
        return plan
    shape = shape_of(t)
    if shape is None:
        return None
    key = (shape, given)
    plan = known.get(key)
    if plan is None:
        try:
            plan = plans(shape, *given)
        except (IndexError, RuntimeError, TypeError, ValueError):  # which the general function raises, in its words
            return None
        if plan is None:
            return None
        plan.shape = shape
        # Emptied and not trimmed: the plans in use are made again at their next calls.
        if len(known) >= MOST:
            known.clear()
            newest.clear()
        known[key] = plan
    newest[given] = plan
    return plan


def view_of(t, plan):
    """The view of a tensor by a plan."""
    kind = type(t)
    if kind is not Tensor and kind is not Parameter or not OPEN[0]:
        return None
    u: TensorSlots = t
    p: Plan = plan
    out: TensorSlots
    m = get_modes()
    try:
        if u.level_trace is not None:
            return None if p.shared or not records(m) else level_view(t, p)
        recording = m is None or not m.still
        if recording and m is not None and not records(m):
            return None
        out = ambient_view(t, m, recording, p)
    except (IndexError, ValueError):  # NumPy's, of arguments that do not fit
        return None
    if p.shared and out is not None and out.dispatch_key == VIEW:
        out.dispatch_key = GENERAL
    return out


def planned_view(t, plan):
    """The view of a tensor by a plan, on either road."""
    p: Plan = plan
    out = view_of(t, p)
    if out is not None:
        return out
    return view(t, p.prim, (p.param,), p.rule.title)


def ambient_view(t, m, recording, plan):
    """`view_of` a tensor of no level."""
    u: TensorSlots = t
    x = u.value
    meta: Record = u.autograd_meta
    made: Record
    p: Plan = plan
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
        return tensor_of(array_of(x, p), None, INFERRED, None, INFERENCE)
    elif not bare(t):
        return None
    array = array_of(x, p)
    if meta is not None and meta.inference:
        made = Record.__new__(Record)
        made.inference = True
        return tensor_of(array, None, made, None, GENERAL)
    if p.step is None:
        p.step = ((p.prim, (p.param,)),)
    made = view_record(t, meta, p.step, array)
    node = None
    if not recording:
        made.creation = "inference" if m.inference else "no_grad"
    elif p.rule is not None:
        node = history(t)
        if node is not None:
            # In memory that lies in order a `reshape` is a `view`, and PyTorch calls its node so.
            node = noted(VIEWED if p.prim is RESHAPE and in_order(x) else p.rule, node,
                         saved_by(p, x, 0))
    return tensor_of(array, node, made, None, VIEW if key != GENERAL else GENERAL)


def saved_by(plan, x, front):
    """The saved values of a view's node, for a tensor over an array of which so many axes are those of vmaps."""
    p: Plan = plan
    if p.what == GIVEN:
        return p.beside
    kept, dtype = p.kept, x.dtype
    if p.shape is None:  # a plan that is not kept
        aval = make_aval(x.shape[front:], dtype) if front else aval_here(x)
        return aval if p.what == AVAL else (aval, p.beside)
    if kept is None or kept[0] is not dtype:
        aval = make_aval(x.shape[front:], dtype) if front else aval_here(x)
        kept = p.kept = (dtype, aval if p.what == AVAL else (aval, p.beside))
    return kept[1]


def aval_here(x):
    """The aval of an array; commonly that which was asked for last."""
    aval = NEWEST[0]
    if aval.dtype is not x.dtype or not of_shape(x, aval.shape):
        aval = NEWEST[0] = aval_of(x)
    return aval


def level_view(t, plan):
    """`view_of` a value of levels, which are all recorded: the view below it, and what the level adds."""
    u: TensorSlots = t
    p: Plan = plan
    trace = u.level_trace
    if trace is None:
        return ambient_view(t, None, True, p)
    if type(trace) is BatchTrace:
        # An `expand` that adds axes has them behind that of the batch, which takes two views.
        if trace.done or p.maker is not None or p.prim is EXPAND and len(p.param) != len(shape_of(t)):
            return None
        if p.behind is None or p.behind[0] != trace.size:
            param = behind_examples(p.prim, p.param, trace.size)
            p.behind = trace.size, plan_of(p.prim, param, p.rule, p.what, param)
        below = level_view(u.value, p.behind[1])
        return None if below is None else tensor_of(below, None, None, trace, GENERAL)
    meta: Record = u.autograd_meta
    if type(trace) is not GradTrace or trace.done or meta is not None and (
            not untouched(meta) or meta.forward_base is not None or meta.inference or meta.creation is not None or (
                meta.base is not None and not untouched(meta.base.autograd_meta))):
        return None
    below = level_view(u.value, p)
    if below is None:
        return None
    if p.step is None:
        p.step = ((p.prim, (p.param,)),)
    made: Record = view_record(t, meta, p.step, bottom_of(below)[0])
    node = u.node
    if meta is None:
        node = history(t)
    elif node is None or meta.base is not None and meta.attr_version != made.attr_version:
        node = edge(t)
    if p.rule is None:
        node = None
    elif node is not None:
        x, front = bottom_of(t)
        node = noted(VIEWED if p.prim is RESHAPE and in_order(x) else p.rule, node,
                     saved_by(p, x, front))
    return tensor_of(below, node, made, trace, GENERAL)


def behind_examples(prim, param, size):
    """The parameter of a view of all examples, which lie along the first axis: what `batch_params` gives."""
    if prim is GETITEM:
        return (EVERY, *param)
    if prim is TRANSPOSE:
        return (0, *[axis + 1 for axis in param])
    return (size, *param)


def array_of(x, plan):
    """The array of a view."""
    p: Plan = plan
    prim, param = p.prim, p.param
    if prim is GETITEM:
        return x[param]
    if prim is RESHAPE:
        array = reshaped(x, param)
        if array is not None:
            return array
        if x.shape == param:  # of axes of one element the strides stay
            return x.view()
        # Where NumPy would have to copy it raises, and the general road does what PyTorch does.
        return x.reshape(param) if in_order(x) else x.reshape(param, copy=False)
    if prim is not EXPAND or in_order(x):
        if p.lies is None:
            p.lies = layout_of(p, x.shape) or AS_NUMPY
        if p.lies is not AS_NUMPY:
            return laid(x, p.lies)
    if p.maker is not None:
        return p.maker(x)
    if prim is TRANSPOSE:
        return x.transpose(param)
    if not in_order(x) or not x.size:
        return prim.impl(np, x, param)
    strides = []
    lead = len(param) - len(x.shape)
    for n, length, stride in zip(param[lead:], x.shape, x.strides):
        strides.append(stride if n == length else 0)
    array = ndarray(param, x.dtype, x, 0, (0,) * lead + tuple(strides))
    # Elements that share memory must not be written to by accident; NumPy's `broadcast_to` is read-only, too.
    array.flags.writeable = False
    return array


def layout_of(plan, shape):
    """The layout of a view in memory; None where NumPy is to find it."""
    p: Plan = plan
    if p.maker is not None:
        return None if p.layout is None else layout(*p.layout)
    if p.prim is TRANSPOSE:
        return layout(shape, [shape[axis] for axis in p.param], {}, [{axis: 1} for axis in p.param])
    lead = len(p.param) - len(shape)
    steps = [{i - lead: 1} if i >= lead and shape[i - lead] == n else {} for i, n in enumerate(p.param)]
    return layout(shape, p.param, {}, steps, False)


def reading(general):
    """`Tensor.__getitem__`: at once by a basic key, or else what is `general`."""

    def fun(self, key):
        out = read(self, key)
        return general(self, key) if out is None else out

    return functools.update_wrapper(fun, general)


def detaching(general):
    """`Tensor.detach`: at once of a plain tensor of floats, or else what is `general`."""

    def fun(self):
        if (type(self) is Tensor or type(self) is Parameter) and get_modes() is None:
            u: TensorSlots = self
            if u.dispatch_key == FAST and u.level_trace is None:
                return tensor_of(u.value, None, None, None, FAST)
        return general(self)

    return functools.update_wrapper(fun, general)


def counting(general):
    """`Tensor.item`: at once of a plain tensor, or else what is `general`."""

    def fun(self):
        if type(self) is Tensor and get_modes() is None:
            u: TensorSlots = self
            if u.level_trace is None and type(u.value) is ndarray and u.value.dtype.kind != "V":
                found = number(u.value)
                if found is not None:
                    return found
        return general(self)

    return functools.update_wrapper(fun, general)


def read(t, key):
    """The view by a basic key."""
    kind = type(key)
    if kind is int:
        return view_of(t, plan_of(GETITEM, (key, Ellipsis), SELECTED, PAIR, (key,)))
    if kind is slice:
        index = key, Ellipsis
        return view_of(t, plan_of(GETITEM, index, SLICED, PAIR, index)) if simple(key) else None
    if kind is tuple:
        shape = shape_of(t)
        found = None if shape is None else place(key, shape)
        return None if found is None else view_of(t, plan_of(GETITEM, found[0], SELECT[found[1]], PAIR, found[2]))
    if key is Ellipsis:
        return view_of(t, plan_of(GETITEM, (key,), ALIASED, PAIR, (key,)))
    if key is None:
        return view_of(t, plan_of(GETITEM, (key, Ellipsis), INSERTED, PAIR, (key, Ellipsis)))
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


def parted(t, plan):
    """The views of a plan, as the outputs of one node."""
    p: Plan = plan
    u: TensorSlots = t
    o: TensorSlots
    meta: Record
    m = get_modes()
    kind = type(t)
    here = u.level_trace is None and OPEN[0] and (m is None or m.still) and (kind is Tensor or kind is Parameter)
    if u.level_trace is not None and not alone(u.value):
        return None
    still = m is not None and m.still
    outs = []
    for part in p.parts:
        out = ambient_view(t, m, not still, part) if here else view_of(t, part)
        if out is None:
            return None
        outs.append(out)
    if still:
        return tuple(outs)
    whole = edge(t)
    if whole is not None:
        x, front = bottom_of(t)
        whole = noted(p.rule, whole, saved_by(p, x, front))
    rules = None if whole is None else picks(len(outs))
    k: int = 0
    for out in outs:
        o = out
        meta = o.autograd_meta
        if meta is not None and not meta.inference:
            # PyTorch refuses writes to one of several views that a node gave.
            meta.creation = "multi"
        if whole is not None:
            o.node = noted(rules[k], whole, None)
        k += 1
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
    return tuple([_interpreters.pick_rule(count, k) for k in range(count)])


def copied(t, shape=None):
    """A copy of a tensor in the order of its axes, in another shape if one is given."""
    u: TensorSlots = t
    if type(t) is not Tensor and type(t) is not Parameter or u.level_trace is not None or not OPEN[0]:
        return None
    m = get_modes()
    recording = m is None or not m.still
    key = u.dispatch_key
    if key == GENERAL or key == INFERENCE and recording or recording and m is not None and not records(m) or (
            key == VIEW and not (current(t, recording) and (not recording or u.autograd_meta.creation in RECORDED))):
        return None
    array = u.value.copy()
    if shape is not None:
        # In place, since nobody else holds the copy: `reshape` would give a view of another array.
        array.resize(shape, refcheck=False)
    if not recording:
        return tensor_of(array, None, INFERRED if m.inference else None, None, INFERENCE if m.inference else FAST)
    p = history(t)
    node = None if p is None else noted(_CLONED, p, None) if shape is None else noted(_RESHAPED, p, aval_of(u.value))
    return tensor_of(array, node, None, None, FAST)
