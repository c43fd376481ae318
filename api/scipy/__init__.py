"""SciPy's functions on arrays and traced arrays alike."""

from importlib import import_module as _import_module

from ..core.foreign import missing as _missing
from . import linalg as linalg, special as special, stats as stats

# Imported when they are asked for.
_LATER = frozenset({"fft", "integrate", "interpolate", "ndimage", "optimize", "signal", "sparse"})


def __getattr__(name: str) -> object:
    """Import a module on first access."""
    if name in _LATER:
        return _import_module(f"covector.scipy.{name}")
    raise _missing("covector.scipy", name, {})


def __dir__() -> list[str]:
    """The public names, those of modules that are not imported yet, too."""
    return sorted({*globals(), *_LATER})
