"""Partition specs: the mesh axes along which each axis of an array is partitioned."""

import math
from collections.abc import Sequence

import optree

from ...core.arrays.avals import aval_of
from ...core.errors import DtypeError, ShapeError, TreeError, at_user_line
from ..arguments.arguments import NAMESPACE, flatten


class PartitionSpec:
    """For each axis of an array, from the first: the axis of the mesh along which it is cut, a tuple of those, or None.

    `PartitionSpec()` is an array that is the same at all places. As in JAX, `P` is its usual name.

    >>> from covector.distributed import P
    >>> P(("data", "model"), None)
    P(('data', 'model'), None)
    """

    __slots__ = ("parts",)

    def __init__(self, *parts: str | Sequence[str] | None) -> None:
        self.parts = tuple([() if p is None else tuple(p) if isinstance(p, tuple | list) else (p,) for p in parts])
        names = [name for part in self.parts for name in part]
        if not all(isinstance(n, str) for n in names) or len(set(names)) < len(names):
            raise ValueError(f"PartitionSpec takes names of axes of a mesh, each once, or None, but got {parts}; write "
                             f"P('data', None), or P(('data', 'model')) to cut one axis along both{at_user_line()}")

    @property
    def names(self) -> tuple[str, ...]:
        """All axes of the mesh that are named."""
        return tuple([name for part in self.parts for name in part])

    def __repr__(self) -> str:
        return f"P({', '.join(repr(None if not p else p[0] if len(p) == 1 else p) for p in self.parts)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartitionSpec) and _trimmed(self.parts) == _trimmed(other.parts)

    def __hash__(self) -> int:
        return hash(_trimmed(self.parts))


def _trimmed(parts):
    while parts and not parts[-1]:
        parts = parts[:-1]
    return parts


def spec_leaves(specs, tree, mesh, what):
    """One spec for each leaf of `tree`, from a prefix pytree of specs."""
    leaves, rebuild = flatten(tree)
    count = len(leaves)
    if isinstance(specs, PartitionSpec) or specs is None:
        found = [specs] * count
    else:
        tree = rebuild([_Shown(x) for x in leaves])
        if isinstance(tree, tuple) and isinstance(specs, list):
            specs = tuple(specs)
        try:
            full = optree.tree_broadcast_prefix(specs, tree, none_is_leaf=True, namespace=NAMESPACE)
            found = optree.tree_leaves(full, none_is_leaf=True, namespace=NAMESPACE)
            leaves = optree.tree_leaves(tree, none_is_leaf=True, namespace=NAMESPACE)
        except ValueError as error:
            why = str(error).rstrip(".")
            raise TreeError(f"{what}={specs!r} is not a prefix of the pytree it is for: {why}; give one spec for each "
                            f"argument, or for a subtree{at_user_line()}") from error
        found = [spec for spec, leaf in zip(found, leaves) if leaf is not None]
    for spec in found:
        if spec is not None and not isinstance(spec, PartitionSpec):
            raise TypeError(f"{what} takes partition specs, but got {spec!r} of type {type(spec).__name__}; write "
                            f"P('{mesh.axis_names[0]}'), or P() for what is the same at all places{at_user_line()}")
    complete = [spec or PartitionSpec() for spec in found]
    for name in {name for spec in complete for name in spec.names}:
        mesh.axis(name)
    return complete


class _Shown:
    """A leaf in a message: its dtype and shape, no values."""

    def __init__(self, x):
        self.x = x

    def __repr__(self):
        try:
            return repr(aval_of(self.x))
        except DtypeError:
            return repr(self.x)


def check_fits(x, spec, counts, what):
    """Raise unless an array can be cut into `counts[name]` parts as its spec says."""
    try:
        shape = aval_of(x).shape
    except DtypeError:
        raise DtypeError(f"{what} takes arrays, but got {x!r} of type {type(x).__name__}; close over anything else"
                         f"{at_user_line()}") from None
    if len(spec.parts) > len(shape):
        raise ShapeError(f"{what} has the spec {spec}, which names {len(spec.parts)} axes, but shape {shape}; name at "
                         f"most {len(shape)}{at_user_line()}")
    for d, names in enumerate(spec.parts):
        parts = math.prod(counts[name] for name in names)
        if shape[d] % parts:
            raise ShapeError(f"{what} has shape {shape}, and its spec {spec} cuts axis {d} into {parts} parts (along "
                             f"{', '.join(map(repr, names))}), which do not divide {shape[d]}; pad it, or choose "
                             f"another spec{at_user_line()}")
