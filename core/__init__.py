"""Operations: primitives, their rules, traces, avals and the registries; and the roads that may run them."""

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import spec_from_file_location
from types import FunctionType

# The selection between compiled, interpreted and general roads by `COVECTOR_ROADS`, for tests and measurements.
#
# `compiled` is the fast road as far as it is compiled, and the default; `interpreted` the same sources run by Python;
# `general` none of them: every operation is processed by its traces.

ROADS = os.environ.get("COVECTOR_ROADS", "compiled")
if ROADS not in ("compiled", "interpreted", "general"):
    raise ImportError(f"COVECTOR_ROADS is {ROADS!r}; it is 'compiled', 'interpreted' or 'general', or not set")


def compiled(function):
    """Tell whether a function is compiled."""
    return type(function) is not FunctionType


class _Sources:
    """Finds the source of a module beside which there is a compiled one, which Python would prefer."""

    @staticmethod
    def find_spec(name, path, target=None):
        if path is None or not name.startswith(_PACKAGE):
            return None
        for folder in path:
            stem = os.path.join(folder, name.rpartition(".")[2])
            if any(os.path.exists(stem + suffix) for suffix in EXTENSION_SUFFIXES):
                return spec_from_file_location(name, stem + ".py")
        return None


_PACKAGE = __name__.partition(".")[0] + "."
if ROADS != "compiled":
    sys.meta_path.insert(0, _Sources)
