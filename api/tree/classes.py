"""Pytree nodes of user classes: dataclasses, and any class with flatten and unflatten functions."""

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from ..core.checks import sequence
from ..core.errors import at_user_line
from ..transforms.arguments.arguments import NAMESPACE, optree


def register_dataclass(
    kind: type, data_fields: Iterable[str] | None = None, meta_fields: Iterable[str] | None = None
) -> type:
    """Make a dataclass a pytree node with its fields as children; also a decorator above `@dataclass`.

    Args:
        kind: the class.
        data_fields: names of the fields that hold leaves or pytrees; by default all that are not in `meta_fields`.
        meta_fields: names of the fields that belong to the structure, whose values are hashable; by default those
            marked with `static`.
    Returns:
        `kind`.
    Raises:
        TypeError: the class is not a dataclass, or a field is missing or named twice.
        ValueError: the class is already registered.

    >>> import dataclasses, covector
    >>> @covector.tree.register_dataclass
    ... @dataclasses.dataclass
    ... class Layer:
    ...     w: float
    ...     name: str = covector.tree.static(default="dense")
    >>> covector.grad(lambda layer: layer.w**2)(Layer(3.0))
    Layer(w=array(6.), name='dense')
    """
    if not isinstance(kind, type) or not dataclasses.is_dataclass(kind):
        raise TypeError(f"tree.register_dataclass needs a dataclass, but got {kind!r}; put it above @dataclass, or use "
                        f"tree.register{at_user_line()}")
    given = {f.name: f.metadata.get("static", False) for f in dataclasses.fields(kind) if f.init}
    if data_fields is None:
        meta = [n for n, fixed in given.items() if fixed] if meta_fields is None else list(meta_fields)
        data = [n for n in given if n not in meta]
    else:
        data = list(data_fields)
        meta = [n for n in given if n not in data] if meta_fields is None else list(meta_fields)
    if sorted([*data, *meta]) != sorted(given):
        raise TypeError(f"tree.register_dataclass needs each field of {kind.__name__} once, {', '.join(given)}, but "
                        f"got data_fields={data} and meta_fields={meta}; name the rest{at_user_line()}")

    def apart(x: Any) -> tuple:
        return tuple([getattr(x, n) for n in data]), tuple([getattr(x, n) for n in meta]), tuple(data)

    def together(aux: Any, children: Any) -> Any:
        return kind(**dict(zip(data, children)), **dict(zip(meta, aux)))

    node: Any = kind
    return optree.register_pytree_node(node, apart, together, path_entry_type=optree.GetAttrEntry, namespace=NAMESPACE)


def static(**facts: Any) -> Any:
    """Declare a field of a dataclass that belongs to the structure instead of the leaves; see `register_dataclass`.

    Args:
        facts: the arguments of `dataclasses.field`.
    Returns:
        the field.

    >>> import covector
    >>> covector.tree.static(default=3).metadata["static"]
    True
    """
    return dataclasses.field(**facts | {"metadata": {**(facts.get("metadata") or {}), "static": True}})


def register(kind: type, flatten_fun: Callable[..., Any], unflatten_fun: Callable[..., Any]) -> type:
    """Register a class as a pytree node.

    Args:
        kind: the class.
        flatten_fun: `flatten_fun(x) -> (children, aux)`, with `aux` hashable.
        unflatten_fun: `unflatten_fun(aux, children) -> x`.
    Returns:
        `kind`.
    Raises:
        ValueError: the class is already registered.

    >>> import covector
    >>> class Point:
    ...     def __init__(self, x): self.x = x
    >>> _ = covector.tree.register(Point, lambda p: ((p.x,), None), lambda aux, c: Point(*c))
    >>> covector.grad(lambda p: p.x**2)(Point(3.0)).x
    array(6.)
    """
    return optree.register_pytree_node(kind, flatten_fun, unflatten_fun, namespace=NAMESPACE)


# Paths to the leaves of a pytree: tuples of keys, indices and attribute names, and their text.


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
