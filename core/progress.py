"""Progress of long loops, reported on request by tqdm, as a line of text, or to a callback."""

import sys
from time import monotonic

from .errors import at_user_line
from .lazy import LazyModule

tqdm = LazyModule("tqdm")
_PAUSE = 0.1  # seconds between two writings of the line


def with_progress(items, progress, name):
    """Iterate over a sequence and report to `progress` after each item; the items as they are if nobody asks."""
    if progress is None or progress is False:
        return items
    return _reporting(items, reporter(progress, name, len(items)))


def _reporting(items, report):
    try:
        for k, item in enumerate(items, 1):
            yield item
            report(k)
    finally:
        report(None)


def reporter(progress, name, total):
    """A function to call with the number of steps that are done, after each of them, and with None in the end."""
    if progress is True:
        return _Shown(name, total)
    if not callable(progress):
        raise TypeError(f"progress= of {name} is True, False or a function of the number of steps that are done and of "
                        f"all, but got {progress!r}; give one of them{at_user_line()}")

    def report(done):
        if done is not None:
            progress(done, total)

    return report


class _Shown:
    """A bar of tqdm, or a line of text where that is not installed; a first step begins a new one."""

    __slots__ = ("name", "total", "bar")

    def __init__(self, name, total):
        self.name, self.total, self.bar = name, total, None

    def __call__(self, done):
        if self.bar is not None and (done is None or done <= self.bar.n):
            self.bar.close()
            self.bar = None
        if done is not None:
            if self.bar is None:
                self.bar = _bar(self.total, self.name)
            self.bar.update(done - self.bar.n)
            if done == self.total:
                self.bar.close()
                self.bar = None


def _bar(total, name):
    try:
        return tqdm.tqdm(total=total, desc=name)
    except ImportError:
        return Line(total, name)


class Line:
    """The line that is written to standard error without tqdm; its methods are those of a bar."""

    __slots__ = ("name", "total", "n", "start", "written")

    def __init__(self, total, name):
        self.name, self.total, self.n = name, total, 0
        self.start = self.written = monotonic()
        self._write()

    def update(self, count):
        self.n += count
        if monotonic() - self.written >= _PAUSE:
            self._write()

    def close(self):
        self._write()
        sys.stderr.write("\n")
        sys.stderr.flush()

    def _write(self):
        self.written = monotonic()
        sys.stderr.write(f"\r{self.name}: {self.n} of {self.total}, {self.written - self.start:.1f} s")
        sys.stderr.flush()
