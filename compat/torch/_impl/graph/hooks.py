"""Hooks: their handles, and calling those of tensors and of nodes with torch's checks of what they return."""

import warnings
from collections import OrderedDict
from weakref import ref

from ..types.tensor_type import TensorBase, shape_dtype
from .node_errors import UNDEFINED, type_of


class RemovableHandle:
    """The handle that `register_hook` returns: `remove()` takes the hook away. A context manager too.

    Args:
        hooks_dict: the hooks by number, where `fn` is put if it is given.
        extra_dict: tables of more facts of them by number, one or a list.
    """

    __slots__ = ("__weakref__", "extra", "hooks", "id")
    next_id = 0

    def __init__(self, hooks_dict, fn=None, *, extra_dict=None):
        self.hooks = ref(hooks_dict) if isinstance(hooks_dict, OrderedDict) else hooks_dict
        self.extra = () if extra_dict is None else tuple(
            map(ref, extra_dict if isinstance(extra_dict, list) else [extra_dict]))
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        if fn is not None:
            hooks_dict[self.id] = fn

    def remove(self):
        """Take the hook away; harmless when repeated."""
        for table in (self.hooks, *self.extra):
            table = table()
            if table is not None:
                table.pop(self.id, None)

    def __getstate__(self):
        return self.hooks(), self.id, tuple([table() for table in self.extra])

    def __setstate__(self, state):
        """The handle of a copy: it takes the hook out of the tables that were copied with it."""
        hooks, self.id, extra = state
        self.hooks, *self.extra = [ref(OrderedDict() if t is None else t) for t in (hooks, *extra)]
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def unserializable_hook(f):
    """Mark a hook that copies and pickles of its tensor go without, so that they do not warn of it."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor):
    """torch's warning of a pickle or copy of a tensor with hooks, which it goes without."""
    for hook in list((tensor._backward_hooks or {}).values()):
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can "
                          "decorate the function with @torch.utils.hooks.unserializable_hook to suppress this warning",
                          stacklevel=3)


def call_hooks(hooks, ct, drive):
    """The cotangent after tensor hooks, oldest first; a copy of the list is walked."""
    for fn in list(hooks.values()):
        given = None if ct is UNDEFINED else shown(ct, drive)
        changed = fn(given)
        if changed is not None:
            ct = replaced(fn, changed, given, drive)
    return ct


def shown(ct, drive):
    """The tensor that hooks see of a cotangent: those that follow each other see one, and may hang attributes on it."""
    last = drive.shown
    if last is None or last[0] is not ct or drive.value(last[1]) is not last[2]:  # a hook may have changed its tensor
        t = drive.tensor(ct)
        last = drive.shown = ct, t, drive.value(t)
    return last[1]


def replaced(fn, changed, given, drive):
    """The cotangent that a hook returned in place of another."""
    if given is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(changed, TensorBase):
        raise TypeError(f"expected Variable, but hook returned '{type(changed).__name__}'")
    (shape, dtype), (old_shape, old_dtype) = shape_dtype(changed), shape_dtype(given)
    if dtype != old_dtype:
        raise RuntimeError(f"hook '{title(fn)}' has changed the type of value (was torch.{type_of(old_dtype)} got "
                           f"torch.{type_of(dtype)})")
    if shape != old_shape:
        raise RuntimeError(f"hook '{title(fn)}' has changed the size of value")
    return drive.value(changed)


def title(fn):
    """The name of a hook for messages."""
    return getattr(fn, "__name__", "<unknown>")


def retain(extra, ct, drive):
    """Retain the gradient of a non-leaf tensor."""
    tensor = extra.retained()
    if tensor is not None and ct is not UNDEFINED:
        drive.keep(tensor, ct)


def as_tensors(cts, drive):
    """A tuple of tensors (None where nothing arrived) of one or several cotangents."""
    cts = cts if type(cts) is tuple else (cts,)
    return tuple([None if c is None or c is UNDEFINED else shown(c, drive) for c in cts])


def checked(fn, tensors, given, drive):
    """The cotangents of what a node's hook returned in place of `given`."""
    if not isinstance(tensors, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(tensors).__name__}'")
    if len(tensors) != len(given):
        raise RuntimeError(f"hook '{title(fn)}' has returned an incorrect number of values (got {len(tensors)}, but "
                           f"expected {len(given)})")
    return tuple([UNDEFINED if t is None else replaced(fn, t, g, drive) for t, g in zip(tensors, given)])


def call_prehooks(node, ct, drive):
    """The cotangents after the node's own hooks that run before it."""
    for fn in list(node.extra.prehooks.values()):
        given = as_tensors(ct, drive)
        changed = fn(given)
        if changed is not None:
            new = checked(fn, changed, given, drive)
            ct = tuple([None if c is UNDEFINED else c for c in new]) if type(ct) is tuple else new[0]
    return ct


def call_posthooks(node, out, ct, drive):
    """The cotangents of the parents after the node's own hooks that run behind it."""
    places = node.places()
    for fn in list(node.extra.posthooks.values()):
        given_out = as_tensors(ct, drive)
        given = found = as_tensors(out, drive)  # last: the hooks of the parents are next
        if places is not None:
            given = [None] * len(node.operands())
            for place, t in zip(places, found):
                given[place] = t
            given = tuple(given)
        changed = fn(given, given_out)
        if changed is not None:
            new = checked(fn, changed, given, drive)
            new = new if places is None else tuple([new[place] for place in places])
            out = new if type(out) is tuple else new[0]
    return out


# Single outputs of a node with several: their hooks, retained gradients and captures, which run with the node.
#
# An output's own node only picks it. PyTorch calls the hooks of all outputs before the node runs, also those of outputs
# that no gradient reached, with None.


def listen(pick):
    """Let the node of several outputs call the hooks of one of them, and retain its gradient."""
    extra = pick.parents.ensure_hooks()
    if extra.outputs is None:
        extra.outputs = {}
    extra.outputs[pick.seq] = (pick.rule.active[0], pick.extra.hooks, ref(pick))


def heard(pick):
    """Tell whether the node of several outputs calls the hooks of this one."""
    extra = pick.parents.extra
    return extra is not None and extra.outputs is not None and pick.seq in extra.outputs


def call_output_hooks(outputs, ct, drive):
    """The cotangents after the hooks of the outputs, None for those that nothing reached."""
    for nr, hooks, _ in outputs.values():
        if not hooks:
            continue
        given = part(ct, nr)
        changed = call_hooks(hooks, given, drive)
        if changed is not given:
            ct = (*ct[:nr], changed, *ct[nr + 1 :])
    for nr, _, pick in outputs.values():
        node = pick()
        if node is not None and node.extra.retained is not None:
            retain(node.extra, part(ct, nr), drive)
    return ct


def part(ct, nr):
    """The cotangent of one output."""
    c = ct[nr] if type(ct) is tuple else UNDEFINED
    return UNDEFINED if c is None else c
