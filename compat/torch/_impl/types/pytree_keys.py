"""Leaves of pytrees with the keys that lead to them; dataclasses as nodes."""

import dataclasses
from collections import OrderedDict, defaultdict, deque, namedtuple

from .pytree import NODES, kind_of, register_pytree_node, tree_structure


@dataclasses.dataclass(frozen=True, slots=True)
class SequenceKey:
    """The place of a child in a tuple, a list or a deque."""

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"

    def get(self, sequence):
        """The child."""
        return sequence[self.idx]


@dataclasses.dataclass(frozen=True, slots=True)
class MappingKey:
    """The key of a child in a dict."""

    key: object

    def __str__(self):
        return f"[{self.key!r}]"

    def get(self, mapping):
        """The child."""
        return mapping[self.key]


@dataclasses.dataclass(frozen=True, slots=True)
class GetAttrKey:
    """The attribute that a child is of a named tuple or a dataclass."""

    name: str

    def __str__(self):
        return f".{self.name}"

    def get(self, obj):
        """The child."""
        return getattr(obj, self.name)


def sequence_with_keys(x):
    """The children of a sequence with their places, and the context."""
    children, context = NODES[kind_of(x)].flatten(x)
    return [(SequenceKey(i), child) for i, child in enumerate(children)], context


def mapping_with_keys(x):
    """The children of a mapping with their keys, and the context."""
    kind = kind_of(x)
    children, context = NODES[dict if kind is None or NODES[kind].with_keys else kind].flatten(x)
    return [(MappingKey(key), child) for key, child in zip(x, children)], context


def namedtuple_with_keys(x):
    """The children of a named tuple with their names, and its type."""
    return [(GetAttrKey(name), child) for name, child in zip(x._fields, x)], type(x)


WITH_KEYS = {tuple: sequence_with_keys, list: sequence_with_keys, deque: sequence_with_keys, dict: mapping_with_keys,
             OrderedDict: mapping_with_keys, defaultdict: mapping_with_keys, namedtuple: namedtuple_with_keys}


def tree_leaves_with_path(tree, is_leaf=None):
    """`(keys, leaf)` for each leaf of a pytree.

    >>> from covector.compat.torch.utils._pytree import keystr, tree_leaves_with_path
    >>> [(keystr(keys), leaf) for keys, leaf in tree_leaves_with_path({"a": [1, 2]})]
    [("['a'][0]", 1), ("['a'][1]", 2)]
    """
    return list(_leaves((), tree, is_leaf))


def _leaves(path, tree, is_leaf):
    kind = kind_of(tree)
    if kind is None or is_leaf is not None and is_leaf(tree):
        yield path, tree
        return
    with_keys = NODES[kind].with_keys or WITH_KEYS.get(kind)
    if with_keys is None:
        raise ValueError(f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn "
                         "argument to register_pytree_node.")
    for key, child in with_keys(tree)[0]:
        yield from _leaves((*path, key), child, is_leaf)


def tree_flatten_with_path(tree, is_leaf=None):
    """`(keys, leaf)` for each leaf of a pytree, and its structure."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func, tree, *rests, is_leaf=None):
    """`func(keys, leaf, …)` of every leaf, and of the parts of other pytrees that stand in the same place."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    return spec.unflatten([func(*pair, *more)
                           for pair, *more in zip(found, *[spec.flatten_up_to(r) for r in rests])])


def keystr(keys):
    """The keys as an expression would write them: `['a'][0].b`."""
    return "".join(map(str, keys))


def key_get(obj, keys):
    """The value at the end of a path of keys."""
    for key in keys:
        obj = key.get(obj)
    return obj


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None):
    """Register a dataclass as a pytree node; a field that is None has no leaf.

    Args:
        field_names: of the children, for a class that is no dataclass itself.
        drop_field_names: of fields that are no children and have defaults.
        serialized_type_name: what `torch.export` would write; not needed here.
    """
    if field_names is None:
        if not dataclasses.is_dataclass(cls):
            raise ValueError("field_names must be specified with a list of all fields used to "
                             f"initialize {cls}, as it is not a dataclass.")
        field_names = [f.name for f in dataclasses.fields(cls) if f.init]
    elif dataclasses.is_dataclass(cls):
        wanted = {f.name for f in dataclasses.fields(cls) if f.init} - set(drop_field_names or ())
        if wanted != set(field_names):
            raise ValueError(f"field_names does not include all dataclass fields: missing {wanted - set(field_names)}, "
                             f"unexpected {set(field_names) - wanted}; list what is no child in drop_field_names.")

    def flatten(x):
        pairs, context = with_keys(x)
        return [child for _, child in pairs], context

    def with_keys(x):
        names = [name for name in field_names if getattr(x, name) is not None]
        return ([(GetAttrKey(name), getattr(x, name)) for name in names],
                [names, [name for name in field_names if name not in names]])

    def unflatten(children, context):
        return cls(**dict(zip(context[0], children)), **dict.fromkeys(context[1]))

    register_pytree_node(cls, flatten, unflatten, flatten_with_keys_fn=with_keys)
