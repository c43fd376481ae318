"""The exceptions that covector raises: subclasses of built-in types, so that `except TypeError` works."""

import os
import sys

import numpy as np

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_NUMPY = os.path.dirname(os.path.abspath(np.__file__))
# They call back, or are called with what the user gave, and are no user.
_NUMERIC = (_NUMPY + os.sep, *[os.path.join(os.path.dirname(_NUMPY), name) + os.sep for name in (
    "scipy", "opt_einsum", "optree", "pandas", "xarray", "matplotlib")])
_COMPILED = tuple(os.path.join("covector", part) + os.sep for part in ("core", "transforms", "compat"))  # by setup.py
_PYTHON = (os.path.dirname(os.__file__) + os.sep, "<frozen ")  # modules of Python's own
_FOLDERS = ("core", "transforms", "backends", "api", "compat")
# Installed, all of the package folder is ours; in a checkout only these folders (tests and examples lie beside them).
LIBRARY_FOLDERS = (
    (_PACKAGE + os.sep,)
    if os.path.exists(os.path.join(_PACKAGE, "__init__.py"))
    else tuple(os.path.join(_PACKAGE, part) + os.sep for part in _FOLDERS)
)

_KNOWN = (*LIBRARY_FOLDERS, *_COMPILED, *_NUMERIC)


class Explained:
    """An error whose message ends with the place in the documentation that explains it: `[errors#converted]`."""

    anchor = "index"
    # Words of a message, and the place for those that have them: who rewords a message looks here.
    anchors: tuple[tuple[str, str], ...] = ()

    def __str__(self):
        words = super().__str__()
        found = next((place for part, place in self.anchors if part in words), self.anchor)
        return f"{words} [errors#{found}]"


class ConversionError(Explained, TypeError):
    """A traced value reached code that needs a plain number or array, which would drop its gradient."""

    anchor = "converted"
    anchors = (("bool() of", "branch"), ("boolean index", "index"), ("one value per example", "index"))


class ShapeError(Explained, ValueError):
    """Shapes that do not match the operation."""

    anchor = "shape"
    anchors = (("scalar-valued", "scalar"), ("vmap", "axes"))


class SquareError(ShapeError, np.linalg.LinAlgError):
    """An operation on square matrices got others; NumPy's functions raise LinAlgError here."""


class DtypeError(Explained, TypeError):
    """A dtype that the operation or transform does not support."""

    anchor = "dtype"
    anchors = (("needs floating", "integer"),)


class RuleError(Explained, NotImplementedError):
    """An operation lacks the rule that a transform asked for, or its declaration is incomplete."""

    anchor = "rule"


class MutationError(Explained, RuntimeError):
    """An array that a pullback needs was written to after it was recorded."""

    anchor = "modified"


class ConvergenceError(Explained, RuntimeError):
    """A derivative was asked for where a solver did not find a solution; the message has the solver's own."""

    anchor = "convergence"


class SingularError(Explained, np.linalg.LinAlgError):
    """A derivative was asked for where the equations that define it are singular."""

    anchor = "singular"


class BackendError(Explained, TypeError):
    """Arrays of two backends, or of none, in one operation."""

    anchor = "library"


class MissingLibraryError(Explained, ImportError):
    """An operation needs an optional library that is not installed."""

    anchor = "install"


class CollectiveMismatchError(Explained, RuntimeError):
    """Ranks of a mesh called different collectives, or one with different shapes or dtypes."""

    anchor = "collectives"


class CollectiveTimeoutError(Explained, TimeoutError):
    """A rank waited longer for others than the time limit of its mesh allows."""

    anchor = "collectives"


class EscapedTracerError(Explained, RuntimeError):
    """A traced value was used after its transform had returned."""

    anchor = "escaped"


class TreeError(Explained, ValueError):
    """Pytrees whose structures do not match."""

    anchor = "pytree"


class PerformanceWarning(UserWarning):
    """A function runs many times slower than it could, for a reason that its author can change."""


def words_of(error):
    """The message of an error without the place in the documentation, to be quoted in another one."""
    return super(Explained, error).__str__() if isinstance(error, Explained) else str(error)


def is_ours(error):
    """Tell whether `error` was raised by code of ours in words of ours: of a class of this file, or saying what to
    do."""
    words = words_of(error)
    return type(error).__module__ == __name__ or "(at " in words or (
        "; " in words and _file_of(error).startswith(LIBRARY_FOLDERS))


def raised_by_user(error):
    """Tell whether `error` came out of a function of the user's that we called, or out of what that one called."""
    if not _file_of(error).startswith((*LIBRARY_FOLDERS, *_NUMERIC)):
        return True
    entry = error.__traceback__
    while entry is not None:
        name = entry.tb_frame.f_code.co_filename
        if not name.startswith(_KNOWN) and ("-packages" in name or not name.startswith(_PYTHON)):
            return True
        entry = entry.tb_next
    return False


def _file_of(error):
    """The file whose code raised `error`."""
    entry = error.__traceback__
    while entry.tb_next is not None:
        entry = entry.tb_next
    return entry.tb_frame.f_code.co_filename


def user_place():
    """The place where the user's code called us, as `(code, instruction)`, which `line_of` makes words of. 1 us."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        ours = _OURS.get(code.co_filename)
        if ours is None:
            ours = is_our_file(code.co_filename)
        if not ours:
            return code, frame.f_lasti
        frame = frame.f_back
    return None


def functions_on_the_way():
    """The functions, as `module.name`, that were called by the user's code and led here."""
    frame, found = sys._getframe(1), []
    while frame is not None and is_our_file(frame.f_code.co_filename):
        found.append(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}")
        frame = frame.f_back
    return found


_OURS = {}  # file -> what `is_our_file` says
_OURS_LIMIT = 4096


def is_our_file(name):
    """Tell whether a file is ours, of a library that was called with what the user gave, or Python's."""
    if len(_OURS) >= _OURS_LIMIT:
        _OURS.clear()
    ours = _OURS[name] = name.startswith(_KNOWN) or "<__array_function__" in name or (
        name.startswith(_PYTHON) and "-packages" not in name)
    return ours


def _shown(file):
    """The name of a file in messages: `cell` for a cell of a notebook, whose file is named by a number."""
    folder, name = os.path.split(file)
    return "cell" if os.path.basename(folder).startswith("ipykernel_") else name


class UserLine(str):
    """`file.py:12`; `file` is the whole path, `number` that of the line."""

    __slots__ = ("file", "number")


def line_of(place):
    """`file.py:12` of what `user_place` found."""
    code, at = place
    number = next((line for start, stop, line in code.co_lines() if start <= at < stop), None) or code.co_firstlineno
    line = UserLine(f"{_shown(code.co_filename)}:{number}")
    line.file, line.number = code.co_filename, number
    return line


def user_line():
    """The line where the user's code called us: `file.py:12 in loss`, or an empty string."""
    place = user_place()
    return f"{line_of(place)} in {place[0].co_name}" if place is not None else ""


def at_user_line():
    """` (at file.py:12 in loss)`, to end a message with."""
    line = user_line()
    return f" (at {line})" if line else ""


def at_raising_line(error):
    """` (at file.py:12 in loss)`: the last line of the user's that `error` went through, or an empty string."""
    entry, found = error.__traceback__, ""
    while entry is not None:
        code = entry.tb_frame.f_code
        if not is_our_file(code.co_filename) and not code.co_filename.endswith(".pyx"):
            found = f" (at {_shown(code.co_filename)}:{entry.tb_lineno} in {code.co_name})"
        entry = entry.tb_next
    return found
