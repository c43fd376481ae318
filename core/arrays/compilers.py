"""Compilers of native code: backends register how each is loaded, which happens when one is first needed."""

from ..errors import MissingLibraryError, at_user_line

_LOADERS = {}  # name -> (what imports it, the extra of covector that installs it)
_LOADED = {}


def register_compiler(name, load, extra):
    """Register what imports a compiler."""
    _LOADERS[name] = load, extra


def compiler(name):
    """The library of a compiler.

    Raises:
        MissingLibraryError: it is not installed.
    """
    found = _LOADED.get(name)
    if found is None:
        load, extra = _LOADERS[name]
        try:
            found = _LOADED[name] = load()
        except ImportError as error:
            raise MissingLibraryError(
                f"native code is compiled by {name}, but importing it failed ({error}); install it: "
                f"pip install 'covector[{extra}]', or leave the printer out{at_user_line()}") from error
    return found
