"""Containers: map, flatten and ravel nested dicts, lists, tuples and registered classes of arrays (optree, wrapped)."""

from collections.abc import Callable, Iterable
from functools import reduce as fold
from typing import Any

import numpy as np
import optree

from ..core.arrays.avals import aval_of
from ..core.arrays.dtypes import result_dtype
from ..core.checks import check_function
from ..core.errors import TreeError, at_user_line
from ..core.ops.selection import astype
from ..core.ops.shaping import concatenate
from ..core.trace.tracer import Tracer
from ..core.types import PyTree
from ..transforms.arguments.arguments import NAMESPACE, described


def flatten(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], Any]:
    """Take a container apart.

    Args:
        tree: a container; None is an empty node.
        is_leaf: called with each node; what it holds true of counts as a leaf.
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
        check_function(is_leaf, what, f"tree.{name} takes one container; tree.map takes several")


def _check_prefix(name: str, tree: PyTree, rest: tuple, is_leaf: Any) -> None:
    spec = structure(tree, is_leaf)
    for other in rest:
        try:
            spec.flatten_up_to(other)
        except ValueError as error:
            raise TreeError(f"tree.{name} needs containers of one structure, but got {described(spec)} and "
                             f"{described(structure(other, is_leaf))}; give each the structure of the first"
                             f"{at_user_line()}") from error


def unflatten(structure: Any, leaves: Iterable[Any]) -> PyTree:
    """Put a container together.

    Args:
        structure: as `flatten` or `structure` gives it.
        leaves: one value a leaf.
    Returns:
        the container with these leaves.
    Raises:
        ValueError: too few or too many leaves.

    >>> import covector
    >>> leaves, structure = covector.tree.flatten({"a": 1.0})
    >>> covector.tree.unflatten(structure, [2.0])
    {'a': 2.0}
    """
    if not isinstance(structure, optree.PyTreeSpec):
        raise TypeError(f"tree.unflatten needs a structure, as tree.flatten or tree.structure gives it, but got "
                        f"{structure!r}; it comes first, then the leaves{at_user_line()}")
    return optree.tree_unflatten(structure, leaves)


def leaves(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """List the leaves of a container.

    Args:
        tree: a container.
        is_leaf: called with each node; what it holds true of counts as a leaf.
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
    """Give the structure of a container.

    Args:
        tree: a container.
        is_leaf: called with each node; what it holds true of counts as a leaf.
    Returns:
        what is left of it without its leaves; equal for equal structures, and hashable.

    >>> import covector
    >>> covector.tree.structure([1.0, 2.0]) == covector.tree.structure([3.0, 4.0])
    True
    """
    _check_leaf(is_leaf, "structure")
    return optree.tree_structure(tree, is_leaf, namespace=NAMESPACE)


def map(  # noqa: A001 - the name of the field
    fun: Callable[..., Any], tree: PyTree, *rest: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> PyTree:
    """Call a function on corresponding leaves of containers of one structure.

    Args:
        fun: of as many arguments as there are containers.
        tree, rest: containers; those in `rest` have the structure of `tree`, or more below its leaves.
        is_leaf: called with each node; what it holds true of counts as a leaf.
    Returns:
        the container of the results, with the structure of `tree`.
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
    """Call a function on the path of each leaf and on corresponding leaves of containers of one structure.

    Args:
        fun: `fun(path, *leaves)`; the path is a tuple of keys, indices and names, from the outside in.
        tree, rest, is_leaf: as in `map`.
    Returns:
        the container of the results, with the structure of `tree`.
    Raises:
        ValueError: the structures differ.

    >>> import covector
    >>> covector.tree.map_with_path(lambda path, x: path, {"w": [1.0, 2.0]})
    {'w': [('w', 0), ('w', 1)]}
    """
    check_function(fun, "tree.map_with_path", "write tree.map_with_path(f, tree)")
    if rest:
        _check_prefix("map_with_path", tree, rest, is_leaf)
    return optree.tree_map_with_path(fun, tree, *rest, is_leaf=is_leaf, namespace=NAMESPACE)


def flatten_with_path(
    tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[tuple[tuple, Any]], Any]:
    """Take a container apart, with the way to each leaf.

    Args:
        tree: a container.
        is_leaf: called with each node; what it holds true of counts as a leaf.
    Returns:
        `(pairs, structure)`: the pairs as `leaves_with_path` gives them, the structure as `flatten` does.

    >>> import covector
    >>> covector.tree.flatten_with_path({"w": [1.0, 2.0]})[0]
    [(('w', 0), 1.0), (('w', 1), 2.0)]
    """
    paths, found, form = optree.tree_flatten_with_path(tree, is_leaf, namespace=NAMESPACE)
    return list(zip(paths, found)), form


def leaves_with_path(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> list[tuple[tuple, Any]]:
    """List the leaves of a container, each with the way to it.

    Args:
        tree: a container.
        is_leaf: called with each node; what it holds true of counts as a leaf.
    Returns:
        pairs of a path, a tuple of keys, indices and names, and a leaf, in order.

    >>> import covector
    >>> covector.tree.leaves_with_path({"w": [1.0, 2.0]})
    [(('w', 0), 1.0), (('w', 1), 2.0)]
    """
    return flatten_with_path(tree, is_leaf)[0]


def transpose(outer: Any, inner: Any, tree: PyTree) -> PyTree:
    """Turn a container of containers inside out.

    Args:
        outer: the structure of the containers outside, as `structure` gives it.
        inner: the structure of each container inside.
        tree: a container with the structure `outer` of containers with the structure `inner`.
    Returns:
        the container with the structure `inner` of containers with the structure `outer`.
    Raises:
        ValueError: the tree has another structure.

    >>> import covector
    >>> tree = [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}]
    >>> covector.tree.transpose(covector.tree.structure([0, 0]), covector.tree.structure(tree[0]), tree)
    {'a': [1.0, 3.0], 'b': [2.0, 4.0]}
    """
    found, wanted = structure(tree), outer.compose(inner)
    if found != wanted:
        raise TreeError(f"tree.transpose was told of a container {wanted}, but got {found}; give the structure "
                         f"outside first, then that of each container in it{at_user_line()}")
    return optree.tree_transpose(outer, inner, tree)


_MISSING: Any = object()


def reduce(
    fun: Callable[..., Any], tree: PyTree, initializer: Any = _MISSING,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """Combine the leaves of a container from the left.

    Args:
        fun: `fun(so_far, leaf)`.
        tree: a container.
        initializer: what to start from (default: the first leaf).
        is_leaf: called with each node; what it holds true of counts as a leaf.
    Returns:
        what the last call of `fun` gave.
    Raises:
        TypeError: there are no leaves, and nothing to start from.

    >>> import covector
    >>> covector.tree.reduce(lambda a, b: a + b, [1.0, (2.0, 3.0)])
    6.0
    """
    check_function(fun, "tree.reduce", "write tree.reduce(f, tree)")
    return fold(fun, leaves(tree, is_leaf), *[v for v in (initializer,) if v is not _MISSING])


def all(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> bool:  # noqa: A001 - the name of the field
    """Tell whether all leaves of a container are true.

    Args:
        tree: a container.
        is_leaf: called with each node; what it holds true of counts as a leaf.
    Returns:
        whether they are; True of no leaves.

    >>> import covector
    >>> covector.tree.all({"a": True, "b": [True, False]})
    False
    """
    for leaf in leaves(tree, is_leaf):
        if not leaf:
            return False
    return True


def broadcast(prefix: PyTree, tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> PyTree:
    """Repeat the leaves of a container for all that stands in their places in another one.

    Args:
        prefix: a container; `tree` has its structure, or more below its leaves.
        tree: a container.
        is_leaf: called with each node of `prefix`; what it holds true of counts as a leaf.
    Returns:
        a container with the structure of `tree` and the leaves of `prefix`.
    Raises:
        ValueError: the structures differ above the leaves of `prefix`.

    >>> import covector
    >>> covector.tree.broadcast((1, 2), (0, {"a": 0, "b": 0}))
    (1, {'a': 2, 'b': 2})
    """
    return optree.tree_broadcast_prefix(prefix, tree, is_leaf=is_leaf, namespace=NAMESPACE)


def ravel(tree: PyTree) -> tuple[Any, Callable[..., Any]]:
    """All leaves as one vector, and the function that undoes it; made for `scipy.optimize`.

    Args:
        tree: a container of arrays.
    Returns:
        `(vector, unravel)`: shape `(n,)` in the promoted dtype; `unravel(vector)` gives the container with the shapes
        and dtypes of the leaves. Both are differentiable.
    Raises:
        ValueError: `unravel` gets a vector of another length.

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
