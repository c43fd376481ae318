"""torch._higher_order_ops.map."""

from .._impl.func.control_flow import map_ as map  # noqa: A004 (torch's name)

__all__ = ["map"]
