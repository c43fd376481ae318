"""Names of autograd that this layer does not have: errors that say so, and what to use."""


def refusing(module, advice, otherwise=None):
    """The `__getattr__` of a module: `advice` by name, `otherwise(name)` for names that are looked up elsewhere."""
    full = f"autograd.{module}" if module else "autograd"

    def __getattr__(name):
        if name in advice:
            raise AttributeError(f"covector.compat.autograd has no {full}.{name}: {advice[name]}")
        if otherwise is not None and name[:2] != "__":
            return otherwise(name)
        raise AttributeError(f"module 'covector.compat.{full}' has no attribute {name!r}")

    return __getattr__
