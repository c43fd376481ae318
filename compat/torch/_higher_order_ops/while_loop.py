"""torch._higher_order_ops.while_loop."""

from .._impl.func.control_flow import while_loop as while_loop
