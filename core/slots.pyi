"""The types of the fields, and methods of subclasses, for checkers of types; Cython has them from slots.pxd."""

from typing import Any

class AvalSlots:
    shape: tuple[int, ...]
    dtype: Any
    ndim: int
    size: int
    plain: bool
    weak: bool
    strong: Any
    consts: dict[Any, Any]
    def const(self, scalar: Any) -> Any: ...

class TraceSlots:
    level: int
    masked: bool
    done: bool
    def keep(self, value: Any) -> Any: ...

class TracerSlots:
    owner: Any
    value: Any
    aval: Any
    node: Any
    tangent: Any
    state: Any
    link: Any
    radicand: Any
    def _twin(self) -> Any: ...

class Node:
    rule: Any
    parents: Any
    saved: Any
    seq: Any
    extra: Any
    def run_in_sweep(self, ct: Any, drive: Any) -> Any: ...
