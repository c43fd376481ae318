"""Errors of what lies below this package, where shapes and dtypes are refused in other words and types than torch's."""

import numpy as np

from ..... import extend
from ....._engine import words_of


class _LinAlgError(RuntimeError):
    """The error of a decomposition that does not exist."""


LinAlgError = _LinAlgError  # torch's class prints the name with the underscore
TRANSLATED = (ValueError, TypeError, ZeroDivisionError, OverflowError, extend.ShapeError, extend.DtypeError)
NUMPYS = ("could not be broadcast", "shape mismatch", "cannot be broadcast", "could not broadcast", "cannot reshape")
HERE = __name__.partition("._impl.")[0]
LIBRARIES = frozenset({"covector", "numpy", "scipy", "opt_einsum"})


def raised(name, error):
    """Raise an error of what lies below in torch's type, any other as it is."""
    if isinstance(error, np.linalg.LinAlgError):
        raise LinAlgError(f"{name}: {words_of(error)}") from error
    if below(error):
        raise RuntimeError(f"{name}(): {words_of(error)}") from error
    raise error


def below(error):
    """Tell whether an error comes from what lies below: it is a RuntimeError of the operation then."""
    if type(error) not in TRANSLATED:
        return False
    trace, module = error.__traceback__, ""
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.partition(".")[0] not in LIBRARIES:
            return False  # a hook's, or another of the user's functions
        trace = trace.tb_next
    return not module.startswith(HERE) or type(error) is ValueError and any(words in str(error) for words in NUMPYS)
