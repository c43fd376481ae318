"""SciPy itself, imported when one of its solvers is first called, and the records of their results."""

from typing import Any

import numpy as np

from ...core.errors import ConversionError, MissingLibraryError, at_user_line
from ...core.lazy import LazyModule, loaded
from ...core.types import Callable

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


# Result records and status messages of the solvers of covector.scipy.optimize.


def result_of(kind: Any, op: Any, ticket: Any, traced: dict[str, Any], facts: dict[str, Any]) -> Any:
    """SciPy's result with `traced` values in it; `facts` are what is known of a call in a graph, too."""
    report = op.report(ticket)
    known = {} if report is None else {name: value for name, value in report[1].items() if _is_plain(value)}
    return kind(**{**facts, **known, **traced})


def _is_plain(value: Any) -> bool:
    """Tell whether a part of a result says how the search went: counts, flags, messages. Arrays would lose
    derivatives."""
    return isinstance(value, (bool, int, str, np.bool_, np.integer))


def said(found: Any) -> str:
    """Why a search failed, in SciPy's words."""
    return f"the search did not converge, and SciPy says {str(found.message)!r}; start nearer, or allow more iterations"


def supplied(derivative: Callable[..., Any], name: str, way_out: str) -> Callable[..., Any]:
    """A derivative of ours of the user's function; an error says where it comes from."""

    def of(x: Any, *given: Any) -> Any:
        try:
            return derivative(x if np.asarray(x).dtype.kind == "f" else np.asarray(x, float), *given)
        except ConversionError as error:
            error.add_note(f"{name} asked covector for the derivative of your function, since none was given; write "
                           f"the function in NumPy, or give {way_out}")
            raise

    return of
