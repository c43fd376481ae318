"""The fast road of writes in place: to plain tensors, and to values of a level over plain ones. Compiled with
fast.pxd beside it.

The meaning of a write is `compute` of inplace/inplace.py: the nodes are the same, their names and edges are worked out
when somebody asks. Each function says whether it wrote; nothing has happened where it did not.
"""

import functools

import numpy as np

from ..... import _engine, extend
from ..graph.recording import noted
from ..graph.versions import EXPOSED, exposed, note
from ..modes.modes import MODES
from ..state.edges import edge
from ..state.levels import BatchTrace
from ..state.makers import history, quiet, tensor_of
from ..state.plain import OPEN, bare, current, hooked, place, records, untouched
from ..types.dtypes import dtype as Dtype
from ..types.ndarrays import alike, copied, dense, filled, floats, owner, same, writes
from ..types.number_cache import EXACT, FLOATS, constant
from ..types.parameter import Parameter
from ..types.record_slots import Record
from ..types.tensor_slots import TensorSlots
from ..types.tensor_type import FAST, GENERAL, INFERENCE, VIEW, Tensor, TensorBase
from ..views.array_index import index_of as array_index
from ..views.overlap import OVERLAPPING, crossing, overlapping
from ..views.rules import BASE, BOTH, COPIED, FILLED, NUMBER, VALUE, ZEROED
from .copy_slices import COPY_SLICES, CopySlices, index_of, lies_in
from .write import KEEPERS, keeps_answer

ndarray = np.ndarray
get_modes = MODES.get
aval_of = extend.aval_of
F64, F32 = FLOATS
HALF = 65504.0  # the largest number of half precision
SCALED = quiet(np.multiply)
CONSTANTS = frozenset({int, float, bool, str, type(None), Dtype})


class Target:
    """The target of a write: the memory, and who has its history.

    `x` is the array, of which the first `front` axes are those of vmaps; `tensor` what is written to below those, and
    `holder` that or its base; `node` the holder's, where operations are `recording`. `recorded` says of a tensor that
    is to be written as a whole whether that gives it a history.
    """

    __slots__ = ("front", "holder", "node", "recorded", "recording", "tensor", "x")


def target(t, m):
    """The `Target` of a write in the modes `m`; None for what is left to the general road."""
    kind = type(t)
    if kind is not Tensor and kind is not Parameter or not OPEN[0]:
        return None
    u: TensorSlots = t
    b: TensorSlots
    holder: TensorSlots
    front: int = 0
    recording = True
    level = None
    if m is not None:
        if m.still:
            recording = False
        elif m.packing is not None:
            if not hooked(m):
                return None
        elif not records(m):
            return None
        else:
            level = m.level
            # From the innermost vmap outwards; those outside of the gradient's level lie below it, and stay.
            for trace in m.maps[::-1]:
                if level is not None and trace.level < level.level:
                    break
                if u.level_trace is not trace:
                    return None
                u = u.value
                front += 1
            if level is not None and len(m.lower) != 1:
                return None
    if u.level_trace is not level:
        return None
    holder = u
    meta: Record = u.autograd_meta
    if level is None:
        x = u.value
        key = u.dispatch_key
        if key == VIEW:
            holder = meta.base
            if not untouched(meta) or not untouched(holder.autograd_meta):
                return None
        elif key == INFERENCE:
            if recording or not m.inference or overlapping(u.value) or crossing(u.value):
                return None
        elif key != FAST:
            if not bare(u) or meta is not None and (meta.inference or crossing(u.value)):
                return None
    else:
        b = u.value
        if not alone_below(b):
            return None
        x = b.value
        if not floats(x):
            return None
        if meta is not None:
            if not untouched(meta) or meta.forward_base is not None or meta.creation is not None or meta.inference:
                return None
            if meta.base is not None:
                holder = meta.base
                if holder.level_trace is not level or not untouched(holder.autograd_meta) or (
                        not alone_below(holder.value)):
                    return None
    if type(x) is not ndarray or not writes(x) or EXPOSED and exposed(x):
        return None
    if not dense(x) and overlapping(x):  # the general road has PyTorch's refusal
        return None
    node = holder.node
    if node is not None and not silent(node, recording):
        return None
    found: Target = Target.__new__(Target)
    found.x = x
    found.tensor = u
    found.holder = holder
    found.recording = recording
    found.front = front
    found.node = node if recording else None
    if holder is not u:
        if recording and (node is not None or u.node is not None or u.wants_grad or holder.wants_grad):
            if node is None or u.wants_grad or meta.creation is not None or (
                    level is None and holder.dispatch_key != FAST) or (
                    u.node is not None and not unheard(u.node)) or not lies_in(holder, u):
                return None
    elif recording and node is None and u.wants_grad:  # a leaf: the general road refuses the write
        return None
    return found


def alone_below(t):
    """Tell whether the tensor below a value of a level is an ambient one of floats without history and tangent."""
    u: TensorSlots = t
    if u.level_trace is not None or u.node is not None or u.wants_grad or type(u.value) is not ndarray:
        return False
    if u.dispatch_key == FAST:
        return True
    return u.dispatch_key == VIEW and u.autograd_meta.creation is None and current(t, True) and u.node is None and (
        u.autograd_meta.base.node is None and not u.autograd_meta.base.wants_grad)


def unheard(node):
    """Tell whether a node has no hook that a write is to be told of."""
    extra = node.extra
    return extra is None or extra.quiet or extra.packed


def silent(node, recording):
    """Tell whether a node may stay when the contents that it gave are written over: it kept nothing of them."""
    rule = node.rule
    if recording and (rule is None or not unheard(node)):
        return False
    return rule is None or rule.prim is None or rule.prim.name not in KEEPERS or "ans" not in rule.names or (
        not keeps_answer(node))


def operand(value, to):
    """`(value, node)` of what is written: a number that the dtype takes, or an array of it; None for all else."""
    found: Target = to
    kind = type(value)
    dtype = found.x.dtype
    if kind is not Tensor and kind is not Parameter:
        return (value, None) if fits(value, dtype) else None
    u: TensorSlots = value
    t: TensorSlots = found.tensor
    k: int = found.front
    while k:
        if type(u.level_trace) is not BatchTrace or u.level_trace.done:
            return None
        u = u.value
        k -= 1
    meta: Record = u.autograd_meta
    node = None
    if u.level_trace is not None:
        if u.level_trace is not t.level_trace or not alone_below(u.value):
            return None
        if meta is not None and (not untouched(meta) or meta.forward_base is not None or meta.inference or (
                meta.base is not None and not untouched(meta.base.autograd_meta))):
            return None
        node = history(u) if meta is None else edge(u)
        v = u.value.value
    else:
        v = u.value
        key = u.dispatch_key
        if t.level_trace is not None and not alone_below(u):
            return None
        if key == FAST:
            pass
        elif key == VIEW:
            if not current(u, found.recording):
                return None
        elif key == INFERENCE:
            if found.recording:
                return None
        elif not bare(u):
            return None
        if found.recording and t.level_trace is None:
            node = history(u)
    return (v, node) if type(v) is ndarray and v.dtype is dtype else None


def fits(value, dtype):
    """Tell whether a dtype takes a Python number as it is, the nearest one for a float."""
    kind = type(value)
    if dtype is F64:
        return kind is float or kind is int and -EXACT <= value <= EXACT
    if dtype is F32:
        return kind is float and -3e38 <= value <= 3e38 or kind is int and -EXACT <= value <= EXACT
    letter = dtype.kind
    if kind is bool:
        return letter == "b"
    if letter in "iu":
        if kind is float:
            if not -EXACT <= value <= EXACT or value != int(value):
                return False
        elif kind is not int:
            return False
        low = -(1 << 8 * dtype.itemsize - 1) if letter == "i" else 0
        return low <= value < low + (1 << 8 * dtype.itemsize)
    if kind is not int and kind is not float:
        return False
    if letter == "b":
        return kind is int or -EXACT <= value <= EXACT and value == int(value)
    most = 0 if letter not in "cf" else EXACT if letter == "c" else HALF if dtype.itemsize == 2 else 3e38
    return -most <= value <= most and (kind is float or -EXACT <= value <= EXACT)


def lies_elsewhere(v, x):
    """Tell whether an array shares no memory with another one."""
    return owner(v) is not owner(x)


def spot_of(key, x, front):
    """The place of a basic key, behind so many axes; None for any other, and for all of an array."""
    kind = type(key)
    if kind is int:
        shape = x.shape
        if len(shape) <= front or not -shape[front] <= key < shape[front]:
            return None
        return (key,) if not front else (slice(None),) * front + (key,)
    given = key if kind is tuple else (key,)
    found = place((slice(None),) * front + given if front else given, x.shape)
    return None if found is None or found[0] == (Ellipsis,) else found[2]


def put(t, key, value):
    """`t[key] = value`; index tensors are taken where nothing is recorded."""
    found: Target = target(t, get_modes())
    if found is None:
        return False
    given = operand(value, found)
    if given is None:
        return False
    x = found.x
    v, q = given
    holder: TensorSlots = found.holder
    p = found.node
    spotted = False
    spot = spot_of(key, x, found.front)
    if holder is not found.tensor and (p is not None or q is not None):
        return False  # the general road makes a view of it, and writes to that
    if spot is None:
        spot = None if found.front or p is not None or q is not None else array_index(key, x.shape)[0]
        if spot is None or type(v) is ndarray and not lies_elsewhere(v, x):
            return False
    elif type(v) is ndarray and v.ndim:
        part = x[spot]
        if type(part) is not ndarray or not alike(part, v):
            return False
        if lies_elsewhere(v, x):
            copied(part, v)
        elif not same(part, v):  # which `t[key] += value` writes back
            return False
        spotted = True
    if not spotted:
        try:
            x[spot] = v
        except (IndexError, TypeError, ValueError):
            return False
    wrote(found)
    if p is not None or q is not None:
        aval = NUMBER if type(v) is not ndarray or not v.ndim and v.dtype is F64 else aval_of(v)
        holder.node = noted(VALUE if p is None else BASE if q is None else BOTH,
                            q if p is None else p if q is None else (p, q), (aval_of(x), aval, spot, False))
    return True


def placing(general):
    """`Tensor.__setitem__`: at once by a basic key, or by index tensors in a tuple, or else what is `general`."""

    def fun(self, key, value):
        if type(key) is Tensor or not put(self, key, value):
            general(self, key, value)

    return functools.update_wrapper(fun, general)


def wrote(to):
    """Note a write; memory of inference mode has no versions, since none of it can be saved."""
    found: Target = to
    u: TensorSlots = found.tensor
    if u.dispatch_key != INFERENCE:
        note(found.x)


def assign(t, value, rules):
    """`t.copy_(value)`, or `t.fill_(value)` with a number; `rules` are those of the node: of the tensor, of the value,
    of both."""
    found: Target = target(t, get_modes())
    if found is None:
        return False
    u: TensorSlots = found.tensor
    holder: TensorSlots = found.holder
    p = found.node
    given = operand(value, found)
    if given is None:
        return False
    v, q = given
    x = found.x
    if p is None and q is not None and holder is not u or p is not None and holder is u and rules is None:
        return False
    # Of memory that both share, some would be read after it was written.
    if type(v) is ndarray and (not alike(v, x) or not lies_elsewhere(v, x) and np.may_share_memory(v, x)):
        return False
    spot = Ellipsis if holder is u or p is None else index_of(u)
    if type(v) is ndarray:
        copied(x, v)
    else:
        filled(x, v)
    wrote(found)
    if p is None and q is None:
        return True
    whole = holder.value if holder.level_trace is None else holder.value.value
    if holder is not u:
        rules = BASE, None, BOTH
        u.node = None  # made again from that of its base when it is asked for
        u.autograd_meta.attr_version = -1
    which = 1 if p is None else 0 if q is None else 2
    holder.node = noted(rules[which], q if p is None else p if q is None else (p, q),
                        (aval_of(whole), aval_of(v) if type(v) is ndarray else NUMBER, spot, False))
    return True


def assigned_whole(t, value):
    """`t[...] = value`."""
    return assign(t, value, COPIED if type(value) is Tensor or type(value) is Parameter else None)


class Write:
    """A method that writes in place, as far as its row decides it.

    `op` computes it, into memory if it is `direct`; `kind` says of which operands, and `count` of how many numbers.
    `rules` are those of its node, by what has a history: the tensor, the other operand, both; `needs` says of each
    whether it takes what the tensor held before, or the output. `saves` says whether anything is saved; `names` are
    those of its numbers (in `order`), or `alpha`. `alike()` says whether the node has
    the name of that of the operation that is not in place.
    """

    __slots__ = ("alike", "closed", "count", "direct", "kind", "names", "needs", "op", "order", "rules", "saves")


BINARY, UNARY, FILL, ZERO, COPY = range(5)
FILLINGS, ZEROINGS = (FILLED, None, None), (ZEROED, None, None)


def writing(write, general):
    """The method that writes in place by a `Write`, or else what is `general`."""
    w: Write = write

    def fun(self=MISSING, *given, **named):
        if self is MISSING:
            return general(*given, **named)
        if (not named or w.names and named.keys() <= w.names) and performed(w, self, given, named):
            return self
        return general(self, *given, **named)

    functools.update_wrapper(fun, general)
    fun.ahead = functools.partial(writing, write)
    return fun


MISSING = object()


def performed(write, t, given, named):
    """Tell whether a write was done."""
    w: Write = write
    kind: int = w.kind
    if kind == UNARY:
        if not named and len(given) == w.count:
            return apply(t, given, w)
        return len(given) <= w.count and named.keys().isdisjoint(w.order[:len(given)]) and apply(
            t, given + tuple(map(named.get, w.order[len(given):])), w)
    if kind == ZERO:
        return not given and assign(t, 0.0, ZEROINGS)
    if len(given) != 1:
        return False
    value = given[0]
    if kind == BINARY:
        return update(t, value, w, named["alpha"] if named else None)
    what = type(value)
    if kind == FILL:
        return (what is float or what is int or what is bool) and assign(t, value, FILLINGS)
    return (what is Tensor or what is Parameter) and assign(t, value, COPIED)


def update(t, other, write, alpha):
    """`t += other` and related writes; `alpha` scales what nothing is recorded of."""
    w: Write = write
    m = get_modes()
    found: Target = target(t, m)
    if found is None:
        return False
    x = found.x
    u: TensorSlots = found.tensor
    p = found.node
    integers = False
    if not floats(x):
        integers = w.closed and x.dtype.kind in "iu" and type(other) is not float
        if not integers:
            return False
    given = operand(other, found)
    if given is None:
        return False
    y, q = given
    recorded = p is not None or q is not None
    if alpha is not None and (
            recorded or integers or type(y) is not ndarray or not y.ndim or not fits(alpha, x.dtype)):
        return False
    if type(y) is ndarray:
        if found.front and y.ndim != x.ndim:  # axes of examples stay in front of those that it is broadcast along
            if y.ndim > x.ndim:
                return False
            y = y.reshape(*y.shape[: found.front], *(1,) * (x.ndim - y.ndim), *y.shape[found.front :])
        if m is not None and m.packing is not None and w.saves:
            return False  # the hooks are to see what is saved
        if (y is not x or found.recording and not integers) and not lies_elsewhere(y, x) or integers and (
                not alike(y, x) and y.ndim):
            return False
        if alpha is not None:
            y = SCALED(y, float(alpha))
    elif not integers and (recorded or type(y) is not float):
        y = constant(y, x.dtype)
    which = 1 if p is None else 0 if q is None else 2
    if recorded and (w.needs[which] or (q is not None or y.ndim) and not alike(y, x) or (
            p is None and found.holder is not u)):
        return False
    try:
        w.op(x, y, x)
    except ValueError:
        return False
    wrote(found)
    if recorded:
        rule = w.rules[which]
        history_of(found, rule, p if q is None else q if p is None else (p, q), q,
                   None if rule.collect is None else rule.collect((None, y, None)))
    return True


def apply(t, numbers, write):
    """`t` becomes what an operation of it and of numbers gives, some of which may be None."""
    w: Write = write
    m = get_modes()
    for n in numbers:
        if n is not None and (type(n) is not float and type(n) is not int or n != n or not -EXACT <= n <= EXACT):
            return False
    if w.count and numbers.count(None) == w.count:
        return False
    found: Target = target(t, m)
    if found is None:
        return False
    x = found.x
    p = found.node
    if not floats(x):
        return False
    rule = w.rules[0]
    old = None
    if p is not None:
        if m is not None or w.count or w.saves and found.holder is not found.tensor or not w.alike():
            return False  # CopySlices have what a rule saves of other operands alone
        old = x.copy() if w.needs[0] else None
    if w.direct:
        w.op(x, x, *numbers)
    else:
        v = w.op(x)
        if type(v) is not ndarray or not alike(v, x):
            return False
        copied(x, v)
    wrote(found)
    if p is not None:
        history_of(found, rule, p, None, None if rule.collect is None else rule.collect((old, *numbers, x)))
    return True


def history_of(to, rule, parents, q, saved):
    """Note what was written to a tensor, with the node `q` of another operand, as its history or that of its base."""
    found: Target = to
    u: TensorSlots = found.tensor
    if found.holder is u:
        u.node = noted(rule, parents, saved)
    else:
        through_view(u, found.holder, rule, q, saved)


def through_view(t, base, rule, q, saved):
    """The history of a base after a write through its view by `rule`; the view's own is made when it is read."""
    u: TensorSlots = t
    holder: TensorSlots = base
    meta: Record = u.autograd_meta
    put = meta.put
    if put is None:
        whole = holder.value if holder.level_trace is None else holder.value.value
        if overlapping(whole):
            raise RuntimeError(OVERLAPPING)
        put = meta.put = (index_of(t), aval_of(whole))
    fn = noted(rule, (None, q), saved)
    node = CopySlices()
    node.extra = None
    node.rule = COPY_SLICES[rule.keeps]
    node.parents = holder.node if q is None else (holder.node, q)
    node.saved = (*put, fn)
    node.seq = fn.seq
    holder.node = node
    u.node = None
    meta.attr_version = -1


def rewritten_as(fun, t, args, kwargs, recorded):
    """Tell whether `t` is now what `fun(t, *args, **kwargs)` gives.

    What is recorded is computed on a copy of the old contents, and the node of what it gave becomes that of the tensor;
    `recorded` says whether it may get a history by that.
    """
    to: Target = opened(t, (*args, *kwargs.values()) if kwargs else args)
    if to is None or kwargs and "out" in kwargs:
        return False
    x = to.x
    u: TensorSlots = t
    source: TensorSlots = u
    if to.recorded:
        if not recorded or u.dispatch_key != FAST:
            return False
        source = tensor_of(x.copy(), u.node, None, None, FAST)
    try:
        found: TensorSlots = fun(source, *args, **kwargs)
    except (RuntimeError, TypeError, ValueError, LookupError, ArithmeticError):  # the general road says what is wrong
        return False
    if type(found) is not Tensor or found is source or found.level_trace is not None or u.value is not x:
        return False
    v = found.value
    if type(v) is not ndarray or v.shape != x.shape or v.dtype is not x.dtype and v.dtype.kind != "b":
        return False
    p = found.node
    if (p is None) is to.recorded or to.recording and u.node is not to.node:
        return False
    x[...] = v
    wrote(to)
    if p is not None:
        saved = p.saved
        if saved is v or type(saved) is tuple and any(thing is v for thing in saved):  # a later write is noticed
            p.saved = x if saved is v else tuple([x if thing is v else thing for thing in saved])
            p.seq = _engine.next_seq()
        u.node = p
    return True


def opened(t, operands):
    """The `Target` of a tensor without level that may be written to as a whole, beside operands whose memory lies
    elsewhere; None for all else."""
    m = get_modes()
    if m is not None and not m.still:
        return None
    to: Target = target(t, m)
    if to is None or not dense(to.x):
        return None
    to.recorded = to.node is not None
    for y in operands:
        if isinstance(y, TensorBase):
            u: TensorSlots = y
            v = u.value
            if u.level_trace is not None or type(v) is not ndarray or v is not to.x and not lies_elsewhere(v, to.x):
                return None
            if u.dispatch_key == VIEW and not current(y, to.recording) or u.dispatch_key == INFERENCE and (
                    to.recording) or u.dispatch_key == GENERAL and not bare(y):
                return None
            if to.recording and history(y) is not None:
                to.recorded = True
        elif type(y) not in CONSTANTS:
            return None
    return to
