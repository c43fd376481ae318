"""Names of autograd that a module does not define: those it only imports, and errors that say what to use."""

import sys
from types import ModuleType

from . import core, tracer, wrap_util

OURS = __name__.partition("._impl.")[0]

# What autograd's modules import from each other, and programs from any of them.
SHARED = {
    **{name: getattr(core, name) for name in (
        "SparseObject", "VSpace", "def_linear", "defjvp", "defjvp_argnum", "defjvp_argnums", "defvjp", "defvjp_argnum",
        "defvjp_argnums", "make_jvp", "make_vjp", "vspace")},
    **{name: getattr(tracer, name) for name in (
        "Box", "getval", "isbox", "notrace_primitive", "primitive", "register_notrace")},
    **{name: getattr(wrap_util, name) for name in ("func", "subval", "subvals", "toposort", "unary_to_nary", "wraps")},
    "ArrayBox": tracer.Box,
}


def refusing(module, advice=(), otherwise=None):
    """Look up names that a module does not have: `advice` by name, `otherwise(name)` for what lies elsewhere.

    The lookup is in the type of the module, not in its namespace: libraries copy all that autograd's hold.
    """
    full = f"autograd.{module}" if module else "autograd"
    advice = dict(advice)

    def look_up(self, name):
        if name in advice:
            raise AttributeError(f"covector.compat.autograd has no {full}.{name}: {advice[name]}")
        if name[:2] != "__":
            if otherwise is not None:
                try:
                    return otherwise(name)
                except AttributeError:
                    pass
            if name in SHARED:
                return SHARED[name]
        raise AttributeError(f"module 'covector.compat.{full}' has no attribute {name!r}; of {full}.{name} there is no "
                             "counterpart: rules and traces are covector's, and autograd.extend has what adds to them")

    sys.modules[f"{OURS}{module and '.'}{module}"].__class__ = type("Module", (ModuleType,), {"__getattr__": look_up})
