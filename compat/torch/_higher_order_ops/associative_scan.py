"""torch._higher_order_ops.associative_scan."""

from .._impl.func.associative import associative_scan as associative_scan
