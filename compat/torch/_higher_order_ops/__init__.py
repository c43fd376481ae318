"""torch._higher_order_ops: conditions, loops and scans of functions of tensors."""

from .associative_scan import associative_scan as associative_scan
from .cond import cond as cond
from .map import map as map  # noqa: A004 (torch's name)
from .scan import scan as scan
from .while_loop import while_loop as while_loop
