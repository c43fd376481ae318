"""In-place operations: one functional computation through all levels, then writes from the bottom up.

The new contents are computed like any other operation, on a copy of the old ones where a derivative may need those.
Then each level writes its part: the memory once, at the bottom, and at every recording level the history of the tensor,
or of its base if it is a view.
"""

import numpy as np

from ..... import _interpreters
from ..graph import versions
from ..modes.inference import check_saved, check_write
from ..modes.modes import MODES
from ..modes.warnings import error_state, restore_fp_warnings, suppress_fp_warnings
from ..state.edges import edge, refusal, replay
from ..state.levels import AMBIENT, BatchTrace, GradTrace, alive, recorders
from ..state.meta import NO_DATA, check_written, is_meta, on_device
from ..types.arrays import ARRAYS, namespace, ndarray, writeable
from ..types.dtypes import type_word
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import FOREIGN, Tensor, TensorBase, needs_grad, shape_dtype
from ..values.core_values import lower, transfer
from ..views.overlap import FIRST, OVERLAPPING, check_overlap, check_own, crossing, into_what_is_shared, overlapping
from ..views.views import EXPAND, UPDATE
from .expanded import PLACES, at_places
from .lower_errors import raised
from .write import store, write


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
    """The implementation of `inplace`."""
    if (live := alive(t)) is not t:
        compute(live, name, fn, others, node_name, covers)
        return t
    operands = [x for x in others if isinstance(x, TensorBase)]
    m = MODES.get()
    kind = type(t.value)
    if (m is None or m.still) and untracked(t, m) and all(type(x.value) is kind and untracked(x, m) for x in operands):
        write_untracked(t, name, fn, [x.value if isinstance(x, TensorBase) else x for x in others], operands, covers)
        return t
    numbers = bool(operands) and name != "copy_" and not all(type(x.value) is ndarray for x in (t, *operands)) and (
        check_written(t, operands))
    check_levels(t, operands, name, others)
    if not operands and name not in _OF_TENSORS:
        check_write(t)  # PyTorch looks at the history first where there is another tensor, which a number may stand for
    values = [lower(x) if isinstance(x, TensorBase) else x for x in others]  # before `bypass` changes t's history
    if numbers:
        values = [transfer(v, "cpu", "cuda") if isinstance(x, TensorBase) and not on_device(x) else v
                  for x, v in zip(others, values)]
    passed = []
    bottom_value, wants = written_levels(t, operands, passed)
    check_write(t)  # an inference tensor is no view: nothing has passed
    try:
        recorded = wants or tangents(t, operands)
        old = lower(t, fresh=recorded)
        if name in FIRST and type(bottom_value) in ARRAYS:
            check_own(bottom_value)
        token = error_state()
        try:
            suppress_fp_warnings()
            new = fn(old, *values)
        except (ValueError, TypeError, ArithmeticError) as error:
            raised(name, error)
        finally:
            restore_fp_warnings(token)
        if m is not None and m.nans is not None:
            _interpreters.check_made(name, [("self", old), *[(f"argument {i}", v) for i, v in enumerate(values)]], new)
        shape, dtype = shape_dtype(t)
        new_dtype = new.dtype if hasattr(new, "dtype") else np.asarray(new).dtype
        check_result(shape, dtype, tuple(np.shape(new) if not hasattr(new, "shape") else new.shape), new_dtype)
        if type(bottom_value) in ARRAYS and not covers:
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
    if type(new) is _interpreters.Ambient and new.node is not None:
        check_saved(new.node, operands)
    if node_name is not None and type(new) is _interpreters.Ambient and new.node is not None:
        extra = new.node.more()
        extra.name = node_name
        extra.call = ()  # the arguments are not known by their names
        if (covers or not others) and not operands and isinstance(new.node.parents, _interpreters.AmbientNode):
            extra.edges = (new.node.parents,)
    write(t, new)
    # A retained gradient belongs to the tensor and not to the node: it goes along to the node of the write.
    for u, node in passed:
        if node is not None and node.extra.retained is not None and u.node is not None:
            u.node.ensure_hooks().retained, node.extra.retained = node.extra.retained, None
    return t


def untracked(t, m):
    """Tell whether a tensor is an ambient one without tangent, of which nothing is recorded now: in no_grad or
    inference_mode (`m` is then not None), or without a history."""
    meta = t.autograd_meta
    if t.level_trace is not None or type(t.value) not in ARRAYS or meta is not None and (
            meta.tangent is not None or meta.forward_base is not None or meta.inference):
        return False
    if meta is not None and meta.base is not None and meta.base.autograd_meta is not None and (
            meta.base.autograd_meta.tangent is not None):
        return False
    return m is not None or not needs_grad(t)


def open_array(t, m):
    """The array of a tensor if it may be written to as it is: nothing is recorded in the modes `m`, no two elements and
    no array of the user's share its memory. None if not."""
    if m is not None and not m.still or type(t) not in PLAIN_KINDS or not untracked(t, m):
        return None
    array = t.value
    if not writeable(array) or crossing(array) or overlapping(array) or (
            versions.EXPOSED and versions.exposed(array)):
        return None
    return array


def written_as(run, t, args, kwargs, operands):
    """Tell whether `t`, of which nothing is recorded, is now what `run(t, *args, **kwargs)` gives, an array of its
    shape and dtype; False for what this does not take. The general path says what does not fit."""
    m = MODES.get()
    array = open_array(t, m)
    if array is None or not all(type(x) in PLAIN_KINDS and untracked(x, m) for x in operands):
        return False
    try:
        out = run(t, *args, **kwargs)
    except (RuntimeError, TypeError, ValueError, LookupError, ArithmeticError):
        return False
    if type(out) is not Tensor or type(out.value) is not type(array):
        return False
    v = out.value
    if v.dtype is not array.dtype or v.shape != array.shape:
        return False
    check_overlap(array, operands)
    store(t, v)
    return True


def write_untracked(t, name, fn, values, operands, covers):
    """The path of `compute` where nothing is recorded: write to the memory."""
    array = t.value
    if name in FIRST:
        check_own(array)
    token = error_state()
    expanded = name in PLACES and type(array) is ndarray and overlapping(array)
    try:
        suppress_fp_warnings()
        new = at_places(array, name, fn, values) if expanded else fn(array, *values)
    except (ValueError, TypeError, ArithmeticError) as error:
        raised(name, error)
    finally:
        restore_fp_warnings(token)
    new = namespace(array).asarray(new)
    check_result(array.shape, array.dtype, new.shape, new.dtype)
    if not covers and not expanded:
        check_overlap(array, operands)
    store(t, new)


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
                if type(base.value) in ARRAYS and overlapping(base.value):
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
    """Tell whether a tangent may be pushed through the write."""
    return any(x.autograd_meta is not None and x.autograd_meta.tangent is not None for x in (t, *operands))


def needs_at(t, level):
    """Tell whether a tensor asks for a gradient at a level."""
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


def check_levels(t, operands, name, others=()):
    """Refuse writes that a running transform could not see."""
    m = MODES.get()
    mine = {id(u.level_trace) for u in chain(t)}
    inside = id(FOREIGN) in mine and (m is None or m.level is None or m.foreign is None or m.level.level < m.foreign)
    if m is not None and m.level is not None and id(m.level) not in mine and not inside:
        raise RuntimeError(
            "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
            f"(aten::{overload(name, others)}) that would mutate a captured Tensor. This is not supported; please "
            "rewrite the function being transformed to explicitly accept the mutated Tensor(s) as inputs."
        )
    for x in operands:
        for u in chain(x):
            if type(u.level_trace) is BatchTrace and not u.level_trace.done and id(u.level_trace) not in mine:
                raise RuntimeError(into_what_is_shared(name))
        if x.level_trace is FOREIGN and id(FOREIGN) not in mine and is_meta(x):
            raise NotImplementedError(f"{name}: {NO_DATA}The operand is of device meta, and what is written to is not")
        if x.level_trace is FOREIGN and id(FOREIGN) not in mine:
            raise RuntimeError(
                f"{name} would write a value of a running covector transform into a tensor created outside it, where "
                "its derivative would be lost; make the tensor inside the transformed function, or return the value"
            )


# Operations with overloads: those of which numbers take the one of tensors, and those whose last operand decides.
_OF_TENSORS = frozenset({"add_", "sub_", "mul_", "div_", "floor_divide_"})
_BY_OPERAND = frozenset("""pow_ remainder_ fmod_ eq_ ne_ lt_ le_ gt_ ge_ bitwise_and_ bitwise_or_ bitwise_xor_
fill_ lerp_ masked_fill_ copysign_""".split())


def overload(name, others):
    """torch's name of an operation with its overload: `add_.Tensor`."""
    if name in _OF_TENSORS:
        return name + ".Tensor"
    if name not in _BY_OPERAND or not others:
        return name
    return name + (".Tensor" if isinstance(others[-1], TensorBase) else ".Scalar")


def check_inplace(t):
    """torch's refusals of an in-place operation that is recorded."""
    meta = t.autograd_meta
    if meta is not None:
        if meta.base is not None:
            if meta.creation is not None:
                raise RuntimeError(refusal(t, "is being"))
            base = meta.base
            if base.node is None and (base.wants_grad or t.wants_grad or t.node is not None):
                raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place "
                                   "operation.")
    if t.wants_grad and t.node is None:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


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
        # In the order of type promotion: truth values, integers, floats (2, by default), complex numbers.
        rank = {"b": 0, "u": 1, "i": 1, "c": 3}
        old, new = rank.get(dtype.kind, 2), rank.get(new_dtype.kind, 2)
        if new > old:
            raise RuntimeError(f"result type {type_word(new_dtype)} can't be cast to the desired output type "
                               f"{type_word(dtype)}")
