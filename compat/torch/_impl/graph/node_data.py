"""Data of a node of the stateful tape: its rule, saved values, hooks, names and edges."""

import re

import numpy as np

from ..... import extend
from ....._interpreters import AmbientNode, Extra
from ..types.arrays import ARRAYS
from . import versions
from .node_errors import detached, modified
from .node_names import NamedRule, displayed, name_of

ndarray = np.ndarray


class NodeExtra(Extra):
    """Rarely used fields of a node: hooks of tensor and node, a retained tensor, names, packed saved values."""

    hooks = packing = tangents = name = edges = meta = prehooks = posthooks = None
    call = None  # (row, arguments but for tensors, keywords) of the operation
    outputs = None  # of a node with several: what hooks.py knows of their hooks
    retained = None  # a weak reference to the tensor whose gradient is kept
    traceback = None
    seen = None  # the parent in the sense of anomaly mode
    detached = False  # whether the tensor that it made was detached in place
    quiet = True  # names alone: the sweep need not look here
    packed = False  # names and packed values alone

    def __init__(self):
        pass


class NodeData(AmbientNode):
    """One recorded operation of the stateful layer, as far as it does not run."""

    __slots__ = ()
    extra_class = NodeExtra
    lost = False  # whether what arrives goes nowhere
    of_leaf = False  # whether it is that of a leaf
    undefined_inputs = False  # whether an all-undefined cotangent still runs the rule

    def ensure_hooks(self):
        """The extra of a node about to get something that the sweep must see."""
        if not HOOKED:
            HOOKED.append(True)
        extra = self.more()
        extra.quiet = extra.packed = False
        return extra

    def name(self):
        """torch's name of the operation: `MulBackward0`."""
        extra = self.extra
        if extra is not None and extra.name is not None:
            return extra.name
        rule = self.rule
        return rule.title if type(rule) is NamedRule else name_of(rule)

    def edges(self):
        """The nodes of the operation's operands, where those of the rule's are not the same; None where they are."""
        extra, rule = self.extra, self.rule
        if extra is not None and extra.edges is not None:
            return extra.edges
        return rule.shows(self) if type(rule) is NamedRule and rule.shows is not None else None

    def operand_nodes(self):
        """The nodes of the operation's operands; None for an operand that needs no gradient."""
        edges, rule = self.edges(), self.rule
        if edges is not None:
            return edges
        parents = self.parents if type(self.parents) is tuple else (self.parents,)
        if rule is None or not rule.active or rule.prim is None or rule.prim.variadic:
            return parents
        found = dict(zip(rule.active, parents))
        return tuple([found.get(i) for i in range(len(rule.prim.operands)) if i not in rule.prim.nondiff])

    def operands(self):
        """`((node, output number), …)` as users see them; `(None, 0)` for an operand that needs no gradient."""
        return displayed(self.name(), [(None, 0) if e is None else led_to(e) for e in self.operand_nodes()])

    def places(self):
        """For each parent its place among the edges that users see; None where those are not the same ones."""
        parents = self.parents if type(self.parents) is tuple else (self.parents,)
        edges = self.operands()
        places = [i for i, (fn, _) in enumerate(edges) if fn is not None]
        if len(edges) == len(parents) or len(places) != len(parents):
            return None
        if all(edges[i] == led_to(p) for i, p in zip(places, parents)):
            return places
        return None

    def changed(self, saved, part=None):
        """`(array, versions, origin)` of the first saved array that was written to in place since, without versions
        where the operand was detached in place; None where none was."""
        rule = self.rule
        for k, (x, origin) in enumerate(zip((saved,) if len(rule.origins) == 1 else saved, rule.origins)):
            if origin is None or part is not None and k not in part.positions:
                continue
            for i, value in enumerate(x) if type(x) is tuple else ((origin, x),):
                array = value if type(value) is ndarray else extend.unwrap(value)
                if type(array) in ARRAYS:
                    changed = versions.changed_since(array, self.seq)
                    if changed is not None:
                        return array, changed, origin
                    source = None if origin == -1 else parent_of(self, i)
                    if source is not None and source.extra is not None and source.extra.detached:
                        return array, None, origin
        return None

    def modified(self, array, changed, origin, source=None):
        """torch's error for a saved value that was written to; `source` is its own node where that is known."""
        if changed is None:
            return detached()
        words = ""
        if origin == -1:
            source = self
        elif origin is not None:
            source = parent_of(self, origin)
        if source is not None:
            node, nr = visible(source)
            words = "" if node.of_leaf else f", which is output {nr} of {short(node.name())},"
        return modified(array, changed, words)


HOOKED = []  # non-empty once a node had a hook: sweeps then remember their roots, which hooks may ask about


def parent_of(node, i):
    """The node of operand `i` of a node's rule; None where that needs no gradient."""
    rule = node.rule
    if rule.prim is None or i not in rule.active:
        return None
    return node.parents[rule.active.index(i)] if type(node.parents) is tuple else node.parents


def visible(node):
    """`(node, output number)` of an edge: the picked output of a node with several is shown as its number."""
    return (node.parents, node.rule.active[0]) if picks(node) else (node, 0)


def led_to(node):
    """`visible` of a parent, `(None, 0)` where gradients go nowhere."""
    return (None, 0) if node.lost else visible(node)


def picks(node):
    """Tell whether a node only picks an output of one with several."""
    rule = node.rule
    return (rule is not None and rule.prim is None and type(node.parents) is not tuple and rule.collect is None
            and isinstance(node.parents, NodeData) and hasattr(rule, "names") and rule.names == ("pick",))


def short(name):
    """A node's name as messages of PyTorch show it: `Mul` for `MulBackward0`."""
    return re.sub(r"Backward\d*$", "", name)
