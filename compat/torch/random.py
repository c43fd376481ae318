"""Random tensors: generators of our own streams, of which only statistics match PyTorch's."""

import contextlib

import numpy as np

from . import dtypes
from .call import attach
from .creation import made, numpy_dtype, size_argument, with_out
from .inplace import inplace
from .levels import BatchTrace
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
        numbers = draw(stream(generator), size_argument(tuple(size)))
        return made(numbers.astype(numpy_dtype(dtype)), requires_grad, device)

    make.__name__ = make.__qualname__ = name
    return with_out(make)


rand = factory("rand", lambda r, shape: np.asarray(r.random(shape)))
randn = factory("randn", lambda r, shape: np.asarray(r.standard_normal(shape)))
rand.__doc__ = "Uniform numbers in [0, 1); see PyTorch's documentation of `torch.rand`."
randn.__doc__ = "Standard normal numbers; see PyTorch's documentation of `torch.randn`."


def like(make):
    """`rand_like` of `rand`."""

    def made_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
        return make(tuple(input.shape), dtype=dtype or input.dtype, requires_grad=requires_grad)

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
    numbers = np.asarray(stream(generator).integers(low, high, size_argument((size,))))
    return made(numbers.astype(kind.numpy), requires_grad, device)


def randint_like(input, low=0, high=None, *, dtype=None, **kwargs):
    """Integers in the shape of a tensor."""
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, tuple(input.shape), dtype=dtype or input.dtype)


@with_out
def randperm(n, *, generator=None, out=None, dtype=dtypes.int64, layout=None, device=None, requires_grad=False,
             pin_memory=False):
    """The numbers 0 … n-1 in random order."""
    return made(stream(generator).permutation(n).astype(dtype.numpy), requires_grad, device)


@with_out
def normal(mean=0.0, std=1.0, size=None, *, generator=None, out=None, dtype=None):
    """Normal numbers with means and deviations; see PyTorch's documentation of `torch.normal`."""
    if size is not None:
        shape, kind = size_argument((size,)), numpy_dtype(dtype)
    else:
        tensors = [t for t in (mean, std) if isinstance(t, TensorBase)]
        shape = np.broadcast_shapes(*[tuple(t.shape) for t in tensors])
        kind = tensors[0].dtype.numpy
    m, s = (np.asarray(bottom(v)) if isinstance(v, TensorBase) else v for v in (mean, std))
    if np.any(np.asarray(s) < 0):
        raise RuntimeError(f"normal expects std >= 0.0, but found std {s}")
    return made(np.asarray(stream(generator).standard_normal(shape) * s + m).astype(kind))


@with_out
def bernoulli(input, *, generator=None, out=None):
    """0 or 1, by the probabilities of a tensor; see PyTorch's documentation of `torch.bernoulli`."""
    p = np.asarray(bottom(input))
    return made((stream(generator).random(p.shape) < p).astype(p.dtype))


@with_out
def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    """Indices drawn by weights; see PyTorch's documentation of `torch.multinomial`."""
    w = np.asarray(bottom(input), np.float64)
    rows = w if w.ndim == 2 else w[None]
    if not replacement and (np.count_nonzero(rows, 1) < num_samples).any():
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    draws = np.stack([stream(generator).choice(len(r), num_samples, replacement, r / r.sum()) for r in rows])
    return made(draws if w.ndim == 2 else draws[0])


def poisson(input, generator=None):
    """Poisson numbers by the rates of a tensor."""
    rate = np.asarray(bottom(input))
    return made(np.asarray(stream(generator).poisson(rate)).astype(rate.dtype))


def in_place(name, draw):
    """`uniform_` and its kin: fill a tensor with random numbers."""

    def method(self, *args, generator=None, **kwargs):
        if isinstance(self.trace, BatchTrace) and self.trace.randomness == "error" and not self.trace.done:
            raise RuntimeError("vmap: called random operation while in randomness error mode. Please either use the "
                               "'same' or 'different' randomness flags on vmap or perform the randomness operation out "
                               "of vmap")
        shape, dtype = shape_dtype(self)
        value = np.asarray(draw(stream(generator), shape, *args, **kwargs)).astype(dtype)
        return inplace(self, name, lambda x: UPDATE.fun(x, value, Ellipsis, False, False), covers=True)

    method.__name__ = name
    method.__doc__ = f"Fill with random numbers; see PyTorch's `Tensor.{name}`."
    attach(name, method)


def _bernoulli(r, shape, p=0.5):
    p = np.asarray(bottom(p)) if isinstance(p, TensorBase) else p
    return r.random(shape) < p


def _random(r, shape, low=0, to=None):
    low, to = (0, low) if to is None and low else (low, to)
    return r.integers(low, 2**24 if to is None else to, shape)


for _name, _draw in {
    "uniform_": lambda r, shape, a=0.0, b=1.0: r.random(shape) * (b - a) + a,
    "normal_": lambda r, shape, mean=0.0, std=1.0: r.standard_normal(shape) * std + mean,
    "exponential_": lambda r, shape, lambd=1.0: r.exponential(1.0 / lambd, shape),
    "bernoulli_": _bernoulli,
    "random_": _random,
    "cauchy_": lambda r, shape, median=0.0, sigma=1.0: r.standard_cauchy(shape) * sigma + median,
    "log_normal_": lambda r, shape, mean=1.0, std=2.0: r.lognormal(mean, std, shape),
    "geometric_": lambda r, shape, p: r.geometric(p, shape),
}.items():
    in_place(_name, _draw)
