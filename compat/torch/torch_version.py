"""torch.torch_version: version numbers that compare with strings and tuples as numbers, not as text."""

import re

from .version import __version__ as _text

_FORM = re.compile(r"v?(\d+(?:\.\d+)*)(?:[.-]?(dev|a|alpha|b|beta|c|rc|post)[.-]?(\d*))?(\+.+)?$", re.IGNORECASE)
_STAGES = {"dev": -4, "a": -3, "alpha": -3, "b": -2, "beta": -2, "c": -1, "rc": -1, "post": 1}


class TorchVersion(str):
    """A version as a string that compares by its numbers: `torch.__version__ >= (2, 9)`, `> "2.9"`.

    >>> import covector.compat.torch as torch
    >>> torch.__version__ >= "2.9", torch.__version__ < (3,), torch.__version__.startswith("2.")
    (True, True, True)
    """

    __slots__ = ()

    def _compare(self, other, name):
        mine, theirs = _key(self), _key(other)
        if mine is None or theirs is None:  # what is no version is text
            return getattr(str, name)(self, str(other))
        return getattr(tuple, name)(mine, theirs)

    def __eq__(self, other):
        return self._compare(other, "__eq__")

    def __ne__(self, other):
        return not self == other

    def __lt__(self, other):
        return self._compare(other, "__lt__")

    def __le__(self, other):
        return self._compare(other, "__le__")

    def __gt__(self, other):
        return self._compare(other, "__gt__")

    def __ge__(self, other):
        return self._compare(other, "__ge__")

    __hash__ = str.__hash__


def _key(version):
    """The key that versions are sorted by; None of another text."""
    if isinstance(version, list | tuple):
        version = ".".join(map(str, version))
    found = _FORM.match(str(version).strip())
    if found is None:
        return None
    release, stage, number, local = found.groups()
    parts = [int(n) for n in release.split(".")]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return tuple(parts), _STAGES.get((stage or "").lower(), 0), int(number or 0), local or ""


__version__ = TorchVersion(_text)
