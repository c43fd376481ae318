"""Traces of debug_nans: check each output, tangent and cotangent for NaN, and report the user's line."""

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.backend import namespace_of
from ...core.errors import user_line
from ...core.tape.recording import make_node
from ...core.tape.scatter import Scatter
from ...core.tape.tape import Rule, make_leaf
from ...core.trace.tracer import Batched, Dual, Rev, Tracer, unwrap
from ..scope.axis_environment import mesh_axes
from ..scope.debug_modes import modes
from .reverse import RevTrace
from .varying import Marking

# None while the user's code runs; inside an operation or a pullback, which is looked at as a whole (a rule may make
# a NaN and mask it), the operation whose pullback runs and its line, or "".
_INSIDE: ContextVar[str | None] = ContextVar("covector_watched", default=None)


def start_trace():
    """A reverse trace; the watching one under debug_nans, inside of a mesh one that knows what varies."""
    if mesh_axes():
        return WatchedMeshTrace() if modes().nans else MeshRevTrace()
    return WatchedTrace() if modes().nans else RevTrace()


class Watching:
    """A trace that looks at what its operations give: to be put before the class of the trace."""

    __slots__ = ()

    def process(self, prim, args, *known):
        inner: Any = super()
        before = _INSIDE.get()
        if prim.handlers is None:  # else the user's code runs inside
            _INSIDE.set(before or "")
        try:
            out = inner.process(prim, args, *known)
        finally:
            _INSIDE.set(before)
        if before is None:
            _check_answer(prim, args, out)
        return out


class WatchedDual(Dual):
    """A Dual that no fast path takes."""

    __slots__ = ()


class WatchedBatched(Batched):
    """A Batched that no fast path takes."""

    __slots__ = ()


class WatchedRev(Rev):
    """A Rev that no fast path takes, so that its trace sees each operation."""

    __slots__ = ()


class WatchedTrace(Watching, RevTrace):
    """Raises where a NaN first appears, in the forward run or in the sweep."""

    __slots__ = ()
    tracer = WatchedRev

    def node(self, rule, parents, saved):
        """A node whose pullback is looked at; one that only picks an output is left alone."""
        if rule.names == ("pick",):
            return make_node(rule, parents, saved)
        return make_node(_watched(rule, _here()), parents, saved)

    def leaf(self, index):
        """An input behind a node that looks at what arrives."""
        return self.node(_INPUT, make_leaf(index), None)


class MeshRevTrace(Marking, RevTrace):
    """Reverse mode inside of a mesh."""

    __slots__ = ()


class WatchedMeshTrace(Marking, WatchedTrace):
    """The watching trace inside of a mesh."""

    __slots__ = ()
    tracer: Any = WatchedRev


def _watched(rule, line):
    """A rule whose pullbacks are looked at."""
    out = Rule()
    for slot in Rule.__slots__:
        setattr(out, slot, getattr(rule, slot))
    out.pointwise = False
    name = rule.names[0] if rule.prim is None else rule.prim.name
    what = f"{name} ({line})" if line else name
    out.back = lambda ct, saved: _pull(rule, rule.back, what, ct, saved)
    out.strong = lambda ct, saved: _pull(rule, rule.strong, what, ct, saved)
    return out


def _pull(rule, back, what, ct, saved):
    """`back(ct, saved)`, both sides looked at."""
    check_pulled(what, ct, (), None)
    before = _INSIDE.get()
    try:
        _INSIDE.set(what)
        out = back(ct, saved)
    finally:
        _INSIDE.set(before)
    kept = (saved,) if len(rule.names) == 1 else saved or ()
    check_pulled(what, ct, [(n, v) for n, v in zip(rule.names, kept) if not n.endswith("_aval")], out)
    return out


def check_pulled(what: str, ct: Any, known: Sequence[tuple[str, Any]], out: Any) -> None:
    """Raise FloatingPointError if a NaN reached a pullback, or if the pullback produced one.

    Args:
        what: names the operation, and where it ran.
        ct: the cotangent.
        known: pairs of a name and a value: what was saved for the pullback; only arrays are shown.
        out: the cotangent of its operand, or a tuple of those.

    >>> import numpy as np
    >>> from covector._interpreters import check_pulled
    >>> check_pulled("sqrt", np.ones(1), [("ans", np.zeros(1))], np.array([np.nan]))
    Traceback (most recent call last):
    FloatingPointError: a NaN appeared in the backward pass: the pullback of sqrt produced f64[1] = [nan] from ...
    """
    if has_nan(ct):
        raise FloatingPointError(
            f"a NaN appeared in the backward pass: the cotangent of {what} is {_shown(ct)}; it was in the "
            "cotangent given, or inf and -inf were added there: look for divisions by 0 after it"
        )
    if has_nan(out):
        shown = "".join(f", {n}: {_shown(v)}" for n, v in known if hasattr(v, "dtype"))
        raise FloatingPointError(
            f"a NaN appeared in the backward pass: the pullback of {what} produced {_shown(out)} from cotangent: "
            f"{_shown(ct)}"
            f"{shown}; look for 0/0, inf - inf or sqrt and log at 0 there, and use np.where on the input of the "
            "operation"
        )


def _check_answer(prim, args, out):
    """Raise if an operation made a NaN, in its output or in its tangent, of operands without one."""
    if not has_nan(out):
        return
    operands = prim.split(args)[0]
    names = prim.operands if len(prim.operands) == len(operands) else [f"{prim.operands[0]}[{i}]" for i in
                                                                      range(len(operands))]
    owner = getattr(args[-1], "owner", None) if prim.handlers is not None else None
    name = prim.name if owner is None else f"{prim.name} of {getattr(owner.fun, '__name__', owner.fun)}"
    check_made(name, list(zip(names, operands)), out)


def check_made(name: str, operands: list[tuple[str, Any]], out: Any) -> None:
    """Raise FloatingPointError if an operation made a NaN, in its output or in a tangent, of operands without one.

    Args:
        name: the operation's.
        operands: pairs of a name and a value; others than arrays and numbers are not shown.
        out: the output, or a tuple of outputs.

    >>> import numpy as np
    >>> from covector._interpreters import check_made
    >>> check_made("log", [("x", -np.ones(1))], np.array([np.nan]))
    Traceback (most recent call last):
    FloatingPointError: log produced a NaN from x: f64[1] = [-1.]; keep its operands inside its domain, ...
    """
    if not has_nan(out) or any(has_nan(a) for _, a in operands):
        return
    made = "a tangent with NaN" if all(_nans(o) is None for o in _each(out)) else "a NaN"
    shown = "; ".join(f"{n}: {_shown(a, _first_nan(out))}" for n, a in operands if hasattr(a, "dtype")
                      or isinstance(a, float | complex | int))
    where = _here()
    raise FloatingPointError(
        f"{name} produced {made} from {shown}; keep its operands inside its domain, for example with np.where on "
        f"the input{f' ({where})' if where else ''}"
    )


def _here():
    """`at file.py:12 in loss`, and whose pullback runs there."""
    line, pulled = user_line(), _INSIDE.get()
    return (f"at {line}" if line else "") + (f", in the pullback of {pulled}" if pulled else "")


def _each(out):
    return out if isinstance(out, tuple) else (out,)


def has_nan(value):
    """Tell whether a value of any level, a lazy cotangent or a tuple of them holds NaN."""
    if isinstance(value, tuple | list):
        return any(has_nan(v) for v in value)
    if isinstance(value, Scatter):
        return has_nan(value.buffer) or value.piece is not None and has_nan(value.piece[1])
    while isinstance(value, Tracer) and value.owner is not None:
        if getattr(value, "tangent", None) is not None and has_nan(value.tangent):
            return True
        value = value.value
    return _nans(value) is not None


def _nans(value):
    """A mask of the NaNs in the innermost array of a value, as an array of its library; None if there are none."""
    raw = _raw(value)
    if isinstance(raw, float | complex):
        raw = np.asarray(raw)
    if getattr(getattr(raw, "dtype", None), "kind", "") not in ("f", "c", "V"):
        return None
    found = namespace_of((raw,)).isnan(raw)
    return found if bool(found.any()) else None


def _raw(value):
    """The innermost array; None for what is staged or no array."""
    if isinstance(value, Tracer) and value.owner is None:
        value = value.read()
    return unwrap(value)


def _first_nan(out):
    """The index of the first NaN of an output, batch axes in front."""
    for v in _each(out):
        found = _nans(v)
        if found is not None and found.ndim:
            return np.unravel_index(int(_host(found).argmax()), found.shape)
    return None


def _host(raw):
    """An array of any library as NumPy's, to be shown."""
    return raw.get() if hasattr(raw, "get") else np.asarray(raw)


def _shown(value, index=None):
    """Shape and a sample of a value, and what stands at `index` if that is of its shape."""
    if isinstance(value, tuple):
        return "(" + ", ".join(_shown(v) for v in value if v is not None) + ")"
    if isinstance(value, Scatter):
        value = value.buffer if value.piece is None else value.piece[1]
    raw = _raw(value)
    if raw is None:
        return repr(aval_of(value))
    raw = _host(raw)
    text = f"{aval_of(value)!r} = {np.array2string(raw.reshape(-1)[:4], threshold=4)}{' …' if raw.size > 4 else ''}"
    if index is not None and raw.size > 4 and len(index) == raw.ndim and all(i < n for i, n in zip(index, raw.shape)):
        text += f" ({raw[index]} at {[int(i) for i in index]})"
    while isinstance(value, Tracer) and value.owner is not None:
        if getattr(value, "tangent", None) is not None:
            text += f", tangent {_shown(value.tangent)}"
        value = value.value
    return text


def _input():
    """The rule of an input's node: what arrives passes."""
    rule = Rule()
    rule.prim = rule.collect = None
    rule.names, rule.active, rule.origins = ("an input",), (0,), ()
    rule.keeps = rule.lazy = False
    rule.back = rule.strong = lambda ct, saved: ct
    return rule


_INPUT = _input()
