"""In-place operations: one functional computation through all levels, then writes from the bottom up.

The new contents are computed like any other operation, on a copy of the old ones where a derivative may need those.
Then each level writes its part: the memory once, at the bottom, and at every recording level the history of the tensor,
or of its base if it is a view.
"""

import numpy as np

from ..... import extend
from ..graph import versions
from ..graph.node import FREED, visible
from ..modes.errstate import restore_fp_warnings, suppress_fp_warnings
from ..modes.inference import check_saved, check_write
from ..modes.modes import MODES
from ..state.levels import AMBIENT, FOREIGN, BatchTrace, GradTrace, alive, recorders
from ..state.state import cell_of, current, edge, lower, more, needs_grad, version_of
from ..types.dtypes import type_word
from ..types.tensor_type import TensorBase
from ..views.overlap import OVERLAPPING, check_overlap, into_what_is_shared, overlapping
from ..views.views import (
    EXPAND,
    GETITEM,
    IMPLANT,
    PICK,
    RESHAPE,
    TRANSPOSE,
    UPDATE,
    move_history,
    rebase,
    refusal,
    replay,
    shape_dtype,
)
from .lower_errors import raised

ndarray = np.ndarray


def inplace(t, name, fn, others=(), node_name=None, covers=False):
    """`t` becomes `fn(t, *others)`, in memory; returns `t`.

    Args:
        t: the tensor written to.
        name: torch's name of the operation, for messages.
        fn: a function of core values whose output has the shape and dtype of `t`, or broadcasts and casts to it.
        others: tensors, or anything else handed on as it is.
        node_name: the name of the node, if it is not that of the last primitive.
        covers: elements may share memory, as for fill_ and copy_.
    """
    m = MODES.get()
    if m is None or m.recorder is None:
        return compute(t, name, fn, others, node_name, covers)
    return m.recorder.run(f"aten::{name}", compute, (t, name, fn, others, node_name, covers), None, (t, *others))


def compute(t, name, fn, others, node_name, covers):
    """What `inplace` does."""
    if (live := alive(t)) is not t:
        compute(live, name, fn, others, node_name, covers)
        return t
    operands = [x for x in others if isinstance(x, TensorBase)]
    check_levels(t, operands, name)
    m = MODES.get()
    check_write(t)
    values = [lower(x) if isinstance(x, TensorBase) else x for x in others]  # before `bypass` changes t's history
    passed = []
    bottom_value, wants = written_levels(t, operands, passed)
    try:
        recorded = wants or tangents(t, operands)
        old = lower(t, fresh=recorded)
        token = suppress_fp_warnings()
        try:
            new = fn(old, *values)
        except (ValueError, TypeError, ArithmeticError) as error:
            raised(name, error)
        finally:
            restore_fp_warnings(token)
        if m is not None and m.nans:
            extend.check_made(name, [("self", old), *[(f"argument {i}", v) for i, v in enumerate(values)]], new)
        shape, dtype = shape_dtype(t)
        new_dtype = new.dtype if hasattr(new, "dtype") else np.asarray(new).dtype
        check_result(shape, dtype, tuple(np.shape(new) if not hasattr(new, "shape") else new.shape), new_dtype)
        if type(bottom_value) is ndarray and not covers:
            check_overlap(bottom_value, operands)
    except BaseException:
        for u, node in passed:
            u.node = node if node is not None else u.node  # nothing was written: the views keep their history
        raise
    if new_dtype != dtype:
        new = new.astype(dtype)
    if tuple(new.shape) != shape:
        new = EXPAND.fun(new, shape)
    if recorded and recorders(old) - recorders(new):
        new = UPDATE.fun(old, new, Ellipsis, False, False)  # flat: what was there before no longer counts
    if type(new) is extend.Ambient and new.node is not None:
        check_saved(new.node, operands)
    if node_name is not None and type(new) is extend.Ambient and new.node is not None:
        extra = new.node.more()
        extra.name = node_name
        extra.call = ()  # the arguments are not known by their names
        if covers and not operands and isinstance(new.node.parents, extend.AmbientNode):
            extra.edges = (new.node.parents,)
    write(t, new)
    for u, node in passed:
        if node is not None and node.extra.retained is not None and u.node is not None:
            u.node.ensure_hooks().retained, node.extra.retained = node.extra.retained, None
    return t


def written_levels(t, operands, passed):
    """The memory below a tensor, and whether a level records the write; refused where a level cannot.

    Views with hooks are noted in `passed` with the nodes that they had.
    """
    wants = False
    while True:
        level = None if t.level_trace is FOREIGN else t.level_trace or AMBIENT
        if (level is AMBIENT or isinstance(level, GradTrace)) and level.recording and (
                needs_grad(t) or any(needs_at(x, level) for x in operands)):
            check_inplace(t)
            wants = True
            base = None if t.autograd_meta is None else t.autograd_meta.base
            if base is not None:
                if type(base.value) is ndarray and overlapping(base.value):
                    raise RuntimeError(OVERLAPPING)
                passed.append((t, bypass(t)))
        if not isinstance(t.value, TensorBase):
            return t.value, wants
        t = t.value


def bypass(t):
    """Give a view whose node has hooks a fresh node before a write: the write's gradient does not pass the hooks."""
    node = edge(t)
    if node is None or node.extra is None or node.extra.quiet:
        return None
    origin = edge(t.autograd_meta.base)
    if origin is not None:
        replay(t, origin)
    return node


def tangents(t, operands):
    """Whether a tangent may be pushed through the write."""
    return any(x.autograd_meta is not None and x.autograd_meta.tangent is not None for x in (t, *operands))


def needs_at(t, level):
    """Whether a tensor asks for a gradient at a level."""
    while True:
        if (t.level_trace or AMBIENT) is level:
            return needs_grad(t)
        if not isinstance(t.value, TensorBase):
            return False
        t = t.value


def chain(t):
    """A tensor and those below it."""
    while True:
        yield t
        if not isinstance(t.value, TensorBase):
            return
        t = t.value


def check_levels(t, operands, name):
    """Refuse writes that a running transform could not see."""
    m = MODES.get()
    mine = {id(u.level_trace) for u in chain(t)}
    inside = id(FOREIGN) in mine and (m is None or m.level is None or m.foreign is None or m.level.level < m.foreign)
    if m is not None and m.level is not None and id(m.level) not in mine and not inside:
        raise RuntimeError(
            "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
            f"(aten::{name}) that would mutate a captured Tensor. This is not supported; please rewrite the function "
            "being transformed to explicitly accept the mutated Tensor(s) as inputs."
        )
    for x in operands:
        for u in chain(x):
            if type(u.level_trace) is BatchTrace and not u.level_trace.done and id(u.level_trace) not in mine:
                raise RuntimeError(into_what_is_shared(name))
        if x.level_trace is FOREIGN and id(FOREIGN) not in mine:
            raise RuntimeError(
                f"{name} would write a value of a running covector transform into a tensor created outside it, where "
                "its derivative would be lost; make the tensor inside the transformed function, or return the value"
            )


def check_inplace(t):
    """torch's refusals of an in-place operation that is recorded."""
    meta = t.autograd_meta
    if meta is not None:
        if meta.base is not None:
            if meta.creation is not None:
                edge_of_view(t)
                raise RuntimeError(refusal(t, "is being"))
            base = meta.base
            if base.wants_grad and base.node is None:
                raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place "
                                   "operation.")
    if t.wants_grad and t.node is None:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def edge_of_view(t):
    """The history of a view, for a message; a stale one stays."""
    return t.node


def check_result(shape, dtype, new_shape, new_dtype):
    """torch's errors for an output that does not fit the tensor it is written to."""
    if new_shape != shape:
        try:
            fits = np.broadcast_shapes(shape, new_shape) == shape
        except ValueError:
            fits = False
        if not fits:
            raise RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape {list(new_shape)}")
    if new_dtype != dtype:
        rank = {"b": 0, "u": 1, "i": 1, "c": 3}
        old, new = rank.get(dtype.kind, 2), rank.get(new_dtype.kind, 2)
        if new > old:
            raise RuntimeError(f"result type {type_word(new_dtype)} can't be cast to the desired output type "
                               f"{type_word(dtype)}")


def write(t, new, pushed=False):
    """Write a core value into the memory of a tensor, and its history at every level.

    `pushed` says that a level above has a tangent, whose own history refers to that of the value.
    """
    trace = t.level_trace
    if trace is FOREIGN:
        write_foreign(t, new)
        return
    if trace is not None and trace.done:
        write(t.value, new, pushed)
        return
    if type(trace) is BatchTrace:
        if type(new) is extend.Batched and new.owner is trace:
            write(t.value, new.value, pushed)
        else:
            shape, _ = shape_dtype(t.value)
            write(t.value, EXPAND.fun(new, shape), pushed)
        return
    level = trace or AMBIENT
    mine = isinstance(new, extend.Ambient) and new.owner is level
    node = new.node if mine else None
    value = new.value if mine else new
    pushed = pushed or mine and new.tangent is not None
    recording = level.recording
    view = t.autograd_meta is not None and t.autograd_meta.base is not None
    base_edge = edge(t.autograd_meta.base) if view and recording else None
    before = edge(t) if view and recording else t.node
    if trace is None:
        store(t, value)
    else:
        rescue(t)
        write(t.value, value, pushed)
    if mine and node is not None and trace is None and not pushed:
        substitute(node, value, t.value)
    if recording and node is not None:
        if view:
            rebase(t, node, base_edge, written(node, before))
            replay(t, edge(t.autograd_meta.base))
            t.autograd_meta.attr_version = version_of(t)
        else:
            move_history(t, node)
    if mine and new.tangent is not None:
        WRITE_TANGENT[0](t, new.tangent)


WRITE_TANGENT = []  # filled by forward_ad.py


def written(node, before):
    """The edges of a write that CopySlices shows beside its base."""
    extra = node.extra
    if extra is not None and extra.edges is not None:
        return extra.edges[1:]
    shown = [f for f, _ in node.next_functions]
    first = None if before is None else visible(before)[0]
    for i, f in enumerate(shown):
        if f is first:
            del shown[i]  # once: the value may come from the same node
            break
    return tuple(shown)


def store(t, value):
    """Copy an array into the memory of an ambient tensor and count the write."""
    array = t.value
    rescue(t)
    m = MODES.get()
    if m is not None and m.hooks:
        for pack, _ in m.hooks:
            before = getattr(pack, "before_write", None)
            if before is not None:
                before(array)
    if isinstance(value, extend.Tracer):
        raise RuntimeError(
            "a value of a running covector transform would be written into a tensor created outside it, where its "
            "derivative would be lost; make the tensor inside the transformed function, or return the value"
        )
    if not array.flags.writeable:
        array = writable(array)
    array[...] = value
    versions.bump(array)


# Their rules save the output where PyTorch's save the operands: a write to the output must stay legal.
KEEPERS = frozenset("absolute divide erfinv fmod sinc".split())


def rescue(t):
    """Give a node that saved its output, where PyTorch's does not, a copy before the output is written to."""
    meta = t.autograd_meta
    source = t if meta is None or meta.base is None else meta.base
    node = source.node
    if node is None or node.rule is None or node.rule.prim is None or node.rule.prim.name not in KEEPERS:
        return
    rule = node.rule
    if -1 not in rule.origins or node.saved is FREED or node.extra is not None and node.extra.packing is not None:
        return
    items = (node.saved,) if len(rule.origins) == 1 else node.saved
    items = tuple([copied(x) if origin == -1 else x for x, origin in zip(items, rule.origins)])
    node.saved = items[0] if len(items) == 1 else items
    tangents = None if node.extra is None else node.extra.tangents
    if tangents and tangents.get(-1) is not None:  # the output's tangent is written to as well
        node.extra.tangents = {**tangents, -1: copied(tangents[-1])}


def copied(x):
    """A core value in memory of its own, with its history."""
    if type(x) is extend.Ambient:
        return x.owner.box(copied(x.value), x.aval, x.node, None if x.tangent is None else copied(x.tangent))
    if isinstance(x, extend.Batched):
        return extend.make_batched(x.owner, copied(x.value))
    return x.copy() if isinstance(x, ndarray) else x


def writable(array):
    """A writable twin of a read-only view (NumPy makes what `expand` gives read-only) of writable memory."""
    root = versions.root_of(array)
    if not root.flags.writeable:
        raise RuntimeError("the memory of this tensor is read-only (it came from a read-only NumPy array); clone() it "
                           "before writing to it")
    offset = array.ctypes.data - root.ctypes.data
    return np.ndarray(array.shape, array.dtype, versions.flat(root), offset, array.strides)


def substitute(node, answer, memory):
    """Let a rule that saved its output refer to the memory it was written to: a later write is then noticed."""
    rule = node.rule
    if rule.prim is None or -1 not in rule.origins or node.extra is not None and node.extra.packing is not None:
        return
    if len(rule.origins) == 1:
        node.saved = memory if node.saved is answer else node.saved
    else:
        node.saved = tuple([memory if x is answer else x for x in node.saved])
    node.seq = extend.next_seq()


def write_foreign(t, new):
    """Replace the value of a tensor without memory, or the part of its base that a view stands for."""
    meta = t.autograd_meta
    if meta is None or meta.base is None:
        t.value = new
        more(t).cell = cell_of(t) + 1
        return
    base = meta.base
    parts = [current(base)]
    for prim, params in meta.steps:
        parts.append(prim.fun(parts[-1], *params))
    for (prim, params), x in zip(reversed(meta.steps), reversed(parts[:-1])):
        new = put_value(prim, params, x, new)
    base.value = new
    more(base).cell = cell_of(base) + 1


def put_value(prim, params, x, part):
    """`x` with a view of it replaced by `part`."""
    if prim is GETITEM:
        return UPDATE.fun(x, part, params[0], False, False)
    if prim is RESHAPE:
        return part.reshape(x.shape)
    if prim is TRANSPOSE:
        return TRANSPOSE.fun(part, tuple(int(i) for i in np.argsort(params[0])))
    if prim is PICK:
        return IMPLANT.fun(x, part, params[0])
    if prim.name not in PUT_VALUE:
        raise NotImplementedError(f"an in-place write through a view by {prim.name} is not supported; clone() it first")
    return PUT_VALUE[prim.name](params, x, part)


PUT_VALUE = {}  # by view primitive: real, imag, strided
