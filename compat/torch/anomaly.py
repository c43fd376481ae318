"""Anomaly mode: the forward lines of a node that fails, and a check of what nodes return for NaN."""

import inspect
import os
import traceback
import warnings
from contextvars import ContextVar

import numpy as np

from ... import extend


def stamp(node):
    """Note where in the user's program a node was made, and by which node's rule if in a sweep."""
    extra = node.loud()
    here = os.path.dirname(extend.__file__)
    frames = [f for f in traceback.extract_stack()[:-2] if not f.filename.startswith((here, _COMPAT, _CORE))]
    extra.traceback = frames
    extra.seen = _RUNNING.get()


_COMPAT = os.path.dirname(os.path.dirname(__file__))
_CORE = os.path.dirname(inspect.getfile(extend.Node))
_RUNNING: ContextVar = ContextVar("covector_torch_anomaly_node", default=None)  # the node whose rule runs


def guarded(node, drive, ct):
    """Run a node's rule; on failure, or on NaN, print the lines that made it."""
    before = _RUNNING.get()
    _RUNNING.set(node)
    try:
        out = node.apply(ct, drive)
        if drive.anomaly:
            check(node, out)
    except Exception:
        show(node)
        raise
    finally:
        _RUNNING.set(before)
    return out


def check(node, out):
    """Raise if a cotangent holds NaN."""
    for i, c in enumerate(out if type(out) is tuple else (out,)):
        raw = extend.peel(c)
        if isinstance(raw, np.ndarray | np.generic) and raw.dtype.kind in "fc" and np.isnan(raw).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def show(node):
    """Warn with the forward traceback of a node, and of the nodes whose rules made it."""
    extra = node.extra
    name = node.name()
    if extra is None or extra.traceback is None:
        warnings.warn(f"Error detected in {name}. No forward pass information available. Enable detect anomaly during "
                      "forward pass for more information.", UserWarning, stacklevel=2)
        return
    lines = "".join(traceback.format_list(extra.traceback))
    warnings.warn(f"Error detected in {name}. Traceback of forward call that caused the error:\n{lines}", UserWarning,
                  stacklevel=2)
    parent = extra.seen
    while parent is not None:
        more = parent.extra
        if more is None or more.traceback is None:
            break
        lines = "".join(traceback.format_list(more.traceback))
        warnings.warn("\n\nPrevious calculation was induced by " + parent.name() + ". Traceback of forward call that "
                      f"induced the previous calculation:\n{lines}", UserWarning, stacklevel=2)
        parent = more.seen
