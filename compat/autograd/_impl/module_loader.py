"""The modules of `module_table.py`, found by imports from now on, and `import autograd` answered by them."""

from ...._engine import TracedNumber
from ....extend import Tracer
from ...aliases import answer
from ...reexports import Table
from . import module_table
from .missing import refusing

OURS = __name__.partition("._impl.")[0]


def finish(module, path, row):
    """Let the errors of names that a module does not have say what to use; a package has its modules alone."""
    if row is not None and path not in TABLE.packages:
        refusing(path, {name: advice for names, advice in row.advice.items() for name in names.split()})


TABLE = Table(OURS, "autograd", module_table, finish)
TABLE.register()


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
    for kind in (Tracer, *_below(Tracer), *_below(TracedNumber)):
        kind.__module__ = "autograd.numpy.numpy_boxes"  # libraries tell by it whose array a value is
    answer(OURS, "autograd", f"{OURS}._impl", "docs/coming_from/autograd.md says what to use instead")


def _below(kind):
    """All subclasses of a class."""
    for sub in kind.__subclasses__():
        yield sub
        yield from _below(sub)
