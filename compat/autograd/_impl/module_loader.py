"""The modules of `module_table.py`, found by imports from now on, and what autograd adds to each."""

from ...reexports import Table
from . import module_table
from .missing import refusing


def finish(module, path, row):
    """Let the errors of names that a module does not have say what to use; a package has its modules alone."""
    if row is not None and path not in TABLE.packages:
        refusing(path, {name: advice for names, advice in row.advice.items() for name in names.split()})


TABLE = Table(__name__.partition("._impl.")[0], "autograd", module_table, finish)
TABLE.register()
