"""torch._higher_order_ops.cond."""

from .._impl.func.control_flow import cond as cond
