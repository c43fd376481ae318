"""Remedies in error messages about traced values, by the conversion attempted and its caller."""

import sys
from itertools import islice

from ..errors import functions_on_the_way, user_place
from ..lazy import LazyModule

AST = LazyModule("ast")
DIS = LazyModule("dis")
LINECACHE = LazyModule("linecache")

_IF = "use np.where or covector.cond instead of `if`, covector.while_loop instead of `while`"
_PLACES = "use np.where(mask, x, y) with three arguments, or sums such as np.sum(np.where(mask, x, 0.0))"
CHOICES = {
    "bool": _IF, "item": _IF, "tolist": _IF, "numpy": _IF,
    None: "its result depends on the values themselves: choose by np.where, or call it outside of the transformed "
          "function",
} | dict.fromkeys(["nonzero", "flatnonzero", "argwhere"], _PLACES)
_BUFFER = ("buf = covector.numpy.zeros(shape) (or numpy.zeros_like(t)) before buf[i] = t, or buf = "
           "covector.numpy.array(buf) of an array that is there")
_MATH = "np.exp and friends for math.*"
_SCIPY = "covector.scipy for SciPy's functions"
_ASARRAY = "covector.numpy.asarray(t) for np.asarray(t)"
_DRAW = "loc + scale * rng.normal(size=n) for rng.normal(loc, scale)"
_TAKE = "covector.numpy.asarray(a)[t] for a[t] of a plain array a"
_ARRAY = "covector.numpy.array([...]) or np.stack([...]) for np.array([...])"
_CALLS = {  # what the user called, by its last name
    "float": "t itself for float(t)", "complex": "t itself for complex(t)", "array": _ARRAY,
    "dot": "x @ t for x.dot(t)",
    "asarray": _ASARRAY, "asanyarray": _ASARRAY, "ascontiguousarray": _ASARRAY,
    "float64": "t.astype(float) for np.float64(t)", "float32": "t.astype(np.float32) for np.float32(t)",
    "arange": "a length that is known, as one of x.shape, for np.arange(t)",
    "fsum": "np.sum(np.stack([...])) for math.fsum([...])", "fromiter": "np.stack(list(...)) for np.fromiter(...)",
    "take": "covector.numpy.take(a, t, axis) for a.take(t)", "__setitem__": _BUFFER,
} | dict.fromkeys(["normal", "uniform", "laplace", "logistic", "gumbel"], _DRAW)
_ON_THE_WAY = {  # through what code the user's call went
    ".xarray.": "a.data of an xarray DataArray a", ".pandas.": "s.to_numpy() @ t for a pandas s @ t",
    ".matplotlib.": "covector.debug.callback(plot, t) to draw t",
    ".vectorize.": "covector.numpy.vectorize, or covector.vmap, for np.vectorize",
    ".numpy.ma.": "np.where(mask, 0.0, t) and np.sum(t, where=~mask) for masked arrays",
    ".numpy.polynomial.": "np.polyval(c[::-1], x) for Polynomial(c)(x)",
    ".AxisConcatenator.": "np.concatenate([...]) for np.r_[...], np.column_stack([...]) for np.c_[...]",
    ".nd_grid.": "np.linspace, whose length is known, for np.mgrid and np.ogrid",
    ".statistics.": "np.mean, np.std and the like for the functions of statistics",
}
_ANY = {  # where none of these is known
    "used as an integer index": "covector.fori_loop for range(t), make it an argument that is not transformed",
    "converted to a Python int": f"covector.fori_loop for range(int(t)), t.astype(int) for int(t), {_BUFFER}",
    "converted to a numpy array": ", ".join((
        _ARRAY, _CALLS["dot"], _ASARRAY, _SCIPY, _DRAW, _ON_THE_WAY[".pandas."], _ON_THE_WAY[".xarray."], _BUFFER)),
    "exported by DLPack": "covector.compat.torch for PyTorch, covector.custom_vjp around functions of other libraries",
    None: f"{_MATH}, {_CALLS['float']}, {_SCIPY}, {_BUFFER}",
}
_METHODS = {
    "converted by .item()": "leave .item() out, since a 0-d array serves as a number; to look at the value, return it "
                            "with has_aux=True or show it with covector.debug.print",
    "converted by .tolist()": "leave .tolist() out, since a traced array is indexed, gone through and added up as a "
                              "list is",
}
_ROOT = __name__.partition(".")[0]
_TRANSFORMS = f"{_ROOT}.transforms"  # called the function that did it, so the line does not tell
_GUESSED = ("converted to a Python float", "converted to a Python complex", "converted to a numpy array",
            "used as an integer index")


def remedy(how, kind):
    """The remedy for a use of a traced value of a dtype of `kind`, and its cause: ` by math.exp` where the source of
    the user's line tells, else nothing."""
    if how in _METHODS:
        return _METHODS[how], ""
    way = [f".{name}" for name in functions_on_the_way()]
    called = name = ""
    words = next((advice for part, advice in _ON_THE_WAY.items() if any(part in step for step in way)), None)
    if how in _GUESSED and not any(step.startswith(f".{_TRANSFORMS}") for step in way):
        node, stored = _asked()
        if isinstance(node, AST.Subscript):
            words = words or (_BUFFER if stored else _read(node, how, kind))
        elif how != "used as an integer index":
            called = _called(node)
            name = called.rpartition(".")[2]
            if words is None and called:
                words = _CALLS.get(name) or (_MATH if called == f"math.{name}" else _counterpart(called, way)) or (
                    f"covector.custom_vjp around {called}, which is then given arrays, or the function of "
                    "covector.numpy or covector.scipy that does the same")
    if words is None and any(step.startswith(".scipy.") for step in way):
        words = f"{_SCIPY}, covector.custom_vjp for one that it lacks"
    if words is None:
        words = _ANY.get(how, _ANY[None])
        if how == "converted to a numpy array" and kind in "iu":
            words = f"{_TAKE}, {words}"
    return f"use {words}", f" by {called}" if called != name else ""


def _read(node, how, kind):
    """The remedy for an index by a traced value."""
    if any(isinstance(part, AST.Slice) for part in AST.walk(node.slice)):
        return "covector.lax.dynamic_slice_in_dim(a, t, size, axis) for a[t:t + size]"
    if how == "used as an integer index":  # by a list or a tuple
        return ("covector.numpy.take(np.array(a), t, axis) for a[t] of a list a, make it an argument that is not "
                "transformed")
    return "np.where(t, a, 0.0) for a[t] of a mask t" if kind == "b" else _TAKE


def _counterpart(called, way):
    """Ours for a function of NumPy's, which takes lists of traced values and numbers that are traced, or of SciPy's."""
    names = called.split(".")
    if names[0] in ("np", "numpy"):
        rest = ".".join(names[1:])
        found = _ours(f"numpy.{rest}")
        return None if found is None or isinstance(found, type) else f"{_ROOT}.numpy.{rest} for {called}"
    for room in dict.fromkeys(step.split(".")[2] for step in way if step.startswith(".scipy.")):
        for start in range(len(names)):
            rest = f"scipy.{room}.{'.'.join(names[start:])}"
            if room != names[start] and _ours(rest) is not None:
                return f"{_ROOT}.{rest} for {called}"
    return None


def _ours(path):
    """The object at a path in covector, or None."""
    found = sys.modules.get(_ROOT)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def _asked():
    """The syntax tree of the user's expression, and whether it writes to an index."""
    code, at = user_place() or (None, 0)
    node = _expression(code, at)
    return node, isinstance(node, AST.Subscript) and DIS.opname[code.co_code[at]].startswith("STORE_")


def _called(node):
    """The source of the callee (of a value without a name, its method)."""
    func = getattr(node, "func", None)
    called = AST.unparse(func) if isinstance(func, AST.Name | AST.Attribute) else ""
    return called if not called or all(map(str.isidentifier, called.split("."))) else func.attr


def _expression(code, at):
    """The syntax tree of what instruction `at` of the user's code computes; None where the source is not at hand."""
    first, last, start, stop = next(islice(code.co_positions(), at // 2, None)) if code else (None,) * 4
    if first is None or stop is None or first != last:
        return None
    try:
        text = LINECACHE.getline(code.co_filename, first).encode()[start:stop].decode()
        return AST.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
