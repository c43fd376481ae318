"""Random tensors: generators of our own streams, of which only statistics match PyTorch's."""

import contextlib

import numpy as np

from ... import extend
from . import dtypes
from .call import attach
from .creation import numpy_dtype, size_argument, with_out
from .inplace import inplace
from .randomness import aligned, drawn_apart, maps_of, sample
from .state import TensorBase, bottom, wrap
from .views import UPDATE, shape_dtype


class Generator:
    """A stream of random numbers with a seed and a state.

    >>> import covector.compat.torch as torch
    >>> g = torch.Generator().manual_seed(3)
    >>> a = torch.rand(2, generator=g)
    >>> torch.equal(a, torch.rand(2, generator=g.manual_seed(3)))
    True
    """

    def __init__(self, device="cpu"):
        self.device = device
        self._seed = 67280421310721
        self.stream = np.random.Generator(np.random.PCG64(self._seed))

    def manual_seed(self, seed):
        """Start anew from a seed."""
        self._seed = int(seed)
        self.stream = np.random.Generator(np.random.PCG64(self._seed % 2**64))
        return self

    def seed(self):
        """Start anew from a seed of the system's."""
        fresh = int(np.random.SeedSequence().entropy % 2**63)
        self.manual_seed(fresh)
        return fresh

    def initial_seed(self):
        """The seed it started from."""
        return self._seed

    def get_state(self):
        """The state as a tensor of bytes."""
        state = self.stream.bit_generator.state
        numbers = [state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"],
                   self._seed % 2**64]
        data = b"".join(int(n).to_bytes(16, "little") for n in numbers)
        return wrap(np.frombuffer(data, np.uint8).copy())

    def set_state(self, state):
        """Go on from a state that `get_state` gave."""
        data = bottom(state).tobytes()
        a, b, c, d, seed = (int.from_bytes(data[i : i + 16], "little") for i in range(0, 80, 16))
        self._seed = seed
        self.stream.bit_generator.state = {"bit_generator": "PCG64", "state": {"state": a, "inc": b}, "has_uint32": c,
                                           "uinteger": d}
        return self


default_generator = Generator()


def manual_seed(seed):
    """Seed the default generator."""
    return default_generator.manual_seed(seed)


def seed():
    """Seed the default generator from the system."""
    return default_generator.seed()


def initial_seed():
    """The default generator's seed."""
    return default_generator.initial_seed()


def get_rng_state():
    """The default generator's state."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Set the default generator's state."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, device_type="cuda"):
    """Put the default generator's state back when the context ends.

    >>> import covector.compat.torch as torch
    >>> with torch.random.fork_rng():
    ...     a = torch.rand(2)
    >>> torch.equal(a, torch.rand(2))
    True
    """
    if devices:
        raise NotImplementedError(f"fork_rng was given the devices {devices}, but random numbers of "
                                  "covector.compat.torch come from the CPU's generator alone; leave them out")
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


def stream(generator):
    """NumPy's generator."""
    return (default_generator if generator is None else generator).stream


def factory(name, draw):
    """`rand` and its kin: sizes, and the arguments of every factory."""

    def make(*size, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False):
        if size and isinstance(size[-1], Generator):
            *size, generator = size
        r = stream(generator)
        return sample(lambda shape: draw(r, shape), size_argument(tuple(size)), numpy_dtype(dtype),
                      requires_grad=requires_grad, device=device)

    make.__name__ = make.__qualname__ = name
    return with_out(make)


rand = factory("rand", lambda r, shape: r.random(shape))
randn = factory("randn", lambda r, shape: r.standard_normal(shape))
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
