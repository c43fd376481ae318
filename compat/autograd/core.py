"""autograd.core: reverse and forward mode of functions of one argument, rules, and vector spaces."""

from ._impl.core import (
    SparseObject as SparseObject,
    VSpace as VSpace,
    def_linear as def_linear,
    defjvp as defjvp,
    defjvp_argnum as defjvp_argnum,
    defjvp_argnums as defjvp_argnums,
    defvjp as defvjp,
    defvjp_argnum as defvjp_argnum,
    defvjp_argnums as defvjp_argnums,
    make_jvp as make_jvp,
    make_vjp as make_vjp,
    primitive as primitive,
    primitive_ as primitive_,
    primitive_jvps as primitive_jvps,
    primitive_vjps as primitive_vjps,
    primitive_with_deprecation_warnings as primitive_with_deprecation_warnings,
    sum_outgrads as sum_outgrads,
    vspace as vspace,
)
from ._impl.missing import refusing
from ._impl.tracer import Box as Box, getval as getval, isbox as isbox
from ._impl.traces import VJPNode as VJPNode
from ._impl.wrap_util import func as func, subval as subval, toposort as toposort

_SWEEP = "the sweep is covector's: use make_vjp(fun, x), or covector.vjp"
refusing("core", {
    "backward_pass": _SWEEP, "JVPNode": "use make_jvp(fun, x), or covector.jvp",
    "add_outgrads": "use sum_outgrads", "sparse_add": _SWEEP,
    "SparseBox": "cotangents that rules give may be SparseObject",
    "sparse_object_types": "cotangents that rules give may be SparseObject",
    "translate_vjp": "use defvjp", "translate_jvp": "use defjvp",
    "deprecated_defvjp": "use defvjp", "deprecated_defvjp_is_zero": "use defvjp with None",
    "deprecated_defgrad": "use defvjp",
    "identity_vjp": "write lambda argnums, *args: lambda g: g", "identity_jvp": "write lambda g, *args, **kwargs: g",
})
