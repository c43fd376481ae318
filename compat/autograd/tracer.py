"""autograd.tracer: what is traced, its value, and functions that derivatives are defined for."""

from ._impl.missing import refusing
from ._impl.tracer import (
    Box as Box,
    getval as getval,
    isbox as isbox,
    notrace_primitive as notrace_primitive,
    primitive as primitive,
    register_notrace as register_notrace,
)
from ._impl.wrap_util import subvals as subvals, toposort as toposort, wraps as wraps

__getattr__ = refusing("tracer", dict.fromkeys(
    ["trace", "Node", "new_box", "find_top_boxed_args", "trace_stack", "TraceStack", "box_types", "box_type_mappings",
     "notrace_primitives", "trace_primitives_map"],
    "traces are covector's: write a transform with covector.extend.Trace, or read a graph by covector.make_graph"))
