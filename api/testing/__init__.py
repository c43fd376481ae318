"""Tools for testing derivatives: check_grads for functions, check for primitives."""

from .. import _primitives  # noqa: F401 - it loads the primitives that only compat uses: they are checked, too
from ..core.ops.scipy import every as _every  # noqa: F401 - those of modules that are loaded later, too
from .check import check as check
from .compare import CheckError as CheckError
from .gradients import check_grads as check_grads
