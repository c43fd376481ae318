"""Saved values as users see them: saved-tensor hooks around each, and `_saved_self` on nodes."""

import numpy as np

from ... import extend
from . import versions
from .levels import PACKING
from .node import FREED, SAVED_READERS, AccumulateGrad, freed
from .state import TensorBase, lift, lower, wrap

ndarray = np.ndarray
_NAMES = {"x": "self", "y": "other", "ans": "result", "a": "self", "b": "other", "ct": "grad"}


class Packed:
    """One saved tensor after the pack hook."""

    __slots__ = ("object", "unpack", "version")

    def __init__(self, packed, unpack):
        self.object = packed
        self.unpack = unpack


class Packing:
    """The hooks that are in force: applied to each tensor that a rule saves."""

    __slots__ = ("hooks",)

    def __init__(self, hooks):
        self.hooks = hooks

    def pack(self, node, saved, operands):
        """What the rule saved, its tensors packed."""
        rule = node.rule
        items = (saved,) if len(rule.origins) == 1 else saved
        out = [self.one(node, x, origin) for x, origin in zip(items, rule.origins)]
        return out[0] if len(out) == 1 else tuple(out)

    def one(self, node, x, origin):
        """One item: values of operands and answers are packed, shapes and numbers are not."""
        if origin is None or not isinstance(x, ndarray | np.generic | extend.Tracer):
            return x
        pack, unpack = self.hooks
        t = tensor_of(node, x, origin)
        before = MUTATION[0](t)
        packed = pack(t)
        if before is not None and MUTATION[0](t) != before:
            raise RuntimeError("A saved tensor pack hook is modifying its input in place. Tensors provided as input "
                               "to pack "
                               "hook can not be modified by in-place operations as this can lead to unexpected "
                               "side-effects. "
                               "Please open an issue if you need to perform in-place operations on the input to a pack "
                               "hook.")
        return Packed(packed, unpack)

    def unpack(self, node, saved, drive):
        """What the rule is to see."""
        rule = node.rule
        items = (saved,) if len(rule.origins) == 1 else saved
        out = []
        for x, origin in zip(items, rule.origins):
            if type(x) is Packed:
                x = lower(unpacked(x))
                if drive.create_graph:
                    level = drive.trace
                    raw = x.value if isinstance(x, extend.Ambient) and x.owner is level else x
                    x = level.lift_item(node, raw, origin, True)
            out.append(x)
        return out[0] if len(out) == 1 else tuple(out)


MUTATION = [lambda t: versions.version(t.value) if isinstance(t.value, ndarray) else None]


def unpacked(item):
    """The tensor that an unpack hook gives back."""
    t = item.unpack(item.object)
    if not isinstance(t, TensorBase):
        raise TypeError(f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(t)}")
    return t


def packing(m):
    """The packing of the innermost hooks."""
    return Packing(m.hooks[-1])


PACKING.append(packing)


def tensor_of(node, x, origin):
    """A saved value as a tensor: the leaf itself where it is one's, else one with the operand's history."""
    t = lift(x) if isinstance(x, extend.Tracer) else wrap(x)
    rule = node.rule
    if origin == -1 or rule.prim is None:
        return t
    if origin in rule.active:
        parents = node.parents if type(node.parents) is tuple else (node.parents,)
        parent = parents[rule.active.index(origin)]
        if isinstance(parent, AccumulateGrad):
            if parent.saved.value is x:
                return parent.saved
        t.node = parent
    return t


def read(node, key):
    """`node._saved_self` and `node._raw_saved_self`."""
    raw = key.startswith("_raw")
    name = key.removeprefix("_raw").removeprefix("_saved_")
    rule = node.rule
    if rule is None or rule.prim is None or rule.collect is None:
        raise AttributeError(f"'{node.name()}' object has no attribute '{key}'")
    saved = node.saved
    names = rule.names
    for i, (n, origin) in enumerate(zip(names, rule.origins)):
        shown = _NAMES.get(n, n)
        if shown != name and n != name:
            continue
        if saved is FREED:
            raise freed()
        item = saved if len(names) == 1 else saved[i]
        if raw:
            return SavedTensor(node, i)
        if type(item) is Packed:
            return unpacked(item)
        if origin is None:
            return item
        if isinstance(item, ndarray | np.generic | extend.Tracer):
            if isinstance(item, ndarray) and versions.WRITTEN:
                node.check(saved)
            t = tensor_of(node, item, origin)
            if origin == -1:
                t.node = node
            return t
        return item
    raise AttributeError(f"'{node.name()}' object has no attribute '{key}'")


SAVED_READERS.append(read)


class SavedTensor:
    """A saved value that hooks can still be registered on."""

    __slots__ = ("index", "node")

    def __init__(self, node, index):
        self.node = node
        self.index = index

    def register_hooks(self, pack_hook, unpack_hook):
        """Pack the value now; unpack it when the rule runs."""
        node = self.node
        rule = node.rule
        single = len(rule.origins) == 1
        items = [node.saved] if single else list(node.saved)
        if node.saved is FREED:
            raise freed()
        item = items[self.index]
        if type(item) is Packed:
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set.")
        extra = node.loud()
        if extra.packing is None:
            extra.packing = Packing((pack_hook, unpack_hook))
        items[self.index] = Packing((pack_hook, unpack_hook)).one(node, item, rule.origins[self.index])
        node.saved = items[0] if single else tuple(items)


