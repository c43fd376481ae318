"""Checkers of the rules of all primitives: random programs by independent routes, rule mutants, and the audit."""

from covector import _primitives  # noqa: F401 - it loads the primitives that only compat uses: they are checked, too
from covector.core.ops.scipy import every as _every  # noqa: F401 - those of modules that are loaded later, too
