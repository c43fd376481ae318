"""Hooks on gradients: handles, and how tensor hooks and node hooks are called."""

from collections import OrderedDict
from weakref import ref


class Undefined:
    """The cotangent that torch calls undefined: it reached a node, and carries nothing."""

    __slots__ = ()
    __array_ufunc__ = None

    def __add__(self, other):
        return other

    __radd__ = __add__

    def __repr__(self):
        return "UNDEFINED"


UNDEFINED = Undefined()


class Handle:
    """What `register_hook` returns: `remove()` takes the hook away. A context manager too."""

    __slots__ = ("__weakref__", "hooks", "id")
    count = 0

    def __init__(self, hooks, fn):
        self.hooks = ref(hooks) if isinstance(hooks, OrderedDict) else hooks
        self.id = Handle.count
        Handle.count += 1
        hooks[self.id] = fn

    def remove(self):
        """Take the hook away; harmless when repeated."""
        hooks = self.hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def call_hooks(hooks, ct, drive):
    """The cotangent after tensor hooks, oldest first; a copy of the list is walked."""
    for fn in list(hooks.values()):
        given = drive.tensor(ct)
        changed = fn(given)
        if changed is not None:
            ct = drive.value(changed, given)
    return ct


def call_tensor_hooks(node, ct, drive):
    """The hooks of the tensor that a node made."""
    return ct if ct is UNDEFINED else call_hooks(node.extra.hooks, ct, drive)


def retain(extra, ct, drive):
    """Keep the gradient of a tensor that is no leaf."""
    tensor = extra.retained()
    if tensor is not None and ct is not UNDEFINED:
        drive.keep(tensor, ct)


def as_tensors(cts, drive):
    """A tuple of tensors (None where nothing arrived) of one or several cotangents."""
    cts = cts if type(cts) is tuple else (cts,)
    return tuple([None if c is None or c is UNDEFINED else drive.tensor(c) for c in cts])


def as_values(tensors, like, drive):
    """The cotangents of what a hook returned, in the form of `like`."""
    tensors = tensors if isinstance(tensors, (tuple, list)) else (tensors,)
    before = like if type(like) is tuple else (like,)
    if len(tensors) != len(before):
        raise RuntimeError(f"hook has returned an incorrect number of values (got {len(tensors)}, but expected "
                           f"{len(before)})")
    out = tuple([UNDEFINED if t is None else drive.value(t, None) for t in tensors])
    return out if type(like) is tuple else out[0]


def call_prehooks(node, ct, drive):
    """The cotangents after the node's own hooks that run before it."""
    for fn in list(node.extra.prehooks.values()):
        changed = fn(as_tensors(ct, drive))
        if changed is not None:
            ct = as_values(changed, ct, drive)
    return ct


def call_posthooks(node, out, ct, drive):
    """The cotangents of the parents after the node's own hooks that run behind it."""
    for fn in list(node.extra.posthooks.values()):
        changed = fn(as_tensors(out, drive), as_tensors(ct, drive))
        if changed is not None and out != ():
            out = as_values(changed, out, drive)
    return out
