"""The construction of public functions: NumPy's own on plain arrays, ours on traced ones."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from ..core.arrays.avals import make_aval
from ..core.arrays.backend import find_backend
from ..core.arrays.dtypes import is_inexact
from ..core.arrays.sums import small
from ..core.checks import check_options
from ..core.errors import ConversionError, DtypeError, RuleError, at_user_line
from ..core.numpy_api.methods import OF_UFUNCS, OPERATORS, UFUNCS, arrays_of_numbers
from ..core.numpy_api.refusal import refused
from ..core.numpy_api.ufunc_methods import full_name
from ..core.ops import selection, shaping
from ..core.trace.device import array_of_list, constant, library_of
from ..core.trace.foreign_containers import values_of, without_labels
from ..core.trace.tracer import Tracer, concrete
from ..core.types import Array as Array, Fun

Axis = Any
ndarray = np.ndarray
UNSET = np._NoValue
_PLAIN = frozenset({ndarray, int, float, bool, complex})
FUNCTIONS: dict[Any, Callable[..., Any]] = {}  # numpy function -> ours
CREATORS: dict[Any, Callable[..., Any]] = {}  # numpy function that takes `like=` -> ours, which takes its value first


def implements(
    reference: Callable[..., Any], *aliases: Callable[..., Any], masked: bool = False
) -> Callable[[Fun], Fun]:
    """Decorate what `reference` does on traced values; `masked` says that it takes `where=`.

    NumPy's dispatch finds it (so `numpy.<name>(tracer)` works), and the decorated name becomes the public function, of
    the same signature, which is NumPy's.
    """

    def decorate(traced: Fun) -> Fun:
        for function in (reference, *aliases):
            dispatch(function, traced)
        return cast(Fun, public(reference, traced, masked))

    return decorate


def dispatch(reference: Callable[..., Any], traced: Callable[..., Any], creates: bool = False) -> None:
    """Let NumPy's dispatch call `traced` in place of `reference`; one that `creates` is called for `like=`."""
    (CREATORS if creates else FUNCTIONS)[reference] = traced


def array_function(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """NEP 18: covector's function of the same name."""
    fun = FUNCTIONS.get(func)
    if fun is None:
        if not any(issubclass(kind, Tracer) for kind in types):
            return NotImplemented
        fun = partial(CREATORS[func], self) if func in CREATORS else partial(_unsupported, func)
    elif kwargs:
        check_options(kwargs, func.__name__)
        kwargs = without_labels(kwargs)
    args = without_labels(args)
    try:
        return fun(*args, **kwargs)
    except Exception:
        return refused(f"{func.__module__}.{func.__name__}", func, args, kwargs)


def _unsupported(func: Any, *args: Any, **kwargs: Any) -> Any:
    raise RuleError(f"{func.__module__}.{func.__name__} is not supported on traced values; use a function "
                    f"listed in covector.numpy, or stop_gradient where no derivative is wanted{at_user_line()}")


Tracer.__array_function__ = array_function


def public(reference: Callable[..., Any], traced: Callable[..., Any], masked: bool = False) -> Callable[..., Any]:
    """`reference` on plain arrays, `traced` where an argument is traced; NumPy finds tracers further inside."""
    name = reference.__name__
    full = f"{reference.__module__}.{name}"

    def of_values(*args: Any, **kwargs: Any) -> Any:
        args = without_labels(args)
        if kwargs:
            check_options(kwargs, name)
            kwargs = without_labels(kwargs)
        try:
            return traced(*args, **kwargs)
        except Exception:
            return refused(full, reference, args, kwargs)

    def fun(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            if "out" in kwargs or "where" in kwargs:
                refuse_options(name, kwargs.get("out"), True if masked else kwargs.get("where", True))
        for value in (*args, *kwargs.values()) if kwargs else args:
            if isinstance(value, Tracer):
                break
        else:
            try:
                return reference(*args, **kwargs)
            except ConversionError:  # a list of traced values, which NumPy takes for an array
                if not any(map(traced_inside, (*args, *kwargs.values()))):
                    raise
                args = tuple(_stacked_lists(traced, args))
                wanted = traced.__annotations__
                kwargs = {k: _stacked_list(v) if wanted.get(k) is Array else v for k, v in kwargs.items()}
        return of_values(*args, **kwargs)

    vars(fun).update(__wrapped__=reference, of_values=of_values)  # the first for its signature
    return as_numpy(fun, reference, masked)


def _stacked_lists(traced: Callable[..., Any], args: Sequence[Any]) -> list:
    """`args`, with lists of traced values made arrays where the function takes an array, by its annotations."""
    code = traced.__code__
    rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount:][:1]  # `*args`, or a local variable
    names = [*code.co_varnames[: code.co_argcount], *rest * len(args)]
    return [_stacked_list(a) if traced.__annotations__.get(name) is Array else a for a, name in zip(args, names)]


def as_numpy(fun: Callable[..., Any], reference: Callable[..., Any], masked: bool = False) -> Callable[..., Any]:
    """`fun` under the name and documentation of the NumPy function whose values it gives."""
    fun.__name__ = fun.__qualname__ = reference.__name__
    fun.__module__ = "numpy"
    refused = "`out=` is" if masked else "`out=` and `where=` are"
    fun.__doc__ = f"{reference.__doc__ or ''}\n\nIn `covector.numpy`: arrays and traced arrays; {refused} refused."
    if isinstance(reference, np.ufunc):
        vars(fun).update({part: getattr(reference, part) for part in _OF_UFUNCS})  # traced arrays are dispatched on
    return fun


_OF_UFUNCS = ("reduce", "accumulate", "reduceat", "outer", "at", "identity", "nin", "nout")


def ufunc(reference: Any) -> Callable[..., Any]:
    """The public function of a NumPy ufunc, whose primitive is in `UFUNCS`."""
    traced = UFUNCS[reference]
    name = reference.__name__
    op = small(reference)  # of plain arrays
    operator = reference in OPERATORS
    if reference.nin == 1:
        def unary(x: Any, /, out: Any = None, *, where: Any = True, casting: Any = None, order: Any = None,
                  dtype: Any = None, subok: bool = True) -> Any:
            if out is not None or where is not True:
                refuse_options(name, out, where)
            if dtype is casting is order is None and subok is True:
                if isinstance(x, Tracer):
                    return traced(*arrays_of_numbers(x)) if operator and x.aval.weak else traced(x)
                try:
                    return op(x)
                except ConversionError:
                    if not traced_inside(x):
                        raise
                    return reference(_stacked(x))
            return reference(x, dtype=dtype, casting=casting or "same_kind", order=order or "K", subok=subok)

        return with_values(as_numpy(unary, reference), traced)

    def binary(x: Any, y: Any, /, out: Any = None, *, where: Any = True, casting: Any = None, order: Any = None,
               dtype: Any = None, subok: bool = True) -> Any:
        if out is not None or where is not True:
            refuse_options(name, out, where)
        if dtype is casting is order is None and subok is True:
            if type(x) in _PLAIN and type(y) in _PLAIN:
                return op(x, y)
            if isinstance(x, Tracer) and (isinstance(y, Tracer) or type(y) in _PLAIN):
                try:
                    return traced(*arrays_of_numbers(x, y)) if operator and x.aval.weak else traced(x, y)
                except Exception:
                    return refused(full_name(reference), reference, (x, y), {})
            try:
                return reference(x, y)
            except ConversionError:
                if not (traced_inside(x) or traced_inside(y)):
                    raise
                return reference(_stacked_list(x), _stacked_list(y))
        return reference(x, y, dtype=dtype, casting=casting or "same_kind", order=order or "K", subok=subok)

    return with_values(as_numpy(binary, reference), traced)


def with_values(fun: Callable[..., Any], traced: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a ufunc, beside which lies the one that computes plain arrays as traced ones."""

    def of_values(*operands: Any) -> Any:
        return (fun if any(isinstance(x, Tracer) for x in operands) else traced)(*operands)

    if traced not in OF_UFUNCS:
        vars(fun)["of_values"] = of_values
    return fun


def refuse_options(name: str, out: Any = None, where: Any = True) -> None:
    """Raise for `out=` and `where=`, which would write into an array in the middle of a derivative."""
    if out is not None:
        raise RuleError(f"covector.numpy.{name} does not write into out=; use the value it returns, or assign it: "
                        f"buffer[...] = {name}(x){at_user_line()}")
    if where is not True and where is not UNSET:
        raise RuleError(f"covector.numpy.{name} does not take where=; choose with np.where(mask, x, neutral) before, "
                        f"or np.where(mask, {name}(x), other) after{at_user_line()}")


def traced_inside(x: Any) -> bool:
    """Tell whether `x`, or an element of nested lists and tuples, is traced."""
    return isinstance(x, Tracer) or isinstance(x, (list, tuple)) and any(map(traced_inside, x))


def known(a: Any, name: str) -> Any:
    """The NumPy array whose data decides a shape, copied from its device; raises under vmap and while staging."""
    value = concrete(a, name) if isinstance(a, Tracer) else a
    if isinstance(value, (ndarray, np.generic)) or not hasattr(value, "dtype"):
        return np.asarray(value)
    found = find_backend(type(value))
    return np.asarray(value) if found is None else found[0].to_numpy(value)


def without_mask(where: Any) -> bool:
    """Tell whether `where=` was left at its default."""
    return where is True or where is UNSET


def as_asked(name: str, x: Any, dtype: Any, casting: Any = "same_kind") -> Any:
    """`x` in the dtype that was asked for, if `casting` allows it; so no derivative is cast away unseen."""
    dtype = np.dtype(dtype)
    if not np.can_cast(x.dtype, dtype, casting or "same_kind"):
        raise DtypeError(f"{name} was asked for dtype={dtype}, to which {x.dtype} is not cast by casting={casting!r}; "
                         f"cast before with .astype({dtype}){at_user_line()}")
    return x if x.dtype == dtype else selection.astype(x, dtype)


def lift(x: Any) -> Any:
    """`x` as something with a shape; Python numbers stay as they are, for they are weak in promotion."""
    if type(x) in _PLAIN or isinstance(x, Tracer):
        return x
    return values_of(x) if hasattr(x, "dtype") else _of_numbers(x)


def array_beside(x: Any, *like: Any) -> Any:
    """`x` as it is if an array or tracer; numbers and lists become an array of the library of `like`."""
    if type(x) is ndarray:
        return x
    if isinstance(x, Tracer):
        return selection.strong(x)
    if hasattr(x, "dtype"):
        return values_of(x)
    x = array_of(x)
    return x if isinstance(x, Tracer) else constant(x, *like)


def arrays_of(values: Any) -> list:
    """Each value as an array or tracer; numbers and lists become arrays of the library of the others."""
    out = [array_beside(x) for x in values]
    made = [k for k, x in enumerate(values) if out[k] is not x and not hasattr(x, "dtype")]
    if made and (xp := library_of(*values)) is not None:  # asked once: to ask for each of n values takes n² looks
        for k in made:
            out[k] = out[k] if isinstance(out[k], Tracer) else xp.asarray(out[k])
    return out


def array_of(x: Any) -> Any:
    """`x` as an array or tracer; Python numbers become 0-d arrays, lists of traced values are stacked."""
    if type(x) is ndarray:
        return x
    if isinstance(x, Tracer):
        return selection.strong(x)
    if hasattr(x, "dtype"):
        return values_of(x)
    return _stacked(x) if type(x) in (list, tuple) and traced_inside(x) else _of_numbers(x)


def _of_numbers(x: Any) -> Any:
    """Make an array as NumPy does; refuse strings, None and other objects, as inside an operation."""
    ans = array_of_list(x)
    make_aval((), ans.dtype)
    return ans


def _stacked_list(x: Any) -> Any:
    """A list as an array, traced if it holds a traced value; anything else as it is."""
    return _stacked(x) if type(x) in (list, tuple) else x


def _stacked(x: Any) -> Any:
    if not traced_inside(x):
        return np.asarray(x)
    return x if isinstance(x, Tracer) else shaping.stack(*[_stacked(part) for part in x], axis=0)


def floating(x: Any) -> Any:
    """`x` as an array or tracer of floating or complex values; integers and booleans become float64."""
    x = array_of(x)
    return x if is_inexact(x.dtype) else x.astype(np.dtype(np.float64))


def ordered(x: Any, name: str) -> Any:
    """`x` as it is if real, for functions of what is larger or smaller."""
    if getattr(x, "dtype", None) is not None and x.dtype.kind == "c" or type(x) is complex:
        raise DtypeError(f"{name} takes real values, but got complex ones; take their real part or their size: x.real, "
                         f"np.abs(x){at_user_line()}")
    return x
