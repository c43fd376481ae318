"""Paths to the leaves of a pytree: tuples of keys, indices and attribute names, and their text."""

from typing import Any

from ..core.checks import sequence
from ..transforms.arguments.trees import optree


class Attribute(str):
    """The name of an attribute in a path; equal to the same string."""

    __slots__ = ()


class Child(int):
    """The number of a child, in a path, of a class that does not name its children; equal to the same integer."""

    __slots__ = ()


def path_of(accessor: Any) -> tuple:
    """The path that an accessor of optree stands for."""
    return tuple([_entry(entry) for entry in accessor])


def _entry(entry: Any) -> Any:
    if isinstance(entry, optree.GetAttrEntry):  # of a registered dataclass
        return Attribute(entry.name)
    if isinstance(entry, optree.NamedTupleEntry | optree.StructSequenceEntry):
        return Attribute(entry.field)
    return Child(entry.entry) if type(entry) is optree.FlattenedEntry else entry.entry


def keystr(keys: tuple, *, simple: bool = False, separator: str = "") -> str:
    """Write a path as text, as the expression that leads to the leaf.

    Args:
        keys: a path, as given by `flatten_with_path`, `leaves_with_path` and `map_with_path`.
        simple: write the keys, indices and names alone, without brackets and dots.
        separator: what stands between them.
    Returns:
        the text.
    Raises:
        TypeError: `keys` is not a tuple.

    >>> import covector
    >>> for path, leaf in covector.tree.leaves_with_path({"w": [1.0, 2.0]}):
    ...     covector.tree.keystr(path), covector.tree.keystr(path, simple=True, separator="/")
    ("['w'][0]", 'w/0')
    ("['w'][1]", 'w/1')
    """
    parts = sequence(keys, "keys of tree.keystr")
    return separator.join([str(key) if simple else _text(key) for key in parts])


def _text(key: Any) -> str:
    if isinstance(key, Attribute):
        return f".{key}"
    return f"[<flat index {int(key)}>]" if isinstance(key, Child) else f"[{key!r}]"
