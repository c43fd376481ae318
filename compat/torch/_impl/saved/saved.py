"""Saved values as users see them: saved-tensor hooks around each, and `_saved_self` on nodes."""

import functools
import inspect
from collections import namedtuple
from weakref import ref

import numpy as np

from ..... import _interpreters, extend
from ....._engine import FREED
from ..engine.graph_task import RUNNING
from ..graph import versions
from ..graph.node import AccumulateGrad
from ..graph.node_data import parent_of
from ..graph.node_errors import freed
from ..graph.saved_names import MISSING, PARTS, Elsewhere, Item, found, known
from ..modes.modes import DEFAULT, MODES
from ..types.arrays import ARRAYS
from ..types.tensor_type import Tensor, TensorBase, more, wrap
from ..values.core_values import bare, lift, lower

ndarray = np.ndarray
_NAMES = {"x": "self", "y": "other", "ans": "result", "a": "self", "b": "other", "ct": "grad"}


HOOKS_ARE_SET = ("Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                 "hooks is allowed at a time.")


HOOKS_COME_LATE = ("Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the "
                   "graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you "
                   "need to backward through the graph a second time or if you need to access saved variables after "
                   "calling backward.")


class Packed:
    """One saved tensor after the pack hook."""

    __slots__ = ("object", "unpack", "version")

    def __init__(self, packed, unpack):
        self.object = packed
        self.unpack = unpack


class Packing(namedtuple("Packing", ("pack_hook", "unpack_hook"))):
    """A pair of saved-tensor hooks, applied to each tensor that a rule saves while they are in force."""

    __slots__ = ()

    def pack(self, node, saved, numbers=()):
        """Pack the tensors that the rule saved; `numbers` are the operands that are no tensors."""
        origins = node.rule.origins
        order = order_of(node.rule)
        if not order:
            return saved
        if len(origins) == 1:
            return saved if origins[0] in numbers else ungraded(self.one, node, saved, origins[0])
        return ungraded(self.several, node, saved, [k for k in order if origins[k] not in numbers])

    def several(self, node, saved, places):
        """Several items, some of them packed."""
        origins, out = node.rule.origins, list(saved)
        for k in places:
            out[k] = self.one(node, out[k], origins[k])
        return tuple(out)

    def one(self, node, x, origin):
        """One item: values of operands and outputs are packed, shapes and numbers are not."""
        if origin is None or type(x) is not ndarray and not is_value(x):
            return x
        t = tensor_of(node, x, origin)
        if origin == -1 and node.rule.prim.outputs is None:
            t.node = node
        return packed_here(t, self)

    def unpack(self, node, saved, drive):
        """The saved values as the rule sees them."""
        drive.node = node
        before = RUNNING.get()
        if before is drive:
            return self.unpack_all(node, saved, drive)
        try:
            RUNNING.set(drive)
            return self.unpack_all(node, saved, drive)
        finally:
            RUNNING.set(before)

    def unpack_all(self, node, saved, drive):
        """Each saved tensor through its unpack hook."""
        origins = node.rule.origins
        if len(origins) == 1:
            return self.unpack_one(node, saved, origins[0], drive)
        out = list(saved)
        for k in order_of(node.rule):
            out[k] = self.unpack_one(node, out[k], origins[k], drive)
        return tuple(out)

    def unpack_one(self, node, x, origin, drive):
        """One item."""
        if type(x) is not Packed:
            return x
        t = x.unpack(x.object)
        if type(t) is not Tensor:
            check_unpacked(t)
        if not drive.create_graph:
            return bare(lower(t)) if t.dispatch_key else t.value
        level = drive.trace
        x = lower(t)
        x = x.value if isinstance(x, _interpreters.Ambient) and x.owner is level else x
        return level.lift_item(node, x, origin, True)


def is_value(x):
    """Tell whether what a rule saved is an array or a traced value, not a shape or a parameter."""
    return type(x) in ARRAYS or isinstance(x, ndarray | np.generic | extend.Tracer)


@functools.lru_cache(1024)
def order_of(rule):
    """The places of the values among what a rule saves, as hooks see them: in the order of its general form."""
    places = [k for k, origin in enumerate(rule.origins) if origin is not None]
    if len(places) > 1 and rule.prim is not None:
        general = rule.prim.rule(rule.active).origins
        places.sort(key=lambda k: general.index(rule.origins[k]) if rule.origins[k] in general else k)
    return tuple(places)


def packed(t, hooks):
    """A tensor after the pack hook of a pair."""
    return ungraded(packed_here, t, hooks)


def ungraded(fun, *args):
    """Call a function in no_grad."""
    mode = MODES.get()
    try:
        MODES.set((mode or DEFAULT).ungrading())
        return fun(*args)
    finally:
        MODES.set(mode)


def packed_here(t, hooks):
    """`packed` in no_grad."""
    pack, unpack = hooks
    stamp = versions.LAST[0]
    found = pack(t)
    if versions.LAST[0] != stamp and type(t.value) in ARRAYS and versions.changed_since(t.value, stamp):
        raise RuntimeError("A saved tensor pack hook is modifying its input in place. Tensors provided as input to "
                           "pack "
                           "hook cannot be modified by in-place operations as this can lead to unexpected "
                           "side-effects. Please open an issue if you need to perform in-place operations on the input "
                           "to a pack hook.")
    return Packed(found, unpack)


def unpacked(item):
    """The tensor that an unpack hook gives back."""
    t = item.unpack(item.object)
    check_unpacked(t)
    return t


def check_unpacked(t):
    """Refuse what is no tensor."""
    if not isinstance(t, TensorBase):
        raise TypeError(f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                        f"{type(t).__name__}")


def tensor_of(node, x, origin):
    """A saved value as a tensor: the leaf itself where it is one's, else one with the operand's history."""
    t = wrap(x) if type(x) is ndarray or not isinstance(x, extend.Tracer) else lift(x)
    parent = parent_of(node, origin)
    if parent is None:
        return t
    if parent.of_leaf:
        return parent.saved if parent.saved.value is x else attached(t, parent)
    t.node = parent
    return t


def attached(t, node):
    """A tensor with a history; an accumulator makes it a leaf whose gradient goes to the accumulator's own leaf."""
    if isinstance(node, AccumulateGrad):
        t.wants_grad = True
        more(t).accumulator = ref(node)
    else:
        t.node = node
    return t


def read(node, key):
    """`node._saved_self` and `node._raw_saved_self`."""
    raw = key.startswith("_raw")
    name = key.removeprefix("_raw").removeprefix("_saved_")
    rule = node.rule
    if rule is None or rule.prim is None and node.name() not in PARTS:
        raise missing(node, key)
    row = known(node)
    if row is not None:
        return by_table(node, key, raw, row.get(name))
    saved = node.saved
    names = rule.names
    for i, (n, origin) in enumerate(zip(names, rule.origins)):
        if origin is None or _NAMES.get(n, n) != name and n != name:
            continue
        return SavedTensor(node, i) if raw else item_of(node, i)
    if not raw:
        if name in ("self", "other") and rule.prim.elementwise:
            return unsaved(node, name, key)
        if saved is not FREED:
            values = dict(zip(names, (saved,) if len(names) == 1 else saved or ()))
            for n, of in PARAMETERS.get(name, ()):
                if n in values:
                    found = of(values[n])
                    if found is not None:
                        return found
        if name == "exponent" and rule.prim.name == "square":
            return 2
    raise missing(node, key)


def by_table(node, key, raw, word):
    """A saved value by PyTorch's name of it."""
    value = MISSING if word is None else found(node, word)
    if type(value) is Item:
        if raw:
            return SavedTensor(node, value.place)
        item = item_of(node, value.place)
        return wrap(np.asarray(item)) if isinstance(item, int | float | complex) else item
    if type(value) is Elsewhere:
        return value if raw else value.value(node)
    if value is MISSING or raw:
        raise missing(node, key, "" if word is None else ": the rule of the operation here does not keep it")
    return value


def item_of(node, i):
    """One value that a node saved, as a tensor with the history that it had."""
    rule, saved = node.rule, node.saved
    if saved is FREED:
        raise freed()
    origin = rule.origins[i]
    item = saved if len(rule.names) == 1 else saved[i]
    if type(item) is Packed:
        t = unpacked(item)
        return with_history(node, t, origin) if origin == -1 or origin not in rule.active else attached(
            t.detach(), parent_of(node, origin))
    if not is_value(item):
        return item
    if type(item) in ARRAYS and versions.WRITTEN:
        node.check(saved)
    return with_history(node, tensor_of(node, item, origin), origin)


def readable(node):
    """The names of what a node saved: values, and the shape where there is no value. Parameters can be read as well."""
    rule = node.rule
    if rule is None or rule.prim is None and node.name() not in PARTS:
        return []
    row = known(node)
    if row is not None:
        values = {name: found(node, word) for name, word in row.items()}
        return [f"_saved_{name}" for name, v in values.items() if v is not MISSING] + [
            f"_raw_saved_{name}" for name, v in values.items() if type(v) in (Item, Elsewhere)]
    names = [_NAMES.get(n, n) for n, origin in zip(rule.names, rule.origins) if origin is not None]
    if not names and "x_aval" in rule.names:
        return ["_saved_self_sym_sizes"]
    return [f"_saved_{n}" for n in names] + [f"_raw_saved_{n}" for n in names]


def missing(node, key, words=""):
    """The error for a name that a node does not have."""
    return AttributeError(f"'{node.name()}' object has no attribute '{key}'{words}")


def unsaved(node, name, key):
    """An operand that the rule did not need: None, as in PyTorch, unless PyTorch's rule saves it."""
    inputs = [n for n in inspect.signature(node.rule.prim.impl).parameters if n != "xp"]
    if name not in [_NAMES.get(n, n) for n in inputs]:
        raise missing(node, key)
    if node.rule.prim.name == "divide" and len(node.rule.active) == 2:
        raise NotImplementedError(f"{node.name()}.{key}: the rule of a division keeps its result in place of its "
                                  "numerator; "
                                  "read _saved_other and the result instead")
    return None


def unsqueezed(index):
    """The axis that an index puts in, if it does that alone."""
    found = [i for i, x in enumerate(index) if x is None]
    return found[0] if len(found) == 1 and all(x is None or x == slice(None) or x is Ellipsis for x in index) else None


def swapped(axes, k):
    """One of the two axes that a permutation swaps, if it does that alone."""
    moved = [i for i, n in enumerate(axes) if i != n]
    return moved[k] if len(moved) == 2 else None


# torch's name of a parameter -> where a rule of ours may have it, and its form there
PARAMETERS = {
    "self_sym_sizes": (("x_aval", lambda aval: tuple(aval.shape)),),
    "exponent": (("n", lambda n: n), ("y", lambda y: y)),
    "dim": (("axes", tuple), ("axis", int), ("index", unsqueezed)),
    "dims": (("axes", tuple),),
    "keepdim": (("keepdims", bool),),
    "dim0": (("axes", lambda axes: swapped(axes, 0)),),
    "dim1": (("axes", lambda axes: swapped(axes, 1)),),
}


def with_history(node, t, origin):
    """A saved output as a tensor made by the node."""
    if origin == -1 and t.node is not node and node.rule.prim.outputs is None:
        t = t.detach()
        t.node = node
    return t


class SavedTensor:
    """A saved value that hooks can still be registered on."""

    __slots__ = ("index", "node")

    def __new__(cls, *args):
        if not args:
            raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")
        return object.__new__(cls)

    def __init__(self, node, index):
        self.node = node
        self.index = index

    def item(self):
        """The stored form of the value: a `Packed`, or anything else."""
        node = self.node
        if node.saved is FREED:
            raise freed()
        return node.saved if len(node.rule.origins) == 1 else node.saved[self.index]

    @property
    def data(self):
        """The stored object: the one that a pack hook gave, or the tensor."""
        item = self.item()
        return item.object if type(item) is Packed else self.unpack()

    @property
    def unpack_hook(self):
        """The hook that the value goes through when it is needed, or None."""
        item = self.item()
        return item.unpack if type(item) is Packed else None

    def unpack(self):
        """The tensor as the rule sees it, through its hook."""
        return item_of(self.node, self.index)

    def register_hooks(self, *hooks):
        """`register_hooks(pack_hook, unpack_hook)`: pack the value now, unpack it when the rule runs."""
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise TypeError("register_hooks(): incompatible function arguments. It takes two functions, one that packs "
                            f"and one that unpacks, and was called with {', '.join(map(repr, hooks)) or 'nothing'}")
        self.pack(*hooks)

    def pack(self, pack_hook, unpack_hook):
        """Pack the value with hooks that were checked."""
        node = self.node
        rule = node.rule
        if node.saved is FREED:
            raise RuntimeError(HOOKS_COME_LATE)
        single = len(rule.origins) == 1
        items = [node.saved] if single else list(node.saved)
        item = items[self.index]
        if type(item) is Packed:
            raise RuntimeError(HOOKS_ARE_SET)
        extra = node.ensure_hooks()
        if extra.packing is None:
            extra.packing = Packing(pack_hook, unpack_hook)
        pair = Packing(pack_hook, unpack_hook)
        items[self.index] = ungraded(pair.one, node, item, rule.origins[self.index])
        node.saved = items[0] if single else tuple(items)
