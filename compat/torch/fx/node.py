"""torch.fx.node: names that programs import; their use is refused."""

from collections.abc import Callable as _Callable
from typing import Any as _Any

from .._impl.dispatch.unbuilt import parts as _parts

Target = _Callable | str  # types that programs annotate with
Argument = _Any
globals().update(_parts("fx", "Node", "has_side_effect map_aggregate map_arg"))
