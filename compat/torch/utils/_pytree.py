"""torch.utils._pytree: pytrees."""

from collections import namedtuple as _namedtuple
from typing import Any as _Any

from .._impl.types.pytree import (
    NODES as SUPPORTED_NODES,  # noqa: F401 (programs ask whether a type is in it)
    TreeSpec,
    register_pytree_node,
    tree_all,
    tree_any,
    tree_flatten,
    tree_is_leaf,
    tree_leaves,
    tree_map,
    tree_map_,
    tree_map_only,
    tree_structure,
    tree_unflatten,
    treespec_pprint,
)

__all__ = ["TreeSpec", "register_pytree_node", "tree_all", "tree_any", "tree_flatten", "tree_is_leaf", "tree_leaves",
           "tree_map", "tree_map_", "tree_map_only", "tree_structure", "tree_unflatten", "treespec_pprint"]
Context = PyTree = _Any  # types that programs annotate with


def _get_node_type(tree):
    """The type under which an object may be registered; `namedtuple` for all of these."""
    kind = type(tree)
    return _namedtuple if issubclass(kind, tuple) and hasattr(kind, "_fields") else kind
