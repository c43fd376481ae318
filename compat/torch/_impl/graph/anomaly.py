"""Anomaly mode: the forward traceback of a node that fails, and a check of what nodes return for NaN."""

import linecache
import sys
import traceback
import warnings
from contextvars import ContextVar

import numpy as np

from ..... import _engine, extend
from ..types.arrays import ARRAYS
from .node_errors import UNDEFINED


def stamp(node):
    """Note where in the user's program a node was made, and by which node's rule if in a sweep."""
    extra = node.ensure_hooks()
    extra.traceback = users_frames()
    extra.seen = _RUNNING.get()


def users_frames():
    """The lines of the user's program that run now, outermost first."""
    found, folders = [], _engine.LIBRARY_FOLDERS
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        if not file.startswith(folders):
            if file not in linecache.cache:
                linecache.lazycache(file, frame.f_globals)  # how its source is found where it is no file
            found.append((code, frame.f_lasti))
        frame = frame.f_back
    return Lines(found)


class Lines:
    """A recorded stack of the program; its text is formatted when asked for, since most are never shown."""

    __slots__ = ("found",)

    def __init__(self, found):
        self.found = found  # (code, index of the instruction), innermost first

    def innermost(self):
        """The entry of the line that ran last, None where there is none."""
        entries = self.entries(self.found[:1])
        return entries[0] if entries else None

    def format(self):
        """The entries of a traceback as text, outermost first."""
        return self.entries(reversed(self.found)).format()

    def entries(self, found):
        """Entries of a traceback, whose source is read when they are shown."""
        for file in {code.co_filename for code, _ in self.found}:
            linecache.checkcache(file)
        return traceback.StackSummary.from_list([
            traceback.FrameSummary(code.co_filename, line_of(code, at), code.co_name, lookup_line=False)
            for code, at in found])


def line_of(code, at):
    """The line of an instruction."""
    return next((line for start, end, line in code.co_lines() if start <= at < end), code.co_firstlineno)


_RUNNING: ContextVar = ContextVar("covector_torch_anomaly_node", default=None)  # the node whose rule runs


def guarded(node, drive, ct):
    """Run a node with its hooks; on failure, or on NaN, print the lines that made it."""
    before = _RUNNING.get()
    try:
        _RUNNING.set(node)
        if drive.nans is not None:
            out = drive.nans.turn(node, drive, ct)
        else:
            out = node.run_between_hooks(ct, drive)
        if drive.anomaly:
            check(node, out)
    except Exception:
        if drive.anomaly is not None:
            show(node)
        raise
    finally:
        _RUNNING.set(before)
    return out


def check(node, out):
    """Raise if a cotangent holds NaN."""
    for i, c in enumerate(out if type(out) is tuple else (out,)):
        if has_nan(c):
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def has_nan(ct):
    """Tell whether a cotangent of any kind holds NaN."""
    if ct is None or ct is UNDEFINED:
        return False
    if isinstance(ct, _engine.Scatter):
        return has_nan(ct.buffer) or ct.piece is not None and has_nan(ct.piece[1])
    if isinstance(ct, extend.Tracer) and ct.owner is None:  # a buffer, as lazy cotangents of traced values are
        ct = ct.read()
    raw = extend.unwrap(ct)
    return (type(raw) in ARRAYS or isinstance(raw, np.generic)) and raw.dtype.kind in "fcV" and bool(
        np.isnan(raw).any())


def warn(words):
    """Give a warning; where warnings are errors, print it, so that the error it explains is seen."""
    try:
        warnings.warn(words, UserWarning, stacklevel=3)
    except UserWarning:
        sys.stderr.write(f"UserWarning: {words}\n")


def show(node):
    """Warn with the forward traceback of a node, and of the nodes whose rules made it."""
    what = "Error detected in {}. Traceback of forward call that caused the error:\n{}"
    while node is not None:
        extra = node.extra
        if extra is None or extra.traceback is None:
            warn(f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly "
                 "during forward pass for more information.")
        else:
            warn(what.format(node.name(), "".join(extra.traceback.format())))
        what = ("\n\nPrevious calculation was induced by {}. Traceback of forward call that induced the previous "
                "calculation:\n{}")
        node = None if extra is None else extra.seen
