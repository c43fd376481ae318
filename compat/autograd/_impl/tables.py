"""The rules of functions that derivatives were defined for."""

from typing import Any
from weakref import WeakKeyDictionary

VJPS: Any = WeakKeyDictionary()  # function -> maker(argnums, ans, args, kwargs) of what takes a cotangent
JVPS: Any = WeakKeyDictionary()  # function -> maker(argnums, tangents, ans, args, kwargs) of a tangent
