"""Saved tensors of a Function's node, as backward sees them, and hooks on single ones."""

from ..... import _interpreters
from ....._engine import FREED
from ..graph.node_data import short
from ..graph.node_errors import freed, modified
from ..saved.saved import (
    HOOKS_ARE_SET,
    HOOKS_COME_LATE,
    Packed,
    SavedTensor,
    attached,
    packed,
    unpacked,
)
from ..state.edges import edge, version_of
from ..state.levels import AMBIENT, GradTrace
from ..types.tensor_type import at_level, bottom

SPENT = object()  # what a Function with `clear_saved_tensors_on_access` keeps once its saved tensors were read


def unpack(ctx):
    """The saved tensors, checked for writes since or through their unpack hook."""
    state = ctx._state
    if state.kept is FREED or state.kept is SPENT:
        raise gone(state.kept)
    if state.kept is None:
        return tuple(state.to_save or ())
    out = [one(ctx, item) for item in state.kept]
    if state.kind.clear_saved_tensors_on_access:
        state.kept = SPENT
    return tuple(out)


def one(ctx, item):
    """One saved tensor, checked; None if that was saved."""
    if item is None:
        return None
    t, version, own, node = item
    if type(t) is Packed:
        return unpacked_with_history(ctx, t, node, own)
    if version_of(t) != version:
        counts = version_of(t), version
        if own is not None:
            raise modified(bottom(t), counts, f", which is output {own} of {short(ctx.name())},")
        raise ctx.modified(bottom(t), counts, None, t.node)
    if node is not None and t.node is None:  # detached in place since
        return attached(apart(t, t.level_trace or AMBIENT), node)
    return rebuilt(ctx, t, own) if own is not None else t


def gone(kept):
    """The error for saved tensors that are not kept any more."""
    if kept is FREED:
        return freed()
    return RuntimeError("saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
                        "autograd.Function. Either access saved_tensors only once, or set "
                        "clear_saved_tensors_on_access=False.")


def pack(item, hooks):
    """A kept `(tensor, version, output number, node)` after the pack hook: it is packed, and has no version."""
    return None if item is None else (packed(item[0], hooks), None, item[2], edge(item[0]))


def unpacked_with_history(ctx, item, node, own):
    """A saved tensor through the unpack hook, with the history that it had when it was saved."""
    t = unpacked(item)
    if own is not None:
        return rebuilt(ctx, t, own)
    if node is None:
        return t
    return attached(t.detach(), node)


def apart(t, level):
    """A tensor over the same memory without the history that it has at a level; that of the levels below stays."""
    if level is AMBIENT:
        return t.detach()
    return at_level(level, t.value) if t.level_trace is level else t


def rebuilt(ctx, t, nr):
    """A saved output as a tensor of this node (saving the tensor itself would make a cycle)."""
    level = t.level_trace or AMBIENT
    out = apart(t, level) if isinstance(level, GradTrace) else t.detach()
    if ctx._state.outputs == 1:
        out.node = ctx
    elif isinstance(level, GradTrace):
        out.node = level.node(_interpreters.pick_rule(ctx._state.outputs, nr), ctx, None)
    return out


def raw_saved(ctx):
    """The saved tensors as objects that hooks can be registered on."""
    kept = ctx._state.kept
    if kept is FREED or kept is SPENT:
        raise gone(kept)
    return tuple([FunctionSavedTensor(ctx, i) for i in range(len(kept or ()))])


class FunctionSavedTensor(SavedTensor):
    """One saved tensor of a Function's node."""

    __slots__ = ()

    def item(self):
        """The packed form of the tensor."""
        kept = self.node._state.kept
        if kept is FREED or kept is SPENT:
            raise gone(kept)
        return None if kept[self.index] is None else kept[self.index][0]

    def unpack(self):
        """The tensor as backward sees it."""
        return one(self.node, self.node._state.kept[self.index])

    def pack(self, pack_hook, unpack_hook):
        """Pack the value now; unpack it when backward asks for it."""
        state = self.node._state
        if state.kept is FREED or state.kept is SPENT:
            raise RuntimeError(HOOKS_COME_LATE)
        item = state.kept[self.index]
        if item is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if type(item[0]) is Packed:
            raise RuntimeError(HOOKS_ARE_SET)
        if version_of(item[0]) != item[1]:
            raise RuntimeError("A saved tensor was modified in place before hooks were registered on it; register "
                               "them before writing to it")
        new = pack(item, (pack_hook, unpack_hook))
        state.kept = (*state.kept[: self.index], new, *state.kept[self.index + 1 :])
