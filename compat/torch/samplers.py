"""Random tensors: `rand` and its kin, and under vmap one draw for all examples or one for each."""

import numpy as np

from ... import extend
from . import dtypes
from .call import attach
from .creation import made, numpy_dtype, size_argument, with_out
from .inplace import inplace
from .levels import BatchTrace
from .modes import modes
from .random import Generator, stream
from .state import TensorBase, at_level, bottom
from .views import UPDATE, shape_dtype


def maps_of(t):
    """The running vmaps that a tensor is a value of."""
    found = []
    while isinstance(t, TensorBase):
        if isinstance(t.trace, BatchTrace) and not t.trace.done:
            found.append(t.trace)
        t = t.value
    return found


def drawn_apart(*parameters):
    """The running vmaps whose examples get numbers of their own, outermost first; refuses where `randomness` does."""
    maps = modes().maps
    for trace in maps:
        if trace.randomness == "error":
            raise RuntimeError("vmap: called random operation while in randomness error mode. Please either use the "
                               "'same' or 'different' randomness flags on vmap or perform the randomness operation out "
                               "of vmap")
        if trace.randomness == "same" and any(trace in maps_of(p) for p in parameters):
            raise RuntimeError("Vmap does not currently support same randomness with a batched tensor input. Please "
                               "file an issue with functorch")
    return [trace for trace in maps if trace.randomness == "different"]


def aligned(p, apart):
    """The array of a parameter with one axis in front for each of several vmaps; numbers stay."""
    if not isinstance(p, TensorBase):
        return p
    mine = maps_of(p)
    array = np.asarray(bottom(p))
    index = tuple([slice(None) if trace in mine else None for trace in apart])
    shape = tuple([trace.size for trace in apart])
    rest = array.shape[len(mine):]
    return np.broadcast_to(array[index], (*shape, *rest)) if apart else array


def sample(draw, shape, dtype, *parameters, requires_grad=False, device=None):
    """A tensor of what `draw(shape, *parameters)` gives, of its own for each example where vmap asks for that.

    Args:
        draw: from a shape and arrays of parameters to an array.
        shape: of one example.
        dtype: NumPy's.
        parameters: tensors or numbers; those of tensors reach `draw` with the axes of the vmaps in front.
    """
    apart = drawn_apart(*parameters)
    lead = tuple([trace.size for trace in apart])
    numbers = np.asarray(draw((*lead, *shape), *[aligned(p, apart) for p in parameters])).astype(dtype)
    t = made(numbers, requires_grad, device)
    if not apart:
        return t
    level = modes().level
    while isinstance(t.value, TensorBase):
        t = t.value
    for trace in sorted([*apart, *([level] if level is not None else [])], key=lambda trace: trace.level):
        t = at_level(trace, t)
    return t


def factory(draw):
    """`rand` and its kin: sizes, and the arguments of every factory."""

    def make(*size, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False):
        if size and isinstance(size[-1], Generator):
            *size, generator = size
        r = stream(generator)
        return sample(lambda shape: draw(r, shape), size_argument(tuple(size)), numpy_dtype(dtype),
                      requires_grad=requires_grad, device=device)

    return with_out(make)


rand = factory(lambda r, shape: r.random(shape))
randn = factory(lambda r, shape: r.standard_normal(shape))
rand.__doc__ = "Uniform numbers in [0, 1); see PyTorch's documentation of `torch.rand`."
randn.__doc__ = "Standard normal numbers; see PyTorch's documentation of `torch.randn`."


def like(make):
    """`rand_like` of `rand`."""

    def made_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
                  memory_format=None):
        return make(tuple(input.shape), generator=generator, dtype=dtype or input.dtype, requires_grad=requires_grad)

    made_like.__doc__ = "Random numbers in the shape and dtype of a tensor."
    return made_like


rand_like, randn_like = like(rand), like(randn)


@with_out
def randint(low=0, high=None, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None,
            requires_grad=False):
    """Integers in [low, high); see PyTorch's documentation of `torch.randint`."""
    if size is None:
        low, high, size = 0, low, high
    kind = dtypes.int64 if dtype is None else dtype
    r = stream(generator)
    return sample(lambda shape: r.integers(low, high, shape), size_argument((size,)), kind.numpy,
                  requires_grad=requires_grad, device=device)


def randint_like(input, low=0, high=None, *, dtype=None, **kwargs):
    """Integers in the shape of a tensor."""
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, tuple(input.shape), dtype=dtype or input.dtype)


@with_out
def randperm(n, *, generator=None, out=None, dtype=dtypes.int64, layout=None, device=None, requires_grad=False,
             pin_memory=False):
    """The numbers 0 … n-1 in random order."""
    r = stream(generator)
    return sample(lambda shape: r.permuted(np.broadcast_to(np.arange(n), shape), axis=-1), (n,), dtype.numpy,
                  requires_grad=requires_grad, device=device)


@with_out
def normal(mean=0.0, std=1.0, size=None, *, generator=None, out=None, dtype=None):
    """Normal numbers with means and deviations; see PyTorch's documentation of `torch.normal`."""
    if size is not None:
        shape, kind = size_argument((size,)), numpy_dtype(dtype)
    else:
        tensors = [t for t in (mean, std) if isinstance(t, TensorBase)]
        shape = np.broadcast_shapes(*[tuple(t.shape) for t in tensors])
        kind = tensors[0].dtype.numpy
    r = stream(generator)

    def draw(whole, m, s):
        if np.any(np.asarray(s) < 0):
            raise RuntimeError(f"normal expects std >= 0.0, but found std {s}")
        return r.standard_normal(whole) * behind(s, whole, shape) + behind(m, whole, shape)

    return sample(draw, shape, kind, mean, std)


def behind(p, whole, shape):
    """An aligned parameter with its own axes at the end of `whole`, those of one example being `shape`."""
    if not isinstance(p, np.ndarray):
        return p
    lead = len(whole) - len(shape)
    return p.reshape(p.shape[:lead] + (1,) * (len(whole) - p.ndim) + p.shape[lead:])


@with_out
def bernoulli(input, p=None, *, generator=None, out=None):
    """0 or 1, by the probabilities of a tensor; see PyTorch's documentation of `torch.bernoulli`."""
    r = stream(generator)
    shape, dtype = shape_dtype(input)
    if p is not None:
        return sample(lambda whole, _: r.random(whole) < p, shape, dtype, input)
    return sample(lambda whole, probability: r.random(whole) < probability, shape, dtype, input)


@with_out
def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    """Indices drawn by weights; see PyTorch's documentation of `torch.multinomial`."""
    r = stream(generator)
    shape = shape_dtype(input)[0]

    def draw(whole, w):
        rows = w.reshape(-1, shape[-1]).astype(np.float64)
        if not replacement and (np.count_nonzero(rows, 1) < num_samples).any():
            raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
        return np.stack([r.choice(len(row), num_samples, replacement, row / row.sum()) for row in rows]).reshape(whole)

    return sample(draw, (*shape[:-1], num_samples), np.int64, input)


def poisson(input, generator=None):
    """Poisson numbers by the rates of a tensor."""
    r = stream(generator)
    return sample(lambda whole, rate: r.poisson(rate), *shape_dtype(input), input)


def in_place(name, draw):
    """`uniform_` and its kin: fill a tensor with random numbers."""

    def method(self, *args, generator=None, **kwargs):
        shape, dtype = shape_dtype(self)
        apart = drawn_apart(*[p for p in (*args, *kwargs.values()) if isinstance(p, TensorBase)])
        mine = maps_of(self)
        if any(trace not in mine for trace in apart):
            raise RuntimeError("vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will "
                               "appear like same randomness. If this is necessary for your usage, please file an issue "
                               "with functorch.")
        whole = (*[trace.size for trace in apart], *shape)
        given = [aligned(p, apart) for p in args]
        named = {k: aligned(p, apart) for k, p in kwargs.items()}
        value = np.asarray(draw(stream(generator), whole, *given, **named)).astype(dtype)
        for trace in apart:
            value = extend.make_batched(trace, value)
        return inplace(self, name, lambda x: UPDATE.fun(x, value, Ellipsis, False, False), covers=True)

    method.__name__ = name
    method.__doc__ = f"Fill with random numbers; see PyTorch's `Tensor.{name}`."
    attach(name, method)


def _random(r, shape, low=0, to=None):
    low, to = (0, low) if to is None and low else (low, to)
    return r.integers(low, 2**24 if to is None else to, shape)


for _name, _draw in {
    "uniform_": lambda r, shape, a=0.0, b=1.0: r.random(shape) * (b - a) + a,
    "normal_": lambda r, shape, mean=0.0, std=1.0: r.standard_normal(shape) * std + mean,
    "exponential_": lambda r, shape, lambd=1.0: r.exponential(1.0 / lambd, shape),
    "bernoulli_": lambda r, shape, p=0.5: r.random(shape) < p,
    "random_": _random,
    "cauchy_": lambda r, shape, median=0.0, sigma=1.0: r.standard_cauchy(shape) * sigma + median,
    "log_normal_": lambda r, shape, mean=1.0, std=2.0: r.lognormal(mean, std, shape),
    "geometric_": lambda r, shape, p: r.geometric(p, shape),
}.items():
    in_place(_name, _draw)
attach("bernoulli", bernoulli)
attach("multinomial", multinomial)
