"""Functions that call a user's function: along axes, piecewise, element by element."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..core.errors import ConversionError, DtypeError, at_user_line
from ..core.numpy_api import methods
from ..core.ops import selection, shaping
from ..core.trace.device import constant
from ..core.trace.tracer import Tracer, is_concrete
from .indexing import take
from .shaping import stack
from .surface import FUNCTIONS, Array, array_beside, array_of, implements, known, traced_inside

fromfunction = np.fromfunction


def _closing_over(plain: Callable[..., Any], traced: Callable[..., Any]) -> Callable[..., Any]:
    """Return `plain`; if the given function returns traced values that it closes over, `traced`."""

    @wraps(plain)
    def fun(*args: Any, **kwargs: Any) -> Any:
        try:
            return plain(*args, **kwargs)
        except (ConversionError, ValueError) as error:  # on item assignment NumPy raises ValueError in its place
            if not isinstance(error, ConversionError) and not isinstance(error.__cause__, ConversionError):
                raise
        return traced(*args, **kwargs)

    return fun


@implements(np.apply_along_axis)
def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Array, *args: Any, **kwargs: Any) -> Array:
    arr = array_of(arr)
    axis = methods.normal_axis(axis, arr.ndim)
    moved = shaping.transpose(arr, (*[k for k in range(arr.ndim) if k != axis], axis))
    lead = moved.shape[:-1]
    if 0 in lead:
        raise ValueError(f"apply_along_axis needs elements along the other axes than {axis}, but got shape {arr.shape}"
                         f"; check the size before{at_user_line()}")
    ans = stack([array_of(func1d(moved[place], *args, **kwargs)) for place in np.ndindex(*lead)])
    inner = ans.ndim - 1
    ans = methods.reshape(ans, (*lead, *ans.shape[1:]))
    rank = len(lead)
    return shaping.transpose(ans, (*range(axis), *range(rank, rank + inner), *range(axis, rank)))


@implements(np.apply_over_axes)
def apply_over_axes(func: Callable[..., Any], a: Array, axes: Any) -> Array:
    ans = array_of(a)
    rank = ans.ndim
    for axis in [axes] if not np.ndim(axes) else axes:
        axis = methods.normal_axis(axis, rank)
        part = array_of(func(ans, axis))
        if part.ndim != rank:
            part = methods.reshape(part, (*part.shape[:axis], 1, *part.shape[axis:]))
            if part.ndim != rank:
                raise ValueError(f"apply_over_axes needs a function that keeps the axes or drops one, but got shape "
                                 f"{part.shape} from {ans.shape}; reduce with keepdims=True{at_user_line()}")
        ans = part
    return ans


@implements(np.piecewise)
def piecewise(x: Array, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Array:
    """As in NumPy. Under `vmap` and while staging, where the masks are not concrete, the functions are called on all of
    `x`, so they must be elementwise there."""
    x = array_of(x)
    masks = _masks(condlist, x)
    if len(funclist) == len(masks) + 1:
        rest = ~masks[0]
        for mask in masks[1:]:
            rest = rest & ~mask
        masks = [*masks, rest]
    elif len(funclist) != len(masks):
        raise ValueError(f"piecewise needs as many functions as conditions, or one more, but got {len(funclist)} and "
                         f"{len(masks)}; give a function for each condition{at_user_line()}")
    flat = methods.reshape(x, (-1,))
    ans = constant(np.zeros(x.shape, x.dtype), x)
    for mask, fun in zip(masks, funclist):
        if not callable(fun):
            value = array_beside(fun, x)
        elif is_concrete(mask):
            value = _on_part(fun, flat, methods.reshape(mask, (-1,)), x.shape, args, kw)
            if value is None:
                continue
        else:
            value = array_of(fun(flat, *args, **kw))
            value = methods.reshape(value, x.shape) if value.ndim else value
        ans = selection.where(mask, _in_dtype(value, x), ans)
    return ans


def _masks(conditions: Any, x: Array) -> list:
    """Return the conditions as masks of the shape of `x`; a single condition need not be in a list."""
    listed = isinstance(conditions, (list, tuple))
    one = not listed and np.ndim(conditions) in (0, x.ndim) or listed and x.ndim and not _axes(conditions[0])
    masks = [array_of(m) for m in ([conditions] if one else conditions)]
    masks = [m if m.dtype == np.bool_ else m != 0 for m in masks]
    return [m if m.shape == x.shape else shaping.broadcast_to(m, x.shape) for m in masks]


def _axes(value: Any) -> int:
    """Return the number of axes of an array or of nested lists."""
    return 1 + _axes(value[0]) if isinstance(value, (list, tuple)) and value else np.ndim(value)


def _on_part(fun: Any, flat: Array, mask: Array, shape: tuple, args: tuple, kw: dict) -> Any:
    """Apply `fun` to the selected elements, at their positions; None if none is selected."""
    places = np.flatnonzero(known(mask, "piecewise"))
    if not places.size:
        return None
    value = array_of(fun(take(flat, places), *args, **kw))
    if not value.ndim:
        return value
    back = np.zeros(flat.shape[0], np.intp)
    back[places] = np.arange(places.size)
    return methods.reshape(take(value, back), shape)


def _in_dtype(value: Any, x: Array) -> Array:
    value = array_beside(value, x)
    if isinstance(value, Tracer) and value.dtype.kind in "fc" and np.result_type(value.dtype, x.dtype) != x.dtype and (
            x.dtype.kind in "biu" or value.dtype.kind == "c"):
        raise DtypeError(f"piecewise gives values of the dtype of x, {x.dtype}, but a function gave traced values of "
                         f"dtype {value.dtype}; convert x first{at_user_line()}")
    return value if value.dtype == x.dtype else selection.astype(value, x.dtype)


apply_along_axis = _closing_over(apply_along_axis, FUNCTIONS[np.apply_along_axis])
piecewise = _closing_over(piecewise, FUNCTIONS[np.piecewise])


class vectorize:
    """`numpy.vectorize`: the function is called for each element (or each core, with `signature`) in Python.

    pyfunc: a function of numbers or arrays, with one or several outputs.
        pyfunc: a function of numbers or arrays; it may return several.
        otypes, doc, excluded, cache, signature: as in NumPy.
    Returns:
        a function of arrays and traced arrays.

    >>> import covector, covector.numpy as cnp
    >>> relu = cnp.vectorize(lambda v: v if v > 0 else 0.0 * v)
    >>> covector.grad(lambda x: relu(x).sum())(cnp.array([-1.0, 2.0]))
    array([0., 1.])
    """

    def __init__(self, pyfunc: Any = np._NoValue, otypes: Any = None, doc: Any = None, excluded: Any = None,
                 cache: bool = False, signature: Any = None) -> None:
        self.options = {"otypes": otypes, "doc": doc, "excluded": excluded, "cache": cache, "signature": signature}
        self.plain = np.vectorize(pyfunc, **self.options)
        self.excluded = set(excluded or ())
        self.__name__ = getattr(pyfunc, "__name__", "vectorize")
        self.__doc__ = self.plain.__doc__ or type(self).__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.plain.pyfunc is np._NoValue:  # used as a decorator with options
            return vectorize(*args, **self.options)
        if not traced_inside([*args, *kwargs.values()]):
            return _closing_over(self.plain, self._traced)(*args, **kwargs)
        return self._traced(*args, **kwargs)

    def _traced(self, *args: Any, **kwargs: Any) -> Any:
        names = [k for k in kwargs if k not in self.excluded]
        spots = [k for k in range(len(args)) if k not in self.excluded]
        arrays = [array_of(args[k]) for k in spots] + [array_of(kwargs[k]) for k in names]
        signature = self.options["signature"]
        cores = [()] * len(arrays) if signature is None else _cores(signature, arrays)
        lead = np.broadcast_shapes(*[x.shape[: x.ndim - len(c)] for x, c in zip(arrays, cores)])
        spread = [shaping.broadcast_to(x, (*lead, *x.shape[x.ndim - len(c) :])) for x, c in zip(arrays, cores)]
        if 0 in lead:
            raise ValueError(f"vectorize of traced values needs at least one element, but got shape {lead}"
                             f"; check the size before{at_user_line()}")
        answers = []
        for place in np.ndindex(*lead):
            here, named = list(args), dict(kwargs)
            for k, x in zip(spots, spread):
                here[k] = x[place]
            named.update({k: x[place] for k, x in zip(names, spread[len(spots) :])})
            answers.append(self.plain.pyfunc(*here, **named))
        if not isinstance(answers[0], tuple):
            return self._join(answers, lead, 0)
        return tuple([self._join([a[k] for a in answers], lead, k) for k in range(len(answers[0]))])

    def _join(self, values: list, lead: tuple, k: int) -> Array:
        ans = stack([array_of(v) for v in values])
        ans = methods.reshape(ans, (*lead, *ans.shape[1:]))
        kinds = self.options["otypes"]
        if kinds is None:  # NumPy takes the dtype of the first output
            dtype = array_of(values[0]).dtype
        else:
            dtype = np.dtype(kinds[k])
        if ans.dtype.kind in "fc" and dtype.kind in "biu" and isinstance(ans, Tracer):
            raise DtypeError(f"vectorize was asked for dtype {dtype} of traced values of dtype {ans.dtype}, which "
                             f"would drop their derivative; give otypes, or return one dtype for all{at_user_line()}")
        return ans if ans.dtype == dtype else selection.astype(ans, dtype)


def _cores(signature: str, arrays: list) -> list:
    """The core axes of each operand of a signature such as `(m,n),(n)->(m)`."""
    cores = [tuple(filter(None, (part.strip() for part in group.split(","))))
             for group in re.findall(r"\(([^)]*)\)", signature.split("->")[0])]
    if len(cores) != len(arrays):
        raise TypeError(f"vectorize with signature {signature!r} takes {len(cores)} arrays, but got {len(arrays)}"
                        f"; give one for each group of the signature{at_user_line()}")
    sizes: dict[str, int] = {}
    for x, core in zip(arrays, cores):
        if x.ndim < len(core):
            raise ValueError(f"vectorize with signature {signature!r} got an operand of shape {x.shape}"
                             f"; give it the axes that the signature names{at_user_line()}")
        for name, n in zip(core, x.shape[x.ndim - len(core) :]):
            if sizes.setdefault(name, n) != n:
                raise ValueError(f"vectorize with signature {signature!r} got lengths {sizes[name]} and {n} for {name}"
                                 f"; give one letter to equal lengths alone{at_user_line()}")
    return cores
