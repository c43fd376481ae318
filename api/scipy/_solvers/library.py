"""SciPy itself, imported when one of its solvers is first called."""

from typing import Any

from ...core.errors import MissingLibraryError, at_user_line
from ...core.lazy import LazyModule, loaded

_PARTS = (
    LazyModule("scipy.integrate"), LazyModule("scipy.linalg"), LazyModule("scipy.optimize"), LazyModule("scipy.sparse"),
    LazyModule("scipy.sparse.linalg"), LazyModule("scipy.integrate._ivp.ivp"), LazyModule("scipy.optimize._numdiff"),
)


def scipy_module(part: str, asked: str) -> Any:
    """`scipy.<part>`, for the function that `asked` for it.

    Raises:
        MissingLibraryError: SciPy is not installed.
    """
    try:
        return loaded(next(module for module in _PARTS if module._name == f"scipy.{part}"))
    except ImportError as error:
        raise MissingLibraryError(f"{asked} runs the algorithms of SciPy, but importing scipy.{part} failed ({error}); "
                                  f"install it: pip install 'covector[scipy]'{at_user_line()}") from error
