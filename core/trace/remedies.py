"""What messages about traced values advise, by what was done with one, and by whom."""

from itertools import islice

from ..errors import modules_on_the_way, user_place
from ..lazy import LazyModule

AST = LazyModule("ast")
LINECACHE = LazyModule("linecache")

_IF = "use np.where or covector.cond instead of `if`, covector.while_loop instead of `while`"
_PLACES = "use np.where(mask, x, y) with three arguments, or sums such as np.sum(np.where(mask, x, 0.0))"
CHOICES = {
    "bool": _IF, "item": _IF, "tolist": _IF, "numpy": _IF,
    None: "its result depends on the values themselves: choose by np.where, or call it outside of the transformed "
          "function",
} | dict.fromkeys(["nonzero", "flatnonzero", "argwhere"], _PLACES)
_BUFFER = "buf = covector.numpy.zeros(shape) (or np.zeros_like(t)) before buf[i] = t"
_MATH = "np.exp and friends for math.*"
_SCIPY = "covector.scipy for SciPy's functions"
_ASARRAY = "covector.numpy.asarray(t) for np.asarray(t)"
_DRAW = "loc + scale * rng.normal(size=n) for rng.normal(loc, scale)"
_TAKE = "covector.numpy.take(a, t, axis) for a[t] of a plain array a"
_CALLS = {  # what the user called, by its last name
    "float": "t itself for float(t)", "complex": "t itself for complex(t)",
    "array": "np.stack([...]) for np.array([...])", "dot": "x @ t for x.dot(t)",
    "asarray": _ASARRAY, "asanyarray": _ASARRAY, "ascontiguousarray": _ASARRAY,
} | dict.fromkeys(["normal", "uniform", "laplace", "logistic", "gumbel"], _DRAW)
_PACKAGES = {  # whose code the user's call went through
    "xarray": "a.data of an xarray DataArray a", "pandas": "s.to_numpy() @ t for a pandas s @ t",
    "scipy": f"{_SCIPY}, covector.custom_vjp for one that it lacks",
}
_OTHER = f"np.stack([...]) for a list of traced values, {_SCIPY}, covector.custom_vjp for what has no such function"
_ANY = {  # where none of these is known
    "used as an integer index": "covector.fori_loop for range(t), make it an argument that is not transformed",
    "converted to a Python int": f"covector.fori_loop for range(int(t)), t.astype(int) for int(t), {_BUFFER}",
    "converted to a numpy array": ", ".join((
        _CALLS["array"], _CALLS["dot"], _ASARRAY, _SCIPY, _DRAW, _PACKAGES["pandas"], _PACKAGES["xarray"], _BUFFER)),
    None: f"{_MATH}, {_CALLS['float']}, {_SCIPY}, {_BUFFER}",
}
_TRANSFORMS = f"{__name__.partition('.')[0]}.transforms"  # called the function that did it, so the line does not tell
_GUESSED = ("converted to a Python float", "converted to a Python complex", "converted to a numpy array")


def remedy(how, kind):
    """What to write instead of what was done with a traced value of a dtype of `kind`, and who did it: ` by math.exp`
    where the source of the user's line tells, else nothing."""
    if how == "converted by .item()":
        return ("leave .item() out, since a 0-d array serves as a number; to look at the value, return it with "
                "has_aux=True or show it with covector.debug.print"), ""
    modules = modules_on_the_way()
    packages = {module.partition(".")[0] for module in modules}
    called = name = ""
    words = next((advice for package, advice in _PACKAGES.items() if package in packages), None)
    if how in _GUESSED and not any(module.startswith(_TRANSFORMS) for module in modules):
        called, by_index = _asker()
        name = called.rpartition(".")[2]
        if words is None and by_index:
            words = _BUFFER if kind not in "iu" else f"{_TAKE}, {_BUFFER}"
        elif words is None and called:
            words = _MATH if called == f"math.{name}" else _CALLS.get(name, _OTHER)
    if words is None:
        words = _ANY.get(how, _ANY[None])
        if how == "converted to a numpy array" and kind in "iu":
            words = f"{_TAKE}, {words}"
    return f"use {words}", f" by {called}" if called != name else ""


def _asker():
    """What the user's line calls, as it is written there (of a value without a name, its method), and whether it reads
    or writes an index instead."""
    node = _expression(*(user_place() or (None, 0)))
    func = getattr(node, "func", None)
    called = AST.unparse(func) if isinstance(func, AST.Name | AST.Attribute) else ""
    named = all(map(str.isidentifier, called.split(".")))
    return called if named or not called else func.attr, isinstance(node, AST.Subscript)


def _expression(code, at):
    """What instruction `at` of the user's code computes, as a tree; None where the source is not at hand."""
    first, last, start, stop = next(islice(code.co_positions(), at // 2, None)) if code else (None,) * 4
    if first is None or stop is None or first != last:
        return None
    try:
        text = LINECACHE.getline(code.co_filename, first).encode()[start:stop].decode()
        return AST.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
