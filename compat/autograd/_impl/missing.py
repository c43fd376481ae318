"""Names of autograd that a module does not define: those it only imports, and errors that say what to use."""

from . import core, tracer, wrap_util

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
    """The `__getattr__` of a module: `advice` by name, `otherwise(name)` for names that are looked up elsewhere."""
    full = f"autograd.{module}" if module else "autograd"
    advice = dict(advice)

    def __getattr__(name):
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

    return __getattr__
