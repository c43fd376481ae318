"""SciPy itself, imported when one of its solvers is first called."""

from importlib import import_module
from typing import Any

from ..core.errors import MissingLibraryError, at_user_line


def scipy_module(part: str, asked: str) -> Any:
    """`scipy.<part>`, for the function that `asked` for it.

    Raises:
        MissingLibraryError: SciPy is not installed.
    """
    try:
        return import_module(f"scipy.{part}")
    except ImportError as error:
        raise MissingLibraryError(f"{asked} runs the algorithms of SciPy, but importing scipy.{part} failed ({error}); "
                                  f"install it: pip install 'covector[scipy]'{at_user_line()}") from error
