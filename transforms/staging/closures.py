"""Closure conversion: find the traced values that a function reaches, and rebuild it with others in their place."""

from functools import partial
from types import CellType, FunctionType, MethodType, ModuleType

import numpy as np

from ...core.trace.tracer import Batched, Staged, Tracer

_SCAN_LIMIT = 256
_PLAIN = frozenset({np.ndarray, int, float, complex, bool, str, bytes, type(None), type})


def closes_over_tracer(functions, wanted=None):
    """Tell whether a traced value (one that is `wanted`) is reachable from closures, defaults and bound objects."""
    todo = list(functions)
    seen = set()
    while todo and len(seen) < _SCAN_LIMIT:
        thing = todo.pop()
        if isinstance(thing, Tracer):
            if wanted is None or wanted(thing):
                return True
            continue
        kind = type(thing)
        if kind in _PLAIN or id(thing) in seen:
            continue
        seen.add(id(thing))
        if kind is FunctionType:
            todo += [cell.cell_contents for cell in thing.__closure__ or () if _filled(cell)]
            todo += thing.__defaults__ or ()
        elif kind is MethodType:
            todo += (thing.__func__, thing.__self__)
        elif issubclass(kind, partial):
            todo += (thing.func, thing.args, thing.keywords)
        elif kind is tuple or kind is list:
            todo += thing
        elif kind is dict:
            todo += thing.values()
        # Modules and classes reach the whole program; values of a trace lie in objects and closures.
        elif hasattr(thing, "__dict__") and not isinstance(thing, (type, ModuleType)):
            todo += vars(thing).values()
    return False


def _filled(cell):
    """Tell whether a cell holds something: one of a function that is defined later does not."""
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def with_closures(fun, wanted, take):
    """`fun` with `take(x)` for each traced value `x` that is `wanted` in closures, defaults and pytrees in these.

    Cells without such a value are shared with `fun`, so that it may still assign to them. Objects are left as they are.
    """
    return _with(fun, wanted, take, {})


def _with(thing, wanted, take, done):
    if isinstance(thing, Tracer):
        return take(thing) if wanted(thing) else thing
    if id(thing) in done:
        return done[id(thing)]
    kind = type(thing)
    if kind not in (FunctionType, partial, tuple, list, dict) or not closes_over_tracer((thing,), wanted):
        return thing
    if kind is FunctionType:
        cells = thing.__closure__ or ()
        # New cells, filled below: a function may reach itself through its closure, and `done` ends that.
        fresh = [CellType() if _filled(c) and closes_over_tracer((c.cell_contents,), wanted) else c for c in cells]
        out = done[id(thing)] = FunctionType(thing.__code__, thing.__globals__, thing.__name__, None, tuple(fresh))
        out.__dict__.update(thing.__dict__)
        out.__kwdefaults__ = thing.__kwdefaults__
        out.__defaults__ = _with(thing.__defaults__, wanted, take, done)
        for old, new in zip(cells, fresh):
            if new is not old:
                new.cell_contents = _with(old.cell_contents, wanted, take, done)
        return out
    if kind is partial:
        args, keywords = _with(thing.args, wanted, take, done), _with(thing.keywords, wanted, take, done)
        return partial(_with(thing.func, wanted, take, done), *args, **keywords)
    if kind is dict:
        return {key: _with(v, wanted, take, done) for key, v in thing.items()}
    return kind([_with(v, wanted, take, done) for v in thing])


def is_unknown(value):
    """Tell whether a traced value is batched or staged, so that no choice can be made by it."""
    return value.owner is not None and known_state(value) != "known"


def known_state(value):
    """Tell whether control flow can look at a value: "known", "batched" or "staged"."""
    state = "known"
    while isinstance(value, Tracer):
        if isinstance(value, Batched):
            state = "batched"
        if type(value) is Staged and value.value is None:
            return "staged" if state == "known" else state
        value = value.value
    return state
