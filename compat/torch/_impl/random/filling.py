"""Random numbers in place: `normal_`, `uniform_` and related methods."""

import functools
import inspect

import numpy as np

from ..... import extend
from ..dispatch.call import attach
from ..dispatch.signatures import signed
from ..graph import versions
from ..inplace.inplace import inplace
from ..inplace.rows import unrecorded_array
from ..modes.warnings import error_state, restore_fp_warnings, suppress_fp_warnings
from ..state.meta import is_meta, on_device
from ..types.devices import CUDA, moved
from ..types.dtypes import type_word
from ..types.size import CPU
from ..types.tensor_type import TensorBase, shape_dtype
from ..views.views import UPDATE
from .generator import Generator, default_generator, stream
from .randomness import aligned, drawn_apart, maps_of, node_of
from .sampling import check_probabilities, check_range, floating_kind, gaussian, need, uniform


def in_place(name, draw):
    """`uniform_` and related functions: fill a tensor with random numbers."""

    @signed(name)
    def method(self, *args, generator=None, **kwargs):
        if is_meta(self):
            return self
        shape, dtype = shape_dtype(self)
        if name != "bernoulli_" and any(isinstance(p, TensorBase) and p.dim() for p in args):
            raise TypeError(f"{name}(): argument 'mean' (position 1) must be float, not Tensor")
        place = CUDA if on_device(self) else CPU
        apart = drawn_apart(*[p for p in (*args, *kwargs.values()) if isinstance(p, TensorBase)])
        mine = maps_of(self)
        if any(trace not in mine for trace in apart):
            raise RuntimeError("vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will "
                               "appear like same randomness. If this is necessary for your usage, please file an issue "
                               "with functorch.")
        whole = (*[trace.size for trace in apart], *shape)
        given = [aligned(p, apart) for p in args]
        named = {k: aligned(p, apart) for k, p in kwargs.items()}

        def drawn(x, *_):
            value = moved(np.asarray(draw(stream(generator), whole, dtype, *given, **named)).astype(dtype), place)
            for trace in apart:
                value = extend.make_batched(trace, value)
            return UPDATE.fun(x, value, Ellipsis, False, False)

        title = node_of(name, args, named)
        return inplace(self, name, drawn, (None,) * (title == "BernoulliBackward1"), title)

    kinds = _INTS if name == "random_" else _NUMBERS
    names = {"from", *inspect.signature(draw).parameters} - {"r", "shape", "kind", "a", "b", "low", "high", "named"}

    @functools.wraps(method)
    def filled(self, *args, generator=None, **named):
        array = unrecorded_array(self) if not named or named.keys() <= names else None
        for p in (*args, *named.values()) if named else args:
            if type(p) not in kinds:
                array = None
        if array is None or generator is not None and type(generator) is not Generator:
            return method(self, *args, generator=generator, **named)
        token = error_state()
        try:
            suppress_fp_warnings()
            r = default_generator.stream if generator is None else generator.stream
            numbers = draw(r, array.shape, array.dtype, *args, **named)
            array[...] = numbers
        except (TypeError, ValueError, ArithmeticError):  # the general path says what is wrong
            return method(self, *args, generator=generator, **named)
        finally:
            restore_fp_warnings(token)
        versions.note(array)
        return self

    filled.__name__ = filled.__qualname__ = name
    filled.__doc__ = f"Fill the tensor with samples: `{name}`."
    attach(name, filled)


_INTS, _NUMBERS = frozenset({int}), frozenset({int, float})


def _continuous(name, kind, word=None):
    if kind.kind not in "fV":
        raise RuntimeError(f"{name} distribution is a continuous probability distribution. dtype must be a floating "
                           f"point but you specified {word or type_word(kind)}")


def _uniform(r, shape, kind, a=0.0, b=1.0, *, to=None, **named):
    a, b = named.get("from", a), b if to is None else to
    floating_kind(kind, "check_uniform_bounds")
    need(a <= b, f"uniform_ expects to return a [from, to) range, but found from={a:g} > to={b:g}")
    numbers = uniform(r, shape, kind)
    if a != 0 or b != 1:
        numbers *= b - a
        numbers += a
    return numbers


def _normal(r, shape, kind, mean=0.0, std=1.0):
    need(std >= 0, f"normal expects std >= 0.0, but found std {std:g}")
    floating_kind(kind, "normal_kernel_cpu")
    numbers = gaussian(r, shape, kind)
    return numbers if type(std) is type(mean) is float and std == 1 and mean == 0 else numbers * std + mean


def _exponential(r, shape, kind, lambd=1.0):
    _continuous("Exponential", kind)
    need(lambd > 0, f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    return r.exponential(1.0 / lambd, shape)


def _cauchy(r, shape, kind, median=0.0, sigma=1.0):
    need(sigma > 0, f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    _continuous("Cauchy", kind, {"int64": "long int", "int32": "int"}.get(kind.name))
    return r.standard_cauchy(shape) * sigma + median


def _log_normal(r, shape, kind, mean=1.0, std=2.0):
    need(std > 0, f"log_normal_ expects std > 0.0, but found std={std:g}")
    floating_kind(kind, "log_normal_cpu", complex_too=False)
    return r.lognormal(mean, std, shape)


def _geometric(r, shape, kind, p):
    need(0 < p < 1, f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    return r.geometric(p, shape)


def _bernoulli(r, shape, kind, p=0.5):
    if isinstance(p, np.ndarray):
        check_probabilities(p)
    else:
        need(0 <= p <= 1, f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    return r.random(shape) < p


def _random(r, shape, kind, low=None, high=None, *, to=None, **named):
    """`random_()`, `random_(to)`, `random_(from, to)`."""
    low, high = named.get("from", low), high if to is None else to
    if high is None:
        low, high = 0, low
    if high is None:
        high = {"b": 2, "i": 2 ** (8 * kind.itemsize - 1), "u": 2 ** (8 * kind.itemsize)}.get(kind.kind)
        high = {2: 2**11, 4: 2**24, 8: 2**53}[kind.itemsize] + 1 if high is None else min(high, 2**63 - 1)
    check_range(low, high, kind)
    return r.integers(low, high, shape)


for _name, _draw in {"uniform_": _uniform, "normal_": _normal, "exponential_": _exponential, "cauchy_": _cauchy,
                     "log_normal_": _log_normal, "geometric_": _geometric, "bernoulli_": _bernoulli,
                     "random_": _random}.items():
    in_place(_name, _draw)
