"""Pytrees: map, flatten and ravel nested dicts, lists, tuples and registered classes of arrays (optree, wrapped)."""

from collections.abc import Callable, Iterable
from functools import reduce as fold
from typing import Any

import numpy as np

from ..core.arrays.avals import aval_of
from ..core.arrays.dtypes import result_dtype
from ..core.checks import check_function
from ..core.errors import TreeError, at_user_line
from ..core.ops.selection import astype
from ..core.ops.shaping import concatenate
from ..core.trace.tracer import Tracer
from ..core.types import PyTree
from ..transforms.arguments.arguments import NAMESPACE, described, optree
from .classes import path_of


def flatten(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], Any]:
    """Flatten a pytree into its leaves and its structure.

    Args:
        tree: a pytree; None is a node without children.
        is_leaf: called with each node; a node for which it returns True is a leaf.
    Returns:
        `(leaves, structure)`, the leaves in order.

    >>> import covector
    >>> covector.tree.flatten({"a": 1.0, "b": (2.0, None)})[0]
    [1.0, 2.0]
    """
    _check_leaf(is_leaf, "flatten")
    return optree.tree_flatten(tree, is_leaf, namespace=NAMESPACE)


def _check_leaf(is_leaf: Any, name: str) -> None:
    if is_leaf is not None:
        what = f"is_leaf of tree.{name}"
        check_function(is_leaf, what, f"tree.{name} takes one pytree; tree.map takes several")


def _check_prefix(name: str, tree: PyTree, rest: tuple, is_leaf: Any) -> None:
    spec = structure(tree, is_leaf)
    for other in rest:
        try:
            spec.flatten_up_to(other)
        except ValueError as error:
            raise TreeError(f"tree.{name} needs pytrees of the same structure, but got {described(spec)} and "
                             f"{described(structure(other, is_leaf))}; give each the structure of the first"
                             f"{at_user_line()}") from error


def unflatten(structure: Any, leaves: Iterable[Any]) -> PyTree:
    """Rebuild a pytree from its structure and leaves.

    Args:
        structure: as returned by `flatten` or `structure`.
        leaves: one value per leaf.
    Returns:
        the pytree with these leaves.
    Raises:
        ValueError: too few or too many leaves.

    >>> import covector
    >>> leaves, structure = covector.tree.flatten({"a": 1.0})
    >>> covector.tree.unflatten(structure, [2.0])
    {'a': 2.0}
    """
    if not isinstance(structure, optree.PyTreeSpec):
        raise TypeError(f"tree.unflatten needs a structure, as returned by tree.flatten or tree.structure, but got "
                        f"{structure!r}; it comes first, then the leaves{at_user_line()}")
    return optree.tree_unflatten(structure, leaves)


def leaves(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """List the leaves of a pytree.

    Args:
        tree: a pytree.
        is_leaf: called with each node; a node for which it returns True is a leaf.
    Returns:
        its leaves, in order: dicts by sorted key.

    >>> import covector
    >>> covector.tree.leaves({"b": 2.0, "a": 1.0})
    [1.0, 2.0]
    >>> covector.tree.leaves([1.0, None], is_leaf=lambda x: x is None)
    [1.0, None]
    """
    _check_leaf(is_leaf, "leaves")
    return optree.tree_leaves(tree, is_leaf, namespace=NAMESPACE)


def structure(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Return the structure of a pytree.

    Args:
        tree: a pytree.
        is_leaf: called with each node; a node for which it returns True is a leaf.
    Returns:
        the pytree without its leaves; comparable and hashable.

    >>> import covector
    >>> covector.tree.structure([1.0, 2.0]) == covector.tree.structure([3.0, 4.0])
    True
    """
    _check_leaf(is_leaf, "structure")
    return optree.tree_structure(tree, is_leaf, namespace=NAMESPACE)


def map(  # noqa: A001 - the name of the field
    fun: Callable[..., Any], tree: PyTree, *rest: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> PyTree:
    """Call a function on corresponding leaves of pytrees with the same structure.

    Args:
        fun: a function of as many arguments as there are pytrees.
        tree, rest: pytrees; those in `rest` have the structure of `tree`, or subtrees at its leaves.
        is_leaf: called with each node; a node for which it returns True is a leaf.
    Returns:
        the pytree of the results, with the structure of `tree`.
    Raises:
        ValueError: the structures differ.

    >>> import covector
    >>> covector.tree.map(lambda a, b: a + b, {"w": 1.0}, {"w": 2.0})
    {'w': 3.0}
    """
    check_function(fun, "tree.map", "write tree.map(f, tree)")
    _check_leaf(is_leaf, "map")
    if rest:
        _check_prefix("map", tree, rest, is_leaf)
    return optree.tree_map(fun, tree, *rest, is_leaf=is_leaf, namespace=NAMESPACE)


def map_with_path(
    fun: Callable[..., Any], tree: PyTree, *rest: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> PyTree:
    """Call a function on the path of each leaf and on corresponding leaves of pytrees with the same structure.

    Args:
        fun: `fun(path, *leaves)`; the path is a tuple of keys, indices and attribute names, outermost first;
            `keystr` writes it as text.
        tree, rest, is_leaf: as in `map`.
    Returns:
        the pytree of the results, with the structure of `tree`.
    Raises:
        ValueError: the structures differ.

    >>> import covector
    >>> covector.tree.map_with_path(lambda path, x: path, {"w": [1.0, 2.0]})
    {'w': [('w', 0), ('w', 1)]}
    """
    check_function(fun, "tree.map_with_path", "write tree.map_with_path(f, tree)")
    if rest:
        _check_prefix("map_with_path", tree, rest, is_leaf)
    return optree.tree_map_with_accessor(lambda accessor, *found: fun(path_of(accessor), *found), tree, *rest,
                                         is_leaf=is_leaf, namespace=NAMESPACE)


def flatten_with_path(
    tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[tuple[tuple, Any]], Any]:
    """Flatten a pytree, with the path of each leaf.

    Args:
        tree: a pytree.
        is_leaf: called with each node; a node for which it returns True is a leaf.
    Returns:
        `(pairs, structure)`: the pairs as returned by `leaves_with_path`, the structure as returned by `flatten`.

    >>> import covector
    >>> covector.tree.flatten_with_path({"w": [1.0, 2.0]})[0]
    [(('w', 0), 1.0), (('w', 1), 2.0)]
    """
    _check_leaf(is_leaf, "flatten_with_path")
    accessors, found, form = optree.tree_flatten_with_accessor(tree, is_leaf, namespace=NAMESPACE)
    return list(zip(map(path_of, accessors), found)), form


def leaves_with_path(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> list[tuple[tuple, Any]]:
    """List the leaves of a pytree, each with its path.

    Args:
        tree: a pytree.
        is_leaf: called with each node; a node for which it returns True is a leaf.
    Returns:
        pairs of a path, a tuple of keys, indices and attribute names, and a leaf, in order.

    >>> import covector
    >>> covector.tree.leaves_with_path({"w": [1.0, 2.0]})
    [(('w', 0), 1.0), (('w', 1), 2.0)]
    """
    return flatten_with_path(tree, is_leaf)[0]


def transpose(outer_treedef: Any, inner_treedef: Any, pytree_to_transpose: PyTree) -> PyTree:
    """Transpose a pytree of pytrees: the inner structure becomes the outer one.

    Args:
        outer_treedef: the structure of the outer pytree, as returned by `structure`.
        inner_treedef: the structure of each inner pytree; None for that of the first one.
        pytree_to_transpose: a pytree with the outer structure whose leaves are pytrees with the inner one.
    Returns:
        a pytree with the inner structure whose leaves are pytrees with the outer one.
    Raises:
        ValueError: the tree has a different structure.

    >>> import covector
    >>> tree = [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}]
    >>> covector.tree.transpose(covector.tree.structure([0, 0]), covector.tree.structure(tree[0]), tree)
    {'a': [1.0, 3.0], 'b': [2.0, 4.0]}
    """
    outer, tree = outer_treedef, pytree_to_transpose
    if inner_treedef is None:
        inner_treedef = structure(_first_part(outer, tree))
    found, wanted = structure(tree), outer.compose(inner_treedef)
    if found != wanted:
        raise TreeError(f"tree.transpose was given the structure {wanted}, but got {found}; give the outer structure "
                        f"first, then the inner one{at_user_line()}")
    return optree.tree_transpose(outer, inner_treedef, tree)


def _first_part(outer: Any, tree: PyTree) -> PyTree:
    """The subtree in place of the first leaf of a structure."""
    try:
        return outer.flatten_up_to(tree)[0]
    except (ValueError, IndexError):
        raise TreeError(f"tree.transpose was given the outer structure {outer}, but got {structure(tree)}; give a tree "
                        f"that has it outside, or the inner structure, too{at_user_line()}") from None


_MISSING: Any = object()


def reduce(
    fun: Callable[..., Any], tree: PyTree, initializer: Any = _MISSING,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """Reduce the leaves of a pytree from the left.

    Args:
        fun: `fun(so_far, leaf)`.
        tree: a pytree.
        initializer: the initial value (default: the first leaf).
        is_leaf: called with each node; a node for which it returns True is a leaf.
    Returns:
        the result of the last call of `fun`.
    Raises:
        TypeError: there are no leaves and no initial value.

    >>> import covector
    >>> covector.tree.reduce(lambda a, b: a + b, [1.0, (2.0, 3.0)])
    6.0
    """
    check_function(fun, "tree.reduce", "write tree.reduce(f, tree)")
    return fold(fun, leaves(tree, is_leaf), *[v for v in (initializer,) if v is not _MISSING])


def all(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> bool:  # noqa: A001 - the name of the field
    """Test whether all leaves of a pytree are true.

    Args:
        tree: a pytree.
        is_leaf: called with each node; a node for which it returns True is a leaf.
    Returns:
        whether they are; True for a pytree without leaves.

    >>> import covector
    >>> covector.tree.all({"a": True, "b": [True, False]})
    False
    """
    for leaf in leaves(tree, is_leaf):
        if not leaf:
            return False
    return True


def broadcast(prefix: PyTree, tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> PyTree:
    """Broadcast the leaves of a prefix to a pytree.

    Args:
        prefix: a pytree; `tree` has its structure, or subtrees at its leaves.
        tree: a pytree.
        is_leaf: called with each node of `prefix`; a node for which it returns True is a leaf.
    Returns:
        a pytree with the structure of `tree` and the leaves of `prefix`.
    Raises:
        ValueError: the structures differ above the leaves of `prefix`.

    >>> import covector
    >>> covector.tree.broadcast((1, 2), (0, {"a": 0, "b": 0}))
    (1, {'a': 2, 'b': 2})
    """
    return optree.tree_broadcast_prefix(prefix, tree, is_leaf=is_leaf, namespace=NAMESPACE)


def ravel(tree: PyTree) -> tuple[Any, Callable[..., Any]]:
    """Concatenate all leaves into one vector, and return it with the inverse function; useful for `scipy.optimize`.

    Args:
        tree: a pytree of arrays.
    Returns:
        `(vector, unravel)`: shape `(n,)` in the promoted dtype; `unravel(vector)` rebuilds the pytree with the shapes
        and dtypes of the leaves. Both are differentiable.
    Raises:
        ValueError: `unravel` receives a vector of a different length.

    >>> import numpy as np, covector
    >>> vector, unravel = covector.tree.ravel({"b": np.array([3.0]), "w": np.array([[1.0, 2.0]])})
    >>> vector
    array([3., 1., 2.])
    >>> unravel(2 * vector)["w"]
    array([[2., 4.]])
    """
    flat, spec = flatten(tree)
    avals = [aval_of(x) for x in flat]
    sizes = [a.size for a in avals]
    dtype = result_dtype(*avals) if flat else np.dtype(np.float64)
    parts = [(x if isinstance(x, Tracer) or hasattr(x, "reshape") else np.asarray(x)).reshape((-1,)) for x in flat]
    parts = [astype(p, dtype) if p.dtype != dtype else p for p in parts]
    vector = concatenate(*parts, axis=0) if parts else np.zeros(0)

    def unravel(vector: Any) -> PyTree:
        if vector.shape != (sum(sizes),):
            raise ValueError(f"unravel needs a vector of shape ({sum(sizes)},), but got {vector.shape}; "
                             f"give what ravel gave, or a vector of its length{at_user_line()}")
        out, start = [], 0
        for aval, size in zip(avals, sizes):
            part = vector[start : start + size].reshape(aval.shape)
            out.append(part if part.dtype == aval.dtype else astype(part, aval.dtype))
            start += size
        return unflatten(spec, out)

    return vector, unravel
