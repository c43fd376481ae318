"""`import autograd` answered by covector.compat.autograd."""

from ...aliases import answer

OURS = __name__.partition("._impl.")[0]


def install():
    """Let `import autograd`, and of every submodule, give covector.compat.autograd from now on in this process.

    Programs and libraries that were written for autograd then run on covector unchanged. Call it before they are
    imported; calling it again does nothing. `python -m covector.compat.autograd script.py` runs a script so.

    Raises:
        RuntimeError: autograd itself is imported already: traced values of both would meet.

    >>> import covector.compat.autograd
    >>> covector.compat.autograd.install()  # doctest: +SKIP
    >>> import autograd  # doctest: +SKIP
    >>> autograd.__name__  # doctest: +SKIP
    'covector.compat.autograd'
    """
    answer(OURS, "autograd", f"{OURS}._impl", "docs/coming_from/autograd.md says what to use instead")
