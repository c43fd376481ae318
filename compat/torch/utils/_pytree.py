"""torch.utils._pytree: pytrees."""

from collections import (
    OrderedDict as _OrderedDict,
    defaultdict as _defaultdict,
    deque as _deque,
    namedtuple as _namedtuple,
)
from collections.abc import Callable as _Callable, Iterable as _Iterable
from typing import Any as _Any

from .._impl.types.pytree import (
    LEAF as _LEAF,
    NODES as SUPPORTED_NODES,
    LeafSpec,
    TreeSpec,
    register_pytree_node,
    tree_all,
    tree_any,
    tree_flatten,
    tree_is_leaf,
    tree_iter,
    tree_leaves,
    tree_map,
    tree_map_,
    tree_map_only,
    tree_structure,
    tree_unflatten,
    treespec_pprint,
)
from .._impl.types.pytree_keys import (
    GetAttrKey,
    MappingKey,
    SequenceKey,
    key_get,
    keystr,
    mapping_with_keys,
    register_dataclass,
    sequence_with_keys,
    tree_flatten_with_path,
    tree_leaves_with_path,
    tree_map_with_path,
)

_register_pytree_node = register_pytree_node  # its name in older programs
__all__ = ["GetAttrKey", "LeafSpec", "MappingKey", "SequenceKey", "TreeSpec", "key_get", "keystr", "register_dataclass",
           "register_pytree_node", "tree_all", "tree_any", "tree_flatten", "tree_flatten_with_path", "tree_is_leaf",
           "tree_iter", "tree_leaves", "tree_leaves_with_path", "tree_map", "tree_map_", "tree_map_only",
           "tree_map_with_path", "tree_structure", "tree_unflatten", "treespec_pprint"]
_dict_flatten, _dict_unflatten, _dict_flatten_with_keys = *SUPPORTED_NODES[dict][:2], mapping_with_keys
_list_flatten, _list_unflatten, _list_flatten_with_keys = *SUPPORTED_NODES[list][:2], sequence_with_keys
Context = PyTree = _Any  # types that programs annotate with
FlattenFunc, UnflattenFunc = _Callable[[_Any], tuple[list, _Any]], _Callable[[_Iterable, _Any], _Any]
KeyPath = KeyEntry = _Any
PyTreeSpec = TreeSpec
BUILTIN_TYPES = frozenset({tuple, list, dict, _namedtuple, _OrderedDict, _defaultdict, _deque})
_is_leaf = tree_is_leaf


def treespec_leaf():
    """The structure of a leaf.

    >>> import covector.compat.torch as torch
    >>> torch.utils._pytree.treespec_leaf() == torch.utils._pytree.tree_structure(1.0)
    True
    """
    return _LEAF


def _get_node_type(tree):
    """The type under which an object may be registered; `namedtuple` for all of these."""
    kind = type(tree)
    return _namedtuple if issubclass(kind, tuple) and hasattr(kind, "_fields") else kind
