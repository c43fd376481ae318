"""torch.utils._pytree: pytrees."""

from .._impl.types.pytree import (
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
