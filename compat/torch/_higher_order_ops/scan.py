"""torch._higher_order_ops.scan."""

from .._impl.func.control_flow import scan as scan
