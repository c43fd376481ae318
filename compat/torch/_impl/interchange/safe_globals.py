"""The allow-list of `load`: classes and functions besides tensors that the user permits."""

import contextlib

_ALLOWED = []  # what the user allowed, oldest first: objects, or pairs of an object and its name


def add_safe_globals(safe_globals):
    """Let `load(weights_only=True)` make and call some classes and functions from now on in this process.

    Args:
        safe_globals: classes and functions, or pairs `(object, "module.name")` where a file has them by another name.
    """
    for thing in safe_globals:
        if thing not in _ALLOWED:
            _ALLOWED.append(thing)


def get_safe_globals():
    """The objects given to `add_safe_globals`."""
    return list(_ALLOWED)


def clear_safe_globals():
    """Allow none of them any more."""
    _ALLOWED.clear()


@contextlib.contextmanager
def safe_globals(safe_globals):
    """A context in which `load(weights_only=True)` may make and call some classes and functions.

    >>> import io
    >>> from fractions import Fraction
    >>> import covector.compat.torch as torch
    >>> file = io.BytesIO()
    >>> torch.save({"rate": Fraction(1, 3)}, file)
    >>> _ = file.seek(0)
    >>> with torch.serialization.safe_globals([Fraction]):
    ...     torch.load(file)
    {'rate': Fraction(1, 3)}
    """
    before = list(_ALLOWED)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _ALLOWED[:] = before


def allowed(module, name):
    """The object that the user allowed under a name, or None."""
    wanted = plain(f"{module}.{name}")
    for thing in reversed(_ALLOWED):
        found, known = thing if isinstance(thing, tuple) else (thing, f"{thing.__module__}.{thing.__qualname__}")
        if plain(known) == wanted:
            return found
    return None


def plain(name):
    """A name of this package as PyTorch has it."""
    return name.removeprefix("covector.compat.") if name.startswith("covector.compat.torch") else name
