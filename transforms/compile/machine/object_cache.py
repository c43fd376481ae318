"""Object code cache on disk: a folder shared by the processes of one user, bounded in size."""

import os
import stat
import sys
import time
import warnings
from contextlib import contextmanager
from hashlib import sha256

_MAGIC = b"covector object 1\n"
_SUFFIX, _UNFINISHED = ".o", ".part"
_HEAD = len(_MAGIC) + 64  # the key and the checksum follow
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_LIMIT = 256 << 20  # bytes
_FILLED = 0.9  # of the limit, to which old files are removed
_FOREIGN = "is no file of this user, or others may write to it"
_OLD = 3600.0  # seconds after which a file is used anew: the least used ones go first
_ABANDONED = 3600.0  # seconds after which a file that nobody finished is removed
_MOST = 64 << 20  # bytes of one file
# What reading other bytes comes to.
_UNREADABLE = (LookupError, MemoryError, RuntimeError, TypeError, ValueError)
_TOLD = set()  # the kinds of warnings that were given


class CacheWarning(UserWarning):
    """The cache of object code, or a file in it, cannot be used; code is compiled instead."""


def folder():
    """The folder of the cache, as the environment says: None where it is off."""
    if os.environ.get("COVECTOR_CACHE") == "0" or not hasattr(os, "geteuid"):  # without owners nothing can be trusted
        return None
    given = os.environ.get("COVECTOR_CACHE_DIR")
    if given:
        return given
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/covector")
    above = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(above if os.path.isabs(above) else os.path.expanduser("~/.cache"), "covector")


def limit():
    """The bytes that the cache may take: `COVECTOR_CACHE_SIZE`, as a number of bytes or with K, M or G behind it."""
    text = os.environ.get("COVECTOR_CACHE_SIZE", "")
    given = text.strip().upper().removesuffix("B")
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    try:
        return int(float(given[:-1]) * units[given[-1]] if given[-1:] in units else float(given)) if given else _LIMIT
    except (ValueError, OverflowError):  # NaN and infinities, too
        _warn("size", f"COVECTOR_CACHE_SIZE is {text!r}, which is no number of bytes as 1000000, 500K, 256M or 1G; "
                      f"the cache of compiled code keeps {_LIMIT >> 20} MB")
        return _LIMIT


class ObjectCache:
    """The files of one folder; whatever goes wrong there, code is compiled, with one warning of each kind."""

    def __init__(self, folder):
        self.folder = folder
        self.taken = None  # bytes in the folder, about

    @contextmanager
    def entered(self, make=False):
        """A descriptor of the folder while its files are under work, or None; what the system refuses ends that."""
        try:
            opened = self.opened(make)
        except OSError as error:
            opened = self.failed(error)
        try:
            yield opened
        except OSError as error:
            self.failed(error)
        finally:
            if opened is not None:
                os.close(opened)

    def get(self, key, read=bytes):
        """The object code with this key (32 bytes), as `read` makes it of the bytes; None where there is none."""
        with self.entered() as opened:
            return None if opened is None else self.found(opened, key, read)

    def found(self, opened, key, read):
        """The same in the open folder."""
        name = key.hex() + _SUFFIX
        try:
            try:
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=opened)
            except FileNotFoundError:
                return None
            except OSError:
                if _is_own(os.stat(name, dir_fd=opened, follow_symlinks=False)):
                    raise
                return self.foreign(name, _FOREIGN)
            try:
                about = os.fstat(file)
                if not _is_own(about):
                    return self.foreign(name, _FOREIGN)
                if about.st_size > _MOST:  # no code is: memory is not even asked for
                    return self.foreign(name, "is damaged")
                data = os.read(file, about.st_size)
                code = data[_HEAD:]
                if data[:_HEAD] != _MAGIC + key + sha256(code).digest():
                    return self.foreign(name, "is damaged")
                try:
                    found = read(code)
                except _UNREADABLE:
                    return self.foreign(name, "is damaged")
                if time.time() - about.st_mtime > _OLD and os.access(self.folder, os.W_OK):
                    os.utime(file)  # used just now
                return found
            finally:
                os.close(file)
        except FileNotFoundError:  # another process removed it
            return None

    def put(self, key, code):
        """Keep object code; a file appears as a whole or not at all, and none that is too large to be read again."""
        if len(code) + _HEAD > _MOST:
            return
        name = f"{key.hex()}.{os.getpid()}.{time.monotonic_ns()}{_UNFINISHED}"
        with self.entered(True) as opened:
            if opened is None:
                return
            file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600,
                           dir_fd=opened)
            try:
                with open(file, "wb") as stream:
                    stream.write(_MAGIC + key + sha256(code).digest() + code)
                os.replace(name, key.hex() + _SUFFIX, src_dir_fd=opened, dst_dir_fd=opened)
            except OSError:
                os.unlink(name, dir_fd=opened)
                raise
            self.bound(opened, len(code) + _HEAD)

    def opened(self, make):
        """A descriptor of the folder, or None; it must be this user's alone to write to."""
        if make:
            os.makedirs(self.folder, 0o700, exist_ok=True)
        try:
            found = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        about = os.fstat(found)
        if about.st_uid == os.geteuid() and not about.st_mode & _OTHERS_WRITE:
            return found
        os.close(found)
        _warn("folder", f"the cache of compiled code is not used, because its folder {self.folder} belongs to somebody "
                        f"else, or others may write to it; run chmod 700 on it, or set COVECTOR_CACHE_DIR to a folder "
                        f"of your own")
        return None

    def files(self, opened):
        """`[(time of the last use, bytes, name), …]`, the oldest first; files that nobody finished are removed."""
        found = []
        with os.scandir(opened) as entries:
            for entry in entries:
                try:
                    about = entry.stat(follow_symlinks=False)
                    if entry.name.endswith(_SUFFIX):
                        found.append((about.st_mtime, about.st_size, entry.name))
                    elif entry.name.endswith(_UNFINISHED) and time.time() - about.st_mtime > _ABANDONED:
                        os.unlink(entry.name, dir_fd=opened)
                except FileNotFoundError:  # another process removed it
                    continue
        return sorted(found)

    def bound(self, opened, added):
        """Remove what was not used for longest, where the files take more than the limit."""
        most = limit()
        if self.taken is not None and self.taken + added <= most:
            self.taken += added
            return
        files = self.files(opened)
        self.taken = sum(size for _, size, _ in files)
        for _, size, name in files if self.taken > most else ():
            if self.taken <= most * _FILLED:
                break
            _remove(name, opened)
            self.taken -= size

    def listed(self, act=lambda name, opened: None):
        """The files, each passed to `act`; those before what the system refuses, none where there is no folder."""
        done = []
        with self.entered() as opened:
            for found in () if opened is None else self.files(opened):
                act(found[2], opened)
                done.append(found)
        return done

    def clear(self):
        """Remove all files; the number of them."""
        self.taken = None
        return len(self.listed(_remove))

    def failed(self, error):
        """Say once what the system answered."""
        _warn("system", f"the cache of compiled code is not used: {error}; code is compiled in each process. Set "
                        f"COVECTOR_CACHE_DIR to a folder that can be written to, or COVECTOR_CACHE=0")

    def foreign(self, name, what):
        """Say once that a file is not used."""
        where = os.path.join(self.folder, name)
        _warn("file", f"a file of compiled code, {where}, {what}; the code is compiled again, and replaces it. Nothing "
                      f"else is wrong; python -m covector.cache clear removes all such files")


def _is_own(about):
    """Tell whether a file is one that only this user can have written."""
    return stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid() and not about.st_mode & _OTHERS_WRITE


def _remove(name, opened):
    try:
        os.unlink(name, dir_fd=opened)
    except FileNotFoundError:  # another process did
        pass


def _warn(kind, message):
    """Warn once in a process."""
    if kind not in _TOLD:
        _TOLD.add(kind)
        warnings.warn(message, CacheWarning, stacklevel=2)
