"""Pytrees: map, flatten and ravel nested dicts, lists, tuples and registered classes of arrays (optree, wrapped)."""

from ..core.foreign import TREE as _TREE, missing as _missing
from .classes import keystr as keystr, register as register, register_dataclass as register_dataclass, static as static
from .containers import (
    all as all,
    broadcast as broadcast,
    flatten as flatten,
    flatten_with_path as flatten_with_path,
    leaves as leaves,
    leaves_with_path as leaves_with_path,
    map as map,
    map_with_path as map_with_path,
    ravel as ravel,
    reduce as reduce,
    structure as structure,
    transpose as transpose,
    unflatten as unflatten,
)


def __getattr__(name: str) -> object:
    """Say what to use for the names of `jax.tree_util`."""
    raise _missing("covector.tree", name, _TREE)
