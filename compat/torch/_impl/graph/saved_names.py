"""Saved values under PyTorch's names of nodes and attributes: where a node of ours has the value, or can derive it.

The names are those of `node_table.py`. Operands and outputs are those of the rule if its primitive has the node's
name, and else a leaf's own value: what the tape does not keep is not listed.
"""

import inspect

import numpy as np

from ....._engine import FREED
from ..types.node_table import NODES
from . import versions
from .node import AccumulateGrad
from .node_errors import freed
from .node_names import name_of

# Nodes whose operands and answers are those of a primitive that has another node's name: stem of the one, of the other.
OTHERS = {"Dot": "Mm", "Mv": "Mm", "Bmm": "Mm", "Vdot": "Mm", "Max": "Amax", "Min": "Amin", "Median": "Amax",
          "Std": "Sqrt", "Convolution": "Conv", "Select": "Slice", "IndexSelect": "Slice",
          "MseLoss": "MeanSquaredError", "LinalgPinv": "Pinv", "LinalgInvEx": "LinalgInv"}


class Item:
    """A saved value of the rule: its place."""

    __slots__ = ("place",)

    def __init__(self, place):
        self.place = place


class Elsewhere:
    """A value that the rule does not keep, but a leaf does; None for one that no gradient needs."""

    __slots__ = ("leaf",)

    def __init__(self, leaf):
        self.leaf = leaf

    def value(self, node):
        """The leaf, as a saved value is read."""
        if self.leaf is None:
            return None
        if node.saved is FREED:
            raise freed()
        array = self.leaf.value
        changed = versions.changed_since(array, node.seq) if versions.WRITTEN else None
        if changed is not None:
            raise node.modified(array, changed, None)
        return self.leaf

    def register_hooks(self, pack_hook, unpack_hook):
        """Refused: the rule would not see what the hooks give."""
        if self.leaf is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        raise NotImplementedError("the rule of this operation does not keep this operand, so hooks on it would change "
                                  "nothing; use torch.autograd.graph.saved_tensors_hooks around the operation")


MISSING = object()


TABLE = {}  # node name -> the words of its line, once one was asked for


def known(node):
    """`{name: word}` of what a node of PyTorch's name saves, or None for a node that PyTorch has not."""
    if not TABLE:
        for line in NODES.splitlines():
            names, _, words = line.rpartition(":")
            TABLE.update(dict.fromkeys(names.split(), words))
        TABLE["Split0"] = "self_sym_sizes split_size@ dim@"  # of which derivatives.yaml has no entry
    name = node.name()
    stem = name.replace("Backward", "", 1)
    words = TABLE.get(name, TABLE.get(stem))
    if type(words) is str:
        words = TABLE[name] = {w[0]: w for w in map(word, words.split())}
    return words


def found(node, word):
    """An `Item`, an `Elsewhere`, any other value, or MISSING."""
    name, kind, text = word
    rule = node.rule
    if node.name() in PARTS:
        return of_parts(node, name)
    if rule is None or rule.prim is None:
        return MISSING
    edges, stem = node.edges(), node.name().partition("Backward")[0]
    mine = name_of(rule).partition("Backward")[0] == OTHERS.get(stem, stem)
    if kind == "=":
        place, _, needs = text.partition("?")
        return operand(node, mine, edges, int(place), None if not needs else int(needs))
    if kind == "sizes":
        return MISSING if stem in OTHERS and not mine else sizes(node, edges, int(text or 0))
    if kind == "numel":
        shape = sizes(node, edges, 0)
        return MISSING if shape is MISSING else int(np.prod(shape, dtype=np.int64))
    if kind == "^":
        return exponent(node)
    if kind == "@":
        return of_view(node, name)
    return argument(node, name, text)


def operand(node, mine, edges, i, needs):
    """A saved operand, or the output (-1)."""
    rule = node.rule
    if needs is not None and (edges[needs] is None if edges is not None and needs < len(edges) else
                              edges is None and needs not in rule.active):
        return Elsewhere(None)
    parents = node.parents if type(node.parents) is tuple else (node.parents,)
    own = parents[rule.active.index(i)] if i in rule.active else None
    direct = mine and (edges is None or i == -1 or own is None or i < len(edges) and edges[i] is own)
    if direct and i in rule.origins and not (i == -1 and rule.prim.outputs is not None):
        return Item(rule.origins.index(i))
    if i == -1:
        return MISSING
    node = edges[i] if edges is not None and i < len(edges) else own if edges is None else None
    return Elsewhere(node.saved) if isinstance(node, AccumulateGrad) and not node.lost else MISSING


def sizes(node, edges, i):
    """The shape of an operand."""
    rule = node.rule
    index = saved_item(node, rule.names.index("index")) if "index" in rule.names and rule.prim.name == "getitem" else ()
    if node.name() != "SqueezeBackward0" and sum(x is not Ellipsis and x != slice(None) for x in (
            index if type(index) is tuple else (index,))) > 1:
        return MISSING  # several steps in one node
    if edges is not None and i < len(edges) and isinstance(edges[i], AccumulateGrad):
        return tuple(edges[i].saved.shape)
    name = rule.prim.operands[i] + "_aval" if not rule.prim.variadic and i < len(rule.prim.operands) else None
    parents = node.parents if type(node.parents) is tuple else (node.parents,)
    own = edges is None or i in rule.active and i < len(edges) and edges[i] is parents[rule.active.index(i)]
    if name not in rule.names or not own:
        return MISSING
    return tuple(saved_item(node, rule.names.index(name)).shape)


def saved_item(node, k):
    """One of the things that a node saved, which may be no value."""
    return node.saved if len(node.rule.names) == 1 else node.saved[k]


def exponent(node):
    """The exponent of a power by a number."""
    rule = node.rule
    fixed = {"square": 2, "sqrt": 0.5}.get(rule.prim.name)
    if fixed is not None:
        return fixed
    name = {"integer_power": "n", "power": "y"}.get(rule.prim.name)
    if name in rule.names and node.saved is not FREED:
        value = saved_item(node, rule.names.index(name))
        return value if isinstance(value, int | float | complex) else argument(node, "exponent", "")
    return MISSING


def argument(node, name, default):
    """An argument of the call, as torch shows it: `s` makes a tuple of an integer."""
    many = default == "s"
    call = getattr(node.rule, "call", None) or (None if node.extra is None else node.extra.call)
    if call is None and node.extra is None:  # of a fast path, which takes no such argument
        return parsed(default, name) if default and not many else MISSING
    if not call:
        return MISSING
    row, args, kwargs = call
    try:
        bound = inspect.signature(row.body).bind_partial(*args, **kwargs)
    except (TypeError, ValueError):
        return MISSING
    bound.apply_defaults()
    if name not in bound.arguments:
        own = node.name().partition("Backward")[0].lower().endswith(row.name.rpartition(".")[2].replace("_", ""))
        return parsed(default, name) if own and default and not many and len(args) + len(kwargs) < 2 else MISSING
    value = bound.arguments[name]
    if value is Ellipsis:  # a tensor
        return MISSING
    if many:
        value = (value,) if isinstance(value, int) else value
        if value and isinstance(value[0], tuple | list):  # axes given as one list where a body takes them one by one
            value = value[0]
        return None if value is None else tuple([v % 2**64 for v in value])
    return value % 2**64 if name == "dim" and isinstance(value, int) else value


def parsed(text, name):
    """A default of the table."""
    if text in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[text]
    try:
        value = float(text) if "." in text else int(text)
    except ValueError:
        return text
    return value % 2**64 if name == "dim" else value


def of_view(node, name):
    """A parameter of a view, from what its rule saved."""
    rule = node.rule
    values = dict(zip(rule.names, (node.saved,) if len(rule.names) == 1 else node.saved))
    if "axes" in values:
        axes = values["axes"]
        if name == "dims":
            return tuple(axes)
        moved = [i for i, n in enumerate(axes) if i != n] or [0, 0]
        return moved[int(name[-1])] if len(moved) == 2 else MISSING
    if "index" not in values:
        return MISSING
    index = values["index"] if type(values["index"]) is tuple else (values["index"],)
    steps = [(i, x) for i, x in enumerate(index) if x is not Ellipsis and x != slice(None)]
    whole = [(i, x) for i, x in enumerate(index) if x == slice(None)]
    if len(steps) != 1:
        return MISSING if steps or len(whole) != 1 or name == "index" else ranged(whole[0], name, values)
    dim, x = steps[0]
    if isinstance(x, slice):
        return ranged(steps[0], name, values)
    return dim if name == "dim" else x if name == "index" else MISSING


PARTS = frozenset({"UnbindBackward0", "SplitBackward0", "SplitWithSizesBackward0"})


def of_parts(node, name):
    """A parameter of a node whose outputs are the parts of a tensor along an axis."""
    if node.saved is FREED:
        raise freed()
    aval, indices = node.saved
    dim = len(indices[0]) - 2 if indices else 0
    ranges = [index[dim] for index in indices if name.startswith("split")]
    lengths = [r.stop - r.start for r in ranges]
    return {"dim": dim, "self_sym_sizes": tuple(aval.shape), "split_size": max(lengths, default=0),
            "split_sizes": tuple(lengths)}.get(name, MISSING)


def ranged(step, name, values):
    """A parameter of a slice."""
    dim, x = step
    n = values["x_aval"].shape[dim]
    start, stop, by = x.indices(n)
    return {"dim": dim, "start": start, "end": 2**63 - 1 if x.stop is None else stop, "step": by}.get(name, MISSING)


def word(text):
    """One word of a row."""
    for mark in "=!^@":
        name, found_mark, rest = text.partition(mark)
        if found_mark:
            if name.endswith("_sym_sizes"):
                return name, "sizes", rest
            return name, mark, rest
    return text, "sizes" if text.endswith("_sym_sizes") else "numel", ""
