"""Native code that is kept on disk between processes; `python -m covector.cache` shows it, `clear` removes it.

The folder is `$COVECTOR_CACHE_DIR`, else `covector` in `$XDG_CACHE_HOME` or `~/.cache` (macOS:
`~/Library/Caches`). `COVECTOR_CACHE_SIZE` bounds it (256M), and `COVECTOR_CACHE=0` switches it off.
"""

import sys
import warnings
from pathlib import Path
from typing import NamedTuple

from .transforms.compile.machine.object_cache import (
    CacheWarning as CacheWarning,
    ObjectCache as _ObjectCache,
    folder as _folder,
)


class CacheInfo(NamedTuple):
    """The folder of the cache, None where it is off, how many files it holds, and their bytes."""

    folder: Path | None
    files: int
    bytes: int


def info() -> CacheInfo:
    """Look at the cache.

    Returns:
        `CacheInfo(folder, files, bytes)`; `folder` is None where the cache is off.

    >>> from covector import cache
    >>> cache.info().files >= 0
    True
    """
    where = _folder()
    if where is None:
        return CacheInfo(None, 0, 0)
    found = _ObjectCache(where).listed()
    return CacheInfo(Path(where), len(found), sum(size for _, size, _ in found))


def clear() -> int:
    """Remove the files of the cache; code in memory stays.

    Returns:
        the number of files that were removed.

    >>> from covector import cache
    >>> cache.clear() >= 0, cache.info().files
    (True, 0)
    """
    where = _folder()
    return 0 if where is None else _ObjectCache(where).clear()


_USAGE = "python -m covector.cache shows the cache of native code; python -m covector.cache clear empties it"


def _main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CacheWarning)
        status = _answered(arguments)
    for warning in caught:
        sys.stderr.write(f"{warning.message}\n")
    return 1 if caught else status


def _answered(arguments: list[str]) -> int:
    if arguments == ["clear"]:
        sys.stdout.write(f"removed {clear()} files\n")
    elif not arguments:
        found = info()
        sys.stdout.write("the cache is off\n" if found.folder is None else
                         f"{found.folder}: {found.files} files, {found.bytes} bytes\n")
    elif arguments in (["-h"], ["--help"]):
        sys.stdout.write(f"{_USAGE}\n")
    else:
        sys.stderr.write(f"{_USAGE}; it takes nothing else, but got {' '.join(arguments)}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
