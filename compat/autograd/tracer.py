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
from ._impl.traces import TraceStack as TraceStack, new_box as new_box, trace_stack as trace_stack
from ._impl.wrap_util import subvals as subvals, toposort as toposort, wraps as wraps

refusing("tracer", dict.fromkeys(
    ["trace", "Node", "find_top_boxed_args", "box_types", "box_type_mappings",
     "notrace_primitives", "trace_primitives_map"],
    "traces are covector's: write a transform with covector.extend.Trace, or read a graph by covector.make_graph"))
