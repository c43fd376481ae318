"""torch._higher_order_ops, as far as programs call it."""

from .associative_scan import associative_scan as associative_scan
