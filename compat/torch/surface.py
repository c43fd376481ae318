"""Names of torch that are not built: asking for one says so; a name that torch has not is an AttributeError."""

from .call import ROWS

# Operations of PyTorch's surface that this version does not have; a name leaves the list when its row is written.
ABSENT = frozenset()


def getter(prefix, module):
    """The `__getattr__` of a namespace of torch: `linalg.` for torch.linalg."""

    def __getattr__(name):  # noqa: N807
        row = ROWS.get(prefix + name)
        if row is not None:
            return row.fun
        if prefix + name in ABSENT:
            raise NotImplementedError(f"torch.{prefix}{name} is part of PyTorch's surface, but not built in this "
                                      "version "
                                      "of covector.compat.torch; see docs/compat_gaps.md for what is near")
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return __getattr__


def names(prefix):
    """The public functions of a namespace."""
    return {name[len(prefix):]: row.fun for name, row in ROWS.items()
            if name.startswith(prefix) and "." not in name[len(prefix):]}
