"""Pytrees as in PyTorch: tuples, lists, dicts in insertion order, and registered classes; None is a leaf."""

import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple


class Node(namedtuple("Node", ("flatten", "unflatten", "with_keys"), defaults=(None,))):
    """Functions of a node type: flatten to `(children, context)`, rebuild from them, and flatten to pairs with keys."""

    __slots__ = ()
    flatten_fn = property(lambda self: self.flatten)  # torch's names
    unflatten_fn = property(lambda self: self.unflatten)
    flatten_with_keys_fn = property(lambda self: self.with_keys)


NODES = {}
NODES.update({
    tuple: Node(lambda x: (list(x), None), lambda children, _: tuple(children)),
    list: Node(lambda x: (x, None), lambda children, _: list(children)),
    dict: Node(lambda x: (list(x.values()), list(x)), lambda children, keys: dict(zip(keys, children))),
    OrderedDict: Node(lambda x: (list(x.values()), list(x)), lambda children, keys: OrderedDict(zip(keys, children))),
    defaultdict: Node(lambda x: (list(x.values()), [x.default_factory, list(x)]),
                      lambda children, context: defaultdict(context[0], zip(context[1], children))),
    deque: Node(lambda x: (list(x), x.maxlen), lambda children, maxlen: deque(children, maxlen)),
    namedtuple: Node(lambda x: (list(x), type(x)), lambda children, kind: kind(*children)),
})


def kind_of(x):
    """The registered type of a node; None for a leaf."""
    kind = type(x)
    if kind in NODES:
        return kind
    return namedtuple if isinstance(x, tuple) and hasattr(kind, "_fields") else None


class TreeSpec:
    """The structure of a pytree: the type of its root (None for a leaf), its context, and the structures below it."""

    __slots__ = ("_children", "_context", "num_leaves", "type")

    def __init__(self, kind, context, children):
        self.type = kind
        self._context = context
        self._children = children
        self.num_leaves = sum(c.num_leaves for c in children) if kind is not None else 1

    @property
    def context(self):
        """Keys, or what else the root needs beside its children."""
        return self._context

    @property
    def num_children(self):
        """The number of structures right below the root."""
        return len(self._children)

    @property
    def num_nodes(self):
        """The number of nodes, leaves included."""
        return 1 + sum(c.num_nodes for c in self._children)

    def children(self):
        """The structures below the root."""
        return list(self._children)

    def child(self, index):
        """One of the structures below the root."""
        return self._children[index]

    @property
    def children_specs(self):
        """The structures below the root: the name that `children()` had before."""
        warnings.warn("`treespec.children_specs` is deprecated. Use `treespec.child(index)` to access a single child, "
                      "or `treespec.children()` to get all children.", FutureWarning, stacklevel=2)
        return self._children

    def is_leaf(self):
        """Tell whether it is a leaf."""
        return self.type is None

    def unflatten(self, leaves):
        """The nest of this structure over leaves."""
        leaves = list(leaves)
        if self is LEAF and len(leaves) == 1:
            return leaves[0]
        if self.type is tuple and len(leaves) == self.num_leaves == len(self._children):
            for c in self._children:
                if c is not LEAF:
                    break
            else:
                return tuple(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a "
                             f"pytree that holds {self.num_leaves} items ({self}).")
        return self._unflatten(iter(leaves))

    def _unflatten(self, leaves):
        if self.type is None:
            return next(leaves)
        return NODES[self.type].unflatten([c._unflatten(leaves) for c in self._children], self._context)

    def flatten_up_to(self, tree):
        """The parts of a pytree that stand where this structure has its leaves."""
        if self.type is None:
            return [tree]
        kind = kind_of(tree)
        if kind is not self.type:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        children, context = NODES[kind].flatten(tree)
        if len(children) != len(self._children):
            raise ValueError(f"Node arity mismatch; expected {len(self._children)}, but got {len(children)}.")
        if isinstance(self._context, list):
            if kind is not defaultdict and set(self._context) == set(context):
                children = [tree[k] for k in self._context]
            elif context != self._context:
                raise ValueError(f"Node keys mismatch; expected {self._context!r}, but got {context!r}.")
        return [part for spec, child in zip(self._children, children) for part in spec.flatten_up_to(child)]

    def __eq__(self, other):
        return self is other or (isinstance(other, TreeSpec) and self.type is other.type
                                 and self._context == other._context and self._children == other._children)

    def __hash__(self):
        return hash((self.type, self.num_leaves, tuple(self._children)))

    def __repr__(self, indent=0):
        if self.type is None:
            return "*"
        indent += 2
        parts = ("\n" + " " * indent).join([c.__repr__(indent) + "," for c in self._children])
        return f"TreeSpec({self.type.__name__}, {self._context}, [{parts[:-1]}])"


LEAF = TreeSpec(None, None, [])


class LeafType(type):
    """The class of `LeafSpec`, which all structures of a leaf are of."""

    def __instancecheck__(cls, x):
        return isinstance(x, TreeSpec) and x.is_leaf()


class LeafSpec(TreeSpec, metaclass=LeafType):
    """The structure of a leaf."""

    __slots__ = ()

    def __new__(cls):
        warnings.warn("`isinstance(treespec, LeafSpec)` is deprecated, use `isinstance(treespec, TreeSpec) and "
                      "treespec.is_leaf()` instead.", FutureWarning, stacklevel=2)
        return LEAF

    def __init__(self):
        pass


def tree_flatten(tree, is_leaf=None):
    """The leaves of a pytree, and its structure.

    >>> from covector.compat.torch.utils._pytree import tree_flatten
    >>> tree_flatten([1, {"b": (2, None)}])[0]
    [1, 2, None]
    """
    kind = kind_of(tree)
    if kind is None:
        return [tree], LEAF
    if is_leaf is None and kind is tuple and all(kind_of(x) is None for x in tree):
        n = len(tree)
        return list(tree), _ROWS[n] if n < len(_ROWS) else TreeSpec(tuple, None, [LEAF] * n)
    leaves = []
    return leaves, _flatten(tree, leaves, is_leaf)


def _flatten(tree, leaves, is_leaf):
    kind = kind_of(tree)
    if kind is None or is_leaf is not None and is_leaf(tree):
        leaves.append(tree)
        return LEAF
    children, context = NODES[kind].flatten(tree)
    return TreeSpec(kind, context, [_flatten(c, leaves, is_leaf) for c in children])


_ROWS = [TreeSpec(tuple, None, [LEAF] * n) for n in range(9)]  # by far the commonest: a few tensors


def tree_unflatten(leaves, treespec):
    """The nest of a structure over leaves."""
    return treespec.unflatten(leaves)


def tree_leaves(tree, is_leaf=None):
    """The leaves of a pytree."""
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree, is_leaf=None):
    """The leaves of a pytree, one by one."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree, is_leaf=None):
    """The structure of a pytree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None):
    """`func` of every leaf, and of the parts of other pytrees that stand in the same place."""
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *[spec.flatten_up_to(r) for r in rests]))


def tree_map_(func, tree, *rests, is_leaf=None):
    """`func` of every leaf, for what it does; gives the nest itself."""
    leaves, spec = tree_flatten(tree, is_leaf)
    for parts in zip(leaves, *[spec.flatten_up_to(r) for r in rests]):
        func(*parts)
    return tree


def tree_map_only(kinds, func, tree, is_leaf=None):
    """`func` of every leaf of one of some types; other leaves stay."""
    return tree_map(lambda x: func(x) if isinstance(x, kinds) else x, tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None):
    """Tell whether a condition holds for every leaf."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    """Tell whether a condition holds for a leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_is_leaf(tree, is_leaf=None):
    """Tell whether a pytree is a leaf."""
    return kind_of(tree) is None or is_leaf is not None and is_leaf(tree)


def register_pytree_node(cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None,
                         from_dumpable_context=None, flatten_with_keys_fn=None):
    """Register a class as a pytree node: `flatten_fn(x)` returns `(children, context)`, `unflatten_fn` rebuilds an
    instance.

    Args:
        flatten_with_keys_fn: returns `([(key, child), …], context)`, for functions that give keys.
        serialized_type_name, to_dumpable_context, from_dumpable_context: what `torch.export` would write; not needed.
    """
    if cls in NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    NODES[cls] = Node(flatten_fn, unflatten_fn, flatten_with_keys_fn)


def treespec_pprint(treespec):
    """A structure with a star for each leaf."""
    return repr(treespec.unflatten([LEAF] * treespec.num_leaves))


def broadcast_prefix(prefix, spec):
    """For each leaf of a structure the leaf of a pytree that stands at or above it; None if the two do not fit."""
    if type(prefix) is int or prefix is None:
        return [prefix] * spec.num_leaves
    full = spec.unflatten([0] * spec.num_leaves)
    leaves, found = tree_flatten(prefix)
    try:
        parts = found.flatten_up_to(full)
    except ValueError:
        return None
    return [x for x, part in zip(leaves, parts) for _ in tree_leaves(part)]
