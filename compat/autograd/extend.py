"""autograd.extend: functions whose derivatives are defined by rules."""

from ._impl.missing import refusing
from .core import (
    SparseObject as SparseObject,
    VJPNode as VJPNode,
    VSpace as VSpace,
    def_linear as def_linear,
    defjvp as defjvp,
    defjvp_argnum as defjvp_argnum,
    defjvp_argnums as defjvp_argnums,
    defvjp as defvjp,
    defvjp_argnum as defvjp_argnum,
    defvjp_argnums as defvjp_argnums,
    vspace as vspace,
)
from .tracer import (
    Box as Box,
    notrace_primitive as notrace_primitive,
    primitive as primitive,
    register_notrace as register_notrace,
)

refusing("extend", {
    "JVPNode": "use make_jvp(fun, x), or covector.jvp",
    "defvspace": "use VSpace.register(type, maker)",
})
